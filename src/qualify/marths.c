/* SPDX-License-Identifier: MIT */
/* The loop of the multi-axial benchmark, and its criteria. */
#include <math.h>
#include <string.h>

#include "algebra/dense.h"
#include "qualify/benchmark.h"

static const double tick = 1.0 / IFD_MARTHS_RATE;

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
                                  .controllers = ifd__marths_controllers,
                                  .criteria = criteria,
                                  .controller = "decoupling",
                                  .seed = 123};

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
    ifd__marths_control *control;
    double z[8], q[2], d[2]; /* of the plant; the node and its rates at the last sample */
} loop;

/* Forces by backward differences, which are zero at sample 0. */
static void force(loop *l, int k, const double q[2], double F[3])
{
    const ifd__specimen_law *law = &ifd__marths_specimen;
    double d[2] = {0}, dd[2] = {0}, f[3] = {0};
    for (int i = 0; i < 2 && k > 0; i++) {
        d[i] = (q[i] - l->q[i]) / tick;
        dd[i] = (d[i] - l->d[i]) / tick;
    }
    memcpy(l->q, q, sizeof l->q);
    memcpy(l->d, d, sizeof l->d);
    ifd__mul_add(3, 2, 1.0, law->K, q, f);
    ifd__mul_add(3, 2, 1.0, law->C, d, f);
    ifd__mul_add(3, 2, 1.0, law->M, dd, f);
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
    ifd__marths_control_sense(l->control, m, estimate);
    if (!(fabs(estimate[0]) < 100.0 && fabs(estimate[1]) < 100.0))
        return false;
    ifd__coupler_pose(estimate, q);
    force(l, k, q, F);
    ifd__frame_step(&l->frame, log->ground[k], F);
    ifd__coupler_reach(l->frame.U[IFD__FRAME_SWAY], -l->frame.U[IFD__FRAME_NODE], a);
    ifd__marths_control_step(l->control, a, m, u);
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
    ifd__marths_control_coefficients(l->control, out->coefficients);
}

ifd_status ifd__marths_run(const ifd_benchmark_options *opt, ifd_arena *arena, ifd__benchmark_log *log,
                           ifd_benchmark_result *out, ifd_note *note)
{
    loop *l;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(l, 1)));
    l->opt = opt;
    IFD_TRY(ifd__marths_control_make(arena, opt, &l->control, note));
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
