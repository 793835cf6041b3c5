/* SPDX-License-Identifier: MIT */
/* Studies with `ensemble`: the bits of a member do not depend on the block, a member that fails disturbs nobody, and
 * members agree with ordinary runs. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include <interfield/study.h>

#include "algebra/lanes.h"
#include "blocks.h"
#include "files.h"

enum { L = IFD__LANES };

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

static int with_storeys(void **state);

TEST_WITH(a_member_has_the_same_bits_in_every_block, with_storeys, folder_close)
{
    results first, next;
    open_results(&first, STUDY("ensemble: true\n", "0.5 m/s2, 1 m/s2, 2 m/s2, 3 m/s2"));
    compute_blocks(&first, 1, 1);
    for (unsigned seed = 2; seed < 8; seed++) {
        open_results(&next, STUDY("ensemble: true\n", "0.5 m/s2, 1 m/s2, 2 m/s2, 3 m/s2"));
        compute_blocks(&next, (const int[]){L, 3, MEMBERS}[seed % 3], seed);
        for (int k = 0; k < MEMBERS; k++) {
            assert_int_equal(result_of(&next, k).outcome, IFD_STUDY_COMPLETED);
            assert_same_member(&first, &next, k);
        }
        ifd_arena_close(next.arena);
    }
    ifd_arena_close(first.arena);
}

TEST_WITH(a_member_that_fails_disturbs_nobody, with_storeys, folder_close)
{
    results good, mixed;
    open_results(&good, STUDY("ensemble: true\n", "0.5 m/s2, 1 m/s2, 2 m/s2, 3 m/s2"));
    compute_blocks(&good, L, 3);
    open_results(&mixed, STUDY("ensemble: true\n", "0.5 m/s2, 1 m/s2, 1e9 m/s2, 3 m/s2"));
    compute_blocks(&mixed, L, 4);
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
TEST_WITH(members_agree_with_ordinary_runs, with_storeys, folder_close)
{
    results with, without;
    open_results(&with, STUDY("ensemble: true\n", "0.5 m/s2, 1 m/s2, 2 m/s2, 3 m/s2"));
    compute_blocks(&with, L, 5);
    open_results(&without, STUDY("", "0.5 m/s2, 1 m/s2, 2 m/s2, 3 m/s2"));
    for (int k = 0; k < MEMBERS; k++) {
        double value[IFD_STUDY_VARIABLES];
        size_t length;
        assert_true(ifd_study_values(without.study, k, value));
        const void *bytes = ifd_study_compute(without.runner, k, value, &length);
        put_result(&without, bytes, length);
        ifd_study_result a = result_of(&with, k), b = result_of(&without, k);
        assert_int_equal(a.outcome, b.outcome);
        for (int i = 0; i < 3; i++)
            assert_near_rel(a.scalar[i], b.scalar[i], 1e-8, "member %d, scalar %d", k, i);
    }
    ifd_arena_close(with.arena);
    ifd_arena_close(without.arena);
}

TEST_WITH(processes_compute_blocks, with_storeys, folder_close)
{
    results direct;
    open_results(&direct, STUDY("ensemble: true\n", "0.5 m/s2, 1 m/s2, 2 m/s2, 3 m/s2"));
    compute_blocks(&direct, L, 6);
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

TEST_WITH(members_that_cannot_share_are_refused, with_storeys, folder_close)
{
    results r;
    open_results(&r,
                 STUDY("ensemble: true\nset: {method.lsrt2.jacobian: exact}\n", "0.5 m/s2, 1 m/s2, 2 m/s2, 3 m/s2"));
    compute_blocks(&r, L, 7);
    for (int k = 0; k < MEMBERS; k++) {
        assert_int_equal(result_of(&r, k).outcome, IFD_STUDY_REFUSED);
        assert_non_null(strstr(result_of(&r, k).reason, "use 'jacobian: frozen'"));
    }
    ifd_arena_close(r.arena);
}

static int with_storeys(void **state)
{
    int status = folder_open(state);
    put_file("storeys.yaml", storeys);
    return status;
}

TESTS()
