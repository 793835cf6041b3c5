/* SPDX-License-Identifier: MIT */
/* Common code of actuators: the linear core, advanced exactly, and the limits of kinematic actuators, which do not
 * depend on the force. */
#pragma once

#include <interfield/rig.h>

#include "algebra/discretisation.h"
#include "base/arena.h"

#define ACTUATOR(x) extern const ifd_actuator_kind ifd__actuator_##x;
#include "rig/virtual/actuators.def"

/* The linear specimen of every actuator: the member `specimen` of its data. */
#define IFD__SPECIMEN_PARAMS(type, preset_m, preset_c, preset_k)                                                     \
    IFD_OPTION("mass", MASS, 0, 1e9, preset_m, "mass of the specimen and of parts that move with it",                \
               IFD_AT(type, specimen.m)),                                                                            \
        IFD_OPTION("damping", DAMPING, 0, 1e15, preset_c, "damping of the specimen", IFD_AT(type, specimen.c)),      \
        IFD_OPTION("stiffness", STIFFNESS, 0, 1e15, preset_k, "stiffness of the specimen", IFD_AT(type, specimen.k))

/* Nonlinear properties, the member `limits`. Zero: none. */
#define IFD__LIMIT_PARAMS(type)                                                                                      \
    IFD_OPTION("stroke", LENGTH, 0, 1e3, 0, "largest displacement in both directions; 0: unlimited",                 \
               IFD_AT(type, limits.stroke)),                                                                         \
        IFD_OPTION("velocity", VELOCITY, 0, 1e6, 0, "largest velocity; 0: unlimited",                                \
                   IFD_AT(type, limits.velocity)),                                                                   \
        IFD_OPTION("backlash", LENGTH, 0, 10, 0, "total play of the linkage, before the position sensor",            \
                   IFD_AT(type, limits.backlash)),                                                                   \
        IFD_OPTION("play", LENGTH, 0, 10, 0, "total play between position sensor and specimen"),                     \
        IFD_OPTION("clearance", LENGTH, 0, 10, 0,                                                                    \
                   "total clearance about zero between position sensor and specimen, within which no force acts"),   \
        IFD_OPTION("friction", FORCE, 0, 1e12, 0, "Coulomb friction of seals and bearings",                          \
                   IFD_AT(type, limits.friction)),                                                                   \
        IFD_OPTION("friction-speed", VELOCITY, 1e-9, 1e3, 1e-3, "velocity at three quarters of this friction",       \
                   IFD_AT(type, limits.friction_speed))

typedef struct ifd__specimen {
    double m, c, k;
} ifd__specimen;

typedef struct ifd__limits {
    double stroke, velocity, backlash, friction, friction_speed;
} ifd__limits;

double ifd__rig_number(const ifd_param *params, const ifd_value *values, const char *name);
IFD_RT double ifd__friction(const ifd__limits *l, double v);
/* x within +-most; 0: no limit. */
IFD_RT double ifd__clip(double x, double most);
/* Position of the specimen for piston position p with play: it moves with the piston at either end of the play and
 * rests between them. */
IFD_RT double ifd__play(double backlash, double p, double x);

/* The specimen follows row X over its play and clearance: to be called when X has changed. */
IFD_RT void ifd__actuator_loosen(const ifd_actuator *a, bool linear, double *s);

/* Base of kinematic actuators, at the start of their data. Additional state: the piston. */
typedef struct ifd__mover {
    ifd__specimen specimen;
    ifd__limits limits;
    bool limited;
} ifd__mover;

enum { IFD__MOVER_PISTON = IFD_ACTUATOR_OWN };

ifd_status ifd__mover_make(ifd_actuator *a, const ifd_value *values, ifd__mover *m);
IFD_RT void ifd__mover_begin(const ifd_actuator *a, double x, double *s);
/* Applies limits to the requested piston motion `target` (position, velocity, acceleration) and writes the first rows
 * of the state. */
IFD_RT void ifd__mover_settle(const ifd_actuator *a, const double target[3], const ifd_actuator_in *in, double *s);
/* Rates by backward difference from the last state, for actuators without rates. */
IFD_RT void ifd__mover_rates(const ifd_actuator *a, double x, const double *s, double target[3]);

/* Appends count doubles to the state of the actuator; returns their offset. */
int ifd__actuator_states(ifd_actuator *a, const char *name, int count, ifd_state_kind kind);
/* (i w - A)^-1 B, row of the state x: the response of a linear core with one input. */
void ifd__core_response(int n, const double *A, const double *B, int x, double w, double out[2]);
