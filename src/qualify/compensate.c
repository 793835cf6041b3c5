/* SPDX-License-Identifier: MIT */
/* Tries every compensator on the rig of a case and ranks them. */
#include <interfield/compensate.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "qualify/preflight.h"
#include "substructure/substructure.h"

enum { TERMS = 4, COUPLED = 3 }; /* a0 ... a3; a0 ... a2 of a compensator that couples dofs */

/* High over low gain of a lead filter: ten, the usual bound of its noise amplification. Its pole follows. */
static const double lead_ratio = 10.0;
/* Bound of the delay relative to its known value (upper-bound): 1.2, as 30 ms for 25 ms in the benchmark. */
static const double bound_factor = 1.2;
/* s: a smaller delay needs no compensation; the least value of `polynomial`. */
static const double not_late = 1e-6;

struct ifd_compensate {
    ifd_arena *arena;
    ifd_preflight_options o;
    double period, delay, look_ahead;
    int actuators;
    ifd_compensate_actuator actuator[IFD_RIG_ACTUATORS];
    int interface[IFD_RIG_ACTUATORS]; /* of each actuator: the first one that it moves */
    int slowest[IFD_RIG_ACTUATORS];   /* of each interface: its actuator for the settings */
    ifd__dry perfect;
    bool compared; /* the ideal run was completed */
};

/* Moments of the response g to a command that is one at one tick and is announced a tick before: sum g_k (k h)^n,
 * linear as in a probe. False if it does not decay. */
static bool find_moments(const ifd_actuator *a, double *x, bool ramps, double *moment)
{
    enum { MOST = 200000, QUIET = 200 };
    const double still = 1e-12; /* of the third moment: smallest contribution of a tick */
    int quiet = 0;
    ifd_actuator_begin(a, 0.0, x);
    for (int k = 0; k < MOST && quiet < QUIET; k++) {
        const ifd_actuator_in in = {
            .u = k == 0 ? 1.0 : 0.0, .change = ramps && k < 2 ? 1.0 - 2.0 * k : 0.0, .linear = true};
        ifd_actuator_step(a, &in, x);
        double g = x[IFD_ACTUATOR_X], t = k * a->h;
        for (int n = 0; n < TERMS; n++, g *= t)
            moment[n] += g;
        quiet = moment[0] != 0.0 && fabs(x[IFD_ACTUATOR_X]) * t * t * t <= still * fabs(moment[3]) ? quiet + 1 : 0;
    }
    return quiet == QUIET;
}

/* G(s) = m0 - m1 s + m2 s^2/2 - m3 s^3/6 ..., and its inverse term by term. */
static bool find_series(const ifd_actuator *a, double *x, bool ramps, double *out)
{
    double m[TERMS] = {0.0}, factorial = 1.0, response[2];
    ifd_actuator_response(a, 1.0, response); /* unknown for an actuator of another program: no change */
    if (!isfinite(response[0]) || !find_moments(a, x, ramps, m) || m[0] == 0.0)
        return false;
    for (int n = 1; n < TERMS; n++) {
        factorial *= -n;
        m[n] /= factorial;
    }
    for (int n = 0; n < TERMS; n++) {
        double sum = n == 0 ? 1.0 : 0.0;
        for (int i = 1; i <= n; i++)
            sum -= m[i] * out[n - i];
        out[n] = sum / m[0];
    }
    return isfinite(out[0] + out[1] + out[2] + out[3]);
}

/* A coefficient that is round-off relative to the power of the delay is set to zero. */
static void clean(double *a)
{
    const double least = 1e-9;
    for (int i = 1; i < TERMS; i++)
        if (fabs(a[i]) <= least * fabs(a[0]) * pow(fmax(fabs(a[1] / a[0]), 1e-4), i))
            a[i] = 0.0;
}

/* a times e^{T s}: the additional delay of the rig relative to its twin. */
static void later(double *a, double T)
{
    double b[TERMS] = {0.0}, term = 1.0;
    for (int j = 0; j < TERMS; j++, term *= T / j)
        for (int i = 0; i + j < TERMS; i++)
            b[i + j] += a[i] * term;
    memcpy(a, b, sizeof b);
}

/* A channel without an actuator follows its command. */
bool ifd__actuator_series(const ifd_virtual_actuator *c, bool ramps, double period, double out[4])
{
    ifd_arena *scratch IFD__CLOSED = ifd_arena_open();
    ifd_actuator *a = NULL;
    bool known = scratch != NULL;
    memset(out, 0, TERMS * sizeof *out);
    out[0] = 1.0;
    if (scratch && c->actuator) {
        ifd_status made = ifd_actuator_make(scratch, c->actuator, c->actuator_values, period, &a, NULL);
        double *x = made == IFD_OK ? ifd_arena_array(scratch, (size_t)a->size, sizeof *x) : NULL;
        known = x && find_series(a, x, ramps, out);
    }
    clean(out);
    return known;
}

/* An unknown actuator counts as slower than any other: its drive is then unknown. */
static bool slower(const ifd_compensate_actuator *a, const ifd_compensate_actuator *b)
{
    return b->known && (!a->known || a->a[1] / a->a[0] > b->a[1] / b->a[0]);
}

static void know_actuators(ifd_compensate *s)
{
    const ifd_hybrid_options *test = s->o.test;
    for (int k = 0; k < test->interfaces; k++) {
        const ifd__movers m = ifd__movers_of(test, k);
        const ifd_driven *d = m.drive >= 0 ? &test->drive[m.drive] : NULL;
        int slowest = -1;
        for (int j = 0; j < m.count; j++) {
            ifd_compensate_actuator *a = &s->actuator[m.first + j];
            if (m.first + j >= s->actuators) { /* not yet seen: the first interface of a drive */
                s->actuators = m.first + j + 1;
                s->interface[m.first + j] = k;
                a->name = d ? d->name[j] : test->interface[k].name;
                a->drive = d ? d->drive.name : NULL;
                a->known = ifd__actuator_series(&s->o.twin->actuator[m.first + j], s->o.twin->ramps, s->period, a->a);
                later(a->a, s->delay);
            }
            if (m.moves[j] && (slowest < 0 || slower(a, &s->actuator[slowest])))
                slowest = m.first + j;
        }
        s->slowest[k] = slowest >= 0 ? slowest : m.first;
        s->actuator[s->slowest[k]].used = true;
    }
}

static ifd_status find_period(const ifd_hybrid_options *test, const ifd_laboratory *twin, double *period,
                              ifd_note *note)
{
    ifd_arena *scratch IFD__CLOSED = ifd_arena_open();
    ifd_hybrid *h IFD__TEST_CLOSED = NULL;
    ifd_hybrid_options options;
    const ifd__variant plain = {0};
    *period = 0.0;
    IFD_TRY(scratch ? ifd__variant_make(scratch, test, twin, &plain, &options) : IFD_NO_MEMORY);
    IFD_TRY(ifd_hybrid_make(scratch, &options, &h, note));
    *period = ifd_hybrid_period(h);
    return IFD_OK;
}

ifd_status ifd_compensate_make(ifd_arena *arena, const ifd_preflight_options *o, double look_ahead,
                               ifd_compensate **out, ifd_note *note)
{
    enum { FINER = 4 }; /* as in a preflight */
    const ifd__dry_options plan = {
        .variant = {.perfect = true, .real_time = true, .unlimited = true, .step = 1.0 / FINER}, .every = FINER};
    ifd_compensate *s;
    if (o->master)
        return ifd_note_add(note, IFD_UNSUPPORTED, NULL,
                            "another program computes the structure: the loop with a compensation is unknown here");
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(s, 1)));
    s->arena = arena;
    s->o = *o;
    s->look_ahead = look_ahead;
    IFD_TRY(find_period(o->test, o->twin, &s->period, note));
    s->delay = o->delay + o->ticks * s->period;
    know_actuators(s);
    const ifd__loop l = {o->test, o->twin};
    ifd_status status = ifd__dry_run(arena, &l, &plan, &s->perfect, NULL);
    s->compared = status == IFD_OK && s->perfect.finished;
    *out = s;
    return status == IFD_NO_MEMORY ? status : IFD_OK;
}

int ifd_compensate_actuators(const ifd_compensate *s, const ifd_compensate_actuator **out)
{
    *out = s->actuator;
    return s->actuators;
}

bool ifd_compensate_plant(const ifd_compensate *s, int interface, double out[4])
{
    const ifd_compensate_actuator *a = &s->actuator[s->slowest[interface]];
    memcpy(out, a->a, sizeof a->a);
    return a->known;
}

/* Seven digits, as written into a case. */
static double rounded(double x)
{
    char text[40];
    snprintf(text, sizeof text, "%.7g", x);
    return strtod(text, NULL);
}

/* Upper bound of the RMS noise of the measured position of an interface, m or rad: the sum over its actuators,
 * however their sensors are correlated. */
static double noise_of(const ifd_preflight_options *o, int k)
{
    const ifd__movers m = ifd__movers_of(o->test, k);
    double bound = 0.0;
    for (int j = 0; j < m.count; j++) {
        const ifd_value *sensor = o->twin->actuator[m.first + j].position_sensor;
        bound += fabs(m.weight[j]) * (sensor ? ifd__value_of(ifd_sensor_params, sensor, "noise", 0.0) : 0.0);
    }
    return bound;
}

static void set(const ifd_param *params, ifd_value *v, const char *name, ifd_dimension dim, double number)
{
    int i = ifd_param_find(params, name);
    if (i >= 0 && params[i].dim == dim)
        v[i] = ifd_number(rounded(number));
}

/* As given; otherwise the lag of the load cell of the twin: a force that is late needs a position that is early. */
static double ahead_of(const ifd_compensate *s, int k)
{
    const ifd_value *sensor = ifd__bench_of(s->o.test, s->o.twin, k).force_sensor;
    if (!isnan(s->look_ahead))
        return s->look_ahead;
    return sensor ? ifd__value_of(ifd_sensor_params, sensor, "lag", 0.0) : 0.0;
}

/* By the names of its parameters, so that new compensators are included. */
static ifd_status set_values(const ifd_compensate *s, const ifd_compensator_kind *kind, int k, ifd_value *v)
{
    const ifd_param *p = kind->params;
    const double *a = s->actuator[s->slowest[k]].a;
    double tau = a[1] / a[0], lead = tau;
    if (ifd_param_find(p, "integral") >= 0) { /* Skogestad, 2003: of a pure delay, no P and I = 1 / (2 tau) */
        set(p, v, "proportional", IFD_DIM_NONE, 0.0);
        set(p, v, "integral", IFD_DIM_NONE, 0.5 / tau);
        lead = 2.0 * tau; /* 1/I: delay of the closed loop at low frequency */
    }
    set(p, v, "delay", IFD_DIM_TIME, tau);
    set(p, v, "bound", IFD_DIM_TIME, bound_factor * tau);
    const ifd_preflight_interface *motion = &s->perfect.interface[k].seen;
    if (s->compared)
        set(p, v, "amplitude", IFD_DIM_LENGTH, fmax(fabs(motion->low), fabs(motion->high)));
    if (ifd_param_find(p, "horizon") >= 0) /* of changes in a tick: as the default value at 4096 Hz */
        set(p, v, "effort", IFD_DIM_NONE, p[ifd_param_find(p, "effort")].preset / pow(4096.0 * s->period, 2.0));
    set(p, v, "lead", IFD_DIM_NONE, lead_ratio);
    set(p, v, "pole", IFD_DIM_ANGULAR_RATE, (lead_ratio - 1.0) / lead);
    if (ahead_of(s, k) != 0.0)
        set(p, v, "look-ahead", IFD_DIM_TIME, ahead_of(s, k));
    double noise = noise_of(&s->o, k);
    if (noise > 0.0)
        set(p, v, "noise", IFD_DIM_LENGTH, noise);
    int i = ifd_param_find(p, "coefficients");
    if (i < 0)
        return IFD_OK;
    double *data = ifd_arena_array(s->arena, TERMS, sizeof *data);
    bool learns = ifd_param_find(p, "doubt") >= 0; /* and keeps its coefficients from becoming negative */
    for (int n = 0; data && n < TERMS; n++)
        data[n] = rounded(learns ? fmax(a[n], 0.0) : a[n]);
    ifd_compensator *made;
    ifd_arena *scratch IFD__CLOSED = ifd_arena_open();
    v[i] = ifd_list(data, TERMS);
    if (data && scratch && ifd_compensator_make(scratch, kind, v, s->period, &made, NULL) == IFD_SHAPE)
        v[i] = ifd_list(data, TERMS - 1);
    return data && scratch ? IFD_OK : IFD_NO_MEMORY;
}

/* Whether it needs the response of the actuator: `none` does not. */
static bool asks(const ifd_compensator_kind *kind)
{
    static const char *const name[] = {"delay",    "coefficients", "bound",         "lead",
                                       "integral", "position",     "least-velocity"};
    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        if (ifd_param_find(kind->params, name[i]) >= 0)
            return true;
    return false;
}

/* J at the pose zero, by rows; without a drive one. */
static ifd_status find_jacobian(const ifd_driven *d, double *J)
{
    const double rest[IFD_DRIVE_DOFS] = {0.0};
    ifd_drive *drive = NULL;
    J[0] = 1.0;
    if (!d)
        return IFD_OK;
    ifd_arena *scratch IFD__CLOSED = ifd_arena_open();
    IFD_TRY(scratch ? ifd_drive_make(scratch, &d->drive, &drive, NULL) : IFD_NO_MEMORY);
    ifd_drive_jacobian(drive, rest, J);
    return IFD_OK;
}

static const char *refusal(const ifd_hybrid_options *test, const ifd_driven *d)
{
    if (test->drives == 0)
        return "there is no drive: it couples the actuators of a drive";
    for (int i = 0; d && i < d->drive.dofs; i++)
        if (test->interface[d->interface[i]].force)
            return "a dof of its drive is in force control";
    return NULL;
}

/* Matrices of a compensator that couples the dofs of the drive of interface k, from the series a of its actuators:
 * with the Jacobian J of the drive at rest, A_n = J^+ diag(a_n) J. Without a drive the matrices are single numbers.
 * Sets why if it cannot be used. */
static ifd_status couple(ifd_arena *arena, const ifd_preflight_options *o, const ifd_compensate_actuator *actuator,
                         int k, ifd_value *v, const char **why)
{
    static const char *const name[COUPLED] = {"position", "velocity", "acceleration"};
    const ifd_param *params = ifd_compensator_find("decoupling")->params;
    const ifd__movers own = ifd__movers_of(o->test, k);
    const ifd_driven *d = own.drive >= 0 ? &o->test->drive[own.drive] : NULL;
    int n = d ? d->drive.dofs : 1, row = 1;
    double J[IFD_DRIVE_DOFS * IFD_DRIVE_ACTUATORS], *A, *noise, most = 0.0;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(A, COUPLED * n * n), IFD__ARRAY(noise, n)));
    IFD_TRY(find_jacobian(d, J));
    *why = refusal(o->test, d);
    for (int r = 0; r < n; r++) {
        int interface = d ? d->interface[r] : k;
        const ifd__movers m = ifd__movers_of(o->test, interface);
        row = interface == k ? r + 1 : row;
        noise[r] = rounded(noise_of(o, interface));
        most = fmax(most, noise[r]);
        for (int c = 0; c < n * COUPLED; c++) {
            double sum = 0.0;
            for (int j = 0; j < m.count; j++)
                sum += m.weight[j] * actuator[m.first + j].a[c / n] * J[j * n + c % n];
            A[(c / n * n + r) * n + c % n] = rounded(fabs(sum) > 1e-12 ? sum : 0.0);
        }
    }
    for (int i = 0; i < COUPLED; i++)
        v[ifd_param_find(params, name[i])] = ifd_matrix(A + i * n * n, n, n);
    for (int r = 0; r < n; r++)
        noise[r] = fmax(noise[r], 1e-12);
    if (most > 0.0)
        v[ifd_param_find(params, "noise")] = ifd_list(noise, n);
    v[ifd_param_find(params, "row")] = ifd_number(row);
    return IFD_OK;
}

/* Settings of energy-damping at interface k: the estimated stiffness of one device, 0.2 of the moving mass per tick
 * as the largest damping. delay: s, to predict. *why: the reason if it cannot be used. */
static void damp(const ifd_compensate *s, const ifd_compensator_kind *kind, int k, double delay, ifd_value *v,
                 const char **why)
{
    const ifd_hybrid_options *t = s->o.test;
    const ifd_interface_options *c = &t->interface[k];
    const ifd_step_options *step = t->couple ? &t->couple->part[c->part].step : &t->step;
    const ifd_model *m = t->couple ? t->couple->part[c->part].model : t->model;
    double stiffness = 0.0, mass = m && c->to >= 0 ? ifd__sparse_get(&m->M, c->to, c->to) : 0.0;
    mass = m && c->row ? ifd__ends_mass(m, IFD__ENDS(c)) : mass;
    for (int e = 0; e < step->estimates; e++)
        if (step->estimate[e].to == c->to && step->estimate[e].row == c->row)
            stiffness = step->estimate[e].stiffness / c->force_factor;
    if (!(stiffness > 0.0) || !(mass > 0.0)) {
        *why = stiffness > 0.0 ? "the dof of the specimen has no mass"
                               : "it needs the stiffness of the specimen: estimate: {stiffness: ...}";
        return;
    }
    v[ifd_param_find(kind->params, "stiffness")] = ifd_number(rounded(stiffness));
    v[ifd_param_find(kind->params, "most")] = ifd_number(rounded(0.2 * mass / (s->period * c->force_factor)));
    v[ifd_param_find(kind->params, "look-ahead")] = ifd_number(rounded(delay));
}

/* The interfaces with this compensator. */
static ifd_status put_on(const ifd_compensate *s, const ifd_compensator_kind *kind, ifd_interface_options *interface,
                         ifd_compensation *out)
{
    for (int k = 0; k < s->o.test->interfaces; k++) {
        const ifd_interface_options *from = &s->o.test->interface[k];
        interface[k] = *from;
        if (from->force)
            continue;
        const ifd_compensate_actuator *a = &s->actuator[s->slowest[k]];
        bool own = from->compensator == kind && from->compensator_values;
        ifd_value *v;
        IFD_TRY(IFD__TAKE(s->arena, IFD__ARRAY(v, IFD_COMPENSATOR_PARAMS)));
        ifd_param_preset(kind->params, v);
        if (own)
            memcpy(v, from->compensator_values, sizeof *v * (size_t)ifd_param_count(kind->params));
        else if (!a->known && asks(kind))
            out->why = "the response of its actuator is unknown: interfield characterise measures it";
        else if (asks(kind) && a->a[1] / a->a[0] < not_late)
            out->why = "the actuator has no delay: compensation is not needed";
        else if (kind->accelerometer && !from->taken_out)
            out->why = "it needs an accelerometer on the table: mass-on-rig with 'handled: taken-out'";
        else if (ifd_param_find(kind->params, "position") >= 0)
            IFD_TRY(couple(s->arena, &s->o, s->actuator, k, v, &out->why));
        else if (ifd_param_find(kind->params, "least-velocity") >= 0)
            damp(s, kind, k, a->a[1] / a->a[0] + ahead_of(s, k), v, &out->why);
        else
            IFD_TRY(set_values(s, kind, k, v));
        out->own = out->own || own;
        out->values[k] = v;
        interface[k].compensator = kind;
        interface[k].compensator_values = v;
    }
    return IFD_OK;
}

static double relative(double x, double limit)
{
    return limit > 0.0 && isfinite(limit) ? x / limit : 0.0;
}

/* actuator: of a drive, or NULL. */
static void take_acceleration(ifd_compensation *out, int k, const char *actuator, double a, double limit)
{
    if (!(relative(a, limit) > relative(out->acceleration, out->limit)))
        return;
    out->hardest = k;
    out->hardest_actuator = actuator;
    out->acceleration = a;
    out->limit = limit;
}

static void take_peaks(const ifd_compensate *s, const ifd_preflight *p, const ifd__dry *d, ifd_compensation *out)
{
    const ifd_hybrid_options *test = s->o.test;
    out->acceleration = p->interface[0].acceleration;
    out->limit = test->interface[0].limits.acceleration;
    for (int k = 0; k < p->interfaces; k++) {
        const ifd__movers m = ifd__movers_of(test, k);
        take_acceleration(out, k, NULL, p->interface[k].acceleration, test->interface[k].limits.acceleration);
        for (int j = 0; j < m.count && m.drive >= 0; j++)
            take_acceleration(out, s->interface[m.first], s->actuator[m.first + j].name,
                              d->actuator[m.first + j].seen.acceleration,
                              test->drive[m.drive].limits[j].acceleration);
        out->turns[k] = p->interface[k].angular;
        out->tracking = fmax(out->tracking, p->interface[k].tracking);
    }
}

/* With its limits, and without. */
static ifd_status run_dry(const ifd_compensate *s, const ifd_preflight_options *o, ifd_preflight *p,
                          ifd_compensation *out, ifd_note *note)
{
    const ifd__loop l = {o->test, o->twin};
    const ifd__dry_options limited = {.variant = {.delay = p->delay, .gain = p->gain}, .every = 1},
                           unlimited = {.variant = {.delay = p->delay, .gain = p->gain, .unlimited = true}};
    ifd_arena *scratch IFD__CLOSED = ifd_arena_open();
    ifd__dry d, free;
    ifd__dry_error e;
    IFD_TRY(scratch ? ifd__dry_run(scratch, &l, &limited, &d, note) : IFD_NO_MEMORY);
    IFD_TRY(ifd__dry_run(scratch, &l, &unlimited, &free, note));
    out->finished = d.finished;
    out->governed = d.governed;
    p->reached = d.reached;
    p->trip = d.trip;
    p->diverged = free.diverged;
    ifd__preflight_interfaces(o, &free, p);
    take_peaks(s, p, &free, out);
    if (s->compared && d.finished && ifd__dry_compare(&d, &s->perfect, &e)) {
        out->error_peak = e.peak;
        out->error_rms = e.rms;
    }
    return IFD_OK;
}

static void take_margins(const ifd_preflight *p, ifd_compensation *out)
{
    out->stable = p->examined && p->initial.stable && p->secant.stable;
    out->delay_initial = p->initial.delay;
    out->delay_secant = p->secant.delay;
    out->delay = p->initial.stable ? p->initial.delay : p->secant.delay;
}

/* A compensator that corrects the force chooses it by the measured positions, which is not linear: its gains stay
 * unknown. */
static ifd_status find_noise(const ifd_compensate *s, const ifd_preflight_options *o, const ifd_preflight *p,
                             ifd_compensation *out, ifd_note *note)
{
    double spring[IFD_RIG_ACTUATORS], dashpot[IFD_RIG_ACTUATORS];
    const ifd__loop l = {o->test, o->twin};
    const ifd__variant v = {.delay = p->delay, .gain = p->gain, .spring = spring, .dashpot = dashpot};
    ifd__noise_gains g;
    if (out->kind->correct)
        return IFD_OK;
    for (int k = 0; k < p->interfaces; k++) {
        double stiffness, damping;
        ifd_virtual_actuator bench = ifd__bench_of(o->test, o->twin, k);
        spring[k] = ifd__specimen_tangent(&bench, &stiffness, &damping) ? (double)NAN : p->interface[k].secant;
        dashpot[k] = p->interface[k].viscous;
    }
    ifd_status status = ifd__loop_noise(&l, &v, IFD__NOISE_QUICKER, &g, note);
    if (status != IFD_OK)
        return status == IFD_DIVERGED ? IFD_OK : status;
    int at;
    out->noise_position = ifd__noise_worst(g.position, s->actuators, &at);
    out->noise_force = ifd__noise_worst(g.force, s->actuators, &at);
    out->noisiest = s->interface[at];
    out->noisiest_actuator = s->actuator[at].drive ? s->actuator[at].name : NULL;
    return IFD_OK;
}

/* The reason to exclude it, or a caution. */
static void judge(const ifd_compensate *s, const ifd_preflight *p, ifd_compensation *out)
{
    bool small = p->examined && !p->initial.stable && p->secant.stable; /* grows until a specimen yields */
    out->usable = (out->stable || small) && out->finished && !p->diverged;
    if (!p->examined)
        out->why = "its stability is unknown: the loop has too many state variables";
    else if (!out->stable)
        out->why = ifd_arena_print(s->arena, "unstable%s: an oscillation of %.3g Hz grows",
                                   p->linear            ? ""
                                   : !p->initial.stable ? " with the initial stiffness"
                                                        : " with the secant stiffness",
                                   !p->initial.stable ? p->initial.frequency : p->secant.frequency);
    else if (p->diverged)
        out->why = "the dry run diverges";
    else if (!out->finished)
        out->why =
            ifd_arena_print(s->arena, "the dry run trips at %.3g s: %s", p->reached, ifd_trip_text(p->trip.trip));
    else if (out->governed > 0)
        out->why = ifd_arena_print(s->arena, "limits reduce %ld commands", out->governed);
    else if (out->acceleration > out->limit)
        out->why = "needs more acceleration than its limit";
    else if (ifd__preflight_little(p, &out->delay))
        out->why = "small delay margin";
    else if (out->error_rms > s->o.error_bound)
        out->why = ifd_arena_print(s->arena, "rms error above the bound of %.3g %%", 100.0 * s->o.error_bound);
    out->careful = out->usable && out->why;
}

static ifd_status examine(ifd_compensate *s, const ifd_preflight_options *o, ifd_compensation *out, ifd_note *note)
{
    ifd_arena *scratch IFD__CLOSED = ifd_arena_open();
    ifd_preflight *p = scratch ? ifd_arena_take(scratch, sizeof *p) : NULL;
    IFD__HAVE(p);
    p->gain = 1.0;
    p->delay = s->delay;
    p->period = s->period;
    IFD_TRY(run_dry(s, o, p, out, note));
    IFD_TRY(ifd__preflight_delay(o, p, note));
    take_margins(p, out);
    if (out->stable)
        IFD_TRY(find_noise(s, o, p, out, note));
    judge(s, p, out);
    return IFD_OK;
}

/* The test cannot be made with it: the note contains the reason. */
static ifd_status refuse(const ifd_compensate *s, const ifd_hybrid_options *test, ifd_compensation *out)
{
    ifd_note found;
    double period;
    ifd_note_init(&found, s->arena);
    ifd_status status = find_period(test, s->o.twin, &period, &found);
    if (status == IFD_NO_MEMORY || status == IFD_OK)
        return status;
    out->why = found.first ? found.first->text : ifd_status_text(status);
    return IFD_OK;
}

ifd_status ifd_compensate_row(ifd_compensate *s, const ifd_compensator_kind *kind, ifd_compensation *out,
                              ifd_note *note)
{
    ifd_preflight_options o = s->o;
    ifd_hybrid_options test = *s->o.test;
    *out = (ifd_compensation){.kind = kind,
                              .error_rms = (double)NAN,
                              .error_peak = (double)NAN,
                              .noise_force = (double)NAN,
                              .noise_position = (double)NAN};
    ifd_interface_options *interface;
    IFD_TRY(IFD__TAKE(s->arena, IFD__ARRAY(interface, test.interfaces)));
    IFD_TRY(put_on(s, kind, interface, out));
    if (out->why)
        return IFD_OK;
    test.interface = interface;
    o.test = &test;
    IFD_TRY(refuse(s, &test, out));
    return out->why ? IFD_OK : examine(s, &o, out, note);
}

int ifd_compensate_best(const ifd_compensation *row, int rows)
{
    int best = -1;
    for (int i = 0; i < rows; i++)
        if (row[i].usable && !row[i].careful && !isnan(row[i].error_rms) &&
            (best < 0 || row[i].error_rms < row[best].error_rms))
            best = i;
    return best;
}
