/* SPDX-License-Identifier: MIT */
/* Springs in series with dashpots: forces that relax (Maxwell). */

#include "model/element.h"
#include "base/arena.h"
#include "model/equilibrium/relax.h"

typedef struct relaxation {
    double rate; /* 1/s */
    int loads;
    const ifd__relax_load *load;
} relaxation;

static const ifd_param params[] = {
    IFD_OPTION("rate", ANY, -1e30, 1e30, 0, "1/s, with the structure held", IFD_AT(relaxation, rate)),
    IFD_OPTION("initial", ANY, -1e30, 1e30, 0, "state at the start"),
    {0}};

static IFD_RT double force(const relaxation *d, double t)
{
    double sum = 0.0, y[3];
    for (int i = 0; i < d->loads; i++) {
        ifd_signal_eval(d->load[i].signal, t, y);
        sum += d->load[i].factor * y[0];
    }
    return sum;
}

static IFD_RT void eval(const ifd_element *e, const ifd_element_in *in, const ifd_element_out *out)
{
    const relaxation *d = e->data;
    if (out->r)
        out->r[0] = in->s[0];
    if (out->r_s)
        out->r_s[0] = 1.0;
    if (out->g)
        out->g[0] = force(d, in->t) - d->rate * in->s[0] - in->q[0];
    if (out->g_q)
        out->g_q[0] = -1.0;
    if (out->g_s)
        out->g_s[0] = -d->rate;
}

/* The rest of the energy is in 1/2 u K u of the structure. */
static IFD_RT void energy(const ifd_element *e, const ifd_element_in *in, double *stored, double *dissipated)
{
    const relaxation *d = e->data;
    double y = in->s[0], rate = force(d, in->t) - d->rate * y - in->q[0];
    *stored = in->q[0] * y + 0.5 * d->rate * y * y;
    *dissipated = rate * rate;
}

static ifd_status make(ifd_element *e, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    relaxation d = {0};
    ifd_param_store(params, values, &d);
    double *s0;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(s0, 1)));
    *s0 = ifd__element_number(params, values, "initial");
    e->ns = 1;
    e->s0 = s0;
    return ifd__element_keep(e, arena, &d, sizeof d);
}

const ifd_element_ops ifd__relaxation = {
    IFD__ELEMENT_OWN,
    .name = "relaxation",
    .summary = "state of dofs without mass that dashpots hold",
    .equation = "r = y, y' = f(t) - rate y - q",
};

/* Forces on dofs with a displacement that depends on state i. */
static ifd_status add_loads(ifd_arena *arena, const ifd_builder *b, const ifd__relaxed *r, int i, ifd_element *e)
{
    relaxation d = *(const relaxation *)e->data;
    ifd__relax_load *load;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(load, b->force.count)));
    for (int k = 0; k < b->force.count; k++) {
        const ifd__force *f = &IFD__AT(b->force, ifd__force, k);
        double factor = 0.0;
        for (int j = 0; j < f->count; j++)
            for (int l = r->Y.start[f->dof[j]]; l < r->Y.start[f->dof[j] + 1]; l++)
                factor += r->Y.column[l] == i ? f->value[j] * r->Y.value[l] : 0.0;
        if (factor != 0.0)
            load[d.loads++] = (ifd__relax_load){f->signal, factor};
    }
    d.load = load;
    return ifd__element_keep(e, arena, &d, sizeof d);
}

static ifd_status attach(ifd_arena *arena, const ifd_builder *b, const ifd__system *s, const ifd__relaxed *r, int i,
                         ifd__attached *out)
{
    int first = r->h.start[i], refs = r->h.start[i + 1] - first;
    int *start = ifd_arena_array(arena, 2, sizeof *start), *ref = ifd_arena_array(arena, (size_t)refs, sizeof *ref);
    double *coefficient = ifd_arena_array(arena, (size_t)refs, sizeof *coefficient);
    ifd_value *values = ifd_arena_array(arena, sizeof params / sizeof *params, sizeof *values);
    if (!start || !ref || !coefficient || !values)
        return IFD_NO_MEMORY;
    for (int k = 0; k < refs; k++) {
        int column = r->h.column[first + k];
        ref[k] = column < s->n ? s->dof[column] : IFD_SUPPORT(column - s->n);
        coefficient[k] = r->h.value[first + k];
    }
    start[1] = refs;
    values[0] = ifd_number(r->rate[i]);
    values[1] = ifd_number(r->y0[i]);
    const char *name = ifd_arena_print(arena, "first-order dof %d (%s)", i + 1, r->group[i]);
    *out = (ifd__attached){.element = {.ops = &ifd__relaxation, .nq = 1, .name = name},
                           .values = values,
                           .start = start,
                           .ref = ref,
                           .coefficient = coefficient};
    if (!name)
        return IFD_NO_MEMORY;
    IFD_TRY(make(&out->element, values, arena, NULL));
    return add_loads(arena, b, r, i, &out->element);
}

ifd_status ifd__relaxation_make(ifd_arena *arena, const ifd_builder *b, const ifd__system *s, const ifd__relaxed *r,
                                ifd__attached *out)
{
    for (int i = 0; i < r->count; i++)
        IFD_TRY(attach(arena, b, s, r, i, &out[i]));
    return IFD_OK;
}

double ifd__relaxation_rate(const ifd_element *e)
{
    return e->ops == &ifd__relaxation ? ((const relaxation *)e->data)->rate : 0.0;
}

double ifd__relaxation_power(const ifd_element *e, const ifd_element_in *in)
{
    const relaxation *d = e->data;
    double f = force(d, in->t);
    return f * (f - d->rate * in->s[0] - in->q[0]);
}

bool ifd__relaxation_loaded(const ifd_element *e)
{
    return e->ops == &ifd__relaxation && ((const relaxation *)e->data)->loads > 0;
}
