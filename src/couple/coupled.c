/* SPDX-License-Identifier: MIT */
/* Makes a coupled set from substructures, joints and options, and steps it. */
#include "couple/coupled.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "algebra/dense.h"
#include "base/arena.h"
#include "base/os_linux.h"
#include "couple/distributed.h"
#include "couple/worker.h"
#include "method/stepper.h"

/* Moves states to the nearest ones without gap at the joints. */

/* The values of gamma are 1.71 (plus), 0.29 (minus) and 1 (LSRT1). */
static const double least_gamma = 1.0;

static ifd_status check_gamma(const ifd_couple_options *opt, ifd_note *note)
{
    for (int p = 0; p < opt->parts; p++) {
        const ifd_part_options *part = &opt->part[p];
        double gamma = ifd__rosenbrock_gamma(&part->step);
        if (gamma < least_gamma)
            return ifd_note_add(
                note, IFD_CONFLICT, &opt->place,
                "'drift: project' is unstable with gamma below 1; substructure '%s' has gamma %.4g: use "
                "'drift: feedback', or method: {lsrt2: {gamma: plus}}",
                part->name, gamma);
    }
    return IFD_OK;
}

/* W := M + c C + c^2 K of a substructure at its initial state, c = gamma times the coarse step. */
static ifd_status metric(ifd_arena *scratch, const ifd_part_options *part, double coarse, ifd__tangent **out,
                         ifd_note *note)
{
    const ifd_model *m = part->model;
    const ifd_step_options *step = &part->step;
    double c = ifd__rosenbrock_gamma(step) * coarse, *rest;
    IFD_TRY(IFD__TAKE(scratch, IFD__ARRAY(rest, (size_t)m->n + 1)));
    IFD_TRY(ifd__tangent_make(
        scratch, m,
        &(ifd__tangent_options){
            .cm = 1.0, .cv = c, .cu = c * c, .cs = c, .estimates = step->estimates, .estimate = step->estimate},
        out, note));
    if (!ifd__tangent_update(*out, &(ifd__point){.u = m->u0, .v = m->v0, .s = m->s0, .a = rest}))
        return ifd_note_add(note, IFD_SINGULAR, &part->place,
                            "substructure '%s': the matrix of the projection is singular", part->name);
    return IFD_OK;
}

/* WG := W^-1 G^T of substructure p; H += G WG. */
static void add_part(const ifd__interface *I, int p, ifd__tangent *W, double *WG, double *H)
{
    const ifd__seen_part *s = &I->part[p];
    for (int j = 0; j < I->rows; j++) {
        double *column = WG + (size_t)j * (size_t)s->m->n;
        for (int k = s->G.start[j]; k < s->G.start[j + 1]; k++)
            column[s->G.dof[k]] += s->G.value[k];
        ifd__tangent_solve(W, column);
        ifd__lists_add(&s->G, I->rows, 1.0, column, H + (size_t)j * (size_t)I->rows);
    }
}

/* Refuses methods with gamma below 1: motion grows there in this metric too. */
static ifd_status nearest_make(ifd_arena *arena, const ifd_couple_options *opt, const ifd__interface *I,
                               double coarse, ifd__nearest *out, ifd_note *note)
{
    size_t rows = (size_t)I->rows;
    IFD_TRY(check_gamma(opt, note));
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(out->WG, I->parts), IFD__ARRAY(out->LU, rows * rows + 1),
                      IFD__ARRAY(out->pivot, rows + 1)));
    for (int p = 0; p < I->parts; p++) {
        ifd_arena *scratch IFD__CLOSED = ifd_arena_open();
        ifd__tangent *W;
        IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(out->WG[p], rows * (size_t)I->part[p].m->n + 1)));
        IFD_TRY(metric(scratch, &opt->part[p], coarse, &W, note));
        add_part(I, p, W, out->WG[p], out->LU);
    }
    if (I->rows && !ifd__lu_factor(I->rows, out->LU, out->pivot))
        return ifd_note_add(note, IFD_SINGULAR, &opt->place,
                            "the equations of the projection at the joints are singular");
    return IFD_OK;
}

const ifd_coupling *const ifd_couplings[] = {
#define COUPLING(x) &ifd__coupling_##x,
#include "couple/couplings.def"
};

const int ifd_coupling_count = (int)(sizeof ifd_couplings / sizeof *ifd_couplings);

const ifd_coupling *ifd_coupling_find(const char *name)
{
    for (int i = 0; i < ifd_coupling_count; i++)
        if (strcmp(ifd_couplings[i]->name, name) == 0)
            return ifd_couplings[i];
    return NULL;
}

int ifd__coupled_row(ifd__coupled *c, const char *name, int count, ifd_state_kind kind)
{
    assert(c->rows < c->most_rows);
    int offset = c->size;
    c->row[c->rows++] = (ifd_state_row){.name = name, .offset = offset, .count = count, .kind = kind};
    c->size += count;
    return offset;
}

int ifd__coupled_stepper_rows(ifd__coupled *c, const ifd_stepper *stepper)
{
    int at = c->size;
    for (int r = 0; r < stepper->rows; r++)
        ifd__coupled_row(c, stepper->row[r].name, stepper->row[r].count, stepper->row[r].kind);
    return at;
}

/* Defaults of c. With gamma plus, the spectral radius of the split mass is one up to 0.2; with gamma minus the growth
 * is proportional to c^2, 6e-5 per step at 0.02. */
static const double preset_plus = 0.1, preset_minus = 0.02;

static bool is_rosenbrock(const ifd_step_options *step)
{
    return ifd_choice_find("lsrt1|lsrt2", step->method->name) >= 0;
}

static double preset_of(const ifd_couple_options *opt)
{
    for (int p = 0; p < opt->parts; p++)
        if (is_rosenbrock(&opt->part[p].step) && ifd__rosenbrock_gamma(&opt->part[p].step) < 1.0)
            return preset_minus;
    return preset_plus;
}

ifd_status ifd__coupled_interface(ifd__coupled *c, ifd_arena *arena, const ifd_couple_options *opt, double coarse,
                                  ifd_note *note)
{
    double factor = opt->drift_factor > 0.0 ? opt->drift_factor : preset_of(opt);
    c->drift = opt->drift == IFD_DRIFT_DEFAULT ? IFD_DRIFT_NONE : opt->drift;
    if (c->drift != IFD_DRIFT_FEEDBACK)
        factor = 0.0;
    else if (coarse == 0.0)
        return ifd_note_add(note, IFD_UNSUPPORTED, &opt->place,
                            "coupling %s matches velocities and has no 'drift: feedback'; use none or project",
                            opt->coupling->name);
    IFD_TRY(ifd__interface_make(arena, opt, factor > 0.0 ? factor / coarse : 0.0, c->distributed ? c : NULL, &c->I,
                                note));
    /* Couplings without Rosenbrock methods project in the metric of the mass. */
    if (c->drift != IFD_DRIFT_PROJECT || !opt->parts || !is_rosenbrock(&opt->part[0].step))
        return IFD_OK;
    if (c->distributed)
        return ifd_note_add(note, IFD_UNSUPPORTED, &opt->place,
                            "coupling %s with 'drift: project' cannot be distributed over processes; use none or "
                            "feedback",
                            opt->coupling->name);
    return nearest_make(arena, opt, &c->I, coarse, &c->nearest, note);
}

ifd_status ifd__coupled_stepper(ifd_arena *arena, const ifd_couple_options *opt, int p, double h, ifd_stepper **out,
                                ifd_note *note)
{
    ifd_step_options step = opt->part[p].step;
    step.h = h;
    return ifd_stepper_make(arena, &step, opt->part[p].model, out, note);
}

static ifd_status check_parts(const ifd_couple_options *opt, ifd_note *note)
{
    ifd_status status = IFD_OK;
    for (int p = 0; p < opt->parts; p++) {
        const ifd_part_options *part = &opt->part[p];
        if (ifd_choice_find(opt->coupling->methods, part->step.method->name) < 0)
            status = ifd_note_add(note, IFD_UNSUPPORTED, &part->place,
                                  "substructure '%s' uses %s; coupling %s supports %s", part->name,
                                  part->step.method->name, opt->coupling->name, opt->coupling->methods);
        if (part->measured && !opt->coupling->aim)
            status = ifd_note_add(note, IFD_UNSUPPORTED, &part->place,
                                  "coupling %s does not support the specimen of substructure '%s'",
                                  opt->coupling->name, part->name);
        if (part->subcycles < 0) /* 0 means 1 */
            status =
                ifd_note_add(note, IFD_RANGE, &part->place, "substructure '%s' has %d subcycles; expected 1 or more",
                             part->name, part->subcycles);
    }
    if (!(opt->h > 0.0) || !isfinite(opt->h))
        status = ifd_note_add(note, IFD_RANGE, &opt->place, "step is %g s; expected a positive number", opt->h);
    return status;
}

/* Initial displacements and velocities must agree at the joints. */
static ifd_status check_start(ifd__coupled *c, const ifd_couple_options *opt, ifd_note *note)
{
    if (opt->project_start)
        return IFD_OK;
    ifd_status status = IFD_OK;
    for (int j = 0; j < opt->joints; j++) {
        double gap[2] = {0.0, 0.0}, size[2] = {0.0, 0.0};
        for (int k = 0; k < opt->joint[j].terms; k++) {
            const ifd_joint_term *t = &opt->joint[j].term[k];
            const ifd_model *m = c->member[t->part].model;
            const double y[2] = {m->u0[t->dof], m->v0[t->dof]};
            for (int d = 0; d < 2; d++) {
                gap[d] += t->coefficient * y[d];
                size[d] = fmax(size[d], fabs(t->coefficient * y[d]));
            }
        }
        for (int d = 0; d < 2; d++)
            if (fabs(gap[d]) > 1e-9 * size[d])
                status = ifd_note_add(note, IFD_CONFLICT, &opt->joint[j].place,
                                      "joint '%s' has a gap of %g %s at the start: give both sides the same "
                                      "initial %s, or set `start: project`",
                                      opt->joint[j].name, gap[d], d ? "m/s" : "m", d ? "velocity" : "displacement");
    }
    return status;
}

/* A substructure without joints is allowed; it moves independently. */
static void say_unconnected(const ifd_couple_options *opt, ifd_note *note)
{
    for (int p = 0; p < opt->parts; p++) {
        bool joined = false;
        for (int j = 0; j < opt->joints; j++)
            for (int k = 0; k < opt->joint[j].terms; k++)
                joined = joined || opt->joint[j].term[k].part == p;
        for (int l = 0; opt->rts && l < opt->rts->links; l++)
            joined = joined || opt->rts->link[l].leader == p || opt->rts->link[l].follower == p;
        if (!joined && note)
            ifd_note_remark(note, &opt->part[p].place,
                            "substructure '%s' has no joints: it moves independently of the others",
                            opt->part[p].name);
    }
}

static ifd_status make_scratch(ifd__coupled *c, ifd_arena *arena)
{
    size_t parts = (size_t)c->parts, rows = (size_t)c->I.rows;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(c->sight, parts), IFD__ARRAY(c->seen, parts), IFD__ARRAY(c->theta, parts),
                      IFD__ARRAY(c->wgap, 4 * rows + 1), IFD__ARRAY(c->unbalance, rows + 1)));
    size_t most = 0;
    for (int p = 0; p < c->parts; p++) {
        const ifd_model *m = c->member[p].model;
        most = ifd__model_accepts(m) && (size_t)m->nq > most ? (size_t)m->nq : most;
    }
    if (most && !(c->accepted = ifd_arena_array(arena, 2 * most, sizeof *c->accepted)))
        return IFD_NO_MEMORY;
    for (int p = 0; p < c->parts; p++) {
        IFD_TRY(ifd__sight_make(arena, &c->I, p, &c->sight[p]));
        c->seen[p] = &c->sight[p];
    }
    return IFD_OK;
}

static ifd_status make_members(ifd__coupled *c, ifd_arena *arena, const ifd_couple_options *opt)
{
    c->most_rows = opt->parts * (IFD_METHOD_STATES + 6) + 8; /* rows of a stepper and of the coupling, per
                                                              * substructure */
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(c->member, opt->parts), IFD__ARRAY(c->row, c->most_rows)));
    for (int p = 0; p < opt->parts; p++) {
        const ifd_part_options *part = &opt->part[p];
        c->member[p] = (ifd__member){.name = part->name, .model = part->model, .measured = part->measured};
        c->measured = c->measured || part->measured;
    }
    return IFD_OK;
}

int ifd__coupling_threads(const ifd_coupling *coupling)
{
    return coupling == &ifd__coupling_pg_alpha ? IFD__THREADS : 2;
}

ifd_status ifd__coupled_make(ifd_arena *arena, const ifd_couple_options *opt, ifd__coupled **out, ifd_note *note)
{
    IFD_TRY(check_parts(opt, note));
    if (opt->threads > ifd__coupling_threads(opt->coupling))
        return ifd_note_add(note, IFD_RANGE, &opt->place, "coupling %s uses at most %d threads; the case asks for %d",
                            opt->coupling->name, ifd__coupling_threads(opt->coupling), opt->threads);
    ifd__coupled *c;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(c, 1)));
    c->coupling = opt->coupling;
    c->h = opt->h;
    c->parts = opt->parts;
    c->period = 1;
    c->started = 2.0;
    c->patience = IFD__JOB_PATIENCE;
    if (opt->ranks && opt->coupling != &ifd__coupling_pg_alpha && opt->coupling != &ifd__coupling_parallel)
        return ifd_note_add(note, IFD_UNSUPPORTED, &opt->place,
                            "coupling %s cannot be distributed over processes; use pg-alpha or parallel",
                            opt->coupling->name);
    IFD_TRY(make_members(c, arena, opt));
    if (opt->ranks)
        IFD_TRY(ifd__distributed_make(arena, opt, c, note));
    IFD_TRY(opt->coupling->make(c, arena, opt, note));
    c->lambda =
        ifd__coupled_row(c, "multipliers", c->I.rows, c->multipliers_are_state ? IFD_STATE_HISTORY : IFD_STATE_STAGE);
    c->fault = ifd__coupled_row(c, "fault", 1, IFD_STATE_INTEGER);
    c->project_start = opt->project_start;
    IFD_TRY(make_scratch(c, arena));
    IFD_TRY(check_start(c, opt, note));
    say_unconnected(opt, note);
    *out = c;
    return IFD_OK;
}

ifd_status ifd__coupled_worker(ifd__coupled *c, ifd_arena *arena, void (*job)(void *), void *argument)
{
    assert(c->workers < IFD__THREADS - 1);
    IFD_TRY(ifd__worker_open(arena, c->workers, job, argument, &c->worker[c->workers]));
    c->workers++;
    return IFD_OK;
}

void ifd__coupled_jobs_begin(ifd__coupled *c)
{
    for (c->jobs = 0; c->jobs < c->workers; c->jobs++)
        ifd__worker_begin(c->worker[c->jobs]);
}

bool ifd__coupled_jobs_wait(ifd__coupled *c)
{
    int64_t until = c->jobs > 1 ? ifd__clock_now() + (int64_t)(c->patience * 1e9) : 0;
    for (double left = c->patience; c->jobs > 0; c->jobs--) {
        if (!ifd__worker_wait(c->worker[c->jobs - 1], left))
            return false;
        if (c->jobs > 1)
            left = fmax(0.0, 1e-9 * (double)(until - ifd__clock_now()));
    }
    return true;
}

void ifd__coupled_initial(ifd__coupled *c, double *x)
{
    bool free = ifd__coupled_jobs_wait(c); /* of a run that ended in the middle of a cycle */
    memset(x, 0, sizeof(double) * (size_t)c->size);
    for (int p = 0; p < c->parts; p++)
        ifd__model_initial(c->member[p].model, x + c->member[p].at);
    if (c->project_start)
        for (int derivative = 0; derivative < 2; derivative++)
            ifd__coupled_project(c, derivative, x);
    if (c->project_start && c->distributed)
        ifd__distributed_gather(c, x);
    if (!free)
        x[c->fault] = IFD_STEP_LATE;
}

void ifd__coupled_start(ifd__coupled *c, double t, double *x)
{
    c->coupling->begin(c, t, x);
    for (int p = 0; c->accepted && p < c->parts; p++) {
        const ifd_model *m = c->member[p].model;
        double *y = x + c->member[p].at;
        ifd__model_accept(m, t, y, y + m->n, y + 2 * m->n, c->accepted);
    }
}

void ifd__coupled_measured(ifd__coupled *c, int p, const double *load)
{
    assert(c->member[p].measured);
    memcpy(c->I.part[p].measured, load, sizeof *load * (size_t)c->member[p].model->n);
}

void ifd__coupled_aim(ifd__coupled *c, int k, const double *x, int p, double *u, double *v)
{
    assert(c->member[p].measured);
    c->coupling->aim(c, k, x, p, u, v);
}

void ifd__coupled_tick(ifd__coupled *c, int k, double t, double *x)
{
    c->coupling->tick(c, k, t, x);
}

void ifd__coupled_close(ifd__coupled *c)
{
    for (int k = 0; c && k < c->workers; k++)
        ifd__worker_close(c->worker[k]);
}

bool ifd__coupled_balance(ifd__coupled *c, double t, const double *x)
{
    for (int p = 0; p < c->parts; p++)
        if (ifd__coupled_mine(c, p))
            ifd__interface_see(&c->I, p, x + c->member[p].at, &c->sight[p]);
    return ifd__interface_free(&c->I, t, c->seen, c->seen, c->theta, c->unbalance);
}

void ifd__coupled_multipliers(ifd__coupled *c, double t, double *x)
{
    ifd__interface_rest(&c->I);
    if (c->I.rows == 0)
        return;
    bool ok = ifd__coupled_balance(c, t, x);
    memcpy(x + c->lambda, c->unbalance, sizeof(double) * (size_t)c->I.rows);
    if (!ifd__interface_react(&c->I, ok, x + c->lambda))
        ifd__raise(&x[c->fault], IFD_STEP_SINGULAR);
}

void ifd__coupled_feed_back(ifd__coupled *c, const int *at, const double *x, ifd__interface *I)
{
    int rows = I->rows;
    double *gap = c->wgap, *rate = gap + rows;
    if (I->feedback == 0.0)
        return;
    memset(gap, 0, sizeof(double) * 2 * (size_t)rows);
    if (c->distributed) {
        (void)ifd__distributed_gap(c, at, 0, x, gap); /* a process that is gone appears at the end of the cycle */
        (void)ifd__distributed_gap(c, at, 1, x, rate);
    }
    for (int p = 0; p < c->parts && !c->distributed; p++) {
        const double *y = x + (at ? at[p] : c->member[p].at);
        ifd__interface_gap(I, p, y, gap);
        ifd__interface_gap(I, p, y + c->member[p].model->n, rate);
    }
    ifd__interface_feed_back(I, gap, rate);
}

void ifd__coupled_correct(ifd__coupled *c, const ifd__nearest *nearest, int derivative, double *gap, double *x)
{
    const ifd__interface *I = &c->I;
    ifd__lu_solve(I->rows, nearest ? nearest->LU : I->LU0, nearest ? nearest->pivot : I->pivot0, 1, gap);
    for (int p = 0; p < c->parts; p++) {
        int n = c->member[p].model->n;
        if (ifd__coupled_mine(c, p))
            ifd__mul_add(n, I->rows, -1.0, nearest ? nearest->WG[p] : I->part[p].MG, gap,
                         x + c->member[p].at + derivative * n);
    }
}

static void close_gap(ifd__coupled *c, const ifd__nearest *nearest, int derivative, double *x)
{
    double *gap = c->wgap;
    memset(gap, 0, sizeof(double) * (size_t)c->I.rows);
    if (c->distributed)
        (void)ifd__distributed_gap(c, NULL, derivative, x, gap);
    for (int p = 0; p < c->parts && !c->distributed; p++)
        ifd__interface_gap(&c->I, p, x + c->member[p].at + derivative * c->member[p].model->n, gap);
    ifd__coupled_correct(c, nearest, derivative, gap, x);
}

void ifd__coupled_project(ifd__coupled *c, int derivative, double *x)
{
    close_gap(c, NULL, derivative, x);
}

void ifd__coupled_synchronise(ifd__coupled *c, double t, double *x)
{
    for (int derivative = 0; c->drift == IFD_DRIFT_PROJECT && derivative < 2; derivative++)
        close_gap(c, c->nearest.LU ? &c->nearest : NULL, derivative, x);
    if (!c->measured)
        ifd__coupled_multipliers(c, t, x);
}

void ifd__coupled_load(const ifd__coupled *c, int p, const double *x, double *load)
{
    ifd__interface_load(&c->I, p, x + c->lambda, load);
    for (int l = 0; l < c->pulls; l++)
        if (c->pull[l].part == p)
            load[c->pull[l].dof] += x[c->pulled + l];
}

void ifd__coupled_gap(ifd__coupled *c, double t, const double *x, double out[4])
{
    int rows = c->I.rows;
    double *gu = c->wgap, *gv = gu + rows, *ga = gv + rows;
    memset(c->wgap, 0, sizeof(double) * 4 * (size_t)rows);
    for (int p = 0; p < c->parts; p++) {
        const double *y = x + c->member[p].at;
        ifd__interface_gap(&c->I, p, y, gu);
        ifd__interface_gap(&c->I, p, y + c->member[p].model->n, gv);
    }
    if (!c->distributed)
        (void)ifd__coupled_balance(c, t, x);
    memcpy(ga, c->unbalance, sizeof(double) * (size_t)rows);
    ifd__mul_add(rows, rows, 1.0, c->I.Hnow, x + c->lambda, ga);
    out[3] = 0.0;
    for (int j = 0; j < rows; j++)
        out[3] += x[c->lambda + j] * gv[j];
    for (int l = 0; l < c->pulls; l++) {
        const ifd__member *b = &c->member[c->pull[l].part];
        out[3] += x[c->pulled + l] * x[b->at + b->model->n + c->pull[l].dof];
    }
    out[0] = ifd__largest(rows, gu);
    out[1] = ifd__largest(rows, gv);
    out[2] = ifd__largest(rows, ga);
}
