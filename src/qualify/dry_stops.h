/* SPDX-License-Identifier: MIT */
/* Stops of a dry run: the order stop at the instants of the largest velocity, force and change of force, and at ten
 * more, in ramp-in and in run. The states of these instants are kept while the test runs and are continued after it,
 * each until its specimens are at rest: a fraction of a second instead of a whole run. */
#pragma once

#include "hybrid/hybrid.h"
#include "qualify/dry_run.h"

typedef struct ifd__stops ifd__stops;

/* NULL in *out: not possible, because another program or a worker thread has a part of the state. */
ifd_status ifd__stops_make(ifd_arena *arena, const ifd_hybrid *h, ifd__stops **out);
/* After each tick of ramp-in and run. */
void ifd__stops_watch(ifd__stops *s, const ifd_hybrid *h);
/* After the test, whose state it replaces. */
void ifd__stops_try(ifd__stops *s, ifd_hybrid *h, ifd__dry *out);
