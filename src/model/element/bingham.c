/* SPDX-License-Identifier: MIT */
/* Dampers whose force depends on the present motion only: the Bingham model of Stanway, Sproston and Stevens (1987),
 * with a smooth sign function, and the hyperbolic tangent model of Kwok, Ha, Nguyen, Li and Samali (2006), Smart
 * Materials and Structures 15. */
#include <math.h>

#include "model/element/course.h"

/* r = (fc + fb w) tanh(v/vr) + c0 v + f0, w' = -eta (w - V). The constant force f0 has the potential f0 q. */
typedef struct bingham {
    double fc, fb, c0, f0, vr;
    bool driven; /* fb and w */
    ifd__voltage voltage;
} bingham;

static const ifd_param bingham_params[] = {
    IFD_NEEDED("friction-force", FORCE, 0, 1e15, "fc, friction force at zero voltage", IFD_AT(bingham, fc)),
    IFD_OPTION("friction-per-volt", FORCE, 0, 1e15, 0, "fb, increase of the friction force with the voltage, in N/V",
               IFD_AT(bingham, fb)),
    IFD_OPTION("damping", DAMPING, 0, 1e15, 0, "c0, viscous damping", IFD_AT(bingham, c0)),
    IFD_OPTION("offset", FORCE, -1e15, 1e15, 0, "f0, constant force of the accumulator", IFD_AT(bingham, f0)),
    IFD_OPTION("smoothing", VELOCITY, 1e-9, 1e3, 1e-3, "vr, velocity below which the friction is smoothed",
               IFD_AT(bingham, vr)),
    IFD__VOLTAGE_PARAMS(bingham),
    IFD__CONTROL_PARAM,
    {0}};

static ifd_status bingham_make(ifd_element *e, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    const ifd_param *p = bingham_params;
    bingham d = {.driven = ifd_param_get(p, values, "friction-per-volt")->given};
    ifd_param_store(bingham_params, values, &d);
    d.voltage.own = d.driven;
    IFD_TRY(ifd__voltage_make(e, p, values, arena, &d.voltage, note));
    if (d.voltage.law.nin && !d.driven)
        return ifd_note_add(note, IFD_MISSING_KEY, NULL,
                            "element '%s' has 'control' without effect; expected 'friction-per-volt' beside it",
                            e->name);
    e->nroot = d.driven ? ifd__voltage_roots(&d.voltage) : 0;
    return ifd__element_keep(e, arena, &d, sizeof d);
}

static IFD_RT void bingham_eval(const ifd_element *e, const ifd_element_in *in, const ifd_element_out *out)
{
    const bingham *d = e->data;
    double v = in->qd[0], t = tanh(v / d->vr), fc = d->fc + (d->driven ? d->fb * in->s[0] : 0.0);
    if (out->r)
        out->r[0] = fc * t + d->c0 * v + d->f0;
    if (out->r_v)
        out->r_v[0] = fc * (1.0 - t * t) / d->vr + d->c0;
    if (!d->driven)
        return;
    if (out->r_s)
        out->r_s[0] = d->fb * t;
    ifd__voltage_rates(&d->voltage, e, in, 0, out);
}

static IFD_RT void bingham_energy(const ifd_element *e, const ifd_element_in *in, double *stored, double *dissipated)
{
    const bingham *d = e->data;
    double r[1 + IFD__CONTROL_INPUTS] = {0.0};
    bingham_eval(e, in, &(ifd_element_out){.r = r});
    *stored = d->f0 * in->q[0];
    *dissipated = (r[0] - d->f0) * in->qd[0];
}

static void bingham_events(const ifd_element *e, const ifd_element_in *in, double *root)
{
    const bingham *d = e->data;
    if (e->nroot)
        ifd__voltage_events(&d->voltage, in, root);
}

static double bingham_jump(const ifd_element *e, double t)
{
    const bingham *d = e->data;
    return d->driven ? ifd__course_jump(&d->voltage.level, t) : HUGE_VAL;
}

const ifd_element_ops ifd__element_bingham = {
    .abi = IFD_ELEMENT_ABI,
    .name = "bingham",
    .summary = "a Bingham damper: viscous damping, and a friction force that a voltage may control",
    .equation = "r = (fc + fb w) tanh(v/vr) + c0 v + f0; w' = -eta (w - V)",
    .params = bingham_params,
    .make = bingham_make,
    .eval = bingham_eval,
    .energy = bingham_energy,
    .events = bingham_events,
    .jump = bingham_jump,
};

/* r = c v + k q + a tanh(b v + d tanh(q/qr)) + f0 */
typedef struct mr_tanh {
    double c, k, a, b, d, f0, qr;
} mr_tanh;

static const ifd_param tanh_params[] = {
    IFD_OPTION("damping", DAMPING, 0, 1e15, 0, "c, viscous damping", IFD_AT(mr_tanh, c)),
    IFD_OPTION("stiffness", STIFFNESS, 0, 1e15, 0, "k, stiffness", IFD_AT(mr_tanh, k)),
    IFD_NEEDED("amplitude", FORCE, 0, 1e15, "a, largest hysteretic force", IFD_AT(mr_tanh, a)),
    IFD_NEEDED("slope", ANY, 0, 1e12, "b, slope over the velocity, in s/m", IFD_AT(mr_tanh, b)),
    IFD_OPTION("width", NONE, 0, 1e6, 0, "d, width of the hysteresis", IFD_AT(mr_tanh, d)),
    IFD_OPTION("offset", FORCE, -1e15, 1e15, 0, "f0, constant force", IFD_AT(mr_tanh, f0)),
    IFD_OPTION("smoothing", LENGTH, 1e-9, 1e3, 1e-4, "qr, displacement in which the sign of q changes smoothly",
               IFD_AT(mr_tanh, qr)),
    {0}};

static IFD_RT void tanh_eval(const ifd_element *e, const ifd_element_in *in, const ifd_element_out *out)
{
    const mr_tanh *d = e->data;
    double q = in->q[0], v = in->qd[0], side = tanh(q / d->qr), t = tanh(d->b * v + d->d * side), s = 1.0 - t * t;
    if (out->r)
        out->r[0] = d->c * v + d->k * q + d->a * t + d->f0;
    if (out->r_q)
        out->r_q[0] = d->k + d->a * s * d->d * (1.0 - side * side) / d->qr;
    if (out->r_v)
        out->r_v[0] = d->c + d->a * s * d->b;
}

static IFD_RT void tanh_energy(const ifd_element *e, const ifd_element_in *in, double *stored, double *dissipated)
{
    const mr_tanh *d = e->data;
    double q = in->q[0], r = 0.0;
    tanh_eval(e, in, &(ifd_element_out){.r = &r});
    *stored = 0.5 * d->k * q * q + d->f0 * q;
    *dissipated = (r - d->k * q - d->f0) * in->qd[0];
}

const ifd_element_ops ifd__element_mr_tanh = {
    .abi = IFD_ELEMENT_ABI,
    .name = "mr-tanh",
    .summary = "a magnetorheological damper without internal states (hyperbolic tangent model of Kwok et al. "
               "2006)",
    .equation = "r = c v + k q + a tanh(b v + d tanh(q/qr)) + f0",
    .params = tanh_params,
    .bytes = sizeof(mr_tanh),
    .make = ifd_element_make,
    .eval = tanh_eval,
    .energy = tanh_energy,
};
