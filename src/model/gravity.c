/* SPDX-License-Identifier: MIT */
/* The work of gravity on a deformed structure. */
#include "model/gravity.h"

#include "base/arena.h"

void ifd__builder_gravity(ifd_builder *b, int i, int j, double value)
{
    if (i == IFD_GROUND || j == IFD_GROUND || value == 0.0 || ifd__builder_failed(b))
        return;
    ifd__entry *e = ifd__builder_push(b, &b->gravity, sizeof *e);
    if (e)
        *e = (ifd__entry){.i = i, .j = j, .value = value};
}

/* Place of every dof of the builder in the model, then of every support. */
static ifd_status places(ifd_arena *arena, const ifd_builder *b, const ifd_model *m, int **out)
{
    int ref;
    size_t count = (size_t)(b->dof.count + b->support.count);
    int *place = *out = ifd_arena_array(arena, count, sizeof *place);
    if (!place)
        return IFD_NO_MEMORY;
    for (size_t k = 0; k < count; k++)
        place[k] = (int)k < b->dof.count ? -1 : m->n + (int)k - b->dof.count;
    for (int k = 0; k < m->n; k++)
        if (ifd_builder_find(b, m->dof_name[k], &ref) && ref >= 0)
            place[ref] = k;
    for (int k = 0; k < m->ngone; k++)
        if (ifd_builder_find(b, m->gone[k], &ref) && ref >= 0)
            place[ref] = m->n + m->nsupport + k;
    return IFD_OK;
}

ifd_status ifd__gravity_make(ifd_arena *arena, const ifd_builder *b, ifd_model *m)
{
    int *place, *i, *j, entries = b->gravity.count;
    double *value;
    ifd__gravity *g;
    if (entries == 0 || m->reduced)
        return IFD_OK;
    size_t count = (size_t)entries;
    IFD_TRY(places(arena, b, m, &place));
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(g, 1), IFD__ARRAY(i, count), IFD__ARRAY(j, count), IFD__ARRAY(value, count)));
    for (int k = 0; k < entries; k++) {
        const ifd__entry *e = &IFD__AT(b->gravity, ifd__entry, k);
        i[k] = place[e->i >= 0 ? e->i : b->dof.count + IFD_SUPPORT(e->i)];
        j[k] = place[e->j >= 0 ? e->j : b->dof.count + IFD_SUPPORT(e->j)];
        value[k] = e->value;
        if (i[k] < 0 || j[k] < 0)
            return IFD_OK; /* a dof that the model has lost: no work is shown instead of a wrong one */
    }
    *g = (ifd__gravity){entries, i, j, value};
    m->gravity = g;
    return IFD_OK;
}

static IFD_RT double displacement(const ifd_model *m, int at, double t, const double *u, const double *s)
{
    double y[3];
    if (at < m->n)
        return u[at];
    if (at >= m->n + m->nsupport)
        return ifd__model_gone(m, at - m->n - m->nsupport, t, u, s);
    ifd_signal_eval(m->support[at - m->n], t, y);
    return y[0];
}

double ifd__gravity_work(const ifd_model *m, double t, const double *u, const double *s)
{
    const ifd__gravity *g = m->gravity;
    double sum = 0.0;
    for (int k = 0; k < g->count; k++)
        sum -= 0.5 * displacement(m, g->i[k], t, u, s) * g->value[k] * displacement(m, g->j[k], t, u, s);
    return sum;
}
