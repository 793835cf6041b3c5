/* SPDX-License-Identifier: MIT */
/* A specimen on reaction walls. Sajeeb, Roy, Manohar (2007), equations 75, 87 and 88.
 *
 * In the structure the supports of a specimen of mass m move with the dofs u_i. In the laboratory they are walls at
 * rest, and a force acts on the mass. With stiffness k_i and damping c_i = b k_i between support i and mass, sums K
 * and C, and the quasi-static displacement u = sum k_i u_i / K, it is
 *
 *     effective   r = -m (u'' + a_g),          x relative to u            one wall: any k, unknown; two: k_i known
 *     force       r = K u + C u' - m a_g,      x relative to the ground   k_i known
 *
 * Load cells between walls and specimen measure the forces w_i on the specimen. The structure receives w_i + g_i. The
 * force g_i is that of the part of the displacements that the laboratory does not have:
 *
 *     effective   g_i = k_i (u_i - u) + c_i (u_i' - u')                   0 with one wall
 *     force       g_i = k_i u_i + c_i u_i'
 *
 * u'' is the parabola whose mean values over the last three paths are those of u'. It is continued by the delay of
 * the actuator.
 *
 * The cells are compared with each other. The mass times the divided second difference of the last three measured
 * positions is the mean value of all forces on the specimen under the hat function of these instants. The difference
 * to that of the measured forces, which are taken as linear in between, is filtered by three lags of the bandwidth of
 * the estimate. With two walls, so is (w_2 k_1 - w_1 k_2) / K. Both are zero if all cells are right. */
#pragma once

#include "hybrid/hybrid.h"

enum { IFD__WALL_PATHS = 3, IFD__WALL_LAGS = 3 };

#define IFD__WALLED(ONE, MANY, BLOCK)                                                                                \
    ONE(paths, "", OF_TEST)                      /* whether there was a path */                                      \
    MANY(mean, IFD__WALL_PATHS, "m/s2", OF_TEST) /* acceleration u'' over the last paths, the newest first */        \
    MANY(u, IFD_WALLS, "m", OF_TEST)             /* displacement and velocity of the dofs at the end of the path */  \
    MANY(v, IFD_WALLS, "m/s", OF_TEST)                                                                               \
    ONE(first, "N", OF_TEST) /* of two: force on the dof of the first at the last tick */                            \
    BLOCK(ifd__work, work, IFD__WORK)                                                                                \
    MANY(force, IFD_WALLS, "N", OF_RIG) /* of the walls on the specimen, measured */                                 \
    ONE(samples, "", OF_RIG) /* measurements so far, and ticks since the last one and between the last two */        \
    ONE(since, "", OF_RIG)                                                                                           \
    ONE(between, "", OF_RIG)                                                                                         \
    MANY(x, 2, "m", OF_RIG) /* the last two positions, the newest first, and the sums of all forces there */         \
    MANY(acting, 2, "N", OF_RIG)                                                                                     \
    MANY(sum, IFD__WALL_LAGS, "N", OF_RIG) /* filtered: what does not balance, and the difference of the walls */    \
    MANY(apart, IFD__WALL_LAGS, "N", OF_RIG)
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

/* Whether specimen k is between two walls. */
IFD_RT static inline bool ifd__between_walls(const ifd_hybrid *h, int k)
{
    return ifd__on_wall(h, k) && h->interface[k].o->force->computed->walls == 2;
}

/* o: of the test; m: model of the dofs. */
ifd_status ifd__wall_check(const ifd_hybrid_options *o, const ifd_model *m, const ifd_interface_options *c,
                           ifd_note *note);
void ifd__wall_make(ifd_hybrid *h, int k);
/* Last auxiliary input of its walls. */
IFD_RT int ifd__wall_input(const ifd_hybrid *h, int k);
/* Whether their forces are measured; then takes them. */
IFD_RT bool ifd__wall_known(const ifd_hybrid *h, int k);
IFD_RT void ifd__wall_sense(ifd_hybrid *h, int k);
/* With a new measurement of the position x: compares the cells. */
IFD_RT void ifd__wall_compare(ifd_hybrid *h, int k, double x);
IFD_RT void ifd__wall_begin(ifd_hybrid *h, int k);
/* A new path of the dofs, which are at u, v at its end: changes the path of the interface to that of the mean. */
IFD_RT void ifd__wall_path(ifd_hybrid *h, int k, const double *u, const double *v);
/* m/s2: u'', `ahead` (s of simulated time) after the present one. */
IFD_RT double ifd__wall_motion(const ifd_hybrid *h, int k, double ahead);
/* N: K u + C u' then, without an effective force; scale: rate of simulated time. */
IFD_RT double ifd__wall_pull(const ifd_hybrid *h, int k, double ahead, double scale);
/* Force on the structure at wall i. */
IFD_RT double ifd__wall_force(const ifd_hybrid *h, int k, int i);
/* Of the first of two walls: the force at this tick becomes that of the last one, or a share of its change is added;
 * its value for a load. */
IFD_RT void ifd__wall_keep(ifd_hybrid *h, int k, double share);
IFD_RT double ifd__wall_first(const ifd_hybrid *h, int k, double share);
/* Loads the structure with the force f of interface k, and with `first` of the first of two walls. */
IFD_RT void ifd__wall_load(const ifd_hybrid *h, int k, double f, double first, double *load);
/* The force limit of the interface holds for the walls as well; the cells balance. */
IFD_RT ifd_action ifd__wall_guard(ifd_hybrid *h, int k, ifd_action worst);
