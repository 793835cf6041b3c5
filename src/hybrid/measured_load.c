/* SPDX-License-Identifier: MIT */
#include "hybrid/measured_load.h"
#include "hybrid/columns.h"

#include <math.h>
#include <string.h>

#include "hybrid/response.h"
#include "hybrid/update.h"
#include "hybrid/unit.h"

typedef struct ifd__pressed {
    const ifd_measured_load *o;
    const ifd__numerical_model *b;
    int element;
    double most;    /* of the factor */
    double *q, *qd; /* coordinates of the model: scratch memory */
} ifd__pressed;

static ifd_status find(ifd_hybrid *h, ifd__pressed *p, ifd_note *note)
{
    for (int i = 0; i < h->numerical.models && !p->b; i++) {
        const ifd__numerical_model *b = &h->numerical.model[i];
        int e = p->o->part >= 0 && p->o->part != i ? -1 : ifd__update_element(b->m, p->o->element);
        const ifd_element *it = e < 0 ? NULL : &b->m->element[e];
        if (it && it->ops->load_factor && it->ops->load_factor(it) >= 0) {
            p->b = b;
            p->element = e;
        }
    }
    return p->b ? IFD_OK
                : ifd_note_add(note, IFD_UNKNOWN_NAME, NULL,
                               "measured load of '%s': the structure has no friction-pendulum of this name with a "
                               "measured load",
                               p->o->element);
}

static ifd_status make_one(ifd_hybrid *h, ifd_arena *arena, int i, ifd_note *note)
{
    ifd__pressed *p = &h->pressed[i];
    p->o = &h->opt.measured_load[i];
    if (p->o->interface < 0 || p->o->interface >= h->interfaces || !h->opt.interface[p->o->interface].force)
        return ifd_note_add(note, IFD_RANGE, NULL,
                            "measured load of '%s': expected an interface of the test in force control",
                            p->o->element);
    if (!(fabs(p->o->reference) > 0.0) || !isfinite(p->o->reference))
        return ifd_note_add(note, IFD_RANGE, NULL,
                            "measured load of '%s': the reference is %g N, expected another one", p->o->element,
                            p->o->reference);
    IFD_TRY(find(h, p, note));
    p->most = h->opt.interface[p->o->interface].limits.force / fabs(p->o->reference);
    return IFD__TAKE(arena, IFD__ARRAY(p->q, p->b->m->nq), IFD__ARRAY(p->qd, p->b->m->nq));
}

static ifd_status make(ifd_hybrid *h, ifd_arena *arena, ifd_note *note)
{
    if (h->opt.remote)
        return ifd_note_add(note, IFD_UNSUPPORTED, NULL,
                            "a measured load needs a structure that this program computes");
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(h->pressed, h->opt.measured_loads)));
    for (int i = 0; i < h->opt.measured_loads; i++)
        IFD_TRY(make_one(h, arena, i, note));
    return IFD_OK;
}

/* The states of the bearing; the last one is the change of its load. */
static IFD_RT double *states_of(const ifd_hybrid *h, const ifd__pressed *p)
{
    return h->x + p->b->at + 2 * p->b->m->n + p->b->m->s_of[p->element];
}

static IFD_RT double *change_of(const ifd_hybrid *h, const ifd__pressed *p)
{
    const ifd_element *e = &p->b->m->element[p->element];
    return states_of(h, p) + e->ops->load_factor(e);
}

static IFD_RT double stored(const ifd_hybrid *h, const ifd__pressed *p, double t)
{
    const ifd_model *m = p->b->m;
    const double *q = p->q + m->q_of[p->element], *v = p->qd + m->q_of[p->element];
    const ifd_element_in in = {.t = t, .q = q, .qd = v, .qdd = v, .s = states_of(h, p)};
    double energy = 0.0, power = 0.0;
    m->element[p->element].ops->energy(&m->element[p->element], &in, &energy, &power);
    return energy;
}

static IFD_RT void use_one(ifd_hybrid *h, const ifd__pressed *p)
{
    double t = h->numerical.step * ifd__test_of(h)->step;
    double factor = ifd__interface_of(h, p->o->interface)->measured_f / p->o->reference;
    const double *x = h->x + p->b->at;
    if (!isfinite(factor))
        return;
    ifd__model_coordinates(p->b->m, t, x, x + p->b->m->n, p->q, p->qd);
    double before = stored(h, p, t);
    *change_of(h, p) = fmax(0.0, fmin(p->most, factor)) - 1.0;
    if (h->local)
        ifd__response_state_of(h)->balance.updates += stored(h, p, t) - before;
}

void ifd__measured_load_use(ifd_hybrid *h)
{
    if (h->facts.frozen || ifd__test_of(h)->exchange != 0.0)
        return;
    for (int i = 0; i < h->opt.measured_loads; i++)
        use_one(h, &h->pressed[i]);
}

static double factor(const ifd__column_source *source)
{
    const ifd_hybrid *h = source->self;
    return 1.0 + *change_of(h, &h->pressed[source->index]);
}

static ifd_status columns(ifd_hybrid *h, ifd_arena *arena)
{
    static const ifd__column_row row = {IFD_COLUMN_LOAD_FACTOR, 0, factor};
    for (int i = 0; i < h->opt.measured_loads; i++)
        IFD_TRY(ifd__columns_add(
            h, arena,
            &(ifd__column_set){.owner = h->opt.measured_load[i].element, .index = i, .row = &row, .rows = 1}));
    return IFD_OK;
}

static bool asked(const ifd_hybrid *h)
{
    return h->opt.measured_loads > 0;
}

const ifd__unit ifd__unit_measured_load = {.name = "measured load",
                                           .about = "an element takes its load from an actuator",
                                           .h.asked = asked,
                                           .h.make = make,
                                           .h.columns = columns,
                                           .h.step = ifd__measured_load_use};
