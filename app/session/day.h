/* SPDX-License-Identifier: MIT */
/* Options of a test that belong to its day: --operator, --note, --scale, --rehearse. */
#ifndef APP_DAY_H
#define APP_DAY_H

#include "events.h"

#include <interfield/case.h>

/* Before the case is read: --scale S stands for --set test.scale=S. */
bool day_before(app *a);
/* After: who, notes, rehearsal; o is the test's own copy of the options. */
void day_after(app *a, ifd_case *c, ifd_hybrid_options *o);
/* What is special today, for people and for the log. */
void day_say(app *a, const ifd_case *c, events *log);

#endif
