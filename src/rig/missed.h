/* SPDX-License-Identifier: MIT */
/* The share of ticks without a new measurement in the last second, from counts of tenths of a second. */
#pragma once

#include <interfield/status.h>

#include "base/state_block.h"

enum { IFD__MISSED_TENTHS = 10 };

#define IFD__MISSED(ONE, MANY, BLOCK)                                                                                \
    MANY(stale_tenth, IFD__MISSED_TENTHS, "tick", OF_RIG) /* stale ticks of the last tenths of a second */           \
    ONE(stale_tenths, "", OF_RIG)                         /* how many of them are known */                           \
    ONE(stale_now, "tick", OF_RIG)                        /* of the present one, and its ticks so far */             \
    ONE(stale_of, "tick", OF_RIG)
IFD__STATE_BLOCK(ifd__missed, IFD__MISSED);

/* One tick of this period (s); stale: 1 without a new measurement, else 0. */
IFD_RT void ifd__missed_count(ifd__missed *m, double stale, double period);
/* Of the last second, or since the first tick if that is shorter. */
IFD_RT double ifd__missed_share(const ifd__missed *m, double period);
