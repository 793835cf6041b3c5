/* SPDX-License-Identifier: MIT */
/* A user's element that remembers: elastic and perfectly plastic, r = k (q - p) within +-r_y. What has yielded, p, is
 * its state, which changes when a step is accepted and not before. */
#include <interfield/element.h>

#include <math.h>

typedef struct yielding {
    double k, yield;
} yielding;

static const ifd_param params[] = {
    {.name = "stiffness", .dim = IFD_DIM_STIFFNESS, .required = true, .range = IFD_RANGE_POSITIVE, .doc = "k"},
    {.name = "yield-force", .dim = IFD_DIM_FORCE, .required = true, .range = IFD_RANGE_POSITIVE, .doc = "r_y"},
    {0}};

static ifd_status make(ifd_element *e, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    (void)note;
    yielding *d = ifd_arena_take(arena, sizeof *d);
    if (!d)
        return IFD_NO_MEMORY;
    *d = (yielding){values[0].number, values[1].number};
    e->data = d;
    e->ns = 1;
    return IFD_OK;
}

static double force(const yielding *d, double q, double p)
{
    return fmax(-d->yield, fmin(d->yield, d->k * (q - p)));
}

static void eval(const ifd_element *e, const ifd_element_in *in, const ifd_element_out *out)
{
    const yielding *d = e->data;
    double r = force(d, in->q[0], in->s[0]);
    if (out->r)
        out->r[0] = r;
    if (out->r_q)
        out->r_q[0] = fabs(r) < d->yield ? d->k : 0;
}

static void accept(const ifd_element *e, const ifd_element_in *in, double *s)
{
    const yielding *d = e->data;
    s[0] = in->q[0] - force(d, in->q[0], in->s[0]) / d->k;
}

IFD_API const ifd_element_ops ifd_user_element = {
    .abi = IFD_ELEMENT_ABI,
    .name = "yielding-spring",
    .summary = "elastic, perfectly plastic spring",
    .equation = "r = k (q - p), |r| <= r_y",
    .params = params,
    .attach = IFD_ATTACH_PAIR,
    .make = make,
    .eval = eval,
    .accept = accept,
};
