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

TESTS()
