/* SPDX-License-Identifier: MIT */
/* What the motions of characterisation tell about one channel. */
#include <interfield/characterise.h>

#include <math.h>
#include <string.h>

#include "run/program.h"

static const double TWO_PI = 6.28318530717958647693;

/* Lag (rad) up to which the delay is read off; beyond it odd powers of the frequency no longer describe an
 * actuator well. */
static const double LAG_SEEN = 1.2;

typedef struct spectrum {
    int count;
    double w[IFD_CHARACTERISE_POINTS]; /* rad/s */
    double U[2][IFD_CHARACTERISE_POINTS], X[2][IFD_CHARACTERISE_POINTS], F[2][IFD_CHARACTERISE_POINTS];
    double scatter[IFD_CHARACTERISE_POINTS]; /* standard error of X over its size */
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

/* A table of cosines serves for sines too when a quarter of the period is a whole number of ticks; otherwise by
 * formula. */
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
    long first, P; /* tick at which the first period used begins */
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

static ifd_status transform(ifd_arena *arena, const ifd_program *p, int channel, const ifd_motion_record *r,
                            spectrum *out)
{
    const ifd_motions *at = &p->motion[channel].at;
    long P = at->period;
    int count = (int)((at->end - at->sweep) / P) - 1;
    periods s = {.r = r, .first = at->sweep + P, .P = P, .count = count};
    if (P % 4 == 0) {
        double *table = ifd_arena_array(arena, (size_t)P, sizeof *table);
        if (!table)
            return IFD_NO_MEMORY;
        for (long i = 0; i < P; i++)
            table[i] = cos(TWO_PI * (double)i / (double)P);
        s.table = table;
    }
    out->count = p->harmonics;
    for (int n = 1; n <= out->count; n++) {
        double u[2], x[2], f[2], ignored, error;
        /* The command sent at a tick is meant for the next one. */
        mean_harmonic(&s, r->command - 1, n, u, &ignored);
        mean_harmonic(&s, r->position, n, x, &error);
        mean_harmonic(&s, r->force, n, f, &ignored);
        int i = n - 1;
        out->w[i] = TWO_PI * n / ((double)P * r->period);
        for (int c = 0; c < 2; c++) {
            out->U[c][i] = u[c];
            out->X[c][i] = x[c];
            out->F[c][i] = f[c];
        }
        double size = hypot(x[0], x[1]);
        out->scatter[i] = size > 0.0 ? error / size : 1.0;
    }
    return IFD_OK;
}

/* Least squares y = sum c_j z^(first + 2 j), z = w / w_max: normal equations, which two or three unknowns stand.
 * error: of c_0, from the residual. */
static void fit(int count, const double *w, const double *y, const double *weight, int first, int terms, double *c,
                double *error)
{
    double A[3][4] = {{0.0}}, top = w[count - 1], rest = 0.0;
    for (int i = 0; i < count; i++) {
        double z = w[i] / top, row[3];
        for (int j = 0; j < terms; j++)
            row[j] = pow(z, first + 2 * j);
        for (int j = 0; j < terms; j++) {
            for (int l = 0; l < terms; l++)
                A[j][l] += weight[i] * row[j] * row[l];
            A[j][3] += weight[i] * row[j] * y[i];
        }
    }
    double normal[3][4];
    memcpy(normal, A, sizeof A);
    for (int j = 0; j < terms; j++) /* positive definite: no pivoting */
        for (int l = 0; l < terms; l++) {
            double m = l == j ? 0.0 : A[l][j] / A[j][j];
            for (int q = j; q < 4 && l != j; q++)
                A[l][q] -= m * A[j][q];
        }
    for (int j = 0; j < terms; j++)
        c[j] = A[j][3] / A[j][j];
    for (int i = 0; i < count; i++) {
        double z = w[i] / top, model = 0.0;
        for (int j = 0; j < terms; j++)
            model += c[j] * pow(z, first + 2 * j);
        rest += weight[i] * (y[i] - model) * (y[i] - model);
    }
    *error = count > terms ? sqrt(rest / (count - terms) / normal[0][0]) / pow(top, first) : 0.0;
    for (int j = 0; j < terms; j++)
        c[j] /= pow(top, first + 2 * j);
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

/* Even powers stand in the real part, odd ones in the imaginary part: s^2 = -w^2. */
static void plant(const spectrum *s, const double *re, const double *im, ifd_found *out)
{
    double weight[IFD_CHARACTERISE_POINTS], c[3], error;
    for (int i = 0; i < s->count; i++)
        weight[i] = 1.0 / (re[i] * re[i] + im[i] * im[i]);
    fit(s->count, s->w, re, weight, 0, 2, c, &error);
    out->first[0] = 1.0 / out->gain;
    out->second[0] = out->third[0] = c[0];
    out->second[2] = out->third[2] = -c[1];
    fit(s->count, s->w, im, weight, 1, 1, c, &error);
    out->second[1] = c[0];
    fit(s->count, s->w, im, weight, 1, 2, c, &error);
    out->third[1] = c[0];
    out->third[3] = -c[1];
    out->first[1] =
        out->first[0] * out->delay; /* of first order there is nothing to fit but the slope at the start */
    out->misfit[0] = misfit(s, re, im, 2, out->first);
    out->misfit[1] = misfit(s, re, im, 3, out->second);
    out->misfit[2] = misfit(s, re, im, 4, out->third);
}

/* The lag arg(U/X), followed from frequency to frequency, as tau w + c w^3 + d w^5, and the size |U/X| as an even
 * series. */
static void delay(const spectrum *s, const double *re, const double *im, ifd_found *out)
{
    double lag[IFD_CHARACTERISE_POINTS] = {0.0}, weight[IFD_CHARACTERISE_POINTS] = {0.0},
           size[IFD_CHARACTERISE_POINTS] = {0.0};
    double c[3], error, before = 0.0;
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
    }
    out->points = s->count;
    int used = seen >= 6 ? seen : s->count < 6 ? s->count : 6, terms = used >= 6 ? 3 : 2;
    fit(used, s->w, lag, weight, 1, terms, c, &out->delay_error);
    out->delay = c[0];
    fit(used, s->w, size, weight, 0, terms, c, &error);
    out->gain = 1.0 / c[0];
}

static void specimen(const spectrum *s, ifd_found *out)
{
    double re[IFD_CHARACTERISE_POINTS], im[IFD_CHARACTERISE_POINTS], weight[IFD_CHARACTERISE_POINTS], c[3], error;
    ratio(s, s->F[0], s->F[1], re, im);
    for (int i = 0; i < s->count; i++)
        weight[i] = 1.0 / (re[i] * re[i] + im[i] * im[i] + 1e-300);
    fit(s->count, s->w, re, weight, 0, 2, c, &error);
    out->mass = -c[1];
    fit(s->count, s->w, im, weight, 1, 1, c, &error);
    out->damping = c[0];
}

/* Noise at rest: mean and deviation. */
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

/* Slope of force over position in the slow cycle, by the command as instrument: noise in the position does not
 * pull it down, and a force that goes with velocity or against it, such as friction, is not taken for stiffness. */
static void stiffness(const ifd_motions *at, const ifd_motion_record *r, ifd_found *out)
{
    double z0, x0, f0, zx = 0.0, zf = 0.0, zz = 0.0, square = 0.0, lagged = 0.0, before = 0.0, inertia = 0.0;
    const double *z = r->command - 1;
    long from = at->cycle + 1, to = at->step;
    (void)deviation(z, from, to, &z0);
    (void)deviation(r->position, from, to, &x0);
    (void)deviation(r->force, from, to, &f0);
    for (long i = from; i < to; i++) {
        double d = z[i] - z0, a = (z[i + 1] - 2.0 * z[i] + z[i - 1]) / (r->period * r->period);
        zx += d * (r->position[i] - x0);
        zf += d * (r->force[i] - f0);
        zz += d * d;
        inertia += d * a;
    }
    out->stiffness = (zf - out->mass * inertia * out->gain) / zx;
    for (long i = from; i < to; i++) {
        double rest = r->force[i] - f0 - zf / zx * (r->position[i] - x0);
        square += rest * rest;
        lagged += rest * before;
        before = rest;
    }
    double n = (double)(to - from), memory = fmin(0.999, fmax(0.0, square > 0.0 ? lagged / square : 0.0));
    out->stiffness_error = sqrt(square / n * zz * (1.0 + memory) / (1.0 - memory)) / fabs(zx);
    out->force_offset = f0 - out->stiffness * x0;
}

/* The step upwards: from the last position before it to the one at its end. */
static void step_response(const ifd_motions *at, const ifd_motion_record *r, ifd_found *out)
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

ifd_status ifd_characterise(ifd_arena *arena, const ifd_program *p, int channel, const ifd_motion_record *r,
                            ifd_found *out, ifd_note *note)
{
    const ifd_motions *at = &p->motion[channel].at;
    double re[IFD_CHARACTERISE_POINTS], im[IFD_CHARACTERISE_POINTS], command, position;
    spectrum *s = ifd_arena_take(arena, sizeof *s);
    if (!s)
        return IFD_NO_MEMORY;
    memset(out, 0, sizeof *out);
    if (r->ticks < at->end - 1)
        return ifd_note_add(note, IFD_RANGE, NULL, "characterise: %ld ticks were recorded, the motions have %ld",
                            r->ticks, at->end);
    IFD_TRY(transform(arena, p, channel, r, s));
    ratio(s, s->U[0], s->U[1], re, im);
    out->position_noise = deviation(r->position, at->quiet + 1, at->cycle, &position);
    out->force_noise = deviation(r->force, at->quiet + 1, at->cycle, &out->force_offset);
    (void)deviation(r->command, at->quiet + 1, at->cycle - 1, &command);
    out->position_offset = position - command;
    delay(s, re, im, out);
    plant(s, re, im, out);
    specimen(s, out);
    stiffness(at, r, out);
    step_response(at, r, out);
    out->coherence = 1.0;
    for (int i = 0; i < s->count; i++)
        out->coherence = fmin(out->coherence, 1.0 / (1.0 + s->scatter[i] * s->scatter[i]));
    for (int i = 0; i < out->points; i++)
        if (!isfinite(out->lag_at[i]) || !isfinite(out->gain_at[i]))
            return ifd_note_add(
                note, IFD_NOT_FINITE, NULL,
                "characterise: the specimen did not move; see the record, and raise the shares of the limits");
    return IFD_OK;
}
