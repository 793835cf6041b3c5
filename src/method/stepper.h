/* SPDX-License-Identifier: MIT */
/* Internal data of a stepper, shared by the methods. */
#pragma once

#include <string.h>

#include <interfield/method.h>

#include "model/model.h"

struct ifd_stepper {
    const ifd_method *method;
    const ifd_model *model;
    double h;
    int size, fault; /* number of doubles in x; offset of the latched fault */
    int rows;
    ifd_state_row row[IFD_METHOD_STATES];
    double *accepted; /* 2 nq: scratch of ifd__stepper_accept; NULL if no element of the model remembers reversals */
    void *data;       /* constants and scratch of the method */
};

/* During make: appends a row of count numbers to the layout and returns its offset in x. The rows u, v, s come
 * first. */
int ifd__stepper_row(ifd_stepper *s, const char *name, int count, ifd_state_kind kind);

/* The value of a parameter by name. */
const ifd_value *ifd__step_value(const ifd_step_options *opt, const char *name);

static inline double *ifd__x_u(const ifd_stepper *s, double *x)
{
    (void)s;
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

#define METHOD(x) extern const ifd_method ifd__method_##x;
#include "method/methods.def"
