/* SPDX-License-Identifier: MIT */
/* Corotational: X is the line between both nodes at rest, D = X + u_b - u_a,
 *
 *     L = |D|,  n = D/L,  t = n turned by 90 degrees,  a = atan2(X x D, X . D)
 *     v = (L - L0, phi_a - a, phi_b - a),    p = (N, M_a, M_b) the law of v
 *
 * The coordinates are D - X, phi_a and phi_b. With the rows n; e_a - t/L; e_b - t/L of B
 *
 *     r = B^T p,    dr/dq = B^T k B + (N/L) t t^T + ((M_a + M_b)/L^2) (n t^T + t n^T)
 *
 * The two rows of the first node are those of -D: together these are the six coordinates of the nodes. */
#include "model/element/large_member.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "model/element.h"

enum { BASIC = IFD__LARGE_BASIC, COORDINATES = IFD__LARGE_COORDINATES };

/* The first member is the table to which the ops of an element point. */
typedef struct large {
    ifd_element_ops ops;
    ifd__large_member member;
} large;

/* At one instant. */
typedef struct pose {
    double L, n[2], t[2], a, v[BASIC], B[BASIC][COORDINATES];
} pose;

static IFD_RT pose look(const ifd__large_member *m, const double *q)
{
    pose p = {0};
    const double D[2] = {m->X[0] + q[0], m->X[1] + q[1]};
    p.L = sqrt(D[0] * D[0] + D[1] * D[1]);
    p.a = atan2(m->X[0] * q[1] - m->X[1] * q[0], m->X[0] * D[0] + m->X[1] * D[1]); /* X x X = 0 */
    p.v[0] = ((D[0] + m->X[0]) * q[0] + (D[1] + m->X[1]) * q[1]) / (p.L + m->L0);
    p.v[1] = q[2] - p.a;
    p.v[2] = q[3] - p.a;
    for (int i = 0; i < 2; i++)
        p.n[i] = D[i] / p.L;
    p.t[0] = -p.n[1];
    p.t[1] = p.n[0];
    for (int i = 0; i < 2; i++) {
        p.B[0][i] = p.n[i];
        p.B[1][i] = p.B[2][i] = -p.t[i] / p.L;
        p.B[1 + i][2 + i] = 1.0;
    }
    return p;
}

/* Forces p and tangent k (by columns; NULL: not needed) of the law. */
static IFD_RT void respond(const ifd__large_member *m, const double *s, const double *v, double *p, double *k)
{
    if (m->fibres) {
        ifd__fibre_member_respond(&m->fibre, s, v, NULL, p, k);
        return;
    }
    for (int i = 0; i < BASIC; i++) {
        p[i] = 0.0;
        for (int j = 0; j < BASIC; j++)
            p[i] += m->k[i + j * BASIC] * v[j];
    }
    if (k)
        memcpy(k, m->k, sizeof m->k);
}

static IFD_RT void add_tangent(const pose *at, const double *p, const double *k, double *out)
{
    double turn = (p[1] + p[2]) / (at->L * at->L);
    for (int i = 0; i < COORDINATES; i++)
        for (int j = 0; j < COORDINATES; j++)
            for (int a = 0; a < BASIC; a++)
                for (int b = 0; b < BASIC; b++)
                    out[i + j * COORDINATES] += at->B[a][i] * k[a + b * BASIC] * at->B[b][j];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            out[i + j * COORDINATES] +=
                p[0] / at->L * at->t[i] * at->t[j] + turn * (at->n[i] * at->t[j] + at->t[i] * at->n[j]);
}

static IFD_RT void eval(const ifd_element *e, const ifd_element_in *in, const ifd_element_out *out)
{
    const ifd__large_member *m = e->data;
    double p[BASIC], k[BASIC * BASIC];
    if (!out->r && !out->r_q)
        return;
    const pose at = look(m, in->q);
    respond(m, in->s, at.v, p, out->r_q ? k : NULL);
    for (int i = 0; i < COORDINATES && out->r; i++)
        out->r[i] = at.B[0][i] * p[0] + at.B[1][i] * p[1] + at.B[2][i] * p[2];
    if (out->r_q)
        add_tangent(&at, p, k, out->r_q);
}

/* v' = B q'. */
static IFD_RT void rates(const pose *at, const double *qd, double *out)
{
    for (int a = 0; a < BASIC; a++) {
        out[a] = 0.0;
        for (int i = 0; i < COORDINATES; i++)
            out[a] += at->B[a][i] * qd[i];
    }
}

static IFD_RT void energy(const ifd_element *e, const ifd_element_in *in, double *stored, double *dissipated)
{
    const ifd__large_member *m = e->data;
    const pose at = look(m, in->q);
    double p[BASIC], k[BASIC * BASIC], rate[BASIC];
    respond(m, in->s, at.v, p, k);
    *stored = 0.5 * (p[0] * at.v[0] + p[1] * at.v[1] + p[2] * at.v[2]);
    *dissipated = 0.0;
    if (!m->fibres)
        return;
    rates(&at, in->qd, rate);
    ifd__fibre_member_energy(&m->fibre, p, k, rate, stored, dissipated);
}

static IFD_RT void accept(const ifd_element *e, const ifd_element_in *in, double *s)
{
    const ifd__large_member *m = e->data;
    const pose at = look(m, in->q);
    double p[BASIC];
    ifd__fibre_member_respond(&m->fibre, in->s, at.v, s, p, NULL);
}

static IFD_RT double residual(const ifd_element *e, const double *s)
{
    return ifd__fibre_member_residual(&((const ifd__large_member *)e->data)->fibre, s);
}

/* A reversal of any deformation. */
static void events(const ifd_element *e, const ifd_element_in *in, double *root)
{
    const pose at = look(e->data, in->q);
    rates(&at, in->qd, root);
}

static ifd_status make(ifd_element *e, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    ifd__large_member *m;
    double *s0;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(m, 1)));
    *m = ((const large *)e->ops)->member;
    e->data = m;
    if (!m->fibres)
        return IFD_OK;
    e->ns = ifd__fibre_member_states(&m->fibre);
    e->nroot = BASIC;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(s0, e->ns)));
    ifd__fibre_member_start(&m->fibre, s0);
    e->s0 = s0;
    return IFD_OK;
}

const ifd__large_member *ifd__large_member_of(const ifd_element *e)
{
    return e->ops->eval == eval ? e->data : NULL;
}

double ifd__large_member_angle(const ifd_element *e, const double *q)
{
    return look(e->data, q).a;
}

double ifd__large_member_length(const ifd_element *e, const double *q)
{
    const ifd__large_member *m = e->data;
    return look(m, q).L / m->L0;
}

/* The load keeps its direction: in the present axes it turns back. */
void ifd__large_member_ends(const ifd_element *e, const double *q, const double *r, double v[BASIC],
                            double force[IFD__LARGE_ENDS])
{
    const ifd__large_member *m = e->data;
    const pose at = look(m, q);
    double c = cos(at.a), s = sin(at.a);
    memcpy(v, at.v, sizeof at.v);
    for (int end = 0; end < 2; end++) {
        const double *f = m->load + 3 * end, sign = end ? 1.0 : -1.0;
        double *out = force + 3 * end;
        out[0] = sign * (r[0] * at.n[0] + r[1] * at.n[1]) - c * f[0] - s * f[1];
        out[1] = sign * (r[0] * at.t[0] + r[1] * at.t[1]) + s * f[0] - c * f[1];
        out[2] = r[2 + end] - f[2];
    }
}

const ifd_element_ops *ifd__large_member_ops(ifd_arena *arena, const ifd__large_member *member)
{
    static const ifd_param none[] = {{0}};
    large *f = ifd_arena_take(arena, sizeof *f);
    if (!f)
        return NULL;
    f->ops = (ifd_element_ops){.abi = IFD_ELEMENT_ABI,
                               .name = "large-member",
                               .summary = "member of a plane frame with large displacements",
                               .equation = "r = B^T p(v), v = (L - L0, phi_a - a, phi_b - a)",
                               .params = none,
                               .flags = IFD_ELEMENT_SEVERAL,
                               .make = make,
                               .eval = eval,
                               .energy = energy};
    if (member->fibres) {
        f->ops.flags |= IFD_ELEMENT_FIBRES;
        f->ops.accept = accept;
        f->ops.residual = residual;
        f->ops.events = events;
    }
    f->member = *member;
    return &f->ops;
}
