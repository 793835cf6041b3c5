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
 * acceleration, r from the path of the structure. The estimate has three equal roots at its bandwidth. */
#pragma once

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

/* Whether the computed part commands the force of interface k. */
IFD_RT static inline bool ifd__pushes(const ifd_hybrid *h, int k)
{
    return h->interface[k].pushed_at > 0;
}

IFD_RT static inline ifd__pushed *ifd__pushed_of(const ifd_hybrid *h, int k)
{
    return (ifd__pushed *)(h->x + h->interface[k].pushed_at);
}

ifd_status ifd__push_check(const ifd_hybrid_options *o, const ifd_interface_options *c, ifd_note *note);
/* Set-up: state and ground motion of interface k. */
void ifd__push_make(ifd_hybrid *h, int k);
/* sense: the position of every such specimen. */
IFD_RT void ifd__push_sense(ifd_hybrid *h);
/* Last auxiliary input that it uses; -1: none. */
IFD_RT int ifd__push_input(const ifd_hybrid *h, int k);
/* Whether the position, and the force of a wall, are measured. */
IFD_RT bool ifd__push_known(const ifd_hybrid *h, int k);
/* The estimate starts at the measured position. */
IFD_RT void ifd__push_begin(ifd_hybrid *h, int k);
/* Reference at rest before the start, of which this share is applied, and in run and hold; scale: rate of simulated
 * time. */
IFD_RT double ifd__push_rest(const ifd_hybrid *h, int k, double share);
IFD_RT double ifd__push_reference(ifd_hybrid *h, int k, double scale);
/* Release. The force that is commanded is one delay ahead of the reference and changes with it: where it comes to
 * rest, relative to the reference. Then the reference in each tick, which follows the released force with the delay:
 * what was commanded is no error. 0 and `force` itself for a prescribed force. */
IFD_RT double ifd__push_led(const ifd_hybrid *h, int k);
IFD_RT double ifd__push_lag(ifd_hybrid *h, int k, double force);
/* Step of the command that follows the specimen, and that of the lead. */
IFD_RT double ifd__push_follow(ifd_hybrid *h, int k, double stiffness);
/* Whether the specimen moves so much that a command at rest would exceed the tolerance of its force. */
IFD_RT bool ifd__push_swings(const ifd_hybrid *h, int k);
/* Columns of the commanded forces and of the positions of the specimens. */
ifd_status ifd__push_columns(ifd_hybrid *h, ifd_arena *arena);
/* Measured force that does not act on the structure. */
IFD_RT double ifd__push_apart(const ifd_hybrid *h, int k);
