/* SPDX-License-Identifier: MIT */
/* What a tick knows, for modules that do not see the test: units (unit.h), links of the force (chain.h). Everything
 * is const except the faults that are reported; a module writes only what its functions are given in addition. */
#pragma once

#include "hybrid/facts.h"
#include "hybrid/faults.h"
#include "hybrid/state.h"

/* A drive: whether its pose is lost, and its actuators. */
typedef struct ifd__drive_view {
    const double *lost;
    const ifd__actuator_state *actuator;
} ifd__drive_view;

typedef struct ifd__io {
    const ifd__facts *f;
    ifd__faults *faults;
    const ifd__test_state *test;
    const ifd__interface_state *interface[IFD_RIG_ACTUATORS];
    ifd__drive_view drive[IFD_RIG_ACTUATORS];
    const double *structure;          /* state of the numerical substructure */
    const ifd__energy_state *balance; /* of the structure; NULL: it is not recorded */
    const struct ifd__remedy *remedy; /* of each interface, by the monitor (monitor_actions.h); NULL: none */
    const double
        *replayed; /* replay with recorded parameters of copies: columns of this tick; NULL: the filter decides */
    ifd__hold_force *hold;                         /* of each interface (hold_force.h); NULL: no bound */
    struct ifd__pushed *pushed[IFD_RIG_ACTUATORS]; /* states of chain/effective_force.h; NULL: none */
    struct ifd__walled *walled[IFD_RIG_ACTUATORS];
    const ifd_measure *measure;      /* in m and N */
    const ifd_tick_in *in;           /* of this tick */
    bool fresh;                      /* a rig has sent a new measurement in this tick */
    bool renewed[IFD_RIG_ACTUATORS]; /* the rig of this interface has */
    double age;                      /* s, with elastic time: since the command that the measurement answers */
} ifd__io;

IFD_RT static inline ifd_machine ifd__io_state(const ifd__io *io)
{
    return (ifd_machine)(int)io->test->state;
}

/* Whether the state is run or hold. */
IFD_RT static inline bool ifd__io_simulates(const ifd__io *io)
{
    return ifd__io_state(io) == IFD_MACHINE_RUN || ifd__io_state(io) == IFD_MACHINE_HOLD;
}

/* Simulated time per scaled wall-clock time in this tick. */
IFD_RT static inline double ifd__io_rate(const ifd__io *io)
{
    const ifd__test_state *t = io->test;
    if (t->overtime > 0.0)
        return t->phase - t->last_phase; /* the sum of all rates is simulated time */
    return t->not_ready > 0.0 ? 0.0 : t->rate;
}

/* Whether simulated time rests. */
IFD_RT static inline bool ifd__io_rests(const ifd__io *io)
{
    const ifd__test_state *t = io->test;
    return io->f->awaits ? t->rate == 0.0
                         : t->rate_to == 0.0 && t->path_tick >= t->path_ticks && !(t->overtime > 0.0);
}

/* Whether every command, of interfaces and actuators of drives, moves by at most this fraction of the step that its
 * acceleration limit can stop within a tick. */
IFD_RT bool ifd__io_slower(const ifd__io *io, double share);

/* Inertia force of mass on the rig in the measured force of interface k. */
IFD_RT static inline double ifd__io_mass_force(const ifd__io *io, int k)
{
    const ifd_interface_options *c = io->f->interface[k].o;
    return c->taken_out ? c->mass * io->measure->auxiliary[c->accelerometer] : 0.0;
}

/* The dofs of a drive: one member (IFD__MEMBER_AT) of the states of its interfaces. */
IFD_RT static inline void ifd__io_gather(const ifd__io *io, const ifd__driven *d, int member, double *q)
{
    for (int i = 0; i < d->o->drive.dofs; i++)
        q[i] = ((const double *)io->interface[d->o->interface[i]])[member];
}
