/* SPDX-License-Identifier: MIT */
/* The state of a hybrid test: one block of its own, one per interface dof (its compensator's state follows), one per
 * actuator of a drive, one per actuator of the rig while its position is looked for, one of a remote master; where
 * the change of a force on hold is bounded, one more per interface dof. */
#ifndef IFD_HYBRID_STATE_H
#define IFD_HYBRID_STATE_H

#include <interfield/hybrid.h>

#include "base/state_block.h"
#include "hybrid/calm.h"
#include "substructure/response.h"

enum {
    IFD__FITTED = 9,   /* positions that a measured motion is fitted to */
    IFD__INDICATED = 3 /* columns of an interface's indicators */
};

#define IFD__TEST_STATE(ONE, MANY, BLOCK)                                                                            \
    ONE(state, "", OF_TEST)     /* ifd_machine */                                                                    \
    ONE(tick, "", OF_RIG)       /* ticks so far */                                                                   \
    ONE(step, "", OF_TEST)      /* whole steps done */                                                               \
    ONE(exchange, "", OF_TEST)  /* the exchange of a step that comes next */                                         \
    ONE(phase, "tick", OF_TEST) /* ticks of full rate since the last stage, now and at the last tick */              \
    ONE(last_phase, "tick", OF_TEST)                                                                                 \
    ONE(rate, "", OF_TEST)       /* simulated time per scaled wall-clock time, 0..1 */                               \
    ONE(path_tick, "", OF_TEST)  /* ticks since the order to hold or to resume; of a remote path */                  \
    ONE(path_ticks, "", OF_TEST) /* ticks which that takes */                                                        \
    ONE(rate_from, "", OF_TEST)  /* rate and phase at its start and at its end */                                    \
    ONE(rate_to, "", OF_TEST)                                                                                        \
    ONE(phase_from, "tick", OF_TEST)                                                                                 \
    ONE(phase_to, "tick", OF_TEST)                                                                                   \
    ONE(slope, "1/tick", OF_TEST) /* change of the rate in a tick, now and at its start */                           \
    ONE(slope_from, "1/tick", OF_TEST)                                                                               \
    ONE(state_time, "s", OF_TEST)   /* of wall clock in the present state */                                         \
    ONE(settled, "s", OF_TEST)      /* of wall clock since every interface arrived */                                \
    ONE(stale, "tick", OF_TEST)     /* in a row without news */                                                      \
    ONE(late, "tick", OF_TEST)      /* in a row that were late */                                                    \
    ONE(not_ready, "tick", OF_TEST) /* in a row that waited for a substructure on a worker */                        \
    ONE(inputs, "", OF_TEST)        /* digital inputs as last seen */                                                \
    ONE(heard, "", OF_RIG)          /* whether the rig has ever said where it stands */                              \
    ONE(armed, "", OF_TEST)         /* how often the test was armed */                                               \
    ONE(armed_tick, "", OF_TEST)    /* at which it was, or began to return into its stroke */                        \
    ONE(commanded, "", OF_TEST)     /* whether positions are commanded */                                            \
    ONE(acknowledged, "", OF_RIG)   /* tick of the newest command that was acknowledged as it should be */           \
    ONE(silent, "tick", OF_TEST)    /* without news or without acknowledgement; the larger */                        \
    ONE(leads, "tick", OF_TEST)     /* by which the newest acknowledgement leads what was sent */                    \
    ONE(searched, "", OF_TEST)      /* tick at which the search for the rig's position began */                      \
    ONE(return_time, "s", OF_TEST)  /* of the way back into the stroke */                                            \
    ONE(agreeing, "", OF_TEST)      /* idle: samples in a row that agree */                                          \
    ONE(found, "", OF_TEST)         /* idle: whether the rig was found */                                            \
    ONE(wait, "", OF_TEST)          /* idle: ifd_wait, whose, value and limits; s so far */                          \
    ONE(wait_owner, "", OF_TEST)                                                                                     \
    ONE(wait_value, "", OF_TEST)                                                                                     \
    ONE(wait_low, "", OF_TEST)                                                                                       \
    ONE(wait_high, "", OF_TEST)                                                                                      \
    ONE(waited, "s", OF_TEST)                                                                                        \
    ONE(fault, "", OF_TEST) /* latched: ifd_trip, its tick, whose, value, limit */                                   \
    ONE(fault_tick, "", OF_TEST)                                                                                     \
    ONE(fault_owner, "", OF_TEST)                                                                                    \
    ONE(fault_value, "", OF_TEST)                                                                                    \
    ONE(fault_limit, "", OF_TEST)                                                                                    \
    ONE(preload, "", OF_TEST)         /* corrections of the static equilibrium so far */                             \
    ONE(preload_ticks, "", OF_TEST)   /* over which forces are averaged */                                           \
    ONE(preload_last, "", OF_TEST)    /* size of the last correction */                                              \
    ONE(checkpoint, "", OF_TEST)      /* one is wanted at the next tick at which the state is whole */               \
    ONE(checkpoint_age, "s", OF_TEST) /* of wall clock in state run since the last one */                            \
    ONE(checkpoint_held, "", OF_TEST) /* one was taken since the test came to rest on hold */                        \
    ONE(parked, "tick", OF_TEST)      /* since the last one that was recorded, of a tripped test that waits */       \
    ONE(braked, "s", OF_TEST)         /* of wall clock in ramp-out since every command came to rest */               \
    ONE(calm, "", OF_TEST)            /* 0..1, fraction of the calm command (calm.h) in what leaves */               \
    MANY(faults, IFD_TRIP_COUNT, "", OF_TEST)

/* What command and measurement have shown (observe.h). */
#define IFD__OBSERVED(ONE, MANY, BLOCK)                                                                              \
    ONE(step, "m", OF_TEST) /* the last one of the command */                                                        \
    ONE(a, "m/s2", OF_TEST) /* acceleration of the command, smoothed once and twice */                               \
    ONE(a_twice, "m/s2", OF_TEST)                                                                                    \
    ONE(peak_a, "m/s2", OF_TEST) /* largest in ramp-in and run; largest velocity */                                  \
    ONE(peak_v, "m/s", OF_TEST)                                                                                      \
    ONE(lag_sum, "m2/s", OF_TEST) /* fading sums for the lag of the measured position behind the command */          \
    ONE(lag_size, "m2/s2", OF_TEST)                                                                                  \
    ONE(older_f, "N", OF_RIG) /* the force two ticks ago */                                                          \
    ONE(ticks, "", OF_RIG)    /* measurements so far, up to the memory of the noise */                               \
    ONE(step_f, "N", OF_RIG)  /* the least difference of two forces and positions in a row that is none */           \
    ONE(step_x, "m", OF_RIG)                                                                                         \
    ONE(noise_f, "N2", OF_RIG) /* variance of the noise of force and position */                                     \
    ONE(noise_x, "m2", OF_RIG)                                                                                       \
    ONE(stiffness, "N/m", OF_TEST) /* of the last cycles, and where its present piece began */                       \
    ONE(piece_x, "m", OF_TEST)                                                                                       \
    ONE(piece_f, "N", OF_TEST)                                                                                       \
    ONE(peak_f, "N", OF_TEST)         /* largest since the test was armed: what was shown before tells nothing */    \
    ONE(piece_far, "m", OF_TEST)      /* the largest distance from there so far, with its sign */                    \
    BLOCK(ifd__calm, calm, IFD__CALM) /* the command without its zigzag */

/* Ramp-out of an interface (ramp_out.c). */
#define IFD__UNLOADING(ONE, MANY, BLOCK)                                                                             \
    ONE(phase, "", OF_TEST) /* and s in it */                                                                        \
    ONE(time, "s", OF_TEST)                                                                                          \
    ONE(length, "s", OF_TEST) /* of a planned motion; its start; its end */                                          \
    ONE(p, "m", OF_TEST)                                                                                             \
    ONE(v, "m/s", OF_TEST)                                                                                           \
    ONE(a, "m/s2", OF_TEST)                                                                                          \
    ONE(end, "m", OF_TEST)                                                                                           \
    ONE(force, "N", OF_TEST) /* smoothed; more slowly; the position with it */                                       \
    ONE(slow_force, "N", OF_TEST)                                                                                    \
    ONE(x, "m", OF_TEST)                                                                                             \
    ONE(side, "N", OF_TEST) /* the force that was last told from noise at rest; how often its sign changed */        \
    ONE(swings, "", OF_TEST)                                                                                         \
    ONE(settled, "s", OF_TEST)     /* since it last changed */                                                       \
    ONE(began, "N", OF_TEST)       /* when unloading began */                                                        \
    ONE(stiffness, "N/m", OF_TEST) /* that unloading counts on, what it tends to, what was known before */           \
    ONE(stiffness_goal, "N/m", OF_TEST)                                                                              \
    ONE(stiffness_known, "N/m", OF_TEST)                                                                             \
    ONE(mark_f, "N", OF_TEST) /* where its present piece began */                                                    \
    ONE(mark_x, "m", OF_TEST)                                                                                        \
    ONE(gain, "", OF_TEST) /* 0..1, how far unloading has engaged */                                                 \
    ONE(speed, "m/s", OF_TEST)                                                                                       \
    ONE(noise, "N", OF_TEST)  /* of the load cell, when it began */                                                  \
    ONE(same_x, "m", OF_TEST) /* where the reading of the load cell changed last */

/* The force of an interface on hold (rest.h), of a test that bounds its change: s of wall clock since every command
 * came to rest; mean of the first ticks behind the lag, and running mean of the newest ones; how many they are. */
#define IFD__HOLD_FORCE(ONE, MANY, BLOCK)                                                                            \
    ONE(rested, "s", OF_TEST)                                                                                        \
    ONE(first, "N", OF_TEST)                                                                                         \
    ONE(firsts, "", OF_TEST)                                                                                         \
    ONE(newest, "N", OF_TEST)                                                                                        \
    ONE(newests, "", OF_TEST)

/* What is known of a load cell (force_stuck.h). */
#define IFD__LOAD_CELL(ONE, MANY, BLOCK)                                                                             \
    ONE(last, "N", OF_RIG) /* force, and its change to it */                                                         \
    ONE(change, "N", OF_RIG)                                                                                         \
    ONE(lively, "", OF_RIG)     /* fraction of ticks in which it turned round */                                     \
    ONE(variance, "N2", OF_RIG) /* of its noise; the noise last seen */                                              \
    ONE(noise, "N", OF_RIG)                                                                                          \
    ONE(same_f, "N", OF_RIG) /* what it has shown since, and where; for so many ticks */                             \
    ONE(same_x, "m", OF_RIG)                                                                                         \
    ONE(same_ticks, "", OF_RIG)                                                                                      \
    ONE(samples, "", OF_RIG) /* readings so far, one more than the memory of the noise at most */                    \
    ONE(changed, "", OF_RIG) /* whether it has changed at all since the position was let go */

#define IFD__INTERFACE_STATE(ONE, MANY, BLOCK)                                                                       \
    ONE(from_u, "m", OF_TEST) /* the path between two stages: displacement, velocity (simulated time) */             \
    ONE(from_v, "m/s", OF_TEST)                                                                                      \
    ONE(from_a, "m/tick2", OF_TEST) /* where another program leads */                                                \
    ONE(to_u, "m", OF_TEST)                                                                                          \
    ONE(to_v, "m/s", OF_TEST)                                                                                        \
    ONE(to_a, "m/tick2", OF_TEST)                                                                                    \
    ONE(command, "m", OF_FORCE) /* governed: position and step */                                                    \
    ONE(step, "m", OF_FORCE)                                                                                         \
    ONE(requested, "m", OF_TEST) /* of the governor, last */                                                         \
    ONE(target, "m", OF_FORCE)   /* where the specimen should be now, and at the next tick */                        \
    ONE(next_target, "m", OF_FORCE)                                                                                  \
    ONE(target_v, "m/s", OF_TEST) /* of wall clock */                                                                \
    ONE(next_target_v, "m/s", OF_TEST)                                                                               \
    ONE(measured_x, "m", OF_RIG) /* now and before */                                                                \
    ONE(measured_f, "N", OF_RIG)                                                                                     \
    ONE(last_x, "m", OF_RIG)                                                                                         \
    ONE(last_f, "N", OF_RIG)                                                                                         \
    ONE(force, "N", OF_TEST) /* on the structure at the last tick, and where it should have been */                  \
    ONE(force_at, "m", OF_TEST)                                                                                      \
    ONE(stuck_ticks, "", OF_RIG)   /* in a row with an unchanged position */                                         \
    ONE(stuck_travel, "m", OF_RIG) /* of the command meanwhile */                                                    \
    ONE(slow_lag, "m", OF_TEST)    /* by which a slow actuator would lag behind it */                                \
    ONE(start, "m", OF_TEST)       /* where it stood when armed */                                                   \
    ONE(energy, "J", OF_TEST)      /* work of the measured force over the tracking error */                          \
    ONE(peak_tracking, "m", OF_TEST)                                                                                 \
    ONE(peak_force, "N", OF_TEST)                                                                                    \
    ONE(peak_command, "m", OF_TEST)                                                                                  \
    ONE(force_start, "N", OF_TEST) /* controlled force: where ramp-in began, its target, simulated time */           \
    ONE(force_target, "N", OF_TEST)                                                                                  \
    ONE(force_time, "s", OF_TEST)                                                                                    \
    ONE(force_step, "N", OF_TEST)   /* by which the target changed in the last tick */                               \
    ONE(force_offset, "N", OF_TEST) /* of the measured force: taken off */                                           \
    ONE(force_sum, "N", OF_TEST)    /* preload: sum of forces and of their squares */                                \
    ONE(force_squares, "N2", OF_TEST)                                                                                \
    ONE(peak_force_error, "N", OF_TEST)                                                                              \
    BLOCK(ifd__observed, seen, IFD__OBSERVED)                                                                        \
    BLOCK(ifd__unloading, out, IFD__UNLOADING)                                                                       \
    BLOCK(ifd__load_cell, load_cell, IFD__LOAD_CELL)                                                                 \
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
    ONE(error, "m", OF_RIG) /* measured minus what the target pose takes */                                          \
    ONE(stuck_ticks, "", OF_RIG)                                                                                     \
    ONE(stuck_travel, "m", OF_RIG)                                                                                   \
    ONE(slow_lag, "m", OF_RIG)  /* by which a slow actuator would lag behind its command */                          \
    ONE(sharing, "m", OF_RIG)   /* by which it is moved to share a load (load_sharing.c) */                          \
    ONE(found_off, "m", OF_RIG) /* by which it was found off its place */                                            \
    BLOCK(ifd__load_cell, load_cell, IFD__LOAD_CELL)                                                                 \
    ONE(peak_tracking, "m", OF_TEST)                                                                                 \
    ONE(peak_force, "N", OF_TEST)                                                                                    \
    ONE(peak_command, "m", OF_TEST)                                                                                  \
    ONE(a, "m/s2", OF_TEST) /* of the command, smoothed; largest in ramp-in and run; largest velocity */             \
    ONE(peak_a, "m/s2", OF_TEST)                                                                                     \
    ONE(peak_v, "m/s", OF_TEST)

/* One actuator of the rig while its position is looked for (find.h). */
#define IFD__FINDING(ONE, MANY, BLOCK)                                                                               \
    ONE(first, "m", OF_TEST) /* sample of the present series */                                                      \
    ONE(sum, "m", OF_TEST)   /* of all samples less the first: equal samples have their mean to the bit */           \
    ONE(low, "m", OF_TEST)   /* smallest and largest */                                                              \
    ONE(high, "m", OF_TEST)                                                                                          \
    ONE(at, "m", OF_TEST) /* where it was found: the mean of a whole series */

/* A remote master, behind its u and v; the targets of the past follow, newest first. */
#define IFD__REMOTE_STATE(ONE, MANY, BLOCK)                                                                          \
    ONE(phase, "", OF_TEST)  /* ifd__phase */                                                                        \
    ONE(taken, "", OF_TEST)  /* number of the newest target */                                                       \
    ONE(goal, "", OF_TEST)   /* number of the target that the path leads to */                                       \
    ONE(step, "", OF_TEST)   /* whether it is the first of a step */                                                 \
    ONE(known, "", OF_TEST)  /* targets in the history */                                                            \
    ONE(time, "s", OF_TEST)  /* the master's, of the newest target */                                                \
    ONE(ended, "", OF_TEST)  /* the master said so */                                                                \
    ONE(over, "", OF_TEST)   /* it was told that there are no more answers */                                        \
    ONE(late, "", OF_TEST)   /* targets that came after the specimens had been braked */                             \
    ONE(smooth, "", OF_TEST) /* the path is a quintic */

/* What was recorded of the structure (response.h); behind it one block of work per interface. */
#define IFD__RESPONSE_STATE(ONE, MANY, BLOCK)                                                                        \
    ONE(taken, "", OF_TEST) /* ends of steps that were shown, the start counted */                                   \
    BLOCK(ifd__energy_state, balance, IFD__ENERGY_STATE)

/* The structure's work on the specimen of an interface. */
#define IFD__WORK(ONE, MANY, BLOCK)                                                                                  \
    ONE(from, "m", OF_TEST) /* deformation of the structure at the last exchange and at the one that comes next */   \
    ONE(to, "m", OF_TEST)                                                                                            \
    ONE(last_force, "N", OF_TEST) /* on the structure, there */                                                      \
    ONE(force, "N", OF_TEST)

IFD__STATE_BLOCK(ifd__response_state, IFD__RESPONSE_STATE);
IFD__STATE_BLOCK(ifd__work, IFD__WORK);
IFD__STATE_BLOCK(ifd__test_state, IFD__TEST_STATE);
IFD__STATE_BLOCK(ifd__observed, IFD__OBSERVED);
IFD__STATE_BLOCK(ifd__unloading, IFD__UNLOADING);
IFD__STATE_BLOCK(ifd__load_cell, IFD__LOAD_CELL);
IFD__STATE_BLOCK(ifd__hold_force, IFD__HOLD_FORCE);
IFD__STATE_BLOCK(ifd__interface_state, IFD__INTERFACE_STATE);
IFD__STATE_BLOCK(ifd__actuator_state, IFD__ACTUATOR_STATE);
IFD__STATE_BLOCK(ifd__finding, IFD__FINDING);
IFD__STATE_BLOCK(ifd__remote_state, IFD__REMOTE_STATE);

/* The members of a block in their order, for whoever walks them all. */
typedef struct ifd__state_list {
    const ifd__state_member *member;
    int members;
} ifd__state_list;

extern const ifd__state_list ifd__test_members, ifd__interface_members, ifd__actuator_members;

/* Copies the members of a block whose owner is the rig or, with IFD__OF_FORCE, also those of a controlled force. */
IFD_RT void ifd__state_put(const ifd__state_list *list, void *to, const void *from, ifd__state_owner owner);

#endif
