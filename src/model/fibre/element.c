/* SPDX-License-Identifier: MIT */
/* The element of a member with fibre sections: its coordinates are the basic deformations, its states those of the
 * member. */
#include "model/fibre/element.h"

#include <string.h>

#include "base/arena.h"
#include "model/element/large_member.h"

/* The first member is the table to which the ops of an element point. */
typedef struct fibres {
    ifd_element_ops ops;
    ifd__fibre_member member;
} fibres;

static IFD_RT void eval(const ifd_element *e, const ifd_element_in *in, const ifd_element_out *out)
{
    const ifd__fibre_member *m = e->data;
    double p[IFD__BASIC];
    if (!out->r && !out->r_q)
        return;
    ifd__fibre_member_respond(m, in->s, in->q, NULL, p, out->r_q);
    if (out->r)
        memcpy(out->r, p, (size_t)e->nq * sizeof *p);
}

static IFD_RT void accept(const ifd_element *e, const ifd_element_in *in, double *s)
{
    double p[IFD__BASIC];
    ifd__fibre_member_respond(e->data, in->s, in->q, s, p, NULL);
}

static IFD_RT void energy(const ifd_element *e, const ifd_element_in *in, double *stored, double *dissipated)
{
    double p[IFD__BASIC], K[IFD__BASIC * IFD__BASIC];
    ifd__fibre_member_respond(e->data, in->s, in->q, NULL, p, K);
    ifd__fibre_member_energy(e->data, p, K, in->qd, stored, dissipated);
}

static IFD_RT double residual(const ifd_element *e, const double *s)
{
    return ifd__fibre_member_residual(e->data, s);
}

/* A reversal of any basic deformation. */
static void events(const ifd_element *e, const ifd_element_in *in, double *root)
{
    memcpy(root, in->qd, (size_t)e->nq * sizeof *root);
}

static ifd_status make(ifd_element *e, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    ifd__fibre_member *m;
    double *s0, *zero;
    ifd_element_in *rest;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(m, 1), IFD__ARRAY(zero, 3 * IFD__BASIC), IFD__ARRAY(rest, 1)));
    *m = ((const fibres *)e->ops)->member;
    e->ns = ifd__fibre_member_states(m);
    e->nroot = ifd__fibre_basic(m);
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(s0, e->ns)));
    ifd__fibre_member_start(m, s0);
    *rest = (ifd_element_in){.q = zero, .qd = zero + IFD__BASIC, .qdd = zero + 2 * IFD__BASIC, .s = s0};
    e->stiffest = rest;
    e->s0 = s0;
    e->data = m;
    return IFD_OK;
}

const ifd__fibre_member *ifd__fibre_member_of(const ifd_element *e)
{
    const ifd__large_member *large = ifd__large_member_of(e);
    if (large)
        return large->fibres ? &large->fibre : NULL;
    return e->ops->accept == accept ? e->data : NULL;
}

const void *ifd__fibre_member_passes(ifd_arena *arena, const ifd_element *e, int passes)
{
    const ifd__large_member *large = ifd__large_member_of(e);
    ifd__large_member *turning = large ? ifd__arena_copy(arena, large, 1, sizeof *turning) : NULL;
    ifd__fibre_member *own = large ? NULL : ifd__arena_copy(arena, e->data, 1, sizeof *own);
    if (turning)
        turning->fibre.passes = passes;
    if (own)
        own->passes = passes;
    return turning ? (const void *)turning : own;
}

const ifd_element_ops *ifd__fibre_member_ops(ifd_arena *arena, const ifd__fibre_member *member)
{
    static const ifd_param none[] = {{0}};
    fibres *f = ifd_arena_take(arena, sizeof *f);
    if (!f)
        return NULL;
    f->ops = (ifd_element_ops){.abi = IFD_ELEMENT_ABI,
                               .name = IFD__FIBRE_MEMBER,
                               .summary = "member with sections of fibres",
                               .equation = "p = F^-1 (v - v_r), F = L sum w b^T f b",
                               .params = none,
                               .flags = IFD_ELEMENT_SEVERAL | IFD_ELEMENT_FIBRES,
                               .make = make,
                               .eval = eval,
                               .energy = energy,
                               .accept = accept,
                               .residual = residual,
                               .events = events};
    f->member = *member;
    return &f->ops;
}
