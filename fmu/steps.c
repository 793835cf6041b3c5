/* SPDX-License-Identifier: MIT */
/* Communication steps over the grid of the steps of the method.
 *
 * The method always makes whole steps on its grid t0 + n h. A communication point between two instants of the grid
 * is served by one trial step past it: displacements follow from those at both ends and their rates (cubic), rates
 * are its derivative, the states of elements are linear between, and the memory of reversals is that at the start of
 * the step. The actual step is made when communication has passed its end, with the time-weighted mean of the forces
 * that were set meanwhile, so that their impulse is kept. The grid, and with it the trajectory, does not depend on
 * the communication points. Nothing is factorised, and a communication step costs at most one step of the method
 * more than its length. */
#include "instance.h"

#include <math.h>
#include <string.h>

static const double near = 1e-3;                   /* of a step: distance from the grid that counts as zero */
static const double most_steps = 1e9;              /* in one call: more indicates an error in units */
static const double countable = 9007199254740992.; /* 2^53: larger numbers of steps are not exact as doubles */

/* Adds interface forces to the dofs. */
static void scatter_rows(const fmu *f, const double *force, double *load)
{
    for (int k = 0; k < f->image.rows; k++) {
        const fmu_row *r = &f->image.row[k];
        ifd__add_restoring_force(r->ends, r->devices * force[k], load);
    }
}

static const double *loads(fmu *f, const double *force, const double *ground)
{
    const ifd_model *m = ifd_stepper_model(f->s);
    bool any = false;
    for (int k = 0; k < f->image.rows; k++)
        any = any || force[k] != 0.0;
    for (int k = 0; k < f->image.grounds; k++)
        any = any || ground[k] != 0.0;
    if (!any)
        return NULL;
    memset(f->load, 0, sizeof *f->load * (size_t)m->n);
    scatter_rows(f, force, f->load);
    for (int k = 0; k < f->image.grounds; k++)
        for (int i = 0; i < m->n; i++)
            f->load[i] += ground[k] * m->ground[f->image.ground[k]].p[i];
    return f->load;
}

const double *fmu_loads(fmu *f)
{
    return loads(f, fmu_inputs(f), fmu_inputs(f) + f->image.rows);
}

/* The ground at t in this communication step: linear from its value at the end of the last one. */
static void ground_at(fmu *f, double t, double *ground)
{
    const double *in = fmu_inputs(f) + f->image.rows, *last = fmu_ground(f);
    double share = f->to > f->from ? fmin(fmax((t - f->from) / (f->to - f->from), 0.0), 1.0) : 1.0;
    for (int k = 0; k < f->image.grounds; k++)
        ground[k] = share == 1.0 ? in[k] : last[k] + share * (in[k] - last[k]);
}

void fmu_one_step(fmu *f, const double *force)
{
    const double t = fmu_head_of(f)->base + ifd_stepper_step(f->s) * fmu_head_of(f)->steps;
    double ground[3] = {0};
    for (int i = 0; i < ifd_stepper_stages(f->s); i++) {
        ground_at(f, t + f->s->method->at[i] * ifd_stepper_step(f->s), ground);
        ifd_stepper_stage(f->s, i, t, loads(f, force, ground), fmu_state(f));
    }
}

/* An interface force acts from the first instant of the communication step to its last. The memory of the method of
 * the forces of the step before, as accelerations, is changed accordingly. Otherwise the first step would use the
 * mean of both forces, and the work at a joint would not be that of the force that was set. */
void fmu_hold(fmu *f, const double *force)
{
    double *held = fmu_held(f);
    bool changed = false;
    for (int k = 0; k < f->image.rows; k++) {
        f->jump[k] = force[k] - held[k];
        changed = changed || f->jump[k] != 0.0;
        held[k] = force[k];
    }
    if (!changed)
        return;
    memset(f->load, 0, sizeof *f->load * (size_t)ifd_stepper_model(f->s)->n);
    scatter_rows(f, f->jump, f->load);
    ifd_stepper_jump(f->s, fmu_head_of(f)->base + ifd_stepper_step(f->s) * fmu_head_of(f)->steps, f->load,
                     fmu_state(f));
}

/* The step that contains the communication point, or begins there: its force is the mean of the forces set in it;
 * the present forces count until its end. */
static void step_ahead(fmu *f)
{
    const double *in = fmu_inputs(f), *impulse = fmu_impulse(f), part = fmu_head_of(f)->part;
    for (int k = 0; k < f->image.rows; k++)
        f->force[k] = part > 0.0 ? impulse[k] + (1.0 - part) * in[k] : in[k];
    fmu_hold(f, f->force);
    fmu_one_step(f, f->force);
}

/* Values between two instants of the grid, by a trial step. */
static void look_between(fmu *f)
{
    const ifd_model *m = ifd_stepper_model(f->s);
    const double h = ifd_stepper_step(f->s), p = fmu_head_of(f)->part, q = 1.0 - p;
    size_t bytes = sizeof *f->block * (size_t)f->size;
    memcpy(f->other, f->block, bytes);
    step_ahead(f);
    double *seen = f->other + (fmu_between(f) - f->block);
    const double *a = f->other + (fmu_state(f) - f->block), *b = fmu_state(f);
    for (int i = 0; i < m->n; i++) {
        double u0 = a[i], v0 = a[m->n + i], u1 = b[i], v1 = b[m->n + i];
        seen[i] = q * q * (1.0 + 2.0 * p) * u0 + p * p * (3.0 - 2.0 * p) * u1 + p * q * h * (q * v0 - p * v1);
        seen[m->n + i] = 6.0 * p * q * (u1 - u0) / h + q * (1.0 - 3.0 * p) * v0 - p * (2.0 - 3.0 * p) * v1;
    }
    for (int i = 2 * m->n; i < 2 * m->n + m->ns; i++)
        seen[i] = q * a[i] + p * b[i];
    ifd__model_recall(m, a + 2 * m->n, seen + 2 * m->n);
    memcpy(f->block, f->other, bytes);
}

static bool sound(fmu *f)
{
    const ifd_model *m = ifd_stepper_model(f->s);
    const double *x = fmu_state(f), *seen = fmu_seen(f);
    bool finite = true;
    for (int i = 0; i < 2 * m->n; i++)
        finite = finite && isfinite(x[i]) && isfinite(seen[i]);
    ifd_step_fault fault = ifd_stepper_fault(f->s, x);
    if (finite && fault != IFD_STEP_SINGULAR && fault != IFD_STEP_SOLVER && fault != IFD_STEP_TANGENT)
        return true;
    fmu_head_of(f)->mode = FMU_BROKEN;
    return fmu_refuse(f, finite ? FMU_SINGULAR : FMU_DIVERGED);
}

static bool advance(fmu *f, double now, double step)
{
    double h = ifd_stepper_step(f->s), base = fmu_head_of(f)->base, to = now + step;
    double at = (now - base) / h, end = (to - base) / h;
    double *steps = &fmu_head_of(f)->steps, *part = &fmu_head_of(f)->part, *impulse = fmu_impulse(f);
    if (!(step > 0.0) || !isfinite(to))
        return fmu_refuse(f, FMU_STEP_NOT_POSITIVE);
    if (!(fabs(at - (*steps + *part)) <= near))
        return fmu_refuse(f, FMU_STEP_ELSEWHERE);
    if (!(end - *steps <= most_steps && end <= countable))
        return fmu_refuse(f, FMU_STEP_TOO_LONG);
    f->from = now;
    f->to = to;
    for (; *steps + 1.0 <= end + near; *steps += 1.0, *part = 0.0) {
        step_ahead(f);
        memset(impulse, 0, sizeof *impulse * (size_t)f->image.rows);
    }
    double left = end - *steps;
    if (left > near) {
        for (int k = 0; k < f->image.rows; k++)
            impulse[k] += fmax(left - *part, 0.0) * fmu_inputs(f)[k];
        *part = left;
        look_between(f);
    }
    memcpy(fmu_ground(f), fmu_inputs(f) + f->image.rows, sizeof(double) * (size_t)f->image.grounds);
    return sound(f);
}

bool fmu_step(fmu *f, double now, double step)
{
    if (fmu_mode_of(f) != FMU_STEPPING)
        return fmu_refuse(f, FMU_STEP_OUT_OF_ORDER);
    unsigned was = fmu_arithmetic();
    bool good = advance(f, now, step);
    f->stale = f->elements_stale = true;
    _mm_setcsr(was);
    return good;
}
