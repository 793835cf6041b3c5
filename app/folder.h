/* SPDX-License-Identifier: MIT */
/* Where a result goes: --out DIR, or runs/<case>-NNN with the next free number. Nothing is overwritten unless --force
 * says so, and the record of a test never. */
#ifndef APP_FOLDER_H
#define APP_FOLDER_H

#include "app.h"

/* An error, noted, when there is no place. */
ifd_status folder_choose(app *a, const char **out);

/* The folder a file stands in; a folder is its own. */
const char *folder_of(app *a, const char *path);

#endif
