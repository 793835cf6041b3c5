/* SPDX-License-Identifier: MIT */
/* Members of a study with `ensemble`: those that share their matrices are stepped together (run/ensemble.h,
 * hybrid/ensemble.h). Every member has its own run or test, record and outcome, and the same bits alone. */
#include <string.h>

#include "algebra/factors.h"
#include "algebra/lanes.h"
#include "base/os_linux.h"
#include "hybrid/ensemble.h"
#include "run/ensemble.h"
#include "study/member.h"

enum { L = IFD__LANES };

typedef struct block {
    ifd_arena *arena;
    int count;
    ifd__computing member[IFD__STUDY_BLOCK];
    ifd_status status[IFD__STUDY_BLOCK];
    ifd_run *run[IFD__STUDY_BLOCK];
    ifd_hybrid *test[IFD__STUDY_BLOCK];
    bool shared[IFD__STUDY_BLOCK]; /* the run is a copy of a kept set-up, with this ground motion */
    ifd__run_motion ground[IFD__STUDY_BLOCK];
} block;

/* Members that are stepped together: which[l] is that of lane l, -1 for idle lanes. */
typedef struct group {
    int which[L];
} group;

static bool refused(block *b, int k, const char *why)
{
    if (why)
        b->status[k] =
            ifd_note_add(&b->member[k].note, IFD_UNSUPPORTED, NULL, "not possible with 'ensemble': %s", why);
    return why != NULL;
}

/* The run or test of a member, or the reason why there is none. */
static void prepare(block *b, int k)
{
    ifd__computing *m = &b->member[k];
    b->shared[k] = ifd__setups_share(m->runner->setups, m, &b->run[k], &b->ground[k]);
    if (b->shared[k])
        return;
    b->run[k] = NULL;
    b->ground[k].values = NULL;
    b->status[k] = ifd__computing_read(m);
    if (b->status[k] != IFD_OK)
        return;
    if (m->runner->study->test) {
        b->status[k] = ifd__computing_make_test(m, &b->test[k]);
        (void)(b->status[k] == IFD_OK && refused(b, k, ifd__hybrid_refuses(b->test[k])));
    } else {
        b->status[k] = ifd__computing_make_run(m, &b->run[k]);
        (void)(b->status[k] == IFD_OK && refused(b, k, ifd__run_refuses(b->run[k])));
    }
}

/* The first member that is not done, and others that may be with it. False: all are done. */
static bool next_group(const block *b, bool (*joins)(const block *b, int i, int k), bool *done, group *g)
{
    int lanes = 0, first = -1;
    for (int k = 0; k < b->count && lanes < L; k++) {
        if (done[k] || b->status[k] != IFD_OK || (first >= 0 && !joins(b, first, k)))
            continue;
        first = first < 0 ? k : first;
        done[k] = true;
        g->which[lanes++] = k;
    }
    while (lanes < L)
        g->which[lanes++] = -1;
    return first >= 0;
}

static void all_fail(block *b, const group *g, ifd_status status)
{
    for (int l = 0; l < L && status != IFD_OK; l++)
        if (g->which[l] >= 0)
            b->status[g->which[l]] = status;
}

static ifd_status make_ensemble(block *b, const group *g, ifd_run *const *run, ifd__run_ensemble **out)
{
    ifd_run *lane[L] = {NULL};
    for (int l = 0; l < L; l++)
        lane[l] = g->which[l] >= 0 ? run[g->which[l]] : NULL;
    ifd_status status = ifd__run_ensemble_make(b->arena, lane, out, &b->member[g->which[0]].note);
    all_fail(b, g, status);
    return status;
}

/* Steps runs to their ends; row keeps what they record. */
static void step_runs(block *b, const group *g, ifd_run *const *run, void (*row)(block *b, int k))
{
    ifd__run_ensemble *e;
    ifd_run_state state[L];
    ifd_status status = make_ensemble(b, g, run, &e);
    for (bool going = status == IFD_OK; going; going = ifd__run_ensemble_tick(e, state))
        for (int l = 0; l < L; l++)
            if (g->which[l] >= 0)
                row(b, g->which[l]);
}

static void member_row(block *b, int k)
{
    if (!ifd__computing_row(&b->member[k], b->run[k]))
        b->status[k] = IFD_NO_MEMORY;
}

typedef struct swept {
    block *b;
    const group *g;
} swept;

static void swept_row(void *self, int lane, double time, const double *values)
{
    const swept *s = self;
    int k = s->g->which[lane];
    if (!ifd__watch_row(&s->b->member[k].watch, time, values))
        s->b->status[k] = IFD_NO_MEMORY;
}

static void swept_piece(void *self, int lane, const ifd__swept *piece)
{
    const swept *s = self;
    ifd__watch_piece(&s->b->member[s->g->which[lane]].watch, piece);
}

/* What a sweep of a group needs; false: not all of its runs can be swept. */
static bool ask_sweep(block *b, swept *self, ifd__sweep *s)
{
    bool pieces = b->member[self->g->which[0]].runner->study->histories == 0;
    *s = (ifd__sweep){.self = self, .row = swept_row, .piece = pieces ? swept_piece : NULL};
    for (int l = 0; l < L; l++) {
        int k = self->g->which[l];
        if (k < 0)
            continue;
        s->ground[l] = b->ground[k];
        s->columns[l] = ifd__watch_columns(&b->member[k].watch, b->arena, &s->column[l]);
        if (s->columns[l] < 0 || !ifd__run_sweeps(b->run[k], s->columns[l], s->column[l]))
            return false;
    }
    return true;
}

/* Runs of one or two groups of which only motions are kept; false: others are among them. */
static bool sweep_runs(block *b, const group *g, int count)
{
    swept self[2];
    ifd__sweep s[2];
    ifd__run_ensemble *e[2];
    bool made = true;
    for (int i = 0; i < count; i++) {
        self[i] = (swept){b, &g[i]};
        if (!ask_sweep(b, &self[i], &s[i]))
            return false;
    }
    for (int i = 0; i < count; i++)
        made = make_ensemble(b, &g[i], b->run, &e[i]) == IFD_OK && made;
    ifd_status status = made ? ifd__run_ensemble_sweep(e, count, b->arena, s) : IFD_NO_MEMORY;
    for (int i = 0; i < count; i++)
        all_fail(b, &g[i], status);
    return true;
}

static bool runs_join(const block *b, int i, int k)
{
    return ifd__run_joins(b->run[i], b->run[k]);
}

/* One group, or two of structures with one dof that share their matrices. */
static int next_groups(const block *b, bool *done, group *g)
{
    bool before[IFD__STUDY_BLOCK];
    if (!next_group(b, runs_join, done, &g[0]))
        return 0;
    memcpy(before, done, sizeof before);
    int first = g[0].which[0];
    if (ifd__run_single(b->run[first]) && next_group(b, runs_join, done, &g[1])) {
        if (runs_join(b, first, g[1].which[0]))
            return 2;
        memcpy(done, before, sizeof before);
    }
    return 1;
}

static void compute_runs(block *b)
{
    bool done[IFD__STUDY_BLOCK] = {false};
    group g[2];
    for (int count; (count = next_groups(b, done, g)) > 0;) {
        bool over = sweep_runs(b, g, count);
        for (int i = 0; i < count && !over; i++)
            step_runs(b, &g[i], b->run, member_row);
    }
    for (int k = 0; k < b->count; k++)
        if (b->status[k] == IFD_OK)
            ifd__computing_finish_run(&b->member[k], b->run[k]);
}

static void ideal_row(block *b, int k)
{
    ifd__ideal_run_row(&b->member[k].ideal);
}

static bool ideals_join(const block *b, int i, int k)
{
    return ifd__run_joins(b->member[i].ideal.run, b->member[k].ideal.run);
}

/* Members without an ideal run, and those whose ideal run is computed one at a time, are done. */
static void compute_ideals(block *b)
{
    bool done[IFD__STUDY_BLOCK] = {false};
    ifd_run *run[IFD__STUDY_BLOCK] = {NULL};
    for (int k = 0; k < b->count; k++) {
        run[k] = b->member[k].ideal.run;
        done[k] = !run[k] || b->status[k] != IFD_OK || ifd__run_refuses(run[k]) != NULL;
        if (done[k] && run[k] && b->status[k] == IFD_OK)
            ifd__ideal_run_compute(&b->member[k].ideal);
    }
    for (group g; next_group(b, ideals_join, done, &g);)
        step_runs(b, &g, run, ideal_row);
    for (int k = 0; k < b->count; k++)
        if (run[k] && b->status[k] == IFD_OK)
            b->status[k] = ifd__ideal_run_end(&b->member[k].ideal, &b->member[k].note);
}

/* One tick of every test that continues; nobody resumes a hold. */
static bool tick_tests(block *b, const group *g, ifd__hybrid_ensemble *e, bool *going)
{
    ifd_tick_in in[L] = {{0}};
    const ifd_tick_in *given[L] = {NULL};
    ifd_run_state state[L];
    bool any = false;
    for (int l = 0; l < L; l++) {
        if (!going[l])
            continue;
        ifd_ticked t = ifd_hybrid_ticked(b->test[g->which[l]]);
        in[l].order = t.wish ? t.wish(t.self) : IFD_ORDER_NONE;
        given[l] = &in[l];
    }
    ifd__hybrid_ensemble_tick(e, given, state);
    for (int l = 0; l < L; l++) {
        if (!going[l])
            continue;
        int k = g->which[l];
        if (!ifd__computing_test_row(&b->member[k], b->test[k]))
            b->status[k] = IFD_NO_MEMORY;
        going[l] =
            state[l] == IFD_RUN_GOING && b->status[k] == IFD_OK && ifd_hybrid_state(b->test[k]) != IFD_MACHINE_HOLD;
        any = any || going[l];
    }
    return any;
}

static bool tests_join(const block *b, int i, int k)
{
    return ifd__hybrid_joins(b->test[i], b->test[k]);
}

static void compute_tests(block *b)
{
    bool done[IFD__STUDY_BLOCK] = {false};
    compute_ideals(b);
    for (group g; next_group(b, tests_join, done, &g);) {
        ifd__hybrid_ensemble *e;
        ifd_hybrid *lane[L] = {NULL};
        bool going[L] = {false};
        for (int l = 0; l < L; l++) {
            going[l] = g.which[l] >= 0;
            lane[l] = going[l] ? b->test[g.which[l]] : NULL;
        }
        ifd_status status = ifd__hybrid_ensemble_make(b->arena, lane, &e, &b->member[g.which[0]].note);
        all_fail(b, &g, status);
        for (bool any = status == IFD_OK; any;)
            any = tick_tests(b, &g, e, going);
    }
    for (int k = 0; k < b->count; k++)
        if (b->status[k] == IFD_OK)
            ifd__computing_finish_test(&b->member[k], b->test[k]);
}

/* One arena for all, so that equal matrices are factored once. */
static bool begin(block *b, ifd_study_runner *r, const long *number, const double *const *value)
{
    b->arena = ifd_arena_open();
    bool good = b->arena && ifd__factors_make(b->arena);
    for (int k = 0; k < b->count && good; k++)
        good = ifd__computing_begin(&b->member[k], r, b->arena, number[k], value[k]);
    return good;
}

static void end(block *b, int k)
{
    if (b->run[k] && !b->shared[k])
        ifd_run_close(b->run[k]);
    if (b->test[k])
        ifd_hybrid_close(b->test[k]);
}

void ifd__study_compute_block(ifd_study_runner *r, int count, const long *number, const double *const *value,
                              void (*put)(void *self, const void *bytes, size_t length), void *self)
{
    block b = {.count = count};
    ifd__setups_turn(r->setups);
    bool good = begin(&b, r, number, value);
    for (int k = 0; k < count && good; k++)
        prepare(&b, k);
    if (good)
        (r->study->test ? compute_tests : compute_runs)(&b);
    int64_t now = ifd__clock_now(), each = good ? (now - b.member[0].began) / count : 0;
    for (int k = 0; k < count; k++) {
        size_t length = 0;
        b.member[k].began = now - each; /* the share of one member */
        const void *bytes = good ? ifd__computing_end(&b.member[k], b.status[k], &length) : NULL;
        put(self, bytes, length);
        end(&b, k);
    }
    ifd_arena_close(b.arena);
}
