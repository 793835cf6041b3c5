/* SPDX-License-Identifier: MIT */
/* The supervisor of a command that opens a rig (supervisor.h): its messages, its end with exit status 4, and a guard
 * against foreign code that calls exit(). One per process.
 *
 *     supervised_begin(a, &options, &beat);    // before the rig is opened; options.beat = beat
 *     supervised_pace(period, simulated, 0);   // before the first tick
 *     supervised_record(&log, folder);         // of a command that records
 *     ...
 *     supervised_end();                        // after the rig is closed, on every way
 *
 * The second signal, half a second or more after the first, ends the program within 5 s, at rest or not. After the
 * first one the program ends when everything is at rest, also if the disk or the terminal of its session hangs: the
 * record is then incomplete, which is said, and the exit status is 1. */
#pragma once

#include "events.h"

#include <interfield/executor.h>
#include <interfield/recorder.h>
#include <interfield/result.h>
#include <interfield/supervisor.h>

/* s from a second signal to the end; the last words can take 0.3 s more. */
#define SIGNAL_ENDS_AFTER 4.4
/* s without progress of the session, after the first signal and the end of the engine. A disk may need a while. */
#define BLOCKED_ENDS_AFTER 30

/* o: of the test; NULL: the rig `name`. False: an error is printed. */
typedef struct supervised_rig {
    const ifd_hybrid_options *o;
    const char *name;
} supervised_rig;
bool supervised_begin(app *a, supervised_rig rig, ifd_beat **out);
void supervised_pace(double period, bool simulated, double timeout);
/* From here on an end is noted in this folder. */
void supervised_record(events *log, const char *folder);
void supervised_end(void);

/* Of the thread that watches a test: its session begins here, and every turn is reported. */
void supervised_session(ifd_executor *e, const ifd_recorder *r);
void supervised_alive(void);
/* Whether something has changed since the last call: `text` is then the alarm, or
 * how the engine continues. */
bool supervised_news(char *text, size_t size);
/* Whether the engine has stopped: orders have no effect. Then an order `quit` ends at once. */
bool supervised_stopped(void);
void supervised_quit(void);
/* Whether the test is to end between two ticks, after a second signal. */
bool supervised_hurries(void);
/* Whether the program ends: the watching thread closes its files and calls supervised_wait_for_end. */
bool supervised_ends(void);
_Noreturn void supervised_wait_for_end(void);
/* The longest time without a tick that caused an alarm; NULL: none. */
const ifd_hung_facts *supervised_longest(ifd_hung_facts *out);
/* summary.json of a test that has hung, with the arena of the caller. */
bool supervised_summary(ifd_arena *arena);

/* What an order is answered during an alarm. */
extern const char not_executed[];
