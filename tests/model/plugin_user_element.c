/* SPDX-License-Identifier: MIT */
/* A user's own element, complete: a spring that softens, r = k q / (1 + |q|/q0), with its exact tangent. Made by
 *
 *     cc -shared -fPIC -O2 plugin_user_element.c -o user_element.so
 */
#include <interfield/element.h>

#include <math.h>

typedef struct softening {
    double k, q0;
} softening;

static const ifd_param params[] = {{.name = "stiffness",
                                    .dim = IFD_DIM_STIFFNESS,
                                    .required = true,
                                    .range = IFD_RANGE_POSITIVE,
                                    .doc = "k, at rest"},
                                   {.name = "reference",
                                    .dim = IFD_DIM_LENGTH,
                                    .required = true,
                                    .range = IFD_RANGE_POSITIVE,
                                    .doc = "q0, where the force has fallen to half of k q"},
                                   {0}};

/* Values are in the order of params. */
static ifd_status make(ifd_element *e, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    (void)note;
    softening *d = ifd_arena_take(arena, sizeof *d);
    if (!d)
        return IFD_NO_MEMORY;
    d->k = values[0].number;
    d->q0 = values[1].number;
    e->data = d;
    return IFD_OK;
}

static void eval(const ifd_element *e, const ifd_element_in *in, const ifd_element_out *out)
{
    const softening *d = e->data;
    double loss = 1 + fabs(in->q[0]) / d->q0;
    if (out->r)
        out->r[0] = d->k * in->q[0] / loss;
    if (out->r_q)
        out->r_q[0] = d->k / (loss * loss);
}

static void energy(const ifd_element *e, const ifd_element_in *in, double *stored, double *dissipated)
{
    const softening *d = e->data;
    double x = fabs(in->q[0]) / d->q0;
    *stored = d->k * d->q0 * d->q0 * (x - log1p(x));
    *dissipated = 0;
}

IFD_API const ifd_element_ops ifd_user_element = {
    .abi = IFD_ELEMENT_ABI,
    .name = "softening-spring",
    .summary = "spring that softens towards a limit force",
    .equation = "r = k q / (1 + |q|/q0)",
    .params = params,
    .attach = IFD_ATTACH_PAIR,
    .make = make,
    .eval = eval,
    .energy = energy,
};
