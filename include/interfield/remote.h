/* SPDX-License-Identifier: MIT */
/* Remote: a structure computed by another program, with its specimens on the rig of this program.
 *
 * The other program, the master, sends targets: displacements of its dofs. A hybrid test (hybrid.h) with a remote
 * moves the specimens from target to target within all limits, and answers with the forces measured there. One thread
 * communicates with the master; the tick never waits for it:
 *
 *     ifd_remote *m;
 *     IFD_TRY(ifd_remote_make(arena, &(ifd_remote_options){.dofs = 1, .order = 3, .paced = true}, &m, note));
 *     options.remote = m;                                      // of the hybrid test; its model has the same dofs
 *     ...
 *     ifd_remote_say(m, &(ifd_remote_target){.number = 1, .u = {0.01}});
 *     while (!ifd_remote_hear(m, &answer) || answer.number < 1)
 *         nap();
 *
 * With a clock (paced) a step of the master takes lambda times its time step. Between the answer and the next target
 * the specimens continue along a polynomial through the past targets. The path to the new target is continuous in
 * position and velocity. If the target is late, the specimens are brought to rest. Schellenberg, Mahin and Fenves,
 * PEER 2009/104; Nakashima and Masaoka 1999. A free-running test predicts nothing: the tick waits. */
#ifndef INTERFIELD_REMOTE_H
#define INTERFIELD_REMOTE_H

#include <stdbool.h>
#include <stdint.h>

#include <interfield/arena.h>

IFD_BEGIN_DECLS

enum { IFD_REMOTE_DOFS = 64, IFD_REMOTE_ORDER = 3, IFD_REMOTE_TRIALS = 50 };

typedef enum ifd_remote_kind {
    IFD_REMOTE_TARGET,
    IFD_REMOTE_END,      /* the master has ended: ramp-out begins */
    IFD_REMOTE_LOST,     /* disconnected without a message, or silent: a fault */
    IFD_REMOTE_WRONG,    /* an invalid target */
    IFD_REMOTE_MISMATCH, /* inconsistent with the test; u[0]: its value, time: the expected value */
    IFD_REMOTE_EARLY     /* ended before the end of the test; u[0]: its simulated time, time: the end */
} ifd_remote_kind;

/* Bits of `step` of a target. */
enum {
    IFD_REMOTE_STEPS = 0xffff,   /* mask: number of time steps of the master with this target */
    IFD_REMOTE_POINT = 0x10000,  /* a point of the motion within a time step: one of several trials */
    IFD_REMOTE_STATIC = 0x20000, /* a step of a static analysis: no time passes, and the target is reached at rest */
};

/* Input of a tick; at most one per tick. */
typedef struct ifd_remote_target {
    uint64_t number; /* from 1, increasing */
    uint32_t kind;   /* ifd_remote_kind */
    uint32_t step;   /* 1: first target of a step of the master; 0: another trial of the same step; other values as
                      * above */
    double time;     /* s, time of the master */
    double u[IFD_REMOTE_DOFS];
} ifd_remote_target;

/* Measurements at a target. over: the last answer, as the test has ended or stopped. */
typedef struct ifd_remote_answer {
    uint64_t number;
    bool over;
    double u[IFD_REMOTE_DOFS]; /* measured at interfaces; otherwise those of the target */
    double f[IFD_REMOTE_DOFS]; /* resisting */
} ifd_remote_answer;

typedef struct ifd_remote_options {
    int dofs;
    int order;  /* of the predictor, 0 (hold) to IFD_REMOTE_ORDER */
    bool paced; /* the test has a clock */
    int trials; /* targets per step of the master, evenly spaced; 0 and 1: one */
} ifd_remote_options;

typedef struct ifd_remote ifd_remote;

/* Made before the test with this remote; both sides use it without locks. */
IFD_API ifd_status ifd_remote_make(ifd_arena *arena, const ifd_remote_options *o, ifd_remote **out, ifd_note *note);

/* For the thread that communicates with the master. ifd_remote_say: false if the tick has not yet taken the previous
 * target. ifd_remote_hear: the next answer; false: none. */
IFD_API bool ifd_remote_say(ifd_remote *r, const ifd_remote_target *target);
IFD_API bool ifd_remote_hear(ifd_remote *r, ifd_remote_answer *out);
/* Free-running: a descriptor that becomes readable with every answer; read 8 bytes to reset it. -1 with a clock. */
IFD_API int ifd_remote_bell(const ifd_remote *r);

IFD_END_DECLS
#endif
