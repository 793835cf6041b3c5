/* SPDX-License-Identifier: MIT */
/* Kinematic actuators: ideal, first-order and second-order lag. */
#include "rig/virtual/actuator.h"

static const ifd_param ideal_params[] = {
    IFD__SPECIMEN_PARAMS(ifd__mover, 0, 0, 0), IFD__LIMIT_PARAMS(ifd__mover), {0}};

static ifd_status ideal_make(ifd_actuator *a, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    (void)note;
    ifd__mover *m = ifd_arena_take(arena, sizeof *m);
    a->data = m;
    return m ? ifd__mover_make(a, values, m) : IFD_NO_MEMORY;
}

static void ideal_step(const ifd_actuator *a, const ifd_actuator_in *in, double *s)
{
    double target[3];
    ifd__mover_rates(a, in->u, s, target);
    ifd__mover_settle(a, target, in, s);
}

static void ideal_response(const ifd_actuator *a, double w, double out[2])
{
    (void)a, (void)w;
    out[0] = 1.0;
    out[1] = 0.0;
}

const ifd_actuator_kind ifd__actuator_ideal = {
    .name = "ideal",
    .kinematic = true,
    .summary = "the actuator reaches the commanded position at the end of the tick",
    .equation = "x = u",
    .params = ideal_params,
    .make = ideal_make,
    .begin = ifd__mover_begin,
    .step = ideal_step,
    .response = ideal_response,
};

/* A lag: z' = A z + B u with z = (x) or (x, x'). With limits, x of the core can exceed the piston position. */
typedef struct lag {
    ifd__mover mover;
    int n, z; /* states, their offset */
    double A[4], B[2];
    ifd__discretisation hold;
} lag;

static const ifd_param first_params[] = {
    IFD_NEEDED("time-constant", TIME, 1e-6, 1e3, "T, time constant, equal to the delay at low frequency"),
    IFD_OPTION("gain", NONE, 1e-3, 1e3, 1, "static gain: position per command"),
    IFD__SPECIMEN_PARAMS(ifd__mover, 0, 0, 0),
    IFD__LIMIT_PARAMS(ifd__mover),
    {0},
};

static const ifd_param second_params[] = {
    IFD_NEEDED("frequency", FREQUENCY, 1e-3, 1e6, "undamped natural frequency w / 2 pi"),
    IFD_OPTION("damping-ratio", NONE, 1e-3, 1e3, 0.7, "z; the delay at low frequency is 2 z / w"),
    IFD_OPTION("gain", NONE, 1e-3, 1e3, 1, "static gain: position per command"),
    IFD__SPECIMEN_PARAMS(ifd__mover, 0, 0, 0),
    IFD__LIMIT_PARAMS(ifd__mover),
    {0},
};

static void first_core(const ifd_value *values, double gain, lag *l)
{
    double rate = 1.0 / ifd__rig_number(first_params, values, "time-constant");
    l->n = 1;
    l->A[0] = -rate;
    l->B[0] = rate * gain;
}

static void second_core(const ifd_value *values, double gain, lag *l)
{
    double w = 6.28318530717958647693 * ifd__rig_number(second_params, values, "frequency");
    l->n = 2;
    l->A[1] = -w * w;
    l->A[2] = 1.0;
    l->A[3] = -2.0 * ifd__rig_number(second_params, values, "damping-ratio") * w;
    l->B[1] = w * w * gain;
}

static ifd_status lag_make(ifd_actuator *a, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    (void)note;
    lag *l;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(l, 1)));
    (a->kind == &ifd__actuator_first ? first_core : second_core)(values,
                                                                 ifd__rig_number(a->kind->params, values, "gain"), l);
    a->data = l;
    IFD_TRY(ifd__mover_make(a, values, &l->mover));
    l->z = ifd__actuator_states(a, "lag", l->n, IFD_STATE_REAL);
    return ifd__discretisation_make(arena, &(ifd__continuous){l->n, 1, l->A, l->B}, a->h, &l->hold);
}

static void lag_begin(const ifd_actuator *a, double x, double *s)
{
    const lag *l = a->data;
    ifd__mover_begin(a, x, s);
    s[l->z] = x;
}

static void lag_step(const ifd_actuator *a, const ifd_actuator_in *in, double *s)
{
    const lag *l = a->data;
    double *z = s + l->z, target[3], from = in->u - in->change;
    ifd__discretisation_step(&l->hold, &from, &in->u, z);
    target[0] = z[0];
    if (l->n == 1) {
        target[1] = l->A[0] * z[0] + l->B[0] * in->u;
        target[2] = l->A[0] * target[1];
    } else {
        target[1] = z[1];
        target[2] = l->A[1] * z[0] + l->A[3] * z[1] + l->B[1] * in->u;
    }
    ifd__mover_settle(a, target, in, s);
}

static void lag_response(const ifd_actuator *a, double w, double out[2])
{
    const lag *l = a->data;
    ifd__core_response(l->n, l->A, l->B, 0, w, out);
}

const ifd_actuator_kind ifd__actuator_first = {
    .name = "first-order",
    .kinematic = true,
    .summary = "the actuator responds as a first-order lag",
    .equation = "T x' + x = g u",
    .params = first_params,
    .make = lag_make,
    .begin = lag_begin,
    .step = lag_step,
    .response = lag_response,
};

const ifd_actuator_kind ifd__actuator_second = {
    .name = "second-order",
    .kinematic = true,
    .summary = "the actuator responds as a second-order lag",
    .equation = "x'' + 2 z w x' + w^2 x = w^2 g u",
    .params = second_params,
    .make = lag_make,
    .begin = lag_begin,
    .step = lag_step,
    .response = lag_response,
};
