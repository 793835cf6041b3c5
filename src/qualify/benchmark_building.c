/* SPDX-License-Identifier: MIT */
/* The frame of the benchmark, and its criteria for a run. */
#include "qualify/benchmark.h"
#include "statistics/series.h"

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

void ifd__rths_criteria(const ifd__rths_log *l, ifd_rths_result *out)
{
    int n = l->count;
    const double *xm = l->xm, *const *y = (const double *const *)l->y, *const *r = (const double *const *)l->r;
    out->J[0] = 1e3 * ifd__series_lag(n, xm, y[0]) / IFD_RTHS_RATE;
    out->J[1] = 100.0 * ifd__series_nrms(n, xm, y[0]);
    out->J[2] = 100.0 * ifd__series_peak(n, xm, y[0]);
    out->J[3] = 100.0 * ifd__series_nrms(n, xm, r[0]);
    out->J[4] = 100.0 * ifd__series_peak(n, xm, r[0]);
    out->J[5] = 100.0 * ifd__series_nrms(n, y[1], r[1]);
    out->J[6] = 100.0 * ifd__series_nrms(n, y[2], r[2]);
    out->J[7] = 100.0 * ifd__series_peak(n, y[1], r[1]);
    out->J[8] = 100.0 * ifd__series_peak(n, y[2], r[2]);
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
    out->reference_std = ifd__series_deviation(log->count, log->r[0]);
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
