/* SPDX-License-Identifier: MIT */
/* P-Delta effect of gravity on a storey: r = -(P/h) q. Linear, symmetric and constant; assembled at set-up. */
#include "model/element.h"

typedef struct column {
    double k; /* -P/h, N/m */
} column;

static const ifd_param params[] = {{.name = "load",
                                    .dim = IFD_DIM_FORCE,
                                    .required = true,
                                    IFD_WITHIN(0, 1e15),
                                    .doc = "P, weight above the storey that the column carries"},
                                   {.name = "height",
                                    .dim = IFD_DIM_LENGTH,
                                    .required = true,
                                    IFD_WITHIN(1e-3, 1e6),
                                    .doc = "h, height of the storey"},
                                   {0}};

static ifd_status make(ifd_element *e, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    column d = {-ifd__element_number(params, values, "load") / ifd__element_number(params, values, "height")};
    (void)note;
    return ifd__element_keep(e, arena, &d, sizeof d);
}

static IFD_RT void eval(const ifd_element *e, const ifd_element_in *in, const ifd_element_out *out)
{
    const column *d = e->data;
    if (out->r)
        out->r[0] = d->k * in->q[0];
    if (out->r_q)
        out->r_q[0] = d->k;
}

static IFD_RT void energy(const ifd_element *e, const ifd_element_in *in, double *stored, double *dissipated)
{
    const column *d = e->data;
    *stored = 0.5 * d->k * in->q[0] * in->q[0];
    *dissipated = 0.0;
}

const ifd_element_ops ifd__element_leaning_column = {
    .abi = IFD_ELEMENT_ABI,
    .name = "leaning-column",
    .summary = "P-Delta effect of the weight that a storey carries (leaning column)",
    .equation = "r = -(P/h) q",
    .params = params,
    .attach = IFD_ATTACH_PAIR,
    .make = make,
    .eval = eval,
    .energy = energy,
    .flags = IFD_ELEMENT_LINEAR | IFD_ELEMENT_GRAVITY,
};
