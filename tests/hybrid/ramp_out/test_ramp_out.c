/* SPDX-License-Identifier: MIT */
/* Ramp-out of a test with a controlled force: a release is not reversed by noise of other load cells. */
#include "check.h"

#include <math.h>

#include <interfield/case.h>

#include "hybrid/hybrid.h"

/* The laboratory with a load cell with occasional wrong values. */
static long ticks;

static bool sense_noisy(ifd_rig *rig, ifd_measure *out, double *x)
{
    bool fresh = ifd_virtual_rig.sense(rig, out, x);
    out->force[0] += ++ticks / 25 % 8 == 0 ? 3e3 : 0.0;
    return fresh;
}

static ifd_hybrid *column(ifd_arena *arena, ifd_hybrid_options *o, ifd_rig_ops *noisy)
{
    const char *sets[] = {"time.end=0.2s", "test.ramp-in=1s", "test.leave=zero-force"};
    ifd_case *c;
    ifd_hybrid *h;
    assert_int_equal(ifd_case_read(arena, IFD_SOURCE_DIR "/cases/column-mixed/column.yaml", 3, sets, &c, NULL),
                     IFD_OK);
    *noisy = ifd_virtual_rig;
    noisy->sense = sense_noisy;
    *o = *c->test;
    o->automatic = true;
    o->rig = noisy;
    o->rig_setup = c->laboratory;
    assert_int_equal(ifd_hybrid_make(arena, o, &h, NULL), IFD_OK);
    return h;
}

TEST(gravity_that_was_let_go_is_not_put_on_again)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_hybrid_options o;
    ifd_rig_ops noisy;
    ifd_hybrid *h = column(arena, &o, &noisy);
    ifd_ticked t = ifd_hybrid_ticked(h);
    const double lag = 30e3; /* N: 200 MN/m released at 10 mm/s by an actuator with a delay of 11 ms are 22 kN */
    double least = HUGE_VAL;
    for (long i = 0; i < 100000 && ifd_hybrid_state(h) != IFD_MACHINE_STOPPED; i++) {
        t.tick(t.self, &(ifd_tick_in){0});
        if (ifd_hybrid_state(h) != IFD_MACHINE_RAMP_OUT)
            continue;
        double f = fabs(ifd__interface_of(h, 1)->measured_f);
        if (f > least + lag)
            fail_msg("tick %ld: %.0f N, and were %.0f N before", i, f, least);
        least = fmin(least, f);
    }
    assert_int_equal(ifd_hybrid_state(h), IFD_MACHINE_STOPPED);
    assert_true(least < 4e3);
    ifd_hybrid_close(h);
    ifd_arena_close(arena);
}

TESTS()
