/* SPDX-License-Identifier: MIT */
/* The folder of a result: --out DIR, or runs/<case>-NNN with the next free number. A result is replaced only with
 * --force, the record of a test never. */
#pragma once

#include "app.h"

/* An error, with a note, if no folder is possible. */
ifd_status folder_choose(app *a, const char **out);

/* The folder of a file; a folder itself. */
const char *folder_of(app *a, const char *path);
