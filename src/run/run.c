/* SPDX-License-Identifier: MIT */
/* The tick: wait > sense > load > solve > shape > command > publish, under a simulated clock. With an ideal specimen
 * there is nothing to wait for and nothing to shape; the order is kept. */
#include "run/run.h"

#include <math.h>
#include <string.h>

#include "couple/rts.h"

static const char *const fault_names[] = {
#define ROW(name, text) #name,
    IFD_FAULT_LIST(ROW)
#undef ROW
};

static const char *const fault_texts[] = {
#define ROW(name, text) text,
    IFD_FAULT_LIST(ROW)
#undef ROW
};

const char *ifd_fault_name(ifd_fault fault)
{
    return (unsigned)fault < IFD_FAULT_COUNT ? fault_names[fault] : "UNKNOWN";
}

const char *ifd_fault_text(ifd_fault fault)
{
    return (unsigned)fault < IFD_FAULT_COUNT ? fault_texts[fault] : "unknown fault";
}

double ifd__run_support(const ifd_run *r, const ifd_specimen *s, double t, int which)
{
    double y[3] = {0.0};
    if (s->from < IFD_GROUND)
        ifd_signal_eval(r->piece[s->part].m->support[IFD_SUPPORT(0) - s->from], t, y);
    return y[which];
}

/* The first fault that stops the run stays; a note about iterations gives way to it. */
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

double ifd__run_felt(const ifd_run *r, int k)
{
    double factor = r->specimen[k].factor;
    return (factor > 0.0 ? factor : 1.0) * ifd__run_specimen(r, k)->f;
}

/* sense, load: the specimens' forces as loads on what they act on. */
void ifd__run_sense(ifd_run *r)
{
    for (int p = 0; p < r->pieces; p++)
        if (r->piece[p].felt)
            memset(r->piece[p].felt, 0, sizeof(double) * (size_t)r->piece[p].m->n);
    for (int k = 0; k < r->specimens; k++) {
        const ifd_specimen *s = &r->specimen[k];
        double f = ifd__run_felt(r, k), *load = r->piece[s->part].felt;
        if (!isfinite(f))
            latch(r, IFD_FAULT_SPECIMEN, s->to < 0 ? s->to : r->piece[s->part].first_dof + s->to, f);
        ifd__add_restoring_force(s->from, s->to, f, load);
    }
    for (int p = 0; r->coupled && p < r->pieces; p++)
        if (r->piece[p].felt)
            ifd__coupled_measured(r->coupled, p, r->piece[p].felt);
}

/* Specimen k to where r->u, r->v of its piece say, at t. The structure's work on it is summed along its path; that of
 * a support it is tied to is not the structure's. */
static void move(ifd_run *r, int k, double t)
{
    const ifd_specimen *s = &r->specimen[k];
    const ifd__ideal_state *x = ifd__run_specimen(r, k);
    double f = ifd__run_felt(r, k), tied = ifd__run_support(r, s, t, 0), *at = r->x + r->rig_at[k];
    double from = x->q + ifd__run_support(r, s, x->t, 0), to = ifd__deformation(s->from, s->to, r->u);
    ifd__ideal_command(&r->rig[k], t, to - tied,
                       ifd__deformation(s->from, s->to, r->v) - ifd__run_support(r, s, t, 1), at);
    ifd__run_own(r)->specimens += 0.5 * (f + ifd__run_felt(r, k)) * (to - from);
}

/* command: moves the specimens to where the stage `aim` wants its force. */
void ifd__run_command(ifd_run *r, int aim)
{
    double t = r->h * ifd__run_own(r)->step;
    r->part.ops->aim(&r->part, aim, t, r->x, r->u, r->v);
    t += r->h * ifd_stepper_method(r->stepper)->at[aim];
    for (int k = 0; k < r->specimens; k++)
        move(r, k, t);
}

/* Exchanges are evenly spaced; the first stands at the beginning of the step, or one
 * further where there is a lead-in. */
void ifd__run_command_parts(ifd_run *r, int k)
{
    double t = r->h * (ifd__run_own(r)->step + (double)(k + r->coupled->lead_in) / r->ticks);
    for (int p = 0; p < r->pieces; p++) {
        if (!r->piece[p].felt)
            continue;
        ifd__coupled_aim(r->coupled, k, r->x, p, r->u, r->v);
        for (int i = 0; i < r->specimens; i++)
            if (r->specimen[i].part == p)
                move(r, i, t);
    }
}

static ifd_step_fault step_fault(const ifd_run *r)
{
    if (r->outside.step)
        return IFD_STEP_OK;
    if (r->coupled)
        return (ifd_step_fault)(int)r->x[r->coupled->fault];
    return r->part.ops->fault(&r->part, r->x);
}

/* Latches the worst displacement or velocity beyond the limit, by size; not-a-number counts as worst. */
static void check_size(ifd_run *r)
{
    const double limit = 1e12;
    double size = 0.0, value = 0.0;
    int worst = -1;
    for (int p = 0; p < r->pieces; p++) {
        const ifd__piece *b = &r->piece[p];
        for (int i = 0; i < 2 * b->m->n; i++) {
            double y = fabs(r->x[b->at + i]);
            if (!(y <= limit) && (worst < 0 || !(y <= size))) {
                worst = b->first_dof + i % b->m->n;
                size = y;
                value = r->x[b->at + i];
            }
        }
    }
    if (worst >= 0)
        latch(r, IFD_FAULT_DIVERGED, worst, value);
}

/* At the end of a run: energy that neither loads nor the start put in, but the method made. The balance holds for the
 * exact motion of any model, active ones too; an unstable method makes nearly all of what it ends with, and a useful
 * one a few percent. Motion of the size of round-off is not judged. */
static void check_made(ifd_run *r)
{
    const double most = 0.9 /* of the largest energy in the balance */, round_off = 1e-9 /* m, rad */;
    ifd_energy e = ifd_run_energy(r);
    double size = 0.0, value = 0.0;
    int worst = -1;
    for (int p = 0; p < r->pieces; p++)
        for (int i = 0; i < r->piece[p].m->n; i++)
            if (fabs(r->x[r->piece[p].at + i]) > size) {
                worst = r->piece[p].first_dof + i;
                value = r->x[r->piece[p].at + i];
                size = fabs(value);
            }
    if (size > round_off && -e.numerical > most * e.scale)
        latch(r, IFD_FAULT_DIVERGED, worst, value);
}

static void check(ifd_run *r)
{
    static const ifd_fault of[] = {[IFD_STEP_OK] = IFD_FAULT_NONE,
                                   [IFD_STEP_SINGULAR] = IFD_FAULT_SINGULAR,
                                   [IFD_STEP_ITERATIONS] = IFD_FAULT_ITERATIONS,
                                   [IFD_STEP_SOLVER] = IFD_FAULT_SOLVER,
                                   [IFD_STEP_LATE] = IFD_FAULT_LATE};
    check_size(r);
    ifd_step_fault fault = step_fault(r);
    if (fault != IFD_STEP_OK)
        latch(r, of[fault], -1, 0.0);
}

static bool stopped(const ifd_run *r)
{
    ifd_fault fault = (ifd_fault)(int)ifd__run_own(r)->fault;
    return fault != IFD_FAULT_NONE && fault != IFD_FAULT_ITERATIONS;
}

/* solve for one model: the stages that fall due; whether a step was completed. A stage of the following step may run
 * after its end: it writes stage rows only. */
static bool solve_stages(ifd_run *r, const ifd__due *due)
{
    bool done = false;
    const double *load = r->piece[0].felt;
    int stage = due->stage;
    for (int k = 0; k < due->count; k++) {
        r->part.ops->stage(&r->part, stage, r->h * ifd__run_own(r)->step, load, r->x);
        if (++stage == r->schedule.stages) {
            stage = 0;
            ifd__run_own(r)->step += 1.0;
            done = true;
        }
    }
    return done;
}

/* One tick of the machinery; whether it completed a step. */
static bool advance(ifd_run *r)
{
    int k = (int)ifd__run_own(r)->tick;
    bool done;
    if (r->outside.step) {
        ifd_fault fault = ifd__outside_step(r);
        if (fault != IFD_FAULT_NONE)
            latch(r, fault, -1, 0.0);
        return true;
    }
    if (r->coupled) {
        if (r->specimens)
            ifd__run_sense(r);
        ifd__coupled_tick(r->coupled, k, r->h * ifd__run_own(r)->step, r->x);
        done = k == r->ticks - 1;
        ifd__run_own(r)->step += done ? 1.0 : 0.0;
        if (r->specimens)
            ifd__run_command_parts(r, (k + 1) % r->ticks);
    } else {
        const ifd__due *due = &r->schedule.due[k];
        if (r->specimens)
            ifd__run_sense(r);
        done = solve_stages(r, due);
        if (r->specimens)
            ifd__run_command(r, due->aim);
    }
    ifd__run_own(r)->tick = (double)((k + 1) % r->ticks);
    return done;
}

ifd_run_state ifd_run_tick(ifd_run *r)
{
    r->fresh = false;
    if (stopped(r))
        return IFD_RUN_FAULT;
    if (ifd_run_step(r) >= r->steps)
        return IFD_RUN_DONE;
    if (advance(r)) {
        check(r);
        if (stopped(r))
            return IFD_RUN_FAULT;
        double t = ifd_run_time(r);
        ifd__publish_energy(r, t, false);
        if (ifd_run_step(r) % r->every == 0) {
            if (!r->outside.step)
                ifd__publish_values(r, t);
            r->fresh = true;
        }
        if (ifd_run_step(r) >= r->steps)
            check_made(r);
        if (stopped(r))
            return IFD_RUN_FAULT;
    }
    return ifd_run_step(r) >= r->steps ? IFD_RUN_DONE : IFD_RUN_GOING;
}

bool ifd_run_fresh(const ifd_run *r)
{
    return r->fresh;
}

const double *ifd_run_values(const ifd_run *r)
{
    return r->values;
}

const ifd_column *ifd_run_channels(const ifd_run *r, int *count)
{
    *count = r->channels;
    return r->channel;
}

double ifd_run_time(const ifd_run *r)
{
    return r->h * ifd__run_own(r)->step;
}

long ifd_run_step(const ifd_run *r)
{
    return (long)ifd__run_own(r)->step;
}

long ifd_run_steps(const ifd_run *r)
{
    return r->steps;
}

/* The channels carry full names; the piece and dof give the name without a search. */
static const char *name_of(const ifd_run *r, int dof)
{
    for (int p = 0; p < r->pieces && dof >= 0; p++) {
        const ifd__piece *b = &r->piece[p];
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
        .time = ifd__run_own(r)->fault_step * r->h,
        .dof = fault == IFD_FAULT_NONE ? -1 : dof,
        .dof_name = fault == IFD_FAULT_NONE ? NULL : name_of(r, dof),
        .value = ifd__run_own(r)->fault_value,
        .why = fault != IFD_FAULT_NONE && r->outside.why ? r->outside.why(r->outside.self) : NULL,
    };
}

const ifd_state_row *ifd_run_states(const ifd_run *r, int *count)
{
    if (r->outside.step) {
        *count = 0;
        return NULL;
    }
    if (!r->coupled)
        return ifd_stepper_states(r->stepper, count);
    *count = r->coupled->rows;
    return r->coupled->row;
}

double *ifd_run_save_area(ifd_run *r, int *count)
{
    *count = r->size;
    return r->x;
}

void ifd_run_gaps(const ifd_run *r, double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = ifd__run_own(r)->worst[k];
}

bool ifd_run_rts(const ifd_run *r, ifd_rts_facts *out)
{
    if (!r->coupled || !r->coupled->pulls)
        return false;
    ifd__rts_facts(r->coupled, r->x, out);
    return true;
}

void ifd_run_close(ifd_run *r)
{
    ifd__coupled_close(r->coupled);
}
