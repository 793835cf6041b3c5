/* SPDX-License-Identifier: MIT */
/* Signals of commands that move a rig. */
#ifndef APP_SIGNALS_H
#define APP_SIGNALS_H

/* Ctrl-C, SIGTERM and a terminal that goes away (unless nohup keeps that off) call the handler: the specimens are
 * brought to rest in order. Whoever read our output may leave, and a file may grow to its limit: a write that fails
 * then, and nothing else. flags: as of sigaction. */
void signals_catch(void (*handler)(int), int flags);
/* When nothing moves any more and the record is closed: the same signals end the program at once again. */
void signals_release(void);

#endif
