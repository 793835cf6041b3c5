/* SPDX-License-Identifier: MIT */
/* Finds which root of a matrix belongs to a root of its power. */
#include "analysis/basis.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

#include <interfield/analysis.h>

static const double spanned =
    1e-7; /* relative distance from the space of the others below which they span a vector */

void ifd__basis_begin(ifd__basis *s, int n, double *room)
{
    *s = (ifd__basis){.n = n};
    for (size_t i = 0; i < 4; i++) {
        s->b[i] = room + i * (size_t)n;
        s->Ab[i] = room + (4 + i) * (size_t)n;
    }
}

void ifd__basis_append(ifd__basis *s, double *v)
{
    double before = cblas_dnrm2(s->n, v, 1);
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < s->count; i++)
            cblas_daxpy(s->n, -cblas_ddot(s->n, s->b[i], 1, v, 1), s->b[i], 1, v, 1);
    double size = cblas_dnrm2(s->n, v, 1);
    if (!(size > spanned * before) || s->count == 4)
        return;
    cblas_dscal(s->n, 1.0 / size, v, 1);
    memcpy(s->b[s->count++], v, sizeof *v * (size_t)s->n);
}

bool ifd__basis_root(const ifd__basis *s, int stride, double *real, double *imag)
{
    double H[16], re[4], im[4], least = (double)INFINITY, size = hypot(*real, *imag);
    double modulus = pow(size, 1.0 / stride), wanted[2] = {*real, *imag};
    for (int j = 0; j < s->count; j++)
        for (int i = 0; i < s->count; i++)
            H[i + j * s->count] = cblas_ddot(s->n, s->b[i], 1, s->Ab[j], 1);
    if (s->count == 0 || ifd_roots(s->count, H, re, im, NULL) != IFD_OK)
        return false;
    for (int i = 0; i < s->count; i++) {
        double turned = atan2(im[i], re[i]), power = pow(hypot(re[i], im[i]), stride);
        double off = hypot(power * cos(stride * turned) - wanted[0], power * sin(stride * turned) - wanted[1]);
        if (off < least) {
            least = off;
            *real = modulus * cos(turned);
            *imag = modulus * sin(turned);
        }
    }
    return isfinite(least);
}
