/* SPDX-License-Identifier: MIT */
#include "instance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/wave.h"

static void change_values(void *who, int element, const ifd_element_ops *ops, ifd_value *values)
{
    const fmu *f = who;
    (void)ops;
    for (int k = 0; f->block && k < f->image.tunables; k++)
        if (f->image.tunable[k].element == element)
            values[f->image.tunable[k].parameter].number = fmu_parameters(f)[1 + k];
}

/* The case's own ground motion times a factor. The signals were made for this instance only. */
static void scale_ground(ifd_model *m, double factor)
{
    for (int d = 0; d < 3; d++)
        for (int i = 0; m->ground[d].signal && i < m->ground[d].signal->count && factor != 1.0; i++)
            ((ifd__wave *)(uintptr_t)m->ground[d].signal->wave)[i].factor *= factor;
}

static bool scratch_make(fmu *f, const ifd_model *m)
{
    const size_t n = (size_t)m->n, nq = (size_t)m->nq;
    double **part[] = {&f->load, &f->a, &f->g, &f->w, &f->du, &f->q, &f->r};
    const size_t count[] = {n, n, (size_t)m->ns, ifd__model_work(m), n, nq, nq};
    for (size_t k = 0; k < sizeof part / sizeof *part; k++)
        if (!(*part[k] = ifd_arena_array(f->arena, count[k] + 1, sizeof(double))))
            return false;
    f->jump = ifd_arena_array(f->arena, (size_t)f->image.rows + 1, sizeof *f->jump);
    f->G = ifd_arena_array(f->arena, (size_t)f->image.rows * (size_t)f->image.rows + 1, sizeof *f->G);
    f->other = ifd_arena_array(f->arena, (size_t)f->size, sizeof *f->other);
    return f->G && f->other && f->jump;
}

bool fmu_build(fmu *f)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_model *m = NULL;
    ifd_stepper *s = NULL;
    ifd_step_options opt;
    if (!arena)
        return fmu_refuse(f, "memory ran out");
    bool good = fmu_image_model(&f->image, arena, change_values, f, &m, &opt);
    if (good && f->block)
        scale_ground(m, fmu_parameters(f)[0]);
    good = good && ifd_stepper_make(arena, &opt, m, &s, NULL) == IFD_OK &&
           ifd__tangent_make(arena, m, &(ifd__tangent_options){.cm = 1.0}, &f->mass, NULL) == IFD_OK;
    if (!good) {
        ifd_arena_close(arena);
        return fmu_refuse(f, "the model cannot be made: the image is damaged, or a parameter is out of its range");
    }
    ifd_arena_close(f->arena);
    f->arena = arena;
    f->s = s;
    if (f->block)
        memcpy(f->built, fmu_parameters(f), sizeof *f->built * (size_t)f->parameters);
    f->size = FMU_ROW_FIXED + f->inputs + f->parameters + ifd_stepper_size(s) + f->image.rows * f->image.rows +
              f->image.rows;
    if (!f->block)
        f->block = calloc((size_t)f->size, sizeof *f->block);
    return (f->block && scratch_make(f, m)) || fmu_refuse(f, "memory ran out");
}

static void presets(fmu *f)
{
    memset(f->block, 0, sizeof *f->block * (size_t)f->size);
    for (int i = 0; i < f->image.variables; i++) {
        const fmu_variable *v = &f->image.variable[i];
        if (v->kind == IFD__FMU_SCALE)
            fmu_parameters(f)[0] = v->start;
        if (v->kind == IFD__FMU_ELEMENT)
            fmu_parameters(f)[1 + v->index] = v->start;
    }
    ifd_stepper_initial(f->s, fmu_state(f));
    f->stale = f->elements_stale = true;
}

static fmu *make(const char *resources, const char *token, const char **why)
{
    fmu *f = calloc(1, sizeof *f);
    *why = "memory ran out";
    if (!f)
        return NULL;
    if (fmu_image_open(&f->image, resources, token, why)) {
        f->inputs = f->image.rows + f->image.grounds;
        f->parameters = 1 + f->image.tunables;
        f->built = calloc((size_t)f->parameters, sizeof *f->built);
        if (f->built && fmu_build(f)) {
            presets(f);
            memcpy(f->built, fmu_parameters(f), sizeof *f->built * (size_t)f->parameters);
            return f;
        }
        *why = f->built ? f->why : "memory ran out";
    }
    fmu_free(f);
    return NULL;
}

fmu *fmu_make(const char *resources, const char *token, const char **why)
{
    unsigned was = fmu_arithmetic();
    fmu *f = make(resources, token, why);
    _mm_setcsr(was);
    return f;
}

void fmu_free(fmu *f)
{
    if (!f)
        return;
    ifd_arena_close(f->arena);
    fmu_image_close(&f->image);
    free(f->built);
    free(f->block);
    free(f);
}

fmu_mode fmu_mode_of(const fmu *f)
{
    return (fmu_mode)(int)f->block[FMU_ROW_MODE];
}

const char *fmu_why(const fmu *f)
{
    return f->why ? f->why : "";
}

static void set_mode(fmu *f, fmu_mode mode)
{
    f->block[FMU_ROW_MODE] = (double)mode;
}

double fmu_time(const fmu *f)
{
    return f->block[FMU_ROW_BASE] + ifd_stepper_step(f->s) * f->block[FMU_ROW_STEPS];
}

bool fmu_setup(fmu *f, double start)
{
    if (fmu_mode_of(f) > FMU_INITIAL || !isfinite(start))
        return fmu_refuse(f, "the start time comes before initialisation, and is a number");
    f->block[FMU_ROW_BASE] = start;
    return true;
}

bool fmu_enter(fmu *f)
{
    if (fmu_mode_of(f) != FMU_MADE)
        return fmu_refuse(f, "initialisation begins once, right after instantiation");
    set_mode(f, FMU_INITIAL);
    return true;
}

/* Forces at the interface, onto the dofs. */
static void scatter_rows(const fmu *f, const double *force, double *load)
{
    for (int k = 0; k < f->image.rows; k++) {
        const fmu_row *r = &f->image.row[k];
        if (r->to >= 0)
            load[r->to] -= r->devices * force[k];
        if (r->from >= 0)
            load[r->from] += r->devices * force[k];
    }
}

const double *fmu_loads(fmu *f)
{
    const ifd_model *m = ifd_stepper_model(f->s);
    const double *in = fmu_inputs(f);
    bool any = false;
    for (int k = 0; k < f->inputs; k++)
        any = any || in[k] != 0.0;
    if (!any)
        return NULL;
    memset(f->load, 0, sizeof *f->load * (size_t)m->n);
    scatter_rows(f, in, f->load);
    for (int k = 0; k < f->image.grounds; k++)
        for (int i = 0; i < m->n; i++)
            f->load[i] += in[f->image.rows + k] * m->ground[f->image.ground[k]].p[i];
    return f->load;
}

static void one_step(fmu *f, const ifd_stepper *s, double t, double *x)
{
    const double *load = fmu_loads(f);
    for (int i = 0; i < ifd_stepper_stages(s); i++)
        ifd_stepper_stage(s, i, t, load, x);
}

/* A force at the interface acts from the first instant of the communication step to its last. What the method
 * remembers of the forces of the step before, as accelerations, follows; else the first step would feel the mean of
 * both, and the work done at a joint would not be that of the force that was set. */
static void hold_forces(fmu *f)
{
    const double *in = fmu_inputs(f);
    double *held = fmu_held(f);
    bool changed = false;
    for (int k = 0; k < f->image.rows; k++) {
        f->jump[k] = in[k] - held[k];
        changed = changed || f->jump[k] != 0.0;
        held[k] = in[k];
    }
    if (!changed)
        return;
    memset(f->load, 0, sizeof *f->load * (size_t)ifd_stepper_model(f->s)->n);
    scatter_rows(f, f->jump, f->load);
    ifd_stepper_jump(f->s, fmu_time(f), f->load, fmu_state(f));
}

/* Column j: a unit force held for the first step. */
static void find_compliance(fmu *f)
{
    int m = f->image.rows;
    size_t bytes = sizeof *f->block * (size_t)f->size;
    memcpy(f->other, f->block, bytes);
    for (int j = -1; j < m; j++) {
        memcpy(f->block, f->other, bytes);
        memset(fmu_inputs(f), 0, sizeof(double) * (size_t)f->inputs);
        if (j >= 0)
            fmu_inputs(f)[j] = -1.0; /* pulls where the row stretches */
        hold_forces(f);
        one_step(f, f->s, fmu_time(f), fmu_state(f));
        for (int i = 0; i < m; i++) {
            double d = fmu_stretch(f, i, fmu_state(f));
            if (j < 0)
                f->du[i] = d; /* there are no more rows than dofs */
            else
                f->G[i + j * m] = d - f->du[i];
        }
    }
    memcpy(f->block, f->other, bytes);
    memcpy(fmu_compliance(f), f->G, sizeof *f->G * (size_t)m * (size_t)m);
}

bool fmu_exit(fmu *f)
{
    if (fmu_mode_of(f) != FMU_INITIAL)
        return fmu_refuse(f, "initialisation ends where it began");
    unsigned was = fmu_arithmetic();
    bool good = fmu_build(f);
    if (good) {
        ifd_stepper_initial(f->s, fmu_state(f));
        ifd_stepper_start(f->s, fmu_time(f), fmu_loads(f), fmu_state(f));
        memcpy(fmu_held(f), fmu_inputs(f), sizeof(double) * (size_t)f->image.rows);
        find_compliance(f);
    }
    _mm_setcsr(was);
    set_mode(f, good ? FMU_STEPPING : FMU_BROKEN);
    f->stale = f->elements_stale = true;
    return good;
}

bool fmu_terminate(fmu *f)
{
    if (fmu_mode_of(f) != FMU_STEPPING)
        return fmu_refuse(f, "only what runs can be terminated");
    set_mode(f, FMU_TERMINATED);
    return true;
}

bool fmu_reset(fmu *f)
{
    unsigned was = fmu_arithmetic();
    presets(f);
    bool good = fmu_build(f);
    presets(f);
    _mm_setcsr(was);
    return good;
}

/* A step that is no multiple: a method of its own for what is left. From there on the grid begins anew. Takes memory;
 * masters do this at the end only, to meet their stop time. */
static bool remainder_step(fmu *f, double to)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_model *m = NULL;
    ifd_stepper *s = NULL;
    ifd_step_options opt;
    double t = fmu_time(f), *x = NULL;
    bool good = arena && fmu_image_model(&f->image, arena, change_values, f, &m, &opt);
    opt.h = to - t;
    if (good)
        scale_ground(m, fmu_parameters(f)[0]);
    good = good && ifd_stepper_make(arena, &opt, m, &s, NULL) == IFD_OK &&
           (x = ifd_arena_array(arena, (size_t)ifd_stepper_size(s), sizeof *x)) != NULL;
    if (good) {
        size_t own = sizeof *x * (size_t)(2 * m->n + m->ns);
        memcpy(x, fmu_state(f), own);
        ifd_stepper_start(s, t, fmu_loads(f), x);
        one_step(f, s, t, x);
        memcpy(fmu_state(f), x, own);
        f->block[FMU_ROW_BASE] = to;
        f->block[FMU_ROW_STEPS] = 0.0;
        ifd_stepper_start(f->s, to, fmu_loads(f), fmu_state(f));
    }
    ifd_arena_close(arena);
    return good || fmu_refuse(f, "the step is no multiple of the method's, and what is left of it could not be made");
}

static bool sound(fmu *f)
{
    const ifd_model *m = ifd_stepper_model(f->s);
    const double *x = fmu_state(f);
    bool finite = true;
    for (int i = 0; i < 2 * m->n; i++)
        finite = finite && isfinite(x[i]);
    ifd_step_fault fault = ifd_stepper_fault(f->s, x);
    if (finite && fault != IFD_STEP_SINGULAR && fault != IFD_STEP_SOLVER)
        return true;
    set_mode(f, FMU_BROKEN);
    return fmu_refuse(f, finite ? "the tangent matrix could not be factored" : "the model diverged");
}

/* Steps are counted in integers: from here to the instant of the grid nearest to the
 * end of the communication step. */
static bool advance(fmu *f, double now, double step)
{
    double h = ifd_stepper_step(f->s), base = f->block[FMU_ROW_BASE], to = now + step;
    double at = (now - base) / h, end = (to - base) / h, near = 1e-3;
    if (!(step > 0.0) || !isfinite(to))
        return fmu_refuse(f, "the communication step is not positive");
    if (fabs(at - f->block[FMU_ROW_STEPS]) > near)
        return fmu_refuse(f, "the communication point is not where the last step ended");
    double last = round(end), left = end - last;
    hold_forces(f);
    bool whole = fabs(left) <= near && last > f->block[FMU_ROW_STEPS];
    for (last = whole ? last : floor(end + near); f->block[FMU_ROW_STEPS] < last; f->block[FMU_ROW_STEPS] += 1.0)
        one_step(f, f->s, fmu_time(f), fmu_state(f));
    return whole || remainder_step(f, to);
}

bool fmu_step(fmu *f, double now, double step)
{
    if (fmu_mode_of(f) != FMU_STEPPING)
        return fmu_refuse(f, "a step comes between initialisation and termination");
    unsigned was = fmu_arithmetic();
    bool good = advance(f, now, step) && sound(f);
    f->stale = f->elements_stale = true;
    _mm_setcsr(was);
    return good;
}
