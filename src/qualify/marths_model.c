/* SPDX-License-Identifier: MIT */
/* The frame of the multi-axial benchmark: three storeys, three bays, 29 dofs (one sway per floor; a vertical
 * displacement and a rotation per joint; two rotations of pinned bases). Units: m, rad, N, kg. Then its transfer
 * system: coupler, two coupled actuators, noise of the sensors. */
#include "qualify/benchmark.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/dense.h"
#include "rig/compensator/compensator.h"

enum { N = IFD__FRAME_DOFS };

const int ifd__frame_shown[IFD__FRAME_SHOWN] = {26, 20, 25, 21, 12, 2};

/* Masses (kg) and their dofs; other dofs have none. */
static const struct {
    double kg;
    const char *dofs;
} masses[] = {
    {1921.04971948877, "1 12 16 23"}, {1913.47704943351, "4 8"}, {3826.95409886702, "6 25"},
    {3819.38142881177, "9 15"},       {11465.7169564906, "13"},  {1919.40173917339, "20 28"},
    {11496.0076367116, "26"},         {7680.90291732432, "27"},
};

/* Entries of the symmetric stiffness: value and pairs of dofs. */
static const struct {
    double value;
    const char *at;
} stiffness[] = {
    {1914845669.19659, "6-6 25-25"},
    {1914245902.15877, "1-1 12-12 16-16 23-23"},
    {1297037968.17492, "20-20 28-28"},
    {958022601.636114, "9-9 15-15"},
    {957422834.598294, "4-4 8-8"},
    {-956823067.560474, "1-12 4-23 6-15 6-28 8-12 9-25 16-23 20-25"},
    {353595890.3081, "26-26"},
    {275653872.372854, "27-27"},
    {176797945.15405, "13-13"},
    {-176797945.15405, "13-26 26-27"},
    {14755027.9306316, "5-5 24-24"},
    {14637834.018362, "2-2 11-11 17-17 22-22"},
    {-14033336.8966027, "2-26 3-13 5-13 7-13 10-13 11-13 13-14 13-22 13-24 17-26 21-26 26-29"},
    {14033336.8966027, "3-26 5-27 7-26 10-26 11-27 14-26 22-27 24-27"},
    {13958386.8196963, "27-29"},
    {11546032.4301324, "21-27"},
    {8962902.44950061, "21-21"},
    {7847668.94732387, "29-29"},
    {7494707.87758539, "10-10 14-14"},
    {7377513.96531581, "3-3 7-7"},
    {-2487304.46647036, "18-27"},
    {-2390877.23927914, "20-28"},
    {1650848.8762965, "2-11 3-22 5-14 5-29 7-11 10-24 17-22 21-24"},
    {-1590607.18768206, "19-27"},
    {1117375.20062434, "18-18"},
    {964583.963790092, "19-19"},
    {910924.228165352, "20-29"},
    {-910924.228165352, "21-28"},
    {682412.986755986, "20-21"},
    {-682412.986755986, "28-29"},
    {-599767.037819857, "1-28 4-9 6-12 6-25 8-15 9-15 16-20 23-25"},
    {462063.13558434, "18-21"},
    {-228511.241409366, "1-2 1-29 3-9 5-12 6-24 7-8 8-14 10-15 11-12 17-20 22-25"},
    {228511.241409366, "2-28 3-4 4-10 5-25 6-11 7-15 9-14 16-17 16-21 22-23 23-24"},
    {226110.978301546, "21-29"},
    {56931.6536843576, "2-29 3-10 5-11 5-24 7-14 10-14 17-21 22-24"},
    {45451.6003880148, "19-29"},
};

/* 5 % at 13.493 and 165.125 rad/s: C = alpha M + beta K. */
static const double alpha = 2 * 0.05 * 13.493 * 165.125 / (13.493 + 165.125), beta = 2 * 0.05 / (13.493 + 165.125);

/* The idealised specimen, which is taken out: sway, rotations 29 and 21. KP with E = 200 GPa, columns of 0.635 m and
 * 2.52 in^4, a beam of 0.762 m and 0.6132 in^4; masses of a hundred times steel, as distributed. */
static const int specimen[3] = {IFD__FRAME_SWAY, IFD__FRAME_OTHER, IFD__FRAME_NODE};
static const double KP[9] = {4915814.4,      -1560771.072, -1560771.072,   -1560771.072,  1259050.901248,
                             -133980.635264, -1560771.072, -133980.635264, 1259050.901248};
static const double MP[3] = {902.527382038, 17.8650615997, 17.8650615997};
static const double alpha_P = 2.25591114492, beta_P = 0.000329183259318; /* 5 % at its modes 1 and 3 */

/* The specimen of the rig, K5 T, C5 T and M5 T: a frame of five dofs with tuned properties; T eliminates the rotation
 * of the other node and of the bases statically, so that the other node has no static moment. */
const ifd__specimen_law ifd__marths_specimen = {
    {2324116.6705, 861232.488394, 0.0, 861232.488394, 1085953.95337, 0.0},
    {352.074627439, 53.5561437739, -30.0322791408, 33.7860638216, 95.0106875718, -10.3884695003},
    {8.45398899573, 0.0, -0.844500781795, 0.0, 0.890444486249, -0.174411954922},
};

static void put_stiffness(double value, const char *at, double *K)
{
    for (char *rest; *at; at = *rest ? rest + 1 : rest) {
        long i = strtol(at, &rest, 10) - 1, j = strtol(rest + 1, &rest, 10) - 1;
        K[i + N * j] = K[j + N * i] = value;
    }
}

static void put_mass(double kg, const char *dofs, double *M)
{
    for (char *rest; *dofs; dofs = *rest ? rest + 1 : rest) {
        long i = strtol(dofs, &rest, 10) - 1;
        M[i + N * i] = kg;
    }
}

/* The ground acts on the sways. */
static void put_ground(ifd__frame *f)
{
    static const int sway[3] = {12, 25, IFD__FRAME_SWAY};
    for (int i = 0; i < 3; i++)
        f->ground[sway[i]] = -f->M[sway[i] * (N + 1)];
}

void ifd__frame_reference(ifd__frame *f)
{
    memset(f, 0, sizeof *f);
    for (size_t i = 0; i < sizeof masses / sizeof *masses; i++)
        put_mass(masses[i].kg, masses[i].dofs, f->M);
    for (size_t i = 0; i < sizeof stiffness / sizeof *stiffness; i++)
        put_stiffness(stiffness[i].value, stiffness[i].at, f->K);
    for (int i = 0; i < IFD__FRAME_SQUARE; i++)
        f->C[i] = alpha * f->M[i] + beta * f->K[i];
    put_ground(f);
}

/* Rotational masses are not taken out, but are part of the damping that is. */
void ifd__frame_numerical(ifd__frame *f)
{
    ifd__frame_reference(f);
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++) {
            int at = specimen[i] + N * specimen[j];
            f->K[at] -= KP[i + 3 * j];
            f->C[at] -= beta_P * KP[i + 3 * j] + (i == j ? alpha_P * MP[i] : 0.0);
        }
    f->M[IFD__FRAME_SWAY * (N + 1)] -= MP[0];
    put_ground(f);
}

/* The rotation axes of the specimen are opposite to those of the frame. */
void ifd__frame_glued(ifd__frame *f)
{
    static const int row[3] = {IFD__FRAME_SWAY, IFD__FRAME_NODE, IFD__FRAME_OTHER};
    static const double sign[3] = {1.0, -1.0, -1.0};
    const ifd__specimen_law *law = &ifd__marths_specimen;
    ifd__frame_numerical(f);
    for (int j = 0; j < 2; j++)
        for (int i = 0; i < 3; i++) {
            int at = row[i] + N * row[j];
            f->K[at] += sign[i] * sign[j] * law->K[i + 3 * j];
            f->C[at] += sign[i] * sign[j] * law->C[i + 3 * j];
            f->M[at] += sign[i] * sign[j] * law->M[i + 3 * j];
        }
}

static const double a0 = 4.0 * IFD_MARTHS_RATE * IFD_MARTHS_RATE, a1 = 2.0 * IFD_MARTHS_RATE,
                    a2 = 4.0 * IFD_MARTHS_RATE;

ifd_status ifd__frame_begin(ifd__frame_steps *s)
{
    for (int i = 0; i < IFD__FRAME_SQUARE; i++)
        s->lu[i] = s->of.K[i] + a0 * s->of.M[i] + a1 * s->of.C[i];
    memset(s->U, 0, sizeof s->U);
    memset(s->V, 0, sizeof s->V);
    memset(s->A, 0, sizeof s->A);
    return ifd__lu_factor(N, s->lu, s->pivot) ? IFD_OK : IFD_SINGULAR;
}

/* The acceleration of dofs without mass alternates, without effect: it enters only through M. */
void ifd__frame_step(ifd__frame_steps *s, double ag, const double *F)
{
    static const int row[3] = {IFD__FRAME_SWAY, IFD__FRAME_NODE, IFD__FRAME_OTHER};
    double R[N], inertia[N], viscous[N];
    for (int i = 0; i < N; i++) {
        inertia[i] = a0 * s->U[i] + a2 * s->V[i] + s->A[i];
        viscous[i] = a1 * s->U[i] + s->V[i];
        R[i] = s->of.ground[i] * ag;
    }
    for (int i = 0; F && i < 3; i++)
        R[row[i]] -= F[i];
    ifd__mul_add(N, N, 1.0, s->of.M, inertia, R);
    ifd__mul_add(N, N, 1.0, s->of.C, viscous, R);
    ifd__lu_solve(N, s->lu, s->pivot, 1, R);
    for (int i = 0; i < N; i++) {
        double A = a0 * (R[i] - s->U[i]) - a2 * s->V[i] - s->A[i];
        s->V[i] += 0.5 / IFD_MARTHS_RATE * (s->A[i] + A);
        s->A[i] = A;
        s->U[i] = R[i];
    }
}

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
