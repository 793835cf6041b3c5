/* SPDX-License-Identifier: MIT */
/* A rig that goes wrong when told to: the virtual laboratory behind sensors, wires and a valve that can fail, with an
 * eye on every command that reaches it.
 *
 * Of each command it checks, against the limits that the rig itself would keep: finite; inside the stroke;
 * velocity and acceleration as differences of commands. Nothing is commanded in idle and with the hydraulics off;
 * the first command is where the rig was just measured. After a trip every actuator slows down from tick to tick,
 * never turns round, and is at rest as soon as its limit of acceleration allows. Ramp-out is never faster than its
 * creeping speed or, while an acceleration fades, 1.4 times what came before. The first command that breaks a rule is
 * described. */
#ifndef TESTS_FAULTS_BAD_RIG_H
#define TESTS_FAULTS_BAD_RIG_H

#include <interfield/hybrid.h>

#include "faults/watcher.h"

/* What a rig acknowledges that does not say which command it has. */
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

/* What goes wrong, from the tick at which it strikes. Zero everywhere: nothing. */
typedef struct trouble {
    long ticks;             /* how long it lasts; 0: until it is repaired */
    int who;                /* the actuator whose sensors it is about */
    double position, force; /* added to what is measured, in the rig's units; NaN and infinities stay what they are */
    double place;           /* m, where the actuator stands when it is commanded to 0 by its own coordinate */
    double drift;           /* of the position, per s */
    double gain;            /* of the force; 0: 1 */
    bool stuck;             /* the position stays what it was */
    bool force_stuck;       /* the force does */
    bool silent;            /* nothing is said */
    bool deaf;              /* commands are not heard */
    int ack;                /* an ACK_ from above */
    bool twice;             /* every measurement comes twice */
    bool swapped;           /* every other measurement comes before the one it follows */
    double weak;            /* how far the actuator still gets from where it was; 0: anywhere */
    uint32_t set, clear;    /* digital inputs */
    double late;            /* ticks by which every tick begins late */
    bool job_late;          /* the part on a worker is not ready */
    ifd_order order;        /* that comes once */
    int master;             /* what the master does: a MASTER_ of scene.h */
} trouble;

typedef struct bad_rig {
    ifd_rig_ops ops; /* for the test's options */
    bool broken;     /* the trouble is there */
    trouble t;
    bool linked; /* actuators move one block: each brakes as the block does, not as it could by itself */
    ifd_limits limits[IFD_RIG_CHANNELS];
    double dt, creep;                 /* s; of ramp-out, as a share of the velocity limit, 0: not looked at */
    long senses, commands, since;     /* since it broke: calls of sense */
    ifd_measure said, before[2];      /* the last that was said, the last two that were true */
    double held, stuck_at;            /* m: command of the weak actuator, position of the stuck one, when it broke */
    double force_at;                  /* N, of the stuck load cell */
    double fastest[IFD_RIG_CHANNELS]; /* m per tick, before ramp-out */
    uint64_t heard, heard_at;         /* newest command; when it broke */
    double p[IFD_RIG_CHANNELS], w[IFD_RIG_CHANNELS]; /* last command and step */
    uint32_t state, commanded;
    long braking[IFD_RIG_CHANNELS]; /* ticks left to come to rest after a trip */
    bool rest;                      /* nothing moved in the last command */
    char broke[200];                /* the first rule broken; "" when none */
    watcher eye;                    /* an independent one */
} bad_rig;

/* There is one at a time: the functions of a rig know only its own data. */
extern bad_rig bad;

void bad_rig_init(void);
/* Once the test is made. */
void bad_rig_watch(const ifd_hybrid *h);
void bad_rig_break(const trouble *t);
void bad_rig_repair(void);

#endif
