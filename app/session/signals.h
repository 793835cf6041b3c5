/* SPDX-License-Identifier: MIT */
/* Signals of commands that move a rig. */
#ifndef APP_SIGNALS_H
#define APP_SIGNALS_H

#include <signal.h>

/* How many came since they are caught, and whether SIGTERM was among them. */
extern volatile sig_atomic_t signals_count, signals_terminated;

/* Ctrl-C, SIGTERM and a terminal that goes away (unless nohup keeps that off) are counted: the specimens are brought
 * to rest in order. Whoever read our output may leave, and a file may grow to its limit: a write that fails then, and
 * nothing else. flags: as of sigaction. */
void signals_catch(int flags);
/* When nothing moves any more and the record is closed: the same signals end the program at once again. */
void signals_release(void);

#endif
