/* SPDX-License-Identifier: MIT */
/* Internal data of a stepper, shared by the methods. */
#pragma once

#include <string.h>

#include <interfield/method.h>

#include "model/model.h"

/* The table of methods prescribes the arguments of their functions, also those that a method does not use. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

struct ifd_stepper {
    const ifd_method *method;
    const ifd_model *model;
    double h;
    int size, fault; /* number of doubles in x; offset of the latched fault */
    int rows;
    ifd_state_row row[IFD_METHOD_STATES];
    double *turning;  /* 2 nq: scratch of the poses of large chords and members; NULL: there are none */
    int angles;       /* offset in x: of each large member, after the last step */
    double *accepted; /* 2 nq: scratch of ifd__stepper_accept; NULL if no element of the model remembers reversals */
    void *data;       /* constants and scratch of the method */
};

/* During make: appends a row of count numbers to the layout and returns its offset in x. The rows u, v, s come
 * first. */
int ifd__stepper_row(ifd_stepper *s, const char *name, int count, ifd_state_kind kind);

/* Why this method cannot compute the large members of a model, as a sentence; NULL: it can, or there are none. */
const char *ifd__large_refused(const ifd_step_options *opt, const ifd_model *m, ifd_arena *arena);

/* The value of a parameter by name. */
const ifd_value *ifd__step_value(const ifd_step_options *opt, const char *name);

static inline double *ifd__x_u(const ifd_stepper *s, double *x)
{
    return x;
}
static inline double *ifd__x_v(const ifd_stepper *s, double *x)
{
    return x + s->model->n;
}
static inline double *ifd__x_s(const ifd_stepper *s, double *x)
{
    return x + 2 * s->model->n;
}

/* u and v of a state that begins with them. */
IFD_RT static inline void ifd__x_motion(const ifd_stepper *s, const double *x, double *u, double *v)
{
    size_t n = (size_t)s->model->n;
    memcpy(u, x, n * sizeof *u);
    memcpy(v, x + n, n * sizeof *v);
}

/* Accepts the step that ended at t with the state x. ifd_stepper_stage calls it after the last stage. */
IFD_RT static inline void ifd__stepper_accept(const ifd_stepper *s, double t, double *x)
{
    if (s->accepted)
        ifd__model_accept(s->model, t, ifd__x_u(s, x), ifd__x_v(s, x), ifd__x_s(s, x), s->accepted);
}

/* True if the options have `jacobian: bounded`. */
bool ifd__step_bounded(const ifd_step_options *opt);
/* Sets `jacobian: frozen` where the method has this choice: for elements with constant tangents it is the exact one,
 * and it costs no update. */
void ifd__step_freeze(ifd_step_options *opt);

IFD_RT static inline void ifd__latch(const ifd_stepper *s, double *x, ifd_step_fault fault)
{
    if (x[s->fault] == 0.0)
        x[s->fault] = (double)fault;
}

/* Constants and rows of the method table. */

#define IFD__GAMMA_MINUS 0.29289321881345247560 /* 1 - sqrt(2)/2 */
#define IFD__GAMMA_PLUS 1.7071067811865475244   /* 1 + sqrt(2)/2 */

/* A Rosenbrock method of two stages for y' = f(y), W = 1 - gamma h J:
 *
 *     W k1 = h f(y),   W k2 = h f(y + alpha21 k1) + gamma21 h J k1,   y1 = y + b1 k1 + b2 k2
 *
 * gamma21 is a multiple of gamma here; b1 is zero, so k1 is not added. */
typedef struct ifd__rosenbrock_table {
    double alpha21, gamma21, b1, b2;
} ifd__rosenbrock_table;

extern const ifd__rosenbrock_table ifd__lsrt2_table;

/* What the row of a file with one method has besides its facts. */
#define IFD__METHOD_OWN .params = params, .make = make, .start = start, .stage = stage, .aim = aim

#define METHOD(x) extern const ifd_method ifd__method_##x;
#include "method/methods.def"

/* Functions of the Rosenbrock methods that couplings need. */

/* gamma in the options of LSRT1 or LSRT2. */
double ifd__rosenbrock_gamma(const ifd_step_options *opt);

/* State at the middle of a step, after stage 0 of LSRT2 and before stage 1. u, v: n; es: ns. */
IFD_RT void ifd__rosenbrock_middle(const ifd_stepper *s, const double *x, double *u, double *v, double *es);

struct ifd__tangent;

/* For an ensemble: gamma, and the tangent of an LSRT2 stepper if it never changes (no elements, or a frozen
 * Jacobian); otherwise NULL. */
const struct ifd__tangent *ifd__rosenbrock_constant(const ifd_stepper *s, double *gamma);

/* The exponential family, methods with a polynomial force over the step: functions that a coupling needs besides a
 * stepper. */

/* Number of sub-intervals of a step. */
int ifd__exponential_grid(const ifd_stepper *s);

/* One step from t under the loads of the model and `load`, given as grid + 1 rows of n at t, t + h/grid .. t + h (or
 * NULL). */
IFD_RT void ifd__exponential_step(const ifd_stepper *s, double t, const double *load, double *x);

/* Functions of an MG-alpha stepper for the PG-alpha coupling: the link solution, which is the response to forces on
 * the joints alone, with the matrix D of the last free step.
 *
 *     D Yd_l = L f - K Yt_l,   Y_l = Yt_l + b Yd_l,   V_l as in a step
 *
 * A link is one array of ifd__mg_link_size numbers: Y, Yd, V. It is zero at the start of a coarse step. */

int ifd__mg_link_size(const ifd_stepper *s);

/* A step without the correction of element states to their bounds, as the links are added first: the prediction
 * (stage 0), which determines the state of the measured force, and the rest. */
IFD_RT void ifd__mg_predict(const ifd_stepper *s, double *x);
IFD_RT void ifd__mg_finish(const ifd_stepper *s, double t, const double *load, double *x);

/* One (sub)step of the link under force (n numbers at the end of the substep). */
IFD_RT void ifd__mg_link_step(const ifd_stepper *s, const double *force, double *link);

/* Y, Yd, V of x += factor * link. */
IFD_RT void ifd__mg_link_add(const ifd_stepper *s, double factor, const double *link, double *x);

/* The same for a linear model with one step per coarse step, where a link is its rate of velocity alone: z (n) is the
 * sum of factor times those. */
IFD_RT void ifd__mg_link_add_rate(const ifd_stepper *s, const double *z, double *x);

/* Corrects element states to their bounds after the links are added. */
IFD_RT void ifd__mg_settle(const ifd_stepper *s, double *x);
