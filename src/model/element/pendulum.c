/* SPDX-License-Identifier: MIT */
/* Pendulums at a horizontal dof x. Angles are from the vertical: the bob of a pendulum of length l is at (x + l sin,
 * -l cos). The equations are Lagrange's, m(q) q'' + r(q, q') = 0, where r contains the centrifugal and Coriolis
 * terms, gravity and damping. The mass at the pivot belongs to coordinate 0. */
#include "model/element.h"

#include <math.h>

#define GRAVITY_PARAM(type)                                                                                          \
    IFD_OPTION("gravity", ACCELERATION, 0, 1e3, 9.81, "g, acceleration of gravity", IFD_AT(type, g))

/* Two entries of a symmetric matrix at once. */
static IFD_RT void set_both(double *m, int n, int i, int j, double value)
{
    m[i + j * n] = m[j + i * n] = value;
}

typedef struct pendulum {
    double m, l, c, g;
} pendulum;

static const ifd_param pendulum_params[] = {
    IFD_NEEDED("mass", MASS, 1e-12, 1e12, "m, mass of the bob", IFD_AT(pendulum, m)),
    IFD_NEEDED("length", LENGTH, 1e-6, 1e5, "L, length", IFD_AT(pendulum, l)),
    IFD_OPTION("damping", ROTATIONAL_DAMPING, 0, 1e18, 0, "c, damping of the hinge", IFD_AT(pendulum, c)),
    GRAVITY_PARAM(pendulum),
    {0}};

static const char *const pendulum_own[] = {"angle", NULL};

/* q = (x, angle) */
static IFD_RT void pendulum_eval(const ifd_element *e, const ifd_element_in *in, const ifd_element_out *out)
{
    const pendulum *d = e->data;
    double ml = d->m * d->l, w = in->qd[1];
    double sn = sin(in->q[1]), cs = cos(in->q[1]);
    if (out->r) {
        out->r[0] = -ml * w * w * sn;
        out->r[1] = d->c * w + ml * d->g * sn;
    }
    if (out->r_q) {
        out->r_q[0 + 1 * 2] = -ml * w * w * cs;
        out->r_q[1 + 1 * 2] = ml * d->g * cs;
    }
    if (out->r_v) {
        out->r_v[0 + 1 * 2] = -2 * ml * w * sn;
        out->r_v[1 + 1 * 2] = d->c;
    }
    if (out->m) {
        out->m[0] = d->m;
        set_both(out->m, 2, 0, 1, ml * cs);
        out->m[1 + 1 * 2] = ml * d->l;
    }
    if (out->m_q) {
        out->m_q[0 + 1 * 2] = -ml * sn * in->qdd[1];
        out->m_q[1 + 1 * 2] = -ml * sn * in->qdd[0];
    }
}

/* 1 - cos without cancellation near zero */
static IFD_RT double versine(double angle)
{
    double half = sin(0.5 * angle);
    return 2 * half * half;
}

static IFD_RT void pendulum_energy(const ifd_element *e, const ifd_element_in *in, double *stored, double *dissipated)
{
    const pendulum *d = e->data;
    *stored = d->m * d->g * d->l * versine(in->q[1]);
    *dissipated = d->c * in->qd[1] * in->qd[1];
}

const ifd_element_ops ifd__element_pendulum = {
    .abi = IFD_ELEMENT_ABI,
    .name = "pendulum",
    .summary = "a pendulum at a horizontal dof or at the ground",
    .equation =
        "m x'' + m L (th'' cos th - th'^2 sin th) on x; m L^2 th'' + m L x'' cos th + c th' + m g L sin th = 0",
    .params = pendulum_params,
    .flags = IFD_ELEMENT_INERTIAL,
    .attach = IFD_ATTACH_PIVOT,
    .own = pendulum_own,
    .bytes = sizeof(pendulum),
    .make = ifd_element_make,
    .eval = pendulum_eval,
    .energy = pendulum_energy,
};

typedef struct elastic {
    double m, l, k, c_angle, c_deformation, g;
} elastic;

static const ifd_param elastic_params[] = {
    IFD_NEEDED("mass", MASS, 1e-12, 1e12, "m, mass of the bob", IFD_AT(elastic, m)),
    IFD_NEEDED("length", LENGTH, 1e-6, 1e5, "L, length of the unloaded spring", IFD_AT(elastic, l)),
    IFD_NEEDED("stiffness", STIFFNESS, 1e-9, 1e18,
               "k, stiffness of the spring. To start at rest, set the elongation m g / k in `initial`",
               IFD_AT(elastic, k)),
    IFD_OPTION("damping", ROTATIONAL_DAMPING, 0, 1e18, 0, "c, damping of the hinge", IFD_AT(elastic, c_angle)),
    IFD_OPTION("stretch-damping", DAMPING, 0, 1e18, 0, "b, damping of the spring", IFD_AT(elastic, c_deformation)),
    GRAVITY_PARAM(elastic),
    {0}};

static const char *const elastic_own[] = {"angle", "stretch", NULL};

/* T = m/2 [x'^2 + e'^2 + l^2 th'^2 + 2 x' (e' sin th + l th' cos th)], V = k e^2/2 - m g l cos th, l = L + e. */
static IFD_RT void elastic_mass(const elastic *d, const ifd_element_in *in, const ifd_element_out *out)
{
    double m = d->m, l = d->l + in->q[2], sn = sin(in->q[1]), cs = cos(in->q[1]);
    if (out->m) {
        out->m[0] = m;
        set_both(out->m, 3, 0, 1, m * l * cs);
        set_both(out->m, 3, 0, 2, m * sn);
        out->m[1 + 1 * 3] = m * l * l;
        out->m[2 + 2 * 3] = m;
    }
    if (out->m_q) {
        double ax = in->qdd[0], at = in->qdd[1], ae = in->qdd[2];
        out->m_q[0 + 1 * 3] = m * (cs * ae - l * sn * at);
        out->m_q[0 + 2 * 3] = m * cs * at;
        out->m_q[1 + 1 * 3] = -m * l * sn * ax;
        out->m_q[1 + 2 * 3] = m * (cs * ax + 2 * l * at);
        out->m_q[2 + 1 * 3] = m * cs * ax;
    }
}

/* q = (x, angle, elongation) */
static IFD_RT void elastic_eval(const ifd_element *e, const ifd_element_in *in, const ifd_element_out *out)
{
    const elastic *d = e->data;
    double m = d->m, l = d->l + in->q[2], w = in->qd[1], u = in->qd[2];
    double sn = sin(in->q[1]), cs = cos(in->q[1]);
    if (out->r) {
        out->r[0] = m * (2 * u * w * cs - l * w * w * sn);
        out->r[1] = m * l * (2 * u * w + d->g * sn) + d->c_angle * w;
        out->r[2] = -m * (l * w * w + d->g * cs) + d->k * in->q[2] + d->c_deformation * u;
    }
    if (out->r_q) {
        out->r_q[0 + 1 * 3] = -m * (2 * u * w * sn + l * w * w * cs);
        out->r_q[0 + 2 * 3] = -m * w * w * sn;
        out->r_q[1 + 1 * 3] = m * l * d->g * cs;
        out->r_q[1 + 2 * 3] = m * (2 * u * w + d->g * sn);
        out->r_q[2 + 1 * 3] = m * d->g * sn;
        out->r_q[2 + 2 * 3] = d->k - m * w * w;
    }
    if (out->r_v) {
        out->r_v[0 + 1 * 3] = 2 * m * (u * cs - l * w * sn);
        out->r_v[0 + 2 * 3] = 2 * m * w * cs;
        out->r_v[1 + 1 * 3] = 2 * m * l * u + d->c_angle;
        out->r_v[1 + 2 * 3] = 2 * m * l * w;
        out->r_v[2 + 1 * 3] = -2 * m * l * w;
        out->r_v[2 + 2 * 3] = d->c_deformation;
    }
    elastic_mass(d, in, out);
}

/* Zero at rest: angle 0, elongation m g / k. */
static IFD_RT void elastic_energy(const ifd_element *e, const ifd_element_in *in, double *stored, double *dissipated)
{
    const elastic *d = e->data;
    double beyond = in->q[2] - d->m * d->g / d->k;
    *stored = 0.5 * d->k * beyond * beyond + d->m * d->g * (d->l + in->q[2]) * versine(in->q[1]);
    *dissipated = d->c_angle * in->qd[1] * in->qd[1] + d->c_deformation * in->qd[2] * in->qd[2];
}

const ifd_element_ops ifd__element_spring_pendulum = {
    .abi = IFD_ELEMENT_ABI,
    .name = "spring-pendulum",
    .summary = "a pendulum with a spring as its rod",
    .equation =
        "with l = L + e: m (x + l sin th)'' on x; m l^2 th'' + m l x'' cos th + 2 m l e' th' + c th' + m g l sin "
        "th = 0; m e'' + m x'' sin th - m l th'^2 + b e' + k e - m g cos th = 0",
    .params = elastic_params,
    .flags = IFD_ELEMENT_INERTIAL,
    .attach = IFD_ATTACH_PIVOT,
    .own = elastic_own,
    .bytes = sizeof(elastic),
    .make = ifd_element_make,
    .eval = elastic_eval,
    .energy = elastic_energy,
};

/* Combined masses and lengths of the equations. */
typedef struct twofold {
    double m, ml1, ml2; /* m1 + m2, (m1 + m2) L1, m2 L2 */
    double j1, j12, j2; /* (m1 + m2) L1^2, m2 L1 L2, m2 L2^2 */
    double c1, c2, g;
} twofold;

static const ifd_param twofold_params[] = {
    IFD_NEEDED("mass", MASS, 1e-12, 1e12, "m1, mass of the upper bob"),
    IFD_NEEDED("length", LENGTH, 1e-6, 1e5, "L1, length of the upper rod"),
    IFD_NEEDED("mass2", MASS, 1e-12, 1e12, "m2, mass of the lower bob"),
    IFD_NEEDED("length2", LENGTH, 1e-6, 1e5, "L2, length of the lower rod"),
    IFD_OPTION("damping", ROTATIONAL_DAMPING, 0, 1e18, 0, "c1, damping of the upper hinge", IFD_AT(twofold, c1)),
    IFD_OPTION("damping2", ROTATIONAL_DAMPING, 0, 1e18, 0, "c2, damping of the lower hinge, between the two rods",
               IFD_AT(twofold, c2)),
    GRAVITY_PARAM(twofold),
    {0}};

static const char *const twofold_own[] = {"angle", "angle2", NULL};

static ifd_status twofold_make(ifd_element *e, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    const ifd_param *p = twofold_params;
    double m1 = ifd__element_number(p, values, "mass"), l1 = ifd__element_number(p, values, "length");
    double m2 = ifd__element_number(p, values, "mass2"), l2 = ifd__element_number(p, values, "length2");
    twofold d = {.m = m1 + m2,
                 .ml1 = (m1 + m2) * l1,
                 .ml2 = m2 * l2,
                 .j1 = (m1 + m2) * l1 * l1,
                 .j12 = m2 * l1 * l2,
                 .j2 = m2 * l2 * l2,
                 .g = ifd__element_number(p, values, "gravity")};
    ifd_param_store(twofold_params, values, &d);
    return ifd__element_keep(e, arena, &d, sizeof d);
}

static IFD_RT void twofold_mass(const twofold *d, const ifd_element_in *in, const ifd_element_out *out)
{
    double t1 = in->q[1], t2 = in->q[2], delta = t1 - t2;
    if (out->m) {
        out->m[0] = d->m;
        set_both(out->m, 3, 0, 1, d->ml1 * cos(t1));
        set_both(out->m, 3, 0, 2, d->ml2 * cos(t2));
        out->m[1 + 1 * 3] = d->j1;
        set_both(out->m, 3, 1, 2, d->j12 * cos(delta));
        out->m[2 + 2 * 3] = d->j2;
    }
    if (out->m_q) {
        double ax = in->qdd[0], a1 = in->qdd[1], a2 = in->qdd[2];
        double s1 = d->ml1 * sin(t1), s2 = d->ml2 * sin(t2), s12 = d->j12 * sin(delta);
        out->m_q[0 + 1 * 3] = -s1 * a1;
        out->m_q[0 + 2 * 3] = -s2 * a2;
        out->m_q[1 + 1 * 3] = -s1 * ax - s12 * a2;
        out->m_q[1 + 2 * 3] = s12 * a2;
        out->m_q[2 + 1 * 3] = -s12 * a1;
        out->m_q[2 + 2 * 3] = -s2 * ax + s12 * a1;
    }
}

/* q = (x, angle, angle2), both angles from the vertical; with x fixed these are equations (90) of Sajeeb, Roy and
 * Manohar (2007). */
static IFD_RT void twofold_eval(const ifd_element *e, const ifd_element_in *in, const ifd_element_out *out)
{
    const twofold *d = e->data;
    double t1 = in->q[1], t2 = in->q[2], w1 = in->qd[1], w2 = in->qd[2];
    double s1 = sin(t1), s2 = sin(t2), s12 = d->j12 * sin(t1 - t2);
    if (out->r) {
        out->r[0] = -d->ml1 * s1 * w1 * w1 - d->ml2 * s2 * w2 * w2;
        out->r[1] = s12 * w2 * w2 + d->ml1 * d->g * s1 + d->c1 * w1 + d->c2 * (w1 - w2);
        out->r[2] = -s12 * w1 * w1 + d->ml2 * d->g * s2 + d->c2 * (w2 - w1);
    }
    if (out->r_q) {
        double c1 = d->ml1 * cos(t1), c2 = d->ml2 * cos(t2), c12 = d->j12 * cos(t1 - t2);
        out->r_q[0 + 1 * 3] = -c1 * w1 * w1;
        out->r_q[0 + 2 * 3] = -c2 * w2 * w2;
        out->r_q[1 + 1 * 3] = c12 * w2 * w2 + c1 * d->g;
        out->r_q[1 + 2 * 3] = -c12 * w2 * w2;
        out->r_q[2 + 1 * 3] = -c12 * w1 * w1;
        out->r_q[2 + 2 * 3] = c12 * w1 * w1 + c2 * d->g;
    }
    if (out->r_v) {
        out->r_v[0 + 1 * 3] = -2 * d->ml1 * s1 * w1;
        out->r_v[0 + 2 * 3] = -2 * d->ml2 * s2 * w2;
        out->r_v[1 + 1 * 3] = d->c1 + d->c2;
        out->r_v[1 + 2 * 3] = 2 * s12 * w2 - d->c2;
        out->r_v[2 + 1 * 3] = -2 * s12 * w1 - d->c2;
        out->r_v[2 + 2 * 3] = d->c2;
    }
    twofold_mass(d, in, out);
}

static IFD_RT void twofold_energy(const ifd_element *e, const ifd_element_in *in, double *stored, double *dissipated)
{
    const twofold *d = e->data;
    double w1 = in->qd[1], w2 = in->qd[2];
    *stored = d->g * (d->ml1 * versine(in->q[1]) + d->ml2 * versine(in->q[2]));
    *dissipated = d->c1 * w1 * w1 + d->c2 * (w2 - w1) * (w2 - w1);
}

const ifd_element_ops ifd__element_double_pendulum = {
    .abi = IFD_ELEMENT_ABI,
    .name = "double-pendulum",
    .summary = "a double pendulum; both angles are measured from the vertical",
    .equation =
        "(m1+m2) L1^2 th1'' + m2 L1 L2 (th2'' cos(th1-th2) + th2'^2 sin(th1-th2)) + (m1+m2) L1 (x'' cos th1 + g "
        "sin th1) + c1 th1' + c2 (th1'-th2') = 0; m2 L2^2 th2'' + m2 L1 L2 (th1'' cos(th1-th2) - th1'^2 "
        "sin(th1-th2)) + m2 L2 (x'' cos th2 + g sin th2) + c2 (th2'-th1') = 0",
    .params = twofold_params,
    .flags = IFD_ELEMENT_INERTIAL,
    .attach = IFD_ATTACH_PIVOT,
    .own = twofold_own,
    .make = twofold_make,
    .eval = twofold_eval,
    .energy = twofold_energy,
};
