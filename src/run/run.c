/* SPDX-License-Identifier: MIT */
/* The tick: wait > sense > load > solve > shape > command > publish, under a simulated clock. With an ideal specimen there is
 * nothing to wait for and nothing to shape; the order is kept. */
#include "run/run.h"

#include <math.h>
#include <string.h>

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

static double *own(ifd_run *r, ifd__run_row row)
{
    return &r->x[r->own + (int)row];
}

static double stretch(const ifd_specimen *s, const double *u)
{
    return (s->to >= 0 ? u[s->to] : 0.0) - (s->from >= 0 ? u[s->from] : 0.0);
}

static void latch(ifd_run *r, ifd_fault fault, int dof, double value)
{
    ifd_fault old = (ifd_fault)(int)*own(r, RUN_FAULT);
    if (old != IFD_FAULT_NONE && old != IFD_FAULT_ITERATIONS)
        return;
    if (old == fault)
        return;
    *own(r, RUN_FAULT) = (double)fault;
    *own(r, RUN_FAULT_STEP) = *own(r, RUN_STEP);
    *own(r, RUN_FAULT_DOF) = dof;
    *own(r, RUN_FAULT_VALUE) = value;
}

/* sense, load: the specimens' forces as loads on the model. */
static void sense(ifd_run *r)
{
    memset(r->load, 0, sizeof(double) * (size_t)r->m->n);
    for (int k = 0; k < r->specimens; k++) {
        double f = r->x[r->rig_at[k] + IFD__IDEAL_F];
        if (!isfinite(f))
            latch(r, IFD_FAULT_SPECIMEN, r->specimen[k].to, f);
        if (r->specimen[k].to >= 0)
            r->load[r->specimen[k].to] -= f;
        if (r->specimen[k].from >= 0)
            r->load[r->specimen[k].from] += f;
    }
}

/* command: moves the specimens to where the stage `aim` wants its force. Work on a specimen is summed along its path. */
static void command(ifd_run *r, int aim)
{
    double h = ifd_stepper_step(r->stepper), t = h * *own(r, RUN_STEP);
    r->part.ops->aim(&r->part, aim, t, r->x, r->u, r->v);
    t += h * ifd_stepper_method(r->stepper)->at[aim];
    for (int k = 0; k < r->specimens; k++) {
        double *x = r->x + r->rig_at[k], q = x[IFD__IDEAL_Q], f = x[IFD__IDEAL_F];
        ifd__ideal_command(&r->rig[k], t, stretch(&r->specimen[k], r->u), stretch(&r->specimen[k], r->v), x);
        *own(r, RUN_SPECIMENS) += 0.5 * (f + x[IFD__IDEAL_F]) * (x[IFD__IDEAL_Q] - q);
    }
}

/* The worst displacement or velocity, by size; not-a-number counts as worst. */
static void check(ifd_run *r)
{
    const double limit = 1e12;
    int worst = -1;
    double size = 0.0;
    for (int i = 0; i < 2 * r->m->n; i++) {
        double y = fabs(r->x[i]);
        if (!(y <= limit) && (worst < 0 || !(y <= size))) {
            worst = i;
            size = y;
        }
    }
    if (worst >= 0)
        latch(r, IFD_FAULT_DIVERGED, worst % r->m->n, r->x[worst]);
    switch (r->part.ops->fault(&r->part, r->x)) {
    case IFD_STEP_OK:
        break;
    case IFD_STEP_SINGULAR:
        latch(r, IFD_FAULT_SINGULAR, -1, 0.0);
        break;
    case IFD_STEP_ITERATIONS:
        latch(r, IFD_FAULT_ITERATIONS, -1, 0.0);
        break;
    case IFD_STEP_SOLVER:
        latch(r, IFD_FAULT_SOLVER, -1, 0.0);
        break;
    }
}

static bool stopped(const ifd_run *r)
{
    ifd_fault fault = (ifd_fault)(int)ifd__run_own(r, RUN_FAULT);
    return fault != IFD_FAULT_NONE && fault != IFD_FAULT_ITERATIONS;
}

/* solve: the stages that fall due; whether a step was completed. A stage of the following step may run after its end: it
 * writes stage rows only. */
static bool solve(ifd_run *r, const ifd__due *due)
{
    bool done = false;
    double h = ifd_stepper_step(r->stepper);
    const double *load = r->specimens ? r->load : NULL;
    int stage = due->stage;
    for (int k = 0; k < due->count; k++) {
        r->part.ops->stage(&r->part, stage, h * *own(r, RUN_STEP), load, r->x);
        if (++stage == r->schedule.stages) {
            stage = 0;
            *own(r, RUN_STEP) += 1.0;
            done = true;
        }
    }
    return done;
}

ifd_run_state ifd_run_tick(ifd_run *r)
{
    r->fresh = false;
    if (stopped(r))
        return IFD_RUN_FAULT;
    if (ifd_run_step(r) >= r->steps)
        return IFD_RUN_DONE;
    const ifd__due *due = &r->schedule.due[(int)*own(r, RUN_TICK)];
    if (r->specimens)
        sense(r);
    bool step_done = solve(r, due);
    if (r->specimens)
        command(r, due->aim);
    *own(r, RUN_TICK) = (double)(((int)*own(r, RUN_TICK) + 1) % r->schedule.ticks);
    if (step_done) {
        check(r);
        if (stopped(r))
            return IFD_RUN_FAULT;
        double t = ifd_run_time(r);
        ifd__publish_energy(r, t, false);
        if (ifd_run_step(r) % r->every == 0) {
            ifd__publish_values(r, t);
            r->fresh = true;
        }
    }
    return ifd_run_step(r) >= r->steps ? IFD_RUN_DONE : IFD_RUN_GOING;
}

/* Brings the run to t = 0: initial state, first measurement, lead-in stages, first command, first row. */
static void begin(ifd_run *r)
{
    ifd_stepper_initial(r->stepper, r->x);
    for (int k = 0; k < r->specimens; k++)
        ifd__ideal_begin(&r->rig[k], 0.0, stretch(&r->specimen[k], r->m->u0), stretch(&r->specimen[k], r->m->v0),
                         r->x + r->rig_at[k]);
    sense(r);
    const double *load = r->specimens ? r->load : NULL;
    r->part.ops->begin(&r->part, 0.0, load, r->x);
    for (int i = 0; i < r->schedule.lead_in; i++)
        r->part.ops->stage(&r->part, i, 0.0, load, r->x);
    if (r->specimens)
        command(r, r->schedule.due[0].stage);
    *own(r, RUN_SPECIMENS) = 0.0;
    ifd__publish_energy(r, 0.0, true);
    ifd__publish_values(r, 0.0);
    r->fresh = true;
}

static ifd_status make_rigs(ifd_run *r, ifd_arena *arena, const ifd_run_options *opt, ifd_note *note)
{
    r->specimens = opt->specimens;
    r->specimen = opt->specimen;
    r->rig = ifd_arena_array(arena, (size_t)opt->specimens, sizeof *r->rig);
    int *at = ifd_arena_array(arena, (size_t)opt->specimens, sizeof *at);
    if (!r->rig || !at)
        return IFD_NO_MEMORY;
    r->rig_at = at;
    r->size = r->part.ops->size(&r->part);
    for (int k = 0; k < opt->specimens; k++) {
        const ifd_specimen *s = &opt->specimen[k];
        IFD_TRY(ifd__ideal_make(&r->rig[k], arena, s->ops, s->name, s->values, note));
        at[k] = r->size;
        r->size += ifd__ideal_size(&r->rig[k]);
    }
    r->own = r->size;
    r->size += RUN_ROWS;
    return IFD_OK;
}

static ifd_status check_options(const ifd_run_options *opt, ifd_note *note)
{
    if (!(opt->end > 0.0) || !isfinite(opt->end))
        return ifd_note_add(note, IFD_RANGE, NULL, "the end is %g s, expected a positive time", opt->end);
    if (opt->end < 0.5 * opt->step.h)
        return ifd_note_add(note, IFD_RANGE, NULL, "the end (%g s) comes before the first step (%g s)", opt->end,
                            opt->step.h);
    if (opt->end / opt->step.h > 1e9)
        return ifd_note_add(note, IFD_RANGE, NULL, "%.3g steps are more than the limit of 1e9", opt->end / opt->step.h);
    return IFD_OK;
}

ifd_status ifd_run_make(ifd_arena *arena, const ifd_run_options *opt, ifd_run **out, ifd_note *note)
{
    IFD_TRY(check_options(opt, note));
    ifd_run *r = ifd_arena_take(arena, sizeof *r);
    if (!r)
        return IFD_NO_MEMORY;
    r->m = opt->model;
    IFD_TRY(ifd_stepper_make(arena, &opt->step, opt->model, &r->stepper, note));
    r->part = ifd__part_of_stepper(r->stepper);
    ifd_status s = ifd__schedule_make(arena, &r->part, opt->specimens > 0, &r->schedule);
    if (s == IFD_UNSUPPORTED)
        return ifd_note_add(note, s, NULL, "method %s iterates on the force and cannot work with a specimen",
                            opt->step.method->name);
    IFD_TRY(s);
    IFD_TRY(make_rigs(r, arena, opt, note));
    r->steps = lround(opt->end / opt->step.h);
    r->every = opt->every > 0 ? opt->every : 1;
    r->x = ifd_arena_array(arena, (size_t)r->size, sizeof *r->x);
    size_t n = (size_t)r->m->n;
    r->load = ifd_arena_array(arena, n, sizeof *r->load);
    r->u = ifd_arena_array(arena, n, sizeof *r->u);
    r->v = ifd_arena_array(arena, n, sizeof *r->v);
    if (!r->x || !r->load || !r->u || !r->v)
        return IFD_NO_MEMORY;
    IFD_TRY(ifd__publish_make(r, arena, opt, note));
    begin(r);
    *out = r;
    return IFD_OK;
}

bool ifd_run_fresh(const ifd_run *r)
{
    return r->fresh;
}

const double *ifd_run_values(const ifd_run *r)
{
    return r->values;
}

const ifd_channel *ifd_run_channels(const ifd_run *r, int *count)
{
    *count = r->channels;
    return r->channel;
}

double ifd_run_time(const ifd_run *r)
{
    return ifd_stepper_step(r->stepper) * ifd__run_own(r, RUN_STEP);
}

long ifd_run_step(const ifd_run *r)
{
    return (long)ifd__run_own(r, RUN_STEP);
}

long ifd_run_steps(const ifd_run *r)
{
    return r->steps;
}

ifd_fault_facts ifd_run_fault(const ifd_run *r)
{
    return (ifd_fault_facts){
        .fault = (ifd_fault)(int)ifd__run_own(r, RUN_FAULT),
        .step = (long)ifd__run_own(r, RUN_FAULT_STEP),
        .time = ifd__run_own(r, RUN_FAULT_STEP) * ifd_stepper_step(r->stepper),
        .dof = (int)ifd__run_own(r, RUN_FAULT_DOF),
        .value = ifd__run_own(r, RUN_FAULT_VALUE),
    };
}

const ifd_stepper *ifd_run_stepper(const ifd_run *r)
{
    return r->stepper;
}

double *ifd_run_save_area(ifd_run *r, int *count)
{
    *count = r->size;
    return r->x;
}
