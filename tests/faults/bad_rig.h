/* SPDX-License-Identifier: MIT */
/* A rig with injected faults: the virtual rig with sensors, wires and a valve that can fail, and a check of
 * every command.
 *
 * Checks of each command, against the limits of the rig: finite; inside the stroke; velocity and acceleration as
 * differences of commands. No position is commanded in idle and with the hydraulics off; the first command is at the
 * measured position. After a trip every actuator decelerates in every tick, never reverses, and is at rest as soon as
 * its acceleration limit permits. Ramp-out is never faster than its creep speed or, while an acceleration decays, 1.4
 * times the earlier speed; out of ramp-in, than a ramp whose parameter slows by 1 - 3 s^2 + 2 s^3 until it rests,
 * which may gain speed in its first half, and after that than its creep speed. The first command that violates a rule
 * is described. */
#pragma once

#include <interfield/hybrid.h>

#include "faults/watcher.h"

/* Acknowledgement of a rig with a wrong tick. */
enum {
    ACK_FINE,
    ACK_ZERO,
    ACK_STAYS,
    ACK_MINUS_ONE,
    ACK_AHEAD,
    ACK_HUGE,
    ACK_BACKWARDS,
    ACK_AHEAD_EACH_SECOND,
    ACK_ZERO_EACH_SECOND,
    ACK_COUNT
};

/* The fault, from its onset. Zero everywhere: none. */
typedef struct trouble {
    long ticks;             /* duration; 0: until it is repaired */
    int who;                /* the actuator with the faulty sensors */
    double position, force; /* added to the measurement, in units of the rig; NaN and infinities are unchanged */
    double place;           /* m, position of the actuator when commanded to 0 in its coordinate */
    double drift;           /* of the position, per s */
    double gain;            /* of the force; 0: 1 */
    double fade;            /* 1/s, decay of the force */
    double dead;            /* N, the force is noise of this size and nothing else; 0: it is not */
    double specimen;        /* m/s, drift of the position of a specimen (auxiliary input 1) */
    bool stuck;             /* the position is constant */
    bool force_stuck;       /* the force is constant */
    bool silent;            /* no measurements */
    bool deaf;              /* commands are not received */
    int ack;                /* an ACK_ from above */
    bool twice;             /* every measurement is repeated */
    bool swapped;           /* every second measurement precedes its predecessor */
    double weak;            /* remaining range of the actuator around its position; 0: unlimited */
    uint32_t set, clear;    /* digital inputs */
    double late;            /* ticks by which every tick is late */
    bool job_late;          /* the substructure on a worker is not ready */
    ifd_order order;        /* given once */
    int master;             /* behaviour of the master: a MASTER_ of scene.h */
} trouble;

typedef struct bad_rig {
    ifd_rig_ops ops; /* for the options of the test */
    bool broken;     /* the fault is active */
    trouble t;
    bool linked; /* actuators move one block: each brakes with the block */
    ifd_limits limits[IFD_RIG_ACTUATORS];
    double dt, creep;                  /* s; of ramp-out, as a fraction of the velocity limit, 0: not checked */
    long senses, commands, since;      /* since: calls of sense after the onset */
    ifd_measure said, before[2];       /* the last one sent, the last two actual ones */
    double held, stuck_at;             /* m: command of the weak actuator, position of the stuck one, at the onset */
    double force_at;                   /* N, of the stuck load cell */
    double fastest[IFD_RIG_ACTUATORS]; /* m per tick, before ramp-out */
    double ramp_in;                    /* s, of each part of a ramp; 0: ramp-in has other motions */
    long ramped, slowing;              /* ticks of the ramp; of ramp-out out of a ramp, -1: out of another motion */
    double entry[IFD_RIG_ACTUATORS], brake; /* m per tick, at the stop of a ramp; s, its brake */
    double origin[IFD_RIG_ACTUATORS], distance[IFD_RIG_ACTUATORS]; /* m, of the ramp */
    uint64_t heard, heard_at;                                      /* newest command; at the onset */
    double p[IFD_RIG_ACTUATORS], w[IFD_RIG_ACTUATORS];             /* last command and step */
    uint32_t state, commanded, outputs;
    long braking[IFD_RIG_ACTUATORS]; /* remaining ticks to rest after a trip */
    bool rest;                       /* no motion in the last command */
    long orders;                     /* motions that began by their order */
    char broke[200];                 /* the first violated rule; "": none */
    watcher eye;                     /* an independent check */
} bad_rig;

/* One at a time, as the functions of a rig have no other data. */
extern bad_rig bad;

void bad_rig_init(void);
/* Once the test is made. */
void bad_rig_watch(const ifd_hybrid *h);
void bad_rig_break(const trouble *t);
void bad_rig_repair(void);
