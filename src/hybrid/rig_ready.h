/* SPDX-License-Identifier: MIT */
/* The rig before the first tick, and the reason of its stop. Neither is part of the state. */
#pragma once

#include "hybrid/hybrid.h"

ifd_status ifd__warm_make(ifd_hybrid *h, ifd_arena *arena);
/* As ifd_ticked.warm; waits until the next period. */
int ifd__warm_step(void *test);
void ifd__warm_grid(void *test, int64_t instant);
/* As ifd_ticked.wait. */
IFD_RT int64_t ifd__warm_wait(void *test, int64_t latest);
/* Keeps what the rig reports at a fault; without a fault, forgets it. */
IFD_RT void ifd__why_keep(ifd_hybrid *h, bool fault);
