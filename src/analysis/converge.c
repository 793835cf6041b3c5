/* SPDX-License-Identifier: MIT */
/* Observed order: the same case at h, h/2, h/4 ..., compared with the reference solution at the instants of the
 * coarsest grid. */
#include <interfield/analysis.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/converge.h"
#include "method/reference.h"

enum { KINDS = 3, LEVELS_MIN = 2, LEVELS_MAX = 12 };

/* Every number is scaled by the largest of its group: displacements and angles, their rates, each element state. The
 * memory of reversals of an element jumps one step earlier or later: it is not compared. */
typedef struct scales {
    const ifd_model *m;
    ifd__track *exact;
    double *of; /* 2 n + ns: scale of each number */
} scales;

static bool is_length(const ifd_model *m, int dof)
{
    ifd_dof_kind k = ifd_model_dof_kind(m, dof);
    return k == IFD_DOF_X || k == IFD_DOF_Y || k == IFD_DOF_Z || k == IFD_DOF_DEFORMATION;
}

static void find_scales(scales *s)
{
    const ifd_model *m = s->m;
    const ifd__track *t = s->exact;
    double group[4] = {0}; /* lengths, angles, their rates */
    memset(s->of, 0, sizeof(double) * (size_t)t->size);
    for (long k = 0; k <= t->instants; k++)
        for (int i = 0; i < t->size; i++)
            s->of[i] = fmax(s->of[i], fabs(t->y[k * t->size + i]));
    for (int i = 0; i < 2 * m->n; i++) {
        int g = 2 * (i >= m->n) + !is_length(m, i % m->n);
        group[g] = fmax(group[g], s->of[i]);
    }
    for (int i = 0; i < 2 * m->n; i++)
        s->of[i] = group[2 * (i >= m->n) + !is_length(m, i % m->n)];
    for (int i = 0; i < m->ns; i++)
        if (ifd__model_remembers(m, i))
            s->of[2 * m->n + i] = HUGE_VAL;
}

/* Largest scaled difference of u, v, s. */
static void compare(const scales *s, const ifd__track *a, double error[KINDS])
{
    const ifd__track *b = s->exact;
    error[0] = error[1] = error[2] = 0.0;
    for (long k = 0; k <= a->instants; k++)
        for (int i = 0; i < a->size; i++) {
            int kind = i < s->m->n ? 0 : i < 2 * s->m->n ? 1 : 2;
            double scale = s->of[i] > 0.0 ? s->of[i] : 1.0;
            double e = fabs(a->y[k * a->size + i] - b->y[k * a->size + i]) / scale;
            error[kind] = e > error[kind] || isnan(e) ? e : error[kind];
        }
}

static void record(const ifd__substructure *s, const double *x, const ifd__track *t, long instant)
{
    double *row = t->y + instant * t->size, *end = row + t->size;
    for (int p = 0; p < s->models; p++) {
        const ifd_model *m = s->model[p].m;
        memcpy(row, x + s->model[p].at, sizeof *row * (size_t)(2 * m->n + m->ns));
        row += 2 * m->n + m->ns;
    }
    if (row < end)
        memcpy(row, x + s->coupled->lambda, sizeof *row * (size_t)(end - row));
}

static ifd_status step_through(const ifd__substructure *s, int divide, double *x, ifd__track *t, ifd_note *note)
{
    double step = 0.0;
    s->ops->initial(s, x);
    ifd__substructure_begin(s, x);
    record(s, x, t, 0);
    for (long k = 1; k <= t->instants * divide; k++) {
        for (int i = 0; i < s->exchanges; i++)
            s->ops->exchange(s, i, &step, x);
        ifd_fault fault = ifd__substructure_fault(s, x);
        if (fault != IFD_FAULT_NONE && fault != IFD_FAULT_ITERATIONS)
            return ifd_note_add(note, IFD_DIVERGED, NULL, "%s%s%s stopped at t = %g s (step %g s)",
                                s->stepper ? "method '" : "the run",
                                s->stepper ? ifd_stepper_method(s->stepper)->name : "", s->stepper ? "'" : "",
                                s->step * (double)k, s->step);
        if (k % divide == 0)
            record(s, x, t, k / divide);
    }
    return IFD_OK;
}

ifd_status ifd__converge_run(const ifd__substructure_options *opt, int divide, ifd__track *t, ifd_note *note)
{
    ifd_arena *arena = ifd_arena_open();
    ifd__substructure s = {0};
    ifd_status status = arena ? ifd__substructure_make(arena, opt, &s, note) : IFD_NO_MEMORY;
    double *x = status == IFD_OK ? ifd_arena_array(arena, (size_t)s.size, sizeof *x) : NULL;
    if (status == IFD_OK)
        status = x ? step_through(&s, divide, x, t, note) : IFD_NO_MEMORY;
    ifd__substructure_close(&s);
    ifd_arena_close(arena);
    return status;
}

/* One model with a divided step. */
static ifd_status run(const ifd_step_options *opt, const ifd_model *m, int divide, ifd__track *t, ifd_note *note)
{
    ifd_step_options step = *opt;
    step.h = opt->h / divide;
    return ifd__converge_run(&(ifd__substructure_options){.model = m, .step = &step}, divide, t, note);
}

/* Some corner of a load lies inside a step of h. */
static bool has_corners(const ifd_model *m, double h, double end)
{
    for (double t = ifd__next_corner(m, 0.0), k; t < end; t = ifd__next_corner(m, t)) {
        k = t / h;
        if (fabs(k - round(k)) > 1e-6)
            return true;
    }
    return false;
}

static bool has_kinks(const ifd_model *m)
{
    for (int e = 0; e < m->ne; e++)
        if (m->element[e].nroot > 0 || m->element[e].ops->accept)
            return true;
    return false;
}

/* A solution of another kind: without events, without a tolerance of its own. Newmark's method with a quarter of the
 * finest step and with half of it; its error is of second order, so both are extrapolated. The reference is confirmed
 * if the method comes as close to it as to itself: a method of order 0.4 is 3 changes away from its limit. */
static ifd_status second_opinion(const scales *s, double h, int levels, ifd_convergence *out)
{
    int divide = 4 << (levels - 1);
    const ifd__track *exact = s->exact;
    size_t numbers = (size_t)exact->size * (size_t)(exact->instants + 1);
    ifd__track fine = *exact, coarse = *exact;
    ifd_step_options step;
    double gap[KINDS], change[KINDS], difference[KINDS];
    fine.y = calloc(numbers, sizeof(double));
    coarse.y = calloc(numbers, sizeof(double));
    ifd_step_options_defaults(ifd_method_find("newmark"), h, &step);
    ifd_step_options_set(&step, "tolerance", ifd_number(1e-13));
    ifd_status status = fine.y && coarse.y ? run(&step, s->m, divide / 2, &coarse, NULL) : IFD_NO_MEMORY;
    if (status == IFD_OK)
        status = run(&step, s->m, divide, &fine, NULL);
    if (status == IFD_OK) {
        compare(s, &fine, gap);
        compare(&(scales){s->m, &fine, s->of}, &coarse, change);
        for (size_t i = 0; i < numbers; i++)
            fine.y[i] += (fine.y[i] - coarse.y[i]) / 3.0;
        compare(s, &fine, difference);
        out->opinion_h = h / divide;
        out->opinion_u = fmin(gap[0], difference[0]);
        out->opinion_v = fmin(gap[1], difference[1]);
        out->opinion_s = fmin(gap[2], difference[2]);
        out->change_u = change[0];
        out->gap_u = gap[0];
        out->confirmed = gap[0] <= 3.0 * change[0] + out->agreement_u + 1e-9;
    }
    free(fine.y);
    free(coarse.y);
    return status == IFD_NO_MEMORY ? status : IFD_OK;
}

/* Two reference solutions: the better one into s; their agreement, and that of the second opinion, into out. */
static ifd_status references(scales *s, double h, int levels, ifd__track *other, ifd_convergence *out, ifd_note *note)
{
    out->kinks = has_kinks(s->m) || has_corners(s->m, h, h * (double)s->exact->instants);
    ifd_step_options step;
    ifd_step_options_defaults(ifd_method_find("reference"), h, &step);
    const double tolerance[2] = {1e-11, 1e-9};
    ifd_step_options_set(&step, "tolerance", ifd_number(tolerance[0]));
    IFD_TRY(run(&step, s->m, 1, s->exact, note));
    find_scales(s);
    out->confirmed = ifd_model_linear(s->m);
    if (out->confirmed)
        return IFD_OK;
    ifd_step_options_set(&step, "tolerance", ifd_number(tolerance[1]));
    IFD_TRY(run(&step, s->m, 1, other, note));
    double error[KINDS];
    compare(s, other, error);
    memcpy(out->tolerance, tolerance, sizeof tolerance);
    out->agreement_u = error[0];
    out->agreement_v = error[1];
    out->agreement_s = error[2];
    return second_opinion(s, h, levels, out);
}

ifd_status ifd__converge_reference(const ifd_model *m, double h, int levels, ifd__track *exact, ifd_convergence *out,
                                   ifd_note *note)
{
    ifd__track other = *exact;
    other.y = calloc((size_t)exact->size * (size_t)(exact->instants + 1), sizeof(double));
    scales s = {m, exact, calloc((size_t)exact->size + 1, sizeof(double))};
    ifd_status status = other.y && s.of ? references(&s, h, levels, &other, out, note) : IFD_NO_MEMORY;
    free(other.y);
    free(s.of);
    return status;
}

double ifd__converge_order(double coarse, double fine)
{
    return coarse > 0.0 && fine > 0.0 ? log2(coarse / fine) : 0.0;
}

/* Slope of log2(error) over log2(h), least squares: levels are equally spaced, so the weights are linear in the
 * level. */
double ifd__converge_fit(int levels, const ifd_converge_row *row, size_t field, double doubt, int *used)
{
    double error[LEVELS_MAX], sum = 0.0, norm = 0.0;
    int count = 0;
    for (; count < levels; count++) {
        memcpy(&error[count], (const char *)&row[count] + field, sizeof *error);
        if (!(error[count] > 10.0 * doubt))
            break;
    }
    for (int k = 0; k < count; k++) {
        double away = k - 0.5 * (count - 1);
        sum -= away * log2(error[k]);
        norm += away * away;
    }
    if (used)
        *used = count;
    return count > 1 ? sum / norm : 0.0;
}

/* The part of the promised order that must be seen. */
ifd_order_verdict ifd_convergence_judge(const ifd_convergence *c, int expected)
{
    double seen = HUGE_VAL, remark = expected - 0.5, caution = remark;
    if (!c->confirmed)
        return IFD_ORDER_CAUTION;
    if (c->used_u > 1)
        seen = c->order_u;
    if (c->used_v > 1)
        seen = fmin(seen, c->order_v);
    if (c->kinks) {
        remark = fmin(remark, 1.5);
        caution = fmin(caution, 0.8);
    }
    return seen < caution ? IFD_ORDER_CAUTION : seen < remark ? IFD_ORDER_REMARK : IFD_ORDER_FINE;
}

static ifd_status levels_of(const ifd_run_options *opt, int levels, const scales *s, ifd__track *t,
                            ifd_converge_row *row, ifd_note *note)
{
    for (int k = 0; k < levels; k++) {
        double error[KINDS];
        IFD_TRY(run(&opt->step, opt->model, 1 << k, t, note));
        compare(s, t, error);
        row[k] = (ifd_converge_row){
            .h = ldexp(opt->step.h, -k), .error_u = error[0], .error_v = error[1], .error_s = error[2]};
        if (k > 0) {
            row[k].order_u = ifd__converge_order(row[k - 1].error_u, error[0]);
            row[k].order_v = ifd__converge_order(row[k - 1].error_v, error[1]);
            row[k].order_s = ifd__converge_order(row[k - 1].error_s, error[2]);
        }
    }
    return IFD_OK;
}

static ifd_status check(const ifd_run_options *opt, int levels, ifd_note *note)
{
    if (levels < LEVELS_MIN || levels > LEVELS_MAX)
        return ifd_note_add(note, IFD_RANGE, NULL, "the number of levels is %d; expected %d to %d", levels,
                            LEVELS_MIN, LEVELS_MAX);
    if (opt->specimens)
        return ifd_note_add(
            note, IFD_UNSUPPORTED, NULL,
            "the case has a specimen, which the reference solution does not support: put its element into the model");
    if (opt->external)
        return ifd_note_add(note, IFD_UNSUPPORTED, NULL, "%s: the reference solution would need their models",
                            opt->external->summary);
    double h = opt->couple ? opt->couple->h : opt->step.h;
    if (!(h > 0.0) || !(opt->end >= h))
        return ifd_note_add(note, IFD_RANGE, NULL, "end %g s is before the end of the first step of %g s", opt->end,
                            h);
    return IFD_OK;
}

ifd_status ifd_converge(ifd_arena *arena, const ifd_run_options *opt, int levels, ifd_convergence *out,
                        ifd_note *note)
{
    memset(out, 0, sizeof *out);
    IFD_TRY(check(opt, levels, note));
    if (opt->couple)
        return ifd__converge_cut(arena, opt, levels, out, note);
    ifd_converge_row *row = ifd_arena_array(arena, (size_t)levels, sizeof *row);
    ifd__track exact = {.size = 2 * opt->model->n + opt->model->ns, .instants = lround(opt->end / opt->step.h)},
               t = exact;
    size_t numbers = (size_t)exact.size * (size_t)(exact.instants + 1);
    exact.y = calloc(numbers, sizeof(double));
    t.y = calloc(numbers, sizeof(double));
    scales s = {opt->model, &exact, calloc((size_t)exact.size, sizeof(double))};
    ifd_status status = row && exact.y && t.y && s.of ? IFD_OK : IFD_NO_MEMORY;
    if (status == IFD_OK)
        status = references(&s, opt->step.h, levels, &t, out, note);
    if (status == IFD_OK)
        status = levels_of(opt, levels, &s, &t, row, note);
    free(exact.y);
    free(t.y);
    free(s.of);
    if (status != IFD_OK)
        return status;
    out->levels = levels;
    out->row = row;
    out->order_u = ifd__converge_fit(levels, row, offsetof(ifd_converge_row, error_u), out->opinion_u, &out->used_u);
    out->order_v = ifd__converge_fit(levels, row, offsetof(ifd_converge_row, error_v), out->opinion_v, &out->used_v);
    out->order_s = ifd__converge_fit(levels, row, offsetof(ifd_converge_row, error_s), out->opinion_s, &out->used_s);
    return IFD_OK;
}
