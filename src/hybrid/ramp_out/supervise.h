/* SPDX-License-Identifier: MIT */
/* What a load cell can tell of a specimen that is unloaded (docs/unloading.md): closed forms of its noise, its
 * resolution and of how well the stiffness is known. */
#ifndef IFD_HYBRID_RAMP_OUT_SUPERVISE_H
#define IFD_HYBRID_RAMP_OUT_SUPERVISE_H

#include <stdbool.h>

#include <interfield/status.h>

/* Standard deviations beyond which a deviation is no noise: 2e-9 of all decisions are. A decision takes eight ticks
 * at least, 30 s have 4,000 of them: 1e-5 false alarms in a test. */
#define IFD__CERTAIN 6.0
/* A hysteretic specimen that slips on the way to zero force has its hardening: this much less than the stiffness. */
#define IFD__SOFTER 10.0
#define IFD__LONGEST_MEAN 0.5 /* s, over which a force is smoothed at most */

/* The change of a reading that is no error of its sensor: six deviations of the difference of two means that have
 * this one, and one step of a converter, which noise does not always blur. */
IFD_RT double ifd__certain_change(double deviation, double step);
/* N: the least force that can be unloaded under supervision. A load cell that is stuck is noticed after a travel
 * over which the force becomes the same the other way, were the stiffness as much larger than the one at hand as it
 * may be: 2 F/(1.25 k) where a motion has shown k, 2 F/(2 k) where it is an estimate. A specimen ten times softer
 * than k changes the force over it by F/6.25, or F/10, which must be twice what is certain: F is 12.5 or 20 times
 * that. */
IFD_RT double ifd__supervisable(double certain_change, bool shown);
/* m: that travel. */
IFD_RT double ifd__idle_travel(double force, double stiffness, bool shown);
/* s of smoothing that make a force supervisable; the longest there is when none does. */
IFD_RT double ifd__supervising_time(double force, double noise, double step, bool shown, double dt);

#endif
