/* SPDX-License-Identifier: MIT */
/* The computed side of a test: what is stepped between two exchanges with the rig.
 *
 * Two kinds: one model with its method, stepped by the schedule of its stages; and a structure cut into parts,
 * stepped by the ticks of its coupling. Either way a step has a fixed number of exchanges, evenly spaced; each
 * begins with the forces just measured (piece[].load) and ends by saying where the next one wants its forces
 * (piece[].u, piece[].v). The state stands at the beginning of x. That of parts is whole at the ends of steps
 * only. */
#ifndef IFD_RUN_COMPUTED_H
#define IFD_RUN_COMPUTED_H

#include <interfield/hybrid.h>

#include "couple/coupled.h"
#include "couple/part.h"
#include "couple/schedule.h"
#include "model/model.h"

typedef struct ifd__computed ifd__computed;

typedef struct ifd__computed_ops {
    const char *name;
    /* The initial state into x; then, with the forces measured there, everything up to the first exchange. */
    IFD_RT void (*initial)(const ifd__computed *s, double *x);
    IFD_RT void (*begin)(const ifd__computed *s, double *x);
    /* What falls due at exchange k of a step, after *step whole ones; counts on when a step is completed. */
    IFD_RT void (*exchange)(const ifd__computed *s, int k, double *step, double *x);
    IFD_RT void (*aim)(const ifd__computed *s, int k, double step, const double *x);
    /* Whether exchange k can be solved now; what it needs is waited for, for so many seconds, 0: as
     * long as it takes. NULL: always. */
    IFD_RT bool (*ready)(const ifd__computed *s, int k, double seconds);
    IFD_RT ifd_step_fault (*fault)(const ifd__computed *s, const double *x);
} ifd__computed_ops;

typedef struct ifd__computed_piece {
    const char *name; /* NULL when there is only one */
    const ifd_model *m;
    int at;               /* offset of u, v, s in x */
    bool measured;        /* whether a channel acts on it */
    double *load, *u, *v; /* n */
} ifd__computed_piece;

struct ifd__computed {
    const ifd__computed_ops *ops;
    double step;   /* s, simulated */
    int exchanges; /* in a step */
    bool lead_in;  /* the first exchange wants its forces elsewhere than at the initial state */
    int size;      /* doubles of state */
    int pieces;
    ifd__computed_piece *piece;
    ifd_stepper *stepper; /* one model */
    ifd__part part;
    ifd__schedule schedule;
    ifd__coupled *coupled;             /* parts */
    const struct ifd_program *program; /* prescribed motions */
};

/* By opt->program or opt->couple when it is there, otherwise by opt->model and opt->step. */
ifd_status ifd__computed_make(ifd_arena *arena, const ifd_hybrid_options *opt, ifd__computed *out, ifd_note *note);
ifd_status ifd__computed_one(ifd_arena *arena, const ifd_hybrid_options *opt, ifd__computed *out, ifd_note *note);
void ifd__computed_close(ifd__computed *s);

#endif
