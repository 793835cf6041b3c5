/* SPDX-License-Identifier: MIT */
/* The engine: members, workers, kills at random instants, shards, plans with several steps. */
#include "check.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <interfield/case.h>
#include <interfield/study.h>

#include "files.h"
#include "study/study.h"

enum { MEMBERS = 24 };

/* Computes the study into folder/name with an arena of its own; the number of results. */
static long compute(const char *name, const ifd_study_options *o, const ifd_study_shard *shard)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_note note;
    ifd_study *s;
    ifd_study_store *store;
    ifd_note_init(&note, arena);
    assert_int_equal(ifd_study_read(arena, in("study.yaml"), NULL, &s, &note), IFD_OK);
    assert_int_equal(ifd_study_store_open(arena, s, in(name), shard, &store, &note), IFD_OK);
    ifd_status status = ifd_study_run(store, o, &note);
    assert_true(status == IFD_OK || status == IFD_INTERRUPTED);
    assert_int_equal(ifd_study_store_finish(store, &note), IFD_OK);
    long count = ifd_study_count(store);
    ifd_arena_close(arena);
    return count;
}

static bool same_results(const char *a, const char *b)
{
    char x[64], y[64];
    snprintf(x, sizeof x, "%s/study.h5", a);
    snprintf(y, sizeof y, "%s/study.h5", b);
    bool same = same_files(in(x), in(y));
    snprintf(x, sizeof x, "%s/study.csv", a);
    snprintf(y, sizeof y, "%s/study.csv", b);
    return same && same_files(in(x), in(y));
}

TEST_WITH(results_do_not_depend_on_the_number_of_processes, folder_open, folder_close)
{
    assert_int_equal(compute("one", &(ifd_study_options){.jobs = 1}, NULL), MEMBERS);
    assert_int_equal(compute("three", &(ifd_study_options){.jobs = 3}, NULL), MEMBERS);
    assert_true(same_results("one", "three"));
}

/* The peak, the end and the energy of an ordinary run of the case that a member writes. */
TEST_WITH(a_member_written_out_gives_the_same_bits, folder_open, folder_close)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_note note;
    ifd_study *s;
    ifd_study_runner *runner;
    double value[IFD_STUDY_VARIABLES];
    ifd_note_init(&note, arena);
    assert_int_equal(ifd_study_read(arena, in("study.yaml"), NULL, &s, &note), IFD_OK);
    assert_int_equal(ifd_study_members(s), MEMBERS);
    assert_int_equal(ifd_study_runner_open(arena, s, &runner), IFD_OK);
    for (long number = 0; number < MEMBERS; number += 7) {
        size_t length;
        ifd_case *c;
        ifd_run *run;
        int columns;
        assert_true(ifd_study_values(s, number, value));
        const char *bytes = ifd_study_compute(runner, number, value, &length), *series;
        ifd_study_result r;
        assert_true(ifd__result_unpack(arena, s, bytes, length, &r, &series));
        assert_int_equal(r.outcome, IFD_STUDY_COMPLETED);
        put_file("member.yaml", ifd_study_case(arena, s, number, value, in("member.yaml")));
        assert_int_equal(ifd_case_read(arena, in("member.yaml"), 0, NULL, &c, &note), IFD_OK);
        assert_int_equal(ifd_run_make(arena, &c->run, &run, &note), IFD_OK);
        const ifd_column *column = ifd_run_columns(run, &columns);
        int x = ifd_column_find(column, columns, "x", IFD_COLUMN_DISPLACEMENT),
            e = ifd_column_find(column, columns, "", IFD_COLUMN_ENERGY_DISSIPATED);
        double peak = fabs(ifd_run_values(run)[x]);
        while (ifd_run_tick(run) == IFD_RUN_GOING)
            peak = fmax(peak, fabs(ifd_run_values(run)[x]));
        peak = fmax(peak, fabs(ifd_run_values(run)[x]));
        assert_true(peak == r.scalar[0]);
        assert_true(ifd_run_values(run)[e] == r.scalar[2]);
        ifd_run_close(run);
    }
    ifd_arena_close(arena);
}

/* A process that computes the study, killed after a random time; then the study continues. */
TEST_WITH(a_killed_study_continues_with_the_same_bits, folder_open, folder_close)
{
    compute("whole", NULL, NULL);
    int cut = 0;
    for (unsigned k = 0; k < (BRIEF ? 6 : 20); k++) {
        char name[32];
        snprintf(name, sizeof name, "killed-%u", k);
        pid_t child = fork();
        if (child == 0) {
            compute(name, &(ifd_study_options){.jobs = 2}, NULL);
            _exit(0);
        }
        usleep(1000 * (k * 7 % 60) + 137 * k);
        kill(child, SIGKILL);
        int ended;
        assert_int_equal(waitpid(child, &ended, 0), child);
        cut += WIFSIGNALED(ended);
        assert_int_equal(compute(name, NULL, NULL), MEMBERS);
        assert_true(same_results("whole", name));
    }
    print_message("%d of the processes were killed before their end\n", cut);
}

static bool stop_after_five(void *self, const ifd_study_store *store)
{
    (void)self;
    return ifd_study_count(store) >= 5;
}

TEST_WITH(a_stopped_study_repeats_nothing, folder_open, folder_close)
{
    compute("whole", NULL, NULL);
    long before = compute("stopped", &(ifd_study_options){.jobs = 1, .watch = stop_after_five}, NULL);
    assert_true(before >= 5 && before < MEMBERS);
    ifd_arena *arena = ifd_arena_open();
    ifd_note note;
    ifd_study_state s;
    ifd_note_init(&note, arena);
    assert_int_equal(ifd_study_status(arena, in("stopped"), &s, &note), IFD_OK);
    assert_int_equal(s.finished, before);
    assert_int_equal(s.expected, MEMBERS);
    ifd_arena_close(arena);
    assert_int_equal(compute("stopped", NULL, NULL), MEMBERS);
    assert_true(same_results("whole", "stopped"));
}

/* A process of this one, or 0. */
static pid_t any_child(void)
{
    char path[64];
    int child = 0;
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)getpid(), (int)getpid());
    FILE *f = fopen(path, "re");
    if (f) {
        if (fscanf(f, "%d", &child) != 1)
            child = 0;
        fclose(f);
    }
    return child;
}

static bool kill_one(void *self, const ifd_study_store *store)
{
    bool *killed = self;
    (void)store;
    if (!*killed && any_child() > 0)
        *killed = kill(any_child(), SIGKILL) == 0;
    return false;
}

TEST_WITH(a_worker_that_ends_costs_one_member_and_it_is_computed_again, folder_open, folder_close)
{
    bool killed = false;
    compute("whole", NULL, NULL);
    assert_int_equal(compute("hurt", &(ifd_study_options){.jobs = 2, .self = &killed, .watch = kill_one}, NULL),
                     MEMBERS);
    assert_true(killed);
    ifd_arena *arena = ifd_arena_open();
    ifd_note note;
    ifd_study_state s;
    ifd_note_init(&note, arena);
    assert_int_equal(ifd_study_status(arena, in("hurt"), &s, &note), IFD_OK);
    print_message("%ld crashed, %ld completed\n", s.outcome[IFD_STUDY_CRASHED], s.outcome[IFD_STUDY_COMPLETED]);
    assert_true(s.outcome[IFD_STUDY_CRASHED] <= 1);
    assert_int_equal(s.outcome[IFD_STUDY_CRASHED] + s.outcome[IFD_STUDY_COMPLETED], MEMBERS);
    ifd_arena_close(arena);
    assert_int_equal(compute("hurt", NULL, NULL), MEMBERS);
    assert_true(same_results("whole", "hurt"));
}

TEST_WITH(shards_merge_in_any_order, folder_open, folder_close)
{
    static const int order[3][3] = {{0, 1, 2}, {2, 0, 1}, {1, 2, 0}};
    char path[3][300];
    long sum = 0;
    compute("whole", NULL, NULL);
    for (int i = 0; i < 3; i++) {
        char name[32];
        snprintf(name, sizeof name, "shard-%d", i);
        sum += compute(name, NULL, &(ifd_study_shard){i + 1, 3});
        snprintf(path[i], sizeof path[i], "%s", in(name));
    }
    assert_int_equal(sum, MEMBERS);
    for (int k = 0; k < 3; k++) {
        ifd_arena *arena = ifd_arena_open();
        ifd_note note;
        char name[32];
        const char *const from[3] = {path[order[k][0]], path[order[k][1]], path[order[k][2]]};
        ifd_note_init(&note, arena);
        snprintf(name, sizeof name, "merged-%d", k);
        assert_int_equal(ifd_study_merge(arena, 3, from, in(name), &note), IFD_OK);
        ifd_arena_close(arena);
        assert_true(same_results("whole", name));
    }
    assert_true(same_files(in("merged-0/study.journal"), in("merged-2/study.journal")));
}

/* A search: doubles the amplitude until the peak exceeds 0.2 m. Three chains, one per value of the list. */
static bool search(void *self, long chain, int step, const ifd_study_result *const *earlier, double *value)
{
    (void)self;
    if (step && earlier[step - 1]->scalar[0] > 0.2)
        return false;
    value[0] = 0.5 * (double)(chain + 1) * (double)(1 << step);
    value[1] = 1.0;
    value[2] = 0.02;
    return true;
}

TEST_WITH(a_plan_may_depend_on_earlier_results, folder_open, folder_close)
{
    const ifd_study_plan plan = {.chains = 3, .width = 1, .steps = 12, .next = search};
    static const char *const folders[2] = {"search-1", "search-2"};
    for (int k = 0; k < 2; k++) {
        ifd_arena *arena = ifd_arena_open();
        ifd_note note;
        ifd_study *s;
        ifd_study_store *store;
        ifd_note_init(&note, arena);
        assert_int_equal(ifd_study_read(arena, in("study.yaml"), NULL, &s, &note), IFD_OK);
        s->plan = &plan;
        for (int part = k; part >= 0; part--) { /* the second one is stopped and continued */
            assert_int_equal(ifd_study_store_open(arena, s, in(folders[k]), NULL, &store, &note), IFD_OK);
            ifd_study_options o = {.jobs = 2, .watch = part ? stop_after_five : NULL};
            (void)ifd_study_run(store, &o, &note);
            assert_int_equal(ifd_study_store_finish(store, &note), IFD_OK);
            if (part)
                ifd_study_store_close(store);
        }
        long count = ifd_study_count(store);
        assert_true(count > 6);
        for (long i = 0; i < count; i++) {
            const ifd_study_result *r = ifd_study_at(store, i);
            assert_near(r->value[0], 0.5 * (double)(r->number % 3 + 1) * (double)(1 << r->number / 3), 0,
                        "member %ld", r->number);
        }
        ifd_arena_close(arena);
    }
    assert_true(same_results("search-1", "search-2"));
}

TEST_WITH(a_changed_study_is_not_continued, folder_open, folder_close)
{
    compute("first", NULL, NULL);
    put_file("oscillator.yaml", "# other\n");
    FILE *f = fopen(in("oscillator.yaml"), "ae");
    fputs(oscillator, f);
    fclose(f);
    ifd_arena *arena = ifd_arena_open();
    ifd_note note;
    ifd_study *s;
    ifd_study_store *store;
    ifd_note_init(&note, arena);
    assert_int_equal(ifd_study_read(arena, in("study.yaml"), NULL, &s, &note), IFD_OK);
    assert_int_equal(ifd_study_store_open(arena, s, in("first"), NULL, &store, &note), IFD_CONFLICT);
    ifd_arena_close(arena);
}

TESTS()
