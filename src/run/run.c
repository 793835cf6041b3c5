/* SPDX-License-Identifier: MIT */
/* The tick under a simulated clock: wait, sense, load, solve, shape, command, publish. With an ideal specimen wait
 * and shape are empty; the order is that of a test. */
#include "run/run.h"

#include <math.h>
#include <string.h>

#include "algebra/dense.h"
#include "couple/rts.h"

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

double ifd__run_support(const ifd_run *r, const ifd_specimen *s, double t, int which)
{
    double y[3] = {0.0};
    if (s->from < IFD_GROUND)
        ifd_signal_eval(r->response.model[s->part].m->support[IFD_SUPPORT(0) - s->from], t, y);
    return y[which];
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

double ifd__run_interface_force(const ifd_run *r, int k)
{
    double factor = r->specimen[k].factor;
    return (factor > 0.0 ? factor : 1.0) * ifd__run_specimen(r, k)->f;
}

void ifd__run_load(ifd_run *r)
{
    ifd__substructure_unload(&r->numerical);
    for (int k = 0; k < r->specimens; k++) {
        const ifd_specimen *s = &r->specimen[k];
        double f = ifd__run_interface_force(r, k);
        if (!isfinite(f))
            latch(r, IFD_FAULT_SPECIMEN, s->to < 0 ? s->to : r->response.model[s->part].first_dof + s->to, f);
        ifd__add_restoring_force(s->from, s->to, f, r->numerical.model[s->part].load);
    }
}

/* Moves specimen k to its target at t and adds the work of the structure along the path. Work of a support at the
 * other end of the specimen does not count. */
static void move(ifd_run *r, int k, double t)
{
    const ifd_specimen *s = &r->specimen[k];
    const ifd__numerical_model *on = &r->numerical.model[s->part];
    const ifd__ideal_state *x = ifd__run_specimen(r, k);
    double f = ifd__run_interface_force(r, k), tied = ifd__run_support(r, s, t, 0), *at = r->x + r->rig_at[k];
    double from = x->q + ifd__run_support(r, s, x->t, 0), to = ifd__deformation(s->from, s->to, on->u);
    ifd__ideal_command(&r->rig[k], t, to - tied,
                       ifd__deformation(s->from, s->to, on->v) - ifd__run_support(r, s, t, 1), at);
    ifd__run_own(r)->balance.specimens += 0.5 * (f + ifd__run_interface_force(r, k)) * (to - from);
}

void ifd__run_command(ifd_run *r, int k)
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

void ifd__run_energy(ifd_run *r, double t, bool first)
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
        ifd__run_load(r);
    for (int k = 0; k < r->specimens; k++)
        r->force[k] = ifd__run_interface_force(r, k);
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
    ifd__run_energy(r, t, false);
    if (ifd_run_step(r) % r->every == 0) {
        ifd__run_publish(r, t);
        r->fresh = true;
    }
    if (ifd_run_step(r) >= r->steps)
        check_made(r);
    return state_of(r);
}

void ifd__run_sense(ifd_run *r)
{
    if (r->specimens)
        ifd__run_load(r);
}

ifd_run_state ifd__run_exchanged(ifd_run *r)
{
    int next = ((int)ifd__run_own(r)->tick + 1) % r->numerical.exchanges;
    if (r->specimens)
        ifd__run_command(r, next);
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
    if (r->numerical.outside.step)
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
