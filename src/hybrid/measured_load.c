/* SPDX-License-Identifier: MIT */
/* Compressions of sliding bearings of the structure that follow the measured force of an actuator in force control.
 *
 * At the beginning of a step the bearing takes the newest measured force. A force that is not a number, or no new
 * measurement, leaves its last value. The change of its stored energy enters the balance with that of updates. While
 * a loop is probed nothing changes. */
#include <math.h>
#include <string.h>

#include "hybrid/update.h"
#include "hybrid/unit.h"

typedef struct pressed {
    const ifd_measured_load *o;
    const ifd__numerical_model *b;
    int element;
    double most;    /* of the factor */
    double *q, *qd; /* coordinates of the model: scratch memory */
} pressed;

static ifd_status find(const ifd__facts *f, pressed *p, ifd_note *note)
{
    for (int i = 0; i < f->numerical->models && !p->b; i++) {
        const ifd__numerical_model *b = &f->numerical->model[i];
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

static ifd_status make_one(const ifd__facts *f, ifd_arena *arena, pressed *p, ifd_note *note)
{
    if (p->o->interface < 0 || p->o->interface >= f->interfaces || !f->opt->interface[p->o->interface].force)
        return ifd_note_add(note, IFD_RANGE, NULL,
                            "measured load of '%s': expected an interface of the test in force control",
                            p->o->element);
    if (!(fabs(p->o->reference) > 0.0) || !isfinite(p->o->reference))
        return ifd_note_add(note, IFD_RANGE, NULL,
                            "measured load of '%s': the reference is %g N, expected another one", p->o->element,
                            p->o->reference);
    IFD_TRY(find(f, p, note));
    p->most = f->opt->interface[p->o->interface].limits.force / fabs(p->o->reference);
    return IFD__TAKE(arena, IFD__ARRAY(p->q, p->b->m->nq), IFD__ARRAY(p->qd, p->b->m->nq));
}

static ifd_status make(const ifd__facts *f, ifd_arena *arena, const void **data, ifd_note *note)
{
    pressed *p;
    if (f->opt->remote)
        return ifd_note_add(note, IFD_UNSUPPORTED, NULL,
                            "a measured load needs a structure that this program computes");
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(p, f->opt->measured_loads)));
    for (int i = 0; i < f->opt->measured_loads; i++) {
        p[i].o = &f->opt->measured_load[i];
        IFD_TRY(make_one(f, arena, &p[i], note));
    }
    *data = p;
    return IFD_OK;
}

/* Of the states of the bearing, the offset in those of the structure; the last one is the change of its load. */
static IFD_RT int states_at(const pressed *p)
{
    return p->b->at + 2 * p->b->m->n + p->b->m->s_of[p->element];
}

static IFD_RT int change_at(const pressed *p)
{
    const ifd_element *e = &p->b->m->element[p->element];
    return states_at(p) + e->ops->load_factor(e);
}

static IFD_RT double stored(const pressed *p, double t, const double *x)
{
    const ifd_model *m = p->b->m;
    const double *q = p->q + m->q_of[p->element], *v = p->qd + m->q_of[p->element];
    const ifd_element_in in = {.t = t, .q = q, .qd = v, .qdd = v, .s = x + states_at(p)};
    double energy = 0.0, power = 0.0;
    m->element[p->element].ops->energy(&m->element[p->element], &in, &energy, &power);
    return energy;
}

static IFD_RT void use_one(const ifd__io *io, const pressed *p, const ifd__structure *s)
{
    double t = io->f->numerical->step * io->test->step;
    double factor = io->interface[p->o->interface]->measured_f / p->o->reference;
    const double *x = s->x + p->b->at;
    if (!isfinite(factor))
        return;
    ifd__model_coordinates(p->b->m, t, x, x + p->b->m->n, p->q, p->qd);
    double before = stored(p, t, s->x);
    s->x[change_at(p)] = fmax(0.0, fmin(p->most, factor)) - 1.0;
    if (s->updates)
        *s->updates += stored(p, t, s->x) - before;
}

static IFD_RT void step(const ifd__io *io, const void *data, void *own, const ifd__structure *s)
{
    const pressed *p = data;
    (void)own;
    if (io->f->frozen || io->test->exchange != 0.0)
        return;
    for (int i = 0; i < io->f->opt->measured_loads; i++)
        use_one(io, &p[i], s);
}

static double factor(const ifd__column_source *source)
{
    const pressed *p = source->self;
    return 1.0 + source->io->structure[change_at(&p[source->index])];
}

static ifd_status columns(const ifd__unit_columns *to, const ifd__facts *f, const void *data, void *own)
{
    static const ifd__column_row row = {IFD_COLUMN_LOAD_FACTOR, 0, factor};
    const pressed *p = data;
    (void)own;
    for (int i = 0; i < f->opt->measured_loads; i++)
        IFD_TRY(ifd__columns_of_unit(
            to, &(ifd__column_set){.owner = p[i].o->element, .index = i, .row = &row, .rows = 1}));
    return IFD_OK;
}

static bool asked(const ifd__facts *f)
{
    return f->opt->measured_loads > 0;
}

const ifd__unit ifd__unit_measured_load = {.name = "measured load",
                                           .about = "an element takes its load from an actuator",
                                           .asked = asked,
                                           .make = make,
                                           .columns = columns,
                                           .step = step};
