/* SPDX-License-Identifier: MIT */
/* Newton's method of equilibrium.h in ten steps of the load; elements that remember their path begin each step with
 * the states of the step before. */
#include "model/equilibrium/gravity_state.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "model/build/derive.h"
#include "model/equilibrium/equilibrium.h"
#include "model/equilibrium/massless.h"
#include "model/fibre/element.h"
#include "model/mechanism.h"

enum { ITERATIONS = 50, PASSES = 60 };

bool ifd__model_weighs(const ifd_model *m)
{
    for (int i = 0; i < m->nload; i++)
        if (m->load[i].weight)
            return true;
    return false;
}

static void add_weight(const ifd_model *m, double factor, double *P)
{
    for (int i = 0; i < m->nload; i++)
        for (int k = 0; m->load[i].weight && k < m->load[i].count; k++)
            P[m->load[i].dof[k]] += factor * m->load[i].value[k];
}

bool ifd__load_members(const ifd_model *m, double factor, double *s)
{
    bool some = false;
    for (int e = 0; e < m->ne; e++) {
        const ifd__fibre_member *of = ifd__fibre_member_of(&m->element[e]);
        if (of)
            s[m->s_of[e] + ifd__fibre_member_share(of)] = factor;
        some = some || of;
    }
    return some;
}

ifd_status ifd__iterate_members(ifd_arena *arena, ifd_model *m)
{
    ifd_element *element = ifd__arena_copy(arena, m->element, m->ne, sizeof *element);
    IFD_TRY(element || !m->ne ? IFD_OK : IFD_NO_MEMORY);
    for (int e = 0; e < m->ne; e++) {
        if (!ifd__fibre_member_of(&m->element[e]))
            continue;
        element[e].data = ifd__fibre_member_passes(arena, &m->element[e], PASSES);
        if (!element[e].data)
            return IFD_NO_MEMORY;
    }
    m->element = m->ne ? element : m->element;
    return IFD_OK;
}

static IFD_RT void no_force(const ifd_element *e, const ifd_element_in *in, const ifd_element_out *out)
{
    (void)e;
    (void)in;
    (void)out;
}

/* Elements that are erected later exert no force. */
static ifd_status leave_out(ifd_arena *arena, ifd_model *m)
{
    static const ifd_element_ops absent = {.abi = IFD_ELEMENT_ABI, .name = "absent", .eval = no_force};
    ifd_element *element = ifd__arena_copy(arena, m->element, m->ne, sizeof *element);
    IFD__HAVE(element || !m->ne);
    for (int e = 0; m->origin && e < m->ne; e++)
        if (isnan(m->origin[m->q_of[e]]))
            element[e].ops = &absent;
    m->element = m->ne ? element : m->element;
    m->origin = NULL;
    return IFD_OK;
}

static ifd_status explain(const ifd__equilibrium *e, ifd_status status, double factor, ifd_note *note)
{
    int worst = 0;
    ifd_arena *scratch IFD__CLOSED = ifd_arena_open();
    const char *free = scratch && status == IFD_SINGULAR ? ifd__model_mechanism(scratch, e->m, 0, NULL) : NULL;
    if (free)
        return ifd_note_add(note, status, NULL, "gravity state: the structure is a mechanism: %s", free);
    if (status == IFD_SINGULAR)
        return ifd_note_add(note, status, NULL,
                            "gravity state: the structure becomes unstable at %g of its constant loads", factor);
    if (status != IFD_DIVERGED)
        return status;
    for (int i = 0; i < e->m->n; i++)
        worst = fabs(e->F[i]) > fabs(e->F[worst]) ? i : worst;
    return ifd_note_add(note, status, NULL,
                        "gravity state: no equilibrium was found in %d iterations at %g of the constant loads; the "
                        "largest residual is %g at '%s'",
                        e->most, factor, e->F[worst], e->m->dof_name[worst]);
}

ifd_status ifd__gravity_state(const ifd_model *m, double *u, double *s, ifd_note *note)
{
    ifd_arena *scratch IFD__CLOSED = ifd_arena_open();
    ifd_model *still;
    ifd__equilibrium e;
    double *before;
    int steps = m->ne ? IFD__GRAVITY_STEPS : 1;
    IFD_TRY(scratch ? ifd__model_at_rest(scratch, m, &still) : IFD_NO_MEMORY);
    IFD_TRY(IFD__TAKE(scratch, IFD__ARRAY(before, m->ns)));
    if (m->ns)
        memcpy(before, m->s0, (size_t)m->ns * sizeof *before);
    still->s0 = before;
    IFD_TRY(ifd__iterate_members(scratch, still));
    IFD_TRY(leave_out(scratch, still));
    IFD_TRY(ifd__equilibrium_make(scratch, still, &e));
    e.change = 1e-12;
    e.refine = true;
    e.most = ITERATIONS;
    e.rest.there = true;
    memset(u, 0, (size_t)m->n * sizeof *u);
    for (int k = 1; k <= steps; k++) {
        double factor = (double)k / steps;
        memset(e.P, 0, (size_t)m->n * sizeof *e.P);
        add_weight(m, factor, e.P);
        (void)ifd__load_members(m, factor, before);
        IFD_TRY(explain(&e, ifd__equilibrium_find(&e, u), factor, note));
        if (m->nq)
            memcpy(e.rest.q0, e.rest.q, (size_t)m->nq * sizeof *e.rest.q0);
        if (m->ns)
            memcpy(before, e.rest.s, (size_t)m->ns * sizeof *before);
    }
    if (m->ns)
        memcpy(s, before, (size_t)m->ns * sizeof *s);
    return IFD_OK;
}

ifd_status ifd__gravity_start(ifd_arena *arena, ifd_model *m, const double *u, const double *s, ifd_note *note)
{
    ifd_arena *scratch IFD__CLOSED = ifd_arena_open();
    bool moved = false;
    double *start = ifd_arena_array(arena, (size_t)m->n, sizeof *start),
           *origin = ifd_arena_array(arena, (size_t)m->nq, sizeof *origin);
    const double *states = ifd__arena_copy(arena, s, m->ns, sizeof *states);
    if (!scratch || !start || !origin || (m->ns && !states))
        return IFD_NO_MEMORY;
    ifd__model_gather(m, u, origin);
    for (int c = 0; m->origin && c < m->nq; c++)
        origin[c] = isnan(m->origin[c]) ? origin[c] : 0.0;
    m->origin = m->origin ? origin : NULL;
    for (int i = 0; i < m->n; i++) {
        moved = moved || m->u0[i] != 0.0;
        start[i] = m->u0[i] + u[i];
    }
    m->u0 = start;
    m->settled = true;
    m->s0 = m->ns ? states : m->s0;
    return m->massless && moved ? ifd__massless_start(scratch, m, start, note) : IFD_OK;
}
