/* SPDX-License-Identifier: MIT */
/* The queue with 1,000 ranks whose members take random times: simulated, with the queue that a study uses. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include <interfield/study.h>

#include "files.h"
#include "statistics/distribution.h"
#include "study/counter.h"
#include "study/result.h"

enum { RANKS = 1000, MEMBERS = 100000 };

/* One rank: when it is ready, and the member that it computes. */
typedef struct rank {
    double ready; /* s */
    long number;  /* -1: none */
} rank;

static ifd_study *study_of(ifd_arena *arena, ifd_note *note)
{
    ifd_study *s;
    put_file("large.yaml",
             "case: oscillator.yaml\n"
             "vary: {yield: {key: model.elements.0.bilinear.yield, uniform: {from: 10 mm, to: 30 mm}}}\n"
             "sample: {method: monte-carlo, members: 100000, seed: 1}\n"
             "keep: {peak: {peak: x displacement}}\n");
    assert_int_equal(ifd_study_read(arena, in("large.yaml"), NULL, &s, note), IFD_OK);
    assert_int_equal(ifd_study_members(s), MEMBERS);
    return s;
}

/* s: lognormal with median 10 s and dispersion 0.6. */
static double time_of(long number)
{
    double u = ifd__counter_unit(77, IFD__FOR_PAIRING, (uint64_t)number, 0);
    return 10.0 * exp(0.6 * ifd__normal_quantile(u));
}

static int earliest(const rank *r)
{
    int best = 0;
    for (int i = 1; i < RANKS; i++)
        if (r[i].ready < r[best].ready)
            best = i;
    return best;
}

/* One master serves one request at a time, 20 us each. Returns the time of the last result, in s. */
static double simulate(ifd_study_store *store, const ifd_study *s, ifd_study_runner *runner, ifd_note *note)
{
    static rank r[RANKS];
    const double service = 20e-6;
    double master = 0, last = 0, value[IFD_STUDY_VARIABLES];
    (void)s;
    for (int i = 0; i < RANKS; i++)
        r[i] = (rank){0, -1};
    for (;;) {
        rank *k = &r[earliest(r)];
        if (!isfinite(k->ready))
            return last;
        master = fmax(master, k->ready) + service;
        if (k->number >= 0) {
            size_t length;
            double none[IFD_STUDY_VARIABLES] = {0};
            const void *bytes = ifd_study_crashed(runner, k->number, none, "simulated", &length);
            assert_int_equal(ifd_study_put(store, bytes, length, note), IFD_OK);
            last = fmax(last, master);
        }
        long number;
        ifd_study_queue q = ifd_study_next(store, value, &number);
        k->number = q == IFD_STUDY_MEMBER ? number : -1;
        k->ready = q == IFD_STUDY_MEMBER ? master + time_of(number) : (double)INFINITY;
    }
}

/* No order is better than the mean load of a rank, nor than the longest member; a queue is at most one member
 * above the first (Graham, 1966). */
static void a_thousand_ranks_are_busy(void **state)
{
    (void)state;
    ifd_arena *arena = ifd_arena_open();
    ifd_note note;
    ifd_study_store *store;
    ifd_study_runner *runner;
    ifd_note_init(&note, arena);
    ifd_study *s = study_of(arena, &note);
    assert_int_equal(ifd_study_store_open(arena, s, in("large"), NULL, &store, &note), IFD_OK);
    assert_int_equal(ifd_study_runner_open(arena, s, &runner), IFD_OK);
    double all = 0, longest = 0;
    for (long i = 0; i < MEMBERS; i++) {
        all += time_of(i);
        longest = fmax(longest, time_of(i));
    }
    double end = simulate(store, s, runner, &note), efficiency = all / (RANKS * end);
    print_message("%d members on %d ranks: %.1f s, mean load %.1f s, longest member %.1f s, efficiency %.3f\n",
                  MEMBERS, RANKS, end, all / RANKS, longest, efficiency);
    assert_int_equal(ifd_study_count(store), MEMBERS);
    assert_true(end <= all / RANKS + longest + 1.0);
    assert_true(efficiency > 0.9);
    ifd_arena_close(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_thousand_ranks_are_busy, folder_open, folder_close)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
