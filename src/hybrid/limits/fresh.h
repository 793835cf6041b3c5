/* SPDX-License-Identifier: MIT */
/* The share of ticks without a new measurement of a rig: of the last second, for arming, and of the state run, for
 * the outcome. Counts of tenths of a second are kept; ticks before the first measurement do not count. A test with
 * elastic time waits for its measurements and is not judged. */
#pragma once

#include "hybrid/hybrid.h"

/* After the measurements of a tick. */
IFD_RT void ifd__fresh_count(ifd_hybrid *h);
/* The share of stale ticks of the last second, or since the first measurement if that is shorter. */
IFD_RT double ifd__fresh_missed(const ifd_hybrid *h);
/* Whether that share permits arming. */
IFD_RT bool ifd__fresh_enough(const ifd_hybrid *h);
