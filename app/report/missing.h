/* SPDX-License-Identifier: MIT */
/* A result that lacks ticks, or its seal, is shown, but nobody is to take it for whole. */
#ifndef APP_MISSING_H
#define APP_MISSING_H

#include "app.h"

#include <interfield/result.h>

/* As ifd_table_read; what is remarkable about the file is said on the error stream. */
ifd_status missing_read(app *a, const char *path, ifd_table *out);

/* The same of a result with rows, a test as if it had been a run: while it ran, over simulated time. */
ifd_status missing_read_as_run(app *a, const char *path, ifd_table *out);

/* Says how many ticks a result lacks. The exit status of a command that showed it. */
int missing_say(app *a, const char *path, const ifd_table *t);

#endif
