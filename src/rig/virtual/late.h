/* SPDX-License-Identifier: MIT */
/* Late rig: the virtual rig with delayed and scaled commands,
 *
 *     u'(t) = g u(t - tau).
 *
 * The largest values without instability of the loop are its margins. With tau = 0 and g = 1 it is bit-identical to
 * the laboratory. */
#pragma once

#include <interfield/virtual.h>

/* Addition to a measurement of every channel; may change in every tick. */
typedef struct ifd__disturbance {
    double position[IFD_RIG_ACTUATORS], force[IFD_RIG_ACTUATORS]; /* m, N */
} ifd__disturbance;

/* A wrong load cell, and the largest force that it should have shown. Its reading is gain f, at most `most`; from the
 * first |f| of at least `sticks` on it stays the same. */
typedef struct ifd__bad_cell {
    int actuator;
    double gain, most, sticks; /* -, N, N */
    bool stuck;
    double shows;  /* N, while it is stuck */
    double actual; /* N, largest |f| */
} ifd__bad_cell;

/* rig->data of open. */
typedef struct ifd__late {
    ifd_laboratory *laboratory;          /* read only */
    double delay;                        /* s of wall-clock time, fractions of a tick by a cubic */
    double gain;                         /* 0 = 1 */
    const ifd__disturbance *disturbance; /* NULL: none */
    ifd__bad_cell *cell;                 /* NULL: all are right */
} ifd__late;

extern const ifd_rig_ops ifd__late_rig;

/* As ifd__virtual_states. */
int ifd__late_states(const ifd_rig *rig, int at, int *state);
