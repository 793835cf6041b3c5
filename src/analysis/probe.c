/* SPDX-License-Identifier: MIT */
/* Steps unit states and collects the amplification matrix. */
#include "analysis/probe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/build/derive.h"
#include "model/linearised.h"
#include "method/stepper.h"
#include "base/arena.h"
#include "model/equilibrium/gravity_state.h"
#include "model/equilibrium/relax.h"
#include "substructure/preload.h"
#include "run/run.h"

/* A power of two, so that a linear step scales without rounding; small, so that elements remain in their first
 * branch. */
static const double small = 0x1p-20;

enum { MANY = 64 }; /* coordinates of elements from which an update of the Jacobian takes longer than the step */

int ifd__probe_rows(int rows, const ifd_state_row *row, bool stages, int *state)
{
    int count = 0;
    for (int r = 0; r < rows; r++) {
        ifd_state_kind k = row[r].kind;
        if (k != IFD_STATE_REAL && k != IFD_STATE_HISTORY && !(stages && k == IFD_STATE_STAGE))
            continue;
        for (int i = 0; i < row[r].count; i++)
            state[count++] = row[r].offset + i;
    }
    return count;
}

double ifd__norm(int n, const double *x)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

void ifd__probe_rest(const ifd__probe *p, double *x)
{
    if (p->rest)
        memcpy(x, p->rest, sizeof *x * (size_t)p->size);
    else
        memset(x, 0, sizeof *x * (size_t)p->size);
}

/* x := the state after a step from rest with number j (none if negative) changed by delta. */
static bool answer(const ifd__probe *p, int j, double delta, double *x)
{
    ifd__probe_rest(p, x);
    if (j >= 0)
        x[p->state[j]] += delta;
    return p->step(p->what, x);
}

ifd_status ifd__probe_matrix(const ifd__probe *p, double *A)
{
    size_t size = (size_t)p->size, n = (size_t)p->n;
    double *x IFD__FREED = malloc((2 * size + 1) * sizeof *x), *base = x + size;
    bool ok = x && answer(p, -1, 0.0, base);
    for (int j = 0; ok && j < p->n; j++) {
        double move = p->amplitude * (p->unit ? p->unit[j] : 1.0), width = p->central ? 2.0 * move : move;
        if (p->central)
            ok = answer(p, j, -move, base);
        ok = ok && answer(p, j, move, x);
        for (size_t i = 0; i < n; i++)
            A[i + (size_t)j * n] = (x[p->state[i]] - base[p->state[i]]) / width;
    }
    return ok ? IFD_OK : x ? IFD_DIVERGED : IFD_NO_MEMORY;
}

/* One period: the number of cycles after which the recurrence repeats itself. Rows, step counter and latches of the
 * run are in x. */
static bool cycle(void *what, double *x)
{
    ifd_run *r = what;
    memcpy(r->x, x, sizeof *x * (size_t)r->size);
    for (int k = 0; k < r->numerical.exchanges * r->numerical.period; k++)
        if (ifd_run_tick(r) == IFD_RUN_FAULT)
            return false;
    memcpy(x, r->x, sizeof *x * (size_t)r->size);
    return true;
}

/* A preload finds the gravity state with the forces of its specimens: here with their estimates in their place. A
 * test that has none is refused elsewhere. */
static ifd_status preloaded(ifd_arena *arena, const ifd_run_options *opt, ifd_model *m)
{
    ifd_model *whole = ifd__arena_copy(arena, m, 1, sizeof *whole);
    const ifd__preload of = {.m = whole};
    ifd__preload *found;
    IFD__HAVE(whole);
    if (!opt->preload || opt->couple || m->settled || !ifd__model_weighs(m))
        return IFD_OK;
    ifd_status status = ifd__preload_make(arena, &of, &opt->step, &found, NULL);
    if (status != IFD_OK)
        return status == IFD_NO_MEMORY ? status : IFD_OK;
    m->u0 = found->u;
    m->s0 = found->e.rest.s;
    m->settled = true;
    return IFD_OK;
}

/* Without loads, with every element replaced by its tangent, at u = 0 or in the gravity state, from which u then
 * counts. */
static ifd_status come_to_rest(ifd_arena *arena, const ifd_run_options *opt, const ifd_model *m, ifd_model **out)
{
    ifd_model tangent = *m;
    IFD_TRY(preloaded(arena, opt, &tangent));
    IFD_TRY(ifd__linearise_elements(arena, &tangent));
    tangent.settled = false;
    return ifd__model_at_rest(arena, &tangent, out);
}

static ifd_status linear_specimens(ifd_arena *arena, ifd_run_options *out)
{
    ifd_specimen *specimen;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(specimen, (size_t)out->specimens + 1)));
    for (int k = 0; k < out->specimens; k++) {
        specimen[k] = out->specimen[k];
        specimen[k].origin = NULL; /* u counts from there */
        if (!ifd__linearisable(specimen[k].ops))
            continue;
        specimen[k].ops = ifd__linearised_specimen(arena, specimen[k].ops, 0.0, 1.0);
        IFD__HAVE(specimen[k].ops);
    }
    out->specimen = specimen;
    return IFD_OK;
}

bool ifd__probe_exact(const ifd_model *m)
{
    for (int e = 0; e < m->ne; e++)
        if (!ifd__linearised(&m->element[e]) && m->element[e].ops != &ifd__relaxation &&
            !(m->element[e].ops->flags & IFD_ELEMENT_LINEAR))
            return false;
    return true;
}

void ifd__probe_freeze(const ifd_model *m, ifd_step_options *step)
{
    if (m->nq > MANY && ifd__probe_exact(m))
        ifd__step_freeze(step);
}

ifd_status ifd__probe_options(ifd_arena *arena, const ifd_run_options *opt, ifd_run_options *out)
{
    ifd_model *still;
    *out = *opt;
    IFD_TRY(linear_specimens(arena, out));
    if (opt->model && !opt->couple) {
        IFD_TRY(come_to_rest(arena, opt, opt->model, &still));
        out->model = still;
        ifd__probe_freeze(still, &out->step);
    }
    if (!opt->couple)
        return IFD_OK;
    ifd_couple_options *couple;
    ifd_part_options *part;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(couple, 1), IFD__ARRAY(part, opt->couple->parts)));
    *couple = *opt->couple;
    couple->part = part;
    couple->threads = 1;
    for (int p = 0; p < couple->parts; p++) {
        part[p] = opt->couple->part[p];
        IFD_TRY(come_to_rest(arena, opt, opt->couple->part[p].model, &still));
        part[p].model = still;
        ifd__probe_freeze(still, &part[p].step);
    }
    out->couple = couple;
    return IFD_OK;
}

/* With a specimen a tick may end within a step, so stage rows count, and the rig stores its measurements. */
static int *states_of(ifd_arena *arena, const ifd_run *r, int *count)
{
    int rows, *state = ifd_arena_array(arena, (size_t)r->size, sizeof *state);
    const ifd_state_row *row = ifd_run_states(r, &rows);
    if (!state)
        return NULL;
    *count = ifd__probe_rows(rows, row, r->specimens > 0, state);
    for (int k = 0; k < r->specimens; k++)
        for (int i = IFD__MEMBER_AT(ifd__ideal_state, q); i < ifd__ideal_size(&r->rig[k]); i++)
            state[(*count)++] = r->rig_at[k] + i;
    return state;
}

/* A copy of the state of the run; a recurrence with a start-up is stepped past it. */
static double *rest_of(ifd_arena *arena, const ifd_run *r)
{
    int rows;
    const ifd_state_row *row = ifd_run_states(r, &rows);
    double *rest = ifd_arena_array(arena, (size_t)r->size, sizeof *rest);
    if (!rest)
        return NULL;
    memcpy(rest, r->x, sizeof *rest * (size_t)r->size);
    for (int k = 0; k < rows; k++)
        if (row[k].kind == IFD_STATE_INTEGER && strcmp(row[k].name, "start-up") == 0)
            rest[row[k].offset] = r->numerical.coupled ? r->numerical.coupled->started : 2.0;
    return rest;
}

ifd_status ifd__probe_run(ifd_arena *arena, const ifd_run_options *at_rest, ifd__probed_run *out, ifd_note *note)
{
    static const int first_dof = 0;
    *out = (ifd__probed_run){.opt = *at_rest, .linear = true};
    ifd_run_options *opt = &out->opt;
    out->step = out->coarse = opt->couple ? opt->couple->h : opt->step.h;
    if (opt->couple && opt->couple->rts && opt->couple->rts->variable > 0.0)
        return ifd_note_add(
            note, IFD_UNSUPPORTED, &opt->couple->place,
            "a recurrence with a variable step cannot be probed: remove 'variable' from coupling rts");
    opt->end = 1e6 * out->step;
    opt->every = 1 << 30;
    opt->what = IFD_RECORD_DISPLACEMENT;
    opt->dofs = 1;
    opt->dof = &first_dof;
    for (int k = 0; k < opt->specimens; k++)
        if (opt->specimen[k].ops->carry)
            return ifd_note_add(note, IFD_UNSUPPORTED, NULL,
                                "specimen '%s' (%s) has its own time stepping and cannot be probed: replace it "
                                "by a model in the case",
                                opt->specimen[k].name, opt->specimen[k].ops->name);
    if (opt->external)
        return ifd_note_add(note, IFD_UNSUPPORTED, NULL,
                            "%s: a structure with its own time stepping cannot be probed", opt->external->summary);
    IFD_TRY(ifd_run_make(arena, opt, &out->run, note));
    ifd_run *r = out->run;
    out->step *= r->numerical.period;
    for (int p = 0; p < r->models; p++) {
        out->linear = out->linear && ifd_model_linear(r->response.model[p].m);
        if (r->numerical.coupled)
            out->coarse = fmax(out->coarse, r->numerical.coupled->member[p].h);
    }
    out->linear = out->linear && r->specimens == 0;
    out->probe = (ifd__probe){.size = r->size,
                              .rest = rest_of(arena, r),
                              .amplitude = small,
                              .central = !out->linear,
                              .step = cycle,
                              .what = r};
    out->probe.state = states_of(arena, r, &out->probe.n);
    return out->probe.rest && out->probe.state ? IFD_OK : IFD_NO_MEMORY;
}
