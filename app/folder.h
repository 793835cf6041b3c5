/* SPDX-License-Identifier: MIT */
/* Where a result goes: --out DIR, or runs/<case>-NNN with the next free number. Nothing is overwritten unless --force
 * says so, and the record of a test never. */
#ifndef APP_FOLDER_H
#define APP_FOLDER_H

#include "app.h"

/* NULL, with an error in the note and its status, when there is no place. */
const char *folder_choose(app *a, ifd_status *status);

/* The folder a file stands in; a folder is its own. */
const char *folder_of(app *a, const char *path);

#endif
