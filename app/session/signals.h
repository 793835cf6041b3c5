/* SPDX-License-Identifier: MIT */
/* Signals of commands that move a rig. Ctrl-C and SIGTERM are the order stop, a second one half a second later or
 * more is the order trip. The loss of the terminal is an automatic stop. The handler passes the order to the tick
 * itself: the other threads may wait for a disk or a terminal. */
#pragma once

#include <signal.h>

#include <interfield/executor.h>

/* The number of Ctrl-C and SIGTERM so far, the last one, and whether the terminal was lost. */
extern volatile sig_atomic_t signals_count, signals_last, signals_hung_up;
/* The number of those that were the order trip. */
extern volatile sig_atomic_t signals_trips;

/* Counts Ctrl-C, SIGTERM and the loss of the terminal (except with nohup), so that the specimens are brought
 * to rest in a defined way. A closed output pipe and a file at its size limit only make a write fail.
 * flags: as for sigaction. */
void signals_catch(int flags);
/* From here on they are orders to this test; NULL: no longer. */
void signals_order(ifd_executor *e);
/* After the end of motion, with the record closed: these signals end the program immediately again. */
void signals_release(void);
