/* SPDX-License-Identifier: MIT */
/* The root of A that belongs to a root of A^stride.
 *
 * Several roots of A may have one power, such as a pair whose angle times the stride is a multiple of pi. The vector
 * v of that power is then a mixture of theirs, and v^H A v / v^H v is no root. v and A v span the vectors of two of
 * them; in that space A is a matrix of order four at most. */
#pragma once

#include <stdbool.h>

/* Orthonormal vectors b of length n, and A b, which the caller computes. */
typedef struct ifd__basis {
    int n, count;
    double *b[4], *Ab[4];
} ifd__basis;

/* room: 8 n. */
void ifd__basis_begin(ifd__basis *s, int n, double *room);
/* Appends v, which is overwritten, unless the others span it. At most four are appended. */
void ifd__basis_append(ifd__basis *s, double *v);
/* In: a root of A^stride. Out: that of A in the basis whose power is nearest, with the modulus of the root of the
 * power. False if there is none. */
bool ifd__basis_root(const ifd__basis *s, int stride, double *real, double *imag);
