/* SPDX-License-Identifier: MIT */
/* A quantity of an element over time, such as a voltage or a load: rows [time, value] of a parameter, or one constant
 * value. */
#pragma once

#include "model/element/control.h"

typedef struct ifd__course {
    int rows;
    const double *level; /* rows [time, value] */
} ifd__course;

/* Which parameters of an element hold it; unit: of the value, for messages. */
typedef struct ifd__course_params {
    const ifd_param *params;
    const char *rows, *constant, *unit;
} ifd__course_params;

/* The rows if they are given, otherwise the constant. Refuses both, a first row after time 0 and times that do not
 * ascend. */
ifd_status ifd__course_make(const ifd_element *e, const ifd__course_params *of, const ifd_value *values,
                            ifd_arena *arena, ifd__course *out, ifd_note *note);

/* Linear between rows, constant after the last; slope := its rate. */
IFD_RT double ifd__course_linear(const ifd__course *s, double t, double *slope);

/* The first jump after t; HUGE_VAL: none. */
double ifd__course_jump(const ifd__course *s, double t);

/* A voltage (or current) after the first-order lag of its driver, w' = -eta (w - V), V between 0 and most. V is a
 * function of time or the output of a control law. */
typedef struct ifd__voltage {
    ifd__course level; /* V without a law */
    ifd__control law;
    int own;          /* states of the element without those of the law, which follow them; set before make */
    double eta, most; /* 1/s, V */
} ifd__voltage;

/* Rows of a table of parameters for a struct with the member `voltage`: eta, voltage, max-voltage, schedule.
 * IFD__CONTROL_PARAM is the last of the table. */
#define IFD__VOLTAGE_PARAMS(type)                                                                                    \
    IFD_OPTION("eta", ANY, 0, 1e6, 190, "rate of the voltage lag, in 1/s", IFD_AT(type, voltage.eta)),               \
        IFD_OPTION("voltage", NONE, 0, 1e3, 0,                                                                       \
                   "constant voltage V in V, or current in A if the coefficients are per A"),                        \
        IFD_OPTION("max-voltage", NONE, 0, 1e3, 2.25, "upper limit of V", IFD_AT(type, voltage.most)),               \
    {                                                                                                                \
        .name = "schedule", .dim = IFD_DIM_ANY, .shape = IFD_SHAPE_MATRIX, .file = true, .words = "s",               \
        IFD_WITHIN(0, 1e9),                                                                                          \
        .doc = "rows [simulated time, V], times ascending from 0, each valid until the next; or a CSV file with "    \
               "these columns"                                                                                       \
    }

/* own, eta and most are set. Also sets e->ns. */
ifd_status ifd__voltage_make(ifd_element *e, const ifd_param *params, const ifd_value *values, ifd_arena *arena,
                             ifd__voltage *out, ifd_note *note);
/* V at a state of the element. */
IFD_RT double ifd__voltage_at(const ifd__voltage *v, const ifd_element_in *in);
/* V limited. */
IFD_RT double ifd__voltage_limited(const ifd__voltage *v, double V);
/* The rates of the law and the derivatives of w', which is state w of the element. */
IFD_RT void ifd__voltage_rates(const ifd__voltage *v, const ifd_element *e, const ifd_element_in *in, int w,
                               const ifd_element_out *out);
/* Functions that change sign where V reaches a limit, and their number. Jumps of a schedule: ifd__course_jump. */
int ifd__voltage_roots(const ifd__voltage *v);
void ifd__voltage_events(const ifd__voltage *v, const ifd_element_in *in, double *root);
