/* SPDX-License-Identifier: MIT */
/* Small files for the tests of readers: written to a folder of their own that is removed at the end. */
#pragma once

#include <stddef.h>

/* Makes the folder; 0 when it could. remove takes the folder with everything written. For cmocka's group fixtures. */
int files_open(void **state);
int files_close(void **state);

/* Writes length characters (or a text) to the folder; the path, valid until the next call of either. */
const char *files_write_n(const char *name, const char *text, size_t length);
const char *files_write(const char *name, const char *text);
/* The path that a name has in the folder; valid until the next call. */
const char *files_path(const char *name);

/* A file of the data that goes with the project but not into it (INTERFIELD_DATA, or ../shared/data beside the
 * source); NULL when it is not there. */
const char *files_data(const char *name);
