/* SPDX-License-Identifier: MIT */
/* The blocks of a condensation: slaves that no matrix connects to slaves of another block, and their kept
 * neighbours. */
#pragma once

#include "model/build/system.h"

typedef struct ifd__block {
    int ns, nk;
    int *slave;
    int *kept;    /* sorted */
    double *X;    /* ns x nk */
    bool used[3]; /* the matrix has entries on slaves of this block */
} ifd__block;

typedef struct ifd__blocks {
    ifd_arena *arena;
    const ifd_builder *b;
    const bool *slave;
    ifd__system *s;
    int size, nblock; /* dofs and supports */
    ifd__block *block;
    int *block_of; /* of a slave */
    int *local;    /* slave: its row in the block; kept dof: its place in the current block */
    int *number;   /* kept dof: its new index */
    int n;         /* kept dofs */
} ifd__blocks;

/* Finds blocks and neighbours; arena, b, slave, s and size are set. */
ifd_status ifd__blocks_find(ifd__blocks *w);

/* Numbers the kept neighbours of a block in w->local, for the next three functions. */
void ifd__block_place(const ifd__blocks *w, const ifd__block *c);
/* out (ns x nk) := Ask */
void ifd__block_take(const ifd__blocks *w, const ifd__block *c, const ifd_sparse *A, double *out);

/* With X of every block set: the matrices T^T A T, T composed with that of the system, dofs renumbered. */
ifd_status ifd__blocks_apply(ifd__blocks *w, ifd__system *s);

static inline bool ifd__is_slave(const ifd__blocks *w, int i)
{
    return i < w->s->n && w->slave[i];
}
