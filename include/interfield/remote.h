/* SPDX-License-Identifier: MIT */
/* Remote: a structure that another program computes, while its specimens stand on our rig.
 *
 * The other program, the master, sends one target after the other: displacements of its dofs. A hybrid test
 * (hybrid.h) whose options name a remote leads the specimens from target to target, inside every limit, and answers
 * with the forces measured there. One thread speaks for the master; the tick never waits for it:
 *
 *     ifd_remote *m;
 *     IFD_TRY(ifd_remote_make(arena, &(ifd_remote_options){.dofs = 1, .order = 3, .paced = true}, &m, note));
 *     options.remote = m;                                      // of the hybrid test, whose model has the same dofs
 *     ...
 *     ifd_remote_say(m, &(ifd_remote_target){.number = 1, .u = {0.01}});
 *     while (!ifd_remote_hear(m, &answer) || answer.number < 1)
 *         nap();
 *
 * With a clock (paced) a step of the master takes lambda times its time step. Between the answer and the next target
 * the specimens go on along a polynomial through the past targets; when the target comes the path is bent towards it
 * so that position and velocity are continuous. A master that is late finds them braked, then at rest. Schellenberg,
 * Mahin and Fenves, PEER 2009/104; Nakashima and Masaoka 1999. Without a clock nothing is predicted: the
 * tick waits. */
#ifndef INTERFIELD_REMOTE_H
#define INTERFIELD_REMOTE_H

#include <stdbool.h>
#include <stdint.h>

#include <interfield/arena.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { IFD_REMOTE_DOFS = 64, IFD_REMOTE_ORDER = 3, IFD_REMOTE_TRIALS = 50 };

typedef enum ifd_remote_kind {
    IFD_REMOTE_TARGET,
    IFD_REMOTE_END,      /* the master is done: the way out begins */
    IFD_REMOTE_LOST,     /* it went away without saying so, or is silent: the same as a fault */
    IFD_REMOTE_WRONG,    /* it sent what is no target */
    IFD_REMOTE_MISMATCH, /* it does not fit the test; u[0]: what it has, time: what was expected */
    IFD_REMOTE_EARLY     /* it is done before the end of the test; u[0]: its simulated time, time: the end */
} ifd_remote_kind;

/* What `step` of a target holds besides a number of time steps. */
enum {
    IFD_REMOTE_STEPS = 0xffff,   /* of these bits: time steps of the master that pass with this target */
    IFD_REMOTE_POINT = 0x10000,  /* a point of the motion, though no time step ends here: one of several trials */
    IFD_REMOTE_STATIC = 0x20000, /* a step of a static analysis: no time passes, and the target is reached at rest */
};

/* What enters a tick; at most one per tick. */
typedef struct ifd_remote_target {
    uint64_t number; /* counts from 1, rising */
    uint32_t kind;   /* ifd_remote_kind */
    uint32_t step;   /* 1: the first target of a step of the master; 0: it tries again within the same step; other
                      * values as above */
    double time;     /* s, by the master's clock */
    double u[IFD_REMOTE_DOFS];
} ifd_remote_target;

/* What was measured at a target. over: there will be no other, the test has ended or has been stopped. */
typedef struct ifd_remote_answer {
    uint64_t number;
    bool over;
    double u[IFD_REMOTE_DOFS]; /* as far as the specimens tell; otherwise the target's */
    double f[IFD_REMOTE_DOFS]; /* resisting */
} ifd_remote_answer;

typedef struct ifd_remote_options {
    int dofs;
    int order;  /* of the predictor, 0 (stay) to IFD_REMOTE_ORDER */
    bool paced; /* the test has a clock */
    int trials; /* targets of one step of the master, spread over it evenly; 0 and 1: one */
} ifd_remote_options;

typedef struct ifd_remote ifd_remote;

/* Made before the test whose options name it; both sides use it without locks. */
IFD_API ifd_status ifd_remote_make(ifd_arena *arena, const ifd_remote_options *o, ifd_remote **out, ifd_note *note);

/* For the one thread that speaks for the master. say: false when the tick has not yet taken what was said before.
 * hear: the next answer; false when there is none. */
IFD_API bool ifd_remote_say(ifd_remote *r, const ifd_remote_target *target);
IFD_API bool ifd_remote_hear(ifd_remote *r, ifd_remote_answer *out);
/* Without a clock: a descriptor that becomes readable with every answer, to be read empty (8 bytes). -1 with a
 * clock. */
IFD_API int ifd_remote_bell(const ifd_remote *r);

#ifdef __cplusplus
}
#endif
#endif
