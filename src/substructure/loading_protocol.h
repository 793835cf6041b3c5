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
};

/* Displacement and velocity of a specimen relative to its initial position, at a tick. */
IFD_RT void ifd__protocol_at(const ifd_protocol *p, int channel, double tick, double *u, double *v);

ifd_status ifd__substructure_protocol(ifd_arena *arena, const ifd_hybrid_options *opt, ifd__substructure *out);
