/* SPDX-License-Identifier: MIT */
/* P-Delta effect of the axial force on a plane frame member, beside its elastic stiffness:
 *
 *     U = N b,   N = N0 + k e,   b = (L/60) [36 psi^2 - 6 psi (t1 + t2) + 4 t1^2 + 4 t2^2 - 2 t1 t2]
 *
 * e is the elongation, psi the slope of the chord, t1 and t2 the rotations of the ends, b the shortening by bending
 * with the cubic shape functions of Euler and Bernoulli. With k = 0 the forces dU/dq are those of the consistent
 * geometric stiffness N0/(30 L) [36, 3L, -36, 3L; ...]. With k = EA/L the axial force is the present one, and the
 * shortening acts on it: the force is conservative.
 *
 * Coordinates as those of fibre-beam: x, y and rotation of the first end, then of the second. */
#include <math.h>

#include "model/element.h"

enum { ENDS = 6, BASIC = 4, BENT = 3 }; /* basic: elongation, then those of b */

typedef struct member {
    double L, c, s; /* m; cosine and sine of its direction */
    double N0, k;   /* N, N/m */
} member;

static const ifd_param params[] = {
    IFD_NEEDED("length", LENGTH, 1e-3, 1e4, "L, length", IFD_AT(member, L)),
    IFD_OPTION("angle", ANGLE, -10, 10, 0, "direction from the first to the second end, from the x axis"),
    IFD_OPTION("axial-force", FORCE, -1e15, 1e15, 0, "N0, axial force at rest, tension positive", IFD_AT(member, N0)),
    IFD_OPTION("axial-stiffness", STIFFNESS, 0, 1e18, 0, "EA/L, for the change of the axial force; 0: constant force",
               IFD_AT(member, k)),
    {0}};

static ifd_status make(ifd_element *e, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    double angle = ifd__element_number(params, values, "angle");
    member d = {.c = cos(angle), .s = sin(angle)};
    ifd_param_store(params, values, &d);
    if (e->nq != ENDS)
        return ifd_note_add(note, IFD_SHAPE, NULL,
                            "element '%s' has %d coordinates in 'at'; expected 6: x, y, rotation of the first end, "
                            "then of the second",
                            e->name, e->nq);
    return ifd__element_keep(e, arena, &d, sizeof d);
}

/* Rows of the basic deformations over the coordinates. */
static IFD_RT void basic_rows(const member *d, double T[BASIC][ENDS])
{
    const double rows[BASIC][ENDS] = {{-d->c, -d->s, 0, d->c, d->s, 0},
                                      {d->s / d->L, -d->c / d->L, 0, -d->s / d->L, d->c / d->L, 0},
                                      {0, 0, 1, 0, 0, 0},
                                      {0, 0, 0, 0, 0, 1}};
    for (int i = 0; i < BASIC; i++)
        for (int j = 0; j < ENDS; j++)
            T[i][j] = rows[i][j];
}

static const double form[BENT][BENT] = {{72, -6, -6}, {-6, 8, -2}, {-6, -2, 8}};

/* w: basic deformations; slope: derivatives of b. Returns b. */
static IFD_RT double shortening(const member *d, const double T[BASIC][ENDS], const double *q, double w[BASIC],
                                double slope[BENT])
{
    double b = 0.0;
    for (int i = 0; i < BASIC; i++) {
        w[i] = 0.0;
        for (int j = 0; j < ENDS; j++)
            w[i] += T[i][j] * q[j];
    }
    for (int i = 0; i < BENT; i++) {
        slope[i] = 0.0;
        for (int j = 0; j < BENT; j++)
            slope[i] += d->L / 60.0 * form[i][j] * w[1 + j];
        b += 0.5 * slope[i] * w[1 + i];
    }
    return b;
}

/* Second derivative of U with respect to the basic deformations i and j. */
static IFD_RT double curvature(const member *d, double N, const double slope[BENT], int i, int j)
{
    if (i > 0 && j > 0)
        return N * d->L / 60.0 * form[i - 1][j - 1];
    return i + j > 0 ? d->k * slope[i + j - 1] : 0.0;
}

static IFD_RT void tangent(const member *d, double N, const double T[BASIC][ENDS], const double slope[BENT],
                           double *r_q)
{
    for (int a = 0; a < ENDS; a++)
        for (int b = 0; b < ENDS; b++)
            for (int i = 0; i < BASIC; i++)
                for (int j = 0; j < BASIC; j++)
                    r_q[a + b * ENDS] += T[i][a] * curvature(d, N, slope, i, j) * T[j][b];
}

static IFD_RT void eval(const ifd_element *e, const ifd_element_in *in, const ifd_element_out *out)
{
    const member *d = e->data;
    double T[BASIC][ENDS], w[BASIC], slope[BENT];
    basic_rows(d, T);
    double b = shortening(d, (const double(*)[ENDS])T, in->q, w, slope), N = d->N0 + d->k * w[0];
    for (int a = 0; out->r && a < ENDS; a++) {
        out->r[a] = d->k * b * T[0][a];
        for (int i = 0; i < BENT; i++)
            out->r[a] += N * slope[i] * T[1 + i][a];
    }
    if (out->r_q)
        tangent(d, N, (const double(*)[ENDS])T, slope, out->r_q);
}

static IFD_RT void energy(const ifd_element *e, const ifd_element_in *in, double *stored, double *dissipated)
{
    const member *d = e->data;
    double T[BASIC][ENDS], w[BASIC], slope[BENT];
    basic_rows(d, T);
    double b = shortening(d, (const double(*)[ENDS])T, in->q, w, slope);
    *stored = (d->N0 + d->k * w[0]) * b;
    *dissipated = 0.0;
}

const ifd_element_ops ifd__element_p_delta_member = {
    IFD__ELEMENT_OWN,
    .name = "p-delta-member",
    .summary = "the P-Delta effect of an axial force, constant or varying, in a plane frame member",
    .equation = "r = dU/dq, U = (N0 + k e) b; b: shortening of the chord by bending, e: elongation",
    .flags = IFD_ELEMENT_SEVERAL,
};
