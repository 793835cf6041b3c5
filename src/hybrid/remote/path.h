/* SPDX-License-Identifier: MIT */
/* The path of the specimens from target to target of a remote master (path.c); substructure.c plans
 * it. */
#ifndef IFD_HYBRID_REMOTE_PATH_H
#define IFD_HYBRID_REMOTE_PATH_H

#include "hybrid/hybrid.h"
#include "hybrid/remote/remote.h"

typedef enum ifd__phase {
    IFD__PHASE_START,   /* at the starting position, not yet answered */
    IFD__PHASE_REST,    /* waits */
    IFD__PHASE_PREDICT, /* continues the past */
    IFD__PHASE_BRAKE,   /* the target is late */
    IFD__PHASE_CORRECT  /* goes to a target */
} ifd__phase;

/* A remote's state and past targets. */
IFD_RT static inline int ifd__rem_dofs(const ifd_hybrid *h)
{
    return h->numerical.model[0].m->n;
}

IFD_RT static inline ifd__remote_state *ifd__rem(const ifd_hybrid *h)
{
    return (ifd__remote_state *)(h->x + 2 * ifd__rem_dofs(h));
}

IFD_RT static inline double *ifd__rem_past(const ifd_hybrid *h, int j)
{
    return (double *)(ifd__rem(h) + 1) + j * ifd__rem_dofs(h);
}

IFD_RT static inline ifd__phase ifd__rem_phase(const ifd_hybrid *h)
{
    return (ifd__phase)(int)ifd__rem(h)->phase;
}

/* Where the interfaces are and how fast they go becomes the start of the path that is planned next. */
IFD_RT void ifd__path_start_here(ifd_hybrid *h);
/* Ticks of a step that may pass before its target is known. */
IFD_RT double ifd__path_predictable(const ifd_hybrid *h);
/* A path of N ticks begins. */
IFD_RT void ifd__path_go(ifd_hybrid *h, ifd__phase next, double N);
/* To the newest target; to rest; to the same target as before, but at rest there. */
IFD_RT void ifd__path_correct(ifd_hybrid *h);
IFD_RT void ifd__path_brake(ifd_hybrid *h);
IFD_RT void ifd__path_settle(ifd_hybrid *h);
/* Whether it does not end at rest; whether it ends as prediction begins. */
IFD_RT bool ifd__path_moves(const ifd_hybrid *h);
IFD_RT bool ifd__path_leads_on(const ifd_hybrid *h);
/* The end of the path was commanded, and not held back by a governor. */
IFD_RT bool ifd__path_arrived(const ifd_hybrid *h);
/* The interface whose command will not get to the end of its path, -1 when none; value: what it was asked for, and
 * what stands against it. */
IFD_RT int ifd__path_in_vain(const ifd_hybrid *h, double value[2]);

#endif
