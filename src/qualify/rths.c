/* SPDX-License-Identifier: MIT */
/* The benchmark with one actuator: its frame, its numerical substructure, its controllers and its loop. The numerical
 * substructure is exact for a held force and linear ground, as the benchmark defines it, or steps by a method. */
#include <math.h>
#include <string.h>

#include <interfield/indicator.h>

#include "algebra/discretisation.h"
#include "qualify/benchmark.h"
#include "statistics/statistics.h"
#include "substructure/substructure.h"

static const double tick = 1.0 / IFD_RTHS_RATE;

#define SAMPLE (1.0 / IFD_RTHS_RATE)

static const ifd_benchmark_controller controllers[] = {
    {"perfect", "ideal actuator: the best possible result without prediction", NULL, {{0}}},
    {"none", "the command is the target", "none", {{0}}},
    {"pi", "PI loop alone", "pi-lead", {{"lead", 1, NULL}}},
    {"pi-lead", "sample controller of the benchmark", "pi-lead", {{0}}},
    {"polynomial", "third-order prediction by 25 ms", "polynomial", {{"delay", 0.0245, NULL}}},
    {"taylor", "third-order prediction by 25 ms", "taylor", {{"delay", 0.0245, NULL}, {"order", 3, NULL}}},
    {"phase-lead", "lead filter of 25 ms at low frequency", "phase-lead", {{"lead", 50, NULL}, {"pole", 2000, NULL}}},
    {"upper-bound",
     "prediction by 30 ms, with the force of the instant at which the specimen was at the target",
     "upper-bound",
     {{"bound", 0.03, NULL}}},
    {"inverse-1", "first order", "inverse-1", {{"delay", 0.02508, NULL}}},
    {"inverse-2", "inverse of the nominal plant to second order", "inverse-2", {{0}}},
    {"inverse-3", "inverse of the nominal plant to third order", "inverse-3", {{0}}},
    {"inverse-3-ahead",
     "inverse of the nominal plant to third order, 2 samples ahead",
     "inverse-3",
     {{"look-ahead", 2 * SAMPLE, NULL}}},
    {"adaptive-series", "adaptive, 1.5 samples ahead", "adaptive-series", {{"look-ahead", 1.5 * SAMPLE, NULL}}},
    {"adaptive-model", "adaptive, 1.5 samples ahead", "adaptive-model", {{"look-ahead", 1.5 * SAMPLE, NULL}}},
    {"cats", "conditional adaptive, 1.5 samples ahead", "cats", {{"look-ahead", 1.5 * SAMPLE, NULL}}},
    {"tracking-adaptive",
     "first order, delay by the tracking indicator",
     "tracking-adaptive",
     {{"delay", 0.02508, NULL}, {"amplitude", 0.003, NULL}}},
    {"frequency-adaptive",
     "first order, delay and gain by spectra",
     "frequency-adaptive",
     {{"delay", 0.02508, NULL}}},
    {"tadc",
     "third-order prediction by 25 ms, then adaptive weights; 1.5 samples ahead",
     "tadc",
     {{"delay", 0.0245, NULL}, {"look-ahead", 1.5 * SAMPLE, NULL}}},
    {"lqg", "second-order inverse with regulator and estimator", "lqg", {{0}}},
    {"predictive", "model-predictive, 16 ms", "predictive", {{0}}},
    {"energy-damping",
     "third-order prediction by 25 ms, damping by the energy of the specimen",
     "energy-damping",
     {{"look-ahead", 0.0245, NULL}, {"stiffness", 1.19e6, NULL}, {"most", 8e5, NULL}}},
    {NULL, NULL, NULL, {{0}}},
};

static const char *const criteria[] = {"J1", "J2", "J3", "J4", "J5", "J6", "J7", "J8", "J9"};

const ifd_benchmark ifd_rths = {.name = "rths",
                                .rate = IFD_RTHS_RATE,
                                .values = IFD_RTHS_CRITERIA,
                                .controllers = controllers,
                                .criteria = criteria,
                                .controller = "pi-lead",
                                .seed = 1};

/* Two bays, three storeys, steel, pinned; rotations condensed (N/m). */
static const double stiffness[9] = {26054883.879603837,  -23133938.877108198, 5937035.463339146,
                                    -23133938.877108198, 32560774.186380334,  -14419970.777236981,
                                    5937035.463339146,   -14419970.777236985, 9267275.506224312};

/* Modal damping of all modes, with frequencies rounded to 0.01 rad/s: c11 c12 c13 c22 c23 c33 (N s/m). */
static const struct {
    double m, zeta, c[6];
} buildings[IFD_RTHS_BUILDINGS] = {
    {1000,
     0.05,
     {14084.275745299876, -7873.031460913151, 440.4514988426247, 14943.622937895665, -6348.672096305331,
      7223.101316804461}},
    {1100,
     0.04,
     {11817.42262041908, -6606.215423308698, 369.6755622296918, 12538.57756973086, -5327.047373791856,
      6060.319809850064}},
    {1300,
     0.03,
     {9635.014363361863, -5386.025774196529, 301.43864014406876, 10223.006811768844, -4343.084702116766,
      4941.298824869293}},
    {1000,
     0.03,
     {8450.565447179924, -4723.818876547891, 264.27089930557526, 8966.173762737399, -3809.203257783199,
      4333.8607900826755}},
};

/* Matrices of a building, 3 x 3, and the specimen of its first storey. */
typedef struct structure {
    double m; /* per floor, kg */
    double K[9], C[9];
    double specimen[3]; /* m, c, k */
} structure;

static structure structure_of(const ifd_benchmark_options *opt)
{
    static const int upper[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
    double k = opt->plant.number[0], m = 29.13;
    structure b = {.m = buildings[opt->building - 1].m, .specimen = {m, 2 * 0.0097 * sqrt(k * m), k}};
    memcpy(b.K, stiffness, sizeof b.K);
    for (int i = 0; i < 9; i++)
        b.C[i] = buildings[opt->building - 1].c[upper[i]];
    return b;
}

/* y' = A y + B (ug, f): floors and their velocities under the ground and a force on the first floor; without what is
 * on the rig, but ground loads by the full mass of each floor. Column-major, 6 x 6 and 6 x 2. */
static void system_of(const structure *b, const double rig[3], double *A, double *B)
{
    memset(A, 0, 36 * sizeof *A);
    memset(B, 0, 12 * sizeof *B);
    for (int i = 0; i < 3; i++) {
        double mass = i == 0 ? b->m - rig[0] : b->m;
        A[i + 6 * (3 + i)] = 1.0;
        for (int j = 0; j < 3; j++) {
            double k = b->K[i + 3 * j] - (i == 0 && j == 0 ? rig[2] : 0.0);
            double c = b->C[i + 3 * j] - (i == 0 && j == 0 ? rig[1] : 0.0);
            A[3 + i + 6 * j] = -k / mass;
            A[3 + i + 6 * (3 + j)] = -c / mass;
        }
        B[3 + i] = -b->m / mass;
        B[3 + i + 6] = i == 0 ? -1.0 / mass : 0.0;
    }
}

/* Exact response of the whole building to ground acceleration that is linear between samples. */
static ifd_status respond(const structure *b, ifd_arena *arena, ifd__benchmark_log *log, ifd_benchmark_result *out)
{
    static const double none[3] = {0};
    double A[36], B[12], z[6] = {0};
    int peak;
    ifd__discretisation hold;
    system_of(b, none, A, B);
    IFD_TRY(ifd__discretisation_make(arena, &(ifd__continuous){6, 1, A, B}, tick, &hold));
    for (int k = 0; k < log->count; k++) {
        for (int i = 0; i < 3; i++)
            log->s[IFD__RTHS_R + i][k] = z[i];
        ifd__discretisation_step(&hold, log->ground + k, log->ground + (k + 1 < log->count ? k + 1 : k), z);
    }
    for (int i = 2; i >= 0; i--)
        out->reference[i] = ifd__benchmark_peak(log, IFD__RTHS_R + i, &peak);
    out->reference_time = (double)peak / IFD_RTHS_RATE;
    out->reference_std = ifd__series_deviation(log->count, log->s[IFD__RTHS_R]);
    return IFD_OK;
}

typedef struct rths {
    const ifd_benchmark_options *opt;
    ifd_arena *arena;
    structure of;
    double A[36], B[12];
    ifd__discretisation hold;
    ifd__substructure numeric; /* without a stepper: the exact discretisation */
    double *x, load[3];
    double z[6];                 /* displacements, velocities */
    ifd_compensator *controller; /* NULL: an ideal actuator */
    ifd_actuator *plant;
    ifd_sensor *sensor[2]; /* displacement, force */
    ifd_indicator *indicator;
    double *s_controller, *s_plant, *s_sensor[2], *s_indicator;
    ifd__benchmark_log *log;
} rths;

static void add_matrices(ifd_builder *b, const structure *of)
{
    static const char *const name[3] = {"floor1", "floor2", "floor3"};
    for (int i = 0; i < 3; i++)
        ifd_builder_dof(b, name[i], IFD_DOF_X);
    for (int i = 0; i < 3; i++) {
        ifd_builder_add(b, IFD_MASS, i, i, of->m - (i == 0 ? of->specimen[0] : 0.0));
        for (int j = 0; j < 3; j++) {
            bool first = i == 0 && j == 0;
            ifd_builder_add(b, IFD_DAMPING, i, j, of->C[i + 3 * j] - (first ? of->specimen[1] : 0.0));
            /* One pair of entries of the printed matrix differs in its last digit. */
            double k = 0.5 * (of->K[i + 3 * j] + of->K[j + 3 * i]);
            ifd_builder_add(b, IFD_STIFFNESS, i, j, k - (first ? of->specimen[2] : 0.0));
        }
    }
}

/* The ground acts on the full mass, including that of the specimen, which gives a force on the first floor. */
static ifd_status make_model(const rths *r, ifd_model **out, ifd_note *note)
{
    const ifd_benchmark_options *opt = r->opt;
    const ifd_signal *ground, *share;
    double mass = -r->of.specimen[0] * opt->scale;
    IFD_TRY(ifd_signal_make_sum(r->arena, 1, &opt->ground, &opt->scale, NULL, &ground));
    IFD_TRY(ifd_signal_make_sum(r->arena, 1, &opt->ground, &mass, NULL, &share));
    ifd_builder *b = ifd_builder_make(r->arena);
    IFD__HAVE(b);
    add_matrices(b, &r->of);
    ifd_builder_ground(b, IFD_DOF_X, ground);
    ifd_builder_force(b, 0, share);
    return ifd_model_make(r->arena, b, out, note);
}

static ifd_status make_numeric(rths *r, ifd_note *note)
{
    system_of(&r->of, r->of.specimen, r->A, r->B);
    if (!r->opt->method)
        return ifd__discretisation_make(r->arena, &(ifd__continuous){6, 2, r->A, r->B}, tick, &r->hold);
    const ifd_method *method = ifd_method_find(r->opt->method);
    if (!method)
        return ifd_note_add(note, IFD_UNKNOWN_NAME, NULL, "there is no method '%s' (interfield list methods)",
                            r->opt->method);
    ifd_model *model;
    ifd_step_options step;
    IFD_TRY(make_model(r, &model, note));
    ifd_step_options_defaults(method, tick, &step);
    ifd__substructure *s = &r->numeric;
    IFD_TRY(ifd__substructure_make(r->arena, &(ifd__substructure_options){.model = model, .step = &step}, s, note));
    IFD_TRY(IFD__TAKE(r->arena, IFD__ARRAY(r->x, s->size)));
    s->ops->initial(s, r->x);
    ifd__substructure_begin(s, r->x);
    s->model[0].load = r->load; /* known at the start of a tick, which is one step: constant in all stages */
    return IFD_OK;
}

/* From sample k to k + 1; the force is held. */
static void step_numeric(rths *r, int k, double f)
{
    const double *ug = r->log->ground;
    double step = k;
    if (!r->numeric.stepper) {
        const double w0[2] = {ug[k], f}, w1[2] = {ug[k + 1 < r->log->count ? k + 1 : k], f};
        ifd__discretisation_step(&r->hold, w0, w1, r->z);
        return;
    }
    r->load[0] = -f;
    r->numeric.ops->exchange(&r->numeric, 0, &step, r->x);
    memcpy(r->z, r->x, sizeof r->z);
}

/* Acceleration of the first floor under the ground and a force. */
static double acceleration(const rths *r, double ug, double f)
{
    double a = r->B[3] * ug + r->B[3 + 6] * f;
    for (int j = 0; j < 6; j++)
        a += r->A[3 + 6 * j] * r->z[j];
    return a;
}

/* Values of a compensator: presets, then the converters of the benchmark. */
static ifd_status make_controller(rths *r, ifd_note *note)
{
    static const ifd_benchmark_setting converters[] = {{"resolution", 0x1p-18, NULL}, {"range", 3.8, NULL}, {0}};
    const char *name = r->opt->controller->compensator;
    const ifd_param *params = name ? ifd_compensator_find(name)->params : NULL;
    ifd_value v[IFD_COMPENSATOR_PARAMS];
    if (!name)
        return IFD_OK;
    ifd_param_preset(params, v);
    IFD_TRY(ifd__benchmark_set(params, converters, v, note));
    return ifd__benchmark_compensator(r->opt, r->arena, v, &r->controller, &r->s_controller, note);
}

static ifd_status make_plant(rths *r, ifd_note *note)
{
    const double *p = r->opt->plant.number;
    const ifd_benchmark_setting setting[] = {
        {"stiffness", p[0], NULL}, {"valve-damping", p[1], NULL},        {"valve-stiffness", p[2], NULL},
        {"leakage", p[3], NULL},   {"damping", r->of.specimen[1], NULL}, {0}};
    const ifd_actuator_kind *kind = ifd_actuator_find("servo-hydraulic");
    ifd_value v[IFD_RIG_PARAMS];
    ifd_param_preset(kind->params, v);
    IFD_TRY(ifd__benchmark_set(kind->params, setting, v, note));
    IFD_TRY(ifd_actuator_make(r->arena, kind, v, tick, &r->plant, note));
    IFD_TRY(IFD__TAKE(r->arena, IFD__ARRAY(r->s_plant, r->plant->size)));
    ifd_actuator_begin(r->plant, 0.0, r->s_plant);
    return IFD_OK;
}

/* Standard deviations: sqrt(6.25e-14 4096) m and sqrt(1.16e-3 4096) N. The two generators are independent. */
static ifd_status make_sensor(rths *r, int i, ifd_note *note)
{
    static const double density[2] = {6.25e-14, 1.16e-3};
    const ifd_benchmark_setting setting[] = {{"noise", r->opt->noise ? sqrt(density[i] * IFD_RTHS_RATE) : 0.0, NULL},
                                             {"seed", 2.0 * r->opt->seed + i, NULL},
                                             {0}};
    ifd_value v[IFD_RIG_PARAMS];
    ifd_param_preset(ifd_sensor_params, v);
    IFD_TRY(ifd__benchmark_set(ifd_sensor_params, setting, v, note));
    IFD_TRY(ifd_sensor_make(r->arena, v, tick, &r->sensor[i], note));
    IFD_TRY(IFD__TAKE(r->arena, IFD__ARRAY(r->s_sensor[i], r->sensor[i]->size)));
    ifd_sensor_begin(r->sensor[i], 0.0, r->s_sensor[i]);
    return IFD_OK;
}

static ifd_status make_all(rths *r, ifd_note *note)
{
    IFD_TRY(make_numeric(r, note));
    IFD_TRY(make_controller(r, note));
    IFD_TRY(make_plant(r, note));
    IFD_TRY(make_sensor(r, 0, note));
    IFD_TRY(make_sensor(r, 1, note));
    IFD_TRY(ifd_indicator_make(r->arena, 0.0, tick, &r->indicator, note));
    IFD_TRY(IFD__TAKE(r->arena, IFD__ARRAY(r->s_indicator, r->indicator->size)));
    ifd_indicator_begin(r->indicator, r->s_indicator);
    return IFD_OK;
}

/* An ideal actuator has the position of the floor and measures the force of the specimen there. */
static void be_perfect(const double e[3], const double *z, double a, double *p)
{
    p[IFD_ACTUATOR_X] = z[0];
    p[IFD_ACTUATOR_V] = z[3];
    p[IFD_ACTUATOR_F] = e[0] * a + e[1] * z[3] + e[2] * z[0];
}

/* Measures, commands and advances the plant; returns the force for the numerical substructure. */
static double exchange(rths *r, int k, double a, ifd_benchmark_result *out)
{
    const double *z = r->z;
    double *p = r->s_plant, x = p[IFD_ACTUATOR_X], v = p[IFD_ACTUATOR_V], f = p[IFD_ACTUATOR_F];
    double xm = ifd_sensor_step(r->sensor[0], x, false, r->s_sensor[0]);
    double fm = ifd_sensor_step(r->sensor[1], f, false, r->s_sensor[1]);
    out->peak_x = fmax(out->peak_x, fabs(x));
    out->peak_v = fmax(out->peak_v, fabs(v));
    out->peak_f = fmax(out->peak_f, fabs(f));
    ifd_indicator_step(r->indicator, &(ifd_indicator_in){z[0], z[3], x, f}, r->s_indicator);
    r->log->s[IFD__RTHS_XM][k] = xm;
    for (int i = 0; i < 3; i++)
        r->log->s[IFD__RTHS_Y + i][k] = z[i];
    if (!r->controller)
        return fm;
    const ifd_compensator_in in = {.x = z[0], .v = z[3], .a = a, .xm = xm, .fm = fm};
    double u = ifd_compensator_step(r->controller, &in, r->s_controller);
    ifd_actuator_step(r->plant, &(ifd_actuator_in){.u = u}, p);
    return r->s_controller[IFD_COMPENSATOR_F];
}

/* The force of a sample acts from the next sample on: one sample late, and held. */
static void loop(rths *r, ifd_benchmark_result *out)
{
    double held = 0.0;
    for (int k = 0; k < r->log->count; k++) {
        double a = acceleration(r, r->log->ground[k], held);
        if (!r->controller)
            be_perfect(r->of.specimen, r->z, a, r->s_plant);
        if (!(fabs(r->s_plant[IFD_ACTUATOR_X]) < 0.1 && fabs(r->z[0]) < 0.1)) {
            out->stable = false;
            out->unstable_at = k * tick;
            return;
        }
        double f = exchange(r, k, a, out);
        step_numeric(r, k, held);
        held = f;
    }
}

ifd_status ifd__rths_run(const ifd_benchmark_options *opt, ifd_arena *arena, ifd__benchmark_log *log,
                         ifd_benchmark_result *out, ifd_note *note)
{
    static const ifd__criterion rows[] = {{IFD__CRITERION_LAG, IFD__RTHS_XM, IFD__RTHS_Y, 1},
                                          {IFD__CRITERION_RMS, IFD__RTHS_XM, IFD__RTHS_Y, 1},
                                          {IFD__CRITERION_PEAK, IFD__RTHS_XM, IFD__RTHS_Y, 1},
                                          {IFD__CRITERION_RMS, IFD__RTHS_XM, IFD__RTHS_R, 1},
                                          {IFD__CRITERION_PEAK, IFD__RTHS_XM, IFD__RTHS_R, 1},
                                          {IFD__CRITERION_RMS, IFD__RTHS_Y + 1, IFD__RTHS_R + 1, 2},
                                          {IFD__CRITERION_PEAK, IFD__RTHS_Y + 1, IFD__RTHS_R + 1, 2}};
    rths r = {.opt = opt, .arena = arena, .of = structure_of(opt), .log = log};
    IFD_TRY(make_all(&r, note));
    IFD_TRY(respond(&r.of, arena, log, out));
    loop(&r, out);
    if (out->stable)
        ifd__benchmark_judge(log, sizeof rows / sizeof *rows, rows, out->value);
    out->delay = ifd_indicator_read(r.s_indicator).delay;
    out->amplitude = ifd_indicator_read(r.s_indicator).amplitude;
    out->over_force = out->peak_f > 8900.0;
    out->over_stroke = out->peak_x > 7e-3;
    out->over_velocity = out->peak_v > 0.3;
    if (r.controller && r.controller->kind->coefficients)
        r.controller->kind->coefficients(r.controller, r.s_controller, out->coefficients[0]);
    return IFD_OK;
}
