/* SPDX-License-Identifier: MIT */
/* Constants of a test after set-up, for modules that do not see the test. */
#pragma once

#include <interfield/hybrid.h>

#include "hybrid/drives/drives.h"
#include "rig/governor.h"
#include "substructure/substructure.h"

enum { IFD__LINKS = 7 }; /* chain.h */

typedef struct ifd__test_interface {
    const ifd_interface_options *o;
    ifd__bounds bounds;
    ifd_compensator *compensator;
    double factor, creep;
    double stiffness;     /* N/m, estimate of one device; 0: none */
    double damping;       /* N s/m, the same */
    int actuator;         /* of the rig; -1: of a drive */
    unsigned rules;       /* bits of the rules of limits/guard.c that judge it */
    bool corrects;        /* the compensator computes the force for the solver */
    const double *ground; /* displacement and velocity of the ground at each exchange; NULL: at rest */
    int grounds;
    double track[3];                               /* gains of the estimate of its motion: 1, 1/s, 1/s2 */
    double lag;                                    /* 1 - q, where q is each of the three roots of this estimate */
    const ifd_signal *shakes;                      /* ground acceleration along its dof; NULL: none */
    const struct ifd__link *chain[IFD__LINKS + 1]; /* links of its force; the last is NULL */
} ifd__test_interface;

typedef struct ifd__facts {
    const ifd_hybrid_options *opt;
    const ifd__substructure *numerical;
    double period;     /* s, wall, of a tick */
    double stage_time; /* s, simulated, between two stages with a measurement */
    ifd__stuck stuck;  /* what counts as a sensor with a constant value */
    int interfaces, actuators, drives;
    const ifd__test_interface *interface;
    const ifd__driven *drive;
    bool awaits; /* simulated time waits for the answers of the rig */
    bool frozen; /* probing: compensators do not adapt */
    bool real;   /* the rig moves something; in a replay: the recorded rig did */
} ifd__facts;
