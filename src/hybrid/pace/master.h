/* SPDX-License-Identifier: MIT */
/* The tick side of the ring buffers of a remote master, and its numerical substructure. */
#pragma once

#include <interfield/hybrid.h>
#include <interfield/remote.h>

#include "substructure/substructure.h"

/* The tick side of the two ring buffers. With wait set and no clock, take waits for at most a quarter of a second. */
IFD_RT bool ifd__remote_take(ifd_remote *r, bool wait, ifd_remote_target *out);
/* No waiting from now on: in a replay the inputs exist before the tick. */
void ifd__remote_hurry(ifd_remote *r);
/* The kind of the final message of the master, TARGET: none; it is taken before any waiting target. */
IFD_RT uint32_t ifd__remote_word(const ifd_remote *r);
IFD_RT bool ifd__remote_take_word(ifd_remote *r, ifd_remote_target *out);
IFD_RT void ifd__remote_answer(ifd_remote *r, const ifd_remote_answer *answer);
const ifd_remote_options *ifd__remote_options(const ifd_remote *r);

enum { IFD__REMOTE_PAST = IFD_REMOTE_ORDER + 1 };

ifd_status ifd__substructure_remote(ifd_arena *arena, const ifd_hybrid_options *opt, ifd__substructure *out,
                                    ifd_note *note);
