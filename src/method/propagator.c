/* SPDX-License-Identifier: MIT */
/* Scaling and doubling. Over a short time both E and W follow from their Taylor series; two such intervals make one
 * of twice the length, with the polynomial resampled on each half:
 *
 *     E' = E E,    W'_k = sum_i E W_i l_k(x_i / 2) + W_i l_k((1 + x_i) / 2).
 *
 * The doubling of W is exact for polynomials of degree below NODES, as its start is. */
#include "method/reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cblas.h>

#include "algebra/dense.h"

enum { N = IFD__NODES, TERMS = 18, FINE = 16 };

const double ifd__check[2] = {0.004, 0.47};

/* Nodes and weights of the Gauss rule with count points on (0, 1), by Newton's iteration on the Legendre
 * polynomial. */
static void legendre(int count, double *x, double *weight)
{
    for (int i = 0; i < count; i++) {
        double z = cos(3.14159265358979323846 * (i + 0.75) / (count + 0.5)), slope = 1.0;
        for (int pass = 0; pass < 100; pass++) {
            double p = 1.0, last = 0.0;
            for (int k = 1; k <= count; k++) {
                double next = ((2.0 * k - 1.0) * z * p - (k - 1.0) * last) / k;
                last = p;
                p = next;
            }
            slope = count * (z * p - last) / (z * z - 1.0);
            double dz = p / slope;
            z -= dz;
            if (fabs(dz) < 1e-16)
                break;
        }
        x[count - 1 - i] = 0.5 * (1.0 + z);
        weight[count - 1 - i] = 1.0 / ((1.0 - z * z) * slope * slope);
    }
}

/* Basis polynomial k at z. */
static double basis(const double *x, int k, double z)
{
    double l = 1.0;
    for (int j = 0; j < N; j++)
        l *= j == k ? 1.0 : (z - x[j]) / (x[k] - x[j]);
    return l;
}

void ifd__gauss_make(ifd__gauss *g)
{
    double weight[N];
    legendre(N, g->x, weight);
    for (int k = 0; k < N; k++) {
        for (int i = 0; i < N; i++) {
            g->left[i + k * N] = basis(g->x, k, 0.5 * g->x[i]);
            g->right[i + k * N] = basis(g->x, k, 0.5 * (1.0 + g->x[i]));
        }
        for (int i = 0; i < 2; i++)
            g->check[i + 2 * k] = basis(g->x, k, ifd__check[i]);
    }
}

/* moment[m + k TERMS] = integral over (0, 1) of (1 - x)^m / m! l_k(x); the fine rule is exact for all of them. */
static void moments(const ifd__gauss *g, double *moment)
{
    double x[FINE], weight[FINE];
    legendre(FINE, x, weight);
    for (int k = 0; k < N; k++) {
        memset(moment + k * TERMS, 0, sizeof(double) * TERMS);
        for (int i = 0; i < FINE; i++) {
            double l = weight[i] * basis(g->x, k, x[i]);
            for (int m = 0; m < TERMS; m++) {
                moment[m + k * TERMS] += l;
                l *= (1.0 - x[i]) / (m + 1.0);
            }
        }
    }
}

static void multiply(int m, int n, int k, const double *A, const double *B, double *C)
{
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1.0, A, m, B, k, 0.0, C, m);
}

/* y' = A y + B f */
typedef struct equations {
    int dim, inputs;
    const double *A, *B;
} equations;

/* E := sum (A t)^m / m!, W_k := t sum (A t)^m B moment_mk. work: 2 dim (dim + inputs). */
static void taylor(const ifd__gauss *g, const equations *of, double t, double *work, ifd__propagator *p)
{
    int dim = of->dim, inputs = of->inputs;
    size_t d = (size_t)dim, dd = d * d, di = d * (size_t)inputs;
    double moment[N * TERMS], *power = work, *next = work + dd, *input = next + dd, *next_input = input + di;
    moments(g, moment);
    memset(p->E, 0, dd * sizeof(double));
    memset(p->W, 0, N * di * sizeof(double));
    memset(power, 0, dd * sizeof(double));
    for (size_t i = 0; i < d; i++)
        power[i * (d + 1)] = 1.0;
    memcpy(input, of->B, di * sizeof(double));
    for (int m = 0; m < TERMS; m++) {
        for (size_t i = 0; i < dd; i++)
            p->E[i] += power[i];
        for (size_t k = 0; k < N; k++)
            for (size_t i = 0; i < di; i++)
                p->W[k * di + i] += t * moment[(size_t)m + k * TERMS] * input[i];
        multiply(dim, dim, dim, of->A, power, next);
        multiply(dim, inputs, dim, of->A, input, next_input);
        for (size_t i = 0; i < dd; i++)
            power[i] = next[i] * t / (m + 1.0);
        for (size_t i = 0; i < di; i++)
            input[i] = next_input[i] * t;
    }
}

/* work: dim^2 + 2 NODES dim inputs. */
static void twice(const ifd__gauss *g, int dim, int inputs, double *work, ifd__propagator *p)
{
    size_t dd = (size_t)dim * (size_t)dim, di = (size_t)dim * (size_t)inputs;
    double *E = work, *EW = E + dd, *W = EW + N * di;
    multiply(dim, N * inputs, dim, p->E, p->W, EW);
    memset(W, 0, N * di * sizeof(double));
    for (size_t k = 0; k < N; k++)
        for (size_t i = 0; i < N; i++) {
            double l = g->left[i + k * N], r = g->right[i + k * N];
            for (size_t j = 0; j < di; j++)
                W[k * di + j] += l * EW[i * di + j] + r * p->W[i * di + j];
        }
    multiply(dim, dim, dim, p->E, p->E, E);
    memcpy(p->E, E, dd * sizeof(double));
    memcpy(p->W, W, N * di * sizeof(double));
}

bool ifd__propagate_make(const ifd__gauss *g, int dim, int inputs, const double *A, const double *B,
                         ifd__propagator *p)
{
    size_t d = (size_t)dim, di = d * (size_t)inputs;
    double *work = malloc((2 * d * d + 2 * N * di) * sizeof *work);
    if (!work)
        return false;
    int doublings = 0;
    for (double size = ifd__norm1(dim, A) * p->tau; size > 0.25; size *= 0.5)
        doublings++;
    taylor(g, &(equations){dim, inputs, A, B}, ldexp(p->tau, -doublings), work, p);
    for (int k = 0; k < doublings; k++)
        twice(g, dim, inputs, work, p);
    free(work);
    return true;
}
