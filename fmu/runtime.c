/* SPDX-License-Identifier: MIT */
#include "runtime.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xmmintrin.h>

#include "base/factors.h"
#include "image.h"
#include "method/stepper.h"
#include "method/tangent.h"
#include "model/wave.h"

/* Rows at the head of the block; inputs, parameters and the state of the method follow. */
enum { ROW_MODE, ROW_STEPS, ROW_BASE, ROW_FIXED };

struct fmu {
    fmu_image image;
    ifd_arena *arena; /* of what depends on the parameters */
    ifd_stepper *s;
    ifd__tangent *mass;
    int inputs, parameters, size; /* of the block */
    double *block;
    double *load, *a, *g, *w, *du; /* scratch */
    double *G;
    double *other; /* a second block, for the compliance */
    bool stale;    /* accelerations are not those of the present state */
    const char *why;
};

static bool refuse(fmu *f, const char *why)
{
    f->why = why;
    return false;
}

static double *inputs(const fmu *f)
{
    return f->block + ROW_FIXED;
}

static double *parameters(const fmu *f)
{
    return inputs(f) + f->inputs;
}

static double *state(const fmu *f)
{
    return parameters(f) + f->parameters;
}

static int input_row(const fmu *f, const fmu_variable *v)
{
    return v->kind == IFD__FMU_FORCE ? v->index : f->image.rows + v->index;
}

static void change_values(void *who, int element, const ifd_element_ops *ops, ifd_value *values)
{
    const fmu *f = who;
    (void)ops;
    for (int k = 0; f->block && k < f->image.tunables; k++)
        if (f->image.tunable[k].element == element)
            values[f->image.tunable[k].parameter].number = parameters(f)[1 + k];
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
    double **part[] = {&f->load, &f->a, &f->g, &f->w, &f->du};
    const size_t count[] = {(size_t)m->n, (size_t)m->n, (size_t)m->ns, ifd__model_work(m), (size_t)m->n};
    for (size_t k = 0; k < 5; k++)
        if (!(*part[k] = ifd_arena_array(f->arena, count[k] + 1, sizeof(double))))
            return false;
    f->G = ifd_arena_array(f->arena, (size_t)f->image.rows * (size_t)f->image.rows + 1, sizeof *f->G);
    f->other = ifd_arena_array(f->arena, (size_t)f->size, sizeof *f->other);
    return f->G && f->other;
}

/* Model and method with the parameters as they stand. */
static bool build(fmu *f)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_model *m = NULL;
    ifd_stepper *s = NULL;
    ifd_step_options opt;
    if (!arena)
        return refuse(f, "memory ran out");
    bool good = fmu_image_model(&f->image, arena, change_values, f, &m, &opt);
    if (good && f->block)
        scale_ground(m, parameters(f)[0]);
    good = good && ifd_stepper_make(arena, &opt, m, &s, NULL) == IFD_OK &&
           ifd__tangent_make(arena, m, &(ifd__tangent_options){.cm = 1.0}, &f->mass, NULL) == IFD_OK;
    if (!good) {
        ifd_arena_close(arena);
        return refuse(f, "the model cannot be made: the image is damaged, or a parameter is out of its range");
    }
    ifd_arena_close(f->arena);
    f->arena = arena;
    f->s = s;
    f->size = ROW_FIXED + f->inputs + f->parameters + ifd_stepper_size(s);
    if (!f->block)
        f->block = calloc((size_t)f->size, sizeof *f->block);
    return (f->block && scratch_make(f, m)) || refuse(f, "memory ran out");
}

static void presets(fmu *f)
{
    memset(f->block, 0, sizeof *f->block * (size_t)f->size);
    for (int i = 0; i < f->image.variables; i++) {
        const fmu_variable *v = &f->image.variable[i];
        if (v->kind == IFD__FMU_SCALE)
            parameters(f)[0] = v->start;
        if (v->kind == IFD__FMU_ELEMENT)
            parameters(f)[1 + v->index] = v->start;
    }
    ifd_stepper_initial(f->s, state(f));
    f->stale = true;
}

fmu *fmu_make(const char *resources, const char *token, const char **why)
{
    fmu *f = calloc(1, sizeof *f);
    *why = "memory ran out";
    if (!f)
        return NULL;
    if (fmu_image_open(&f->image, resources, token, why)) {
        f->inputs = f->image.rows + f->image.grounds;
        f->parameters = 1 + f->image.tunables;
        if (build(f)) {
            presets(f);
            return f;
        }
        *why = f->why;
    }
    fmu_free(f);
    return NULL;
}

void fmu_free(fmu *f)
{
    if (!f)
        return;
    ifd_arena_close(f->arena);
    fmu_image_close(&f->image);
    free(f->block);
    free(f);
}

fmu_mode fmu_mode_of(const fmu *f)
{
    return (fmu_mode)(int)f->block[ROW_MODE];
}

const char *fmu_why(const fmu *f)
{
    return f->why ? f->why : "";
}

static void set_mode(fmu *f, fmu_mode mode)
{
    f->block[ROW_MODE] = (double)mode;
}

double fmu_time(const fmu *f)
{
    return f->block[ROW_BASE] + ifd_stepper_step(f->s) * f->block[ROW_STEPS];
}

bool fmu_setup(fmu *f, double start)
{
    if (fmu_mode_of(f) > FMU_INITIAL || !isfinite(start))
        return refuse(f, "the start time comes before initialisation, and is a number");
    f->block[ROW_BASE] = start;
    return true;
}

bool fmu_enter(fmu *f)
{
    if (fmu_mode_of(f) != FMU_MADE)
        return refuse(f, "initialisation begins once, right after instantiation");
    set_mode(f, FMU_INITIAL);
    return true;
}

/* What stands outside, as loads; NULL when nothing pushes, so that a model alone steps as it does anywhere else. */
static const double *loads(fmu *f)
{
    const ifd_model *m = ifd_stepper_model(f->s);
    const double *in = inputs(f);
    bool any = false;
    for (int k = 0; k < f->inputs; k++)
        any = any || in[k] != 0.0;
    if (!any)
        return NULL;
    memset(f->load, 0, sizeof *f->load * (size_t)m->n);
    for (int k = 0; k < f->image.rows; k++) {
        if (f->image.row[k].to >= 0)
            f->load[f->image.row[k].to] -= in[k];
        if (f->image.row[k].from >= 0)
            f->load[f->image.row[k].from] += in[k];
    }
    for (int k = 0; k < f->image.grounds; k++)
        for (int i = 0; i < m->n; i++)
            f->load[i] += in[f->image.rows + k] * m->ground[f->image.ground[k]].p[i];
    return f->load;
}

static double stretch(const fmu *f, int row, const double *u)
{
    const fmu_row *r = &f->image.row[row];
    return (r->to >= 0 ? u[r->to] : 0.0) - (r->from >= 0 ? u[r->from] : 0.0);
}

static void one_step(fmu *f, const ifd_stepper *s, double t, double *x)
{
    const double *load = loads(f);
    for (int i = 0; i < ifd_stepper_stages(s); i++)
        ifd_stepper_stage(s, i, t, load, x);
}

/* Column j: a unit force held for the first step. */
static void find_compliance(fmu *f)
{
    int m = f->image.rows;
    size_t bytes = sizeof *f->block * (size_t)f->size;
    memcpy(f->other, f->block, bytes);
    for (int j = -1; j < m; j++) {
        memcpy(f->block, f->other, bytes);
        memset(inputs(f), 0, sizeof(double) * (size_t)f->inputs);
        if (j >= 0)
            inputs(f)[j] = -1.0; /* pulls where the row stretches */
        one_step(f, f->s, fmu_time(f), state(f));
        for (int i = 0; i < m; i++) {
            double d = stretch(f, i, state(f));
            if (j < 0)
                f->du[i] = d; /* there are no more rows than dofs */
            else
                f->G[i + j * m] = d - f->du[i];
        }
    }
    memcpy(f->block, f->other, bytes);
}

bool fmu_exit(fmu *f)
{
    if (fmu_mode_of(f) != FMU_INITIAL)
        return refuse(f, "initialisation ends where it began");
    unsigned mxcsr = _mm_getcsr();
    _mm_setcsr(0x1f80);
    bool good = build(f);
    if (good) {
        ifd_stepper_initial(f->s, state(f));
        ifd_stepper_start(f->s, fmu_time(f), loads(f), state(f));
        find_compliance(f);
    }
    _mm_setcsr(mxcsr);
    set_mode(f, good ? FMU_STEPPING : FMU_BROKEN);
    f->stale = true;
    return good;
}

bool fmu_terminate(fmu *f)
{
    if (fmu_mode_of(f) != FMU_STEPPING)
        return refuse(f, "only what runs can be terminated");
    set_mode(f, FMU_TERMINATED);
    return true;
}

bool fmu_reset(fmu *f)
{
    presets(f);
    bool good = build(f);
    presets(f);
    return good;
}

/* a := M(u)^-1 (P - R + loads), as the engine records them. */
static void accelerations(fmu *f)
{
    const ifd_model *m = ifd_stepper_model(f->s);
    const double *u = state(f), *v = u + m->n, *s = v + m->n, *load = loads(f);
    if (!f->stale)
        return;
    ifd__model_balance(m, fmu_time(f), u, v, s, f->a, f->g, f->w);
    for (int i = 0; load && i < m->n; i++)
        f->a[i] += load[i];
    ifd__tangent_update(f->mass, &(ifd__point){.t = fmu_time(f), .u = u, .v = v, .s = s});
    ifd__tangent_solve(f->mass, f->a);
    f->stale = false;
}

static double channel(fmu *f, const fmu_channel *c)
{
    const double *u = state(f);
    if (c->kind == IFD__FMU_DOF_A) {
        accelerations(f);
        return f->a[c->dof];
    }
    return u[c->dof + (c->kind == IFD__FMU_DOF_V ? ifd_stepper_model(f->s)->n : 0)];
}

static double value_of(fmu *f, const fmu_variable *v)
{
    const double *u = state(f);
    switch (v->kind) {
    case IFD__FMU_TIME:
        return fmu_time(f);
    case IFD__FMU_FORCE:
    case IFD__FMU_GROUND:
        return inputs(f)[input_row(f, v)];
    case IFD__FMU_DISPLACEMENT:
        return stretch(f, v->index, u);
    case IFD__FMU_VELOCITY:
        return stretch(f, v->index, u + ifd_stepper_model(f->s)->n);
    case IFD__FMU_ACCELERATION:
        accelerations(f);
        return stretch(f, v->index, f->a);
    case IFD__FMU_CHANNEL:
        return channel(f, &f->image.channel[v->index]);
    case IFD__FMU_SCALE:
        return parameters(f)[0];
    case IFD__FMU_ELEMENT:
        return parameters(f)[1 + v->index];
    case IFD__FMU_COMPLIANCE:
        return f->G[v->index];
    case IFD__FMU_CLASSES:
        break;
    }
    return (double)NAN;
}

bool fmu_get(fmu *f, const uint32_t *vr, size_t n, double *value)
{
    for (size_t k = 0; k < n; k++) {
        if (vr[k] >= (uint32_t)f->image.variables)
            return refuse(f, "there is no variable of this value reference");
        value[k] = value_of(f, &f->image.variable[vr[k]]);
    }
    return true;
}

static bool set_one(fmu *f, const fmu_variable *v, double value)
{
    fmu_mode mode = fmu_mode_of(f);
    if (!isfinite(value))
        return refuse(f, "a value that was set is not a finite number");
    if (v->kind == IFD__FMU_FORCE || v->kind == IFD__FMU_GROUND) {
        inputs(f)[input_row(f, v)] = value;
        f->stale = true;
        return mode <= FMU_STEPPING || refuse(f, "it was terminated");
    }
    if (v->kind != IFD__FMU_SCALE && v->kind != IFD__FMU_ELEMENT)
        return refuse(f, "only inputs and parameters can be set");
    if (mode > FMU_INITIAL)
        return refuse(f, "parameters are fixed once initialisation has ended");
    parameters(f)[v->kind == IFD__FMU_SCALE ? 0 : 1 + v->index] = value;
    return true;
}

bool fmu_set(fmu *f, const uint32_t *vr, size_t n, const double *value)
{
    for (size_t k = 0; k < n; k++) {
        if (vr[k] >= (uint32_t)f->image.variables)
            return refuse(f, "there is no variable of this value reference");
        if (!set_one(f, &f->image.variable[vr[k]], value[k]))
            return false;
    }
    return true;
}

/* A step that is no multiple: a method of its own for what is left. From there on the grid begins anew. Takes memory; masters do
 * this at the end only, to meet their stop time. */
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
        scale_ground(m, parameters(f)[0]);
    good = good && ifd_stepper_make(arena, &opt, m, &s, NULL) == IFD_OK &&
           (x = ifd_arena_array(arena, (size_t)ifd_stepper_size(s), sizeof *x)) != NULL;
    if (good) {
        size_t own = sizeof *x * (size_t)(2 * m->n + m->ns);
        memcpy(x, state(f), own);
        ifd_stepper_start(s, t, loads(f), x);
        one_step(f, s, t, x);
        memcpy(state(f), x, own);
        f->block[ROW_BASE] = to;
        f->block[ROW_STEPS] = 0.0;
        ifd_stepper_start(f->s, to, loads(f), state(f));
    }
    ifd_arena_close(arena);
    return good || refuse(f, "the step is no multiple of the method's, and what is left of it could not be made");
}

static bool sound(fmu *f)
{
    const ifd_model *m = ifd_stepper_model(f->s);
    const double *x = state(f);
    bool finite = true;
    for (int i = 0; i < 2 * m->n; i++)
        finite = finite && isfinite(x[i]);
    ifd_step_fault fault = ifd_stepper_fault(f->s, x);
    if (finite && fault != IFD_STEP_SINGULAR && fault != IFD_STEP_SOLVER)
        return true;
    set_mode(f, FMU_BROKEN);
    return refuse(f, finite ? "the tangent matrix could not be factored" : "the model diverged");
}

/* Steps are counted in integers: from here to the instant of the grid nearest to the end of the communication step. */
static bool advance(fmu *f, double now, double step)
{
    double h = ifd_stepper_step(f->s), base = f->block[ROW_BASE], to = now + step;
    double at = (now - base) / h, end = (to - base) / h, near = 1e-3;
    if (!(step > 0.0) || !isfinite(to))
        return refuse(f, "the communication step is not positive");
    if (fabs(at - f->block[ROW_STEPS]) > near)
        return refuse(f, "the communication point is not where the last step ended");
    double last = round(end), left = end - last;
    bool whole = fabs(left) <= near && last > f->block[ROW_STEPS];
    for (last = whole ? last : floor(end + near); f->block[ROW_STEPS] < last; f->block[ROW_STEPS] += 1.0)
        one_step(f, f->s, fmu_time(f), state(f));
    return whole || remainder_step(f, to);
}

bool fmu_step(fmu *f, double now, double step)
{
    if (fmu_mode_of(f) != FMU_STEPPING)
        return refuse(f, "a step comes between initialisation and termination");
    unsigned mxcsr = _mm_getcsr();
    _mm_setcsr(0x1f80); /* as the engine runs: all exceptions masked, to nearest, denormals kept */
    bool good = advance(f, now, step) && sound(f);
    f->stale = true;
    _mm_setcsr(mxcsr);
    return good;
}

/* Only accelerations depend on inputs at once: da = M^-1 (dloads). */
static double change_of(const fmu *f, const fmu_variable *v, const double *da)
{
    if (v->kind == IFD__FMU_ACCELERATION)
        return stretch(f, v->index, da);
    if (v->kind == IFD__FMU_CHANNEL && f->image.channel[v->index].kind == IFD__FMU_DOF_A)
        return da[f->image.channel[v->index].dof];
    return 0.0;
}

bool fmu_derivative(fmu *f, const uint32_t *unknown, size_t unknowns, const uint32_t *known, size_t knowns,
                    const double *seed, double *sensitivity)
{
    const ifd_model *m = ifd_stepper_model(f->s);
    size_t bytes = sizeof(double) * (size_t)f->inputs;
    memcpy(f->other, inputs(f), bytes);
    memset(inputs(f), 0, bytes);
    bool good = true;
    for (size_t k = 0; k < knowns && good; k++) {
        const fmu_variable *v = known[k] < (uint32_t)f->image.variables ? &f->image.variable[known[k]] : NULL;
        good = v && (v->kind == IFD__FMU_FORCE || v->kind == IFD__FMU_GROUND);
        if (good)
            inputs(f)[input_row(f, v)] = seed[k];
    }
    const double *load = good ? loads(f) : NULL, *u = state(f);
    for (int i = 0; i < m->n; i++)
        f->du[i] = load ? load[i] : 0.0;
    memcpy(inputs(f), f->other, bytes);
    if (!good)
        return refuse(f, "derivatives are by inputs");
    ifd__tangent_update(f->mass, &(ifd__point){.t = fmu_time(f), .u = u, .v = u + m->n, .s = u + 2 * m->n});
    ifd__tangent_solve(f->mass, f->du);
    for (size_t k = 0; k < unknowns; k++) {
        if (unknown[k] >= (uint32_t)f->image.variables)
            return refuse(f, "there is no variable of this value reference");
        sensitivity[k] = change_of(f, &f->image.variable[unknown[k]], f->du);
    }
    return true;
}

bool fmu_output_derivative(fmu *f, uint32_t vr, int order, double *value)
{
    const fmu_variable *v = vr < (uint32_t)f->image.variables ? &f->image.variable[vr] : NULL;
    int kind = v ? (int)v->kind + order : -1;
    bool motion = v && v->kind >= IFD__FMU_DISPLACEMENT && v->kind <= IFD__FMU_VELOCITY;
    if (!motion || order < 1 || kind > (int)IFD__FMU_ACCELERATION)
        return refuse(f,
                      "derivatives over time are those of displacements (1, 2) and velocities (1) of the interface");
    *value = value_of(f, &(fmu_variable){.kind = (ifd__fmu_class)kind, .index = v->index});
    return true;
}

size_t fmu_state_size(const fmu *f)
{
    return sizeof *f->block * (size_t)f->size;
}

void fmu_state_save(const fmu *f, void *block)
{
    memcpy(block, f->block, fmu_state_size(f));
}

bool fmu_state_load(fmu *f, const void *block)
{
    const double *saved = block;
    double mode = saved[ROW_MODE];
    if (!(mode >= FMU_MADE && mode <= FMU_BROKEN))
        return refuse(f, "this is no saved state");
    for (int k = 0; k < f->parameters && mode > FMU_INITIAL; k++)
        if (saved[ROW_FIXED + f->inputs + k] != parameters(f)[k])
            return refuse(f, "the saved state has other parameters");
    memcpy(f->block, block, fmu_state_size(f));
    f->stale = true;
    return true;
}

/* Version, hash of the token, count; then the block, least byte first. */
enum { SERIAL_VERSION = 1, SERIAL_HEAD = 24 };

static void put_word(unsigned char *to, uint64_t word)
{
    for (int k = 0; k < 8; k++)
        to[k] = (unsigned char)(word >> 8 * k);
}

static uint64_t get_word(const unsigned char *from)
{
    uint64_t word = 0;
    for (int k = 0; k < 8; k++)
        word |= (uint64_t)from[k] << 8 * k;
    return word;
}

size_t fmu_serial_size(const fmu *f)
{
    return SERIAL_HEAD + fmu_state_size(f);
}

bool fmu_serialise(fmu *f, const void *block, unsigned char *bytes, size_t size)
{
    const double *x = block;
    if (!block || size < fmu_serial_size(f))
        return refuse(f, "there is no state, or no room for it");
    put_word(bytes, SERIAL_VERSION);
    put_word(bytes + 8, f->image.identity);
    put_word(bytes + 16, (uint64_t)f->size);
    for (int i = 0; i < f->size; i++) {
        uint64_t word;
        memcpy(&word, &x[i], sizeof word);
        put_word(bytes + SERIAL_HEAD + 8 * (size_t)i, word);
    }
    return true;
}

bool fmu_deserialise(fmu *f, const unsigned char *bytes, size_t size, void *block)
{
    double *x = block;
    if (size < fmu_serial_size(f) || get_word(bytes) != SERIAL_VERSION || get_word(bytes + 8) != f->image.identity ||
        get_word(bytes + 16) != (uint64_t)f->size)
        return refuse(f, "these bytes are not a state of this model");
    for (int i = 0; i < f->size; i++) {
        uint64_t word = get_word(bytes + SERIAL_HEAD + 8 * (size_t)i);
        memcpy(&x[i], &word, sizeof word);
    }
    return true;
}
