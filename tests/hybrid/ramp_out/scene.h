/* SPDX-License-Identifier: MIT */
/* Ramp-out of one channel, the second of two, without a test: its observations are set, its commands are checked in
 * every tick. Numbers are exact in binary. */
#pragma once

#include "check.h"
#include "hybrid/bare.h"

#include "hybrid/ramp_out/ramp_out.h"

static double dt;
static ifd_force_control force;

static ifd__interface_state *interface(void)
{
    return ifd__interface_of(&bare, 1);
}

static ifd__observed *seen(void)
{
    return &ifd__interface_of(&bare, 1)->seen;
}

static ifd__unloading *out(void)
{
    return ifd__out(&bare, 1);
}

/* Ramp-out of a channel at rest at 0 with earlier accelerations up to 8 m/s2, without noise, with a lag of 1/64 s. */
static void scene(double period, ifd_ramp_out_end leave)
{
    dt = period;
    force = (ifd_force_control){.stiffness = 4096.0, .bandwidth = 1.0, .rate = 64.0, .tolerance = 0.5, .error = 1e9};
    bare_make(2, dt);
    for (int k = 0; k < 2; k++) {
        bare_interface[k].bounds = (ifd__bounds){-4.0, 12.0, 100.0, 64.0, dt};
        bare_interface[k].factor = 1.0;
        bare_interface[k].creep = 0.5;
        bare_interface[k].stiffness = 1e6;
    }
    bare_option[0].force = &force;
    bare.opt.ramp_out_end = leave;
    bare.opt.settle = 0.125;
    bare.opt.ramp_in = 1.0;
    ifd__test_of(&bare)->state = IFD_MACHINE_RAMP_OUT;
    seen()->peak_a = 8.0;
    seen()->lag_sum = 1.0;
    seen()->lag_size = 64.0;
}

/* Ticks until arrival, at most `most`. */
__attribute__((unused)) static long arrives(long most)
{
    for (long n = 1; n <= most; n++)
        if (ifd__ramp_out_step(&bare, 1))
            return n;
    return 0;
}

__attribute__((unused)) static double noted(ifd_trip trip)
{
    return ifd__test_of(&bare)->faults[trip];
}

__attribute__((unused)) static const double period = 1.0 / 512.0;

/* A command at rest is braked after three ticks; then the force rests. */
__attribute__((unused)) static void rest(double F)
{
    interface()->measured_f = F;
    ifd__ramp_out_begin(&bare, 1);
    for (int n = 0; n < 3; n++)
        assert_false(ifd__ramp_out_step(&bare, 1));
}

/* Ticks of rest until the command moves, without the first of unloading. 0: it does not move. */
__attribute__((unused)) static long rested(long most)
{
    for (long n = 0; n < most; n++) {
        if (ifd__ramp_out_step(&bare, 1))
            return 0;
        if (interface()->step != 0.0)
            return n;
    }
    return 0;
}

typedef struct unloading {
    double F, k, lag, variance, mass;
    int others; /* number of others unloaded at the same time */
    bool shown;
} unloading;

__attribute__((unused)) static void unload(const unloading *u)
{
    scene(period, IFD_RAMP_OUT_ZERO_FORCE);
    bare_option[0].force = u->others ? NULL : &force;
    bare_option[1].mass = u->mass;
    bare_interface[1].factor = 2.0;
    bare_interface[1].stiffness = u->k;
    seen()->lag_sum = 64.0 * u->lag;
    seen()->noise_f = u->variance;
    seen()->stiffness = u->shown ? u->k : 0.0;
    rest(u->F);
    assert_true(rested(5000) > 0);
}

__attribute__((unused)) static const unloading plain = {1000.0, 1e6, 1.0 / 64.0, 0.0, 0.0, 0, true};
