/* SPDX-License-Identifier: MIT */
/* Interrupts of long commands: the first one asks the command to stop, the second ends the program. */
#pragma once

#include <signal.h>

/* Set by SIGINT and SIGTERM; a command whose processes stop together may set it too. */
extern volatile sig_atomic_t app_stop_asked;
void app_catch_interrupts(void);
