/* SPDX-License-Identifier: MIT */
#ifndef IFD_RUN_PRELOAD_RUN_H
#define IFD_RUN_PRELOAD_RUN_H

#include "run/run.h"

/* A run of one model at its static equilibrium, its ideal specimens brought there slowly from where they are at
 * rest. */
ifd_status ifd__preload_run(ifd_run *r, ifd_arena *arena, const ifd_run_options *opt, ifd_note *note);

#endif
