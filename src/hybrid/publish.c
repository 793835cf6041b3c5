/* SPDX-License-Identifier: MIT */
/* Published values of a tick, in the order of the columns. */
#include "model/model.h"
#include "hybrid/force_command.h"
#include "hybrid/elastic/elastic.h"
#include "hybrid/response.h"
#include "hybrid/rest.h"
#include "hybrid/simulated_time.h"
#include "hybrid/measured_load.h"
#include "hybrid/update.h"
#include "hybrid/judge.h"

/* A massless dof follows from the state at the end of the last complete step. */
static double first_order(const ifd_hybrid *h, int number)
{
    const ifd__numerical_model *b = h->numerical.model;
    for (; number >= b->m->ngone; b++)
        number -= b->m->ngone;
    const double *u = h->x + b->at;
    return ifd__model_gone(b->m, number, h->numerical.step * ifd__test_of(h)->step, u, u + 2 * b->m->n);
}

double ifd__hybrid_shown(const ifd_hybrid *h, int i)
{
    return h->shown[i] >= 0 ? h->x[h->shown[i]] : first_order(h, -1 - h->shown[i]);
}

void ifd__hybrid_record(ifd_hybrid *h)
{
    ifd__test_state *t = ifd__test_of(h);
    double *v = h->values;
    *v++ = ifd__response_time(h);
    *v++ = t->state;
    *v++ = ifd__time_rate(h);
    *v++ = t->fault;
    *v++ = t->commanded;
    *v++ = t->wait;
    *v++ = t->wait_owner;
    *v++ = t->wait_value;
    for (int k = 0; k < h->interfaces; k++) {
        ifd__interface_state *s = ifd__interface_of(h, k);
        *v++ = s->target;
        *v++ = s->command;
        *v++ = s->measured_x;
        *v++ = s->measured_f;
        *v++ = s->measured_x - s->target;
        *v++ = s->energy;
    }
    v = ifd__drives_publish(h, v);
    v = ifd__rigs_publish(h, v);
    ifd__indicate_publish(h);
    ifd__update_publish(h);
    ifd__judge_publish(h);
    ifd__push_publish(h);
    ifd__measured_load_publish(h);
    ifd__rest_publish(h);
    ifd__elastic_publish(h);
    if (h->local) {
        ifd__response_publish(h, v);
        return;
    }
    if (!ifd__substructure_whole(&h->numerical, (int)t->exchange))
        return; /* substructures are published at the end of the last complete step: one can be on a worker now */
    for (int i = 0; i < h->shows; i++)
        *v++ = ifd__hybrid_shown(h, i);
}
