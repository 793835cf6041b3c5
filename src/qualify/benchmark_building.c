/* SPDX-License-Identifier: MIT */
/* The frame of the benchmark, and its criteria for a run. */
#include "qualify/benchmark.h"

#include <math.h>
#include <string.h>

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

ifd__building ifd__building_of(int number)
{
    static const int upper[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
    ifd__building b = {.m = buildings[number - 1].m};
    memcpy(b.K, stiffness, sizeof b.K);
    for (int i = 0; i < 9; i++)
        b.C[i] = buildings[number - 1].c[upper[i]];
    return b;
}

void ifd__building_system(double m, const double first[3], const double *K, const double *C, double *A, double *B)
{
    memset(A, 0, 36 * sizeof *A);
    memset(B, 0, 12 * sizeof *B);
    for (int i = 0; i < 3; i++) {
        double mass = i == 0 ? m - first[0] : m;
        A[i + 6 * (3 + i)] = 1.0;
        for (int j = 0; j < 3; j++) {
            double k = K[i + 3 * j] - (i == 0 && j == 0 ? first[2] : 0.0);
            double c = C[i + 3 * j] - (i == 0 && j == 0 ? first[1] : 0.0);
            A[3 + i + 6 * j] = -k / mass;
            A[3 + i + 6 * (3 + j)] = -c / mass;
        }
        B[3 + i] = -m / mass;
        B[3 + i + 6] = i == 0 ? -1.0 / mass : 0.0;
    }
}

static double deviation(int count, const double *x, const double *minus)
{
    double mean = 0.0, sum = 0.0;
    for (int i = 0; i < count; i++)
        mean += x[i] - (minus ? minus[i] : 0.0);
    mean /= count;
    for (int i = 0; i < count; i++) {
        double d = x[i] - (minus ? minus[i] : 0.0) - mean;
        sum += d * d;
    }
    return sqrt(sum / count);
}

static double largest(int count, const double *x, const double *minus)
{
    double most = 0.0;
    for (int i = 0; i < count; i++)
        most = fmax(most, fabs(x[i] - (minus ? minus[i] : 0.0)));
    return most;
}

static double correlation(int count, const double *x, const double *y)
{
    double mx = 0.0, my = 0.0, xx = 0.0, yy = 0.0, xy = 0.0;
    for (int i = 0; i < count; i++) {
        mx += x[i];
        my += y[i];
    }
    mx /= count;
    my /= count;
    for (int i = 0; i < count; i++) {
        double a = x[i] - mx, b = y[i] - my;
        xx += a * a;
        yy += b * b;
        xy += a * b;
    }
    return xy / sqrt(xx * yy);
}

static int best_lag(int count, const double *x, const double *y)
{
    int best = 0;
    double most = -2.0;
    for (int j = 0; j < 50 && j < count / 2; j++) {
        double r = correlation(count - j, x + j, y);
        if (r > most) {
            most = r;
            best = j;
        }
    }
    return best;
}

void ifd__rths_criteria(const ifd__rths_log *l, ifd_rths_result *out)
{
    int n = l->count;
    const double *xm = l->xm, *y1 = l->y[0], *y2 = l->y[1], *y3 = l->y[2], *r1 = l->r[0], *r2 = l->r[1],
                 *r3 = l->r[2];
    out->J[0] = 1e3 * best_lag(n, xm, y1) / IFD_RTHS_RATE;
    out->J[1] = 100.0 * deviation(n, xm, y1) / deviation(n, y1, NULL);
    out->J[2] = 100.0 * largest(n, xm, y1) / largest(n, y1, NULL);
    out->J[3] = 100.0 * deviation(n, xm, r1) / deviation(n, r1, NULL);
    out->J[4] = 100.0 * largest(n, xm, r1) / largest(n, r1, NULL);
    out->J[5] = 100.0 * deviation(n, y2, r2) / deviation(n, r2, NULL);
    out->J[6] = 100.0 * deviation(n, y3, r3) / deviation(n, r3, NULL);
    out->J[7] = 100.0 * largest(n, y2, r2) / largest(n, r2, NULL);
    out->J[8] = 100.0 * largest(n, y3, r3) / largest(n, r3, NULL);
}

static void note_peaks(const ifd__rths_log *log, ifd_rths_result *out)
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < log->count; k++)
            if (fabs(log->r[i][k]) > fabs(out->reference[i])) {
                out->reference[i] = log->r[i][k];
                if (i == 0)
                    out->reference_time = (double)k / IFD_RTHS_RATE;
            }
    out->reference_std = deviation(log->count, log->r[0], NULL);
}

ifd_status ifd__rths_reference(const ifd__building *b, const double *ug, ifd_arena *arena, ifd__rths_log *log,
                               ifd_rths_result *out)
{
    static const double none[3] = {0};
    double A[36], B[12], z[6] = {0};
    ifd__discretisation hold;
    ifd__building_system(b->m, none, b->K, b->C, A, B);
    IFD_TRY(ifd__discretisation_make(arena, &(ifd__continuous){6, 1, A, B}, 1.0 / IFD_RTHS_RATE, &hold));
    for (int k = 0; k < log->count; k++) {
        for (int i = 0; i < 3; i++)
            log->r[i][k] = z[i];
        ifd__discretisation_step(&hold, ug + k, ug + (k + 1 < log->count ? k + 1 : k), z);
    }
    note_peaks(log, out);
    return IFD_OK;
}
