/* SPDX-License-Identifier: MIT */
/* The acceleration of a wall between exchanges: the parabola with given mean values over the last three paths. */
#include "check.h"

#include <interfield/virtual.h>

#include "hybrid/laboratory.h"
#include "hybrid/chain/effective_force.h"

TEST(mean_values_of_a_parabola_give_the_parabola)
{
    static const double c[3] = {0.7, -1.9,
                                2.3}; /* of powers of time in steps, from the beginning of the present path */
    const char *none[] = {NULL};
    lab *l = lab_make("rts-building/wall", none, &ifd_virtual_rig);
    ifd_hybrid *h = l->h;
    for (int i = 0; i < IFD__WALL_PATHS; i++) {
        double n = -i; /* beginning of the path */
        h->io.walled[0]->mean[i] = c[0] + c[1] * (n + 0.5) + c[2] * (n * n + n + 1.0 / 3.0);
    }
    for (int phase = 0; phase <= h->opt.ticks_per_stage; phase++)
        for (int ahead = 0; ahead < 4; ahead++) {
            double s = (double)phase / h->opt.ticks_per_stage + 0.7 * ahead;
            ifd__test_of(h)->phase = phase;
            double motion = ifd__wall_motion(&h->io, 0, 0.7 * ahead * h->stage_time);
            assert_near(motion, c[0] + s * (c[1] + s * c[2]), 1e-12, "");
        }
    lab_close(l);
}

/* Between two walls, of cases/rts-building/walls: the first one receives its measured force and that of its spring
 * and dashpot, which the structure moves. That of a tick is kept for a stage between this tick and the next one. */
TEST(the_force_on_the_first_wall_is_kept_for_the_next_tick)
{
    const char *force[] = {"coupling.rts.exchange=force", NULL};
    const double k = 10.4e6, c = 30.157e3; /* of the case */
    lab *l = lab_make("rts-building/walls", force, &ifd_virtual_rig);
    const ifd__walled *w = l->h->io.walled[0];
    double largest = 0.0;
    lab_until(l, IFD_MACHINE_RUN);
    lab_tick(l, IFD_ORDER_NONE);
    for (int i = 0; i < 2000; i++) {
        double kept = w->first;
        lab_tick(l, IFD_ORDER_NONE);
        assert_true(i == 0 || w->first != kept);
        double due = w->force[0] + k * w->u[0] + c * w->v[0];
        assert_near(w->first, due, 1e-9 * (1.0 + fabs(due)), "tick %d", i);
        largest = fmax(largest, fabs(due));
    }
    assert_true(largest > 100.0);
    lab_close(l);
}

TESTS()
