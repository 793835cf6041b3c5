/* SPDX-License-Identifier: MIT */
/* Passivity observer and controller. A delayed restoring force adds energy to the structure. The observer sums the
 * work that the structure does on the specimen, minus the energy that the specimen stores as a spring of stiffness k:
 *
 *     E += D f v,   deficit = E - k (x^2 - x_0^2)/2
 *
 * While the deficit is negative, a damping force c v is added to the force for the solver, so that it becomes zero:
 * c = min(-deficit/(D v^2), c_most). The command is the target.
 *
 * Hannaford, Ryu (2002), IEEE Trans. Robot. Autom. 18; Peiris, Plummer, du Bois (2020), Mech. Syst. Signal Process.
 * 140. */
#include "rig/compensator/compensator.h"

#include <math.h>

enum { ENERGY, START, WORK, STATES };

typedef struct damping {
    double k, most, least_velocity;
    int z;
} damping;

static const ifd_param params[] = {
    IFD_NEEDED("stiffness", STIFFNESS, 0, 1e18, "k, stiffness of the specimen, for its stored energy"),
    IFD_NEEDED("most", DAMPING, 0, 1e18, "largest damping coefficient, at most 0.2 times moving mass / tick"),
    IFD_OPTION("least-velocity", VELOCITY, 1e-9, 1e3, 1e-6, "velocity below which no damping is added"),
    IFD__COMPENSATOR_PARAMS,
    {0},
};

static ifd_status make(ifd_compensator *c, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    (void)note;
    damping *d;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(d, 1)));
    d->k = ifd__compensator_number(c, values, "stiffness");
    d->most = ifd__compensator_number(c, values, "most");
    d->least_velocity = ifd__compensator_number(c, values, "least-velocity");
    /* Constant while probing: a margin is that of the loop without added damping. */
    d->z = ifd__compensator_states(c, "energy", STATES, IFD_STATE_INTEGER);
    c->data = d;
    return IFD_OK;
}

static void begin(const ifd_compensator *c, double x, double *s)
{
    const damping *d = c->data;
    s[d->z + START] = x;
}

static double correct(const ifd_compensator *c, const ifd_compensator_in *in, double *s)
{
    const damping *d = c->data;
    double *z = s + d->z, v = in->v;
    if (in->frozen)
        return in->fm;
    z[ENERGY] += c->h * in->fm * v;
    double deficit = z[ENERGY] - 0.5 * d->k * (in->x * in->x - z[START] * z[START]);
    if (!(deficit < 0.0 && fabs(v) > d->least_velocity))
        return in->fm;
    double coefficient = fmin(-deficit / (c->h * v * v), d->most), work = c->h * coefficient * v * v;
    z[ENERGY] += work;
    z[WORK] += work;
    return in->fm + coefficient * v;
}

const ifd_compensator_kind ifd__compensator_energy_damping = {
    .name = "energy-damping",
    .adapts = true,
    .summary = "the compensator adds a damping force to the measured force while the specimen seems to deliver "
               "energy (passivity observer)",
    .equation = "f = f_m + c v, c = min(-deficit / (D v^2), most) while deficit = sum D f v - k (x^2 - x0^2)/2 < 0",
    .params = params,
    .make = make,
    .begin = begin,
    .step = ifd__compensator_ahead,
    .correct = correct,
};
