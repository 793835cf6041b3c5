/* SPDX-License-Identifier: MIT */
/* Product: a symmetric matrix packed for fast multiplication; its lower triangle is read once for both halves.
 *
 *     ifd__product *p;
 *     IFD_TRY(ifd__product_make(arena, &A, &p));
 *     double *w = ifd_arena_array(arena, ifd__product_work(p), sizeof *w);
 *     ...
 *     ifd__product_mul_add(p, alpha, x, y, w);      // IFD_RT: y += alpha A x
 *
 * Diagonal and unsymmetric matrices are taken too. Keeps a reference to A. Never changes after make. */
#ifndef IFD_BASE_PRODUCT_H
#define IFD_BASE_PRODUCT_H

#include <stddef.h>

#include "base/sparse.h"

typedef struct ifd__product ifd__product;

ifd_status ifd__product_make(ifd_arena *arena, const ifd_sparse *A, ifd__product **out);

/* With a given variant of the kernels, and packed even where that is not expected to pay. For tests. */
struct ifd__kernels;
ifd_status ifd__product_make_with(ifd_arena *arena, const ifd_sparse *A, const struct ifd__kernels *kernels,
                                  ifd__product **out);

/* Doubles of scratch that mul_add needs. */
size_t ifd__product_work(const ifd__product *product);

/* y += alpha A x. x, y and w do not overlap; w 64-byte aligned. */
IFD_RT void ifd__product_mul_add(const ifd__product *product, double alpha, const double *x, double *y, double *w);

#endif
