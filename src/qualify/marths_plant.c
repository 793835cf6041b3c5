/* SPDX-License-Identifier: MIT */
/* The transfer system of the multi-axial benchmark: coupler, two coupled actuators, noise of the sensors. */
#include "qualify/benchmark.h"

#include <math.h>
#include <string.h>

#include "algebra/dense.h"
#include "rig/compensator/compensator.h"

static const double two_pi = 6.28318530717958647693;

/* Two parallel actuators at (0.2667, -0.127) and (0.2667, 0.127) m from the node. */
static double arm(void)
{
    return sqrt(0.2667 * 0.2667 + 0.127 * 0.127);
}
static const double slope = 25.4633 * 6.28318530717958647693 / 360.0;

void ifd__coupler_reach(double x, double th, double a[2])
{
    a[0] = 1e3 * (x + arm() * (cos(th - slope) - cos(slope)));
    a[1] = 1e3 * (x + arm() * (cos(th + slope) - cos(slope)));
}

/* The sine itself is inside the cosine, as distributed: an error of 1.3 nm at 4 mrad. */
void ifd__coupler_pose(const double a[2], double q[2])
{
    double s = (a[0] - a[1]) / (1e3 * 2.0 * arm() * sin(slope));
    q[0] = 1e-3 * a[0] - arm() * (cos(s - slope) - cos(slope));
    q[1] = asin(s);
}

/* Monic polynomials, coefficients of 1, s, s^2 ...; r := r times (s + a), of degree n before. */
static void times(int n, double a, double *r)
{
    r[n + 1] = 0.0;
    for (int i = n + 1; i > 0; i--)
        r[i] = r[i - 1] + a * r[i];
    r[0] *= a;
}

/* (s + p)(s + q)(s^2 + 2 re s + re^2 + im^2) */
static void denominator(double p, double q, double re, double im, double *d)
{
    double e[5] = {1.0};
    times(0, p, e);
    times(1, q, e);
    memset(d, 0, 5 * sizeof *d);
    for (int i = 0; i < 3; i++) {
        d[i] += e[i] * (re * re + im * im);
        d[i + 1] += 2.0 * re * e[i];
        d[i + 2] += e[i];
    }
}

/* Zeros and poles (Hz) in the order of the draws, with the standard deviation of their factor; gains of the nominal
 * plant. Static gains are not perturbed. */
static const double nominal[IFD_MARTHS_DRAWS] = {120, 90, 2.65, 40, 1, 3, 3.5, 18.5, 5};
static const double deviation[IFD_MARTHS_DRAWS] = {0.055, 0.055, 0.06, 0.06, 0.05, 0.03, 0.03, 0.03, 0.03};
static const double gain[2][2] = {{2165.2, 4.5394e6}, {349.95, 1.9238e7}}; /* [output][input] */

static void polynomials(const double *draw, ifd__marths_plant *p)
{
    double w[IFD_MARTHS_DRAWS];
    for (int i = 0; i < IFD_MARTHS_DRAWS; i++)
        w[i] = two_pi * nominal[i] * (1.0 + deviation[i] * draw[i]);
    memset(p->num, 0, sizeof p->num);
    for (int out = 0; out < 2; out++) {
        p->num[out][0][0] = p->num[out][1][0] = 1.0;
        times(0, w[0], p->num[out][0]);
        times(1, w[1], p->num[out][0]);
        times(0, out ? w[8] : w[5], p->num[out][1]);
    }
    denominator(w[2], w[3], 50 * w[4], 63 * w[4], p->den[0]);
    denominator(w[6], w[7], 50 * w[4], 63 * w[4], p->den[1]);
}

static void set_gains(ifd__marths_plant *p)
{
    static const double none[IFD_MARTHS_DRAWS];
    ifd__marths_plant same;
    polynomials(none, &same);
    for (int out = 0; out < 2; out++)
        for (int in = 0; in < 2; in++) {
            double still = gain[out][in] * same.num[out][in][0] / same.den[in][0];
            double g = still * p->den[in][0] / p->num[out][in][0];
            for (int i = 0; i < 3; i++)
                p->num[out][in][i] *= g;
        }
}

/* A chain of four states for each input, scaled by 256/s. */
static void realise(ifd__marths_plant *p)
{
    const double w = 256.0;
    memset(p->A, 0, sizeof p->A);
    memset(p->B, 0, sizeof p->B);
    memset(p->C, 0, sizeof p->C);
    for (int in = 0; in < 2; in++) {
        int at = 4 * in;
        for (int i = 0; i < 3; i++)
            p->A[at + i + 8 * (at + i + 1)] = w;
        for (int i = 0; i < 4; i++)
            p->A[at + 3 + 8 * (at + i)] = -p->den[in][i] * pow(w, i - 3);
        p->B[at + 3 + 8 * in] = w;
        for (int out = 0; out < 2; out++)
            for (int i = 0; i < 3; i++)
                p->C[out + 2 * (at + i)] = p->num[out][in][i] * pow(w, i - 4);
    }
}

/* Phi = I + Z + Z^2/2 + Z^3/6 + Z^4/24, Gamma = h (I + Z/2 + Z^2/6 + Z^3/24) B, Z = A h. */
static void discretise(ifd__marths_plant *p)
{
    const double h = 1.0 / IFD_MARTHS_RATE;
    double power[64] = {0}, sum[64] = {0};
    memset(p->Phi, 0, sizeof p->Phi);
    memset(p->Gamma, 0, sizeof p->Gamma);
    for (int i = 0; i < 8; i++)
        power[9 * i] = 1.0;
    for (int n = 0; n <= 4; n++) {
        double next[64] = {0};
        for (int i = 0; i < 64; i++) {
            p->Phi[i] += power[i];
            sum[i] += n < 4 ? power[i] / (n + 1) : 0.0;
        }
        ifd__matmul_add(8, 8, 8, h / (n + 1), p->A, power, next);
        memcpy(power, next, sizeof power);
    }
    ifd__matmul_add(8, 2, 8, h, sum, p->B, p->Gamma);
}

void ifd__marths_plant_of(const ifd_benchmark_plant *perturbed, ifd__marths_plant *p)
{
    polynomials(perturbed->number, p);
    set_gains(p);
    realise(p);
    discretise(p);
}

/* r := the series of num/den to s^3. */
static void series(const double *num, const double *den, double r[4])
{
    for (int n = 0; n < 4; n++) {
        r[n] = n < 3 ? num[n] : 0.0;
        for (int i = 1; i <= n; i++)
            r[n] -= den[i] * r[n - i];
        r[n] /= den[0];
    }
}

void ifd__marths_inverse_own(const ifd__marths_plant *p, int i, double a[4])
{
    static const double one[3] = {1.0};
    double h[5] = {0};
    series(p->num[i][i], p->den[i], h);
    series(one, h, a);
}

static double value_at(int count, const double *c, double s)
{
    double sum = 0.0;
    for (int i = count - 1; i >= 0; i--)
        sum = sum * s + c[i];
    return sum;
}

/* The residue of H^-1 = adj H / det H at the slow zero of det H. Column 1 has the same zeros in both rows; the rest
 * of det H is linear: k (s + p). */
static void slow_zero(const ifd__marths_plant *p, ifd__marths_inverse *out)
{
    double g11 = p->num[0][0][2], g21 = p->num[1][0][2]; /* of s^2, the common factor is monic */
    double k = g11 * p->num[1][1][1] - g21 * p->num[0][1][1];
    double at = out->p = (g11 * p->num[1][1][0] - g21 * p->num[0][1][0]) / k;
    double d[2] = {value_at(5, p->den[0], -at), value_at(5, p->den[1], -at)};
    double slope_of_det = value_at(3, p->num[0][0], -at) / g11 * k / (d[0] * d[1]), H[2][2];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            H[i][j] = value_at(3, p->num[i][j], -at) / d[j];
    const double adjoint[4] = {H[1][1], -H[0][1], -H[1][0], H[0][0]};
    for (int i = 0; i < 4; i++)
        out->L[i] = adjoint[i] / slope_of_det / at;
}

/* A_n H_0 = -(sum over i > 0 of A_{n-i} H_i), A_0 H_0 = I. */
static void matrix_series(const ifd__marths_plant *p, double A[3][4])
{
    double H[4][4], r[4];
    for (int e = 0; e < 4; e++) {
        series(p->num[e / 2][e % 2], p->den[e % 2], r);
        for (int n = 0; n < 4; n++)
            H[n][e] = r[n];
    }
    double det = H[0][0] * H[0][3] - H[0][1] * H[0][2];
    const double inverse[4] = {H[0][3] / det, -H[0][1] / det, -H[0][2] / det, H[0][0] / det};
    for (int n = 0; n < 3; n++) {
        double R[4] = {n == 0, 0, 0, n == 0};
        for (int i = 1; i <= n; i++)
            for (int e = 0; e < 4; e++)
                R[e] -= A[n - i][e / 2 * 2] * H[i][e % 2] + A[n - i][e / 2 * 2 + 1] * H[i][2 + e % 2];
        for (int e = 0; e < 4; e++)
            A[n][e] = R[e / 2 * 2] * inverse[e % 2] + R[e / 2 * 2 + 1] * inverse[2 + e % 2];
    }
}

void ifd__marths_inverse_of(const ifd__marths_plant *p, double T, bool lag, ifd__marths_inverse *out)
{
    slow_zero(p, out);
    matrix_series(p, out->A);
    for (int e = 0; e < 4; e++) {
        double a[3] = {out->A[0][e], out->A[1][e], out->A[2][e]}, b[3], power = 1.0;
        ifd__ahead(3, a, T, b);
        out->L[e] *= lag ? exp(-out->p * T) : 0.0;
        for (int n = 0; n < 3; n++, power /= -out->p)
            out->A[n][e] = b[n] - out->L[e] * power;
    }
}

/* Lehmer's generator, modulus 2^31 - 1; start value of a seed as in the distributed code. */
ifd__marths_random ifd__marths_random_of(uint32_t seed)
{
    uint32_t r = seed >> 16, t = seed & 32768, s = ((seed - (r << 16) + t) << 16) + t + r;
    if (s == 0)
        s = 1144108930;
    return (ifd__marths_random){s > 2147483646 ? 2147483646 : s};
}

static double uniform(ifd__marths_random *r)
{
    r->state = (uint32_t)(16807ULL * r->state % 2147483647ULL);
    return r->state * 4.6566128752457969e-10;
}

/* Marsaglia's polar method; the second number is not used. */
double ifd__marths_random_next(ifd__marths_random *r)
{
    double a, b, q;
    do {
        a = 2.0 * uniform(r) - 1.0;
        b = 2.0 * uniform(r) - 1.0;
        q = a * a + b * b;
    } while (q > 1.0);
    return a * sqrt(-2.0 * log(q) / q);
}
