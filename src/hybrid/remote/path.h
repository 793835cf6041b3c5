/* SPDX-License-Identifier: MIT */
/* The path of the specimens between targets of a remote master (path.c); substructure.c plans it. */
#pragma once

#include "hybrid/hybrid.h"
#include "hybrid/remote/remote.h"

typedef enum ifd__phase {
    IFD__PHASE_START,   /* at the starting position, not yet answered */
    IFD__PHASE_REST,    /* waits */
    IFD__PHASE_PREDICT, /* continues the past targets */
    IFD__PHASE_BRAKE,   /* the target is late */
    IFD__PHASE_CORRECT  /* moves to a target */
} ifd__phase;

/* State and past targets of a remote. */
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

/* Present positions and velocities of the interfaces become the start of the next path. */
IFD_RT void ifd__path_start_here(ifd_hybrid *h);
/* Ticks of a step that may pass before its target is known. */
IFD_RT double ifd__path_predictable(const ifd_hybrid *h);
/* Starts a path of N ticks. */
IFD_RT void ifd__path_go(ifd_hybrid *h, ifd__phase next, double N);
/* To the newest target; to rest; to the same target as before, but at rest there. Returns the ticks that the first
 * would take without limits. */
IFD_RT double ifd__path_correct(ifd_hybrid *h);
IFD_RT void ifd__path_brake(ifd_hybrid *h);
IFD_RT void ifd__path_settle(ifd_hybrid *h);
/* Whether it does not end at rest; whether it ends as prediction starts. */
IFD_RT bool ifd__path_moves(const ifd_hybrid *h);
IFD_RT bool ifd__path_leads_on(const ifd_hybrid *h);
/* The end of the path was commanded and not reduced by a governor. */
IFD_RT bool ifd__path_arrived(const ifd_hybrid *h);
/* The interface with a command that cannot reach the end of its path; -1: none. value: requested position, and the
 * limit. */
IFD_RT int ifd__path_in_vain(const ifd_hybrid *h, double value[2]);
