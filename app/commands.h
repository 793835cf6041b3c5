/* SPDX-License-Identifier: MIT */
/* The table of commands. */
#ifndef APP_COMMANDS_H
#define APP_COMMANDS_H

#include "app.h"

extern const command *const commands[]; /* ended by NULL */
const command *command_find(const char *name);
/* "run|check|..." */
const char *command_names(ifd_arena *arena);

#endif
