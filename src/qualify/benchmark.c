/* SPDX-License-Identifier: MIT */
/* The benchmark of real-time hybrid simulation with one actuator. */
#include "qualify/benchmark.h"

#include <math.h>
#include <string.h>

#include <interfield/indicator.h>

static const double tick = 1.0 / IFD_RTHS_RATE;

#define SAMPLE (1.0 / IFD_RTHS_RATE)

const ifd_rths_controller ifd_rths_controllers[] = {
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

const ifd_rths_controller *ifd_rths_controller_find(const char *name)
{
    for (const ifd_rths_controller *c = ifd_rths_controllers; c->name; c++)
        if (strcmp(c->name, name) == 0)
            return c;
    return NULL;
}

void ifd_rths_options_defaults(ifd_rths_options *opt)
{
    *opt = (ifd_rths_options){.scale = 0.4,
                              .building = 1,
                              .plant = {1.19e6, 425, 9.9976e4, 3.3},
                              .noise = true,
                              .seed = 1,
                              .controller = ifd_rths_controller_find("pi-lead")};
}

typedef struct rths {
    const ifd_rths_options *opt;
    ifd_arena *arena;
    double specimen[3]; /* m, c, k */
    ifd__rths_numeric numeric;
    ifd_compensator *controller; /* NULL: an ideal actuator */
    ifd_actuator *plant;
    ifd_sensor *sensor[2]; /* displacement, force */
    ifd_indicator *indicator;
    double *s_controller, *s_plant, *s_sensor[2], *s_indicator;
    double *ug;
    ifd__rths_log log;
} rths;

ifd_status ifd__rths_set(const ifd_param *params, const ifd_rths_setting *setting, ifd_value *v, ifd_note *note)
{
    for (; setting && setting->param; setting++) {
        int i = ifd_param_find(params, setting->param);
        if (i < 0)
            return ifd_note_add(note, IFD_UNKNOWN_KEY, NULL, "the controller has no parameter '%s'", setting->param);
        v[i] = setting->word ? ifd_word(setting->word) : ifd_number(setting->number);
    }
    return IFD_OK;
}

/* Values of a compensator: presets, then the converters of the benchmark, the settings of the row, those of the
 * caller. */
static ifd_status make_controller(rths *r, ifd_note *note)
{
    const ifd_rths_controller *row = r->opt->controller;
    if (!row->compensator)
        return IFD_OK;
    static const ifd_rths_setting converters[] = {{"resolution", 0x1p-18, NULL}, {"range", 3.8, NULL}, {0}};
    const ifd_compensator_kind *kind = ifd_compensator_find(row->compensator);
    ifd_value v[IFD_COMPENSATOR_PARAMS];
    ifd_param_preset(kind->params, v);
    IFD_TRY(ifd__rths_set(kind->params, converters, v, note));
    IFD_TRY(ifd__rths_set(kind->params, row->setting, v, note));
    IFD_TRY(ifd__rths_set(kind->params, r->opt->setting, v, note));
    IFD_TRY(ifd_compensator_make(r->arena, kind, v, tick, &r->controller, note));
    r->s_controller = ifd_arena_array(r->arena, (size_t)r->controller->size, sizeof(double));
    return r->s_controller ? IFD_OK : IFD_NO_MEMORY;
}

static ifd_status make_plant(rths *r, ifd_note *note)
{
    const ifd_rths_plant *p = &r->opt->plant;
    const ifd_rths_setting setting[] = {{"stiffness", p->stiffness, NULL},   {"valve-damping", p->beta1, NULL},
                                        {"valve-stiffness", p->beta2, NULL}, {"leakage", p->a3, NULL},
                                        {"damping", r->specimen[1], NULL},   {0}};
    const ifd_actuator_kind *kind = ifd_actuator_find("servo-hydraulic");
    ifd_value v[IFD_RIG_PARAMS];
    ifd_param_preset(kind->params, v);
    IFD_TRY(ifd__rths_set(kind->params, setting, v, note));
    IFD_TRY(ifd_actuator_make(r->arena, kind, v, tick, &r->plant, note));
    r->s_plant = ifd_arena_array(r->arena, (size_t)r->plant->size, sizeof(double));
    return r->s_plant ? IFD_OK : IFD_NO_MEMORY;
}

/* Standard deviations: sqrt(6.25e-14 4096) m and sqrt(1.16e-3 4096) N. The two generators are independent. */
static ifd_status make_sensor(rths *r, int i, ifd_note *note)
{
    static const double density[2] = {6.25e-14, 1.16e-3};
    const ifd_rths_setting setting[] = {{"noise", r->opt->noise ? sqrt(density[i] * IFD_RTHS_RATE) : 0.0, NULL},
                                        {"seed", (double)(2 * r->opt->seed + (uint64_t)i), NULL},
                                        {0}};
    ifd_value v[IFD_RIG_PARAMS];
    ifd_param_preset(ifd_sensor_params, v);
    IFD_TRY(ifd__rths_set(ifd_sensor_params, setting, v, note));
    IFD_TRY(ifd_sensor_make(r->arena, v, tick, &r->sensor[i], note));
    r->s_sensor[i] = ifd_arena_array(r->arena, (size_t)r->sensor[i]->size, sizeof(double));
    return r->s_sensor[i] ? IFD_OK : IFD_NO_MEMORY;
}

/* The record on the grid of the benchmark: k / 4096 up to its last sample. */
static ifd_status make_log(rths *r)
{
    const ifd_rths_options *opt = r->opt;
    int n = r->log.count = (int)floor(IFD_RTHS_RATE * opt->end) + 1;
    double *all = ifd_arena_array(r->arena, 8 * (size_t)n, sizeof *all);
    if (!all)
        return IFD_NO_MEMORY;
    r->ug = all;
    r->log.xm = all + n;
    for (int i = 0; i < 3; i++) {
        r->log.y[i] = all + (2 + i) * (long)n;
        r->log.r[i] = all + (5 + i) * (long)n;
    }
    for (int k = 0; k < n; k++) {
        double out[3];
        ifd_signal_eval(opt->ground, k * tick, out);
        r->ug[k] = opt->scale * out[0];
    }
    return IFD_OK;
}

static ifd_status make_all(rths *r, const ifd__building *b, ifd_note *note)
{
    double k = r->opt->plant.stiffness, m = 29.13;
    r->specimen[0] = m;
    r->specimen[1] = 2 * 0.0097 * sqrt(k * m);
    r->specimen[2] = k;
    IFD_TRY(ifd__rths_numeric_make(r->opt, b, r->specimen, r->arena, &r->numeric, note));
    IFD_TRY(make_controller(r, note));
    IFD_TRY(make_plant(r, note));
    IFD_TRY(make_sensor(r, 0, note));
    IFD_TRY(make_sensor(r, 1, note));
    IFD_TRY(ifd_indicator_make(r->arena, 0.0, tick, &r->indicator, note));
    r->s_indicator = ifd_arena_array(r->arena, (size_t)r->indicator->size, sizeof(double));
    if (!r->s_indicator)
        return IFD_NO_MEMORY;
    return make_log(r);
}

static void begin(rths *r)
{
    if (r->controller)
        ifd_compensator_begin(r->controller, 0.0, r->s_controller);
    ifd_actuator_begin(r->plant, 0.0, r->s_plant);
    for (int i = 0; i < 2; i++)
        ifd_sensor_begin(r->sensor[i], 0.0, r->s_sensor[i]);
    ifd_indicator_begin(r->indicator, r->s_indicator);
}

static void note_rig(double x, double v, double f, ifd_rths_result *out)
{
    out->peak_x = fmax(out->peak_x, fabs(x));
    out->peak_v = fmax(out->peak_v, fabs(v));
    out->peak_f = fmax(out->peak_f, fabs(f));
}

/* An ideal actuator has the position of the floor and measures the force of the specimen there. */
static void be_perfect(const double e[3], const double *z, double a, double *p)
{
    p[IFD_ACTUATOR_X] = z[0];
    p[IFD_ACTUATOR_V] = z[3];
    p[IFD_ACTUATOR_F] = e[0] * a + e[1] * z[3] + e[2] * z[0];
}

/* Measures, commands and advances the plant; returns the force for the numerical substructure. */
static double exchange(rths *r, int k, double a, ifd_rths_result *out)
{
    const double *z = r->numeric.z;
    double *p = r->s_plant, x = p[IFD_ACTUATOR_X], f = p[IFD_ACTUATOR_F];
    double xm = ifd_sensor_step(r->sensor[0], x, false, r->s_sensor[0]);
    double fm = ifd_sensor_step(r->sensor[1], f, false, r->s_sensor[1]);
    note_rig(x, p[IFD_ACTUATOR_V], f, out);
    ifd_indicator_step(r->indicator, &(ifd_indicator_in){z[0], z[3], x, f}, r->s_indicator);
    r->log.xm[k] = xm;
    for (int i = 0; i < 3; i++)
        r->log.y[i][k] = z[i];
    if (!r->controller)
        return fm;
    const ifd_compensator_in in = {.x = z[0], .v = z[3], .a = a, .xm = xm, .fm = fm};
    double u = ifd_compensator_step(r->controller, &in, r->s_controller);
    ifd_actuator_step(r->plant, &(ifd_actuator_in){.u = u}, p);
    return r->s_controller[IFD_COMPENSATOR_F];
}

/* The force of a sample acts from the next sample on: one sample late, and held. */
static void loop(rths *r, ifd_rths_result *out)
{
    const double *z = r->numeric.z;
    double held = 0.0;
    for (int k = 0; k < r->log.count; k++) {
        double a = ifd__rths_acceleration(&r->numeric, r->ug[k], held);
        if (!r->controller)
            be_perfect(r->specimen, z, a, r->s_plant);
        if (!(fabs(r->s_plant[IFD_ACTUATOR_X]) < 0.1 && fabs(z[0]) < 0.1)) {
            out->stable = false;
            out->unstable_at = k * tick;
            return;
        }
        double f = exchange(r, k, a, out);
        const double ug[2] = {r->ug[k], r->ug[k + 1 < r->log.count ? k + 1 : k]};
        ifd__rths_numeric_step(&r->numeric, k, ug, held);
        held = f;
    }
}

static void conclude(const rths *r, ifd_rths_result *out)
{
    if (out->stable)
        ifd__rths_criteria(&r->log, out);
    out->samples = r->log.count;
    out->delay = ifd_indicator_read(r->s_indicator).delay;
    out->amplitude = ifd_indicator_read(r->s_indicator).amplitude;
    out->over_force = out->peak_f > 8900.0;
    out->over_stroke = out->peak_x > 7e-3;
    out->over_velocity = out->peak_v > 0.3;
    if (r->controller && r->controller->kind->coefficients)
        r->controller->kind->coefficients(r->controller, r->s_controller, out->coefficients);
}

static ifd_status run(rths *r, ifd_rths_result *out, ifd_note *note)
{
    ifd__building b = ifd__building_of(r->opt->building);
    IFD_TRY(make_all(r, &b, note));
    IFD_TRY(ifd__rths_reference(&b, r->ug, r->arena, &r->log, out));
    begin(r);
    loop(r, out);
    conclude(r, out);
    return IFD_OK;
}

ifd_status ifd_rths_run(const ifd_rths_options *opt, ifd_rths_result *out, ifd_note *note)
{
    if (opt->building < 1 || opt->building > IFD_RTHS_BUILDINGS)
        return ifd_note_add(note, IFD_RANGE, NULL, "the buildings of the benchmark are 1 to %d, found %d",
                            (int)IFD_RTHS_BUILDINGS, opt->building);
    if (!(opt->end > 0) || opt->end > 600)
        return ifd_note_add(note, IFD_RANGE, NULL, "the record has %g s, expected 0 to 600", opt->end);
    ifd_arena *arena = ifd_arena_open();
    if (!arena)
        return IFD_NO_MEMORY;
    rths r = {.opt = opt, .arena = arena};
    *out = (ifd_rths_result){.stable = true};
    ifd_status status = run(&r, out, note);
    ifd_arena_close(arena);
    return status;
}
