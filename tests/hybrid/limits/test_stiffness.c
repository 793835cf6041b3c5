/* SPDX-License-Identifier: MIT */
/* Force against stiffness times travel, in complete tests whose load cell has a gain: both sides of every bound. A
 * spring of 100 kN/m is moved by 10 mm within ramp-in; a force of 20 kN is kept on 10 MN/m. */
#include "check.h"

#include <string.h>

#include <interfield/virtual.h>

#include "hybrid/laboratory.h"

static struct {
    double gain, sticks; /* of the load cell; N, from which it is stuck, 0: never */
    double shows, x, most;
    bool stuck;
    int channel;
} rig;

static ifd_rig_ops ops;

static bool sense(ifd_rig *r, ifd_measure *out, double *x)
{
    bool fresh = ifd_virtual_rig.sense(r, out, x);
    double *f = &out->force[rig.channel];
    rig.x = out->position[rig.channel];
    rig.most = fmax(rig.most, fabs(*f));
    rig.stuck = rig.stuck || (rig.sticks > 0.0 && fabs(*f) >= rig.sticks);
    rig.shows = rig.stuck ? rig.shows : rig.gain * *f;
    *f = rig.shows;
    return fresh;
}

typedef struct row {
    double gain, sticks;
    const char *set[4];
    ifd_trip trip;
    long count;         /* of STIFFNESS */
    ifd_machine ends;   /* RUN: reached */
    double least, most; /* mm, position at the trip, or kN, largest force; 0: any */
    double ratio;       /* (r - 1) over the permitted |r - 1|, of the other sign in the other direction; 0: any */
} row;

static void check(const char *name, int channel, const row *r)
{
    memset(&rig, 0, sizeof rig);
    rig.channel = channel;
    rig.gain = r->gain;
    rig.sticks = r->sticks;
    ops = ifd_virtual_rig;
    ops.sense = sense;
    lab *l = lab_make(name, r->set, &ops);
    ifd_machine state = IFD_MACHINE_IDLE;
    for (long i = 0; i < 200000 && l->last == IFD_RUN_GOING; i++) {
        l->last = l->t.tick(l->t.self, &(ifd_tick_in){.order = IFD_ORDER_NONE});
        ifd_machine now = ifd_hybrid_state(l->h);
        if (now > IFD_MACHINE_RUN && state <= IFD_MACHINE_RUN) {
            double at = channel ? 1e-3 * rig.most : 1e3 * fabs(rig.x);
            if (r->least > 0.0 && !(at >= r->least && at <= r->most))
                fail_msg("gain %g: %g, expected %g to %g", r->gain, at, r->least, r->most);
            state = now;
        }
        state = state > IFD_MACHINE_RUN ? state : now;
    }
    ifd_trip_facts facts = ifd_hybrid_trip(l->h);
    long count = ifd_hybrid_count(l->h, IFD_TRIP_STIFFNESS);
    if (r->ratio != 0.0)
        assert_near(facts.value / facts.limit, r->ratio, 2e-3, "value over limit");
    if (facts.trip != r->trip || count != r->count || state != r->ends)
        fail_msg("gain %g, %s: %s, %ld times STIFFNESS, %s", r->gain, r->set[0] ? r->set[0] : "",
                 ifd_trip_name(facts.trip), count, ifd_machine_name(state));
    lab_close(l);
}

#define TRIPS IFD_TRIP_STIFFNESS, 1, IFD_MACHINE_TRIPPED
#define NOTES IFD_TRIP_NONE, 1, IFD_MACHINE_RAMP_OUT
#define SOUND IFD_TRIP_NONE, 0, IFD_MACHINE_RAMP_OUT
#define LEAVES IFD_TRIP_STIFFNESS, 1, IFD_MACHINE_RAMP_OUT
#define DOWN "force-control.0.force=-20 kN"
#define BACK "initial.displacement.x=-10 mm"
#define MEASURED "test.characterised-stiffness=[100000]"

/* Means of 8 ticks of 1 ms in a ramp of 0.2 s are up to 0.4 mm behind, and the virtual rig 2 ticks. */
TEST(a_position_is_judged_once)
{
    static const row rows[] = {
        {1.0, 0.0, {NULL}, SOUND, 0.0, 0.0, 0.0},
        {-1.0, 0.0, {NULL}, TRIPS, 0.4, 1.1, 0.0}, /* 1 % of 4 kN: 0.4 mm */
        {-1.0, 0.0, {"specimen.0.limits.force=20 kN", NULL}, TRIPS, 2.0, 3.0, 0.0},
        {-1.0, 0.0, {"test.force-stuck=off", NULL}, SOUND, 0.0, 0.0, 0.0},
        /* 1 % of the limit is 1 kN, the force at the end of ramp-in; beyond that the sign is judged in run */
        {-1.0, 0.0, {"specimen.0.limits.force=99.7 kN", NULL}, TRIPS, 9.9, 10.01, -2.0},
        {-1.0, 0.0, {"specimen.0.limits.force=100.3 kN", NULL}, TRIPS, 1e-6, 9.0, 0.0},
        {0.335, 0.0, {NULL}, SOUND, 0.0, 0.0, 0.0},
        {0.332, 0.0, {NULL}, NOTES, 0.0, 0.0, 0.0},
        {2.985, 0.0, {NULL}, SOUND, 0.0, 0.0, 0.0},
        {3.015, 0.0, {NULL}, NOTES, 0.0, 0.0, 0.0},
        {0.335, 0.0, {MEASURED, NULL}, SOUND, 0.0, 0.0, 0.0},
        {0.332, 0.0, {MEASURED, NULL}, LEAVES, 2.0, 4.0, -1.002}, /* 5 % of 4 kN: 2 mm */
        {3.015, 0.0, {MEASURED, NULL}, LEAVES, 2.0, 4.0, 1.0075},
        /* the other direction */
        {1.0, 0.0, {BACK, NULL}, SOUND, 0.0, 0.0, 0.0},
        {-1.0, 0.0, {BACK, "specimen.0.limits.force=99.7 kN", NULL}, TRIPS, 9.9, 10.01, 2.0},
        {0.332, 0.0, {BACK, MEASURED, NULL}, LEAVES, 2.0, 4.0, 1.002},
        {1.0, 0.0, {"test.characterised-stiffness=[-100000]", NULL}, TRIPS, 0.4, 1.1, 0.0},
        {0.32,
         0.0,
         {MEASURED, "specimen.0.limits.force=19.94 kN", NULL},
         LEAVES,
         9.9,
         10.01,
         0.0}, /* 5 % of it: 997 N */
        {0.32, 0.0, {MEASURED, "specimen.0.limits.force=20.06 kN", NULL}, SOUND, 0.0, 0.0, 0.0},
        {0.32, 0.0, {MEASURED, "test.characterised-loss=[200]", NULL}, LEAVES, 6.0, 8.5, 0.0},
        {0.32,
         0.0,
         {MEASURED, "test.characterised-loss=[332]", NULL},
         LEAVES,
         9.9,
         10.01,
         0.0}, /* three of them: 996 N */
        {0.32, 0.0, {MEASURED, "test.characterised-loss=[334.5]", NULL}, SOUND, 0.0, 0.0, 0.0},
        {-1.0, 0.0, {"test.characterised-stiffness=[-100000]", NULL}, SOUND, 0.0, 0.0, 0.0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check("../tests/hybrid/limits/moved", 0, &rows[i]);
}

/* Force limit 60 kN: judged from 3 kN on; in its loop a travel that should change the force by 6 kN. */
TEST(a_loop_is_judged_all_the_time)
{
    static const row rows[] = {
        {1.0, 0.0, {NULL}, SOUND, 0.0, 0.0, 0.0},
        {0.4215, 0.0, {NULL}, SOUND, 0.0, 0.0, 0.0},
        {0.4185, 0.0, {NULL}, TRIPS, 3.0, 6.0, -1.0026},
        {2.39, 0.0, {NULL}, SOUND, 0.0, 0.0, 0.0},
        {2.41, 0.0, {NULL}, TRIPS, 3.0, 6.0, 1.0071},
        {1.0, 0.0, {DOWN, NULL}, SOUND, 0.0, 0.0, 0.0},
        {0.4185, 0.0, {DOWN, NULL}, TRIPS, 3.0, 6.0, 1.0026},
        {1.0, 16e3, {DOWN, NULL}, TRIPS, 20.8, 24.5, 0.0},
        {0.41, 0.0, {"test.force-stuck=off", NULL}, SOUND, 0.0, 0.0, 0.0},
        {1.0, 6e3, {NULL}, TRIPS, 11.0, 14.5, 0.0}, /* one travel of 6 kN after the last fifth of it */
        {1.0, 16e3, {NULL}, TRIPS, 20.8, 24.5, 0.0},
        {1.0, 19.9e3, {NULL}, SOUND, 0.0, 0.0, 0.0}, /* close to its target nothing moves on */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check("../tests/hybrid/limits/kept", 1, &rows[i]);
}

TESTS()
