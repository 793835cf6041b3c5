/* SPDX-License-Identifier: MIT */
/* A specimen on a reaction wall, loaded by an effective force.
 *
 * In the structure the support of the specimen moves with the dof u. In the laboratory the support is a wall at rest,
 * and the force -m (u'' + a_g) acts on the mass m: the displacement of the mass is then that relative to u. A load
 * cell between specimen and wall measures the force on the structure. Sajeeb, Roy, Manohar (2007), equation 87.
 *
 * u'' is the parabola whose mean values over the last three paths are those of u'. It is continued by the delay of
 * the actuator. */
#ifndef IFD_HYBRID_WALL_H
#define IFD_HYBRID_WALL_H

#include "hybrid/hybrid.h"

enum { IFD__WALL_PATHS = 3 };

#define IFD__WALLED(ONE, MANY, BLOCK)                                                                                \
    ONE(paths, "", OF_TEST)                      /* whether there was a path */                                      \
    MANY(mean, IFD__WALL_PATHS, "m/s2", OF_TEST) /* acceleration of the dof over the last paths, the newest first */ \
    ONE(force, "N", OF_RIG)                      /* of the wall on the specimen, measured */
IFD__STATE_BLOCK(ifd__walled, IFD__WALLED);
extern const ifd__state_list ifd__walled_members;

/* Whether specimen k is on a wall. */
IFD_RT static inline bool ifd__on_wall(const ifd_hybrid *h, int k)
{
    return h->interface[k].walled_at > 0;
}

IFD_RT static inline ifd__walled *ifd__walled_of(const ifd_hybrid *h, int k)
{
    return (ifd__walled *)(h->x + h->interface[k].walled_at);
}

/* o: of the test; m: model of the dof. */
ifd_status ifd__wall_check(const ifd_hybrid_options *o, const ifd_model *m, const ifd_interface_options *c,
                           ifd_note *note);
void ifd__wall_make(ifd_hybrid *h, int k);
/* Whether its force is measured; then takes it. */
IFD_RT bool ifd__wall_known(const ifd_hybrid *h, int k);
IFD_RT void ifd__wall_sense(ifd_hybrid *h, int k);
IFD_RT void ifd__wall_begin(ifd_hybrid *h, int k);
/* A new path of the dof. */
IFD_RT void ifd__wall_path(ifd_hybrid *h, int k);
/* m/s2: acceleration of the dof, `ahead` (s of simulated time) after the present one. */
IFD_RT double ifd__wall_motion(const ifd_hybrid *h, int k, double ahead);
/* The force limit of the interface holds for the wall as well. */
IFD_RT ifd_action ifd__wall_guard(ifd_hybrid *h, int k, ifd_action worst);

#endif
