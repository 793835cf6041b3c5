/* SPDX-License-Identifier: MIT */
/* What a comparison in numbers and its picture share. */
#ifndef APP_COMPARE_H
#define APP_COMPARE_H

#include "app.h"

#include <interfield/result.h>

/* The channel of a name, -1 when there is none. */
int compare_find(const ifd_table *t, const char *name);
/* Whether a channel takes part: of what moved, not of when it was computed. */
bool compare_takes(const app *a, const ifd_channel *c);
/* A channel at a time, linear between the rows; *hint goes on from call to call. */
double compare_at(const ifd_table *t, int channel, double time, long *hint);

void compare_draw(app *a, const ifd_table *t, int count, const char *file);

#endif
