/* SPDX-License-Identifier: MIT */
/* A force that the computed part commands.
 *
 * The specimen is in the laboratory with its mass. The actuator acts on it through a spring of stiffness s, whose
 * force the load cell measures. Without the spring, an actuator that controls its position could not follow the
 * motion of a mass; with it, the position p = x + r/s applies the force r (added compliance and displacement
 * compensation: Reinhorn, Sivaselvan, Liang, Shao, Pitman, Weinreber, Large scale real time dynamic hybrid testing
 * technique). x is the measured position of the specimen:
 *
 *     p' = x' + (r' + w (r - f)) / s,        w = 2 pi bandwidth
 *
 * The error decays as r - f in force_control.h, whatever the specimen does. x and r are those at the instant at which
 * the command has an effect, one delay of the actuator later: x from an estimate of position, velocity and
 * acceleration, r from the path of the structure. The estimate has three equal roots at its bandwidth.
 *
 * A specimen on reaction walls. Sajeeb, Roy, Manohar (2007), equations 75, 87 and 88.
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

#include "hybrid/chain/chain.h"
#include "hybrid/hybrid.h"

/* A motion at the next tick, estimated. */
#define IFD__TRACKED(ONE, MANY, BLOCK)                                                                               \
    ONE(x, "m", OF_RIG)                                                                                              \
    ONE(v, "m/s", OF_RIG)                                                                                            \
    ONE(a, "m/s2", OF_RIG)
IFD__STATE_BLOCK(ifd__tracked, IFD__TRACKED);

/* Fit of position, command and force to the spring (limits/spring.h). */
enum { IFD__SPRING_MEAN = 20 };
#define IFD__SPRING_FIT(ONE, MANY, BLOCK)                                                                            \
    MANY(off, IFD__SPRING_MEAN, "m", OF_RIG)                                                                         \
    ONE(next, "", OF_RIG)                                                                                            \
    ONE(known, "", OF_RIG)                                                                                           \
    ONE(first, "m", OF_RIG)                                                                                          \
    ONE(travel, "m", OF_RIG)
IFD__STATE_BLOCK(ifd__spring_fit, IFD__SPRING_FIT);

#define IFD__PUSHED(ONE, MANY, BLOCK)                                                                                \
    ONE(aim, "N", OF_RIG) /* reference of this tick */                                                               \
    ONE(x, "m", OF_RIG)   /* measured position of the specimen */                                                    \
    BLOCK(ifd__tracked, specimen, IFD__TRACKED)                                                                      \
    BLOCK(ifd__tracked, dof, IFD__TRACKED)                                                                           \
    ONE(led_x, "m", OF_RIG) /* of the last command: position of the specimen, lead of the force */                   \
    ONE(led_f, "N", OF_RIG)                                                                                          \
    ONE(lead, "N", OF_RIG) /* change of the reference within the delay */                                            \
    ONE(own, "N", OF_RIG)  /* the part of the reference that does not act on the structure, now and next */          \
    ONE(next_own, "N", OF_RIG)                                                                                       \
    ONE(mean, "m", OF_RIG) /* position of the specimen in the last second: mean, largest distance to it */           \
    ONE(swing, "m", OF_RIG)                                                                                          \
    BLOCK(ifd__spring_fit, spring, IFD__SPRING_FIT) /* last: the loop does not depend on it (analysis/loop.c) */

IFD__STATE_BLOCK(ifd__pushed, IFD__PUSHED);
extern const ifd__state_list ifd__pushed_members;

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

/* Whether the computed part commands the force of an interface; whether its specimen is on a wall, or between two. */
IFD_RT static inline bool ifd__pushes(const ifd__test_interface *w)
{
    return w->o->force && w->o->force->computed;
}

IFD_RT static inline bool ifd__on_wall(const ifd__test_interface *w)
{
    return ifd__pushes(w) && w->o->force->computed->walls > 0;
}

IFD_RT static inline bool ifd__between_walls(const ifd__io *io, int k)
{
    return io->walled[k] && io->f->interface[k].o->force->computed->walls == 2;
}

ifd_status ifd__push_check(const ifd_hybrid_options *o, const ifd_interface_options *c, ifd_note *note);
/* o: of the test; m: model of the dofs. */
ifd_status ifd__wall_check(const ifd_hybrid_options *o, const ifd_model *m, const ifd_interface_options *c,
                           ifd_note *note);
/* Set-up: state and ground motion of interface k. */
void ifd__push_make(ifd_hybrid *h, int k);
/* sense: the position of such a specimen, the forces of its walls. */
IFD_RT void ifd__push_sense(const ifd__io *io, int k);
/* Last auxiliary input that it uses; -1: none. */
IFD_RT int ifd__push_input(const ifd__io *io, int k);
/* Whether the position, and the force of a wall, are measured. */
IFD_RT bool ifd__push_known(const ifd__io *io, int k);
/* The estimate starts at the measured position. */
IFD_RT void ifd__push_begin(const ifd__io *io, int k);
/* Reference at rest before the start, of which this share is applied, and in run and hold; scale: rate of simulated
 * time. */
IFD_RT double ifd__push_rest(const ifd__io *io, int k, double share);
IFD_RT double ifd__push_reference(const ifd__io *io, int k, double scale);
/* Release. The force that is commanded is one delay ahead of the reference and changes with it: where it comes to
 * rest, relative to the reference. Then the reference in each tick, which follows the released force with the delay:
 * what was commanded is no error. 0 and `force` itself for a prescribed force. */
IFD_RT double ifd__push_led(const ifd__io *io, int k);
IFD_RT double ifd__push_lag(const ifd__io *io, int k, double force);
/* Step of the command that follows the specimen, and that of the lead. */
IFD_RT double ifd__push_follow(const ifd__io *io, int k, double stiffness);
/* Whether the specimen moves so much that a command at rest would exceed the tolerance of its force. */
IFD_RT bool ifd__push_swings(const ifd__io *io, int k);
/* Columns of the commanded forces and of the positions of the specimens. */
ifd_status ifd__push_columns(ifd_hybrid *h, ifd_arena *arena);

/* Walls. A new path of the dofs, which are at u, v at its end: changes the path c of the interface to that of the
 * mean. */
IFD_RT void ifd__wall_path(const ifd__io *io, int k, const double *u, const double *v, ifd__interface_state *c);
/* m/s2: u'', `ahead` (s of simulated time) after the present one. */
IFD_RT double ifd__wall_motion(const ifd__io *io, int k, double ahead);
/* Of the first of two walls: the force at this tick becomes that of the last one, or a share of its change is added;
 * its value for a load. */
IFD_RT void ifd__wall_keep(const ifd__io *io, int k, double share);
IFD_RT double ifd__wall_first(const ifd__io *io, int k, double share);
/* Loads the structure with the force f of interface k, and with `first` of the first of two walls. */
IFD_RT void ifd__wall_load(const ifd__io *io, int k, double f, double first, double *load);
/* The force limit of the interface holds for the walls as well; the cells balance. */
IFD_RT ifd_action ifd__wall_guard(const ifd__io *io, int k, ifd_action worst);
