/* SPDX-License-Identifier: MIT */
/* Reads a result. One without some ticks or without its checksum is shown with a warning. */
#pragma once

#include "app.h"

#include <interfield/result.h>

/* As ifd_table_read; remarks about the file are printed on stderr. */
ifd_status missing_read(app *a, const char *path, ifd_table *out);

/* The same for a result with rows; a test is converted to the form of a run (figure.h). */
ifd_status missing_read_as_run(app *a, const char *path, ifd_table *out);

/* Prints the number of missing ticks of a result; returns the exit status of the command. */
int missing_say(app *a, const char *path, const ifd_table *t);
/* The case of a result, with or without its native code; NULL: it cannot be read. */
const ifd_case *result_case(app *a, const char *path, bool unloaded);
/* summary.json of a result; NULL: it cannot be read. */
const ifd_json_node *summary_read(app *a, const char *result);
