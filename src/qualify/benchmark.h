/* SPDX-License-Identifier: MIT */
/* Parts of the community benchmarks. Dofs of the frame of marths have the numbers of the distributed code - 1. */
#pragma once

#include <interfield/benchmark.h>

#include "base/arena.h"

/* Signals of rths: measured position, floors, their reference; of marths in mm, m, rad, N: targets, measured
 * positions and commands of the actuators, measured node, forces, then the shown dofs of the test, of the reference
 * and of the glued model. Rotations of these have the sign of the rotation of the specimen, th = -U21. */
enum { IFD__RTHS_XM, IFD__RTHS_Y, IFD__RTHS_R = 4, IFD__RTHS_SIGNALS = 7 };
enum { IFD__FRAME_SHOWN = 6 }; /* U27, U21, U26, U22, U13, U3 */
enum {
    IFD__MARTHS_A,
    IFD__MARTHS_M = 2,
    IFD__MARTHS_U = 4,
    IFD__MARTHS_Q = 6,
    IFD__MARTHS_F = 8,
    IFD__MARTHS_FRAME = 11,
    IFD__MARTHS_REFERENCE = IFD__MARTHS_FRAME + IFD__FRAME_SHOWN,
    IFD__MARTHS_GLUED = IFD__MARTHS_REFERENCE + IFD__FRAME_SHOWN,
    IFD__MARTHS_SIGNALS = IFD__MARTHS_GLUED + IFD__FRAME_SHOWN
};
typedef struct ifd__benchmark_log {
    int count;
    double *ground, *s[IFD__MARTHS_SIGNALS];
} ifd__benchmark_log;

/* Criteria of `count` signals from x on, against those from y on: lag (of marths in samples, then with a fraction),
 * rms and peak of the difference in percent. */
typedef struct ifd__criterion {
    enum { IFD__CRITERION_LAG, IFD__CRITERION_LAGS, IFD__CRITERION_RMS, IFD__CRITERION_PEAK } kind;
    int x, y, count;
} ifd__criterion;
void ifd__benchmark_judge(const ifd__benchmark_log *log, int rows, const ifd__criterion *row, double *out);
/* The largest value with its sign, and its sample. */
double ifd__benchmark_peak(const ifd__benchmark_log *log, int signal, int *sample);
/* Lag of m behind a within a quarter of a second of marths: samples, and with a fraction. */
int ifd__marths_lag(int count, const double *a, const double *m, double *fraction);

/* A run with its signals, which live in the arena. */
ifd_status ifd__benchmark_run(const ifd_benchmark_options *opt, ifd_arena *arena, ifd__benchmark_log *log,
                              ifd_benchmark_result *out, ifd_note *note);
typedef ifd_status ifd__benchmark_runner(const ifd_benchmark_options *opt, ifd_arena *arena, ifd__benchmark_log *log,
                                         ifd_benchmark_result *out, ifd_note *note);
ifd__benchmark_runner ifd__rths_run, ifd__marths_run;

/* Settings of a compensator or sensor, up to the row without a name. */
ifd_status ifd__benchmark_set(const ifd_param *params, const ifd_benchmark_setting *setting, ifd_value *v,
                              ifd_note *note);
/* A compensator with the values v, the settings of its row and those of the caller; it begins at zero. */
ifd_status ifd__benchmark_compensator(const ifd_benchmark_options *opt, ifd_arena *arena, ifd_value *v,
                                      ifd_compensator **out, double **state, ifd_note *note);

enum { IFD__FRAME_DOFS = 29, IFD__FRAME_SQUARE = IFD__FRAME_DOFS * IFD__FRAME_DOFS };
enum { IFD__FRAME_SWAY = 26, IFD__FRAME_NODE = 20, IFD__FRAME_OTHER = 28 }; /* dofs of the specimen: 27, 21, 29 */
extern const int ifd__frame_shown[IFD__FRAME_SHOWN];

/* A frame under ground acceleration, column-major. */
typedef struct ifd__frame {
    double M[IFD__FRAME_SQUARE], C[IFD__FRAME_SQUARE], K[IFD__FRAME_SQUARE];
    double ground[IFD__FRAME_DOFS]; /* load of a ground acceleration of 1 m/s2 */
} ifd__frame;

/* The whole frame; the frame without its idealised specimen; that with the specimen of the rig, glued. */
void ifd__frame_reference(ifd__frame *f);
void ifd__frame_numerical(ifd__frame *f);
void ifd__frame_glued(ifd__frame *f);

/* Force of the specimen for x, th and their derivatives: three rows (F27, M21, M29 with the signs of f), two columns,
 * column-major. */
typedef struct ifd__specimen_law {
    double K[6], C[6], M[6];
} ifd__specimen_law;
extern const ifd__specimen_law ifd__marths_specimen;

/* Newmark's method (1/2, 1/4) at the rate of the benchmark. */
typedef struct ifd__frame_steps {
    ifd__frame of;
    double lu[IFD__FRAME_SQUARE];
    int pivot[IFD__FRAME_DOFS];
    double U[IFD__FRAME_DOFS], V[IFD__FRAME_DOFS], A[IFD__FRAME_DOFS];
} ifd__frame_steps;
/* From rest; `of` is set. */
ifd_status ifd__frame_begin(ifd__frame_steps *s);
/* F: force subtracted at the dofs 27, 21, 29; NULL: none. */
IFD_RT void ifd__frame_step(ifd__frame_steps *s, double ag, const double *F);

/* The coupler: actuators (mm) of a motion of the node (m, rad), and back by the formula of the distributed code. */
IFD_RT void ifd__coupler_reach(double x, double th, double a[2]);
IFD_RT void ifd__coupler_pose(const double a[2], double q[2]);

/* The two coupled actuators: z' = A z + B u, x = C z (mm), column-major. */
typedef struct ifd__marths_plant {
    double A[64], B[16], C[16];
    double Phi[64], Gamma[16]; /* of one sample with u held: four stages of Runge and Kutta */
    double num[2][2][3];       /* [output][input]: coefficients of 1, s, s^2 */
    double den[2][5];          /* of each input */
} ifd__marths_plant;
void ifd__marths_plant_of(const ifd_benchmark_plant *perturbed, ifd__marths_plant *p);
/* H(s)^-1 e^{T s} = L p/(s + p) + A0 + A1 s + A2 s^2 + ..., with -p the slow zero of det H; without lag L = 0 and
 * A is the plain series. By rows. */
typedef struct ifd__marths_inverse {
    double p, A[3][4], L[4];
} ifd__marths_inverse;
void ifd__marths_inverse_of(const ifd__marths_plant *p, double T, bool lag, ifd__marths_inverse *out);
/* 1/H_ii(s) = a0 + a1 s + a2 s^2 + a3 s^3 ... */
void ifd__marths_inverse_own(const ifd__marths_plant *p, int i, double a[4]);

/* The generator of the distributed code: normal numbers of variance one. */
typedef struct ifd__marths_random {
    uint32_t state;
} ifd__marths_random;
ifd__marths_random ifd__marths_random_of(uint32_t seed);
double ifd__marths_random_next(ifd__marths_random *r);
