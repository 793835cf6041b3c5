/* SPDX-License-Identifier: MIT */
/* The multi-axial benchmark: its controllers, its loop and its criteria. The controllers are those of its definition
 * (none, rodeac, lqg, inv2), and compensators. Signals in mm, as in the benchmark; a compensator sees m. */
#include <math.h>
#include <string.h>

#include "algebra/dense.h"
#include "algebra/discretisation.h"
#include "analysis/variant.h"
#include "qualify/benchmark.h"
#include "rig/compensator/compensator.h"

static const double tick = 1.0 / IFD_MARTHS_RATE;

#define SAMPLE (1.0 / IFD_MARTHS_RATE)
#define LEAD 10.0 /* of a lead filter at high frequency */

static const ifd_benchmark_controller controllers[] = {
    {"none", "the command is the target", NULL, {{0}}},
    {"rodeac", "four taps on each target, adapted by recursive least squares (Quiroz et al., 2024)", NULL, {{0}}},
    {"rodeac-fixed", "the same with its initial taps", NULL, {{0}}},
    {"lqg", "state feedback with integrals and a Kalman filter of the nominal plant", NULL, {{0}}},
    {"inv2", "second-order series of the inverse of both actuators", NULL, {{0}}},
    {"taylor", "second-order prediction by the delay, each actuator alone", "taylor", {{0}}},
    {"polynomial", "third order, spacing tau, each actuator alone", "polynomial", {{0}}},
    {"phase-lead", "each actuator alone", "phase-lead", {{"lead", LEAD, NULL}}},
    {"pi-lead", "each actuator alone", "pi-lead", {{"lead", LEAD, NULL}, {"proportional", 0, NULL}}},
    {"inverse-1", "first order, each actuator alone", "inverse-1", {{"look-ahead", 0.5 * SAMPLE, NULL}}},
    {"inverse-2", "second-order inverse, each actuator alone", "inverse-2", {{"look-ahead", 0.5 * SAMPLE, NULL}}},
    {"inverse-3", "third-order inverse, each actuator alone", "inverse-3", {{"look-ahead", 0.5 * SAMPLE, NULL}}},
    {"adaptive-series", "each actuator alone", "adaptive-series", {{"noise", 1.24e-5, NULL}}},
    {"adaptive-model", "each actuator alone", "adaptive-model", {{"noise", 1.24e-5, NULL}}},
    {"cats", "each actuator alone", "cats", {{0}}},
    {"tracking-adaptive", "each actuator alone", "tracking-adaptive", {{"amplitude", 0.005, NULL}}},
    {"frequency-adaptive", "each actuator alone", "frequency-adaptive", {{0}}},
    {"tadc", "first-order prediction, then adaptive weights, each actuator alone", "tadc", {{"order", 1, NULL}}},
    {"decoupling-2", "coupled second-order inverse without its slow lag", "decoupling", {{0}}},
    {"decoupling-fixed", "coupled second-order inverse with its slow lag", "decoupling", {{0}}},
    {"decoupling", "the same, adapted during the test", "decoupling", {{"doubt", 0.05, NULL}}},
    {NULL, NULL, NULL, {{0}}},
};

#define NODE(j) j " x", j " th"
#define FLOORS(j) j " x2", j " th2", j " x3", j " th3"
static const char *const criteria[IFD_MARTHS_VALUES] = {
    "J1 1",     "J1 2",        "lag 1",     "lag 2",       "J2 1",      "J2 2",
    "J3 1",     "J3 2",        NODE("J5"),  NODE("J6"),    NODE("J7"),  FLOORS("J8"),
    NODE("J9"), FLOORS("J10"), NODE("J7c"), FLOORS("J8c"), NODE("J9c"), FLOORS("J10c"),
};

const ifd_benchmark ifd_marths = {.name = "marths",
                                  .rate = IFD_MARTHS_RATE,
                                  .values = IFD_MARTHS_VALUES,
                                  .controllers = controllers,
                                  .criteria = criteria,
                                  .controller = "decoupling",
                                  .seed = 123};

/* One actuator of rodeac. Histories begin with the present value. */
typedef struct rodeac {
    double th[4], P[16];
    double a[4], m[5], mf[5], u[5], uf[5];
} rodeac;

typedef struct kalman {
    ifd__discretisation hold;
    double C[16], v[8], ahead[8], e[2]; /* estimate, its prediction; integrals of the error */
} kalman;

struct control;

typedef struct law {
    const char *name;
    void (*sense)(struct control *c, const double m[2], double estimate[2]); /* NULL: as measured */
    void (*step)(struct control *c, const double a[2], const double m[2], double u[2]);
} law;

typedef struct control {
    const law *law;
    double past[2][5]; /* targets, newest first */
    ifd__marths_inverse inverse;
    rodeac rodeac[2];
    kalman kalman;
    ifd_compensator *compensator[2];
    double *state[2];
} control;

/* x := x with a new first value. */
static void remember(int count, double value, double *x)
{
    memmove(x + 1, x, sizeof *x * (size_t)(count - 1));
    x[0] = value;
}

/* First and second derivative by backward differences of third and second order. */
static double first(const double *x)
{
    return (11 * x[0] - 18 * x[1] + 9 * x[2] - 2 * x[3]) / (6 * tick);
}

static double second(const double *x)
{
    return (2 * x[0] - 5 * x[1] + 4 * x[2] - x[3]) / (tick * tick);
}

static void step_none(control *c, const double a[2], const double m[2], double u[2])
{
    (void)c;
    (void)m;
    memcpy(u, a, 2 * sizeof *u);
}

static void step_inverse(control *c, const double a[2], const double m[2], double u[2])
{
    (void)m;
    for (int i = 0; i < 2; i++) {
        u[i] = 0.0;
        for (int j = 0; j < 2; j++)
            u[i] += c->inverse.A[0][2 * i + j] * a[j] + c->inverse.A[1][2 * i + j] * first(c->past[j]) +
                    c->inverse.A[2][2 * i + j] * second(c->past[j]);
    }
}

/* Butterworth, fourth order, 20 Hz, by the bilinear transform. */
static const double low_b = 1.2134333065820259e-05, low_weight[5] = {1, 4, 6, 4, 1},
                    low_a[5] = {1, -3.6794182542904585, 5.088644606369255, -3.134517189896432, 0.7254849871466889};

/* The part of the output at the next sample that is due to earlier values of input x and output y; the first entries
 * of both belong to the next sample already. */
static double low_past(const double *x, const double *y)
{
    double sum = 0.0;
    for (int i = 1; i < 5; i++)
        sum += low_b * low_weight[i] * x[i] - low_a[i] * y[i];
    return sum;
}

static const double taps[2][4] = {{5.414703531415922, 1.962806653915435, -1.5048252596678648, -4.957763803987514},
                                  {6.058172628218169, 2.1998157465448687, -1.6745976342164963, -5.538499858188244}};
/* Upper triangles by rows; made for signals in m and used for mm, as distributed. */
static const double doubts[2][10] = {
    {83906.42815747605, -45046.00810957712, -27999.32600478411, -10761.293403738875, 106712.78321277935,
     -33590.12199030656, -27999.85520077352, 106712.89471242572, -45046.64880621686, 83907.59945955544},
    {64773.00944011183, -51448.243763745406, -21629.930497948848, 8337.191457832922, 104560.93549403193,
     -31474.353558888834, -21630.104009299863, 104561.22622571289, -51448.70807688673, 64773.647579071796}};

static void begin_rodeac(rodeac *r, int axis, bool adapts)
{
    memcpy(r->th, taps[axis], sizeof r->th);
    for (int i = 0, at = 0; i < 4; i++)
        for (int j = i; j < 4; j++, at++)
            r->P[i + 4 * j] = r->P[j + 4 * i] = adapts ? doubts[axis][at] : 0.0;
}

/* g = P X/(1 + X'P X), th += g (uf - th'X), P -= g X'P; u = phi'th with the updated taps, which depend on u through
 * the direct term of the filter: solved for u. */
static double step_rodeac_axis(rodeac *r, double a, double m)
{
    double g[4] = {0}, norm = 1.0, kappa = 0.0, fit = 0.0, plain = 0.0;
    remember(4, a, r->a);
    remember(5, m, r->m);
    remember(5, 0.0, r->mf);
    remember(5, 0.0, r->u);
    remember(5, 0.0, r->uf);
    const double *X = r->mf;
    r->mf[0] = low_b * m + low_past(r->m, r->mf);
    double w = low_past(r->u, r->uf);
    ifd__mul_add(4, 4, 1.0, r->P, X, g);
    const double PX[4] = {g[0], g[1], g[2], g[3]};
    norm += ifd__dot(4, X, g);
    for (int i = 0; i < 4; i++) {
        g[i] /= norm;
        kappa += r->a[i] * g[i];
        fit += r->th[i] * X[i];
        plain += r->a[i] * r->th[i];
    }
    r->u[0] = (plain + kappa * (w - fit)) / (1.0 - low_b * kappa);
    r->uf[0] = low_b * r->u[0] + w;
    for (int i = 0; i < 4; i++)
        r->th[i] += g[i] * (r->uf[0] - fit);
    for (int j = 0; j < 4; j++)
        for (int i = 0; i < 4; i++)
            r->P[i + 4 * j] -= g[i] * PX[j];
    return r->u[0];
}

static void step_rodeac(control *c, const double a[2], const double m[2], double u[2])
{
    for (int i = 0; i < 2; i++)
        u[i] = step_rodeac_axis(&c->rodeac[i], a[i], m[i]);
}

/* Gains of the regulator, of the integrals and of the filter; by rows, the last by rows of states. */
static const double K[2][8] = {{15.0309798549, 20.1334023443, 9.79826601507, 2.17101796474, -0.316004228078,
                                4.79215236145, 1.67055415322, 0.222545104525},
                               {2.26957760232, 2.62637533616, 1.06903593598, 0.169431594086, 6.03185445897,
                                52.0418528724, 23.8519506636, 4.53276019454}};
static const double K_i[2][2] = {{-507.349690943, 87.0029978278}, {-25.1287437433, -303.423154667}};
static const double L[8][2] = {{0.301877686422, -0.0504379655207},   {0.0909207695853, -0.00748333142046},
                               {-0.0239748332387, 0.00933277867881}, {-0.0754362406924, 0.00212930539149},
                               {-0.0212891472899, 0.152854095444},   {0.0370589414431, 0.225902626378},
                               {0.0369913555661, 0.135050246895},    {-0.0554388828696, -0.27237921406}};
static const double N_u[2][2] = {{1.1847700145282, -0.16773505574226}, {-0.17866836307176, 1.1054514637033}};
static const double N_x[2][2] = {{4.761364454675, -0.6740951597532}, {-1.175468843597, 7.272825089742}};

static void sense_lqg(control *c, const double m[2], double estimate[2])
{
    kalman *k = &c->kalman;
    double off[2] = {m[0], m[1]};
    ifd__mul_add(2, 8, -1.0, k->C, k->ahead, off);
    for (int i = 0; i < 8; i++)
        k->v[i] = k->ahead[i] + L[i][0] * off[0] + L[i][1] * off[1];
    estimate[0] = estimate[1] = 0.0;
    ifd__mul_add(2, 8, 1.0, k->C, k->v, estimate);
}

static void step_lqg(control *c, const double a[2], const double m[2], double u[2])
{
    kalman *k = &c->kalman;
    double estimate[2] = {0}, off[8];
    (void)m;
    ifd__mul_add(2, 8, 1.0, k->C, k->v, estimate);
    memcpy(off, k->v, sizeof off);
    for (int i = 0; i < 2; i++) {
        k->e[i] += tick * (a[i] - estimate[i]);
        off[4 * i] -= N_x[i][0] * a[0] + N_x[i][1] * a[1];
    }
    for (int i = 0; i < 2; i++)
        u[i] = N_u[i][0] * a[0] + N_u[i][1] * a[1] - ifd__dot(8, K[i], off) - ifd__dot(2, K_i[i], k->e);
    memcpy(k->ahead, k->v, sizeof k->ahead);
    ifd__discretisation_step(&k->hold, u, u, k->ahead);
}

static void step_compensator(control *c, const double a[2], const double m[2], double u[2])
{
    ifd_compensator_in in[2];
    for (int i = 0; i < 2; i++)
        in[i] = (ifd_compensator_in){.x = 1e-3 * a[i],
                                     .v = 1e-3 * first(c->past[i]),
                                     .a = 1e-3 * second(c->past[i]),
                                     .xm = 1e-3 * m[i],
                                     .axes = 2,
                                     .axis = in};
    for (int i = 0; i < 2; i++)
        u[i] = 1e3 * ifd_compensator_step(c->compensator[i], &in[i], c->state[i]);
}

static const law laws[] = {{"none", NULL, step_none},
                           {"rodeac", NULL, step_rodeac},
                           {"rodeac-fixed", NULL, step_rodeac},
                           {"lqg", sense_lqg, step_lqg},
                           {"inv2", NULL, step_inverse}},
                 by_compensator = {NULL, NULL, step_compensator};

/* Settings that follow from the nominal plant. An adaptive compensator begins with those that include the half sample
 * by which a held command is late, as those that it identifies do. */
static ifd_status know_plant(ifd_arena *arena, const ifd__marths_plant *plant, const ifd_benchmark_controller *row,
                             int axis, ifd_value *v)
{
    const ifd_compensator_kind *kind = ifd_compensator_find(row->compensator);
    const ifd_param *p = kind->params;
    static const double sigma[2] = {1.24e-5, 1.24e-5}; /* m, of the sensors */
    bool lag = row != ifd_benchmark_controller_find(&ifd_marths, "decoupling-2");
    ifd__marths_inverse *both;
    double *own, *least, *most; /* bounds: within twice the coefficients; only x'' may have another sign */
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(both, 1), IFD__ARRAY(own, 4), IFD__ARRAY(least, 3), IFD__ARRAY(most, 3)));
    ifd__marths_inverse_own(plant, axis, own);
    for (int i = 0; i < 3; i++)
        most[i] = 2.0 * fabs(own[i]);
    least[2] = -most[2];
    ifd__marths_inverse_of(plant, 0.5 * tick, lag, both);
    ifd__value_set(p, v, "delay",
                   ifd_number(own[1] / own[0] + (kind == &ifd__compensator_taylor ? 0.5 * tick : 0.0)));
    ifd__value_set(p, v, "pole",
                   ifd_number((LEAD - 1.0) / (own[1] / own[0]) * (ifd_param_find(p, "integral") >= 0 ? 0.5 : 1.0)));
    ifd__value_set(p, v, "integral", ifd_number(0.5 / (own[1] / own[0])));
    ifd__value_set(p, v, "position", ifd_matrix(both->A[0], 2, 2));
    ifd__value_set(p, v, "velocity", ifd_matrix(both->A[1], 2, 2));
    ifd__value_set(p, v, "acceleration", ifd_matrix(both->A[2], 2, 2));
    ifd__value_set(p, v, "lag", ifd_matrix(both->L, 2, 2));
    ifd__value_set(p, v, "corner", ifd_number(both->p / 6.28318530717958647693));
    if (kind == &ifd__compensator_decoupling)
        ifd__value_set(p, v, "noise", ifd_list(sigma, 2));
    ifd__value_set(p, v, "row", ifd_number(axis + 1));
    bool four = kind == &ifd__compensator_inverse_3 || kind == &ifd__compensator_model;
    for (int i = 0; i < 4 && ifd_param_find(p, "doubt") >= 0; i++)
        own[i] = fmax(own[i], 0.0);
    ifd__value_set(p, v, "least", ifd_list(least, 3));
    ifd__value_set(p, v, "most", ifd_list(most, 3));
    ifd__value_set(p, v, "coefficients", ifd_list(own, four ? 4 : 3));
    return IFD_OK;
}

static ifd_status make_compensator(ifd_arena *arena, const ifd_benchmark_options *opt, const ifd__marths_plant *plant,
                                   int axis, control *c, ifd_note *note)
{
    const ifd_compensator_kind *kind = ifd_compensator_find(opt->controller->compensator);
    ifd_value *v;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(v, IFD_COMPENSATOR_PARAMS)));
    ifd_param_preset(kind->params, v);
    IFD_TRY(know_plant(arena, plant, opt->controller, axis, v));
    return ifd__benchmark_compensator(opt, arena, v, &c->compensator[axis], &c->state[axis], note);
}

/* Controllers know the nominal plant only. */
static ifd_status make_control(ifd_arena *arena, const ifd_benchmark_options *opt, control **out, ifd_note *note)
{
    static const ifd_benchmark_plant nominal;
    ifd__marths_plant *plant;
    control *c;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(c, 1), IFD__ARRAY(plant, 1)));
    *out = c;
    ifd__marths_plant_of(&nominal, plant);
    c->law = &by_compensator;
    for (size_t i = 0; i < sizeof laws / sizeof *laws && !opt->controller->compensator; i++)
        if (strcmp(laws[i].name, opt->controller->name) == 0)
            c->law = &laws[i];
    for (int i = 0; i < 2; i++) {
        begin_rodeac(&c->rodeac[i], i, opt->controller == ifd_benchmark_controller_find(&ifd_marths, "rodeac"));
        if (opt->controller->compensator)
            IFD_TRY(make_compensator(arena, opt, plant, i, c, note));
    }
    ifd__marths_inverse_of(plant, 0.0, false, &c->inverse);
    memcpy(c->kalman.C, plant->C, sizeof plant->C);
    return ifd__discretisation_make(arena, &(ifd__continuous){8, 2, plant->A, plant->B}, tick, &c->kalman.hold);
}

/* The measured positions as the specimen sees them: those, or the estimate of the controller. */
static void sense(control *c, const double m[2], double estimate[2])
{
    memcpy(estimate, m, 2 * sizeof *m);
    if (c->law->sense)
        c->law->sense(c, m, estimate);
}

static void step(control *c, const double a[2], const double m[2], double u[2])
{
    for (int i = 0; i < 2; i++)
        remember(5, a[i], c->past[i]);
    c->law->step(c, a, m, u);
}

static void read_coefficients(const control *c, double out[2][4])
{
    for (int i = 0; i < 2; i++) {
        const ifd_compensator *by = c->compensator[i];
        memcpy(out[i], c->rodeac[i].th, sizeof c->rodeac[i].th);
        if (c->law->step != step_rodeac)
            memset(out[i], 0, sizeof out[i]);
        if (by && by->kind->coefficients)
            by->kind->coefficients(by, c->state[i], out[i]);
    }
}

/* In the order of the values. */
static const ifd__criterion errors[] = {
    {IFD__CRITERION_LAGS, IFD__MARTHS_M, IFD__MARTHS_A, 2},
    {IFD__CRITERION_RMS, IFD__MARTHS_M, IFD__MARTHS_A, 2},
    {IFD__CRITERION_PEAK, IFD__MARTHS_M, IFD__MARTHS_A, 2},
    {IFD__CRITERION_RMS, IFD__MARTHS_Q, IFD__MARTHS_FRAME, 2},
    {IFD__CRITERION_PEAK, IFD__MARTHS_Q, IFD__MARTHS_FRAME, 2},
    {IFD__CRITERION_RMS, IFD__MARTHS_Q, IFD__MARTHS_REFERENCE, 2},
    {IFD__CRITERION_RMS, IFD__MARTHS_FRAME + 2, IFD__MARTHS_REFERENCE + 2, 4},
    {IFD__CRITERION_PEAK, IFD__MARTHS_Q, IFD__MARTHS_REFERENCE, 2},
    {IFD__CRITERION_PEAK, IFD__MARTHS_FRAME + 2, IFD__MARTHS_REFERENCE + 2, 4},
    {IFD__CRITERION_RMS, IFD__MARTHS_Q, IFD__MARTHS_GLUED, 2},
    {IFD__CRITERION_RMS, IFD__MARTHS_FRAME + 2, IFD__MARTHS_GLUED + 2, 4},
    {IFD__CRITERION_PEAK, IFD__MARTHS_Q, IFD__MARTHS_GLUED, 2},
    {IFD__CRITERION_PEAK, IFD__MARTHS_FRAME + 2, IFD__MARTHS_GLUED + 2, 4},
};
static const ifd__criterion floors[] = {
    {IFD__CRITERION_RMS, IFD__MARTHS_GLUED, IFD__MARTHS_REFERENCE, IFD__FRAME_SHOWN},
    {IFD__CRITERION_PEAK, IFD__MARTHS_GLUED, IFD__MARTHS_REFERENCE, IFD__FRAME_SHOWN},
};

static void show(const ifd__frame_steps *s, int k, double *const *U)
{
    for (int i = 0; i < IFD__FRAME_SHOWN; i++)
        U[i][k] = (i == 1 ? -1.0 : 1.0) * s->U[ifd__frame_shown[i]];
}

/* A frame without a rig, and its signed peaks. */
static ifd_status respond(void (*frame)(ifd__frame *f), ifd__frame_steps *s, ifd__benchmark_log *log, int signal,
                          double *peak)
{
    frame(&s->of);
    IFD_TRY(ifd__frame_begin(s));
    for (int k = 0; k < log->count; k++) {
        ifd__frame_step(s, log->ground[k], NULL);
        show(s, k, log->s + signal);
    }
    for (int i = 0; i < IFD__FRAME_SHOWN; i++)
        peak[i] = (i == 1 ? -1.0 : 1.0) * ifd__benchmark_peak(log, signal + i, NULL);
    return IFD_OK;
}

/* State of the loop. */
typedef struct loop {
    const ifd_benchmark_options *opt;
    ifd__frame_steps frame;
    ifd__marths_plant plant;
    ifd__marths_random noise[2];
    control *control;
    double z[8], q[2], d[2]; /* of the plant; the node and its rates at the last sample */
} loop;

/* Forces by backward differences, which are zero at sample 0. */
static void force(loop *l, int k, const double q[2], double F[3])
{
    const ifd__specimen_law *specimen = &ifd__marths_specimen;
    double d[2] = {0}, dd[2] = {0}, f[3] = {0};
    for (int i = 0; i < 2 && k > 0; i++) {
        d[i] = (q[i] - l->q[i]) / tick;
        dd[i] = (d[i] - l->d[i]) / tick;
    }
    memcpy(l->q, q, sizeof l->q);
    memcpy(l->d, d, sizeof l->d);
    ifd__mul_add(3, 2, 1.0, specimen->K, q, f);
    ifd__mul_add(3, 2, 1.0, specimen->C, d, f);
    ifd__mul_add(3, 2, 1.0, specimen->M, dd, f);
    F[0] = f[0];
    F[1] = -f[1];
    F[2] = -f[2];
}

/* PSD 1.5e-7 mm^2/Hz. */
static void measure(loop *l, double m[2])
{
    double sigma = sqrt(1.5e-7 * IFD_MARTHS_RATE);
    m[0] = m[1] = 0.0;
    ifd__mul_add(2, 8, 1.0, l->plant.C, l->z, m);
    for (int i = 0; i < 2 && l->opt->noise != IFD_BENCHMARK_SILENT; i++)
        m[i] += sigma * ifd__marths_random_next(&l->noise[i]);
}

/* One sample; false: beyond 100 mm. */
static bool advance(loop *l, int k, ifd__benchmark_log *log)
{
    double m[2], estimate[2], q[2], F[3], a[2], u[2], z[8] = {0};
    measure(l, m);
    sense(l->control, m, estimate);
    if (!(fabs(estimate[0]) < 100.0 && fabs(estimate[1]) < 100.0))
        return false;
    ifd__coupler_pose(estimate, q);
    force(l, k, q, F);
    ifd__frame_step(&l->frame, log->ground[k], F);
    ifd__coupler_reach(l->frame.U[IFD__FRAME_SWAY], -l->frame.U[IFD__FRAME_NODE], a);
    step(l->control, a, m, u);
    const double shown[] = {a[0], a[1], m[0], m[1], u[0], u[1], q[0], q[1], F[0], F[1], F[2]};
    for (int i = 0; i < IFD__MARTHS_FRAME; i++)
        log->s[i][k] = shown[i];
    show(&l->frame, k, log->s + IFD__MARTHS_FRAME);
    ifd__mul_add(8, 8, 1.0, l->plant.Phi, l->z, z);
    ifd__mul_add(8, 2, 1.0, l->plant.Gamma, u, z);
    memcpy(l->z, z, sizeof z);
    return isfinite(u[0]) && isfinite(u[1]) && isfinite(a[0]) && isfinite(a[1]);
}

static void conclude(const loop *l, const ifd__benchmark_log *log, ifd_benchmark_result *out)
{
    static const double volts[2][2] = {{1.053 * 7.4921, -0.0092 / 7.4921}, {1.055 * 7.3907, 0.0059 / 7.3907}};
    ifd__benchmark_judge(log, sizeof errors / sizeof *errors, errors, out->value);
    for (int i = 0; i < 2; i++) {
        out->peak_target[i] = 1e-3 * ifd__benchmark_peak(log, IFD__MARTHS_A + i, NULL);
        out->peak_measured[i] = 1e-3 * ifd__benchmark_peak(log, IFD__MARTHS_M + i, NULL);
        out->peak_command[i] = 1e-3 * ifd__benchmark_peak(log, IFD__MARTHS_U + i, NULL);
        for (int k = 0; k < log->count; k++)
            out->peak_volts[i] =
                fmax(out->peak_volts[i], fabs(log->s[IFD__MARTHS_U + i][k] / volts[i][0] + volts[i][1]));
    }
    read_coefficients(l->control, out->coefficients);
}

ifd_status ifd__marths_run(const ifd_benchmark_options *opt, ifd_arena *arena, ifd__benchmark_log *log,
                           ifd_benchmark_result *out, ifd_note *note)
{
    loop *l;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(l, 1)));
    l->opt = opt;
    IFD_TRY(make_control(arena, opt, &l->control, note));
    IFD_TRY(respond(ifd__frame_reference, &l->frame, log, IFD__MARTHS_REFERENCE, out->reference));
    IFD_TRY(respond(ifd__frame_glued, &l->frame, log, IFD__MARTHS_GLUED, out->glued));
    ifd__benchmark_judge(log, sizeof floors / sizeof *floors, floors, out->floor);
    ifd__frame_numerical(&l->frame.of);
    IFD_TRY(ifd__frame_begin(&l->frame));
    ifd__marths_plant_of(&opt->plant, &l->plant);
    for (int i = 0; i < 2; i++)
        l->noise[i] = ifd__marths_random_of(opt->seed + (opt->noise == IFD_BENCHMARK_INDEPENDENT ? (uint32_t)i : 0));
    for (int k = 0; k < log->count && out->stable; k++)
        if (!advance(l, k, log)) {
            out->stable = false;
            out->unstable_at = k * tick;
        }
    if (out->stable)
        conclude(l, log, out);
    return IFD_OK;
}
