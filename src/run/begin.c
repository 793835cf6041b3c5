/* SPDX-License-Identifier: MIT */
/* Set-up of a run, up to its first row at t = 0. */
#include <math.h>
#include <string.h>

#include "run/run.h"
#include "base/arena.h"
#include "substructure/preload.h"

/* Brings the structure of a run to its preloaded equilibrium. */

enum { CORRECTIONS = 500, STEPS = 200 };

/* Many steps of 1 s each, so that forces that depend on velocity vanish. */
static void bring(ifd_run *r, int k, double d)
{
    double *x = r->x + r->rig_at[k];
    ifd__ideal_begin(&r->rig[k], -STEPS, 0.0, 0.0, x);
    for (int i = 1; i <= STEPS; i++)
        ifd__ideal_command(&r->rig[k], i - STEPS, d * i / STEPS, 0.0, x);
}

static ifd_status make(ifd_run *r, ifd_arena *arena, const ifd_run_options *opt, ifd__preload **out, ifd_note *note)
{
    int *end;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(end, 2 * (size_t)r->specimens)));
    for (int k = 0; k < r->specimens; k++) {
        end[k] = r->specimen[k].from;
        end[r->specimens + k] = r->specimen[k].to;
    }
    const ifd__preload of = {.m = opt->model, .channels = r->specimens, .from = end, .to = end + r->specimens};
    return ifd__preload_make(arena, &of, &opt->step, out, note);
}

/* Makes a run of one model that starts at its static equilibrium. Ideal specimens move there slowly from rest. */
static ifd_status preload_run(ifd_run *r, ifd_arena *arena, const ifd_run_options *opt, ifd_note *note)
{
    ifd__preload *p;
    double *f = ifd_arena_array(arena, (size_t)r->specimens, sizeof *f), *u = r->x;
    if (!f)
        return IFD_NO_MEMORY;
    IFD_TRY(make(r, arena, opt, &p, note));
    const ifd_model *m = p->m;
    memcpy(u, p->u, (size_t)m->n * sizeof *u);
    for (int i = 0; i < CORRECTIONS; i++) {
        double change = 0.0, size = 0.0;
        for (int k = 0; k < r->specimens; k++) {
            bring(r, k, ifd__preload_deformation(p, k, u));
            f[k] = (r->specimen[k].factor > 0.0 ? r->specimen[k].factor : 1.0) * ifd__run_specimen(r, k)->f;
        }
        ifd__preload_correct(p, u, f);
        for (int j = 0; j < m->n; j++) {
            u[j] += p->du[j];
            change = fmax(change, fabs(p->du[j]));
            size = fmax(size, fabs(u[j]));
        }
        if (change <= 1e-13 * size) {
            if (m->ns)
                memcpy(u + 2 * m->n, p->e.rest.s, (size_t)m->ns * sizeof *u);
            return IFD_OK;
        }
    }
    ifd_note_add(note, IFD_DIVERGED, NULL,
                 "preload: no static equilibrium of the structure with its specimens was found");
    ifd_note_hint(note, "estimate the stiffness of each specimen by more than half of its actual stiffness: "
                        "then the iteration converges");
    return IFD_DIVERGED;
}

static ifd_status check_options(const ifd_run_options *opt, ifd_note *note)
{
    double h = opt->couple ? opt->couple->h : opt->step.h;
    if (!(opt->end > 0.0) || !isfinite(opt->end))
        return ifd_note_add(note, IFD_RANGE, NULL, "end is %g s; expected a positive time", opt->end);
    if (opt->end < 0.5 * h)
        return ifd_note_add(note, IFD_RANGE, NULL, "end (%g s) is before the end of the first step (%g s)", opt->end,
                            h);
    if (opt->end / h > 1e9)
        return ifd_note_add(note, IFD_RANGE, NULL,
                            "the run has %.3g steps; the limit is 1e9: shorten it or use a larger step",
                            opt->end / h);
    if (opt->preload && (opt->couple || opt->tared))
        return ifd_note_add(note, IFD_UNSUPPORTED, NULL,
                            opt->couple ? "preload needs a structure of one model; this case couples substructures"
                                        : "a tared force offset exists in a test only: remove it for a run");
    return IFD_OK;
}

static ifd_status make_numerical(ifd_run *r, ifd_arena *arena, const ifd_run_options *opt, ifd_note *note)
{
    ifd__specimen_link *link;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(link, opt->specimens)));
    for (int k = 0; k < opt->specimens; k++)
        link[k] = (ifd__specimen_link){
            .part = opt->specimen[k].part, .from = opt->specimen[k].from, .to = opt->specimen[k].to};
    const ifd__substructure_options numerical = {
        .model = opt->model, .step = &opt->step, .couple = opt->couple, .links = opt->specimens, .link = link};
    IFD_TRY(opt->external ? ifd__substructure_external(arena, opt->external, opt->step.h, &r->numerical, note)
                          : ifd__substructure_make(arena, &numerical, &r->numerical, note));
    r->size = r->numerical.size;
    r->models = r->numerical.models;
    r->link = link;
    return IFD_OK;
}

static ifd_status make_specimens(ifd_run *r, ifd_arena *arena, const ifd_run_options *opt, ifd_note *note)
{
    size_t count = (size_t)opt->specimens;
    int *at = ifd_arena_array(arena, count, sizeof *at);
    r->specimens = opt->specimens;
    r->specimen = opt->specimen;
    r->rig = ifd_arena_array(arena, count, sizeof *r->rig);
    r->rig_at = at;
    if (!r->rig || !at)
        return IFD_NO_MEMORY;
    for (int k = 0; k < opt->specimens; k++) {
        const ifd_specimen *e = &opt->specimen[k];
        if (!e->ops)
            return ifd_note_add(note, IFD_UNSUPPORTED, NULL,
                                "specimen '%s' is a complete model that follows dofs of two substructures: "
                                "`interfield run` does not support it; use `interfield test`",
                                e->name);
        IFD_TRY(ifd__ideal_make(&r->rig[k], arena, e->ops, e->name, e->values, note));
        at[k] = r->size;
        r->size += ifd__ideal_size(&r->rig[k]);
    }
    return IFD_OK;
}

/* The responses of specimens are in their states. */
static ifd_status make_response(ifd_run *r, ifd_arena *arena, const ifd_run_options *opt, ifd_note *note)
{
    const unsigned large =
        IFD_RECORD_EVERYTHING & ~(unsigned)(IFD_RECORD_VELOCITY | IFD_RECORD_ACCELERATION | IFD_RECORD_MEMBERS);
    ifd__state_column *state;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(state, 2 * (size_t)r->specimens), IFD__ARRAY(r->force, r->specimens)));
    for (int k = 0; k < r->specimens; k++) {
        const char *name = r->specimen[k].name;
        int q = IFD__MEMBER_AT(ifd__ideal_state, q), f = IFD__MEMBER_AT(ifd__ideal_state, f);
        bool turns = ifd__link_rotates(&r->numerical, &r->link[k]);
        state[2 * k] = (ifd__state_column){name, IFD_COLUMN_SPECIMEN_DEFORMATION, r->rig_at[k] + q, turns};
        state[2 * k + 1] = (ifd__state_column){name, IFD_COLUMN_SPECIMEN_FORCE, r->rig_at[k] + f, turns};
    }
    const ifd_ranks *ranks = opt->couple ? opt->couple->ranks : NULL;
    bool light = ranks && (!ranks->whole || ranks->rank > 0); /* this process knows only the motion of some dofs */
    const ifd__response_options of = {.what = ifd__response_what(&r->numerical, opt->what, large),
                                      .balanced = !light,
                                      .gapless = light,
                                      .dofs = opt->dofs,
                                      .dof = opt->dof,
                                      .drift = opt->drift,
                                      .frame = opt->frame,
                                      .couple = opt->couple,
                                      .links = opt->specimens,
                                      .link = r->link,
                                      .states = 2 * r->specimens,
                                      .state = state,
                                      .balance = r->own + IFD__MEMBER_AT(ifd__run_state, balance)};
    return ifd__response_make(arena, &r->numerical, &of, &r->response, note);
}

/* A numerical substructure that an external program computes supplies its own columns. */
static ifd_status make_columns(ifd_run *r, ifd_arena *arena, const ifd_run_options *opt, ifd_note *note)
{
    if (!opt->external)
        IFD_TRY(make_response(r, arena, opt, note));
    r->columns = opt->external ? r->numerical.outside.columns : r->response.columns;
    r->column = opt->external ? r->numerical.outside.column : r->response.column;
    return IFD__TAKE(arena, IFD__ARRAY(r->values, r->columns));
}

/* Places the specimens at the initial state and determines their forces. */
static void begin_specimens(ifd_run *r, bool there)
{
    for (int k = 0; k < r->specimens && !there; k++) {
        const ifd__numerical_model *b = &r->numerical.model[r->specimen[k].part];
        const double *u = r->x + b->at, *v = u + b->m->n;
        const ifd_specimen *one = &r->specimen[k];
        ifd__ideal_begin(&r->rig[k], 0.0, ifd__deformation(one->from, one->to, u) - ifd__run_support(r, one, 0.0, 0),
                         ifd__deformation(one->from, one->to, v) - ifd__run_support(r, one, 0.0, 1),
                         r->x + r->rig_at[k]);
    }
    if (r->specimens)
        ifd__run_load(r);
}

/* Brings the run to t = 0: initial state, first measurement, stages before the first tick, first command, first
 * row. */
static ifd_status begin(ifd_run *r, ifd_arena *arena, const ifd_run_options *opt, ifd_note *note)
{
    const ifd__substructure *s = &r->numerical;
    bool preload = opt->preload && !opt->external;
    s->ops->initial(s, r->x);
    if (preload)
        IFD_TRY(preload_run(r, arena, opt, note));
    begin_specimens(r, preload);
    ifd__substructure_begin(s, r->x);
    if (r->specimens)
        ifd__run_command(r, 0);
    ifd__run_own(r)->balance.specimens = 0.0;
    ifd__run_energy(r, 0.0, true);
    ifd__run_publish(r, 0.0);
    r->fresh = true;
    if (ifd__substructure_fault(s, r->x) == IFD_FAULT_PART)
        return ifd_note_add(note, IFD_PLUGIN, NULL, "%s: %s", opt->external->summary,
                            s->outside.why(s->outside.self));
    return IFD_OK;
}

ifd_status ifd_run_make(ifd_arena *arena, const ifd_run_options *opt, ifd_run **out, ifd_note *note)
{
    IFD_TRY(check_options(opt, note));
    ifd_run *r;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(r, 1)));
    IFD_TRY(make_numerical(r, arena, opt, note));
    IFD_TRY(make_specimens(r, arena, opt, note));
    r->own = r->size;
    r->size += IFD__DOUBLES(ifd__run_state);
    r->steps = lround(opt->end / r->numerical.step);
    r->every = opt->every > 0 ? opt->every : 1;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(r->x, r->size)));
    IFD_TRY(make_columns(r, arena, opt, note));
    IFD_TRY(begin(r, arena, opt, note));
    *out = r;
    return IFD_OK;
}
