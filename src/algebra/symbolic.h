/* SPDX-License-Identifier: MIT */
/* Symbolic analysis: ordering and supernodes of a symmetric matrix. They depend on its pattern only. An arena holds
 * the analyses of its matrices; matrices of one pattern share one. */
#pragma once

#include "algebra/solver.h"
#include "algebra/supernodes.h"

typedef struct ifd__symbolic {
    ifd__solver_kind kind;
    const char *ordering;
    long nonzeros; /* of L, without padding */
    ifd__supernodes S;
} ifd__symbolic;

ifd_status ifd__symbolic_make(ifd_arena *arena, const ifd_sparse *A, ifd__solver_kind kind,
                              const ifd__symbolic **out);
