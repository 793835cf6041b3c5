/* SPDX-License-Identifier: MIT */
/* Prescribed motions of one specimen after the other, and a numerical substructure that supplies them as targets. */
#pragma once

#include <interfield/characterise.h>

#include "substructure/substructure.h"

enum { IFD__BURST_PERIODS = 6 };

/* Ticks of a period of a burst: a multiple of four, 32 at least. */
long ifd__burst_period(double frequency, double tick);

typedef struct ifd__motion {
    ifd_motions at;
    double *u, *v; /* one period of the sweep, per tick (m, m/s) */
    double half;   /* s, rest after each half of the step motion */
} ifd__motion;

struct ifd_protocol {
    int interfaces;
    double tick; /* s */
    long ticks;
    int harmonics;
    const ifd_model *model;
    ifd__motion *motion;
    const ifd_signal *const *signal; /* of a case, per specimen; NULL: a characterisation */
};

/* Displacement and velocity of a specimen relative to its initial position, at a tick. */
IFD_RT void ifd__protocol_at(const ifd_protocol *p, int channel, double tick, double *u, double *v);

/* Extremes of the signal of specimen k up to `end`, at its steps: position, velocity and acceleration, with the jump
 * of the velocity at the start; false: it has no signal. */
typedef struct ifd__demand {
    double low, high, velocity, acceleration; /* m, m/s, m/s2 */
} ifd__demand;
bool ifd__protocol_demand(const ifd_protocol *p, int k, double end, ifd__demand *out);
/* The first limit of interface k of a test that its protocol exceeds, "velocity"; NULL: none. *out: the demand in
 * wall-clock time. */
const char *ifd__protocol_beyond(const ifd_hybrid_options *o, int k, ifd__demand *out);

/* The same for the actuators of its drives: name and limit of the first one that exceeds it; *who NULL: none. Dofs
 * under force control stay at zero. */
ifd_status ifd__protocol_drives(ifd_arena *arena, const ifd_hybrid_options *o, const char **who, const char **what,
                                ifd_note *note);

ifd_status ifd__substructure_protocol(ifd_arena *arena, const ifd_protocol *protocol, const ifd_model *model,
                                      ifd__substructure *out);
