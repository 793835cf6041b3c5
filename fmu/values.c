/* SPDX-License-Identifier: MIT */
/* Variables of an instance: reading, setting, derivatives. */
#include "instance.h"

#include <math.h>
#include <string.h>

/* a := M(u)^-1 (P - R + loads), as the engine records them. */
static void accelerations(fmu *f)
{
    const ifd_model *m = ifd_stepper_model(f->s);
    const double *u = fmu_seen(f), *load = fmu_loads(f);
    const ifd__point at = {.t = fmu_time(f), .u = u, .v = u + m->n, .s = u + 2 * m->n};
    if (!f->stale)
        return;
    ifd__model_balance(m, &at, f->a, f->g, f->w);
    for (int i = 0; load && i < m->n; i++)
        f->a[i] += load[i];
    ifd__tangent_update(f->mass, &at);
    ifd__tangent_solve(f->mass, f->a);
    f->stale = false;
}

/* Deformation and force of all elements, as the engine records them. */
static void elements(fmu *f)
{
    const ifd_model *m = ifd_stepper_model(f->s);
    const double *u = fmu_seen(f), *v = u + m->n, *s = v + m->n;
    if (!f->elements_stale)
        return;
    ifd__model_coordinates(m, fmu_time(f), u, v, f->q, f->w);
    ifd__model_forces(m, &(ifd_element_in){.t = fmu_time(f), .q = f->q, .qd = f->w, .s = s}, f->r, f->g);
    f->elements_stale = false;
}

static double channel(fmu *f, const ifd__fmu_channel *c)
{
    const ifd_model *m = ifd_stepper_model(f->s);
    const double *u = fmu_seen(f);
    switch (c->kind) {
    case IFD__FMU_DOF_U:
        return u[c->at];
    case IFD__FMU_DOF_V:
        return u[m->n + c->at];
    case IFD__FMU_DOF_A:
        accelerations(f);
        return f->a[c->at];
    case IFD__FMU_ELEMENT_Q:
        elements(f);
        return f->q[c->at];
    case IFD__FMU_ELEMENT_R:
        elements(f);
        return f->r[c->at];
    }
    return (double)NAN;
}

static double value_of(fmu *f, const fmu_variable *v)
{
    const double *u = fmu_seen(f);
    switch (v->kind) {
    case IFD__FMU_TIME:
        return fmu_time(f);
    case IFD__FMU_FORCE:
    case IFD__FMU_GROUND:
        return fmu_inputs(f)[fmu_input_row(f, v)];
    case IFD__FMU_DISPLACEMENT:
        return fmu_deformation(f, v->index, u);
    case IFD__FMU_VELOCITY:
        return fmu_deformation(f, v->index, u + ifd_stepper_model(f->s)->n);
    case IFD__FMU_ACCELERATION:
        accelerations(f);
        return fmu_deformation(f, v->index, f->a);
    case IFD__FMU_CHANNEL:
        return channel(f, &f->image.channel[v->index]);
    case IFD__FMU_SCALE:
        return fmu_parameters(f)[0];
    case IFD__FMU_ELEMENT:
        return fmu_parameters(f)[1 + v->index];
    case IFD__FMU_COMPLIANCE:
        return fmu_compliance(f)[v->index];
    case IFD__FMU_CLASSES:
        break;
    }
    return (double)NAN;
}

bool fmu_get(fmu *f, const uint32_t *vr, size_t n, double *value)
{
    unsigned was = fmu_arithmetic(); /* accelerations are computed on demand */
    bool known = true;
    for (size_t k = 0; k < n && known; k++) {
        known = vr[k] < (uint32_t)f->image.variables;
        if (known)
            value[k] = value_of(f, &f->image.variable[vr[k]]);
    }
    _mm_setcsr(was);
    return known || fmu_refuse(f, FMU_NO_VARIABLE);
}

/* The same check as that of a case. */
static bool in_range(const fmu_variable *v, double value)
{
    switch (v->range) {
    case IFD_RANGE_POSITIVE:
        return value > 0.0;
    case IFD_RANGE_NOT_NEGATIVE:
        return value >= 0.0;
    case IFD_RANGE_WITHIN:
        return value >= v->min && value <= v->max;
    case IFD_RANGE_FREE:
        break;
    }
    return true;
}

static bool set_one(fmu *f, const fmu_variable *v, double value)
{
    fmu_mode mode = fmu_mode_of(f);
    if (!isfinite(value))
        return fmu_refuse(f, FMU_NOT_FINITE);
    if (v->kind == IFD__FMU_FORCE || v->kind == IFD__FMU_GROUND) {
        if (mode > FMU_STEPPING)
            return fmu_refuse(f, FMU_OVER);
        fmu_inputs(f)[fmu_input_row(f, v)] = value;
        f->stale = true;
        return true;
    }
    if (v->kind != IFD__FMU_SCALE && v->kind != IFD__FMU_ELEMENT)
        return fmu_refuse(f, FMU_NOT_SETTABLE);
    if (mode > FMU_INITIAL)
        return fmu_refuse(f, FMU_FIXED);
    if (!in_range(v, value))
        return fmu_refuse(f, FMU_RANGE);
    fmu_parameters(f)[v->kind == IFD__FMU_SCALE ? 0 : 1 + v->index] = value;
    return true;
}

bool fmu_set(fmu *f, const uint32_t *vr, size_t n, const double *value)
{
    for (size_t k = 0; k < n; k++) {
        if (vr[k] >= (uint32_t)f->image.variables)
            return fmu_refuse(f, FMU_NO_VARIABLE);
        if (!set_one(f, &f->image.variable[vr[k]], value[k]))
            return false;
    }
    return true;
}

/* Only accelerations depend directly on inputs: da = M^-1 (dloads). */
static double change_of(const fmu *f, const fmu_variable *v, const double *da)
{
    if (v->kind == IFD__FMU_ACCELERATION)
        return fmu_deformation(f, v->index, da);
    if (v->kind == IFD__FMU_CHANNEL && f->image.channel[v->index].kind == IFD__FMU_DOF_A)
        return da[f->image.channel[v->index].at];
    return 0.0;
}

static bool derive(fmu *f, const fmu_direction *d, double *sensitivity)
{
    const ifd_model *m = ifd_stepper_model(f->s);
    size_t bytes = sizeof(double) * (size_t)f->inputs;
    memcpy(f->other, fmu_inputs(f), bytes);
    memset(fmu_inputs(f), 0, bytes);
    bool good = true;
    for (size_t k = 0; k < d->knowns && good; k++) {
        const fmu_variable *v = d->known[k] < (uint32_t)f->image.variables ? &f->image.variable[d->known[k]] : NULL;
        good = v && (v->kind == IFD__FMU_FORCE || v->kind == IFD__FMU_GROUND);
        if (good)
            fmu_inputs(f)[fmu_input_row(f, v)] = d->seed[k];
    }
    const double *load = good ? fmu_loads(f) : NULL, *u = fmu_seen(f);
    for (int i = 0; i < m->n; i++)
        f->du[i] = load ? load[i] : 0.0;
    memcpy(fmu_inputs(f), f->other, bytes);
    if (!good)
        return fmu_refuse(f, FMU_NOT_BY_INPUT);
    ifd__tangent_update(f->mass, &(ifd__point){.t = fmu_time(f), .u = u, .v = u + m->n, .s = u + 2 * m->n});
    ifd__tangent_solve(f->mass, f->du);
    for (size_t k = 0; k < d->unknowns; k++) {
        if (d->unknown[k] >= (uint32_t)f->image.variables)
            return fmu_refuse(f, FMU_NO_VARIABLE);
        sensitivity[k] = change_of(f, &f->image.variable[d->unknown[k]], f->du);
    }
    return true;
}

bool fmu_derivative(fmu *f, const fmu_direction *d, double *sensitivity)
{
    unsigned was = fmu_arithmetic();
    bool good = derive(f, d, sensitivity);
    _mm_setcsr(was);
    return good;
}

/* Order of the derivative of displacement that this variable is; more than 2 if it is not a motion. */
static int rate_of(const fmu *f, const fmu_variable *v)
{
    if (v->kind == IFD__FMU_CHANNEL)
        return (int)f->image.channel[v->index].kind;
    bool motion = v->kind >= IFD__FMU_DISPLACEMENT && v->kind <= IFD__FMU_ACCELERATION;
    return motion ? (int)v->kind - IFD__FMU_DISPLACEMENT : 3;
}

/* Displacement, velocity and acceleration are known; higher derivatives are not. */
static bool output_derivative(fmu *f, uint32_t vr, int32_t order, double *value)
{
    const fmu_variable *v = vr < (uint32_t)f->image.variables ? &f->image.variable[vr] : NULL;
    int rate = v && order >= 1 && order <= 2 ? rate_of(f, v) + order : 3;
    if (rate > 2)
        return fmu_refuse(f, FMU_NO_RATE);
    *value =
        v->kind == IFD__FMU_CHANNEL
            ? channel(f, &(ifd__fmu_channel){(ifd__fmu_channel_kind)rate, f->image.channel[v->index].at})
            : value_of(f, &(fmu_variable){.kind = (ifd__fmu_class)(IFD__FMU_DISPLACEMENT + rate), .index = v->index});
    return true;
}

bool fmu_output_derivatives(fmu *f, const uint32_t *vr, size_t n, const int32_t *order, double *value)
{
    unsigned was = fmu_arithmetic();
    bool good = true;
    for (size_t k = 0; k < n && good; k++)
        good = output_derivative(f, vr[k], order[k], &value[k]);
    _mm_setcsr(was);
    return good;
}
