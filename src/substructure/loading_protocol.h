/* SPDX-License-Identifier: MIT */
/* Prescribed motions of one channel after the other, and how a test is led along them instead of a computed path. */
#ifndef IFD_SUBSTRUCTURE_LOADING_PROTOCOL_H
#define IFD_SUBSTRUCTURE_LOADING_PROTOCOL_H

#include <interfield/characterise.h>

#include "substructure/substructure.h"

typedef struct ifd__motion {
    ifd_motions at;
    double *u, *v; /* one period of the sweep, for each tick of it (m, m/s) */
    double half;   /* s, of the rest after either side of the step */
} ifd__motion;

struct ifd_protocol {
    int interfaces;
    double tick; /* s */
    long ticks;
    int harmonics;
    const ifd_model *model;
    ifd__motion *motion;
};

/* Displacement and velocity of a channel, from where it stood, at a tick. */
IFD_RT void ifd__protocol_at(const ifd_protocol *p, int channel, double tick, double *u, double *v);

ifd_status ifd__substructure_protocol(ifd_arena *arena, const ifd_hybrid_options *opt, ifd__substructure *out);

#endif
