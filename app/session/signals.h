/* SPDX-License-Identifier: MIT */
/* Signals of commands that move a rig. */
#ifndef APP_SIGNALS_H
#define APP_SIGNALS_H

#include <signal.h>

/* The number of signals so far, and whether SIGTERM was one of them. */
extern volatile sig_atomic_t signals_count, signals_terminated;

/* Counts Ctrl-C, SIGTERM and the loss of the terminal (except with nohup), so that the specimens are brought
 * to rest in a defined way. A closed output pipe and a file at its size limit only make a write fail.
 * flags: as for sigaction. */
void signals_catch(int flags);
/* After the end of motion, with the record closed: these signals end the program immediately again. */
void signals_release(void);

#endif
