/* SPDX-License-Identifier: MIT */
#pragma once

#include "run/run.h"

/* Makes a run of one model that starts at its static equilibrium. Ideal specimens move there slowly from rest. */
ifd_status ifd__preload_run(ifd_run *r, ifd_arena *arena, const ifd_run_options *opt, ifd_note *note);
