/* SPDX-License-Identifier: MIT */
/* Servo-valve with inner displacement loop, actuator with natural velocity feedback, and specimen. They form one
 * plant of five states, because the force depends on the motion of the specimen. A linear plant is advanced exactly.
 * Otherwise each tick has substeps that are exact in the linear part, with the nonlinear terms held. */
#include "rig/virtual/servo.h"

#include <math.h>
#include <string.h>

enum { QD, Q, F, X, V, STATES }; /* of the core */
enum { U, LOAD, FLOW, INPUTS };  /* command, force on the piston, flow that the valve does not deliver */
enum { PLAY = STATES };          /* position of the specimen, after the states of the core */

typedef struct servo {
    ifd__servo_plant plant;
    ifd__specimen specimen;
    ifd__limits limits;
    double force; /* N; 0: no limit */
    bool nonlinear;
    int substeps, z;
    double A[STATES * STATES], B[STATES * INPUTS];
    ifd__discretisation tick, part; /* for a tick, for a substep */
} servo;

const ifd__servo_plant ifd__servo_benchmark = {
    .g = 1.0261,
    .a1b0 = 2.1283e13,
    .a2 = 4.2297e6,
    .a3 = 3.3,
    .b1 = 425,
    .b2 = 9.9976e4,
    .e = {29.13, 114.22086714782024, 1.19e6}, /* c = 2 0.0097 sqrt(k m) */
};

void ifd__servo_inverse(const ifd__servo_plant *p, double a[6])
{
    double m = p->e.m, c = p->e.c, k = p->e.k, s = k + c * p->a3 + p->a2, r = c + m * p->a3, gain = p->g * p->a1b0;
    a[0] = (k * p->a3 * p->b2 + p->a1b0) / gain;
    a[1] = (k * p->a3 * p->b1 + s * p->b2) / gain;
    a[2] = (k * p->a3 + s * p->b1 + r * p->b2) / gain;
    a[3] = (s + r * p->b1 + m * p->b2) / gain;
    a[4] = (r + m * p->b1) / gain;
    a[5] = m / gain;
}

static const ifd_param servo_params[] = {
    IFD_WORD("preset", "benchmark", "source of absent values"),
    IFD_OPTION("gain", NONE, 1e-3, 1e3, 1.0261, "g, gain of the command", IFD_AT(servo, plant.g)),
    IFD_OPTION("loop-gain", ANY, 1, 1e24, 2.1283e13, "a1 b0, gain of the displacement loop",
               IFD_AT(servo, plant.a1b0)),
    IFD_OPTION("interaction", STIFFNESS, 1e-3, 1e15, 4.2297e6, "a2, loss of force rate per piston velocity",
               IFD_AT(servo, plant.a2)),
    IFD_OPTION("leakage", NONE, -1e6, 1e6, 3.3, "a3, leakage, in 1/s", IFD_AT(servo, plant.a3)),
    IFD_OPTION("valve-damping", NONE, 1e-3, 1e9, 425, "b1, damping of the valve, in 1/s", IFD_AT(servo, plant.b1)),
    IFD_OPTION("valve-stiffness", NONE, 1e-3, 1e15, 9.9976e4, "b2, stiffness of the valve, in 1/s2",
               IFD_AT(servo, plant.b2)),
    IFD_OPTION("force", FORCE, 0, 1e12, 0, "largest force; 0: unlimited", IFD_AT(servo, force)),
    IFD_OPTION("substeps", NONE, 1, 64, 8, "substeps of a tick if the model is nonlinear", IFD_AT(servo, substeps)),
    IFD__SPECIMEN_PARAMS(servo, 29.13, 114.22086714782024, 1.19e6),
    IFD__LIMIT_PARAMS(servo),
    {0},
};

static void fill_core(servo *d)
{
    const ifd__servo_plant *p = &d->plant;
    double *A = d->A, m = p->e.m;
    A[QD + STATES * QD] = -p->b1;
    A[QD + STATES * Q] = -p->b2;
    A[QD + STATES * X] = -p->a1b0;
    A[Q + STATES * QD] = 1.0;
    A[F + STATES * Q] = 1.0;
    A[F + STATES * F] = -p->a3;
    A[F + STATES * V] = -p->a2;
    A[X + STATES * V] = 1.0;
    A[V + STATES * F] = 1.0 / m;
    A[V + STATES * X] = -p->e.k / m;
    A[V + STATES * V] = -p->e.c / m;
    d->B[QD + STATES * U] = p->a1b0 * p->g;
    d->B[V + STATES * LOAD] = -1.0 / m;
    d->B[F + STATES * FLOW] = -1.0;
}

/* Held terms are explicit: friction must not reverse the piston within a substep. */
static ifd_status check_friction(const servo *d, double h, ifd_note *note)
{
    double slope = d->limits.friction / (d->limits.friction_speed * d->plant.e.m);
    if (slope * h / d->substeps <= 1.0)
        return IFD_OK;
    return ifd_note_add(note, IFD_RANGE, NULL,
                        "actuator 'servo-hydraulic': friction %g N at %g m/s needs at least %d substeps (or a larger "
                        "friction-speed)",
                        d->limits.friction, d->limits.friction_speed, (int)ceil(slope * h));
}

static ifd_status servo_make(ifd_actuator *a, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    servo *d;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(d, 1)));
    ifd_param_store(servo_params, values, d);
    d->plant.e = d->specimen;
    if (!(d->plant.e.m > 0))
        return ifd_note_add(note, IFD_RANGE, NULL, "actuator 'servo-hydraulic': 'mass' is 0, expected above zero");
    a->mass = d->plant.e.m;
    const ifd__limits *l = &d->limits;
    d->nonlinear = d->force > 0 || l->stroke > 0 || l->velocity > 0 || l->backlash > 0 || l->friction > 0 ||
                   a->play > 0 || a->clearance > 0;
    IFD_TRY(check_friction(d, a->h, note));
    fill_core(d);
    a->data = d;
    d->z = ifd__actuator_states(a, "plant", STATES, IFD_STATE_REAL);
    ifd__actuator_states(a, "play", 1, IFD_STATE_HISTORY);
    IFD_TRY(ifd__discretisation_make(arena, &(ifd__continuous){STATES, INPUTS, d->A, d->B}, a->h, &d->tick));
    return ifd__discretisation_make(arena, &(ifd__continuous){STATES, INPUTS, d->A, d->B}, a->h / d->substeps,
                                    &d->part);
}

/* With the force k x, and the flow that covers the leakage. */
static void servo_begin(const ifd_actuator *a, double x, double *s)
{
    const servo *d = a->data;
    double *z = s + d->z;
    z[X] = z[PLAY] = x;
    z[F] = s[IFD_ACTUATOR_F] = d->plant.e.k * *ifd_actuator_specimen(a, s);
    z[Q] = d->plant.a3 * z[F];
}

/* A substep. The flow of the valve limits the velocity; with play, spring and dashpot of the specimen act at its
 * position. */
static void move(const ifd_actuator *a, const double u[2], double load, double h, double *s)
{
    const servo *d = a->data;
    double *z = s + d->z;
    const ifd__limits *l = &d->limits;
    double stood = z[PLAY];
    z[PLAY] = ifd__play(l->backlash, z[X], stood);
    double w[INPUTS];
    s[IFD_ACTUATOR_X] = z[PLAY];
    s[IFD_ACTUATOR_V] = l->backlash > 0 ? (z[PLAY] - stood) / h : z[V];
    ifd__actuator_loosen(a, false, s);
    const double *q = ifd_actuator_specimen(a, s);
    w[U] = u[0];
    w[LOAD] = load + ifd__friction(l, z[V]) + d->plant.e.k * (q[0] - z[X]) + d->plant.e.c * (q[1] - z[V]);
    double flow = d->plant.a2 * l->velocity, ahead = z[Q] + h * z[QD], end[INPUTS];
    w[FLOW] = z[Q] - ifd__clip(z[Q], flow);
    memcpy(end, w, sizeof end);
    end[U] = u[1];
    end[FLOW] = ahead - ifd__clip(ahead, flow);
    ifd__discretisation_step(&d->part, w, end, z);
    z[F] = ifd__clip(z[F], d->force);
    if (l->stroke > 0 && fabs(z[X]) > l->stroke) {
        z[V] = z[V] * z[X] > 0 ? 0.0 : z[V];
        z[X] = ifd__clip(z[X], l->stroke);
    }
}

static void servo_step(const ifd_actuator *a, const ifd_actuator_in *in, double *s)
{
    const servo *d = a->data;
    const ifd__specimen *e = &d->plant.e;
    double *z = s + d->z, friction = 0.0, from = in->u - in->change;
    if (d->nonlinear && !in->linear) {
        double h = a->h / d->substeps, part = in->change / d->substeps;
        for (int i = 0; i < d->substeps; i++)
            move(a, (const double[2]){from + i * part, from + (i + 1) * part}, in->load, h, s);
        friction = ifd__friction(&d->limits, z[V]);
    } else {
        const double w0[INPUTS] = {from, in->load, 0.0}, w1[INPUTS] = {in->u, in->load, 0.0};
        ifd__discretisation_step(&d->tick, w0, w1, z);
        z[PLAY] = z[X];
    }
    double stands = ifd__play(in->linear ? 0.0 : d->limits.backlash, z[X], z[PLAY]);
    s[IFD_ACTUATOR_X] = stands;
    s[IFD_ACTUATOR_V] = z[V];
    ifd__actuator_loosen(a, in->linear, s);
    const double *q = ifd_actuator_specimen(a, s);
    s[IFD_ACTUATOR_A] = (z[F] - friction - in->load - e->c * q[1] - e->k * q[0]) / e->m;
    s[IFD_ACTUATOR_F] = z[F] - friction;
}

static void servo_response(const ifd_actuator *a, double w, double out[2])
{
    const servo *d = a->data;
    ifd__core_response(STATES, d->A, d->B, X, w, out);
}

const ifd_actuator_kind ifd__actuator_servo = {
    .name = "servo-hydraulic",
    .summary = "the actuator is the plant of the community benchmark, a fifth-order model of valve, actuator "
               "and specimen",
    .equation = "Q'' + b1 Q' + b2 Q = a1b0 (g u - x);  F' + a3 F = Q - a2 x';  m x'' + c x' + k x = F",
    .params = servo_params,
    .make = servo_make,
    .begin = servo_begin,
    .step = servo_step,
    .response = servo_response,
};
