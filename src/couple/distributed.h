/* SPDX-License-Identifier: MIT */
/* Substructures distributed over processes (ifd_ranks of couple.h).
 *
 * Every process makes the same coupled set. It steps its own substructures and has their factors, links and
 * projections onto the joints; of the others it has the names and the initial state. Each substructure contributes a
 * block of numbers to an exchange, in the order of the substructures, and every process sums them in this order:
 * results do not depend on the number of processes, bit by bit. */
#pragma once

#include "couple/coupled.h"

typedef struct ifd__distributed {
    const ifd_ranks *to;
    int *owner;       /* by substructure */
    int *own_rows;    /* by substructure: its joint rows, */
    int **own;        /* and their indices */
    int *counts;      /* by rank: numbers of one exchange */
    bool *member;     /* by rank: takes part in it */
    size_t room;      /* of block */
    double *block;    /* blocks of all substructures */
    double *gathered; /* rank 0: states of the others; other ranks: their own */
    bool broken;      /* an exchange failed */
} ifd__distributed;

/* With opt->ranks: chooses the owners. Refuses measured substructures. */
ifd_status ifd__distributed_make(ifd_arena *arena, const ifd_couple_options *opt, ifd__coupled *c, ifd_note *note);

/* The rank that steps substructure p. */
static inline int ifd__rank_of(int p, int parts, int ranks)
{
    return (int)((long)p * ranks / parts);
}

/* True if this process steps substructure p. */
IFD_RT static inline bool ifd__coupled_mine(const ifd__coupled *c, int p)
{
    return !c->distributed || c->distributed->owner[p] == c->distributed->to->rank;
}

/* One exchange of `extra` numbers and `columns` vectors over the own rows of each substructure: block returns where
 * substructure p writes or reads its part, share completes all of them. columns < 0: as many as own rows, and
 * -1 - columns more. */
typedef struct ifd__exchange {
    int extra, columns;
} ifd__exchange;

/* Room for a larger exchange than those below. */
ifd_status ifd__distributed_room(ifd_arena *arena, ifd__coupled *c, const ifd__exchange *e);

IFD_RT double *ifd__distributed_block(const ifd__coupled *c, const ifd__exchange *e, int p);
IFD_RT bool ifd__distributed_share(ifd__coupled *c, const ifd__exchange *e);
/* The same among the ranks that own a substructure with part[p]; only they call it. */
IFD_RT bool ifd__distributed_among(ifd__coupled *c, const ifd__exchange *e, const bool *part);

/* block (own rows) := G_p x; block := the own rows of y; y (rows) += block. */
IFD_RT void ifd__distributed_rows(const ifd__coupled *c, int p, const double *x, double *block, double *scratch);
IFD_RT void ifd__distributed_pick(const ifd__coupled *c, int p, const double *y, double *block);
IFD_RT void ifd__distributed_add(const ifd__coupled *c, int p, const double *block, double *y);

/* Set-up: x = M_p^-1 G_p^T of one joint row, before the exchange of ifd__distributed_inertia. */
void ifd__distributed_column(const ifd__coupled *c, const ifd__interface *I, int p, int row, const double *x);

/* Collective forms of what interface.h and coupled.h do in one process: H and H0 of all substructures at set-up; the
 * sum of ifd__interface_free; gap := sum_p G_p x_p, x_p at at[p] (NULL: the current states) or, of velocities, n
 * numbers after. False: a process does not answer, or a factorisation failed. */
bool ifd__distributed_inertia(ifd__coupled *c, ifd__interface *I);
IFD_RT bool ifd__distributed_sum(ifd__coupled *c, ifd__interface *I, const ifd__views *at, double *y);
IFD_RT bool ifd__distributed_gap(ifd__coupled *c, const int *at, int derivative, const double *x, double *gap);

/* The recorded motion of all substructures to rank 0, at the end of a cycle. */
IFD_RT void ifd__distributed_gather(ifd__coupled *c, double *x);
