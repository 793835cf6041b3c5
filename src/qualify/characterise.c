/* SPDX-License-Identifier: MIT */
/* Evaluates the motions of a characterisation for one interface. */
#include "qualify/characterise.h"

#include <math.h>

#include <interfield/virtual.h>

#include "analysis/powers.h"
#include "analysis/variant.h"
#include "hybrid/hybrid.h"
#include "substructure/loading_protocol.h"

static const double TWO_PI = 6.28318530717958647693;

/* Largest lag (rad) for the determination of the delay; above it odd powers of the frequency no longer describe an
 * actuator well. */
static const double LAG_SEEN = 1.2;

static const double certain = 3.0; /* standard errors */
static const int EVEN[] = {0, 2, 4}, ODD[] = {1, 3, 5}, LOSSES[] = {0, 1, 3};

typedef struct spectrum {
    int count;
    double w[IFD_CHARACTERISE_POINTS]; /* rad/s */
    double U[2][IFD_CHARACTERISE_POINTS], X[2][IFD_CHARACTERISE_POINTS], F[2][IFD_CHARACTERISE_POINTS];
    double scatter[IFD_CHARACTERISE_POINTS]; /* standard error of X over its size */
    int periods;
    double position_square, force_square; /* of the standard errors of X and F, mean over all frequencies */
} spectrum;

/* Harmonic n of a period of P samples; table: cos of 2 pi i / P. */
static void harmonic(const double *y, long P, int n, const double *table, double out[2])
{
    double re = 0.0, im = 0.0;
    for (long i = 0, turn = 0; i < P; i++) {
        re += y[i] * table[turn];
        im -= y[i] * table[(turn + P - P / 4) % P];
        turn = (turn + n) % P;
    }
    out[0] = 2.0 * re / (double)P;
    out[1] = 2.0 * im / (double)P;
}

/* A table of cosines also gives sines if a quarter of the period is a whole number of ticks; otherwise the formula
 * is used. */
static void harmonic_plain(const double *y, long P, int n, double out[2])
{
    double re = 0.0, im = 0.0;
    for (long i = 0; i < P; i++) {
        double turn = TWO_PI * (double)((n * i) % P) / (double)P;
        re += y[i] * cos(turn);
        im -= y[i] * sin(turn);
    }
    out[0] = 2.0 * re / (double)P;
    out[1] = 2.0 * im / (double)P;
}

typedef struct periods {
    const ifd_motion_record *r;
    long first, P; /* first tick of the first period used */
    int count;
    const double *table; /* NULL: P is not a multiple of four */
} periods;

/* Mean over the periods, and the standard error of that mean. */
static void mean_harmonic(const periods *s, const double *y, int n, double mean[2], double *error)
{
    double square = 0.0, one[2];
    mean[0] = mean[1] = 0.0;
    for (int p = 0; p < s->count; p++) {
        const double *from = y + s->first + p * s->P;
        if (s->table)
            harmonic(from, s->P, n, s->table, one);
        else
            harmonic_plain(from, s->P, n, one);
        mean[0] += one[0] / s->count;
        mean[1] += one[1] / s->count;
        square += (one[0] * one[0] + one[1] * one[1]) / s->count;
    }
    double variance = fmax(0.0, square - mean[0] * mean[0] - mean[1] * mean[1]);
    *error = sqrt(variance / (s->count > 1 ? s->count - 1 : 1));
}

static ifd_status transform(ifd_arena *arena, const ifd_protocol *p, int channel, const ifd_motion_record *r,
                            spectrum *out)
{
    const ifd_motions *at = &p->motion[channel].at;
    long P = at->period;
    int count = (int)((at->end - at->sweep) / P) - 1;
    periods s = {.r = r, .first = at->sweep + P, .P = P, .count = count}, sent;
    if (P % 4 == 0) {
        double *table;
        IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(table, P)));
        for (long i = 0; i < P; i++)
            table[i] = cos(TWO_PI * (double)i / (double)P);
        s.table = table;
    }
    sent = s;
    sent.first--; /* the command of a tick is the position for the next tick */
    out->count = p->harmonics;
    out->periods = count;
    for (int n = 1; n <= out->count; n++) {
        double u[2], x[2], f[2], ignored, error, force_error;
        mean_harmonic(&sent, r->command, n, u, &ignored);
        mean_harmonic(&s, r->position, n, x, &error);
        mean_harmonic(&s, r->force, n, f, &force_error);
        int i = n - 1;
        out->w[i] = TWO_PI * n / ((double)P * r->period);
        for (int c = 0; c < 2; c++) {
            out->U[c][i] = u[c];
            out->X[c][i] = x[c];
            out->F[c][i] = f[c];
        }
        double size = hypot(x[0], x[1]);
        out->scatter[i] = size > 0.0 ? error / size : 1.0;
        out->position_square += error * error / out->count;
        out->force_square += force_error * force_error / out->count;
    }
    return IFD_OK;
}

/* (a + i b) / X for every frequency. */
static void ratio(const spectrum *s, const double *a, const double *b, double *re, double *im)
{
    for (int i = 0; i < s->count; i++) {
        double size = s->X[0][i] * s->X[0][i] + s->X[1][i] * s->X[1][i];
        re[i] = (a[i] * s->X[0][i] + b[i] * s->X[1][i]) / size;
        im[i] = (b[i] * s->X[0][i] - a[i] * s->X[1][i]) / size;
    }
}

/* Root mean square of (U - sum a_i s^i X) / U. */
static double misfit(const spectrum *s, const double *re, const double *im, int count, const double *a)
{
    double off = 0.0;
    for (int i = 0; i < s->count; i++) {
        double w = s->w[i], x = a[0] - (count > 2 ? a[2] * w * w : 0.0),
               y = a[1] * w - (count > 3 ? a[3] * w * w * w : 0.0);
        off += ((re[i] - x) * (re[i] - x) + (im[i] - y) * (im[i] - y)) / (re[i] * re[i] + im[i] * im[i]);
    }
    return sqrt(off / s->count);
}

/* Even powers are in the real part, odd ones in the imaginary part: s^2 = -w^2. */
static void plant(const spectrum *s, const double *re, const double *im, ifd_characterisation *out)
{
    double weight[IFD_CHARACTERISE_POINTS];
    for (int i = 0; i < s->count; i++)
        weight[i] = 1.0 / (re[i] * re[i] + im[i] * im[i]);
    ifd__powers f = ifd__powers_fit(s->count, s->w, re, weight, EVEN, 2);
    out->first[0] = 1.0 / out->gain;
    out->second[0] = out->third[0] = f.c[0];
    out->second[2] = out->third[2] = -f.c[1];
    out->second[1] = ifd__powers_fit(s->count, s->w, im, weight, ODD, 1).c[0];
    f = ifd__powers_fit(s->count, s->w, im, weight, ODD, 2);
    out->third[1] = f.c[0];
    out->third[3] = -f.c[1];
    out->first[1] = out->first[0] * out->delay; /* of first order: only the initial slope can be fitted */
    out->misfit[0] = misfit(s, re, im, 2, out->first);
    out->misfit[1] = misfit(s, re, im, 3, out->second);
    out->misfit[2] = misfit(s, re, im, 4, out->third);
}

/* |Sux|^2 / (Suu Sxx) over the periods. All have the same command: it is |mean X|^2 over the mean of |X|^2. The
 * standard error of the mean, squared, is their variance over their number less one. */
static double coherence(const spectrum *s, int i)
{
    return 1.0 / (1.0 + (s->periods > 1 ? s->periods - 1 : 1) * s->scatter[i] * s->scatter[i]);
}

/* The lag arg(U/X), continued from frequency to frequency, as tau w + c w^3 + d w^5, and the size |U/X| as an even
 * series. */
static void delay(const spectrum *s, const double *re, const double *im, ifd_characterisation *out)
{
    double lag[IFD_CHARACTERISE_POINTS] = {0.0}, weight[IFD_CHARACTERISE_POINTS] = {0.0},
           size[IFD_CHARACTERISE_POINTS] = {0.0};
    double before = 0.0;
    int seen = 0;
    for (int i = 0; i < s->count; i++) {
        lag[i] = atan2(im[i], re[i]);
        lag[i] += TWO_PI * round((before - lag[i]) / TWO_PI);
        before = lag[i];
        weight[i] = 1.0 / (s->scatter[i] * s->scatter[i] + 1e-12);
        size[i] = hypot(re[i], im[i]);
        seen += i == seen && fabs(lag[i]) <= LAG_SEEN;
        out->frequency[i] = s->w[i] / TWO_PI;
        out->gain_at[i] = 1.0 / size[i];
        out->lag_at[i] = lag[i] / s->w[i];
        out->error_at[i] = s->scatter[i];
        out->coherence_at[i] = coherence(s, i);
        out->coherence = fmin(i ? out->coherence : 1.0, out->coherence_at[i]);
    }
    out->points = s->count;
    int used = seen >= 6 ? seen : s->count < 6 ? s->count : 6, terms = used >= 6 ? 3 : 2;
    const ifd__powers f = ifd__powers_fit(used, s->w, lag, weight, ODD, terms);
    out->delay = f.c[0];
    out->delay_error = f.error[0];
    out->gain = 1.0 / ifd__powers_fit(used, s->w, size, weight, EVEN, terms).c[0];
}

/* Of the lags at all frequencies about their mean. */
static double lag_scatter(const ifd_characterisation *f)
{
    double mean = 0.0, square = 0.0;
    for (int i = 0; i < f->points; i++)
        mean += f->lag_at[i] / f->points;
    for (int i = 0; i < f->points; i++)
        square += (f->lag_at[i] - mean) * (f->lag_at[i] - mean) / f->points;
    return sqrt(square);
}

/* F/X = k + m s^2 + c s + e s^3 + i d. A loss that does not grow with the frequency, d, is friction or hysteresis,
 * not damping; e represents inertia that was measured slightly before or after the position. Weights follow from the
 * scatter of both spectra, because F is mostly noise where inertia and stiffness cancel; below a ten-thousandth of
 * the force the model is not accurate. */
static void specimen(const spectrum *s, ifd_characterisation *out)
{
    double re[IFD_CHARACTERISE_POINTS], im[IFD_CHARACTERISE_POINTS], weight[IFD_CHARACTERISE_POINTS];
    double top = 0.0;
    ratio(s, s->F[0], s->F[1], re, im);
    for (int i = 0; i < s->count; i++)
        top = fmax(top, hypot(re[i], im[i]));
    for (int i = 0; i < s->count; i++) {
        double size = re[i] * re[i] + im[i] * im[i], x = s->X[0][i] * s->X[0][i] + s->X[1][i] * s->X[1][i];
        double noise = (s->force_square + size * s->position_square) / x;
        weight[i] = 1.0 / (noise + 1e-8 * top * top + 1e-300);
    }
    ifd__powers f = ifd__powers_fit(s->count, s->w, re, weight, EVEN, 2);
    out->mass = -f.c[1];
    out->mass_error = f.error[1];
    f = ifd__powers_fit(s->count, s->w, im, weight, LOSSES, 3);
    out->loss = f.c[0];
    out->damping = f.c[1];
    out->damping_error = f.error[1];
    out->damping_seen = f.c[1] > 3.0 * f.error[1] && f.c[1] * s->w[s->count - 1] > fabs(f.c[0]);
}

/* Noise at rest: mean and standard deviation. */
static double deviation(const double *y, long from, long to, double *mean)
{
    double sum = 0.0, square = 0.0, n = (double)(to - from);
    for (long i = from; i < to; i++)
        sum += y[i];
    *mean = sum / n;
    for (long i = from; i < to; i++)
        square += (y[i] - *mean) * (y[i] - *mean);
    return n > 1 ? sqrt(square / (n - 1)) : 0.0;
}

static void stiffness(ifd__span span, const ifd_motion_record *r, ifd_characterisation *out)
{
    ifd__cycle sums;
    ifd__cycle_sums(span, r, r->position, r->force, &sums);
    out->stiffness = (sums.zy - out->mass * sums.inertia) / sums.zx;
    out->stiffness_error = sums.error;
    out->slow_gain = sums.gain;
    out->force_offset = sums.y0 - out->stiffness * sums.x0;
}

/* Softer in the large cycle than at a quarter of its amplitude: the specimen yields. The error of the large cycle is
 * that of a line through a loop then, not of noise: that of the small one counts. */
static void stiffnesses(const ifd_motions *at, const ifd_motion_record *r, ifd_characterisation *out)
{
    const double softer = 0.05;
    stiffness((ifd__span){at->small, at->cycle}, r, out);
    double small = out->stiffness, error = out->stiffness_error;
    double offset = out->force_offset;
    stiffness((ifd__span){at->cycle, at->fast}, r, out);
    double drop = fabs(small) - fabs(out->stiffness);
    out->yields = drop > fmax(softer * fabs(small), certain * error);
    if (!out->yields)
        return;
    out->stiffness = small;
    out->stiffness_error = error;
    out->force_offset = offset;
}

/* By the trapezoidal rule. Noise of the force counts with the increments of the position, noise of the position with
 * the force at both ends only. */
static void work(const ifd_motions *at, const ifd_motion_record *r, ifd_characterisation *out)
{
    double squares = 0.0, most = 0.0, f0;
    (void)deviation(r->force, at->cycle, at->fast, &f0);
    for (long i = at->cycle + 1; i < at->fast; i++) {
        double dx = r->position[i] - r->position[i - 1];
        out->work += 0.5 * (r->force[i] + r->force[i - 1] - 2.0 * f0) * dx;
        squares += dx * dx;
        most = fmax(most, fabs(r->force[i] - f0));
    }
    out->work_error = hypot(out->force_noise * sqrt(squares), most * out->position_noise);
}

/* The upward step: from the last position before it to the position at its end. */
static void step_response(const ifd_motions *at, const ifd_motion_record *r, ifd_characterisation *out)
{
    long middle = at->step + (at->sweep - at->step) / 2, tenth = (middle - at->step) / 10;
    double low, high, peak = 0.0;
    (void)deviation(r->position, at->step - tenth, at->step, &low);
    (void)deviation(r->position, middle - tenth, middle, &high);
    long settled = at->step;
    double near = fmax(0.02, 4.0 * out->position_noise / fabs(high - low));
    for (long i = at->step; i < middle; i++) {
        double share = (r->position[i] - low) / (high - low);
        peak = fmax(peak, share);
        if (fabs(share - 1.0) > near)
            settled = i + 1;
    }
    out->overshoot = fmax(0.0, peak - 1.0);
    out->settling = (double)(settled - at->step) * r->period;
}

ifd_status ifd_characterise(ifd_arena *arena, const ifd_protocol *p, int channel, const ifd_motion_record *r,
                            ifd_characterisation *out, ifd_note *note)
{
    const ifd_motions *at = &p->motion[channel].at;
    double re[IFD_CHARACTERISE_POINTS], im[IFD_CHARACTERISE_POINTS], position;
    spectrum *s;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(s, 1)));
    *out = (ifd_characterisation){.period = r->period};
    if (r->ticks < at->end - 1)
        return ifd_note_add(note, IFD_RANGE, NULL,
                            "characterise: %ld ticks were recorded, but the motions have %ld ticks", r->ticks,
                            at->end);
    IFD_TRY(transform(arena, p, channel, r, s));
    ratio(s, s->U[0], s->U[1], re, im);
    out->position_noise = deviation(r->position, at->quiet + 1, at->small, &position);
    out->force_noise = deviation(r->force, at->quiet + 1, at->small, &out->force_offset);
    (void)deviation(r->command, at->quiet + 1, at->small - 1, &out->centre);
    out->position_offset = position - out->centre;
    delay(s, re, im, out);
    plant(s, re, im, out);
    ifd__find_twin(&(ifd__actuator_response){s->count, s->w, re, im}, r, out->delay, &out->twin);
    out->lag_scatter = lag_scatter(out);
    out->scatters = out->lag_scatter > fmax(fabs(out->delay), 0.5 * r->period);
    out->twin.found = out->twin.found && !out->scatters;
    out->position_resolution = ifd__find_resolution(r->position + at->quiet, at->end - 1 - at->quiet);
    out->force_resolution = ifd__find_resolution(r->force + at->quiet, at->end - 1 - at->quiet);
    specimen(s, out);
    stiffnesses(at, r, out);
    ifd__find_losses(at, r, out);
    work(at, r, out);
    step_response(at, r, out);
    for (int i = 0; i < out->points; i++)
        if (!isfinite(out->lag_at[i]) || !isfinite(out->gain_at[i]))
            return ifd_note_add(
                note, IFD_NOT_FINITE, NULL,
                "characterise: the specimen did not move; examine the record, and increase the fractions of the "
                "limits");
    return IFD_OK;
}

/* Sign and size of what the sensors show, from the work in the motions. */
static const double least_gain = 0.3333, most_gain = 3.0; /* of the position */

static const char *const texts[] = {
#define ROW(name, text) text,
    IFD_SENSOR_DOUBT_LIST(ROW)
#undef ROW
};

const char *ifd_sensor_doubt_text(ifd_sensor_doubt doubt)
{
    return (unsigned)doubt < IFD_SENSOR_DOUBT_COUNT ? texts[doubt] : "";
}

/* The sign of the work on a specimen without stiffness: damping, else friction. 0: none is seen. */
static double work_sign(const ifd_characterisation *f)
{
    if (fabs(f->damping) > certain * f->damping_error)
        return f->damping;
    return fabs(f->work) > certain * f->work_error ? f->work : 0.0;
}

ifd_sensor_doubt ifd_characterise_doubt(const ifd_characterisation *f, double expected)
{
    double size = fabs(f->slow_gain);
    if (!(size >= least_gain && size <= most_gain))
        return IFD_SENSOR_DOUBT_POSITION_SIZE;
    if (f->slow_gain < 0.0)
        return IFD_SENSOR_DOUBT_POSITION_REVERSED;
    bool stiff = fabs(f->stiffness) > certain * f->stiffness_error;
    double sign = stiff ? (expected < 0.0 ? -f->stiffness : f->stiffness) : work_sign(f);
    return sign < 0.0 ? IFD_SENSOR_DOUBT_FORCE_REVERSED : IFD_SENSOR_DOUBT_NONE;
}

double ifd_characterise_expected(const ifd_hybrid_options *test, const ifd_laboratory *laboratory, int interface)
{
    double damping, stiffness = ifd__estimate_of(test, &test->interface[interface], &damping);
    const ifd_virtual_actuator bench = ifd__bench_of(test, laboratory, interface);
    if (stiffness == 0.0 && !ifd__specimen_tangent(&bench, &stiffness, &damping))
        stiffness = 0.0;
    return stiffness;
}
