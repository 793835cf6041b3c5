/* SPDX-License-Identifier: MIT */
#include "hybrid/chain.h"

#include "hybrid/force_command.h"
#include "hybrid/monitor_actions.h"
#include "hybrid/wall.h"

static bool corrects(const ifd_hybrid *h, int k)
{
    return h->interface[k].corrects;
}

static double corrected(const ifd_hybrid *h, int k, double f)
{
    (void)f;
    return ifd__compensator_of(h, k)[IFD_COMPENSATOR_F];
}

static bool tares(const ifd_hybrid *h, int k)
{
    return h->preload && h->interface[k].o->tare;
}

static double tared(const ifd_hybrid *h, int k, double f)
{
    return f - ifd__interface_of(h, k)->force_offset;
}

static bool carries_mass(const ifd_hybrid *h, int k)
{
    return h->interface[k].o->taken_out;
}

static double without_mass(const ifd_hybrid *h, int k, double f)
{
    return f - ifd__io_mass_force(&h->io, k);
}

static bool pushes(const ifd_hybrid *h, int k)
{
    return ifd__pushes(h, k) && !ifd__on_wall(h, k);
}

static bool on_wall(const ifd_hybrid *h, int k)
{
    return ifd__on_wall(h, k);
}

static double apart(const ifd_hybrid *h, int k, double f)
{
    return f - ifd__push_apart(h, k);
}

static bool may_damp(const ifd_hybrid *h, int k)
{
    return ifd__remedy_asked(&h->facts) && !h->interface[k].o->force;
}

static double damped(const ifd_hybrid *h, int k, double f)
{
    return f + ifd__remedy_force(&h->io, k);
}

static bool has_factor(const ifd_hybrid *h, int k)
{
    return h->interface[k].factor != 1.0;
}

static double devices(const ifd_hybrid *h, int k, double f)
{
    return h->interface[k].factor * f;
}

static const ifd__link links[IFD__LINKS] = {
    {"corrected force", "the force that the compensator computes for the target", corrects, corrected},
    {"tare", "less the force at the static position", tares, tared},
    {"mass on the rig", "less its inertia, by an accelerometer", carries_mass, without_mass},
    {"effective force", "less the part of the commanded force that does not act on the structure", pushes, apart},
    {"walls", "the force of the reaction walls instead of that of the actuator", on_wall, apart},
    {"damping", "plus the damping of the monitor", may_damp, damped},
    {"devices", "times the number of devices, or a scale", has_factor, devices}};

void ifd__chain_make(ifd_hybrid *h)
{
    for (int k = 0; k < h->interfaces; k++)
        for (int i = 0, n = 0; i < IFD__LINKS; i++)
            if (links[i].asked(h, k))
                h->interface[k].chain[n++] = &links[i];
}

double ifd__chain_force(const ifd_hybrid *h, int k)
{
    double f = ifd__interface_of(h, k)->measured_f + 0.0; /* not -0.0 */
    for (const ifd__link *const *l = h->interface[k].chain; *l; l++)
        f = (*l)->force(h, k, f);
    return f;
}
