/* SPDX-License-Identifier: MIT */
/* The method `reference`: a solution for comparison with others. Linear models are propagated exactly, with loads
 * integrated to round-off; other models use CVODE at a tolerance, restarted at every kink. */
#include "method/reference.h"

#include <math.h>

#include "method/tables.h"
#include "model/element.h"
#include "model/signal/wave.h"

typedef struct reference {
    ifd__linear *linear; /* exactly one is set */
    ifd__cvode *cvode;
} reference;

/* Corners of a wave in its own time: its start, its samples or multiples of its interval, its middle (of a triangle)
 * and its end. A corner within round-off of t counts as past. */
static double wave_corner(const ifd__wave *w, double t)
{
    double s = t - w->start, near = 1e-12 * (1.0 + fabs(t));
    if (s < -near)
        return w->start;
    double next = ifd__wave_knot(w, s + near);
    if (next == HUGE_VAL && w->interval > 0.0 && s + near < w->length)
        next = w->interval * (floor((s + near) / w->interval) + 1.0);
    if (isfinite(w->length)) {
        if (s + near < 0.5 * w->length)
            next = fmin(next, 0.5 * w->length);
        if (s + near < w->length)
            next = fmin(next, w->length);
    }
    return w->start + next;
}

static double signal_corner(const ifd_signal *s, double t)
{
    double next = HUGE_VAL;
    for (int i = 0; s && i < s->count; i++)
        next = fmin(next, wave_corner(&s->wave[i], t));
    return next;
}

double ifd__next_corner(const ifd_model *m, double t)
{
    double next = HUGE_VAL;
    for (int d = 0; d < 3; d++)
        next = fmin(next, signal_corner(m->ground[d].signal, t));
    for (int k = 0; k < m->nload; k++)
        next = fmin(next, signal_corner(m->load[k].signal, t));
    for (int k = 0; k < m->nsupport; k++)
        next = fmin(next, signal_corner(m->support[k], t));
    for (int e = 0; e < m->ne; e++)
        if (m->element[e].ops->jump)
            next = fmin(next, m->element[e].ops->jump(&m->element[e], t + 1e-12 * (1.0 + fabs(t))));
    return next;
}

static ifd_status make(ifd_stepper *s, ifd_arena *arena, const ifd_step_options *opt, ifd_note *note)
{
    reference *r = ifd_arena_take(arena, sizeof *r);
    if (!r)
        return IFD_NO_MEMORY;
    s->data = r;
    if (ifd_model_linear(s->model))
        return ifd__linear_make(arena, s->model, s->h, IFD__LINEAR_AUTO, &r->linear, note);
    return ifd__cvode_make(arena, s->model, s->h, ifd__step_value(opt, "tolerance")->number, &r->cvode, note);
}

static void start(const ifd_stepper *s, double t, const double *load, double *x)
{
    (void)t, (void)load;
    if (s->model->ns)
        ifd__model_settle(s->model, ifd__x_s(s, x), NULL, NULL);
}

static void stage(const ifd_stepper *s, int i, double t, const double *load, double *x)
{
    const reference *r = s->data;
    (void)i;
    ifd_step_fault fault = IFD_STEP_OK;
    if (r->cvode)
        fault = ifd__cvode_step(r->cvode, t, load, x);
    else if (!ifd__linear_step(r->linear, t, load, x))
        fault = IFD_STEP_SOLVER;
    if (fault != IFD_STEP_OK)
        ifd__latch(s, x, fault);
}

static void aim(const ifd_stepper *s, int i, double t, const double *x, double *u, double *v)
{
    (void)i, (void)t;
    ifd__x_motion(s, x, u, v);
}

static const ifd_param params[] = {
    IFD_OPTION("tolerance", NONE, 1e-13, 1e-2, 1e-10, "relative error of one internal step of a nonlinear model"),
    {0}};

const ifd_method ifd__method_reference = {
    .name = "reference",
    .title = "Reference solution",
    .citation = "matrix exponential; Hindmarsh et al. (2005), SUNDIALS: CVODE",
    .summary = "For comparison only: exact for linear models; CVODE with root-finding at kinks for nonlinear models.",
    .order = 0,
    .at_infinity = 1.0,
    .stages = 1,
    .at = {1.0},
    .offline = true,
    .params = params,
    .make = make,
    .start = start,
    .stage = stage,
    .aim = aim,
};
