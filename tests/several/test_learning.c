/* SPDX-License-Identifier: MIT */
/* What is learnt with several rigs: each specimen from its own rig, and not from a measurement that its rig did not
 * send, although the other one did. A continued test keeps it. */
#include <interfield/several.h>

#include "hybrid/case_stand.h"
#include "hybrid/units.h"
#include "hybrid/hybrid.h"
#include "hybrid/update.h"

#define CASE IFD_SOURCE_DIR "/tests/several/copies.yaml"

static bool lose;    /* the measurements of the second rig */
static bool accepts; /* a continued test accepts an unloaded specimen */

static bool sense(ifd_rig *r, ifd_measure *out, double *x)
{
    ifd_measure m = *out;
    bool fresh = ifd_virtual_rig.sense(r, &m, x);
    if (fresh && !lose)
        *out = m;
    return fresh && !lose;
}

/* The same rigs outside the test: they keep their states. */
enum { ROOM = 512 };
static double outside[2][ROOM];
static bool begun[2];

static ifd_status open_outside(ifd_rig *r, int which, ifd_arena *a, ifd_note *n)
{
    ifd_status status = ifd_virtual_rig.open(r, NULL, a, n);
    assert_true(r->size <= ROOM);
    if (!begun[which])
        ifd_virtual_rig.begin(r, outside[which]);
    begun[which] = true;
    r->size = 0;
    return status;
}

#define OUTSIDE(side, which)                                                                                         \
    static ifd_status open_##side(ifd_rig *r, const ifd_value *values, ifd_arena *a, ifd_note *n)                    \
    {                                                                                                                \
        (void)values;                                                                                                \
        return open_outside(r, which, a, n);                                                                         \
    }                                                                                                                \
    static bool sense_##side(ifd_rig *r, ifd_measure *out, double *x)                                                \
    {                                                                                                                \
        (void)x;                                                                                                     \
        return which ? sense(r, out, outside[which]) : ifd_virtual_rig.sense(r, out, outside[which]);                \
    }                                                                                                                \
    static void command_##side(ifd_rig *r, const ifd_command *c, double *x)                                          \
    {                                                                                                                \
        (void)x;                                                                                                     \
        ifd_virtual_rig.command(r, c, outside[which]);                                                               \
    }                                                                                                                \
    static const ifd_rig_ops side = {                                                                                \
        .abi = IFD_RIG_ABI, .name = #side, .open = open_##side, .sense = sense_##side, .command = command_##side};
OUTSIDE(left, 0)
OUTSIDE(right, 1)

typedef struct pair {
    stand s;
    ifd_rig_ops ops;
    ifd_rig_part part[2];
    ifd_several set;
} pair;

/* On the rigs of the case, or on those outside. */
static player *make(pair *p, bool in_this_process)
{
    const ifd_case_source source = {.path = CASE};
    memset(p, 0, sizeof *p);
    p->s.arena = ifd_arena_open();
    ifd_note_init(&p->s.note, p->s.arena);
    assert_int_equal(ifd_case_read_source(p->s.arena, &source, &p->s.c, &p->s.note), IFD_OK);
    ifd_hybrid_options *o = p->s.c->test;
    const ifd_several *set = ifd_several_of(o->rig, o->rig_setup);
    assert_true(set && set->rigs == 2);
    memcpy(p->part, set->rig, sizeof p->part);
    p->ops = *p->part[1].ops;
    p->ops.sense = sense;
    p->part[0].ops = in_this_process ? p->part[0].ops : &left;
    p->part[1].ops = in_this_process ? &p->ops : &right;
    p->set = *set;
    p->set.rig = p->part;
    o->rig_setup = &p->set;
    o->accept_change = accepts;
    lose = false;
    assert_int_equal(stand_begin(&p->s), IFD_OK);
    return &p->s.p;
}

static const ifd__estimate *estimate(const pair *p, int i)
{
    return &((const ifd__updating *)ifd__units_find(p->s.h, &ifd__unit_identify)->own)[i].estimate;
}

static void coefficients(const pair *p, int k, double out[4])
{
    const ifd_compensator *c = p->s.h->interface[k].compensator;
    c->kind->coefficients(c, ifd__compensator_of(p->s.h, k), out);
}

/* Every 37th tick two measurements of the right rig are lost. */
TEST(each_specimen_is_learnt_from_its_own_rig)
{
    pair s;
    double first[4], now[4];
    int losses = 0;
    play(make(&s, true), "until run");
    coefficients(&s, 1, first);
    for (int k = 0; k < 1300; k++) {
        const ifd__estimate before[2] = {*estimate(&s, 0), *estimate(&s, 1)};
        lose = k % 37 < 2;
        player_tick(&s.s.p, IFD_ORDER_NONE);
        losses += lose;
        assert_true(memcmp(&before[0], estimate(&s, 0), sizeof before[0]) != 0);
        assert_true((memcmp(&before[1], estimate(&s, 1), sizeof before[1]) == 0) == lose);
        coefficients(&s, 1, now);
        assert_memory_equal(now, first, sizeof now); /* the filter of 20 Hz forgets a loss after 48 ticks */
    }
    play(&s.s.p, "is run");
    assert_true(losses > 60);
    coefficients(&s, 0, now);
    assert_true(now[1] < 0.5 * first[1]); /* the ideal actuator of the left rig is learnt: 0 */
    /* 2e5/1.6e5 and 1e5/1.2e5 */
    print_message("lower %.4f, upper %.4f\n", estimate(&s, 0)->x[1], estimate(&s, 1)->x[1]);
    assert_near(estimate(&s, 0)->x[1], 1.25, 0.0125, "stiffness of the lower spring");
    assert_near(estimate(&s, 1)->x[1], 1.0 / 1.2, 0.0085, "stiffness of the upper spring");
    unmake(&s.s);
}

static double used(const pair *p, const char *parameter)
{
    int i = ifd_column_find(p->s.channel, p->s.columns, parameter, IFD_COLUMN_IDENTIFIED_IN_USE);
    assert_true(i >= 0);
    return p->s.t.values(p->s.t.self)[i];
}

/* Rigs outside this process, as they were left, or unloaded meanwhile. In the first second of the run the copies have
 * learnt; a hold keeps it, and the next part of the test begins with the same filters and copies. In it the right rig
 * is silent in every 37th tick, also when the state returns. */
TEST(what_was_learnt_is_kept_for_the_next_part)
{
    for (int unloaded = 0; unloaded < 2; unloaded++) {
        pair a, b;
        ifd_snapshot kept;
        begun[0] = begun[1] = false;
        play(make(&a, false), "until time >= 1; hold");
        for (long i = 0; i < 10000 && !ifd_hybrid_snapshot(a.s.h, &kept); i++)
            player_tick(&a.s.p, IFD_ORDER_NONE);
        assert_int_equal(kept.state, IFD_MACHINE_HOLD);
        const ifd__estimate saved[2] = {*estimate(&a, 0), *estimate(&a, 1)};
        const double before[2] = {used(&a, "lower.stiffness"), used(&a, "upper.stiffness")};
        assert_true(before[0] > 1.2 && before[1] < 0.86);
        begun[0] = begun[1] = !unloaded;
        accepts = unloaded;
        make(&b, false);
        accepts = false;
        assert_int_equal(ifd_hybrid_continue(b.s.h, &kept, &b.s.note), IFD_OK);
        for (long k = 0; k < 10000 && ifd_hybrid_state(b.s.h) != IFD_MACHINE_HOLD; k++) {
            lose = ifd_hybrid_state(b.s.h) == IFD_MACHINE_RAMP_IN && k % 37 < 2;
            player_tick(&b.s.p, IFD_ORDER_NONE);
        }
        for (int i = 0; i < 2; i++)
            assert_memory_equal(estimate(&b, i), &saved[i], sizeof saved[i]);
        assert_true(used(&b, "lower.stiffness") == before[0] && used(&b, "upper.stiffness") == before[1]);
        play(&b.s.p, "resume");
        for (int k = 0; k < 2000; k++) {
            lose = k % 37 == 0;
            player_tick(&b.s.p, IFD_ORDER_NONE);
            assert_near(used(&b, "lower.stiffness"), 1.25, 0.0125, "tick %d", k);
            assert_near(used(&b, "upper.stiffness"), 1.0 / 1.2, 0.0085, "tick %d", k);
        }
        play(&b.s.p, "fault NONE");
        ifd_hybrid_give_back(a.s.h);
        unmake(&a.s);
        unmake(&b.s);
    }
}

TESTS()
