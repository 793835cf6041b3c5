/* SPDX-License-Identifier: MIT */
/* An independent check of received commands. It has the stroke, velocity and acceleration of each actuator and the
 * tick in its own table, includes no header of the library, and checks numbers as they arrive:
 *
 * - finite; tick and heartbeat increase by one; a permitted next state;
 * - "no command" repeats the positions of the last command, at velocity 0. Idle commands nothing, and no state
 *   commands with the hydraulics off;
 * - the first command after "no command" is at the last measured position, within 0.005 of the stroke, and inside
 *   the stroke;
 * - after that: inside the stroke, first difference within the velocity, second difference within the acceleration.
 *   Outside the stroke only in the state return and in a stop out of it, and only inward.
 *
 * It counts the commands in each state, and stores the largest use of each limit. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { WATCHER_STATES = 9, WATCHER_ACTUATORS = 4 };

/* Counts and largest ratios to the limits, per state. */
typedef struct watcher_sums {
    long commands[WATCHER_STATES], nothing[WATCHER_STATES], outside;
    double stroke[WATCHER_STATES], velocity[WATCHER_STATES], acceleration[WATCHER_STATES];
} watcher_sums;

typedef struct watcher_command {
    uint64_t tick;
    uint32_t state, heartbeat, channels, commanded;
    const double *position, *velocity;
} watcher_command;

typedef struct watcher {
    int scene;
    bool wide; /* the stroke of actuator 1 is 50 m, as a row of the table requires */
    bool began, commanded, hydraulics;
    uint64_t tick;
    uint32_t heartbeat, state;
    double p[WATCHER_ACTUATORS], step[WATCHER_ACTUATORS], measured[WATCHER_ACTUATORS];
    watcher_sums sums;
    char broke[200]; /* the first violated rule; "": none */
} watcher;

extern const char *const watcher_state_names[WATCHER_STATES];

void watcher_begin(watcher *w, int scene, bool wide);
/* Measurement of the rig: positions, and whether the pressure is on. */
void watcher_said(watcher *w, int channels, const double *position, bool hydraulics);
void watcher_see(watcher *w, const watcher_command *c);
void watcher_add(watcher_sums *to, const watcher_sums *from);
