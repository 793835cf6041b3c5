/* SPDX-License-Identifier: MIT */
/* A test that starts at a given instant: t = 0 falls on a tick at this instant of UTC. */
#pragma once

#include "app.h"

#include "events.h"

#include <interfield/executor.h>
#include <interfield/result.h>

/* Before the rig is opened: whether case and options permit it. */
bool start_at_fits(app *a, const ifd_case *c);
/* Just before the first tick: sets the instant in the options of the executor. facts->at is 0 without one. False
 * after a message: the instant has passed, or the clock of this machine is not synchronised. */
bool start_at_choose(app *a, const ifd_case *c, ifd_executor_options *clock, ifd_start_facts *facts);
/* Prints and logs the instant, if there is one. */
void start_at_say(app *a, const ifd_start_facts *f, events *log);
/* Reads "2026-11-20T10:00:00.5Z" or "next:10s". now: ns, UTC; least: ns, shortest preparation. -1: neither. */
int64_t start_at_read(app *a, const char *text, int64_t now, int64_t least);
