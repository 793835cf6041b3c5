/* SPDX-License-Identifier: MIT */
/* A spring that remembers where it was accepted last and how often: states q, count. */
#pragma once

#include "method/fixtures.h"

static const ifd_param witness_params[] = {{.name = "stiffness", .doc = "k"}, {0}};

static ifd_status witness_make(ifd_element *e, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    (void)note;
    double *k = ifd_arena_take(arena, sizeof *k);
    if (!k)
        return IFD_NO_MEMORY;
    *k = values[0].number;
    e->data = k;
    e->ns = 2;
    return IFD_OK;
}

static void witness_eval(const ifd_element *e, const ifd_element_in *in, const ifd_element_out *out)
{
    const double *k = e->data;
    if (out->r)
        out->r[0] = *k * in->q[0];
    if (out->r_q)
        out->r_q[0] = *k;
}

static void witness_accept(const ifd_element *e, const ifd_element_in *in, double *s)
{
    (void)e;
    s[1] += in->q[0] != s[0];
    s[0] = in->q[0];
}

static const ifd_element_ops witness = {.abi = IFD_ELEMENT_ABI,
                                        .name = "witness",
                                        .params = witness_params,
                                        .attach = IFD_ATTACH_PAIR,
                                        .make = witness_make,
                                        .eval = witness_eval,
                                        .accept = witness_accept};

UNUSED static void add_witness(ifd_builder *b, int from, int to, double k)
{
    const ifd_value v = ifd_number(k);
    const ifd_coordinate q = {2, (int[]){to, from}, (double[]){1, -1}};
    assert_int_equal(ifd_builder_element(b, &witness, "witness", &(ifd_coordinates){1, &q}, &v, NULL), IFD_OK);
}
