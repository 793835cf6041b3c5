/* SPDX-License-Identifier: MIT */
/* Grows a superelement until its bound is met. */
#include "superelement/superelement.h"

#include <math.h>

enum { FIRST_BLOCKS = 8, MANY = 400 };
static const double GROWTH = 1.25;                      /* of the order from one certificate to the next */
static const double LOW_SHIFT = 0.3, HIGH_SHIFT = 0.75; /* of the highest frequency */
static const double CROWDED = 0.8; /* share of the reduced modes in the range from which the high shift is better */

typedef struct search {
    const ifd__linear_structure *of;
    const ifd__superelement_goal *goal;
    ifd_arena *arena;
    ifd_note *note;
} search;

/* The order up to which the basis grows, before the static shapes of the watched rows are added. */
static int growing(const search *k, int order)
{
    return order >= k->of->K->n ? k->of->K->n : order - (k->of->watched - k->of->modal);
}

static ifd_status certify(ifd__basis *b, double frequency, ifd__certificate *out, ifd_note *note)
{
    ifd__diagonal d;
    ifd__certifier *c;
    ifd_arena *scratch = ifd_arena_open();
    ifd__basis_close(b);
    ifd_status status = scratch ? ifd__diagonal_make(scratch, b, &d, note) : IFD_NO_MEMORY;
    if (status == IFD_OK)
        status = ifd__certifier_make(scratch, b, &d, &c);
    if (status == IFD_OK)
        status = ifd__certify(scratch, c, frequency, out);
    ifd__basis_open(b);
    ifd_arena_close(scratch);
    return status;
}

/* Grows the basis until the certificate meets the tolerance. With may_stop it ends early where a higher shift will do
 * better. */
static ifd_status grow(const search *k, ifd__basis *b, bool may_stop, ifd__certificate *out)
{
    const ifd__superelement_goal *goal = k->goal;
    double order = goal->order ? growing(k, goal->order) : (double)FIRST_BLOCKS * b->driven + b->modes;
    for (;; order *= GROWTH) {
        ifd__basis_extend(b, (int)ceil(order));
        IFD_TRY(certify(b, goal->frequency, out, k->note));
        if (goal->order || out->bound <= goal->tolerance || b->complete || b->order < (int)ceil(order))
            return IFD_OK;
        if (may_stop && b->order >= MANY && out->below > CROWDED)
            return IFD_OK;
    }
}

/* Tries one shift and keeps what it made when its certificate is better than the last one. */
static ifd_status try_shift(const search *k, double shift, bool may_stop, ifd__superelement *best)
{
    ifd__basis b;
    ifd__diagonal d;
    ifd__certificate certificate;
    double radians = 2.0 * acos(-1.0) * shift;
    ifd_arena *scratch = ifd_arena_open();
    ifd_status status = IFD_NO_MEMORY;
    if (scratch)
        status = ifd__basis_make(scratch, k->of, radians, growing(k, k->goal->most), &b, k->note);
    if (status == IFD_OK)
        status = grow(k, &b, may_stop, &certificate);
    if (status == IFD_OK && (!best->form.order || certificate.bound < best->certificate.bound)) {
        *best = (ifd__superelement){.certificate = certificate, .shift = shift, .complete = b.complete};
        ifd__basis_close(&b);
        status = ifd__diagonal_make(scratch, &b, &d, k->note);
        if (status == IFD_OK)
            status = ifd__physical_make(k->arena, scratch, &b, &d, &best->form);
    }
    ifd_arena_close(scratch);
    return status;
}

ifd_status ifd__superelement_make(ifd_arena *arena, const ifd__linear_structure *of,
                                  const ifd__superelement_goal *goal, ifd__superelement *out, ifd_note *note)
{
    ifd__linear_structure with = *of;
    with.factoriser = ifd__arena_factoriser(arena);
    search k = {.of = &with, .goal = goal, .arena = arena, .note = note};
    bool chosen = goal->shift > 0.0;
    *out = (ifd__superelement){.shift = 0.0};
    IFD_TRY(try_shift(&k, chosen ? goal->shift : LOW_SHIFT * goal->frequency, !chosen, out));
    const ifd__certificate *c = &out->certificate;
    if (chosen || goal->order || c->bound <= goal->tolerance || out->complete || c->below <= CROWDED)
        return IFD_OK;
    IFD_TRY(try_shift(&k, HIGH_SHIFT * goal->frequency, false, out));
    if (c->bound <= goal->tolerance || out->complete)
        return IFD_OK;
    return try_shift(&k, LOW_SHIFT * goal->frequency, false, out); /* it ended early */
}
