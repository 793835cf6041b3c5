/* SPDX-License-Identifier: MIT */
/* Force-based after Spacone, Filippou and Taucer (1996) and Neuenhofer and Filippou (1997). A section at xi has the
 * forces b p + s_p, N = p_1, M = (xi - 1) p_i + xi p_j in each plane of bending, and those of a uniform load between
 * the ends, s_p = (n_x (L - x), -w_y x (L - x)/2, w_z x (L - x)/2), with n_x (L/2 - x) if it turns. At Gauss-Lobatto
 * points, from the last accepted step, a fixed number of passes:
 *
 *     p += F^-1 (v - v_r),   F = L sum w b^T f b
 *     in each section d += f (b p + s_p - s),   then s and f = K^-1 at the new d
 *     v_r = L sum w b^T (d + f (b p + s_p - s))
 *
 * The remaining v - v_r enters the next step. The tangent is F^-1. Elastic shear adds (Mi + Mj)/(G As L) to both
 * rotations, a spring at an end its flexibility to F_ii. At a hinge p_i = 0; its row and column of F are left out.
 * Where K is singular, f of the pass before is kept. */
#include "model/fibre/member.h"

#include <math.h>
#include <string.h>

enum { POINTS = IFD__FIBRE_POINTS, BASIC = IFD__BASIC, FORCES = IFD__SECTION_FORCES, ENTRIES = IFD__SECTION_ENTRIES };

int ifd__fibre_basic(const ifd__fibre_member *m)
{
    return 2 * m->section->size - 1;
}

int ifd__fibre_member_share(const ifd__fibre_member *m)
{
    return 3 * ifd__fibre_basic(m);
}

static IFD_RT int entries(const ifd__fibre_member *m)
{
    return m->section->size * (m->section->size + 1) / 2;
}

/* d and f of a point, before the memory of its fibres. */
static IFD_RT int own(const ifd__fibre_member *m)
{
    return m->section->size + entries(m);
}

int ifd__fibre_point(const ifd__fibre_member *m, int point)
{
    return 3 * (2 * m->section->size - 1) + 2 + point * (own(m) + m->section->states);
}

int ifd__fibre_member_states(const ifd__fibre_member *m)
{
    return ifd__fibre_point(m, m->points);
}

/* Basic force i gives the section force i/2, rounded up, with this coefficient. */
static IFD_RT double row(int i, double x)
{
    return i == 0 ? 1.0 : i % 2 == 1 ? x - 1.0 : x;
}

static IFD_RT int force_of(int i)
{
    return (i + 1) / 2;
}

static IFD_RT double entry(const double *f, int i, int j)
{
    return i <= j ? f[j * (j + 1) / 2 + i] : f[i * (i + 1) / 2 + j];
}

/* What changes during the passes. */
typedef struct passing {
    double share, p[BASIC], vr[BASIC], d[POINTS][FORCES], f[POINTS][ENTRIES], s[POINTS][FORCES], F[BASIC * BASIC];
} passing;

static IFD_RT void begin(const ifd__fibre_member *m, const double *s, passing *w)
{
    int nb = ifd__fibre_basic(m), n = m->section->size;
    memcpy(w->p, s, (size_t)nb * sizeof *s);
    memcpy(w->vr, s + nb, (size_t)nb * sizeof *s);
    w->share = s[ifd__fibre_member_share(m)];
    for (int i = 0; i < m->points; i++) {
        const double *at = s + ifd__fibre_point(m, i);
        memcpy(w->d[i], at, (size_t)n * sizeof *s);
        memcpy(w->f[i], at + n, (size_t)entries(m) * sizeof *s);
        ifd__fibre_section_forces(m->section, at + own(m), w->s[i]);
    }
}

/* Springs of the ends; a hinge leaves the others, and has its own equation 1 x p = 0. */
static IFD_RT void add_joints(const ifd__fibre_member *m, double *F)
{
    int nb = ifd__fibre_basic(m);
    for (int i = 0; i < nb; i++) {
        F[i + i * nb] += m->joint[i];
        for (int j = 0; j < nb && m->hinge[i]; j++)
            F[i + j * nb] = F[j + i * nb] = i == j ? 1.0 : 0.0;
    }
}

static IFD_RT void add_shear(const ifd__fibre_member *m, double *F)
{
    int nb = ifd__fibre_basic(m);
    for (int i = 1; i < nb; i++)
        for (int j = 1; j < nb; j++)
            F[i + j * nb] += force_of(i) == force_of(j) ? m->shear[force_of(i) - 1] : 0.0;
}

/* F of the flexibilities f of the points. */
static IFD_RT void sum_flexibility(const ifd__fibre_member *m, double f[POINTS][ENTRIES], double *F)
{
    int nb = ifd__fibre_basic(m);
    memset(F, 0, (size_t)(nb * nb) * sizeof *F);
    for (int i = 0; i < m->points; i++) {
        double x = m->at[i], weight = m->weight[i] * m->L;
        for (int a = 0; a < nb; a++)
            for (int b = 0; b < nb; b++)
                F[a + b * nb] += weight * row(a, x) * row(b, x) * entry(f[i], force_of(a), force_of(b));
    }
    add_shear(m, F);
    add_joints(m, F);
}

/* out := A^-1, n x n, by Gauss and Jordan with pivots; A is lost. */
static IFD_RT void inverse(int n, double *A, double *out)
{
    memset(out, 0, (size_t)(n * n) * sizeof *out);
    for (int i = 0; i < n; i++)
        out[i + i * n] = 1.0;
    for (int c = 0; c < n; c++) {
        int at = c;
        for (int i = c + 1; i < n; i++)
            at = fabs(A[i + c * n]) > fabs(A[at + c * n]) ? i : at;
        double pivot = 1.0 / A[at + c * n];
        for (int j = 0; j < n; j++) {
            double a = A[at + j * n], o = out[at + j * n];
            A[at + j * n] = A[c + j * n];
            out[at + j * n] = out[c + j * n];
            A[c + j * n] = a * pivot;
            out[c + j * n] = o * pivot;
        }
        for (int i = 0; i < n; i++) {
            double factor = i == c ? 0.0 : A[i + c * n];
            for (int j = 0; j < n && i != c; j++) {
                A[i + j * n] -= factor * A[c + j * n];
                out[i + j * n] -= factor * out[c + j * n];
            }
        }
    }
}

static IFD_RT void times(int n, const double *A, const double *x, double *y)
{
    for (int i = 0; i < n; i++) {
        y[i] = 0.0;
        for (int j = 0; j < n; j++)
            y[i] += A[i + j * n] * x[j];
    }
}

/* s_p at point i. */
static IFD_RT void loaded(const ifd__fibre_member *m, double share, int i, double out[FORCES])
{
    double x = m->at[i] * m->L, arm = 0.5 * share * x * (m->L - x);
    out[0] = share * m->load[0] * ((m->halves ? 0.5 : 1.0) * m->L - x);
    out[1] = -arm * m->load[1];
    out[2] = arm * m->load[2];
}

int ifd__fibre_first(const ifd__fibre_member *m)
{
    return ifd__fibre_point(m, 0);
}

double ifd__fibre_row(const ifd__fibre_member *m, int point, int a, double out[BASIC])
{
    double load[FORCES];
    for (int i = 0; i < BASIC; i++)
        out[i] = force_of(i) == a ? row(i, m->at[point]) : 0.0;
    loaded(m, 1.0, point, load);
    return load[a];
}

/* f (b p + s_p - s) of point i. */
static IFD_RT void correction(const ifd__fibre_member *m, const passing *w, int i, double out[FORCES])
{
    int nb = ifd__fibre_basic(m), n = m->section->size;
    double miss[FORCES];
    loaded(m, w->share, i, miss);
    for (int a = 0; a < nb; a++)
        miss[force_of(a)] += row(a, m->at[i]) * w->p[a];
    for (int a = 0; a < n; a++)
        miss[a] -= w->s[i][a];
    for (int a = 0; a < n; a++) {
        out[a] = 0.0;
        for (int b = 0; b < n; b++)
            out[a] += entry(w->f[i], a, b) * miss[b];
    }
}

/* x += F^-1 times what v misses. */
static IFD_RT void correct_forces(const ifd__fibre_member *m, const double *v, passing *w)
{
    int nb = ifd__fibre_basic(m);
    double K[BASIC * BASIC], miss[BASIC], dp[BASIC];
    sum_flexibility(m, w->f, w->F);
    inverse(nb, w->F, K);
    for (int i = 0; i < nb; i++)
        miss[i] = m->hinge[i] ? 0.0 : v[i] - w->vr[i];
    times(nb, K, miss, dp);
    for (int i = 0; i < nb; i++)
        w->p[i] += dp[i];
}

static IFD_RT void one_pass(const ifd__fibre_member *m, const double *s, const double *v, double *keep, passing *w)
{
    int nb = ifd__fibre_basic(m), n = m->section->size;
    double vr[BASIC] = {0.0}, d[FORCES], K[ENTRIES];
    correct_forces(m, v, w);
    for (int i = 0; i < m->points; i++) {
        int fibres = ifd__fibre_point(m, i) + own(m);
        correction(m, w, i, d);
        for (int a = 0; a < n; a++)
            w->d[i][a] += d[a];
        ifd__fibre_section_move(m->section, s + fibres, w->d[i], keep ? keep + fibres : NULL, w->s[i], K);
        (void)ifd__fibre_section_flexibility(m->section, K, w->f[i]);
        correction(m, w, i, d);
        for (int a = 0; a < nb; a++)
            vr[a] += m->weight[i] * m->L * row(a, m->at[i]) * (w->d[i][force_of(a)] + d[force_of(a)]);
    }
    for (int a = 1; a < nb; a++)
        vr[a] += m->shear[force_of(a) - 1] * (w->p[2 * force_of(a) - 1] + w->p[2 * force_of(a)]);
    for (int a = 1; a < nb; a++)
        vr[a] += m->joint[a] * w->p[a];
    memcpy(w->vr, vr, sizeof vr);
}

static IFD_RT void keep_passing(const ifd__fibre_member *m, const double *v, const passing *w, double *keep)
{
    int nb = ifd__fibre_basic(m), n = m->section->size;
    memcpy(keep, w->p, (size_t)nb * sizeof *keep);
    memcpy(keep + nb, w->vr, (size_t)nb * sizeof *keep);
    memcpy(keep + 2 * nb, v, (size_t)nb * sizeof *keep);
    keep[3 * nb] = keep[3 * nb + 1] = w->share;
    for (int i = 0; i < m->points; i++) {
        double *at = keep + ifd__fibre_point(m, i);
        memcpy(at, w->d[i], (size_t)n * sizeof *at);
        memcpy(at + n, w->f[i], (size_t)entries(m) * sizeof *at);
    }
}

void ifd__fibre_member_respond(const ifd__fibre_member *m, const double *s, const double *v, double *keep, double *p,
                               double *K)
{
    passing w;
    int nb = ifd__fibre_basic(m);
    const double *share = s + ifd__fibre_member_share(m);
    bool same =
        memcmp(v, s + 2 * nb, (size_t)nb * sizeof *v) == 0 && !(share[0] > share[1]) && !(share[0] < share[1]);
    begin(m, s, &w);
    for (int i = 0; i < m->passes && !same; i++)
        one_pass(m, s, v, i == m->passes - 1 ? keep : NULL, &w);
    memcpy(p, w.p, (size_t)nb * sizeof *p);
    if (K) {
        sum_flexibility(m, w.f, w.F);
        inverse(nb, w.F, K);
        for (int i = 0; i < nb; i++)
            K[i + i * nb] -= m->hinge[i] ? 1.0 : 0.0;
    }
    if (keep && !same)
        keep_passing(m, v, &w, keep);
}

double ifd__fibre_member_residual(const ifd__fibre_member *m, const double *s)
{
    int nb = ifd__fibre_basic(m);
    double left = 0.0;
    for (int i = 0; i < nb; i++)
        left = m->hinge[i] ? left : fmax(left, fabs(s[2 * nb + i] - s[nb + i]) / (i == 0 ? m->L : 1.0));
    return left / m->limit;
}

void ifd__fibre_member_energy(const ifd__fibre_member *m, const double *p, const double *K, const double *rate,
                              double *stored, double *dissipated)
{
    int nb = ifd__fibre_basic(m);
    double u[BASIC], dp[BASIC];
    times(nb, m->elastic, p, u);
    times(nb, K, rate, dp);
    *stored = *dissipated = 0.0;
    for (int i = 0; i < nb; i++) {
        *stored += 0.5 * p[i] * u[i];
        *dissipated += p[i] * rate[i] - u[i] * dp[i];
    }
}

/* Points and weights of Gauss and Lobatto: the ends, and the zeros of P' with P Legendre's polynomial of degree
 * n - 1, by Newton's method. */
static void place_points(ifd__fibre_member *m)
{
    const double pi = 3.14159265358979323846;
    int n = m->points;
    for (int i = 0; i < n; i++) {
        double x = -cos(pi * i / (n - 1)), p = 1.0, before = 0.0;
        for (int k = 0; k < 50; k++) {
            before = 1.0;
            p = x;
            for (int j = 2; j < n; j++) {
                double next = ((2 * j - 1) * x * p - (j - 1) * before) / j;
                before = p;
                p = next;
            }
            x -= (x * p - before) / (n * p);
        }
        m->at[i] = 0.5 * (1.0 + x);
        m->weight[i] = 1.0 / (n * (n - 1) * p * p);
    }
}

void ifd__fibre_member_start(ifd__fibre_member *m, double *s0)
{
    double f[POINTS][ENTRIES] = {{0.0}};
    place_points(m);
    memset(s0, 0, (size_t)ifd__fibre_member_states(m) * sizeof *s0);
    for (int i = 0; i < m->points; i++) {
        (void)ifd__fibre_section_flexibility(m->section, m->section->rest, f[i]);
        memcpy(s0 + ifd__fibre_point(m, i) + m->section->size, f[i], (size_t)entries(m) * sizeof *s0);
    }
    sum_flexibility(m, f, m->elastic);
}
