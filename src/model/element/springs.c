/* SPDX-License-Identifier: MIT */
/* Elements with one coordinate and without memory. */
#include "model/element.h"

#include <math.h>

/* Linear: r = k q, r = c qd, or m q''. One struct for the three; two of its numbers are zero. */
typedef struct linear {
    double k, c, m;
} linear;

const ifd_param ifd__spring_params[] = {
    IFD_NEEDED("stiffness", STIFFNESS, -1e18, 1e18, "k; may be negative", IFD_AT(linear, k)), {0}};

static const ifd_param dashpot_params[] = {IFD_NEEDED("damping", DAMPING, 0, 1e18, "c", IFD_AT(linear, c)), {0}};

static const ifd_param mass_params[] = {IFD_NEEDED("mass", MASS, 0, 1e12, "m", IFD_AT(linear, m)), {0}};

static IFD_RT void linear_eval(const ifd_element *e, const ifd_element_in *in, const ifd_element_out *out)
{
    const linear *d = e->data;
    if (out->r)
        out->r[0] = d->k * in->q[0] + d->c * in->qd[0];
    if (out->r_q)
        out->r_q[0] = d->k;
    if (out->r_v)
        out->r_v[0] = d->c;
    if (out->m)
        out->m[0] = d->m;
}

static IFD_RT void linear_energy(const ifd_element *e, const ifd_element_in *in, double *stored, double *dissipated)
{
    const linear *d = e->data;
    *stored = 0.5 * d->k * in->q[0] * in->q[0];
    *dissipated = d->c * in->qd[0] * in->qd[0];
}

#define LINEAR                                                                                                       \
    .abi = IFD_ELEMENT_ABI, .bytes = sizeof(linear), .make = ifd_element_make, .eval = linear_eval,                  \
    .energy = linear_energy

const ifd_element_ops ifd__element_spring = {
    LINEAR,
    .name = "spring",
    .summary = "a linear spring",
    .equation = "r = k q",
    .params = ifd__spring_params,
    .flags = IFD_ELEMENT_LINEAR | IFD_ELEMENT_STOREY,
};

const ifd_element_ops ifd__element_dashpot = {
    LINEAR,
    .name = "dashpot",
    .summary = "a linear viscous damper",
    .equation = "r = c q'",
    .params = dashpot_params,
    .flags = IFD_ELEMENT_LINEAR,
};

const ifd_element_ops ifd__element_mass = {
    LINEAR,
    .name = "mass",
    .summary = "a point mass at a dof, or an inerter between two dofs",
    .equation = "force m q''",
    .params = mass_params,
    .flags = IFD_ELEMENT_LINEAR,
};

/* The elastic springs of Figure 19 in Sajeeb, Roy, Manohar (2007): f = k (x + eps x^3). */
typedef struct cubic {
    double k, eps;
} cubic;

static const ifd_param cubic_params[] = {
    IFD_NEEDED("stiffness", STIFFNESS, 1e-9, 1e18, "k, stiffness at rest", IFD_AT(cubic, k)),
    IFD_NEEDED("epsilon", ANY, -1e12, 1e12, "eps, in 1/m2 (rotations: 1/rad2); positive: the spring hardens",
               IFD_AT(cubic, eps)),
    IFD_OPTION("largest", LENGTH, 0, 1e3, 0,
               "largest expected deformation, for a bounded Jacobian; it may be exceeded"),
    {0}};

static ifd_status cubic_make(ifd_element *e, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    cubic d = {0};
    ifd_param_store(cubic_params, values, &d);
    double largest = ifd__element_number(cubic_params, values, "largest");
    if (!(d.eps > 0.0))
        ifd__element_stiffest_at_rest(e);
    else if (largest > 0.0)
        IFD_TRY(ifd__element_stiffest_at(e, arena, largest, 0.0, 0.0));
    return ifd__element_keep(e, arena, &d, sizeof d);
}

static IFD_RT void cubic_eval(const ifd_element *e, const ifd_element_in *in, const ifd_element_out *out)
{
    const cubic *d = e->data;
    double q = in->q[0];
    if (out->r)
        out->r[0] = d->k * q * (1 + d->eps * q * q);
    if (out->r_q)
        out->r_q[0] = d->k * (1 + 3 * d->eps * q * q);
}

static IFD_RT void cubic_energy(const ifd_element *e, const ifd_element_in *in, double *stored, double *dissipated)
{
    const cubic *d = e->data;
    double q2 = in->q[0] * in->q[0];
    *stored = d->k * q2 * (0.5 + 0.25 * d->eps * q2);
    *dissipated = 0;
}

const ifd_element_ops ifd__element_cubic_spring = {
    .abi = IFD_ELEMENT_ABI,
    .name = "cubic-spring",
    .summary = "a spring that a cubic term hardens or softens",
    .equation = "r = k (q + eps q^3)",
    .params = cubic_params,
    .make = cubic_make,
    .eval = cubic_eval,
    .energy = cubic_energy,
    .flags = IFD_ELEMENT_STOREY,
};

/* For an exponent below 1 the tangent c a |v|^(a-1) is infinite at v = 0, which linearly implicit methods do not
 * tolerate. There the force is c (v^2 + v0^2)^((a-1)/2) v, which tends to c |v|^a sgn v for |v| >> v0 and is smooth
 * at rest. */
typedef struct power {
    double c, a, v0;
} power;

static const ifd_param power_params[] = {
    IFD_NEEDED("coefficient", ANY, 0, 1e15, "c, damping coefficient in N (s/m)^a", IFD_AT(power, c)),
    IFD_NEEDED("exponent", NONE, 1e-2, 10, "a", IFD_AT(power, a)),
    IFD_OPTION("smoothing", VELOCITY, 1e-12, 10, 1e-3, "v0, for a < 1: velocity below which the force is smoothed",
               IFD_AT(power, v0)),
    {0}};

static ifd_status power_make(ifd_element *e, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    power d = {0};
    ifd_param_store(power_params, values, &d);
    e->nroot = d.a > 1 ? 1 : 0;
    return ifd__element_keep(e, arena, &d, sizeof d);
}

/* Secant coefficient r / v; both forms of the law are w^(a-1) v with a different w. */
static IFD_RT double power_secant(const power *d, double v)
{
    return d->c * pow(d->a < 1 ? hypot(v, d->v0) : fabs(v), d->a - 1);
}

static IFD_RT void power_eval(const ifd_element *e, const ifd_element_in *in, const ifd_element_out *out)
{
    const power *d = e->data;
    double v = in->qd[0], secant = power_secant(d, v);
    if (out->r)
        out->r[0] = secant * v;
    if (out->r_v)
        out->r_v[0] = d->a < 1 ? secant * (1 + (d->a - 1) * v * v / (v * v + d->v0 * d->v0)) : d->a * secant;
}

static IFD_RT void power_energy(const ifd_element *e, const ifd_element_in *in, double *stored, double *dissipated)
{
    *stored = 0;
    *dissipated = power_secant(e->data, in->qd[0]) * in->qd[0] * in->qd[0];
}

/* |v|^a sgn v has a jump in one of its derivatives unless a is an odd number. */
static void power_events(const ifd_element *e, const ifd_element_in *in, double *root)
{
    if (e->nroot)
        root[0] = in->qd[0];
}

const ifd_element_ops ifd__element_power_dashpot = {
    .abi = IFD_ELEMENT_ABI,
    .name = "power-dashpot",
    .summary = "a viscous damper whose force is a power of the velocity. For a damper with a brace prefer "
               "`maxwell`, which needs no smoothing",
    .equation = "r = c |v|^a sgn v; for a < 1: r = c (v^2 + v0^2)^((a-1)/2) v",
    .params = power_params,
    .make = power_make,
    .eval = power_eval,
    .energy = power_energy,
    .events = power_events,
};

enum { SIDE_ABOVE, SIDE_BELOW, SIDE_BOTH };

typedef struct gap {
    double k, gap;
    int side;
} gap;

static const ifd_param gap_params[] = {
    IFD_NEEDED("stiffness", STIFFNESS, 1e-9, 1e18, "k, stiffness of the contact", IFD_AT(gap, k)),
    IFD_OPTION("gap", LENGTH, 0, 1e3, 0, "free distance at rest", IFD_AT(gap, gap)),
    IFD_WORD("side", "above|below|both", "where contact occurs: q > gap, q < -gap, or both", IFD_AT(gap, side)),
    {0}};

static ifd_status gap_make(ifd_element *e, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    gap d = {0};
    ifd_param_store(gap_params, values, &d);
    e->nroot = d.side == SIDE_BOTH ? 2 : 1;
    IFD_TRY(
        ifd__element_stiffest_at(e, arena, d.side == SIDE_BELOW ? -2.0 * d.gap - 1.0 : 2.0 * d.gap + 1.0, 0.0, 0.0));
    return ifd__element_keep(e, arena, &d, sizeof d);
}

/* Signed penetration of the contact; zero if it is open. */
static IFD_RT double gap_depth(const gap *d, double q)
{
    if (d->side != SIDE_BELOW && q > d->gap)
        return q - d->gap;
    if (d->side != SIDE_ABOVE && q < -d->gap)
        return q + d->gap;
    return 0;
}

static IFD_RT void gap_eval(const ifd_element *e, const ifd_element_in *in, const ifd_element_out *out)
{
    const gap *d = e->data;
    double depth = gap_depth(d, in->q[0]);
    if (out->r)
        out->r[0] = d->k * depth;
    if (out->r_q)
        out->r_q[0] = depth > 0 || depth < 0 ? d->k : 0;
}

static IFD_RT void gap_energy(const ifd_element *e, const ifd_element_in *in, double *stored, double *dissipated)
{
    const gap *d = e->data;
    double depth = gap_depth(d, in->q[0]);
    *stored = 0.5 * d->k * depth * depth;
    *dissipated = 0;
}

static void gap_events(const ifd_element *e, const ifd_element_in *in, double *root)
{
    const gap *d = e->data;
    root[0] = d->side == SIDE_BELOW ? in->q[0] + d->gap : in->q[0] - d->gap;
    if (d->side == SIDE_BOTH)
        root[1] = in->q[0] + d->gap;
}

const ifd_element_ops ifd__element_gap = {
    .abi = IFD_ELEMENT_ABI,
    .name = "gap",
    .summary = "a spring that acts after a gap has closed",
    .equation = "r = k (q - gap) for q > gap; r = k (q + gap) for q < -gap; otherwise 0",
    .params = gap_params,
    .flags = IFD_ELEMENT_CONTACT,
    .make = gap_make,
    .eval = gap_eval,
    .energy = gap_energy,
    .events = gap_events,
};
