/* SPDX-License-Identifier: MIT */
/* The links of a force, in their order. */
#include "hybrid/chain/effective_force.h"

#include "hybrid/monitor_actions.h"

static bool corrects(const ifd__facts *f, int k)
{
    return f->interface[k].corrects;
}

static double corrected(const ifd__io *io, int k, double f)
{
    (void)f;
    return ((const double *)(io->interface[k] + 1))[IFD_COMPENSATOR_F];
}

static bool tares(const ifd__facts *f, int k)
{
    return f->opt->preload && f->interface[k].o->tare;
}

static double tared(const ifd__io *io, int k, double f)
{
    return f - io->interface[k]->force_offset;
}

static bool carries_mass(const ifd__facts *f, int k)
{
    return f->interface[k].o->taken_out;
}

static double without_mass(const ifd__io *io, int k, double f)
{
    return f - ifd__io_mass_force(io, k);
}

static bool may_damp(const ifd__facts *f, int k)
{
    return ifd__remedy_asked(f) && !f->interface[k].o->force;
}

static double damped(const ifd__io *io, int k, double f)
{
    return f + ifd__remedy_force(io, k);
}

static bool has_factor(const ifd__facts *f, int k)
{
    return f->interface[k].factor != 1.0;
}

static double devices(const ifd__io *io, int k, double f)
{
    return io->f->interface[k].factor * f;
}

static const ifd__link
    corrected_force = {.name = "corrected force",
                       .about = "the force that the compensator computes for the target",
                       .asked = corrects,
                       .force = corrected},
    tare = {.name = "tare", .about = "less the force at the static position", .asked = tares, .force = tared},
    mass = {.name = "mass on the rig",
            .about = "less its inertia, by an accelerometer",
            .asked = carries_mass,
            .force = without_mass},
    damping = {.name = "damping", .about = "plus the damping of the monitor", .asked = may_damp, .force = damped},
    factor = {
        .name = "devices", .about = "times the number of devices, or a scale", .asked = has_factor, .force = devices};

/* In the order of their calls. */
static const ifd__link *const links[IFD__LINKS] = {&corrected_force, &tare,    &mass,  &ifd__link_effective_force,
                                                   &ifd__link_walls, &damping, &factor};

void ifd__chain_make(ifd_hybrid *h)
{
    for (int k = 0; k < h->interfaces; k++)
        for (int i = 0, n = 0; i < IFD__LINKS; i++)
            if (links[i]->asked(&h->facts, k))
                h->interface[k].chain[n++] = links[i];
}

void ifd__chain_sense(const ifd__io *io)
{
    for (int k = 0; k < io->f->interfaces; k++)
        for (const ifd__link *const *l = io->f->interface[k].chain; *l; l++)
            if ((*l)->sense)
                (*l)->sense(io, k);
}
