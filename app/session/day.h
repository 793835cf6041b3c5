/* SPDX-License-Identifier: MIT */
/* Options for one execution of a test: --operator, --note, --scale, --rehearse. */
#pragma once

#include "events.h"

#include <interfield/case.h>

/* Before the case is read: --scale S is --set test.scale=S. */
bool day_before(app *a);
/* After: operator, notes, rehearsal; o is the copy of the options for this test. False after an error. */
bool day_after(app *a, ifd_case *c, ifd_hybrid_options *o);
/* Prints and logs these options. */
void day_say(app *a, const ifd_case *c, events *log);
