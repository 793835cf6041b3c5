/* SPDX-License-Identifier: MIT */
/* Studies with `ensemble`: the bits of a member do not depend on the block, a member that fails disturbs nobody, and
 * members agree with ordinary runs. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include <interfield/study.h>

#include "algebra/lanes.h"
#include "files.h"
#include "study/member.h"
#include "study/result.h"

enum { MEMBERS = 16, L = IFD__LANES };

static const char storeys[] =
    "title: storeys\n"
    "time: {step: 5 ms, end: 4 s}\n"
    "method: {lsrt2: {jacobian: frozen}}\n"
    "ground: {motion: sine, amplitude: 2 m/s2, frequency: 1.1 Hz}\n"
    "model:\n"
    "  dofs: [x, y, z]\n"
    "  mass: [1 kg, 1 kg, 0.8 kg]\n"
    "  stiffness: [[300, -150, 0], [-150, 300, -150], [0, -150, 150]]\n"
    "  damping: [[0.8, 0, 0], [0, 0.8, 0], [0, 0, 0.8]]\n"
    "  elements:\n"
    "    - {name: column, bilinear: {between: [ground, x], stiffness: 60 N/m, yield: 20 mm, ratio: 0.05}}\n"
    "    - {name: brace, bouc-wen: {between: [x, y], stiffness: 90 N/m, beta: 60, gamma: 30}}\n"
    "    - {name: stop, gap: {between: [y, z], stiffness: 50 N/m, gap: 30 mm}}\n";

#define STUDY(first, amplitudes)                                                                                     \
    "title: amplitudes and strengths\n"                                                                              \
    "case: storeys.yaml\n" first "vary:\n"                                                                           \
    "  amplitude: {key: ground.amplitude, list: [" amplitudes "]}\n"                                                 \
    "  yield: {key: model.elements.0.bilinear.yield, list: [10 mm, 15 mm, 20 mm, 30 mm]}\n"                          \
    "keep:\n"                                                                                                        \
    "  peak: {peak: x displacement}\n"                                                                               \
    "  top: {peak: z displacement}\n"                                                                                \
    "  lost: {final: energy dissipated}\n"                                                                           \
    "histories: [x displacement, z displacement]\n"

typedef struct results {
    ifd_arena *arena;
    ifd_study *study;
    ifd_study_runner *runner;
    char *bytes[MEMBERS];
    size_t length[MEMBERS];
} results;

static void open_results(results *r, const char *text)
{
    ifd_note note;
    put_file("storeys.yaml", storeys);
    put_file("study.yaml", text);
    *r = (results){.arena = ifd_arena_open()};
    ifd_note_init(&note, r->arena);
    ifd_status status = ifd_study_read(r->arena, in("study.yaml"), NULL, &r->study, &note);
    if (status != IFD_OK)
        print_error("%s\n", note.first ? note.first->text : "");
    assert_int_equal(status, IFD_OK);
    assert_int_equal(ifd_study_members(r->study), MEMBERS);
    assert_int_equal(ifd_study_runner_open(r->arena, r->study, &r->runner), IFD_OK);
}

/* The bytes of a member, without the duration of its computation. */
static void put(void *self, const void *bytes, size_t length)
{
    results *r = self;
    ifd__result_head head;
    assert_non_null(bytes);
    memcpy(&head, bytes, sizeof head);
    head.duration = 0.0;
    char *copy = ifd_arena_array(r->arena, length, 1);
    memcpy(copy, bytes, length);
    memcpy(copy, &head, sizeof head);
    r->bytes[head.number] = copy;
    r->length[head.number] = length;
}

/* All members in an order that the seed decides, in blocks of this size. */
static void compute(results *r, int size, unsigned seed)
{
    static double value[MEMBERS][IFD_STUDY_VARIABLES];
    long number[MEMBERS];
    const double *values[MEMBERS];
    for (int i = 0; i < MEMBERS; i++) {
        int j = (int)((seed = seed * 1103515245u + 12345u) >> 16) % (i + 1);
        number[i] = number[j];
        number[j] = i;
    }
    for (int i = 0; i < MEMBERS; i++) {
        values[i] = value[i];
        assert_true(ifd_study_values(r->study, number[i], value[i]));
    }
    for (int i = 0; i < MEMBERS; i += size)
        ifd__study_compute_block(r->runner, MEMBERS - i < size ? MEMBERS - i : size, number + i, values + i, put, r);
}

static ifd_study_result result_of(results *r, int k)
{
    ifd_study_result out;
    const char *series;
    assert_true(ifd__result_unpack(r->arena, r->study, r->bytes[k], r->length[k], &out, &series));
    return out;
}

static void a_member_has_the_same_bits_in_every_block(void **state)
{
    (void)state;
    results first, next;
    open_results(&first, STUDY("ensemble: true\n", "0.5 m/s2, 1 m/s2, 2 m/s2, 3 m/s2"));
    compute(&first, 1, 1);
    for (unsigned seed = 2; seed < 8; seed++) {
        open_results(&next, STUDY("ensemble: true\n", "0.5 m/s2, 1 m/s2, 2 m/s2, 3 m/s2"));
        compute(&next, seed % 2 ? L : 3, seed);
        for (int k = 0; k < MEMBERS; k++) {
            assert_int_equal(result_of(&next, k).outcome, IFD_STUDY_COMPLETED);
            assert_int_equal(first.length[k], next.length[k]);
            assert_memory_equal(first.bytes[k], next.bytes[k], first.length[k]);
        }
        ifd_arena_close(next.arena);
    }
    ifd_arena_close(first.arena);
}

static void a_member_that_fails_disturbs_nobody(void **state)
{
    (void)state;
    results good, mixed;
    open_results(&good, STUDY("ensemble: true\n", "0.5 m/s2, 1 m/s2, 2 m/s2, 3 m/s2"));
    compute(&good, L, 3);
    open_results(&mixed, STUDY("ensemble: true\n", "0.5 m/s2, 1 m/s2, 1e9 m/s2, 3 m/s2"));
    compute(&mixed, L, 4);
    for (int k = 0; k < MEMBERS; k++) {
        ifd_study_result a = result_of(&good, k), b = result_of(&mixed, k);
        bool fails = b.value[0] > 1e8;
        assert_int_equal(b.number, k);
        assert_int_equal(b.outcome, fails ? IFD_STUDY_FAILED : IFD_STUDY_COMPLETED);
        if (fails)
            assert_non_null(strstr(b.reason, "at 0.0"));
        for (int i = 0; i < 3 && !fails; i++)
            assert_memory_equal(&a.scalar[i], &b.scalar[i], sizeof *a.scalar);
    }
    ifd_arena_close(good.arena);
    ifd_arena_close(mixed.arena);
}

/* A study with processes and an ordinary one: the same peaks. */
static void members_agree_with_ordinary_runs(void **state)
{
    (void)state;
    results with, without;
    open_results(&with, STUDY("ensemble: true\n", "0.5 m/s2, 1 m/s2, 2 m/s2, 3 m/s2"));
    compute(&with, L, 5);
    open_results(&without, STUDY("", "0.5 m/s2, 1 m/s2, 2 m/s2, 3 m/s2"));
    for (int k = 0; k < MEMBERS; k++) {
        double value[IFD_STUDY_VARIABLES];
        size_t length;
        assert_true(ifd_study_values(without.study, k, value));
        const void *bytes = ifd_study_compute(without.runner, k, value, &length);
        put(&without, bytes, length);
        ifd_study_result a = result_of(&with, k), b = result_of(&without, k);
        assert_int_equal(a.outcome, b.outcome);
        for (int i = 0; i < 3; i++)
            assert_near_rel(a.scalar[i], b.scalar[i], 1e-8, "member %d, scalar %d", k, i);
    }
    ifd_arena_close(with.arena);
    ifd_arena_close(without.arena);
}

static void processes_compute_blocks(void **state)
{
    (void)state;
    results direct;
    open_results(&direct, STUDY("ensemble: true\n", "0.5 m/s2, 1 m/s2, 2 m/s2, 3 m/s2"));
    compute(&direct, L, 6);
    for (int jobs = 1; jobs <= 3; jobs++) {
        ifd_note note;
        ifd_study_store *store;
        char folder[32];
        snprintf(folder, sizeof folder, "jobs-%d", jobs);
        ifd_note_init(&note, direct.arena);
        assert_int_equal(ifd_study_store_open(direct.arena, direct.study, in(folder), NULL, &store, &note), IFD_OK);
        assert_int_equal(ifd_study_run(store, &(ifd_study_options){.jobs = jobs}, &note), IFD_OK);
        assert_int_equal(ifd_study_count(store), MEMBERS);
        for (int k = 0; k < MEMBERS; k++) {
            const ifd_study_result *b = ifd_study_at(store, k);
            ifd_study_result a = result_of(&direct, (int)b->number);
            assert_memory_equal(a.scalar, b->scalar, 3 * sizeof *a.scalar);
        }
        ifd_study_store_close(store);
    }
    ifd_arena_close(direct.arena);
}

static void members_that_cannot_share_are_refused(void **state)
{
    (void)state;
    results r;
    open_results(&r,
                 STUDY("ensemble: true\nset: {method.lsrt2.jacobian: exact}\n", "0.5 m/s2, 1 m/s2, 2 m/s2, 3 m/s2"));
    compute(&r, L, 7);
    for (int k = 0; k < MEMBERS; k++) {
        assert_int_equal(result_of(&r, k).outcome, IFD_STUDY_REFUSED);
        assert_non_null(strstr(result_of(&r, k).reason, "use 'jacobian: frozen'"));
    }
    ifd_arena_close(r.arena);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, folder_open, folder_close)
    const struct CMUnitTest tests[] = {
        TEST(a_member_has_the_same_bits_in_every_block), TEST(a_member_that_fails_disturbs_nobody),
        TEST(members_agree_with_ordinary_runs),          TEST(processes_compute_blocks),
        TEST(members_that_cannot_share_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
