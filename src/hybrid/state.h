/* SPDX-License-Identifier: MIT */
/* The state of a hybrid test: one block of the test, one per interface dof (followed by the state of its
 * compensator), one per actuator of a drive, one per actuator of the rig for the search of its position, one per rig
 * if there are several, one of a remote master. With a bound on the change of a force on hold, one more per interface
 * dof. */
#pragma once

#include <interfield/hybrid.h>

#include "base/state_block.h"
#include "rig/command_filter.h"
#include "rig/missed.h"
#include "rig/no_force.h"
#include "rig/sensors.h"
#include "substructure/response.h"

enum {
    IFD__FITTED = 9, /* positions of the fit of a measured motion */
    IFD__MEAN = 8    /* ticks of the means of a response */
};

/* The rig of a test, or one of several (rigs.h): what it reported, in the order of ifd__rig_heard; then, of several,
 * what their columns show; then what the limits count. */
#define IFD__RIG_STATE(ONE, MANY, BLOCK)                                                                             \
    ONE(fresh, "", OF_RIG)                                                                                           \
    ONE(answered, "tick", OF_RIG)                                                                                    \
    ONE(arrived, "tick", OF_RIG)                                                                                     \
    ONE(inputs, "", OF_RIG)                                                                                          \
    ONE(time, "s", OF_RIG)                                                                                           \
    ONE(taken, "s", OF_RIG)                                                                                          \
    ONE(clock, "", OF_RIG)                                                                                           \
    ONE(round_trip, "s", OF_RIG)                                                                                     \
    ONE(age, "s", OF_RIG)      /* of the measurement in use, since the command that it answers */                    \
    ONE(lost, "", OF_RIG)      /* ticks without a new measurement so far */                                          \
    ONE(heard, "", OF_RIG)     /* whether it has ever sent its position */                                           \
    ONE(sample, "", OF_RIG)    /* whether it has sent one since the last sample of the search for its position */    \
    ONE(stale, "tick", OF_RIG) /* successive ticks without a new measurement */                                      \
    ONE(acknowledged, "tick", OF_RIG) /* newest properly acknowledged command */                                     \
    ONE(silent, "tick", OF_RIG)       /* without measurement or acknowledgement; the larger */                       \
    ONE(leads, "tick", OF_RIG)        /* by which the newest acknowledgement exceeds the sent commands */

#define IFD__TEST_STATE(ONE, MANY, BLOCK)                                                                            \
    ONE(state, "", OF_TEST)     /* ifd_machine */                                                                    \
    ONE(tick, "", OF_RIG)       /* ticks so far */                                                                   \
    ONE(step, "", OF_TEST)      /* completed steps */                                                                \
    ONE(exchange, "", OF_TEST)  /* next exchange of the step */                                                      \
    ONE(phase, "tick", OF_TEST) /* ticks of full rate since the last stage, now and at the last tick */              \
    ONE(last_phase, "tick", OF_TEST)                                                                                 \
    ONE(rate, "", OF_TEST)       /* simulated time per scaled wall-clock time, 0..1 */                               \
    ONE(path_tick, "", OF_TEST)  /* ticks since the order to hold or to resume; of a remote path */                  \
    ONE(path_ticks, "", OF_TEST) /* duration of it in ticks */                                                       \
    ONE(rate_from, "", OF_TEST)  /* rate and phase at its start and at its end */                                    \
    ONE(rate_to, "", OF_TEST)                                                                                        \
    ONE(phase_from, "tick", OF_TEST)                                                                                 \
    ONE(phase_to, "tick", OF_TEST)                                                                                   \
    ONE(slope, "1/tick", OF_TEST) /* change of the rate in a tick, now and at its start */                           \
    ONE(slope_from, "1/tick", OF_TEST)                                                                               \
    ONE(state_time, "s", OF_TEST)   /* of wall-clock time in the present state */                                    \
    ONE(settled, "s", OF_TEST)      /* of wall-clock time since every interface arrived */                           \
    ONE(late, "tick", OF_TEST)      /* successive late ticks */                                                      \
    ONE(late_most, "s", OF_TEST)    /* largest lateness of them */                                                   \
    ONE(not_ready, "tick", OF_TEST) /* successive ticks waiting for a substructure on a worker */                    \
    ONE(inputs, "", OF_TEST)        /* last received digital inputs */                                               \
    ONE(armed, "", OF_TEST)         /* number of times the test was armed */                                         \
    ONE(armed_tick, "", OF_TEST)    /* tick of arming, or of the start of a return into the stroke */                \
    ONE(commanded, "", OF_TEST)     /* whether positions are commanded */                                            \
    ONE(searched, "", OF_TEST)      /* tick at which the search for the position of the rig began */                 \
    ONE(return_time, "s", OF_TEST)  /* duration of the return into the stroke */                                     \
    ONE(agreeing, "", OF_TEST)      /* idle: successive samples that agree */                                        \
    ONE(found, "", OF_TEST)         /* idle: whether the rig was found */                                            \
    ONE(wait, "", OF_TEST)          /* idle: ifd_wait, owner, value and limits; s so far */                          \
    ONE(wait_owner, "", OF_TEST)                                                                                     \
    ONE(wait_value, "", OF_TEST)                                                                                     \
    ONE(wait_low, "", OF_TEST)                                                                                       \
    ONE(wait_high, "", OF_TEST)                                                                                      \
    ONE(waited, "s", OF_TEST)                                                                                        \
    ONE(fault, "", OF_TEST) /* latched: ifd_trip, its tick, owner, value, limit */                                   \
    ONE(fault_tick, "", OF_TEST)                                                                                     \
    ONE(fault_owner, "", OF_TEST)                                                                                    \
    ONE(fault_value, "", OF_TEST)                                                                                    \
    ONE(fault_limit, "", OF_TEST)                                                                                    \
    ONE(preload, "", OF_TEST)         /* corrections of the static equilibrium so far */                             \
    ONE(preload_ticks, "", OF_TEST)   /* of the averages of forces */                                                \
    ONE(preload_last, "", OF_TEST)    /* size of the last correction */                                              \
    ONE(checkpoint, "", OF_TEST)      /* requested at the next tick with a complete state */                         \
    ONE(checkpoint_age, "s", OF_TEST) /* of wall-clock time in state run since the last one */                       \
    ONE(checkpoint_held, "", OF_TEST) /* one was taken since the test came to rest on hold */                        \
    ONE(parked, "tick", OF_TEST)      /* since the last recorded tick of a tripped test that waits */                \
    ONE(braked, "s", OF_TEST)         /* of wall-clock time in ramp-out since every command came to rest */          \
    ONE(power_order, "", OF_TEST)     /* ifd_order that waits for power (power.h), and the tick of its request */    \
    ONE(power_tick, "tick", OF_TEST)                                                                                 \
    ONE(power_asked, "", OF_TEST)   /* quit was asked for once, with a loaded specimen on a free axis */             \
    ONE(power_refused, "", OF_TEST) /* ifd_answer in this tick, if it waited in vain */                              \
    ONE(calm, "", OF_TEST)          /* 0..1, fraction of the calm command (command_filter.h) in the command */       \
    MANY(faults, IFD_TRIP_COUNT, "", OF_TEST) /* counts */                                                           \
    ONE(pace, "", OF_TEST)                    /* ordered fraction of the full rate: 1, 1/2, ... 1/16 */              \
    ONE(overtime, "", OF_TEST)                /* 1: moves past a stage that is not solved (pace/scaled.h) */         \
    ONE(watch_action, "", OF_TEST)            /* ifd_action of the newest fault of the monitor */                    \
    ONE(solved, "", OF_TEST)                  /* the stage is solved; the specimens still return to its place */     \
    ONE(cap, "", OF_TEST)        /* largest rate after the monitor has slowed the test; 1: it has not */             \
    ONE(stands, "tick", OF_TEST) /* without progress (standstill.h) */                                               \
    ONE(power_cut, "", OF_TEST)  /* 1: a limit with the action power-off was exceeded */                             \
    BLOCK(ifd__rig_state, rig, IFD__RIG_STATE) /* of the only rig; the worst of several */

/* What orders leave behind (orders.h). Ticks that are not recorded change it, so it is outside the hash of a tick. It
 * is never part of a continued test. */
#define IFD__ORDERS(ONE, MANY, BLOCK)                                                                                \
    ONE(wants, "", OF_RIG)          /* ifd__wants: a stop or a park that waits for rest */                           \
    ONE(stop_tick, "", OF_RIG)      /* of the first stop; 0: none */                                                 \
    ONE(stop_source, "", OF_RIG)    /* who gave it */                                                                \
    ONE(later, "tick", OF_RIG)      /* at rest since an automatic stop */                                            \
    ONE(unloads, "", OF_RIG)        /* 1: ramp-out to zero force, whatever the case leaves */                        \
    ONE(pressure, "", OF_RIG)       /* IFD_OUTPUT_LOW, IFD_OUTPUT_HIGH as ordered */                                 \
    ONE(pressure_stage, "", OF_RIG) /* ifd__pressure_stage (pressure.h), and its first tick */                       \
    ONE(pressure_tick, "tick", OF_RIG)                                                                               \
    ONE(pressure_said, "", OF_RIG) /* ifd_answer to be given, with its numbers */                                    \
    ONE(pressure_value, "", OF_RIG)                                                                                  \
    ONE(pressure_limit, "", OF_RIG)                                                                                  \
    ONE(off, "", OF_RIG)   /* 1: off was ordered since the last motion */                                            \
    ONE(wrong, "", OF_RIG) /* ifd_wait: which input was wrong last, and its last tick */                             \
    ONE(wrong_tick, "", OF_RIG)                                                                                      \
    ONE(start_button, "", OF_RIG) /* its last input; whether it rose in this tick */                                 \
    ONE(start_edge, "", OF_RIG)                                                                                      \
    ONE(agreed, "", OF_RIG)                 /* 1: run was ordered in ready, before the start instant */              \
    ONE(wall, "s", OF_RIG)                  /* of the last tick */                                                   \
    BLOCK(ifd__missed, missed, IFD__MISSED) /* measurements of the last second */                                    \
    ONE(run_stale, "tick", OF_RIG)          /* in state run: without a new measurement, and all */                   \
    ONE(run_ticks, "tick", OF_RIG)                                                                                   \
    ONE(cleared, "", OF_RIG)     /* 1: people have cleared the run since the test was armed */                       \
    ONE(along_rate, "", OF_TEST) /* of its time, with elastic time */                                                \
    ONE(along, "s", OF_TEST) /* of ramp-in at the start of a brake on its path; duration of the brake, 0: none */    \
    ONE(along_brake, "s", OF_TEST)

/* Observations of command and measurement (observe.h). */
#define IFD__OBSERVED(ONE, MANY, BLOCK)                                                                              \
    ONE(step, "m", OF_TEST) /* last step of the command */                                                           \
    ONE(a, "m/s2", OF_TEST) /* acceleration of the command, smoothed once and twice */                               \
    ONE(a_twice, "m/s2", OF_TEST)                                                                                    \
    ONE(peak_a, "m/s2", OF_TEST) /* largest in ramp-in and run; largest velocity */                                  \
    ONE(peak_v, "m/s", OF_TEST)                                                                                      \
    ONE(lag_sum, "m2/s", OF_TEST) /* decaying sums for the lag of the measured position behind the command */        \
    ONE(lag_size, "m2/s2", OF_TEST)                                                                                  \
    ONE(older_f, "N", OF_RIG) /* the force two ticks ago */                                                          \
    ONE(ticks, "", OF_RIG)    /* measurements so far, up to the memory of the noise */                               \
    ONE(step_f, "N", OF_RIG)  /* smallest nonzero difference of successive forces and positions */                   \
    ONE(step_x, "m", OF_RIG)                                                                                         \
    ONE(noise_f, "N2", OF_RIG) /* variance of the noise of force and position */                                     \
    ONE(noise_x, "m2", OF_RIG)                                                                                       \
    ONE(stiffness, "N/m", OF_TEST) /* of the last cycles, and start of its present segment */                        \
    ONE(piece_x, "m", OF_TEST)                                                                                       \
    ONE(piece_f, "N", OF_TEST)                                                                                       \
    ONE(peak_f, "N", OF_TEST)    /* largest since arming */                                                          \
    ONE(piece_far, "m", OF_TEST) /* signed largest distance from there so far */

/* Ramp-out of an interface (ramp_out.c). */
#define IFD__UNLOADING(ONE, MANY, BLOCK)                                                                             \
    ONE(phase, "", OF_TEST) /* and s in it */                                                                        \
    ONE(time, "s", OF_TEST)                                                                                          \
    ONE(length, "s", OF_TEST) /* of a planned motion; its start; its end */                                          \
    ONE(p, "m", OF_TEST)                                                                                             \
    ONE(v, "m/s", OF_TEST)                                                                                           \
    ONE(a, "m/s2", OF_TEST)                                                                                          \
    ONE(end, "m", OF_TEST)   /* during unloading: position of the last significant change of the force, `side` */    \
    ONE(force, "N", OF_TEST) /* smoothed; more strongly; position, smoothed */                                       \
    ONE(slow_force, "N", OF_TEST)                                                                                    \
    ONE(x, "m", OF_TEST)                                                                                             \
    ONE(side, "N", OF_TEST) /* the last force at rest beyond the noise; number of its sign changes */                \
    ONE(swings, "", OF_TEST)                                                                                         \
    ONE(settled, "s", OF_TEST)     /* since it last changed */                                                       \
    ONE(began, "N", OF_TEST)       /* when unloading began */                                                        \
    ONE(stiffness, "N/m", OF_TEST) /* in use for unloading, its final value, value known before */                   \
    ONE(stiffness_goal, "N/m", OF_TEST)                                                                              \
    ONE(stiffness_known, "N/m", OF_TEST)                                                                             \
    ONE(mark_f, "N", OF_TEST) /* start of its present segment */                                                     \
    ONE(mark_x, "m", OF_TEST)                                                                                        \
    ONE(gain, "", OF_TEST) /* 0..1, engagement of unloading */                                                       \
    ONE(speed, "m/s", OF_TEST)                                                                                       \
    ONE(noise, "N", OF_TEST)  /* of the load cell, at the start */                                                   \
    ONE(from_x, "m", OF_TEST) /* position when unloading began */                                                    \
    ONE(same_x, "m", OF_TEST) /* position of the last change of the load cell */

/* The force of an interface on hold (hold_force.h) in a test with a bound: s of wall-clock time since every command
 * came to rest; mean of the first ticks after the lag, and running mean of the newest ones; their numbers. */
#define IFD__HOLD_FORCE(ONE, MANY, BLOCK)                                                                            \
    ONE(rested, "s", OF_TEST)                                                                                        \
    ONE(first, "N", OF_TEST)                                                                                         \
    ONE(firsts, "", OF_TEST)                                                                                         \
    ONE(newest, "N", OF_TEST)                                                                                        \
    ONE(newests, "", OF_TEST)

/* Response of a specimen to its motion (stiffness.h): the last values, the reference, the start of a segment. */
#define IFD__RESPONDING(ONE, MANY, BLOCK)                                                                            \
    MANY(x, IFD__MEAN, "m", OF_RIG)                                                                                  \
    MANY(f, IFD__MEAN, "N", OF_RIG)                                                                                  \
    ONE(next, "", OF_RIG)  /* place of the next one */                                                               \
    ONE(known, "", OF_RIG) /* number of them */                                                                      \
    ONE(state, "", OF_TEST)                                                                                          \
    ONE(judged, "", OF_TEST)                                                                                         \
    ONE(x0, "m", OF_TEST)                                                                                            \
    ONE(f0, "N", OF_TEST)                                                                                            \
    ONE(loop_x, "m", OF_TEST)                                                                                        \
    ONE(loop_f, "N", OF_TEST)

#define IFD__INTERFACE_STATE(ONE, MANY, BLOCK)                                                                       \
    ONE(from_u, "m", OF_TEST) /* the path between two stages: displacement, velocity (simulated time) */             \
    ONE(from_v, "m/s", OF_TEST)                                                                                      \
    ONE(from_a, "m/tick2", OF_TEST) /* for a remote master */                                                        \
    ONE(to_u, "m", OF_TEST)                                                                                          \
    ONE(to_v, "m/s", OF_TEST)                                                                                        \
    ONE(to_a, "m/tick2", OF_TEST)                                                                                    \
    ONE(command, "m", OF_FORCE) /* governed: position and step */                                                    \
    ONE(step, "m", OF_FORCE)                                                                                         \
    ONE(requested, "m", OF_TEST) /* last input of the governor */                                                    \
    ONE(target, "m", OF_FORCE)   /* target now, and at the next tick */                                              \
    ONE(next_target, "m", OF_FORCE)                                                                                  \
    ONE(target_v, "m/s", OF_TEST) /* of wall clock */                                                                \
    ONE(next_target_v, "m/s", OF_TEST)                                                                               \
    ONE(measured_x, "m", OF_RIG) /* now and before */                                                                \
    ONE(measured_f, "N", OF_RIG)                                                                                     \
    ONE(last_x, "m", OF_RIG)                                                                                         \
    ONE(last_f, "N", OF_RIG)                                                                                         \
    ONE(force, "N", OF_TEST) /* on the structure at the last tick, and the target there */                           \
    ONE(force_at, "m", OF_TEST)                                                                                      \
    BLOCK(ifd__reading, reading, IFD__READING)                                                                       \
    ONE(slow_lag, "m", OF_TEST) /* lag of a slow actuator behind the command */                                      \
    ONE(start, "m", OF_TEST)    /* position when armed */                                                            \
    ONE(energy, "J", OF_TEST)   /* work of the measured force over the tracking error */                             \
    ONE(peak_tracking, "m", OF_TEST)                                                                                 \
    ONE(peak_force, "N", OF_TEST)                                                                                    \
    ONE(peak_command, "m", OF_TEST)                                                                                  \
    ONE(force_start, "N", OF_TEST) /* force control: start of ramp-in, reference, simulated time */                  \
    ONE(force_target, "N", OF_TEST)                                                                                  \
    ONE(force_time, "s", OF_TEST)                                                                                    \
    ONE(force_step, "N", OF_TEST)   /* change of the reference in the last tick */                                   \
    ONE(force_offset, "N", OF_TEST) /* subtracted from the measured force */                                         \
    ONE(force_sum, "N", OF_TEST)    /* preload: sum of forces and of their squares */                                \
    ONE(force_squares, "N2", OF_TEST)                                                                                \
    ONE(peak_force_error, "N", OF_TEST)                                                                              \
    BLOCK(ifd__observed, seen, IFD__OBSERVED)                                                                        \
    BLOCK(ifd__calm, calm, IFD__CALM) /* smooth command */                                                           \
    BLOCK(ifd__unloading, out, IFD__UNLOADING)                                                                       \
    BLOCK(ifd__load_cell, load_cell, IFD__LOAD_CELL)                                                                 \
    BLOCK(ifd__responding, response, IFD__RESPONDING)                                                                \
    BLOCK(ifd__cycles, cycles, IFD__CYCLES)                                                                          \
    MANY(past_x, IFD__FITTED, "m", OF_RIG) /* the last measured positions */

/* One actuator of a drive. */
#define IFD__ACTUATOR_STATE(ONE, MANY, BLOCK)                                                                        \
    ONE(command, "m", OF_RIG) /* governed: extension and step */                                                     \
    ONE(step, "m", OF_RIG)                                                                                           \
    ONE(requested, "m", OF_RIG)  /* of its governor, last */                                                         \
    ONE(measured_x, "m", OF_RIG) /* now and before */                                                                \
    ONE(measured_f, "N", OF_RIG)                                                                                     \
    ONE(last_x, "m", OF_RIG)                                                                                         \
    ONE(last_f, "N", OF_RIG)                                                                                         \
    ONE(error, "m", OF_RIG) /* measured minus the extension of the target pose */                                    \
    BLOCK(ifd__reading, reading, IFD__READING)                                                                       \
    ONE(slow_lag, "m", OF_RIG)  /* lag of a slow actuator behind its command */                                      \
    ONE(sharing, "m", OF_RIG)   /* correction for load sharing (drives.c) */                                         \
    ONE(found_off, "m", OF_RIG) /* deviation from its pose when found */                                             \
    BLOCK(ifd__load_cell, load_cell, IFD__LOAD_CELL)                                                                 \
    ONE(peak_tracking, "m", OF_TEST)                                                                                 \
    ONE(peak_force, "N", OF_TEST)                                                                                    \
    ONE(peak_command, "m", OF_TEST)                                                                                  \
    ONE(a, "m/s2", OF_TEST) /* of the command, smoothed; largest in ramp-in and run; largest velocity */             \
    ONE(peak_a, "m/s2", OF_TEST)                                                                                     \
    ONE(peak_v, "m/s", OF_TEST)

/* One actuator of the rig during the search for its position (position_search.h). */
#define IFD__FINDING(ONE, MANY, BLOCK)                                                                               \
    ONE(first, "m", OF_TEST) /* sample of the present series */                                                      \
    ONE(sum, "m", OF_TEST)   /* of all samples minus the first: the mean of equal samples is exact */                \
    ONE(low, "m", OF_TEST)   /* smallest and largest */                                                              \
    ONE(high, "m", OF_TEST)                                                                                          \
    ONE(at, "m", OF_TEST)       /* found position: the mean of a complete series */                                  \
    ONE(pressed_x, "m", OF_RIG) /* position and force at the order low (pressure.h) */                               \
    ONE(pressed_f, "N", OF_RIG)

/* A remote master, after its u and v; past targets follow, newest first. */
#define IFD__REMOTE_STATE(ONE, MANY, BLOCK)                                                                          \
    ONE(phase, "", OF_TEST)  /* ifd__phase */                                                                        \
    ONE(taken, "", OF_TEST)  /* number of the newest target */                                                       \
    ONE(goal, "", OF_TEST)   /* number of the target at the end of the path */                                       \
    ONE(step, "", OF_TEST)   /* whether it is the first of a step */                                                 \
    ONE(known, "", OF_TEST)  /* targets in the history */                                                            \
    ONE(time, "s", OF_TEST)  /* of the master, of the newest target */                                               \
    ONE(ended, "", OF_TEST)  /* the master has sent its end */                                                       \
    ONE(over, "", OF_TEST)   /* the master was informed that there are no more answers */                            \
    ONE(late, "", OF_TEST)   /* targets that arrived after the brake of the specimens */                             \
    ONE(smooth, "", OF_TEST) /* the path is a quintic */

/* Recorded response of the structure (response.h), followed by one block of work per interface. */
#define IFD__RESPONSE_STATE(ONE, MANY, BLOCK)                                                                        \
    ONE(taken, "", OF_TEST) /* published ends of steps, including the start */                                       \
    BLOCK(ifd__energy_state, balance, IFD__ENERGY_STATE)

/* Work of the structure on the specimen of an interface. */
#define IFD__WORK(ONE, MANY, BLOCK)                                                                                  \
    ONE(from, "m", OF_TEST) /* deformation of the structure at the last and at the next exchange */                  \
    ONE(to, "m", OF_TEST)                                                                                            \
    ONE(last_force, "N", OF_TEST) /* on the structure at these exchanges */                                          \
    ONE(force, "N", OF_TEST)

IFD__STATE_BLOCK(ifd__response_state, IFD__RESPONSE_STATE);
IFD__STATE_BLOCK(ifd__work, IFD__WORK);
IFD__STATE_BLOCK(ifd__rig_state, IFD__RIG_STATE);
IFD__STATE_BLOCK(ifd__test_state, IFD__TEST_STATE);
IFD__STATE_BLOCK(ifd__orders, IFD__ORDERS);
IFD__STATE_BLOCK(ifd__observed, IFD__OBSERVED);
IFD__STATE_BLOCK(ifd__unloading, IFD__UNLOADING);
IFD__STATE_BLOCK(ifd__responding, IFD__RESPONDING);
IFD__STATE_BLOCK(ifd__hold_force, IFD__HOLD_FORCE);
IFD__STATE_BLOCK(ifd__interface_state, IFD__INTERFACE_STATE);
IFD__STATE_BLOCK(ifd__actuator_state, IFD__ACTUATOR_STATE);
IFD__STATE_BLOCK(ifd__finding, IFD__FINDING);
IFD__STATE_BLOCK(ifd__remote_state, IFD__REMOTE_STATE);

/* The members of a block in order. */
typedef struct ifd__state_list {
    const ifd__state_member *member;
    int members;
} ifd__state_list;

extern const ifd__state_list ifd__test_members, ifd__interface_members, ifd__actuator_members, ifd__rig_members;

/* Copies the members of a block that belong to the rig or, with IFD__OF_FORCE, also those of a controlled force. */
IFD_RT void ifd__state_put(const ifd__state_list *list, void *to, const void *from, ifd__state_owner owner);
