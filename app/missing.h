/* SPDX-License-Identifier: MIT */
/* A result whose record lacks ticks is shown, but nobody is to take it for whole. */
#ifndef APP_MISSING_H
#define APP_MISSING_H

#include "app.h"

#include <interfield/result.h>

/* Says how many ticks a result lacks. The exit status of a command that showed it. */
int missing_say(app *a, const char *path, const ifd_table *t);

#endif
