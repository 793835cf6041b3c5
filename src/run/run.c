/* SPDX-License-Identifier: MIT */
/* The tick under a simulated clock: wait, sense, load, solve, shape, command, publish. With an ideal specimen wait
 * and shape are empty; the order is that of a test. */
#include "run/run.h"

#include <math.h>
#include <string.h>

#include "algebra/dense.h"
#include "base/arena.h"
#include "couple/rts.h"
#include "substructure/loading_protocol.h"
#include "substructure/preload.h"

static const struct {
    const char *name, *text;
} faults[] = {
#define ROW(name, text) {#name, text},
    IFD_FAULT_LIST(ROW)
#undef ROW
};

const char *ifd_fault_name(ifd_fault fault)
{
    return (unsigned)fault < IFD_FAULT_COUNT ? faults[fault].name : "UNKNOWN";
}

const char *ifd_fault_text(ifd_fault fault)
{
    return (unsigned)fault < IFD_FAULT_COUNT ? faults[fault].text : "unknown fault";
}

/* Derivative `which` at t of the supports at the other end of the specimen; 0 without a support. */
static double support_of(const ifd_run *r, const ifd_specimen *s, double t, int which)
{
    double y[3] = {0.0}, sum = 0.0;
    if (s->from < IFD_GROUND)
        ifd_signal_eval(r->response.model[s->part].m->support[IFD_SUPPORT(0) - s->from], t, y);
    for (int k = 0; s->row && k < s->row->count; k++)
        if (s->row->ref[k] < IFD_GROUND) {
            ifd_signal_eval(r->response.model[s->part].m->support[IFD_SUPPORT(0) - s->row->ref[k]], t, y);
            sum -= s->row->coefficient[k] * y[which];
        }
    return s->row ? sum : y[which];
}

/* The first fault that stops the run is kept. It replaces a fault that only counts iterations. */
static void latch(ifd_run *r, ifd_fault fault, int dof, double value)
{
    ifd_fault old = (ifd_fault)(int)ifd__run_own(r)->fault;
    if (old == fault || (old != IFD_FAULT_NONE && old != IFD_FAULT_ITERATIONS))
        return;
    ifd__run_own(r)->fault = (double)fault;
    ifd__run_own(r)->fault_step = ifd__run_own(r)->step;
    ifd__run_own(r)->fault_dof = dof;
    ifd__run_own(r)->fault_value = value;
}

/* Interface force of specimen k on the model: the sum over the identical devices that the specimen represents. */
static double interface_force(const ifd_run *r, int k)
{
    double factor = r->specimen[k].factor;
    return (factor > 0.0 ? factor : 1.0) * ifd__run_specimen(r, k)->f;
}

/* Reads the interface forces of the specimens and applies them to the structure. */
static void load(ifd_run *r)
{
    ifd__substructure_unload(&r->numerical);
    for (int k = 0; k < r->specimens; k++) {
        const ifd_specimen *s = &r->specimen[k];
        double f = interface_force(r, k);
        if (!isfinite(f))
            latch(r, IFD_FAULT_SPECIMEN, s->to < 0 ? s->to : r->response.model[s->part].first_dof + s->to, f);
        ifd__add_restoring_force(IFD__ENDS(s), f, r->numerical.model[s->part].load);
    }
}

/* Moves specimen k to its target at t and adds the work of the structure along the path. Work of a support at the
 * other end of the specimen does not count. */
static void move(ifd_run *r, int k, double t)
{
    const ifd_specimen *s = &r->specimen[k];
    const ifd__numerical_model *on = &r->numerical.model[s->part];
    const ifd__ideal_state *x = ifd__run_specimen(r, k);
    double f = interface_force(r, k), tied = support_of(r, s, t, 0), *at = r->x + r->rig_at[k];
    double from = x->q + support_of(r, s, x->t, 0), to = IFD__ELONGATION(s, on->u);
    ifd__ideal_command(&r->rig[k], t, to - tied, ifd__deformation(IFD__ENDS(s), on->v) - support_of(r, s, t, 1), at);
    ifd__run_own(r)->balance.specimens += 0.5 * (f + interface_force(r, k)) * (to - from);
}

/* Moves the specimens to the displacements at which exchange k needs their forces. */
static void command(ifd_run *r, int k)
{
    double t = r->numerical.ops->target(&r->numerical, k, ifd__run_own(r)->step, r->x);
    for (int p = 0; p < r->models; p++)
        for (int i = 0; i < r->specimens; i++)
            if (r->specimen[i].part == p)
                move(r, i, t);
}

static const double size_limit = IFD__RUN_SIZE_LIMIT;

/* Whether a number may be beyond the limit or not a number, from the sum of squares. */
static bool beyond_limit(int count, const double *x)
{
    return !(ifd__dot(count, x, x) <= size_limit * size_limit);
}

/* Latches the largest displacement or velocity beyond the limit; not-a-number counts as the largest. */
static void check_size(ifd_run *r)
{
    double size = 0.0, value = 0.0;
    int worst = -1;
    for (int p = 0; p < r->models; p++) {
        const ifd__response_model *b = &r->response.model[p];
        if (!beyond_limit(2 * b->m->n, r->x + b->at))
            continue;
        for (int i = 0; i < 2 * b->m->n; i++) {
            double y = fabs(r->x[b->at + i]);
            if (!(y <= size_limit) && (worst < 0 || !(y <= size))) {
                worst = b->first_dof + i % b->m->n;
                size = y;
                value = r->x[b->at + i];
            }
        }
    }
    if (worst >= 0)
        latch(r, IFD_FAULT_DIVERGED, worst, value);
}

/* Energy at the end of a run that neither loads nor the initial state supply: the method creates it. The balance
 * holds for the exact motion of every model, also an active one. An unstable method creates nearly all of its final
 * energy, a useful method a few per cent. Motion of the size of round-off is not checked. */
static void check_made(ifd_run *r)
{
    const double most = 0.9 /* fraction of the largest energy in the balance */, round_off = 1e-9 /* m, rad */;
    ifd_energy e = ifd_run_energy(r);
    double size = 0.0, value = 0.0;
    int worst = -1;
    for (int p = 0; p < r->models; p++)
        for (int i = 0; i < r->response.model[p].m->n; i++)
            if (fabs(r->x[r->response.model[p].at + i]) > size) {
                worst = r->response.model[p].first_dof + i;
                value = r->x[r->response.model[p].at + i];
                size = fabs(value);
            }
    if (size > round_off && -e.numerical > most * e.scale)
        latch(r, IFD_FAULT_DIVERGED, worst, value);
}

static void check(ifd_run *r)
{
    check_size(r);
    ifd_fault fault = ifd__substructure_fault(&r->numerical, r->x);
    if (fault == IFD_FAULT_NONE && ifd__substructure_residual(&r->numerical, r->x) > 1.0)
        fault = IFD_FAULT_ITERATIONS;
    if (fault != IFD_FAULT_NONE)
        latch(r, fault, -1, 0.0);
}

/* Energy balance and gaps at the end of a step. first: start of the run. */
static void add_energy(ifd_run *r, double t, bool first)
{
    const ifd_external *outside = &r->numerical.outside;
    if (outside->step)
        ifd__run_own(r)->balance.worst[0] = outside->gap(outside->self);
    else
        ifd__response_energy(&r->response, r->x, t, first);
}

ifd_energy ifd_run_energy(const ifd_run *r)
{
    return ifd__balance_energy(&ifd__run_own(r)->balance);
}

void ifd__run_publish(ifd_run *r, double t)
{
    if (r->numerical.outside.step) {
        memcpy(r->values, ifd__external_values(r->x), (size_t)r->columns * sizeof *r->values);
        return;
    }
    if (r->numerical.coupled && !r->numerical.coupled->lead_in && r->specimens)
        load(r);
    for (int k = 0; k < r->specimens; k++)
        r->force[k] = interface_force(r, k);
    ifd__response_values(&r->response, r->x, t, r->force, r->values);
}

static bool stopped(const ifd_run *r)
{
    ifd_fault fault = (ifd_fault)(int)ifd__run_own(r)->fault;
    return fault != IFD_FAULT_NONE && fault != IFD_FAULT_ITERATIONS;
}

bool ifd__run_check(ifd_run *r)
{
    check(r);
    return stopped(r);
}

static ifd_run_state state_of(const ifd_run *r)
{
    if (stopped(r))
        return IFD_RUN_FAULT;
    return ifd_run_step(r) >= r->steps ? IFD_RUN_DONE : IFD_RUN_GOING;
}

ifd_run_state ifd__run_next(ifd_run *r)
{
    r->fresh = false;
    return state_of(r);
}

/* Checks, energy and columns at the end of a step. */
static ifd_run_state stepped(ifd_run *r)
{
    if (ifd__run_check(r))
        return IFD_RUN_FAULT;
    double t = ifd_run_time(r);
    add_energy(r, t, false);
    if (ifd_run_step(r) % r->every == 0) {
        ifd__run_publish(r, t);
        r->fresh = true;
    }
    if (ifd_run_step(r) >= r->steps && !r->numerical.protocol)
        check_made(r);
    return state_of(r);
}

void ifd__run_sense(ifd_run *r)
{
    if (r->specimens)
        load(r);
}

ifd_run_state ifd__run_exchanged(ifd_run *r)
{
    int next = ((int)ifd__run_own(r)->tick + 1) % r->numerical.exchanges;
    if (r->specimens)
        command(r, next);
    ifd__run_own(r)->tick = next;
    return next == 0 ? stepped(r) : state_of(r);
}

/* One exchange with the specimens. */
ifd_run_state ifd_run_tick(ifd_run *r)
{
    const ifd__substructure *s = &r->numerical;
    ifd_run_state state = ifd__run_next(r);
    if (state != IFD_RUN_GOING)
        return state;
    ifd__run_sense(r);
    s->ops->exchange(s, (int)ifd__run_own(r)->tick, &ifd__run_own(r)->step, r->x);
    return ifd__run_exchanged(r);
}

bool ifd_run_fresh(const ifd_run *r)
{
    return r->fresh;
}

const double *ifd_run_values(const ifd_run *r)
{
    return r->values;
}

const ifd_column *ifd_run_columns(const ifd_run *r, int *count)
{
    *count = r->columns;
    return r->column;
}

double ifd_run_time(const ifd_run *r)
{
    return r->numerical.step * ifd__run_own(r)->step;
}

long ifd_run_step(const ifd_run *r)
{
    return (long)ifd__run_own(r)->step;
}

long ifd_run_steps(const ifd_run *r)
{
    return r->steps;
}

/* Columns have full names; this one comes from the model and its dof. */
static const char *name_of(const ifd_run *r, int dof)
{
    for (int p = 0; p < r->models && dof >= 0; p++) {
        const ifd__response_model *b = &r->response.model[p];
        if (dof < b->first_dof + b->m->n)
            return b->m->dof_name[dof - b->first_dof];
    }
    return NULL;
}

ifd_fault_facts ifd_run_fault(const ifd_run *r)
{
    int dof = (int)ifd__run_own(r)->fault_dof;
    ifd_fault fault = (ifd_fault)(int)ifd__run_own(r)->fault;
    return (ifd_fault_facts){
        .fault = fault,
        .step = (long)ifd__run_own(r)->fault_step,
        .time = ifd__run_own(r)->fault_step * r->numerical.step,
        .dof = fault == IFD_FAULT_NONE ? -1 : dof,
        .dof_name = fault == IFD_FAULT_NONE ? NULL : name_of(r, dof),
        .value = ifd__run_own(r)->fault_value,
        .why = fault != IFD_FAULT_NONE && r->numerical.outside.why
                   ? r->numerical.outside.why(r->numerical.outside.self)
                   : NULL,
    };
}

const ifd_state_row *ifd_run_states(const ifd_run *r, int *count)
{
    *count = r->numerical.rows;
    return r->numerical.row;
}

double *ifd_run_save_area(ifd_run *r, int *count)
{
    *count = r->size;
    return r->x;
}

void ifd_run_gaps(const ifd_run *r, double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = ifd__run_own(r)->balance.worst[k];
}

bool ifd_run_rts(const ifd_run *r, ifd_rts_facts *out)
{
    if (!r->numerical.coupled || !r->numerical.coupled->pulls)
        return false;
    ifd__rts_facts(r->numerical.coupled, r->x, out);
    return true;
}

const char *ifd_run_caution(const ifd_run *r)
{
    return r->numerical.outside.step ? r->numerical.outside.caution : NULL;
}

void ifd__run_doubts(const ifd_run *r, ifd__doubts *d)
{
    ifd_fault_facts f = ifd_run_fault(r);
    ifd_energy e = ifd_run_energy(r);
    if (r->numerical.outside.step || r->numerical.protocol)
        return;
    ifd__substructure_doubts(&r->numerical, r->x, d);
    d->unconverged = f.fault == IFD_FAULT_ITERATIONS;
    d->unconverged_at = f.time;
    d->made = ifd__energy_made(&e);
}

void ifd_run_close(ifd_run *r)
{
    ifd__substructure_close(&r->numerical);
}

/* Set-up of a run, up to its first row at t = 0. */

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
    ifd__ends *end;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(end, (size_t)r->specimens)));
    for (int k = 0; k < r->specimens; k++)
        end[k] = IFD__ENDS(&r->specimen[k]);
    const ifd__preload of = {.m = opt->model, .interfaces = r->specimens, .end = end};
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
    return ifd_note_advise(note, IFD_DIVERGED, NULL,
                           "estimate the stiffness of each specimen by more than half of its actual stiffness: "
                           "then the iteration converges",
                           "preload: no static equilibrium of the structure with its specimens was found");
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
    if (opt->protocol && ifd_model_dofs(opt->model) > (opt->specimens ? opt->specimens : 1))
        return ifd_note_add(note, IFD_UNSUPPORTED, NULL,
                            "a specimen has dofs of its own: `interfield run` of a protocol does not support it; use "
                            "`interfield test`");
    return IFD_OK;
}

static ifd_status make_numerical(ifd_run *r, ifd_arena *arena, const ifd_run_options *opt, ifd_note *note)
{
    ifd__specimen_link *link;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(link, opt->specimens)));
    for (int k = 0; k < opt->specimens; k++)
        link[k] = (ifd__specimen_link){.part = opt->specimen[k].part,
                                       .from = opt->specimen[k].from,
                                       .to = opt->specimen[k].to,
                                       .row = opt->specimen[k].row};
    const ifd__substructure_options numerical = {
        .model = opt->model, .step = &opt->step, .couple = opt->couple, .links = opt->specimens, .link = link};
    if (opt->external)
        IFD_TRY(ifd__substructure_external(arena, opt->external, opt->step.h, &r->numerical, note));
    else if (opt->protocol)
        IFD_TRY(ifd__substructure_protocol(arena, opt->protocol, opt->model, &r->numerical));
    else
        IFD_TRY(ifd__substructure_make(arena, &numerical, &r->numerical, note));
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
    const unsigned large = IFD_RECORD_EVERYTHING & ~(unsigned)(IFD_RECORD_VELOCITY | IFD_RECORD_ACCELERATION |
                                                               IFD_RECORD_MEMBERS | IFD_RECORD_STATES);
    ifd__state_column *state;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(state, 2 * (size_t)r->specimens), IFD__ARRAY(r->force, r->specimens)));
    for (int k = 0; k < r->specimens; k++) {
        const char *name = r->specimen[k].name;
        int q = IFD__MEMBER_AT(ifd__ideal_state, q), f = IFD__MEMBER_AT(ifd__ideal_state, f);
        bool turns = ifd__link_rotates(&r->numerical, &r->link[k]);
        state[2 * k] = (ifd__state_column){name, IFD_COLUMN_INTERFACE_DEFORMATION, r->rig_at[k] + q, turns};
        state[2 * k + 1] = (ifd__state_column){name, IFD_COLUMN_INTERFACE_FORCE, r->rig_at[k] + f, turns};
    }
    const ifd_ranks *ranks = opt->couple ? opt->couple->ranks : NULL;
    bool light = ranks && (!ranks->whole || ranks->rank > 0); /* this process knows only the motion of some dofs */
    const unsigned what = opt->protocol ? IFD_RECORD_GROUND : ifd__response_what(&r->numerical, opt->what, large);
    const ifd__response_options of = {.what = what,
                                      .balanced = !light && !opt->protocol,
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
        ifd__ideal_begin(&r->rig[k], 0.0, IFD__ELONGATION(one, u) - support_of(r, one, 0.0, 0),
                         ifd__deformation(IFD__ENDS(one), v) - support_of(r, one, 0.0, 1), r->x + r->rig_at[k]);
    }
    if (r->specimens)
        load(r);
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
        command(r, 0);
    ifd__run_own(r)->balance.specimens = 0.0;
    add_energy(r, 0.0, true);
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
