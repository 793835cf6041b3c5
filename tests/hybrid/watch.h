/* SPDX-License-Identifier: MIT */
/* Commands to the virtual rig, observed externally. */
#pragma once

#include <math.h>

#include <interfield/hybrid.h>
#include <interfield/virtual.h>

#include "check.h"

static struct {
    double last, step;
    double worst_position, worst_velocity, worst_acceleration;
    long count;
} watch;

__attribute__((unused)) static void watch_command(ifd_rig *rig, const ifd_command *c, double *x)
{
    double p = c->position[0], w = p - watch.last;
    if (watch.count++ > 0) {
        watch.worst_velocity = fmax(watch.worst_velocity, fabs(w) / rig->tick);
        watch.worst_acceleration = fmax(watch.worst_acceleration, fabs(w - watch.step) / (rig->tick * rig->tick));
    }
    watch.worst_position = fmax(watch.worst_position, fabs(p));
    watch.step = watch.count > 1 ? w : 0.0;
    watch.last = p;
    ifd_virtual_rig.command(rig, c, x);
}

__attribute__((unused)) static void assert_limits_kept(const ifd_limits *l)
{
    assert_true(watch.count > 100);
    assert_true(watch.worst_position <= l->high * (1.0 + 1e-12));
    assert_true(watch.worst_velocity <= l->velocity * (1.0 + 1e-9));
    assert_true(watch.worst_acceleration <= l->acceleration * (1.0 + 1e-6));
}
