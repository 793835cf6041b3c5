/* SPDX-License-Identifier: MIT */
/* Ideal specimen: an element with an ideal actuator and load cell in this process.
 *
 * It reaches the commanded deformation immediately and returns its force. Between two commands its coordinate moves
 * at constant velocity. States with a time scale are integrated along that path by the classical Runge-Kutta method
 * in a fixed number of substeps, rate-independent states by their exact update. */
#pragma once

#include <interfield/element.h>

typedef struct ifd__ideal {
    ifd_element element;
    double *w;    /* scratch: 6 ns */
    bool pressed; /* a second coordinate is a force, which ifd__ideal_press sets */
} ifd__ideal;

ifd_status ifd__ideal_make(ifd__ideal *rig, ifd_arena *arena, const ifd_element_ops *ops, const char *name,
                           const ifd_value *values, ifd_note *note);

/* The same for a friction-pendulum whose compression is that of ifd__ideal_press. */
ifd_status ifd__ideal_make_pressed(ifd__ideal *rig, ifd_arena *arena, const ifd_element_ops *ops, const char *name,
                                   const ifd_value *values, ifd_note *note);

/* State of an ideal rig in the array of the run. */
typedef struct __attribute__((may_alias)) ifd__ideal_state {
    double t, q, v, f; /* of the last command: s, m, m/s, N */
    double s[];        /* of the element; if pressed, then its compression at the last command and at the next, N */
} ifd__ideal_state;
int ifd__ideal_size(const ifd__ideal *rig);
/* Compression (N) at the next command; no effect unless made pressed. */
IFD_RT void ifd__ideal_press(const ifd__ideal *rig, double N, double *x);

/* Sets deformation q at time t with the initial states of the element. */
IFD_RT void ifd__ideal_begin(const ifd__ideal *rig, double t, double q, double v, double *x);
/* Moves it to q (rate v) at time t and measures f. */
IFD_RT void ifd__ideal_command(const ifd__ideal *rig, double t, double q, double v, double *x);

/* The end of a tick of a rig: time of the rig, and simulated time, which advances only in a run. */
typedef struct ifd__instant {
    double rig, simulated, tick; /* s */
} ifd__instant;
/* The same over a tick. A prescribed input of an element (a voltage) is a function of simulated time; an FMU advances
 * itself with the time of the rig. */
IFD_RT void ifd__ideal_tick(const ifd__ideal *rig, ifd__instant at, double q, double v, double *x);
