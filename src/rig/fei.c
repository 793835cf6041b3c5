/* SPDX-License-Identifier: MIT */
/* Delay and amplitude of two signals over a moving window. */
#include "rig/fei.h"

#include <math.h>
#include <string.h>

enum { SAMPLE, QUARTER, FULL }; /* counters: sample in the quarter, quarter, full quarters */
/* band: h, window, from, to */
enum { STEP, WINDOW, FROM, TO };

/* Sums of a quarter: [line][I re, I im, O re, O im], then the power of I. */
static IFD_RT int numbers_of(const ifd__fei *c)
{
    return 4 * (c->lines + 2) + 1;
}

int ifd__fei_size(const ifd__fei *c)
{
    return c->lines ? IFD__FEI_QUARTERS * numbers_of(c) : 0;
}

ifd_status ifd__fei_make(ifd_arena *arena, const double band[4], ifd__fei *out, double *lines)
{
    double quarter = round(band[WINDOW] / (IFD__FEI_QUARTERS * band[STEP]));
    double spacing = 1.0 / (IFD__FEI_QUARTERS * quarter * band[STEP]), *wave;
    double first = fmax(ceil(band[FROM] / spacing - 1e-9), 1.0);
    *out = (ifd__fei){.spacing = spacing};
    *lines = floor(band[TO] / spacing + 1e-9) - first + 1.0;
    if (!(quarter >= 2.0 && quarter <= 1e6) || !(*lines >= 1.0 && *lines <= IFD__FEI_LINES))
        return IFD_OK;
    int samples = IFD__FEI_QUARTERS * (int)quarter;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(wave, (size_t)samples)));
    for (int j = 0; j < samples; j++)
        wave[j] = cos(6.28318530717958647693 * j / samples);
    *out = (ifd__fei){
        .spacing = spacing, .quarter = (int)quarter, .first = (int)first, .lines = (int)*lines, .wave = wave};
    return IFD_OK;
}

/* Phases count from the first sample of the whole ring. */
static IFD_RT void add_sample(const ifd__fei *c, double in, double out, const double *counter, double *sums)
{
    int all = IFD__FEI_QUARTERS * c->quarter, numbers = numbers_of(c);
    double *sum = sums + numbers * (int)counter[QUARTER];
    long j = (long)counter[QUARTER] * c->quarter + (long)counter[SAMPLE];
    if (counter[SAMPLE] == 0.0)
        memset(sum, 0, sizeof *sum * (size_t)numbers);
    for (int i = 0; i < c->lines + 2; i++, sum += 4) {
        long phase = (c->first - 1 + i) * j % all;
        double re = c->wave[phase], im = -c->wave[(phase + 3 * c->quarter) % all]; /* cos, -sin */
        sum[0] += in * re;
        sum[1] += in * im;
        sum[2] += out * re;
        sum[3] += out * im;
    }
    *sum += in * in;
}

bool ifd__fei_add(const ifd__fei *c, double in, double out, double *counter, double *sums)
{
    add_sample(c, in, out, counter, sums);
    if (++counter[SAMPLE] < c->quarter)
        return false;
    counter[SAMPLE] = 0.0;
    counter[QUARTER] = counter[QUARTER] + 1.0 < IFD__FEI_QUARTERS ? counter[QUARTER] + 1.0 : 0.0;
    counter[FULL] = fmin(counter[FULL] + 1.0, IFD__FEI_QUARTERS);
    return counter[FULL] == IFD__FEI_QUARTERS;
}

/* Line i of the window that begins with quarter `from`: that of the ring, turned by 2 pi f from/4. */
static IFD_RT void line_of(const ifd__fei *c, const double *sums, int i, int from, double out[4])
{
    static const double turn[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    int numbers = numbers_of(c);
    double sum[4] = {0.0};
    for (int q = 0; q < IFD__FEI_QUARTERS; q++)
        for (int n = 0; n < 4; n++)
            sum[n] += sums[numbers * q + 4 * i + n];
    const double *t = turn[(c->first - 1 + i) * from % 4];
    for (int n = 0; n < 4; n += 2) {
        out[n] = sum[n] * t[0] - sum[n + 1] * t[1];
        out[n + 1] = sum[n] * t[1] + sum[n + 1] * t[0];
    }
}

bool ifd__fei_index(const ifd__fei *c, const double *counter, const double *sums, double fei[2], double *f_eq)
{
    int from = (int)counter[QUARTER];
    double before[4], line[4], after[4], power = 0.0;
    fei[0] = fei[1] = *f_eq = 0.0;
    line_of(c, sums, 0, from, before);
    line_of(c, sums, 1, from, line);
    for (int i = 1; i <= c->lines; i++) {
        double h[4];
        line_of(c, sums, i + 1, from, after);
        for (int n = 0; n < 4; n++)
            h[n] = 0.5 * line[n] - 0.25 * (before[n] + after[n]);
        double p = h[0] * h[0] + h[1] * h[1];
        fei[0] += h[2] * h[0] + h[3] * h[1];
        fei[1] += h[3] * h[0] - h[2] * h[1];
        *f_eq += (c->first - 1 + i) * c->spacing * p;
        power += p;
        memcpy(before, line, sizeof line);
        memcpy(line, after, sizeof after);
    }
    if (!(power > 0.0))
        return false;
    fei[0] /= power;
    fei[1] /= power;
    *f_eq /= power;
    return hypot(fei[0], fei[1]) > 0.0;
}

double ifd__fei_power(const ifd__fei *c, const double *sums)
{
    int numbers = numbers_of(c);
    double power = 0.0;
    for (int q = 0; q < IFD__FEI_QUARTERS; q++)
        power += sums[numbers * q + numbers - 1];
    return power / (IFD__FEI_QUARTERS * c->quarter);
}
