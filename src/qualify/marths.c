/* SPDX-License-Identifier: MIT */
/* The loop of the multi-axial benchmark, and its criteria. */
#include "qualify/marths.h"

#include <math.h>
#include <string.h>

#include "algebra/dense.h"
#include "statistics/series.h"

static const double tick = 1.0 / IFD_MARTHS_RATE;

#define NODE(j) j " x", j " th"
#define FLOORS(j) j " x2", j " th2", j " x3", j " th3"
const char *const ifd_marths_criteria[] = {
    "J1 1",     "J1 2",        "lag 1",     "lag 2",       "J2 1",      "J2 2",
    "J3 1",     "J3 2",        NODE("J5"),  NODE("J6"),    NODE("J7"),  FLOORS("J8"),
    NODE("J9"), FLOORS("J10"), NODE("J7c"), FLOORS("J8c"), NODE("J9c"), FLOORS("J10c"),
};

void ifd_marths_options_defaults(ifd_marths_options *opt)
{
    *opt = (ifd_marths_options){.scale = 0.4,
                                .noise = IFD_MARTHS_SHARED,
                                .seed = 123,
                                .controller = ifd_marths_controller_find("decoupling")};
}

int ifd__marths_lag(int count, const double *a, const double *m, double *fraction)
{
    enum { REACH = IFD_MARTHS_RATE / 4 };
    double c[2 * REACH + 3], most = -1.0;
    int best = 0;
    for (int j = -REACH - 1; j <= REACH + 1; j++) {
        int from = j < 0 ? -j : 0, to = j > 0 ? count - j : count;
        c[j + REACH + 1] = to > from ? fabs(ifd__dot(to - from, a + from, m + from + j)) : 0.0;
    }
    for (int i = 0; i <= 2 * REACH; i++) { /* 0, 1, -1, 2, -2, ...: the smallest of equals */
        int j = i % 2 ? (i + 1) / 2 : -i / 2;
        if (c[j + REACH + 1] > most) {
            most = c[j + REACH + 1];
            best = j;
        }
    }
    const double *at = &c[best + REACH + 1];
    double bend = at[-1] - 2.0 * at[0] + at[1];
    *fraction = best + (bend < 0.0 ? 0.5 * (at[-1] - at[1]) / bend : 0.0);
    return best;
}

/* rms and peak errors, percent, of the node (x, th = -U21) and of floors 2 and 3. */
static void errors(int n, double *const *node, double *const *floors, double *const *r, double *rms, double *peak)
{
    for (int i = 0; i < 2; i++) {
        rms[i] = 100.0 * ifd__series_nrms(n, node[i], r[i]);
        peak[i] = 100.0 * ifd__series_peak(n, node[i], r[i]);
    }
    for (int i = 2; i < IFD__FRAME_SHOWN; i++) {
        rms[i] = 100.0 * ifd__series_nrms(n, floors[i], r[i]);
        peak[i] = 100.0 * ifd__series_peak(n, floors[i], r[i]);
    }
}

/* The logs of the frames have th = -U21 here: the sign of the rotation of the specimen. */
void ifd__marths_criteria_of(const ifd__marths_log *l, ifd_marths_result *out)
{
    double *J = out->value, rms[IFD__FRAME_SHOWN], peak[IFD__FRAME_SHOWN], fraction;
    int n = l->count;
    for (int i = 0; i < 2; i++) {
        J[IFD_MARTHS_J1 + i] = 1e3 * tick * ifd__marths_lag(n, l->a[i], l->m[i], &fraction);
        J[IFD_MARTHS_LAG + i] = 1e3 * tick * fraction;
        J[IFD_MARTHS_J2 + i] = 100.0 * ifd__series_nrms(n, l->m[i], l->a[i]);
        J[IFD_MARTHS_J3 + i] = 100.0 * ifd__series_peak(n, l->m[i], l->a[i]);
        J[IFD_MARTHS_J5 + i] = 100.0 * ifd__series_nrms(n, l->q[i], l->U[i]);
        J[IFD_MARTHS_J6 + i] = 100.0 * ifd__series_peak(n, l->q[i], l->U[i]);
    }
    errors(n, l->q, l->U, l->reference, rms, peak);
    memcpy(J + IFD_MARTHS_J7, rms, sizeof rms);
    memcpy(J + IFD_MARTHS_J9, peak, sizeof peak);
    errors(n, l->q, l->U, l->glued, rms, peak);
    memcpy(J + IFD_MARTHS_J7C, rms, sizeof rms);
    memcpy(J + IFD_MARTHS_J9C, peak, sizeof peak);
}

static double signed_peak(int n, const double *x)
{
    double most = 0.0;
    for (int k = 0; k < n; k++)
        most = fabs(x[k]) > fabs(most) ? x[k] : most;
    return most;
}

static void show(const ifd__frame_steps *s, int k, double *const *U)
{
    for (int i = 0; i < IFD__FRAME_SHOWN; i++)
        U[i][k] = (i == 1 ? -1.0 : 1.0) * s->U[ifd__frame_shown[i]];
}

static ifd_status respond(void (*frame)(ifd__frame *f), const double *ag, ifd__frame_steps *s, int count,
                          double *const *out)
{
    frame(&s->of);
    IFD_TRY(ifd__frame_begin(s));
    for (int k = 0; k < count; k++) {
        ifd__frame_step(s, ag[k], NULL);
        show(s, k, out);
    }
    return IFD_OK;
}

static ifd_status make_log(const ifd_marths_options *opt, ifd_arena *arena, ifd__marths_log *l, double **ag)
{
    size_t n = (size_t)floor(IFD_MARTHS_RATE * opt->end) + 1;
    double *all = ifd_arena_array(arena, 30 * n, sizeof *all), **const groups[] = {l->a, l->m, l->u, l->q};
    if (!all)
        return IFD_NO_MEMORY;
    l->count = (int)n;
    *ag = all;
    for (int g = 0; g < 4; g++)
        for (int i = 0; i < 2; i++)
            groups[g][i] = all += n;
    for (int i = 0; i < 3; i++)
        l->F[i] = all += n;
    for (int i = 0; i < IFD__FRAME_SHOWN; i++) {
        l->U[i] = all += n;
        l->reference[i] = all += n;
        l->glued[i] = all += n;
    }
    for (size_t k = 0; k < n; k++) {
        double out[3];
        ifd_signal_eval(opt->ground, (double)k * tick, out);
        (*ag)[k] = opt->scale * out[0];
    }
    return IFD_OK;
}

/* State of the loop. */
typedef struct loop {
    const ifd_marths_options *opt;
    ifd__frame_steps frame;
    ifd__specimen_law law;
    ifd__marths_plant plant;
    ifd__marths_random noise[2];
    ifd__marths_control *control;
    double z[8], q[2], d[2]; /* of the plant; the node and its rates at the last sample */
} loop;

/* Forces by backward differences, which are zero at sample 0. */
static void force(loop *l, int k, const double q[2], double F[3])
{
    double d[2] = {0}, dd[2] = {0}, f[3] = {0};
    for (int i = 0; i < 2 && k > 0; i++) {
        d[i] = (q[i] - l->q[i]) / tick;
        dd[i] = (d[i] - l->d[i]) / tick;
    }
    memcpy(l->q, q, sizeof l->q);
    memcpy(l->d, d, sizeof l->d);
    ifd__mul_add(3, 2, 1.0, l->law.K, q, f);
    ifd__mul_add(3, 2, 1.0, l->law.C, d, f);
    ifd__mul_add(3, 2, 1.0, l->law.M, dd, f);
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
    for (int i = 0; i < 2 && l->opt->noise != IFD_MARTHS_SILENT; i++)
        m[i] += sigma * ifd__marths_random_next(&l->noise[i]);
}

/* One sample; false: beyond 100 mm. */
static bool advance(loop *l, int k, double ag, ifd__marths_log *log)
{
    double m[2], estimate[2], q[2], F[3], a[2], u[2], z[8] = {0};
    measure(l, m);
    ifd__marths_control_sense(l->control, m, estimate);
    if (!(fabs(estimate[0]) < 100.0 && fabs(estimate[1]) < 100.0))
        return false;
    ifd__coupler_pose(estimate, q);
    force(l, k, q, F);
    ifd__frame_step(&l->frame, ag, F);
    ifd__coupler_reach(l->frame.U[IFD__FRAME_SWAY], -l->frame.U[IFD__FRAME_NODE], a);
    ifd__marths_control_step(l->control, a, m, u);
    for (int i = 0; i < 2; i++) {
        log->a[i][k] = a[i];
        log->m[i][k] = m[i];
        log->q[i][k] = q[i];
        log->u[i][k] = u[i];
    }
    for (int i = 0; i < 3; i++)
        log->F[i][k] = F[i];
    show(&l->frame, k, log->U);
    ifd__mul_add(8, 8, 1.0, l->plant.Phi, l->z, z);
    ifd__mul_add(8, 2, 1.0, l->plant.Gamma, u, z);
    memcpy(l->z, z, sizeof z);
    return isfinite(u[0]) && isfinite(u[1]) && isfinite(a[0]) && isfinite(a[1]);
}

static void conclude(const loop *l, const ifd__marths_log *log, ifd_marths_result *out)
{
    static const double volts[2][2] = {{1.053 * 7.4921, -0.0092 / 7.4921}, {1.055 * 7.3907, 0.0059 / 7.3907}};
    int n = log->count;
    ifd__marths_criteria_of(log, out);
    for (int i = 0; i < 2; i++) {
        out->peak_target[i] = 1e-3 * signed_peak(n, log->a[i]);
        out->peak_measured[i] = 1e-3 * signed_peak(n, log->m[i]);
        out->peak_command[i] = 1e-3 * signed_peak(n, log->u[i]);
        for (int k = 0; k < n; k++)
            out->peak_volts[i] = fmax(out->peak_volts[i], fabs(log->u[i][k] / volts[i][0] + volts[i][1]));
    }
    ifd__marths_control_coefficients(l->control, out->coefficients);
}

static ifd_status run_loop(loop *l, const double *ag, ifd__marths_log *log, ifd_marths_result *out)
{
    ifd__frame_numerical(&l->frame.of);
    IFD_TRY(ifd__frame_begin(&l->frame));
    ifd__specimen_law_of(&l->law);
    ifd__marths_plant_of(&l->opt->plant, &l->plant);
    for (int i = 0; i < 2; i++)
        l->noise[i] =
            ifd__marths_random_of(l->opt->seed + (l->opt->noise == IFD_MARTHS_INDEPENDENT ? (uint32_t)i : 0));
    for (int k = 0; k < log->count; k++)
        if (!advance(l, k, ag[k], log)) {
            out->stable = false;
            out->unstable_at = k * tick;
            return IFD_OK;
        }
    conclude(l, log, out);
    return IFD_OK;
}

ifd_status ifd__marths_run(const ifd_marths_options *opt, ifd_arena *arena, ifd__marths_log *log,
                           ifd_marths_result *out, ifd_note *note)
{
    double *ag;
    loop *l;
    *out = (ifd_marths_result){.stable = true};
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(l, 1)));
    l->opt = opt;
    IFD_TRY(make_log(opt, arena, log, &ag));
    out->samples = log->count;
    IFD_TRY(ifd__marths_control_make(arena, opt, &l->control, note));
    IFD_TRY(respond(ifd__frame_reference, ag, &l->frame, log->count, log->reference));
    IFD_TRY(respond(ifd__frame_glued, ag, &l->frame, log->count, log->glued));
    errors(log->count, log->glued, log->glued, log->reference, out->floor, out->floor + IFD__FRAME_SHOWN);
    for (int i = 0; i < IFD__FRAME_SHOWN; i++) {
        out->reference[i] = (i == 1 ? -1.0 : 1.0) * signed_peak(log->count, log->reference[i]);
        out->glued[i] = (i == 1 ? -1.0 : 1.0) * signed_peak(log->count, log->glued[i]);
    }
    return run_loop(l, ag, log, out);
}

ifd_status ifd_marths_run(const ifd_marths_options *opt, ifd_marths_result *out, ifd_note *note)
{
    if (!(opt->end > 0) || opt->end > 600)
        return ifd_note_add(note, IFD_RANGE, NULL, "the record has %g s, expected 0 to 600", opt->end);
    ifd_arena *arena = ifd_arena_open();
    if (!arena)
        return IFD_NO_MEMORY;
    ifd__marths_log log;
    ifd_status status = ifd__marths_run(opt, arena, &log, out, note);
    ifd_arena_close(arena);
    return status;
}
