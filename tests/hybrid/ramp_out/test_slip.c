/* SPDX-License-Identifier: MIT */
/* ctest: not with sanitizers, unless every test is asked for */
/* Unloading of a sliding bearing that slips before its force is zero, with 1/41 of the stiffness known until then: no
 * false alarm of a sound load cell, with and without a hold before; a stuck load cell trips in all of these tests. */
#include "check.h"

#include <interfield/virtual.h>

#include "hybrid/laboratory.h"
#include "hybrid/ramp_out/ramp_out.h"

static struct {
    double moved; /* m, largest true motion since the load cell is stuck */
    double force, from;
    bool stuck;
} cell;

static ifd_rig_ops ops;

/* The load cell becomes stuck, with noise: about a constant force. */
static bool sense(ifd_rig *r, ifd_measure *out, double *x)
{
    double position, force;
    bool fresh = ifd_virtual_rig.sense(r, out, x);
    ifd_virtual_actual(r, x, 0, &position, &force);
    if (!cell.stuck) {
        cell.force = force;
        cell.from = position;
        return fresh;
    }
    cell.moved = fmax(cell.moved, fabs(position - cell.from));
    out->force[0] += cell.force - force;
    return fresh;
}

typedef struct row {
    const char *end;
    double hold; /* s, simulated; 0: none */
} row;

static const row rows[] = {
    {"time.end=5.84s", 0.0}, {"time.end=6.06s", 0.0}, {"time.end=6.08s", 0.0}, {"time.end=6s", 0.0},
    {"time.end=6s", 4.75},   {"time.end=6s", 5.0},    {"time.end=6s", 4.0},
};

/* After `unloaded` N of unloading the load cell is stuck. Infinite: it is sound. */
static lab *unload(const row *r, double unloaded)
{
    const char *set[] = {r->end, NULL};
    cell.stuck = false;
    cell.moved = 0.0;
    ops = ifd_virtual_rig;
    ops.sense = sense;
    lab *l = lab_make("bridge/hybrid", set, &ops);
    lab_tick(l, IFD_ORDER_NONE);
    while (l->last == IFD_RUN_GOING && ifd_hybrid_time(l->h) < r->hold)
        lab_tick(l, IFD_ORDER_NONE);
    if (r->hold > 0.0) {
        lab_tick(l, IFD_ORDER_HOLD);
        lab_go_for(l, 1.0);
        lab_tick(l, IFD_ORDER_RESUME);
    }
    double began = 0.0;
    while (l->last == IFD_RUN_GOING && ifd_hybrid_state(l->h) < IFD_MACHINE_STOPPED) {
        lab_tick(l, IFD_ORDER_NONE);
        began = ifd__out(l->h, 0)->began;
        cell.stuck = cell.stuck || (began != 0.0 && fabs(began) - fabs(cell.force) > unloaded);
    }
    return l;
}

TEST(a_sound_load_cell_is_not_rejected)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        lab *l = unload(&rows[i], (double)INFINITY);
        if (ifd_hybrid_state(l->h) != IFD_MACHINE_STOPPED || fabs(cell.force) > 700.0)
            fail_msg("%s, hold at %g s: state %d, %g N remain", rows[i].end, rows[i].hold,
                     (int)ifd_hybrid_state(l->h), cell.force);
        lab_close(l);
    }
}

/* m: the closed form 2 F/(1.25 k) with F at most 22 kN and k at least 68.35 MN/m is 0.515 mm. It counts once
 * before and once after the last secant. The last changes are significant, but too small for a secant (1250 N). */
TEST(a_stuck_load_cell_is_detected_within_the_travel)
{
    static const double unloaded[] = {0.0, 500.0, 800.0, 1000.0, 2000.0};
    double most = 0.0;
    for (size_t i = 0; i < COUNT(rows); i++)
        for (size_t k = 0; k < COUNT(unloaded); k++) {
            lab *l = unload(&rows[i], unloaded[k]);
            assert_true(cell.stuck);
            if (ifd_hybrid_state(l->h) != IFD_MACHINE_TRIPPED || cell.moved > 1.03e-3)
                fail_msg("%s, hold at %g s, stuck after %g N: state %d after %g mm", rows[i].end, rows[i].hold,
                         unloaded[k], (int)ifd_hybrid_state(l->h), 1e3 * cell.moved);
            most = fmax(most, cell.moved);
            lab_close(l);
        }
    print_message("at most %.3f mm with a stuck load cell\n", 1e3 * most);
}

TESTS()
