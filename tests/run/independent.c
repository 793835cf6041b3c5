/* SPDX-License-Identifier: MIT */
#include "run/independent.h"

#include <math.h>
#include <string.h>

#include <interfield/signal.h>

static const double G = 9.81;

typedef struct problem {
    const char *name;
    const char *channel[INDEPENDENT_STATES + 1];
    double y0[INDEPENDENT_STATES];
    double peak; /* of the ground, m/s2; 0: none */
    double h, end;
    void (*rate)(double t, const double *y, double a, double *dy);               /* classical Runge-Kutta, or */
    void (*step)(double h, const double *y, double a0, double a1, double *next); /* a scheme of its own */
} problem;

/* m1 x1'' + f1 - f2 = -m1 a; (m2 + m3) x2'' + m3 L (th'' cos - th'^2 sin) + f2 = -(m2 + m3) a;
 * m3 L^2 th'' + m3 L x2'' cos + m3 g L sin = -m3 L a cos. y = x1, x2, th, x1', x2', th'. */
static void building(const double *y, double a, double f1, double f2, double *dy)
{
    const double m1 = 1.5, m2 = 10, m3 = 0.1, L = 0.2;
    double c = cos(y[2]), s = sin(y[2]), w = y[5];
    /* 2 x 2 system for x2'' and th''. */
    double a11 = m2 + m3, a12 = m3 * L * c, a22 = m3 * L * L;
    double b1 = -(m2 + m3) * a + m3 * L * w * w * s - f2, b2 = -m3 * L * a * c - m3 * G * L * s;
    double det = a11 * a22 - a12 * a12;
    memcpy(dy, y + 3, 3 * sizeof *dy);
    dy[3] = -a - (f1 - f2) / m1;
    dy[4] = (b1 * a22 - b2 * a12) / det;
    dy[5] = (b2 * a11 - b1 * a12) / det;
}

static void building_rate(double t, const double *y, double a, double *dy)
{
    (void)t;
    building(y, a, 4000 * y[0], 4000 * (y[1] - y[0]), dy);
}

static double hysteresis_rate(double v, double z)
{
    return v - 5 * fabs(v) * z - 3 * v * fabs(z);
}

static void bouc_wen_one_rate(double t, const double *y, double a, double *dy)
{
    (void)t;
    building(y, a, 4000 * y[6], 4000 * (y[1] - y[0]), dy);
    dy[6] = hysteresis_rate(y[3], y[6]);
}

static void bouc_wen_both_rate(double t, const double *y, double a, double *dy)
{
    (void)t;
    building(y, a, 4000 * y[6], 4000 * y[7], dy);
    dy[6] = hysteresis_rate(y[3], y[6]);
    dy[7] = hysteresis_rate(y[4] - y[3], y[7]);
}

/* y = floor1, floor2, floor3, carriage, rates, filter. gain 0: switched off. */
static void damper(const double *y, double a, double gain, double *dy)
{
    const double m = 1000, k = 980e3, c = 1200, mc = 60, kc = 600, cc = 120, w = 2 * 3.14159265358979323846 * 20;
    const double *u = y, *v = y + 4;
    double f1 = k * u[0] + c * v[0], f2 = k * (u[1] - u[0]) + c * (v[1] - v[0]);
    double f3 = k * (u[2] - u[1]) + c * (v[2] - v[1]), fc = kc * (u[3] - u[2]) + cc * (v[3] - v[2]) - gain * y[8];
    memcpy(dy, v, 4 * sizeof *dy);
    dy[4] = -a - (f1 - f2) / m;
    dy[5] = -a - (f2 - f3) / m;
    dy[6] = -a - (f3 - fc) / m;
    dy[7] = -a - fc / mc;
    dy[8] = w * (v[2] - y[8]);
}

static void controlled_rate(double t, const double *y, double a, double *dy)
{
    (void)t;
    damper(y, a, 2500, dy);
}

static void uncontrolled_rate(double t, const double *y, double a, double *dy)
{
    (void)t;
    damper(y, a, 0, dy);
}

static void hardening_rate(double t, const double *y, double a, double *dy)
{
    (void)t;
    double d = y[1] - y[0];
    double f1 = 200 * (y[0] + 1000 * y[0] * y[0] * y[0]) + 10 * y[2],
           f2 = 100 * (d + 750 * d * d * d) + 8 * (y[3] - y[2]);
    dy[0] = y[2];
    dy[1] = y[3];
    dy[2] = -a - (f1 - f2) / 20;
    dy[3] = -a - f2 / 15;
}

/* y = x, th, x', th' */
static void spring_pendulum_rate(double t, const double *y, double a, double *dy)
{
    (void)a;
    const double M = 15, m = 5, L = 0.5, cm = 0.5, km = 1000, cp = 0.1;
    double c = cos(y[1]), s = sin(y[1]), xg = 0.001 * cos(5 * t), vg = -0.005 * sin(5 * t);
    double b1 = m * L * y[3] * y[3] * s - cm * (y[2] - vg) - km * (y[0] - xg), b2 = -cp * y[3] - m * G * L * s;
    double a11 = M + m, a12 = m * L * c, a22 = m * L * L, det = a11 * a22 - a12 * a12;
    dy[0] = y[2];
    dy[1] = y[3];
    dy[2] = (b1 * a22 - b2 * a12) / det;
    dy[3] = (b2 * a11 - b1 * a12) / det;
}

/* All masses and lengths are 1. */
static void double_pendulum_rate(double t, const double *y, double a, double *dy)
{
    (void)t, (void)a;
    double c = cos(y[0] - y[1]), s = sin(y[0] - y[1]);
    double b1 = -y[3] * y[3] * s - 2 * G * sin(y[0]), b2 = y[2] * y[2] * s - G * sin(y[1]), det = 2 - c * c;
    dy[0] = y[2];
    dy[1] = y[3];
    dy[2] = (b1 - b2 * c) / det;
    dy[3] = (2 * b2 - b1 * c) / det;
}

static double clamp(double x, double limit)
{
    return fmax(-limit, fmin(limit, x));
}

static double bearing_force(const double *y)
{
    return 5e5 * y[0] + 6.67e7 * y[2] + 1.15e6 * y[3];
}

/* y = u, u', s0, s1. Leap-frog; the slips follow the displacement exactly. */
static void bearing_step(double h, const double *y, double a0, double a1, double *next)
{
    const double m = 2e5;
    double half = y[1] + 0.5 * h * (-a0 - bearing_force(y) / m);
    next[0] = y[0] + h * half;
    next[2] = clamp(y[2] + h * half, 1.5e-3);
    next[3] = clamp(y[3] + h * half, 0.07);
    next[1] = half + 0.5 * h * (-a1 - bearing_force(next) / m);
}

/* y = u1, theta1, u2, rates: M and K of both parts together, (EI / l^3) [15 3l -3; 3l 13l^2 3l; -3 3l 3]. */
static void beam_rate(double t, const double *y, double a, double *dy)
{
    (void)t, (void)a;
    const double k = 4e6 / 125, l = 5, m[3] = {1e4, 4e4, 5e3};
    const double K[3][3] = {{15, 3 * l, -3}, {3 * l, 13 * l * l, 3 * l}, {-3, 3 * l, 3}};
    for (int i = 0; i < 3; i++) {
        dy[i] = y[3 + i];
        dy[3 + i] = -k * (K[i][0] * y[0] + K[i][1] * y[1] + K[i][2] * y[2]) / m[i];
    }
}

/* y = b1, b2, b3 (with the bumper's foot), nose, rates. */
static void bumper_rate(double t, const double *y, double a, double *dy)
{
    (void)a;
    const double k = 20e6, alpha = 0.5, beta = 1e-3, *u = y, *v = y + 4, q = u[3] - u[2];
    double f[3], rubber = 1e8 * (q + 2e4 * q * q * q) + 4e4 * (v[3] - v[2]);
    for (int i = 0; i < 3; i++)
        f[i] = k * (u[i] - (i ? u[i - 1] : 0)) + beta * k * (v[i] - (i ? v[i - 1] : 0));
    memcpy(dy, v, 4 * sizeof *dy);
    dy[4] = -(f[0] - f[1]) / 10e3 - alpha * v[0];
    dy[5] = -(f[1] - f[2]) / 10e3 - alpha * v[1];
    dy[6] = (-f[2] - alpha * 9e3 * v[2] + rubber) / 10e3; /* the foot's tonne is not damped by its speed */
    dy[7] = ((t < 4e-3 ? 2e6 * sin(3.14159265358979323846 * t / 4e-3) : 0) - rubber) / 200;
}

enum { DECK = 32, KEPT = 4, BRIDGE = 6 };

/* One beam of 8 m between nodes i and i + 1, deflection and rotation each: added to K and M. */
static void add_deck(int i, double K[DECK][DECK], double M[DECK][DECK])
{
    const double L = 8, e = 2.04e12 / (L * L * L), m = 15000 * L / 420;
    const double k4[4][4] = {{12, 6 * L, -12, 6 * L},
                             {6 * L, 4 * L * L, -6 * L, 2 * L * L},
                             {-12, -6 * L, 12, -6 * L},
                             {6 * L, 2 * L * L, -6 * L, 4 * L * L}};
    const double m4[4][4] = {{156, 22 * L, 54, -13 * L},
                             {22 * L, 4 * L * L, 13 * L, -3 * L * L},
                             {54, 13 * L, 156, -22 * L},
                             {-13 * L, -3 * L * L, -22 * L, 4 * L * L}};
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 4; c++) {
            K[2 * i + r][2 * i + c] += e * k4[r][c];
            M[2 * i + r][2 * i + c] += m * m4[r][c];
        }
}

/* A symmetric congruence: row and column i get f times those of p, for every i; eliminates K[i][p]
 * when f = -K[i][p] / K[p][p]. */
static void sweep(int p, double K[DECK][DECK], double M[DECK][DECK])
{
    for (int i = 0; i < DECK; i++) {
        double f = -K[i][p] / K[p][p];
        if (i == p || f == 0)
            continue;
        for (int c = 0; c < DECK; c++) {
            K[i][c] += f * K[p][c];
            M[i][c] += f * M[p][c];
        }
        for (int r = 0; r < DECK; r++) {
            K[r][i] += f * K[r][p];
            M[r][i] += f * M[r][p];
        }
    }
}

/* Guyan's condensation of the deck to the deflections at nodes 1, 6, 11, 16: K and M (kept x kept). */
static void condense_deck(double k[KEPT][KEPT], double m[KEPT][KEPT])
{
    static const int at[KEPT] = {0, 10, 20, 30};
    double K[DECK][DECK] = {{0}}, M[DECK][DECK] = {{0}};
    for (int i = 0; i < 15; i++)
        add_deck(i, K, M);
    for (int p = 0; p < DECK; p++)
        if (p % 10 != 0)
            sweep(p, K, M);
    for (int r = 0; r < KEPT; r++)
        for (int c = 0; c < KEPT; c++) {
            k[r][c] = K[at[r]][at[c]];
            m[r][c] = M[at[r]][at[c]];
        }
}

/* x := A^-1 x, symmetric positive definite, of order four. */
static void solve_four(double A[KEPT][KEPT], double *x)
{
    for (int p = 0; p < KEPT; p++)
        for (int i = p + 1; i < KEPT; i++) {
            double f = A[i][p] / A[p][p];
            for (int c = p; c < KEPT; c++)
                A[i][c] -= f * A[p][c];
            x[i] -= f * x[p];
        }
    for (int i = KEPT - 1; i >= 0; i--) {
        for (int c = i + 1; c < KEPT; c++)
            x[i] -= A[i][c] * x[c];
        x[i] /= A[i][i];
    }
}

/* Accelerations of d1, d6, d11, d16, p1, p2; y = u, v, s0 and s1 of the four pairs of bearings. */
static void bridge_acceleration(const double *y, const double *v, double a, double *out)
{
    static double k[KEPT][KEPT], m[KEPT][KEPT];
    if (m[0][0] == 0)
        condense_deck(k, m);
    double A[KEPT][KEPT], r[KEPT];
    const int below[KEPT] = {-1, 4, 5, -1};
    const double *s0 = y + 12, *s1 = y + 16;
    for (int i = 0; i < KEPT; i++) {
        double q = y[i] - (below[i] < 0 ? 0 : y[below[i]]);
        r[i] = 2 * (6.67e7 * s0[i] + 1.15e6 * s1[i] + 5e5 * q);
        out[i] = -r[i];
        for (int j = 0; j < KEPT; j++)
            out[i] -= k[i][j] * y[j];
    }
    memcpy(A, m, sizeof A);
    solve_four(A, out); /* the ground moves all nodes alike: M iota a gives iota a */
    for (int i = 0; i < KEPT; i++)
        out[i] -= a;
    out[4] = (r[1] - 4.0e8 * y[4] - 1.1e6 * v[4]) / 3.0e5 - a;
    out[5] = (r[2] - 3.2e8 * y[5] - 1.0e6 * v[5]) / 3.4e5 - a;
}

/* Leap-frog, damping at the velocity in mid-step: second order in all. */
static void bridge_step(double h, const double *y, double a0, double a1, double *next)
{
    const int below[KEPT] = {-1, 4, 5, -1};
    double a[BRIDGE], half[BRIDGE], v[BRIDGE];
    bridge_acceleration(y, y + BRIDGE, a0, a);
    for (int i = 0; i < BRIDGE; i++) {
        half[i] = y[BRIDGE + i] + 0.5 * h * a[i];
        next[i] = y[i] + h * half[i];
        v[i] = half[i] + 0.5 * h * a[i];
    }
    for (int i = 0; i < KEPT; i++) {
        double dq = h * (half[i] - (below[i] < 0 ? 0 : half[below[i]]));
        next[12 + i] = clamp(y[12 + i] + dq, 1.5e-3);
        next[16 + i] = clamp(y[16 + i] + dq, 0.07);
    }
    bridge_acceleration(next, v, a1, a);
    for (int i = 0; i < BRIDGE; i++)
        next[BRIDGE + i] = half[i] + 0.5 * h * a[i];
}

#define BEAM                                                                                                         \
    {"A.u1 displacement", "A.theta1 displacement", "B.u2 displacement"},                                             \
    {                                                                                                                \
        0, 0, 0, 0.001, 0.01, 0.001                                                                                  \
    }
#define BUILDING                                                                                                     \
    "x1 displacement", "x2 displacement", "theta displacement", "x1 velocity", "x2 velocity", "theta velocity"
#define FLOORS                                                                                                       \
    "floor1 displacement", "floor2 displacement", "floor3 displacement", "carriage displacement", "floor1 velocity", \
        "floor2 velocity", "floor3 velocity", "carriage velocity"

static const problem problems[] = {
    {"shear-pendulum/free", {BUILDING}, {0, 0, 0, 0.2, 0.1, 0.1}, 0, 1e-3, 20, building_rate, NULL},
    {"shear-pendulum/forced", {BUILDING}, {0}, 0.2 * 9.80665, 1e-3, 20, building_rate, NULL},
    {"shear-pendulum/forced-average-acceleration", {BUILDING}, {0}, 0.2 * 9.80665, 1e-3, 20, building_rate, NULL},
    {"shear-pendulum/bouc-wen-one", {BUILDING, "storey1 state"}, {0}, 9.80665, 1e-3, 20, bouc_wen_one_rate, NULL},
    {"shear-pendulum/bouc-wen-both",
     {BUILDING, "storey1 state", "storey2 state"},
     {0},
     9.80665,
     1e-3,
     20,
     bouc_wen_both_rate,
     NULL},
    {"amd-frame/controlled", {FLOORS, "controller state"}, {0}, 0.980665, 2e-3, 20, controlled_rate, NULL},
    {"amd-frame/uncontrolled", {FLOORS}, {0}, 0.980665, 2e-3, 20, uncontrolled_rate, NULL},
    {"hardening-springs/ground",
     {"x1 displacement", "x2 displacement", "x1 velocity", "x2 velocity"},
     {0},
     1.25,
     10e-3,
     20,
     hardening_rate,
     NULL},
    {"spring-pendulum/support",
     {"x displacement", "theta displacement", "x velocity", "theta velocity"},
     {0, 3.14159265358979323846 / 3},
     0,
     1e-3,
     10,
     spring_pendulum_rate,
     NULL},
    {"double-pendulum/free",
     {"theta1 displacement", "theta2 displacement", "theta1 velocity", "theta2 velocity"},
     {3.14159265358979323846 / 6},
     0,
     1e-3,
     10,
     double_pendulum_rate,
     NULL},
    {"bearing/ground",
     {"deck displacement", "deck velocity", "bearing state 1", "bearing state 2"},
     {0},
     0.5 * 9.80665,
     1e-3,
     20,
     NULL,
     bearing_step},
    {"split-beam/parallel", BEAM, 0, 2e-3, 10, beam_rate, NULL},
    {"split-beam/staggered", BEAM, 0, 10e-3, 10, beam_rate, NULL},
    {"impact/staggered",
     {"body.b1 displacement", "body.b2 displacement", "body.b3 displacement", "bumper.nose displacement"},
     {0},
     0,
     1e-3,
     0.5,
     bumper_rate,
     NULL},
    {"bridge/pg-alpha",
     {"numerical.d1.y displacement", "numerical.d6.y displacement", "numerical.d11.y displacement",
      "numerical.d16.y displacement", "numerical.p1 displacement", "numerical.p2 displacement"},
     {0},
     0.5 * 9.80665,
     2e-3,
     20,
     NULL,
     bridge_step},
};

static double ground(const ifd_signal *s, double t)
{
    double out[3] = {0};
    if (s)
        ifd_signal_eval(s, t, out);
    return out[0];
}

static void runge_kutta(const problem *p, const ifd_signal *s, double t, double h, int n, double *y)
{
    double k[4][INDEPENDENT_STATES] = {{0}}, w[INDEPENDENT_STATES] = {0};
    static const double at[4] = {0, 0.5, 0.5, 1};
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < n; j++)
            w[j] = y[j] + (i ? h * at[i] * k[i - 1][j] : 0);
        p->rate(t + at[i] * h, w, ground(s, t + at[i] * h), k[i]);
    }
    for (int j = 0; j < n; j++)
        y[j] += h / 6 * (k[0][j] + 2 * k[1][j] + 2 * k[2][j] + k[3][j]);
}

static void advance(const problem *p, const ifd_signal *s, double t, double h, int n, double *y)
{
    double next[INDEPENDENT_STATES] = {0};
    if (p->rate) {
        runge_kutta(p, s, t, h, n, y);
        return;
    }
    p->step(h, y, ground(s, t), ground(s, t + h), next);
    memcpy(y, next, sizeof next);
}

static const ifd_signal *motion(ifd_arena *arena, double peak)
{
    const ifd_signal_kind *kind = ifd_signal_find("kanai-tajimi");
    const ifd_signal *s = NULL;
    ifd_value v[IFD_SIGNAL_PARAMS];
    if (peak == 0)
        return NULL;
    ifd_param_preset(kind->params, v);
    v[ifd_param_find(kind->params, "peak")] = ifd_number(peak);
    return ifd_signal_make(arena, kind, v, NULL, &s, NULL) == IFD_OK ? s : NULL;
}

static void solve(const problem *p, int refine, independent_result *out)
{
    ifd_arena *arena = ifd_arena_open();
    const ifd_signal *s = motion(arena, p->peak);
    double y[INDEPENDENT_STATES], h = p->h / refine;
    memcpy(y, p->y0, sizeof y);
    memcpy(out->peak, y, sizeof y);
    /* States without a channel, such as a filter that is switched off, are integrated too. */
    for (long k = 0; k < lround(p->end / p->h); k++) {
        for (int i = 0; i < refine; i++)
            advance(p, s, p->h * (double)k + h * i, h, INDEPENDENT_STATES, y);
        for (int i = 0; i < INDEPENDENT_STATES; i++)
            if (fabs(y[i]) > fabs(out->peak[i]))
                out->peak[i] = y[i];
    }
    memcpy(out->final, y, sizeof y);
    ifd_arena_close(arena);
}

bool independent_solve(const char *name, int refine, independent_result *out)
{
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
        const problem *p = &problems[i];
        if (strcmp(p->name, name) != 0)
            continue;
        *out = (independent_result){.channel = p->channel};
        while (p->channel[out->count])
            out->count++;
        solve(p, refine, out);
        return true;
    }
    return false;
}
