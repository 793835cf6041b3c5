/* SPDX-License-Identifier: MIT */
/* Plane frame member with fibre sections of steel: force-based after Spacone, Filippou and Taucer (1996) and
 * Neuenhofer and Filippou (1997), or displacement-based.
 *
 * Coordinates: x, y and rotation of the first end, then of the second. Basic deformations v = (elongation, rotations
 * of both ends against the chord), basic forces p = (N, Mi, Mj). A section has the deformations d = (eps0, kappa) and
 * the forces S = sum A_j f_j (1, -y_j) of its fibres with the strains e_j = eps0 - y_j kappa.
 *
 * Force-based: S = b p with b = [1, 0, 0; 0, xi - 1, xi], five Gauss-Lobatto points. From the last accepted step, a
 * fixed number of passes:
 *
 *     p += F^-1 (v - v_r),   F = L sum w b^T f b
 *     in each section d += f (b p - S),   then S and f = K^-1 at the new d
 *     v_r = L sum w b^T (d + f (b p - S))
 *
 * The remaining v - v_r enters the next step. The tangent is F^-1. Elastic shear adds (Mi + Mj)/(G As L) to both
 * rotations.
 *
 * Displacement-based: d = B v with cubic shape functions, three Gauss points; p = L sum w B^T S, exact tangent.
 *
 * States: p, v_r, v, then for each point d, f (three numbers) and the memory of its fibres. Stored energy: that of
 * the elastic member under p. */
#include <math.h>
#include <string.h>

#include "model/element/steel.h"
#include "base/arena.h"

enum { BASIC = 3, ENDS = 6, POINTS = 5, LAYERS = 64, OWN = 5, HEAD = 3 * BASIC }; /* OWN: d and f of a point */

typedef struct beam {
    ifd__steel steel;
    bool displacement;
    int passes, points, layers;
    double L, c, s;                /* m; cosine and sine of its direction */
    double y[LAYERS], area;        /* of the layers: height above the axis, area of each */
    double shear;                  /* 1/(G As L), 1/(N m); 0: rigid */
    double elastic[BASIC * BASIC]; /* flexibility without yielding */
    double limit;                  /* of v - v_r: rad, and relative to L */
} beam;

/* Abscissae and weights on [0, 1]. */
static const double lobatto[POINTS] = {0.0, 0.17267316464601142810, 0.5, 0.82732683535398857190,
                                       1.0}, /* (1 -+ sqrt(3/7))/2 */
    lobatto_weight[POINTS] = {1.0 / 20, 49.0 / 180, 16.0 / 45, 49.0 / 180, 1.0 / 20};
static const double gauss[] = {0.11270166537925831148, 0.5, 0.88729833462074168852}, /* (1 -+ sqrt(3/5))/2 */
    gauss_weight[] = {5.0 / 18, 4.0 / 9, 5.0 / 18};

static const ifd_param params[] = {
    IFD_NEEDED("length", LENGTH, 1e-3, 1e4, "L, length", IFD_AT(beam, L)),
    IFD_OPTION("angle", ANGLE, -10, 10, 0, "direction from the first to the second end, from the x axis"),
    IFD_NEEDED("width", LENGTH, 1e-6, 1e3, "width of the section"),
    IFD_NEEDED("depth", LENGTH, 1e-6, 1e3, "depth of the section, in the plane"),
    IFD_OPTION("layers", NONE, 2, LAYERS, 10, "fibres: layers of equal height", IFD_AT(beam, layers)),
    IFD_NEEDED("young", PRESSURE, 1e-3, 1e15, "E, Young's modulus", IFD_AT(beam, steel.k)),
    IFD_NEEDED("yield-stress", PRESSURE, 1e-6, 1e15, "fy, yield stress", IFD_AT(beam, steel.yield)),
    IFD__STEEL_SHAPE(1e-6, beam, steel),
    IFD_WORD("formulation", "force|displacement",
             "one force-based element for a member, or several displacement-based ones", IFD_AT(beam, displacement)),
    IFD_OPTION("shear-area", AREA, 0, 1e6, 0,
               "As, shear area, for example 5/6 of the area, of a force-based element; 0: no shear deformation"),
    IFD_OPTION("shear-modulus", PRESSURE, 0, 1e15, 0, "G, with shear-area; E/2.6 if absent"),
    IFD_OPTION("passes", NONE, 1, 8, 2, "m, passes of the force-based element in an evaluation",
               IFD_AT(beam, passes)),
    IFD_OPTION("limit", NONE, 1e-12, 1, 1e-3,
               "largest remainder of the passes after a step, in rad and relative to the length; beyond it a test is "
               "held",
               IFD_AT(beam, limit)),
    {0}};

/* Place of a point among the states. */
static IFD_RT int place_of(const beam *d, int point)
{
    return HEAD + point * (OWN + d->layers * IFD__STEEL_STATES);
}

static IFD_RT double point_at(const beam *d, int i, double *weight)
{
    *weight = (d->displacement ? gauss_weight : lobatto_weight)[i] * d->L;
    return (d->displacement ? gauss : lobatto)[i];
}

/* Rows of the bending: M = b . p, or kappa = b . v. */
static IFD_RT void bending(const beam *d, double x, double b[BASIC])
{
    b[0] = 0.0;
    b[1] = d->displacement ? (6.0 * x - 4.0) / d->L : x - 1.0;
    b[2] = d->displacement ? (6.0 * x - 2.0) / d->L : x;
}

/* Forces S and stiffness K = [0, 1; 1, 2] of a section at the deformations e, from the memory of its fibres; keep:
 * the memory after it, or NULL. */
static IFD_RT void section(const beam *d, const double *fibre, const double e[2], double *keep, double S[2],
                           double K[3])
{
    memset(S, 0, 2 * sizeof *S);
    memset(K, 0, 3 * sizeof *K);
    for (int j = 0; j < d->layers; j++) {
        int m = j * IFD__STEEL_STATES;
        double y = d->y[j], k;
        double f = d->area * ifd__steel_move(&d->steel, fibre + m, e[0] - y * e[1], &k, keep ? keep + m : NULL);
        k *= d->area;
        S[0] += f;
        S[1] -= y * f;
        K[0] += k;
        K[1] -= y * k;
        K[2] += y * y * k;
    }
}

/* A += w [1, 0; 0, b]^T k [1, 0; 0, b] for the symmetric 2 x 2 matrix k and the row b of bending. */
static IFD_RT void add_product(double w, const double b[BASIC], const double k[3], double *A)
{
    for (int i = 0; i < BASIC; i++)
        for (int j = 0; j < BASIC; j++) {
            double a0 = i == 0, a1 = b[i], c0 = j == 0, c1 = b[j];
            A[i + j * BASIC] += w * (a0 * (k[0] * c0 + k[1] * c1) + a1 * (k[1] * c0 + k[2] * c1));
        }
}

/* out := A^-1, 3 x 3, by cofactors. */
static IFD_RT void inverse(const double *A, double *out)
{
    double det = 0.0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            int a = (i + 1) % 3, b = (i + 2) % 3, c = (j + 1) % 3, e = (j + 2) % 3;
            out[j + i * 3] = A[a + c * 3] * A[b + e * 3] - A[a + e * 3] * A[b + c * 3];
        }
    for (int j = 0; j < 3; j++)
        det += A[j * 3] * out[j];
    for (int i = 0; i < 9; i++)
        out[i] /= det;
}

static IFD_RT void times(const double *A, const double *x, double *y)
{
    for (int i = 0; i < BASIC; i++)
        y[i] = A[i] * x[0] + A[i + 3] * x[1] + A[i + 6] * x[2];
}

static IFD_RT void flexibility(const double K[3], double f[3])
{
    double det = K[0] * K[2] - K[1] * K[1];
    f[0] = K[2] / det;
    f[1] = -K[1] / det;
    f[2] = K[0] / det;
}

/* Forces and flexibilities of the points during the passes. */
typedef struct passing {
    double p[BASIC], vr[BASIC], e[POINTS][2], f[POINTS][3], S[POINTS][2], F[BASIC * BASIC];
} passing;

static IFD_RT void begin(const beam *d, const double *s, passing *w)
{
    memcpy(w->p, s, sizeof w->p);
    memcpy(w->vr, s + BASIC, sizeof w->vr);
    for (int i = 0; i < d->points; i++) {
        const double *own = s + place_of(d, i), *fibre = own + OWN;
        memcpy(w->e[i], own, sizeof w->e[i]);
        memcpy(w->f[i], own + 2, sizeof w->f[i]);
        w->S[i][0] = w->S[i][1] = 0.0;
        for (int j = 0; j < d->layers; j++) {
            double f = d->area * fibre[j * IFD__STEEL_STATES + IFD__STEEL_R];
            w->S[i][0] += f;
            w->S[i][1] -= d->y[j] * f;
        }
    }
}

static IFD_RT void add_shear(const beam *d, double *F)
{
    for (int i = 1; i < BASIC; i++)
        for (int j = 1; j < BASIC; j++)
            F[i + j * BASIC] += d->shear;
}

static IFD_RT void sum_flexibility(const beam *d, passing *w)
{
    memset(w->F, 0, sizeof w->F);
    for (int i = 0; i < d->points; i++) {
        double weight, b[BASIC], x = point_at(d, i, &weight);
        bending(d, x, b);
        add_product(weight, b, w->f[i], w->F);
    }
    add_shear(d, w->F);
}

/* e += f (b p - S), or only that product. */
static IFD_RT void correction(const passing *w, int i, const double b[BASIC], double out[2])
{
    double n = w->p[0] - w->S[i][0], m = b[1] * w->p[1] + b[2] * w->p[2] - w->S[i][1];
    out[0] = w->f[i][0] * n + w->f[i][1] * m;
    out[1] = w->f[i][1] * n + w->f[i][2] * m;
}

static IFD_RT void one_pass(const beam *d, const double *s, const double *v, passing *w)
{
    double K[BASIC * BASIC], miss[BASIC], dp[BASIC], vr[BASIC] = {0.0};
    sum_flexibility(d, w);
    inverse(w->F, K);
    for (int i = 0; i < BASIC; i++)
        miss[i] = v[i] - w->vr[i];
    times(K, miss, dp);
    for (int i = 0; i < BASIC; i++)
        w->p[i] += dp[i];
    for (int i = 0; i < d->points; i++) {
        double weight, b[BASIC], x = point_at(d, i, &weight), de[2], k[3];
        bending(d, x, b);
        correction(w, i, b, de);
        w->e[i][0] += de[0];
        w->e[i][1] += de[1];
        section(d, s + place_of(d, i) + OWN, w->e[i], NULL, w->S[i], k);
        flexibility(k, w->f[i]);
        correction(w, i, b, de);
        vr[0] += weight * (w->e[i][0] + de[0]);
        vr[1] += weight * b[1] * (w->e[i][1] + de[1]);
        vr[2] += weight * b[2] * (w->e[i][1] + de[1]);
    }
    for (int i = 1; i < BASIC; i++)
        vr[i] += d->shear * (w->p[1] + w->p[2]);
    memcpy(w->vr, vr, sizeof vr);
}

/* Basic forces and tangent for v from the accepted states s; keep: the states at v, or NULL. At the accepted v there
 * is no pass: acceptance may be repeated. */
static IFD_RT void force_based(const beam *d, const double *s, const double *v, double *keep, double *p, double *K)
{
    passing w;
    bool same = memcmp(v, s + 2 * BASIC, BASIC * sizeof *v) == 0;
    begin(d, s, &w);
    for (int i = 0; i < d->passes && !same; i++)
        one_pass(d, s, v, &w);
    sum_flexibility(d, &w);
    inverse(w.F, K);
    memcpy(p, w.p, sizeof w.p);
    if (!keep || same)
        return;
    memcpy(keep, w.p, sizeof w.p);
    memcpy(keep + BASIC, w.vr, sizeof w.vr);
    memcpy(keep + 2 * BASIC, v, BASIC * sizeof *v);
    for (int i = 0; i < d->points; i++) {
        double *own = keep + place_of(d, i), S[2], k[3];
        memcpy(own, w.e[i], sizeof w.e[i]);
        memcpy(own + 2, w.f[i], sizeof w.f[i]);
        section(d, own + OWN, w.e[i], own + OWN, S, k);
    }
}

static IFD_RT void displacement_based(const beam *d, const double *s, const double *v, double *keep, double *p,
                                      double *K)
{
    memset(p, 0, BASIC * sizeof *p);
    memset(K, 0, BASIC * BASIC * sizeof *K);
    for (int i = 0; i < d->points; i++) {
        int own = place_of(d, i);
        double weight, b[BASIC], x = point_at(d, i, &weight), S[2], k[3];
        bending(d, x, b);
        const double e[2] = {v[0] / d->L, b[1] * v[1] + b[2] * v[2]};
        section(d, s + own + OWN, e, keep ? keep + own + OWN : NULL, S, k);
        const double of_v[3] = {k[0] / (d->L * d->L), k[1] / d->L, k[2]};
        add_product(weight, b, of_v, K);
        p[0] += weight * S[0] / d->L;
        p[1] += weight * b[1] * S[1];
        p[2] += weight * b[2] * S[1];
        if (keep)
            memcpy(keep + own, e, sizeof e);
    }
    if (keep)
        memcpy(keep, p, BASIC * sizeof *p);
}

static IFD_RT void respond(const beam *d, const double *s, const double *v, double *keep, double *p, double *K)
{
    if (d->displacement)
        displacement_based(d, s, v, keep, p, K);
    else
        force_based(d, s, v, keep, p, K);
}

/* T: basic deformations over the coordinates. */
static IFD_RT void make_rows(const beam *d, double T[BASIC][ENDS])
{
    const double along[ENDS] = {-d->c, -d->s, 0.0, d->c, d->s, 0.0};
    const double chord[ENDS] = {d->s / d->L, -d->c / d->L, 0.0, -d->s / d->L, d->c / d->L, 0.0};
    for (int j = 0; j < ENDS; j++) {
        T[0][j] = along[j];
        T[1][j] = (j == 2) - chord[j];
        T[2][j] = (j == 5) - chord[j];
    }
}

static IFD_RT void basic(double T[BASIC][ENDS], const double *q, double v[BASIC])
{
    for (int i = 0; i < BASIC; i++) {
        v[i] = 0.0;
        for (int j = 0; j < ENDS; j++)
            v[i] += T[i][j] * q[j];
    }
}

static IFD_RT void eval(const ifd_element *e, const ifd_element_in *in, const ifd_element_out *out)
{
    const beam *d = e->data;
    double T[BASIC][ENDS], v[BASIC], p[BASIC], K[BASIC * BASIC];
    if (!out->r && !out->r_q)
        return;
    make_rows(d, T);
    basic(T, in->q, v);
    respond(d, in->s, v, NULL, p, K);
    for (int i = 0; i < ENDS; i++) {
        for (int a = 0; out->r && a < BASIC; a++)
            out->r[i] += T[a][i] * p[a];
        for (int j = 0; out->r_q && j < ENDS; j++)
            for (int a = 0; a < BASIC; a++)
                for (int b = 0; b < BASIC; b++)
                    out->r_q[i + j * ENDS] += T[a][i] * K[a + b * BASIC] * T[b][j];
    }
}

static IFD_RT void accept(const ifd_element *e, const ifd_element_in *in, double *s)
{
    const beam *d = e->data;
    double T[BASIC][ENDS], v[BASIC], p[BASIC], K[BASIC * BASIC];
    make_rows(d, T);
    basic(T, in->q, v);
    respond(d, in->s, v, s, p, K);
}

static IFD_RT void energy(const ifd_element *e, const ifd_element_in *in, double *stored, double *dissipated)
{
    const beam *d = e->data;
    double T[BASIC][ENDS], v[BASIC], rate[BASIC], p[BASIC], K[BASIC * BASIC], u[BASIC], dp[BASIC];
    make_rows(d, T);
    basic(T, in->q, v);
    basic(T, in->qd, rate);
    respond(d, in->s, v, NULL, p, K);
    times(d->elastic, p, u);
    times(K, rate, dp);
    *stored = *dissipated = 0.0;
    for (int i = 0; i < BASIC; i++) {
        *stored += 0.5 * p[i] * u[i];
        *dissipated += p[i] * rate[i] - u[i] * dp[i];
    }
}

/* v - v_r, which the passes left over. */
static IFD_RT double residual(const ifd_element *e, const double *s)
{
    const beam *d = e->data;
    double left = 0.0;
    for (int i = 0; i < BASIC && !d->displacement; i++)
        left = fmax(left, fabs(s[2 * BASIC + i] - s[BASIC + i]) / (i == 0 ? d->L : 1.0));
    return left / d->limit;
}

/* A reversal of any basic deformation. */
static void events(const ifd_element *e, const ifd_element_in *in, double *root)
{
    double T[BASIC][ENDS];
    make_rows(e->data, T);
    basic(T, in->qd, root);
}

/* Initial states: elastic flexibilities. */
static ifd_status start(ifd_element *e, beam *d, ifd_arena *arena)
{
    double *s0, K[BASIC * BASIC] = {0.0};
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(s0, e->ns)));
    const double zero[2] = {0.0};
    for (int i = 0; i < d->points; i++) {
        double *own = s0 + place_of(d, i), S[2], k[3], weight, b[BASIC], x = point_at(d, i, &weight);
        section(d, own + OWN, zero, NULL, S, k);
        flexibility(k, own + 2);
        bending(d, x, b);
        const double of_v[3] = {k[0] / (d->L * d->L), k[1] / d->L, k[2]};
        add_product(weight, b, d->displacement ? of_v : own + 2, d->displacement ? K : d->elastic);
    }
    if (d->displacement)
        inverse(K, d->elastic);
    else
        add_shear(d, d->elastic);
    e->s0 = s0;
    return IFD_OK;
}

static ifd_status read_shear(const ifd_element *e, const ifd_value *values, beam *d, ifd_note *note)
{
    const ifd_value *area = ifd_param_get(params, values, "shear-area"),
                    *modulus = ifd_param_get(params, values, "shear-modulus");
    double G = modulus->given ? modulus->number : d->steel.k / 2.6;
    if (!(area->number > 0.0))
        return IFD_OK;
    if (d->displacement || !(G > 0.0))
        return ifd_note_add(
            note, IFD_CONFLICT, &area->place,
            "element '%s' has 'shear-area' and %s; expected 'formulation: force' and a 'shear-modulus' "
            "above zero",
            e->name, d->displacement ? "'formulation: displacement'" : "no shear modulus");
    d->shear = 1.0 / (G * area->number * d->L);
    return IFD_OK;
}

static ifd_status make(ifd_element *e, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    const ifd_param *p = params;
    double angle = ifd__element_number(p, values, "angle"), depth = ifd__element_number(p, values, "depth");
    beam d = {.c = cos(angle), .s = sin(angle)};
    ifd_param_store(params, values, &d);
    d.steel.q_y = d.steel.yield / d.steel.k;
    if (e->nq != ENDS)
        return ifd_note_add(note, IFD_SHAPE, NULL,
                            "element '%s' has %d coordinates; expected 'at: [x, y, rotation of the first end, x, y, "
                            "rotation of the second end]'",
                            e->name, e->nq);
    IFD_TRY(read_shear(e, values, &d, note));
    d.points = d.displacement ? 3 : POINTS;
    d.area = ifd__element_number(p, values, "width") * depth / d.layers;
    for (int j = 0; j < d.layers; j++)
        d.y[j] = depth * ((j + 0.5) / d.layers - 0.5);
    e->ns = HEAD + d.points * (OWN + d.layers * IFD__STEEL_STATES);
    e->nroot = BASIC;
    IFD_TRY(start(e, &d, arena));
    return ifd__element_keep(e, arena, &d, sizeof d);
}

const ifd_element_ops ifd__element_fibre_beam = {
    IFD__ELEMENT_OWN,
    .name = "fibre-beam",
    .summary = "plane frame member with fibre sections of steel: force-based or displacement-based",
    .equation = "p = F^-1 (v - v_r) in a fixed number of passes; F = L sum w b^T f b; sections: (N, M) = sum A f (1, "
                "-y), e = eps0 - y kappa",
    .accept = accept,
    .residual = residual,
    .events = events,
    .flags = IFD_ELEMENT_SEVERAL | IFD_ELEMENT_ITERATE | IFD_ELEMENT_FIBRES,
};
