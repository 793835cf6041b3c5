/* SPDX-License-Identifier: MIT */
/* One member for plane and space: in the plane its dofs z, rx and ry are fixed, which leaves the planar member.
 * Local dofs per end: u, v, w along and rotations about local x, y, z. Stiffness and consistent mass from the linear
 * and cubic shape functions of Euler-Bernoulli theory; rotary inertia of the section about its axis (torsion) only.
 *
 * Shear: with phi = 12 E I/(G As L^2) the deflections are those of a member that bends and shears under end forces
 * (Przemieniecki 1968); mass and geometric stiffness follow from the same deflections. phi = 0 is Euler-Bernoulli.
 *
 * Release: at a released rotation r an inner rotation x of the member follows from
 *
 *     (K_rr + k) x = -K_rk u_k + k u_r,    k: spring of the joint.
 *
 * With u_member = T u: K := T^T K T + sum k (u_r - x)^2, M := T^T M T, loads T^T f. The geometric stiffness is
 * condensed together with K, because it changes x. */
#include "model/build/frame.h"

#include <math.h>
#include <string.h>

enum { ENDS = IFD__MEMBER_ENDS, BASIC = IFD__MEMBER_DEFORMATIONS };

typedef ifd__matrix12 matrix12;

/* A two-node bar along dof i: c [d o; o d] */
static void add_bar(matrix12 *m, int i, double diagonal, double off)
{
    m->at[i][i] += diagonal;
    m->at[i + 6][i + 6] += diagonal;
    m->at[i][i + 6] += off;
    m->at[i + 6][i] += off;
}

/* A two-node beam with deflection dofs d, d + 6 and rotation dofs r, r + 6. length is negative where a positive
 * rotation is a negative slope (bending in the local x-z plane). form: the lower triangle for unit length, rows
 * (deflection, rotation) twice. */
static void add_beam(matrix12 *m, int d, int r, double length, double factor, const double form[10])
{
    int dof[4] = {d, r, d + 6, r + 6}, k = 0;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j <= i; j++) {
            double value = factor * form[k++];
            for (int turns = (i % 2) + (j % 2); turns > 0; turns--)
                value *= length;
            m->at[dof[i]][dof[j]] += value;
            if (i != j)
                m->at[dof[j]][dof[i]] += value;
        }
}

static double shear_modulus(const ifd_material *s)
{
    return s->G > 0.0 ? s->G : s->E / (2.0 * (1.0 + s->nu));
}

/* phi of bending about z (second: about y); 0: rigid in shear. */
static double shear_ratio(const ifd_frame_member *b, double L, bool second)
{
    double As = second ? b->section.Asz : b->section.Asy, I = second ? b->section.Iy : b->section.Iz;
    return As > 0.0 ? 12.0 * b->material.E * I / (shear_modulus(&b->material) * As * L * L) : 0.0;
}

static void add_bending(matrix12 *k, const ifd_frame_member *b, double L, bool second)
{
    double phi = shear_ratio(b, L, second), I = second ? b->section.Iy : b->section.Iz;
    const double form[10] = {12, 6, 4 + phi, -12, -6, 12, 6, 2 - phi, -6, 4 + phi};
    add_beam(k, second ? 2 : 1, second ? 4 : 5, second ? -L : L, b->material.E * I / (L * L * L) / (1.0 + phi), form);
}

static void local_stiffness(const ifd_frame_member *b, double L, matrix12 *k)
{
    const ifd_material *s = &b->material;
    double G = shear_modulus(s);
    memset(k, 0, sizeof *k);
    add_bar(k, 0, s->E * b->section.A / L, -s->E * b->section.A / L);
    add_bar(k, 3, G * b->section.J / L, -G * b->section.J / L);
    add_bending(k, b, L, false);
    add_bending(k, b, L, true);
}

static double mass_per_length(const ifd_frame_member *b)
{
    return b->material.density * b->section.A + b->added_mass;
}

static void add_bending_mass(matrix12 *m, const ifd_frame_member *b, double L, bool second)
{
    double p = shear_ratio(b, L, second), pp = p * p, mass = mass_per_length(b) * L;
    const double form[10] = {156 + 294 * p + 140 * pp,   22 + 38.5 * p + 17.5 * pp, 4 + 7 * p + 3.5 * pp,
                             54 + 126 * p + 70 * pp,     13 + 31.5 * p + 17.5 * pp, 156 + 294 * p + 140 * pp,
                             -13 - 31.5 * p - 17.5 * pp, -3 - 7 * p - 3.5 * pp,     -22 - 38.5 * p - 17.5 * pp,
                             4 + 7 * p + 3.5 * pp};
    add_beam(m, second ? 2 : 1, second ? 4 : 5, second ? -L : L, mass / 420.0 / ((1.0 + p) * (1.0 + p)), form);
}

static void local_mass(const ifd_frame_member *b, double L, bool lumped, matrix12 *m)
{
    double mass = mass_per_length(b) * L;
    double spin = b->material.density * (b->section.Iy + b->section.Iz) * L;
    memset(m, 0, sizeof *m);
    if (lumped) {
        for (int i = 0; i < 3; i++)
            add_bar(m, i, mass / 2.0, 0.0);
        return;
    }
    add_bar(m, 0, mass / 3.0, mass / 6.0);
    add_bar(m, 3, spin / 3.0, spin / 6.0);
    add_bending_mass(m, b, L, false);
    add_bending_mass(m, b, L, true);
}

/* N/(30 L) [36, 3L, -36, 3L; ...]: the beam of the consistent geometric stiffness. */
static void add_bending_geometric(matrix12 *k, const ifd_frame_member *b, double N, double L, bool second)
{
    double p = shear_ratio(b, L, second), pp = p * p, own = 4 + 5 * p + 2.5 * pp, cross = 1 + 5 * p + 2.5 * pp;
    double across = 36 + 60 * p + 30 * pp;
    const double form[10] = {across, 3, own, -across, -3, across, 3, -cross, -3, own};
    add_beam(k, second ? 2 : 1, second ? 4 : 5, second ? -L : L, N / (30.0 * L) / ((1.0 + p) * (1.0 + p)), form);
}

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

bool ifd__frame_make_axes(const ifd_frame *f, int i, double R[3][3], double *length)
{
    const ifd_frame_member *b = &f->member[i];
    const ifd_frame_node *p = &f->node[b->from], *q = &f->node[b->to];
    double d[3] = {q->x - p->x, q->y - p->y, f->planar ? 0.0 : q->z - p->z};
    double up[3] = {b->depth[0], b->depth[1], b->depth[2]};
    *length = sqrt(dot(d, d));
    if (!(*length > 0.0) || !isfinite(*length))
        return false;
    for (int k = 0; k < 3; k++)
        R[0][k] = d[k] / *length;
    if (f->planar) {
        up[0] = -R[0][1];
        up[1] = R[0][0];
        up[2] = 0.0;
    } else if (dot(up, up) == 0.0) {
        bool vertical = R[0][0] * R[0][0] + R[0][1] * R[0][1] < 1e-12;
        up[vertical ? 0 : 2] = 1.0;
    }
    double along = dot(up, R[0]), across = 0.0;
    for (int k = 0; k < 3; k++) {
        R[1][k] = up[k] - along * R[0][k];
        across += R[1][k] * R[1][k];
    }
    if (!(across > 1e-12 * dot(up, up)))
        return false;
    for (int k = 0; k < 3; k++)
        R[1][k] /= sqrt(across);
    for (int k = 0; k < 3; k++)
        R[2][k] = R[0][(k + 1) % 3] * R[1][(k + 2) % 3] - R[0][(k + 2) % 3] * R[1][(k + 1) % 3];
    return true;
}

double ifd__frame_axes(const ifd_frame *f, int i, double R[3][3])
{
    double L = 0.0;
    return ifd__frame_make_axes(f, i, R, &L) ? L : 0.0;
}

/* a := T^T a T with T = diag(R, R, R, R). */
static void to_global(double R[3][3], matrix12 *a)
{
    for (int p = 0; p < 12; p += 3)
        for (int q = 0; q < 12; q += 3) {
            double half[3][3];
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                    half[i][j] =
                        a->at[p + i][q] * R[0][j] + a->at[p + i][q + 1] * R[1][j] + a->at[p + i][q + 2] * R[2][j];
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                    a->at[p + i][q + j] = R[0][i] * half[0][j] + R[1][i] * half[1][j] + R[2][i] * half[2][j];
        }
}

/* Inner rotations of a member, at the released ends. */
typedef struct inner {
    int count, at[BASIC]; /* local directions of released rotations, or released deformations */
    double spring[BASIC], x[BASIC][ENDS];
} inner;

static bool released(const ifd_frame_member *b)
{
    return b->released[0] || b->released[1];
}

/* Solves for x of n variables with stiffness k (rows of `stride` numbers). False: k alone is not positive there. */
static bool find_inner(int n, const double *k, int stride, inner *r)
{
    double A[BASIC][BASIC];
    for (int a = 0; a < r->count; a++) {
        for (int b = 0; b < r->count; b++)
            A[a][b] = k[r->at[a] * stride + r->at[b]] + (a == b ? r->spring[a] : 0.0);
        for (int j = 0; j < n; j++)
            r->x[a][j] = -k[r->at[a] * stride + j];
        for (int b = 0; b < r->count; b++)
            r->x[a][r->at[b]] = a == b ? r->spring[a] : 0.0;
    }
    for (int p = 0; p < r->count; p++) {
        double size = fabs(k[r->at[p] * stride + r->at[p]]) + r->spring[p];
        if (!(A[p][p] > 1e-12 * size))
            return false;
        for (int a = 0; a < r->count; a++) {
            double factor = A[a][p] / A[p][p];
            for (int b = 0; a != p && b < r->count; b++)
                A[a][b] -= factor * A[p][b];
            for (int j = 0; a != p && j < n; j++)
                r->x[a][j] -= factor * r->x[p][j];
        }
    }
    for (int p = 0; p < r->count; p++)
        for (int j = 0; j < n; j++)
            r->x[p][j] /= A[p][p];
    return true;
}

/* In local directions, for the stiffness k. */
static bool inner_of(const ifd_frame_member *b, const matrix12 *k, inner *r)
{
    r->count = 0;
    for (int i = 0; i < ENDS; i++)
        if (i % 6 >= 3 && b->released[i / 6] >> i % 6 & 1) {
            r->spring[r->count] = b->spring[i / 6][i % 6 - 3];
            r->at[r->count++] = i;
        }
    return find_inner(ENDS, &k->at[0][0], ENDS, r);
}

/* Row i of T: the unit row, or that of an inner rotation. */
static const double *row_of(const inner *r, int i, double unit[ENDS])
{
    for (int a = 0; a < r->count; a++)
        if (r->at[a] == i)
            return r->x[a];
    memset(unit, 0, ENDS * sizeof *unit);
    unit[i] = 1.0;
    return unit;
}

/* m := T^T m T, and with the springs their energy. */
static void condense(const inner *r, bool springs, matrix12 *m)
{
    double T[ENDS][ENDS], unit[ENDS], half[ENDS][ENDS] = {{0.0}};
    for (int i = 0; i < ENDS; i++)
        memcpy(T[i], row_of(r, i, unit), sizeof T[i]);
    for (int i = 0; i < ENDS; i++)
        for (int k = 0; k < ENDS; k++)
            for (int j = 0; j < ENDS; j++)
                half[i][j] += m->at[i][k] * T[k][j];
    memset(m, 0, sizeof *m);
    for (int k = 0; k < ENDS; k++)
        for (int i = 0; i < ENDS; i++)
            for (int j = 0; j < ENDS; j++)
                m->at[i][j] += T[k][i] * half[k][j];
    for (int a = 0; springs && a < r->count; a++)
        for (int i = 0; i < ENDS; i++)
            for (int j = 0; j < ENDS; j++)
                m->at[i][j] += r->spring[a] * ((i == r->at[a]) - r->x[a][i]) * ((j == r->at[a]) - r->x[a][j]);
    for (int i = 0; i < ENDS; i++)
        for (int j = 0; j < i; j++)
            m->at[i][j] = m->at[j][i] = 0.5 * (m->at[i][j] + m->at[j][i]);
    for (int a = 0; a < r->count; a++) /* without a spring nothing is left there, not even rounding */
        for (int j = 0; r->spring[a] == 0.0 && j < ENDS; j++)
            m->at[r->at[a]][j] = m->at[j][r->at[a]] = 0.0;
}

/* Stiffness or mass in global directions, with the releases. */
static void make_matrix(const ifd_frame *f, int i, bool mass, matrix12 *out)
{
    const ifd_frame_member *b = &f->member[i];
    double R[3][3], L;
    matrix12 k;
    inner r;
    memset(out, 0, sizeof *out);
    if (!ifd__frame_make_axes(f, i, R, &L))
        return;
    local_stiffness(b, L, &k);
    *out = k;
    if (mass)
        local_mass(b, L, f->lumped, out);
    if (released(b) && inner_of(b, &k, &r))
        condense(&r, !mass, out);
    to_global(R, out);
}

void ifd__frame_stiffness(const ifd_frame *f, int i, matrix12 *out)
{
    make_matrix(f, i, false, out);
}

void ifd__frame_mass(const ifd_frame *f, int i, matrix12 *out)
{
    make_matrix(f, i, true, out);
}

/* With releases: what condensation of both leaves, less what it leaves of the stiffness alone. */
bool ifd__frame_geometric(const ifd_frame *f, int i, double N, matrix12 *out)
{
    double R[3][3], L = ifd__frame_axes(f, i, R);
    const ifd_frame_member *b = &f->member[i];
    inner r;
    matrix12 k;
    memset(out, 0, sizeof *out);
    if (L == 0.0)
        return true;
    add_bending_geometric(out, b, N, L, false);
    add_bending_geometric(out, b, N, L, true);
    if (released(b)) {
        local_stiffness(b, L, &k);
        for (int p = 0; p < ENDS * ENDS; p++)
            (&out->at[0][0])[p] += (&k.at[0][0])[p];
        if (!inner_of(b, out, &r))
            return false;
        condense(&r, true, out);
        (void)inner_of(b, &k, &r);
        condense(&r, true, &k);
        for (int p = 0; p < ENDS * ENDS; p++)
            (&out->at[0][0])[p] -= (&k.at[0][0])[p];
    }
    to_global(R, out);
    return true;
}

/* Local: half of the load at either end, and the moments of the clamped member, less what releases pass on. */
static void local_load(const ifd_frame_member *b, bool large, double R[3][3], double L, double out[ENDS])
{
    double w[3], f[ENDS] = {0.0}, unit[ENDS];
    matrix12 k;
    inner r = {0};
    for (int i = 0; i < 3; i++) {
        w[i] = dot(R[i], b->load);
        f[i] = f[i + 6] = w[i] * L / 2.0;
    }
    if (b->section.fibres) { /* its sections have the rest (model/fibre/member.c) */
        f[0] = large ? f[0] : w[0] * L;
        f[6] = large ? f[6] : 0.0;
        memcpy(out, f, sizeof f);
        return;
    }
    f[5] = w[1] * L * L / 12.0;
    f[11] = -f[5];
    f[4] = -w[2] * L * L / 12.0;
    f[10] = -f[4];
    local_stiffness(b, L, &k);
    if (!released(b) || !inner_of(b, &k, &r))
        r.count = 0;
    memset(out, 0, ENDS * sizeof *out);
    for (int i = 0; i < ENDS; i++) {
        const double *row = row_of(&r, i, unit);
        for (int j = 0; j < ENDS; j++)
            out[j] += row[j] * f[i];
    }
}

bool ifd__frame_loaded(const ifd_frame_member *b)
{
    return b->load[0] != 0.0 || b->load[1] != 0.0 || b->load[2] != 0.0;
}

void ifd__frame_load(const ifd_frame *f, int i, double out[ENDS])
{
    double R[3][3], L, local[ENDS];
    memset(out, 0, ENDS * sizeof *out);
    if (!ifd__frame_loaded(&f->member[i]) || !ifd__frame_make_axes(f, i, R, &L))
        return;
    local_load(&f->member[i], f->large, R, L, local);
    for (int p = 0; p < ENDS; p += 3)
        for (int j = 0; j < 3; j++)
            out[p + j] = R[0][j] * local[p] + R[1][j] * local[p + 1] + R[2][j] * local[p + 2];
}

/* A: rows of the deformations over local directions. The slope of the chord is (v2 - v1)/L about z, -(w2 - w1)/L
 * about y. */
static void local_deformations(double L, double A[BASIC][ENDS])
{
    memset(A, 0, BASIC * sizeof *A);
    A[0][0] = A[1][3] = -1.0;
    A[0][6] = A[1][9] = 1.0;
    A[2][5] = A[3][11] = A[4][4] = A[5][10] = 1.0;
    for (int end = 0; end < 2; end++) {
        A[2 + end][1] = A[4 + end][8] = 1.0 / L;
        A[2 + end][7] = A[4 + end][2] = -1.0 / L;
    }
}

/* k: of the deformations of a member with releases. A released rotation about the axis reduces the stiffness of the
 * twist. */
static void released_basic(const ifd_frame_member *b, double k[BASIC][BASIC])
{
    static const int basic[2][3] = {{1, 4, 2}, {1, 5, 3}};
    double T[BASIC][BASIC] = {{0.0}}, out[BASIC][BASIC] = {{0.0}};
    inner r = {0};
    for (int i = 0; i < 6; i++)
        if (b->released[i / 3] >> (i % 3 + 3) & 1) {
            r.spring[r.count] = b->spring[i / 3][i % 3];
            r.at[r.count++] = basic[i / 3][i % 3];
        }
    if (!find_inner(BASIC, &k[0][0], BASIC, &r))
        return;
    for (int i = 0; i < BASIC; i++)
        T[i][i] = 1.0;
    for (int a = 0; a < r.count; a++)
        memcpy(T[r.at[a]], r.x[a], sizeof T[0]);
    for (int p = 0; p < BASIC; p++)
        for (int q = 0; q < BASIC; q++)
            for (int i = 0; i < BASIC; i++)
                for (int j = 0; j < BASIC; j++)
                    out[i][j] += T[p][i] * k[p][q] * T[q][j];
    for (int a = 0; a < r.count; a++)
        for (int i = 0; i < BASIC; i++)
            for (int j = 0; j < BASIC; j++)
                out[i][j] += r.spring[a] * ((i == r.at[a]) - r.x[a][i]) * ((j == r.at[a]) - r.x[a][j]);
    for (int a = 0; a < r.count; a++)
        for (int j = 0; r.spring[a] == 0.0 && j < BASIC; j++)
            out[r.at[a]][j] = out[j][r.at[a]] = 0.0;
    memcpy(k, out, sizeof out);
}

/* E I/((1 + phi) L) of deformation d. */
static double bending(const ifd_frame_member *b, double L, int d)
{
    return b->material.E * (d < 4 ? b->section.Iz : b->section.Iy) / L / (1.0 + shear_ratio(b, L, d >= 4));
}

static void basic_stiffness(const ifd_frame_member *b, double L, double k[BASIC][BASIC])
{
    memset(k, 0, BASIC * sizeof *k);
    k[0][0] = b->material.E * b->section.A / L;
    k[1][1] = shear_modulus(&b->material) * b->section.J / L;
    for (int d = 2; d < BASIC; d++) {
        double phi = shear_ratio(b, L, d >= 4);
        k[d][d] = bending(b, L, d) * (4.0 + phi);
        k[d][d ^ 1] = bending(b, L, d) * (2.0 - phi);
    }
    if (released(b))
        released_basic(b, k);
}

/* Forces A^T k d: from deformations, not from displacements, which a rigid motion makes large beside them. */
void ifd__frame_member(const ifd_frame *f, int i, ifd__member_rows *out)
{
    double R[3][3], L, A[BASIC][ENDS], k[BASIC][BASIC];
    const ifd_frame_member *b = &f->member[i];
    memset(out, 0, sizeof *out);
    if (!ifd__frame_make_axes(f, i, R, &L))
        return;
    local_deformations(L, A);
    memcpy(out->statics, A, sizeof A);
    basic_stiffness(b, L, k);
    for (int d = 0; d < BASIC; d++) {
        double bend = d < 2 ? 0.0 : bending(b, L, d), phi = d < 2 ? 0.0 : shear_ratio(b, L, d >= 4);
        for (int r = 0; r < ENDS; r++)
            out->force[r][d] = d < 2         ? k[d][d] * A[d][r]
                               : released(b) ? k[d][d] * A[d][r] + k[d ^ 1][d] * A[d ^ 1][r]
                                             : bend * ((4.0 + phi) * A[d][r] + (2.0 - phi) * A[d ^ 1][r]);
        for (int p = 0; p < ENDS; p += 3)
            for (int j = 0; j < 3; j++)
                out->deformation[d][p + j] = A[d][p] * R[0][j] + A[d][p + 1] * R[1][j] + A[d][p + 2] * R[2][j];
    }
    if (ifd__frame_loaded(b))
        local_load(b, f->large, R, L, out->load);
}
