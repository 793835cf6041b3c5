/* SPDX-License-Identifier: MIT */
/* What is learnt with several rigs: each specimen from its own rig, and not from a measurement that its rig did not
 * send, although the other one did. A continued test keeps it. */
#include "check.h"
#include "fixture.h"

#include <string.h>

#include <interfield/case.h>
#include <interfield/several.h>
#include <interfield/virtual.h>

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

typedef struct stand {
    ifd_hybrid *h;
    ifd_ticked t;
    ifd_rig_ops ops;
    ifd_rig_part part[2];
    ifd_several set;
} stand;

static void make(stand *s, bool in_this_process)
{
    ifd_case *c;
    assert_int_equal(ifd_case_read(arena, CASE, 0, NULL, &c, &note), IFD_OK);
    ifd_hybrid_options o = *c->test;
    const ifd_several *set = ifd_several_of(o.rig, o.rig_setup);
    assert_true(set && set->rigs == 2);
    memcpy(s->part, set->rig, sizeof s->part);
    s->ops = *s->part[1].ops;
    s->ops.sense = sense;
    s->part[0].ops = in_this_process ? s->part[0].ops : &left;
    s->part[1].ops = in_this_process ? &s->ops : &right;
    s->set = *set;
    s->set.rig = s->part;
    o.rig_setup = &s->set;
    o.accept_change = accepts;
    lose = false;
    ifd_status status = ifd_hybrid_make(arena, &o, &s->h, &note);
    for (const ifd_finding *f = note.first; f; f = f->next)
        print_error("%s\n", f->text);
    assert_int_equal(status, IFD_OK);
    s->t = ifd_hybrid_ticked(s->h);
}

static void until(stand *s, ifd_machine state)
{
    for (long i = 0; i < 100000 && ifd_hybrid_state(s->h) != state; i++)
        s->t.tick(s->t.self, &(ifd_tick_in){0});
    assert_string_equal(ifd_machine_name(ifd_hybrid_state(s->h)), ifd_machine_name(state));
}

static void begin(stand *s)
{
    make(s, true);
    until(s, IFD_MACHINE_RUN);
}

static const ifd__estimate *estimate(const stand *s, int i)
{
    return &((const ifd__updating *)ifd__units_find(s->h, &ifd__unit_identify)->own)[i].estimate;
}

static void coefficients(const stand *s, int k, double out[4])
{
    const ifd_compensator *c = s->h->interface[k].compensator;
    c->kind->coefficients(c, ifd__compensator_of(s->h, k), out);
}

/* Every 37th tick two measurements of the right rig are lost. */
TEST_IN_ARENA(each_specimen_is_learnt_from_its_own_rig)
{
    stand s;
    double first[4], now[4];
    int losses = 0;
    begin(&s);
    coefficients(&s, 1, first);
    for (int k = 0; k < 1300; k++) {
        const ifd__estimate before[2] = {*estimate(&s, 0), *estimate(&s, 1)};
        lose = k % 37 < 2;
        s.t.tick(s.t.self, &(ifd_tick_in){0});
        losses += lose;
        assert_true(memcmp(&before[0], estimate(&s, 0), sizeof before[0]) != 0);
        assert_true((memcmp(&before[1], estimate(&s, 1), sizeof before[1]) == 0) == lose);
        coefficients(&s, 1, now);
        assert_memory_equal(now, first, sizeof now); /* the filter of 20 Hz forgets a loss after 48 ticks */
    }
    assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_RUN);
    assert_true(losses > 60);
    coefficients(&s, 0, now);
    assert_true(now[1] < 0.5 * first[1]); /* the ideal actuator of the left rig is learnt: 0 */
    /* 2e5/1.6e5 and 1e5/1.2e5 */
    print_message("lower %.4f, upper %.4f\n", estimate(&s, 0)->x[1], estimate(&s, 1)->x[1]);
    assert_near(estimate(&s, 0)->x[1], 1.25, 0.0125, "stiffness of the lower spring");
    assert_near(estimate(&s, 1)->x[1], 1.0 / 1.2, 0.0085, "stiffness of the upper spring");
    ifd_hybrid_close(s.h);
}

static double used(const stand *s, const char *parameter)
{
    int count,
        i = ifd_column_find(ifd_hybrid_columns(s->h, &count), s->t.count, parameter, IFD_COLUMN_IDENTIFIED_IN_USE);
    assert_true(i >= 0);
    return s->t.values(s->t.self)[i];
}

/* Rigs outside this process, as they were left, or unloaded meanwhile. In the first second of the run the copies have
 * learnt; a hold keeps it, and the next part of the test begins with the same filters and copies. In it the right rig
 * is silent in every 37th tick, also when the state returns. */
TEST_IN_ARENA(what_was_learnt_is_kept_for_the_next_part)
{
    for (int unloaded = 0; unloaded < 2; unloaded++) {
        stand a, b;
        ifd_snapshot kept;
        begun[0] = begun[1] = false;
        make(&a, false);
        until(&a, IFD_MACHINE_RUN);
        while (ifd_hybrid_time(a.h) < 1.0)
            a.t.tick(a.t.self, &(ifd_tick_in){0});
        a.t.tick(a.t.self, &(ifd_tick_in){.order = IFD_ORDER_HOLD});
        for (long i = 0; i < 10000 && !ifd_hybrid_snapshot(a.h, &kept); i++)
            a.t.tick(a.t.self, &(ifd_tick_in){0});
        assert_int_equal(kept.state, IFD_MACHINE_HOLD);
        const ifd__estimate saved[2] = {*estimate(&a, 0), *estimate(&a, 1)};
        const double before[2] = {used(&a, "lower.stiffness"), used(&a, "upper.stiffness")};
        assert_true(before[0] > 1.2 && before[1] < 0.86);
        begun[0] = begun[1] = !unloaded;
        accepts = unloaded;
        make(&b, false);
        accepts = false;
        assert_int_equal(ifd_hybrid_continue(b.h, &kept, &note), IFD_OK);
        for (long k = 0; k < 10000 && ifd_hybrid_state(b.h) != IFD_MACHINE_HOLD; k++) {
            lose = ifd_hybrid_state(b.h) == IFD_MACHINE_RAMP_IN && k % 37 < 2;
            b.t.tick(b.t.self, &(ifd_tick_in){0});
        }
        for (int i = 0; i < 2; i++)
            assert_memory_equal(estimate(&b, i), &saved[i], sizeof saved[i]);
        assert_true(used(&b, "lower.stiffness") == before[0] && used(&b, "upper.stiffness") == before[1]);
        b.t.tick(b.t.self, &(ifd_tick_in){.order = IFD_ORDER_RESUME});
        for (int k = 0; k < 2000; k++) {
            lose = k % 37 == 0;
            b.t.tick(b.t.self, &(ifd_tick_in){0});
            assert_near(used(&b, "lower.stiffness"), 1.25, 0.0125, "tick %d", k);
            assert_near(used(&b, "upper.stiffness"), 1.0 / 1.2, 0.0085, "tick %d", k);
        }
        assert_int_equal(ifd_hybrid_trip(b.h).trip, IFD_TRIP_NONE);
        ifd_hybrid_give_back(a.h);
        ifd_hybrid_close(a.h);
        ifd_hybrid_close(b.h);
    }
}

TESTS()
