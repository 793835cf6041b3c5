/* SPDX-License-Identifier: MIT */
/* What a tick of a test shows, in the order of its columns. */
#include "model/model.h"
#include "run/pace.h"

/* A dof without mass follows from the state at the end of the last whole step. */
static double first_order(const ifd_hybrid *h, int number)
{
    const ifd__computed_piece *b = h->computed.piece;
    for (; number >= b->m->ngone; b++)
        number -= b->m->ngone;
    const double *u = h->x + b->at;
    return ifd__model_gone(b->m, number, h->computed.step * *ifd__hyb(h, HYB_STEP), u, u + 2 * b->m->n);
}

double ifd__hybrid_shown(const ifd_hybrid *h, int i)
{
    return h->shown[i] >= 0 ? h->x[h->shown[i]] : first_order(h, -1 - h->shown[i]);
}

void ifd__hybrid_publish(ifd_hybrid *h)
{
    double *v = h->values;
    *v++ = ifd_hybrid_time(h);
    *v++ = *ifd__hyb(h, HYB_STATE);
    *v++ = ifd__pace_rate(h);
    *v++ = *ifd__hyb(h, HYB_TRIP);
    *v++ = *ifd__hyb(h, HYB_COMMANDED);
    *v++ = *ifd__hyb(h, HYB_WAIT);
    *v++ = *ifd__hyb(h, HYB_WAIT_CHANNEL);
    *v++ = *ifd__hyb(h, HYB_WAIT_VALUE);
    for (int k = 0; k < h->channels; k++) {
        *v++ = *ifd__way_row(h, k, CH_WANTED);
        *v++ = *ifd__way_row(h, k, CH_P);
        *v++ = *ifd__way_row(h, k, CH_XM);
        *v++ = *ifd__way_row(h, k, CH_FM);
        *v++ = *ifd__way_row(h, k, CH_XM) - *ifd__way_row(h, k, CH_WANTED);
        *v++ = *ifd__way_row(h, k, CH_ENERGY);
    }
    v = ifd__drives_publish(h, v);
    ifd__indicate_publish(h);
    if (h->computed.coupled && *ifd__hyb(h, HYB_DUE) > 0.0)
        return; /* parts are shown where the last whole step ended: one of them may be on a worker now */
    for (int i = 0; i < h->shows; i++)
        *v++ = ifd__hybrid_shown(h, i);
}
