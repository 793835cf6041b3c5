/* SPDX-License-Identifier: MIT */
/* Observed order: the same case at h, h/2, h/4 ..., compared with the reference solution at the instants of the
 * coarsest grid. Coupled substructures are compared with the reference solution of the assembled structure, per
 * substructure and at the joints.
 *
 * The multipliers of the reference follow from its states: they make the accelerations of the substructures, M_p a_p
 * = P_p - R_p + G_p^T Lam, equal at the joints, as those of the whole are. They are compared over the second half of
 * the run: generalized-alpha methods start with an error of first order in them that decays within a number of steps,
 * not of seconds (Arnold, Bruls, Cardona 2015). */
#include "analysis/converge.h"
#include "couple/coupled.h"
#include "method/reference.h"
#include "substructure/substructure.h"

#include <math.h>
#include <string.h>

enum { LEVELS_MIN = 2, LEVELS_MAX = 12 };
enum { U, V, S, L, KINDS };

/* The runs of a comparison, which it reports. */
typedef struct watched {
    const ifd_converge_watch *by; /* NULL: nobody */
    int run, runs;
} watched;

/* Numbers at every instant of the coarsest grid, in rows of size: u, v, s of the model, or of each substructure and
 * then the multipliers. */
typedef struct track {
    int size;
    long instants;
    double *y;
    watched *watch;
} track;

/* One number of a track. */
typedef struct number {
    int part, kind;
    bool joint; /* of a dof in a joint, or a multiplier */
    int group;  /* numbers of one group have a common scale, their largest value; -1: alone */
    double scale;
} number;

/* The numbers of one model, or of coupled substructures. */
typedef struct numbers {
    const ifd_model *model;           /* NULL: coupled substructures */
    const ifd_couple_options *couple; /* NULL: one model */
    int parts, size;
    int *first; /* first number of each substructure in a track */
    number *number;
} numbers;

static const ifd_model *model_of(const numbers *x, int part)
{
    return x->couple ? x->couple->part[part].model : x->model;
}

static bool is_length(ifd_dof_kind k)
{
    return k == IFD_DOF_X || k == IFD_DOF_Y || k == IFD_DOF_Z || k == IFD_DOF_DEFORMATION;
}

static bool in_joint(const ifd_couple_options *c, int part, int dof)
{
    for (int j = 0; j < c->joints; j++)
        for (int k = 0; k < c->joint[j].terms; k++)
            if (c->joint[j].term[k].part == part && c->joint[j].term[k].dof == dof)
                return true;
    return false;
}

/* A joint row transmits a force if its first dof is a length, otherwise a moment. */
static bool passes_force(const ifd_couple_options *c, int j)
{
    const ifd_joint *joint = &c->joint[j];
    return joint->terms == 0 || is_length(c->part[joint->term[0].part].model->dof_kind[joint->term[0].dof]);
}

/* Groups 0 to 3 of every substructure are its lengths, angles and their rates; each state is alone. The memory of
 * reversals of an element jumps one step earlier or later: it is not compared. */
static ifd_status make_numbers(ifd_arena *arena, numbers *x)
{
    int joints = x->couple ? x->couple->joints : 0;
    x->parts = x->couple ? x->couple->parts : 1;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(x->first, x->parts + 1)));
    for (int p = 0; p < x->parts; p++)
        x->first[p + 1] = x->first[p] + 2 * model_of(x, p)->n + model_of(x, p)->ns;
    x->size = x->first[x->parts] + joints;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(x->number, x->size)));
    for (int p = 0; p < x->parts; p++) {
        const ifd_model *m = model_of(x, p);
        for (int i = 0; i < 2 * m->n + m->ns; i++) {
            int kind = i < m->n ? U : i < 2 * m->n ? V : S, dof = i % m->n;
            number *n = &x->number[x->first[p] + i];
            *n = (number){.part = p, .kind = kind, .group = -1};
            if (kind == S) {
                n->scale = ifd__model_remembers(m, i - 2 * m->n) ? HUGE_VAL : 0.0;
                continue;
            }
            n->joint = x->couple && in_joint(x->couple, p, dof);
            n->group = 4 * p + 2 * (kind == V) + !is_length(m->dof_kind[dof]);
        }
    }
    for (int j = 0; j < joints; j++)
        x->number[x->first[x->parts] + j] =
            (number){.part = -1, .kind = L, .joint = true, .group = 4 * x->parts + !passes_force(x->couple, j)};
    return IFD_OK;
}

/* Every number is scaled by the largest of its group. */
static ifd_status find_scales(ifd_arena *scratch, numbers *x, const track *exact)
{
    double *group;
    IFD_TRY(IFD__TAKE(scratch, IFD__ARRAY(group, 4 * x->parts + 2)));
    for (int i = 0; i < x->size; i++)
        for (long k = 0; k <= exact->instants; k++)
            x->number[i].scale = fmax(x->number[i].scale, fabs(exact->y[k * x->size + i]));
    for (int i = 0; i < x->size; i++)
        if (x->number[i].group >= 0)
            group[x->number[i].group] = fmax(group[x->number[i].group], x->number[i].scale);
    for (int i = 0; i < x->size; i++) {
        number *n = &x->number[i];
        n->scale = n->group >= 0 ? group[n->group] : n->scale;
        n->scale = n->scale > 0.0 ? n->scale : 1.0;
    }
    return IFD_OK;
}

static void raise(double *most, double e)
{
    *most = e > *most || isnan(e) ? e : *most;
}

/* Largest scaled difference of number i. */
static double difference_of(const numbers *x, int i, const track *a, const track *b)
{
    const number *n = &x->number[i];
    double most = 0.0;
    for (long k = n->kind == L ? a->instants / 2 : 0; k <= a->instants; k++)
        raise(&most, fabs(a->y[k * x->size + i] - b->y[k * x->size + i]) / n->scale);
    return most;
}

static void compare(const numbers *x, const track *a, const track *b, double error[KINDS])
{
    memset(error, 0, sizeof *error * KINDS);
    for (int i = 0; i < x->size; i++)
        raise(&error[x->number[i].kind], difference_of(x, i, a, b));
}

static void record(const ifd__substructure *s, const double *x, const track *t, long instant)
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

static void tell(const track *t, long instant)
{
    const ifd_converge_watch *by = t->watch->by;
    if (by)
        by->progress(by->self, t->watch->run, t->watch->runs, (double)instant / (double)t->instants);
}

static ifd_status step_through(const ifd__substructure *s, int divide, double *x, track *t, ifd_note *note)
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
                                s->stepper ? "method '" : "the run", s->stepper ? s->stepper->method->name : "",
                                s->stepper ? "'" : "", s->step * (double)k, s->step);
        if (k % divide == 0) {
            record(s, x, t, k / divide);
            tell(t, k / divide);
        }
    }
    return IFD_OK;
}

/* The structure of opt from its start, without specimens; an instant is every divide-th step. */
static ifd_status run_through(const ifd__substructure_options *opt, int divide, track *t, ifd_note *note)
{
    ifd_arena *arena IFD__CLOSED = ifd_arena_open();
    ifd__substructure s = {0};
    t->watch->run++;
    ifd_status status = arena ? ifd__substructure_make(arena, opt, &s, note) : IFD_NO_MEMORY;
    double *x = status == IFD_OK ? ifd_arena_array(arena, (size_t)s.size, sizeof *x) : NULL;
    if (status == IFD_OK)
        status = x ? step_through(&s, divide, x, t, note) : IFD_NO_MEMORY;
    ifd__substructure_close(&s);
    return status;
}

/* One model with a divided step. */
static ifd_status run(const ifd_step_options *opt, const ifd_model *m, int divide, track *t, ifd_note *note)
{
    ifd_step_options step = *opt;
    step.h = opt->h / divide;
    return run_through(&(ifd__substructure_options){.model = m, .step = &step}, divide, t, note);
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

typedef struct comparing {
    ifd_arena *arena, *scratch;
    const ifd_run_options *opt;
    int levels, sets; /* of rows: the whole, each coupled substructure, their joints */
    double h;
    numbers of;
    ifd_converge_row *row; /* sets x levels */
    ifd_note *note;
} comparing;

/* A solution of another kind: without events, without a tolerance of its own. Newmark's method with a quarter of the
 * finest step and with half of it; its error is of second order, so both are extrapolated. The reference is confirmed
 * if the method comes as close to it as to itself: a method of order 0.4 is 3 changes away from its limit. */
static ifd_status second_opinion(const comparing *c, const numbers *x, const track *exact, ifd_convergence *out)
{
    int divide = 4 << (c->levels - 1);
    size_t count = (size_t)exact->size * (size_t)(exact->instants + 1);
    track fine = *exact, coarse = *exact;
    ifd_step_options step;
    double gap[KINDS], change[KINDS], difference[KINDS];
    IFD_TRY(IFD__TAKE(c->scratch, IFD__ARRAY(fine.y, count), IFD__ARRAY(coarse.y, count)));
    ifd_step_options_defaults(ifd_method_find("newmark"), c->h, &step);
    ifd_step_options_set(&step, "tolerance", ifd_number(1e-13));
    ifd_status status = run(&step, x->model, divide / 2, &coarse, NULL);
    if (status == IFD_OK)
        status = run(&step, x->model, divide, &fine, NULL);
    if (status != IFD_OK)
        return status == IFD_NO_MEMORY ? status : IFD_OK;
    compare(x, &fine, exact, gap);
    compare(x, &coarse, &fine, change);
    for (size_t i = 0; i < count; i++)
        fine.y[i] += (fine.y[i] - coarse.y[i]) / 3.0;
    compare(x, &fine, exact, difference);
    out->opinion_h = c->h / divide;
    out->opinion_u = fmin(gap[U], difference[U]);
    out->opinion_v = fmin(gap[V], difference[V]);
    out->opinion_s = fmin(gap[S], difference[S]);
    out->change_u = change[U];
    out->gap_u = gap[U];
    out->confirmed = gap[U] <= 3.0 * change[U] + out->agreement_u + 1e-9;
    return IFD_OK;
}

/* The reference solution of one model. Its agreement with a second one, and with a second opinion, into out. */
static ifd_status reference(const comparing *c, const ifd_model *m, track *exact, ifd_convergence *out)
{
    numbers x = {.model = m};
    IFD_TRY(make_numbers(c->scratch, &x));
    out->kinks = has_kinks(m) || has_corners(m, c->h, c->h * (double)exact->instants);
    ifd_step_options step;
    ifd_step_options_defaults(ifd_method_find("reference"), c->h, &step);
    const double tolerance[2] = {1e-11, 1e-9};
    ifd_step_options_set(&step, "tolerance", ifd_number(tolerance[0]));
    IFD_TRY(run(&step, m, 1, exact, c->note));
    IFD_TRY(find_scales(c->scratch, &x, exact));
    out->confirmed = ifd_model_linear(m);
    if (out->confirmed)
        return IFD_OK;
    track other = *exact;
    IFD_TRY(IFD__TAKE(c->scratch, IFD__ARRAY(other.y, (size_t)exact->size * (size_t)(exact->instants + 1))));
    ifd_step_options_set(&step, "tolerance", ifd_number(tolerance[1]));
    IFD_TRY(run(&step, m, 1, &other, c->note));
    double error[KINDS];
    compare(&x, &other, exact, error);
    memcpy(out->tolerance, tolerance, sizeof tolerance);
    out->agreement_u = error[U];
    out->agreement_v = error[V];
    out->agreement_s = error[S];
    return second_opinion(c, &x, exact, out);
}

/* Observed order between two levels; 0 if an error is 0. */
static double order_between(double coarse, double fine)
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

/* Exact states of the substructures from those of the whole. */
static void expand(const numbers *x, const ifd_assembly *a, const double *z, double *y, double *u)
{
    int n = a->model->n, s = 2 * n;
    for (int derivative = 0; derivative < 2; derivative++) {
        ifd_assembly_expand(a, z + derivative * n, u);
        for (int p = 0, at = 0; p < x->parts; at += model_of(x, p)->n, p++)
            memcpy(y + x->first[p] + derivative * model_of(x, p)->n, u + at, sizeof *u * (size_t)model_of(x, p)->n);
    }
    for (int p = 0; p < x->parts; p++) {
        const ifd_model *m = model_of(x, p);
        memcpy(y + x->first[p] + 2 * m->n, z + s, sizeof *u * (size_t)m->ns);
        s += m->ns;
    }
}

/* The multipliers at every instant, at the end of each row. */
static ifd_status exact_multipliers(const comparing *x, track *exact)
{
    ifd__interface I;
    const ifd_couple_options *couple = x->opt->couple;
    ifd_arena *scratch = x->scratch;
    int parts = couple->parts, *first = x->of.first;
    ifd__sight *sight;
    const ifd__sight **seen;
    double *theta;
    IFD_TRY(IFD__TAKE(scratch, IFD__ARRAY(sight, parts), IFD__ARRAY(seen, parts), IFD__ARRAY(theta, parts)));
    IFD_TRY(ifd__interface_make(scratch, couple, 0.0, NULL, &I, x->note));
    for (int p = 0; p < parts; p++) {
        IFD_TRY(ifd__sight_make(scratch, &I, p, &sight[p]));
        seen[p] = &sight[p];
    }
    for (long k = 0; k <= exact->instants; k++) {
        double *row = exact->y + k * exact->size;
        for (int p = 0; p < parts; p++)
            ifd__interface_see(&I, p, row + first[p], &sight[p]);
        if (!ifd__interface_solve(&I, (double)k * couple->h, seen, seen, theta, row + first[parts]))
            return ifd_note_add(x->note, IFD_SINGULAR, NULL, "the equations of the joints are singular at t = %g s",
                                (double)k * couple->h);
    }
    return IFD_OK;
}

/* The reference of coupled substructures is that of the structure that they form. */
static ifd_status reference_of_cut(comparing *x, track *exact, ifd_convergence *out)
{
    ifd_assembly a;
    IFD_TRY(ifd_couple_assemble(x->scratch, x->opt->couple, &a, x->note));
    track whole = {.size = 2 * a.model->n + a.model->ns, .instants = exact->instants, .watch = exact->watch};
    double *u;
    IFD_TRY(IFD__TAKE(x->scratch, IFD__ARRAY(u, a.dofs),
                      IFD__ARRAY(whole.y, (size_t)whole.size * (size_t)(whole.instants + 1))));
    IFD_TRY(reference(x, a.model, &whole, out));
    for (long k = 0; k <= whole.instants; k++)
        expand(&x->of, &a, whole.y + k * whole.size, exact->y + k * exact->size, u);
    return exact_multipliers(x, exact);
}

static ifd_status run_level(const comparing *x, int divide, track *t)
{
    if (!x->opt->couple)
        return run(&x->opt->step, x->opt->model, divide, t, x->note);
    ifd_couple_options couple = *x->opt->couple;
    couple.h /= divide;
    return run_through(&(ifd__substructure_options){.couple = &couple}, divide, t, x->note);
}

static double *error_of(ifd_converge_row *row, int kind)
{
    double *const of[KINDS] = {&row->error_u, &row->error_v, &row->error_s, &row->error_l};
    return of[kind];
}

/* Errors of level k: set 0 is the whole, set p + 1 substructure p, the last one the joints. */
static void compare_level(const comparing *x, int level, const track *t, const track *exact)
{
    ifd_converge_row *row = x->row + level;
    for (int set = 0; set < x->sets; set++)
        row[set * x->levels].h = ldexp(x->h, -level);
    for (int i = 0; i < x->of.size; i++) {
        const number *n = &x->of.number[i];
        double e = difference_of(&x->of, i, t, exact);
        raise(error_of(row, n->kind), e);
        if (n->part >= 0 && x->sets > 1)
            raise(error_of(row + (n->part + 1) * x->levels, n->kind), e);
        if (n->joint)
            raise(error_of(row + (x->sets - 1) * x->levels, n->kind), e);
    }
}

static void fill_orders(int levels, ifd_converge_row *row)
{
    for (int k = 1; k < levels; k++) {
        row[k].order_u = order_between(row[k - 1].error_u, row[k].error_u);
        row[k].order_v = order_between(row[k - 1].error_v, row[k].error_v);
        row[k].order_s = order_between(row[k - 1].error_s, row[k].error_s);
        row[k].order_l = order_between(row[k - 1].error_l, row[k].error_l);
    }
}

static ifd_status report(comparing *x, ifd_convergence *out)
{
    int levels = x->levels;
    ifd_converge_part *part;
    IFD_TRY(IFD__TAKE(x->arena, IFD__ARRAY(part, x->sets)));
    for (int set = 0; set < x->sets; set++) {
        ifd_converge_row *row = x->row + set * levels;
        fill_orders(levels, row);
        part[set] = (ifd_converge_part){.row = row};
        part[set].name =
            set > 0 && set <= x->of.parts ? ifd_arena_text(x->arena, x->opt->couple->part[set - 1].name) : "joints";
        part[set].order_u = ifd__converge_fit(levels, row, offsetof(ifd_converge_row, error_u), out->opinion_u,
                                              set ? NULL : &out->used_u);
        part[set].order_v = ifd__converge_fit(levels, row, offsetof(ifd_converge_row, error_v), out->opinion_v,
                                              set ? NULL : &out->used_v);
        part[set].order_s = ifd__converge_fit(levels, row, offsetof(ifd_converge_row, error_s), out->opinion_s,
                                              set ? NULL : &out->used_s);
        part[set].order_l = ifd__converge_fit(levels, row, offsetof(ifd_converge_row, error_l), 0.0, NULL);
    }
    out->levels = levels;
    out->row = x->row;
    out->order_u = part[0].order_u;
    out->order_v = part[0].order_v;
    out->order_s = part[0].order_s;
    out->order_l = part[0].order_l;
    out->parts = x->sets - 1;
    out->part = out->parts ? part + 1 : NULL;
    return IFD_OK;
}

/* A linear model has an exact reference. That of another one is computed twice, and confirmed by two more runs. */
static int runs_of(const comparing *x)
{
    const ifd_couple_options *couple = x->opt->couple;
    bool linear = couple || ifd_model_linear(x->opt->model);
    for (int p = 0; couple && p < couple->parts; p++)
        linear = linear && ifd_model_linear(couple->part[p].model);
    return x->levels + (linear ? 1 : 4);
}

static ifd_status converge(comparing *x, const ifd_converge_watch *by, ifd_convergence *out)
{
    const ifd_run_options *opt = x->opt;
    IFD_TRY(make_numbers(x->arena, &x->of));
    watched watch = {.by = by, .runs = runs_of(x)};
    track exact = {.size = x->of.size, .instants = lround(opt->end / x->h), .watch = &watch}, t = exact;
    size_t count = (size_t)exact.size * (size_t)(exact.instants + 1);
    IFD_TRY(IFD__TAKE(x->arena, IFD__ARRAY(x->row, x->sets * x->levels)));
    IFD_TRY(IFD__TAKE(x->scratch, IFD__ARRAY(exact.y, count), IFD__ARRAY(t.y, count)));
    IFD_TRY(opt->couple ? reference_of_cut(x, &exact, out) : reference(x, opt->model, &exact, out));
    IFD_TRY(find_scales(x->scratch, &x->of, &exact));
    for (int k = 0; k < x->levels; k++) {
        IFD_TRY(run_level(x, 1 << k, &t));
        compare_level(x, k, &t, &exact);
    }
    return report(x, out);
}

ifd_status ifd_converge(ifd_arena *arena, const ifd_run_options *opt, int levels, ifd_convergence *out,
                        ifd_note *note)
{
    return ifd_converge_watched(arena, opt, levels, NULL, out, note);
}

ifd_status ifd_converge_watched(ifd_arena *arena, const ifd_run_options *opt, int levels,
                                const ifd_converge_watch *watch, ifd_convergence *out, ifd_note *note)
{
    memset(out, 0, sizeof *out);
    IFD_TRY(check(opt, levels, note));
    ifd_arena *scratch IFD__CLOSED = ifd_arena_open();
    comparing x = {.arena = arena,
                   .scratch = scratch,
                   .opt = opt,
                   .levels = levels,
                   .sets = opt->couple ? opt->couple->parts + 2 : 1,
                   .h = opt->couple ? opt->couple->h : opt->step.h,
                   .of = {.model = opt->couple ? NULL : opt->model, .couple = opt->couple},
                   .note = note};
    return scratch ? converge(&x, watch, out) : IFD_NO_MEMORY;
}
