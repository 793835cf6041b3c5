/* SPDX-License-Identifier: MIT */
/* Studies of oscillators share set-ups between members and make many steps at once: a member has the bits that it has
 * with energies, where every member is read and stepped singly, in any block, after any other members, and beside one
 * that fails. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include <interfield/study.h>

#include "blocks.h"
#include "files.h"
#include "study/member.h"
#include "study/study.h"

#define CASE(element)                                                                                                \
    "title: oscillator\n"                                                                                            \
    "time: {step: 5 ms, end: 2 s}\n"                                                                                 \
    "method: {lsrt2: {jacobian: frozen}}\n"                                                                          \
    "ground: {record: a.csv, scale: 1e-6}\n"                                                                         \
    "model:\n"                                                                                                       \
    "  dofs: [x]\n"                                                                                                  \
    "  mass: 1 kg\n"                                                                                                 \
    "  damping: 0.8 N s/m\n"                                                                                         \
    "  elements: [" element "]\n"
#define BILINEAR "{name: column, bilinear: {between: [ground, x], stiffness: 60 N/m, yield: 20 mm, ratio: 0.05}}"
#define BOUC_WEN "{name: column, bouc-wen: {between: [ground, x], stiffness: 60 N/m, beta: 30, gamma: 20}}"

#define STUDY(vary, scalar)                                                                                          \
    "title: oscillators\n"                                                                                           \
    "case: oscillator.yaml\n"                                                                                        \
    "ensemble: true\n"                                                                                               \
    "vary:\n" vary "keep:\n"                                                                                         \
    "  peak: {peak: x displacement}\n"                                                                               \
    "  up: {maximum: x displacement}\n"                                                                              \
    "  down: {minimum: x velocity}\n"                                                                                \
    "  when: {time-of-peak: x displacement}\n"                                                                       \
    "  left: {residual: x displacement}\n"                                                                           \
    "  swing: {amplitude: x displacement}\n"                                                                         \
    "  centre: {mean: x displacement}\n"                                                                             \
    "  motion: {rms: x velocity}\n"                                                                                  \
    "  last: {final: x velocity}\n" scalar
enum { SCALARS = 9 };
#define ENERGY "  lost: {final: energy dissipated}\n"
#define MOTIONS "  motion: {key: ground.record, files: [a.csv, b.csv, c.csv, d.csv]}\n"
#define YIELDS "  yield: {key: model.elements.0.bilinear.yield, list: [0.01, 0.015, 0.02, 0.03]}\n"

/* The same scalars, outcomes and reasons, with energies and without. */
static void compare(const char *with_energies, const char *without_energies, int failures)
{
    results with, first;
    int failed = 0;
    open_results(&with, with_energies);
    compute_blocks(&with, 8, 3);
    open_results(&first, without_energies);
    compute_blocks(&first, 1, 1);
    for (unsigned seed = 2; seed < 6; seed++) {
        results next;
        open_results(&next, without_energies);
        compute_blocks(&next, (const int[]){MEMBERS, 3, 8}[seed % 3], seed);
        for (int k = 0; k < MEMBERS; k++)
            assert_same_member(&first, &next, k);
        ifd_arena_close(next.arena);
    }
    for (int k = 0; k < MEMBERS; k++) {
        ifd_study_result a = result_of(&with, k), b = result_of(&first, k);
        assert_int_equal(a.outcome, b.outcome);
        assert_string_equal(a.reason, b.reason);
        assert_near(a.reached, b.reached, 0, "member %d", k);
        assert_true(a.hash == b.hash);
        assert_memory_equal(a.scalar, b.scalar, SCALARS * sizeof *a.scalar);
        failed += b.outcome == IFD_STUDY_FAILED;
    }
    assert_int_equal(failed, failures);
    ifd_arena_close(with.arena);
    ifd_arena_close(first.arena);
}

static int with_motions(void **state);

TEST_WITH(strengths_and_motions, with_motions, folder_close)
{
    put_file("oscillator.yaml", CASE(BILINEAR));
    compare(STUDY(YIELDS MOTIONS, ENERGY), STUDY(YIELDS MOTIONS, ""), 0);
}

TEST_WITH(motions_that_become_too_large, with_motions, folder_close)
{
    static const char *const vary = YIELDS "  scale: {key: ground.scale, list: [0.5e-6, 2e9, 1e-6, 1e9]}\n";
    char with[2000], without[2000];
    put_file("oscillator.yaml", CASE(BILINEAR));
    snprintf(with, sizeof with, STUDY("%s", ENERGY), vary);
    snprintf(without, sizeof without, STUDY("%s", ""), vary);
    compare(with, without, 4);
}

/* A structure that differs in its mass and stiffness has matrices of its own. */
TEST_WITH(masses_and_bouc_wen, with_motions, folder_close)
{
    static const char vary[] = "  mass: {key: model.mass, list: [1 kg, 1.5 kg]}\n"
                               "  beta: {key: model.elements.0.bouc-wen.beta, list: [25, 40]}\n" MOTIONS;
    char with[2000], without[2000];
    put_file("oscillator.yaml", CASE(BOUC_WEN));
    snprintf(with, sizeof with, STUDY("%s", ENERGY), vary);
    snprintf(without, sizeof without, STUDY("%s", ""), vary);
    compare(with, without, 0);
}

/* Different ends, and rows that are not recorded. */
TEST_WITH(ends_and_rows, with_motions, folder_close)
{
    static const char vary[] = "  end: {key: time.end, list: [1 s, 1.995 s]}\n"
                               "  every: {key: time.record-every, list: [1, 7]}\n" MOTIONS;
    char with[2000], without[2000];
    put_file("oscillator.yaml", CASE(""));
    snprintf(with, sizeof with, STUDY("%s", ENERGY), vary);
    snprintf(without, sizeof without, STUDY("%s", ""), vary);
    compare(with, without, 0);
}

/* A value that a case refuses: the member alone is refused, with the reason of its case. */
TEST_WITH(a_refused_value_stays_its_own, with_motions, folder_close)
{
    results r;
    put_file("oscillator.yaml", CASE(BILINEAR));
    open_results(
        &r,
        STUDY("  yield: {key: model.elements.0.bilinear.yield, list: [10 mm, -15 mm, 20 mm, 30 mm]}\n" MOTIONS, ""));
    compute_blocks(&r, MEMBERS, 3);
    for (int k = 0; k < MEMBERS; k++) {
        ifd_study_result a = result_of(&r, k);
        assert_int_equal(a.outcome, a.value[0] < 0 ? IFD_STUDY_REFUSED : IFD_STUDY_COMPLETED);
        if (a.value[0] < 0)
            assert_non_null(strstr(a.reason, "yield"));
    }
    ifd_arena_close(r.arena);
}

enum { MANY = 300 };

static void put_peak(void *self, const void *bytes, size_t length)
{
    double *peak = self;
    ifd__result_head head;
    assert_non_null(bytes);
    assert_true(length > sizeof head);
    memcpy(&head, bytes, sizeof head);
    assert_int_equal(head.outcome, IFD_STUDY_COMPLETED);
    memcpy(&peak[head.number], (const char *)bytes + sizeof head + sizeof(double), sizeof *peak);
}

/* In blocks of the largest size. */
static void many(const char *text, double *peak)
{
    results r;
    double value[IFD__STUDY_BLOCK][IFD_STUDY_VARIABLES];
    open_study(&r, text);
    assert_int_equal(ifd_study_members(r.study), MANY);
    for (int first = 0; first < MANY; first += IFD__STUDY_BLOCK) {
        long number[IFD__STUDY_BLOCK];
        const double *values[IFD__STUDY_BLOCK];
        int count = MANY - first < IFD__STUDY_BLOCK ? MANY - first : IFD__STUDY_BLOCK;
        for (int i = 0; i < count; i++) {
            number[i] = first + i;
            values[i] = value[i];
            assert_true(ifd_study_values(r.study, number[i], value[i]));
        }
        ifd__study_compute_block(r.runner, count, number, values, put_peak, peak);
    }
    ifd_arena_close(r.arena);
}

TEST_WITH(more_set_ups_than_are_kept, with_motions, folder_close)
{
#define RANGE "  yield: {key: model.elements.0.bilinear.yield, range: {from: 10 mm, to: 30 mm, count: 300}}\n"
    double with[MANY], without[MANY];
    put_file("oscillator.yaml", CASE(BILINEAR));
    many(STUDY(RANGE, ENERGY), with);
    many(STUDY(RANGE, ""), without);
    assert_memory_equal(with, without, sizeof with);
    assert_true(with[0] != with[MANY - 1]);
}

static int with_motions(void **state)
{
    int status = folder_open(state);
    unsigned seed = 1;
    for (char name[] = "a.csv"; name[0] <= 'd'; name[0]++) {
        char motion[4000] = "";
        for (int i = 0; i < 90; i++)
            snprintf(motion + strlen(motion), sizeof motion - strlen(motion), "%g,%g\n", 0.02 * i,
                     (double)((seed = seed * 1103515245u + 12345u) >> 16) * 122 - 4e6);
        put_file(name, motion);
    }
    return status;
}

TESTS()
