/* SPDX-License-Identifier: MIT */
/* The queue with 1,000 workers whose members take random times: ifd_study_deal, as the programs use it, with a
 * carrier that only moves a clock (a discrete-event simulation). */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include <interfield/study_carrier.h>

#include "files.h"
#include "statistics/statistics.h"
#include "study/sampling.h"
#include "study/study.h"

enum { RANKS = 1000, MEMBERS = 100000, MOST = 8 };

typedef struct rank {
    long number[MOST]; /* of its members, the present one first */
    int members;
    double free;   /* s, end of its last computation */
    double ending; /* s, it dies; INFINITY: never */
    bool told;     /* its end was reported */
} rank;

/* A heap of the instants at which a rank has news. */
typedef struct event {
    double time;
    int rank;
} event;

typedef struct simulation {
    ifd_study_runner *runner;
    const ifd_study *study;
    double median; /* s */
    double now, last, busy;
    rank rank[RANKS];
    event heap[2 * RANKS + 1];
    int events;
    long most_waiting; /* members at one rank */
} simulation;

/* s: lognormal with dispersion 0.6. */
static double time_of(const simulation *m, long number)
{
    double u = ifd__counter_unit(77, IFD__FOR_PAIRING, (uint64_t)number, 0);
    return m->median * exp(0.6 * ifd__normal_quantile(u));
}

static void push(simulation *m, double time, int which)
{
    int at = m->events++;
    assert_true(m->events <= 2 * RANKS);
    for (; at > 0 && m->heap[(at - 1) / 2].time > time; at = (at - 1) / 2)
        m->heap[at] = m->heap[(at - 1) / 2];
    m->heap[at] = (event){time, which};
}

static event pop(simulation *m)
{
    event first = m->heap[0], moved = m->heap[--m->events];
    int at = 0;
    for (int next = 1; next < m->events; at = next, next = 2 * at + 1) {
        next += next + 1 < m->events && m->heap[next + 1].time < m->heap[next].time;
        if (m->heap[next].time >= moved.time)
            break;
        m->heap[at] = m->heap[next];
    }
    m->heap[at] = moved;
    return first;
}

/* The present member of a rank ends, or the rank does. */
static void go_on(simulation *m, int which)
{
    rank *r = &m->rank[which];
    r->free = fmax(r->free, m->now) + time_of(m, r->number[0]);
    if (r->free < r->ending)
        push(m, r->free, which);
}

static void simulated_send(void *self, int which, const void *bytes, size_t length)
{
    const double service = 10e-6; /* s, of the process that deals */
    simulation *m = self;
    rank *r = &m->rank[which];
    int variables;
    ifd_study_variables(m->study, &variables);
    size_t size = sizeof(int64_t) + (size_t)variables * sizeof(double);
    bool idle = r->members == 0;
    m->now += service;
    assert_int_equal(length % size, 0);
    for (size_t at = 0; at < length; at += size) {
        int64_t number;
        memcpy(&number, (const char *)bytes + at, sizeof number);
        assert_true(r->members < MOST);
        r->number[r->members++] = (long)number;
    }
    m->most_waiting = r->members > m->most_waiting ? r->members : m->most_waiting;
    if (idle)
        go_on(m, which);
}

static ifd_status simulated_hear(void *self, double wait, ifd_study_news *out, ifd_note *note)
{
    const double service = 10e-6;
    simulation *m = self;
    double none[IFD_STUDY_VARIABLES] = {0};
    (void)wait, (void)note;
    assert_true(m->events > 0);
    event e = pop(m);
    rank *r = &m->rank[e.rank];
    m->now = fmax(m->now, e.time) + service;
    if (e.time >= r->ending) {
        *out = (ifd_study_news){.what = IFD_STUDY_GONE, .worker = e.rank};
        return IFD_OK;
    }
    ifd__result_head head;
    char *bytes = (char *)ifd_study_crashed(m->runner, r->number[0], none, "simulated", &out->length);
    memcpy(&head, bytes, sizeof head);
    head.duration = time_of(m, r->number[0]);
    memcpy(bytes, &head, sizeof head);
    m->busy += head.duration;
    m->last = m->now;
    memmove(r->number, r->number + 1, (size_t)--r->members * sizeof *r->number);
    if (r->members)
        go_on(m, e.rank);
    *out = (ifd_study_news){.what = IFD_STUDY_RESULT, .worker = e.rank, .bytes = bytes, .length = out->length};
    return IFD_OK;
}

/* The study in a new folder, with this many members. */
static ifd_study_store *store_of(ifd_arena *arena, simulation *m, long members, const char *folder, ifd_note *note)
{
    char text[400];
    ifd_study *s;
    ifd_study_store *store;
    snprintf(text, sizeof text,
             "case: oscillator.yaml\n"
             "vary: {yield: {key: model.elements.0.bilinear.yield, uniform: {from: 10 mm, to: 30 mm}}}\n"
             "sample: {method: monte-carlo, members: %ld, seed: 1}\n"
             "keep: {peak: {peak: x displacement}}\n",
             members);
    put_file("large.yaml", text);
    assert_int_equal(ifd_study_read(arena, in("large.yaml"), NULL, &s, note), IFD_OK);
    assert_int_equal(ifd_study_store_open(arena, s, in(folder), NULL, &store, note), IFD_OK);
    assert_int_equal(ifd_study_runner_open(arena, s, &m->runner), IFD_OK);
    m->study = s;
    return store;
}

/* Deals all members, and returns the efficiency: computing time over the time of all ranks. dying: every so many-th
 * rank ends, at a random instant of the first half. */
static double deal(long members, double median, int dying, const char *folder)
{
    static simulation m;
    ifd_arena *arena = ifd_arena_open();
    ifd_note note;
    ifd_note_init(&note, arena);
    m = (simulation){.median = median};
    ifd_study_store *store = store_of(arena, &m, members, folder, &note);
    double all = 0, longest = 0;
    for (long i = 0; i < members; i++) {
        all += time_of(&m, i);
        longest = fmax(longest, time_of(&m, i));
    }
    for (int i = 0; i < RANKS; i++) {
        bool dies = dying && i % dying == 0;
        double u = ifd__counter_unit(78, IFD__FOR_PAIRING, (uint64_t)i, 0);
        m.rank[i].ending = dies ? 0.5 * u * all / RANKS : (double)INFINITY;
        if (dies)
            push(&m, m.rank[i].ending, i);
    }
    const ifd_study_carrier c = {&m, RANKS, simulated_send, simulated_hear};
    assert_int_equal(ifd_study_deal(store, &c, NULL, &note), IFD_OK);
    assert_int_equal(ifd_study_count(store), members);
    double efficiency = all / (RANKS * m.last);
    print_message(
        "%ld members of %.3g s on %d ranks, %d of them end: %.4g s; mean load %.4g s, longest member %.4g s, "
        "at most %ld at a rank, efficiency %.3f\n",
        members, median, RANKS, dying ? (RANKS + dying - 1) / dying : 0, m.last, all / RANKS, longest, m.most_waiting,
        efficiency);
    if (!dying) /* no queue that hands out singly is more than the longest member above the mean (Graham, 1966) */
        assert_true(m.last <= all / RANKS + (double)m.most_waiting * longest + 20e-6 * (double)(2 * members));
    ifd_arena_close(arena);
    return efficiency;
}

TEST_WITH(a_thousand_ranks_are_busy, folder_open, folder_close)
{
    assert_true(deal(MEMBERS, 10.0, 0, "long") > 0.95);
}

/* Members of unknown duration are not collected at the first ranks. */
TEST_WITH(as_many_ranks_as_members_compute_at_once, folder_open, folder_close)
{
    double longest = 0;
    simulation m = {.median = 10.0};
    for (long i = 0; i < RANKS; i++)
        longest = fmax(longest, time_of(&m, i));
    double all = 0;
    for (long i = 0; i < RANKS; i++)
        all += time_of(&m, i);
    assert_near_rel(deal(RANKS, 10.0, 0, "few"), all / (RANKS * longest), 0.01, "efficiency");
}

/* A tenth of the ranks die: every member is computed. */
TEST_WITH(ranks_that_die_cost_their_members_only, folder_open, folder_close)
{
    assert_true(deal(20000, 10.0, 10, "dying") > 0.85 * 0.9);
}

/* One process that deals serves 1,000 ranks if a member takes more than 1,000 times its service. */
TEST_WITH(short_members_are_limited_by_the_dealer, folder_open, folder_close)
{
    assert_true(deal(20000, 0.05, 0, "short") > 0.7);
}

TESTS()
