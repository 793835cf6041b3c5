/* SPDX-License-Identifier: MIT */
/* P-Delta effect of gravity on a storey: r = -(P/h) q. Linear, symmetric and constant; assembled at set-up. */
#include "model/element.h"

typedef struct column {
    double P, h; /* N, m */
} column;

static const ifd_param params[] = {
    IFD_NEEDED("load", FORCE, 0, 1e15, "P, weight above the storey", IFD_AT(column, P)),
    IFD_NEEDED("height", LENGTH, 1e-3, 1e6, "h, height of the storey", IFD_AT(column, h)),
    {0}};

static IFD_RT void eval(const ifd_element *e, const ifd_element_in *in, const ifd_element_out *out)
{
    const column *d = e->data;
    double k = -d->P / d->h;
    if (out->r)
        out->r[0] = k * in->q[0];
    if (out->r_q)
        out->r_q[0] = k;
}

static IFD_RT void energy(const ifd_element *e, const ifd_element_in *in, double *stored, double *dissipated)
{
    const column *d = e->data;
    *stored = 0.5 * (-d->P / d->h) * in->q[0] * in->q[0];
    *dissipated = 0.0;
}

const ifd_element_ops ifd__element_leaning_column = {
    .abi = IFD_ELEMENT_ABI,
    .name = "leaning-column",
    .summary = "a leaning column: the P-Delta effect of the weight above a storey",
    .equation = "r = -(P/h) q",
    .params = params,
    .bytes = sizeof(column),
    .make = ifd_element_make,
    .eval = eval,
    .energy = energy,
    .flags = IFD_ELEMENT_LINEAR | IFD_ELEMENT_GRAVITY,
};
