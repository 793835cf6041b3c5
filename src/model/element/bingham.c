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
    {.name = "friction-force",
     .dim = IFD_DIM_FORCE,
     .required = true,
     IFD_WITHIN(0, 1e15),
     .doc = "fc, yield force; without voltage if friction-per-volt is given"},
    {.name = "friction-per-volt",
     .dim = IFD_DIM_FORCE,
     IFD_WITHIN(0, 1e15),
     .doc = "fb, increase of the yield force with the delayed voltage w, in N/V"},
    {.name = "damping", .dim = IFD_DIM_DAMPING, IFD_WITHIN(0, 1e15), .doc = "c0, viscous damping"},
    {.name = "offset", .dim = IFD_DIM_FORCE, IFD_WITHIN(-1e15, 1e15), .doc = "f0, constant force of the accumulator"},
    {.name = "smoothing",
     .dim = IFD_DIM_VELOCITY,
     .preset = 1e-3,
     IFD_WITHIN(1e-9, 1e3),
     .doc = "vr, velocity below which the sign is smoothed"},
    IFD__VOLTAGE_PARAMS,
    IFD__CONTROL_PARAM,
    {0}};

static ifd_status bingham_make(ifd_element *e, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    const ifd_param *p = bingham_params;
    bingham d = {.fc = ifd__element_number(p, values, "friction-force"),
                 .fb = ifd__element_number(p, values, "friction-per-volt"),
                 .c0 = ifd__element_number(p, values, "damping"),
                 .f0 = ifd__element_number(p, values, "offset"),
                 .vr = ifd__element_number(p, values, "smoothing"),
                 .driven = ifd_param_get(p, values, "friction-per-volt")->given};
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

const ifd__course *ifd__bingham_schedule(const ifd_element *e)
{
    const bingham *d = e->data;
    return e->ops == &ifd__element_bingham && d->driven ? &d->voltage.level : NULL;
}

const ifd_element_ops ifd__element_bingham = {
    .abi = IFD_ELEMENT_ABI,
    .name = "bingham",
    .summary = "Bingham damper: friction force, which a voltage may control, and viscous damping",
    .equation = "r = (fc + fb w) tanh(v/vr) + c0 v + f0; w' = -eta (w - V)",
    .params = bingham_params,
    .attach = IFD_ATTACH_PAIR,
    .make = bingham_make,
    .eval = bingham_eval,
    .energy = bingham_energy,
    .events = bingham_events,
};

/* r = c v + k q + a tanh(b v + d tanh(q/qr)) + f0 */
typedef struct mr_tanh {
    double c, k, a, b, d, f0, qr;
} mr_tanh;

static const ifd_param tanh_params[] = {
    {.name = "damping", .dim = IFD_DIM_DAMPING, IFD_WITHIN(0, 1e15), .doc = "c, viscous damping"},
    {.name = "stiffness", .dim = IFD_DIM_STIFFNESS, IFD_WITHIN(0, 1e15), .doc = "k, stiffness"},
    {.name = "amplitude",
     .dim = IFD_DIM_FORCE,
     .required = true,
     IFD_WITHIN(0, 1e15),
     .doc = "a, largest hysteretic force"},
    {.name = "slope",
     .dim = IFD_DIM_ANY,
     .required = true,
     IFD_WITHIN(0, 1e12),
     .doc = "b, slope of the hysteresis over velocity, in s/m"},
    {.name = "width", IFD_WITHIN(0, 1e6), .doc = "d, width of the hysteresis"},
    {.name = "offset", .dim = IFD_DIM_FORCE, IFD_WITHIN(-1e15, 1e15), .doc = "f0, constant force"},
    {.name = "smoothing",
     .dim = IFD_DIM_LENGTH,
     .preset = 1e-4,
     IFD_WITHIN(1e-9, 1e3),
     .doc = "qr, displacement in which the sign of q is smoothed"},
    {0}};

static ifd_status tanh_make(ifd_element *e, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    const ifd_param *p = tanh_params;
    mr_tanh d = {.c = ifd__element_number(p, values, "damping"),
                 .k = ifd__element_number(p, values, "stiffness"),
                 .a = ifd__element_number(p, values, "amplitude"),
                 .b = ifd__element_number(p, values, "slope"),
                 .d = ifd__element_number(p, values, "width"),
                 .f0 = ifd__element_number(p, values, "offset"),
                 .qr = ifd__element_number(p, values, "smoothing")};
    (void)note;
    return ifd__element_keep(e, arena, &d, sizeof d);
}

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
    .summary = "magnetorheological damper without states: hyperbolic tangent model (Kwok et al. 2006)",
    .equation = "r = c v + k q + a tanh(b v + d tanh(q/qr)) + f0",
    .params = tanh_params,
    .attach = IFD_ATTACH_PAIR,
    .make = tanh_make,
    .eval = tanh_eval,
    .energy = tanh_energy,
};
