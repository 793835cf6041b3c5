/* SPDX-License-Identifier: MIT */
/* What stands near a file that was looked for: a wrong path is answered with the right ones. */
#ifndef APP_SUGGEST_H
#define APP_SUGGEST_H

#include "app.h"

/* Whether `name` could be a case file; otherwise an error with the case files that are there. */
bool suggest_case(app *a, const char *name);
/* Hints at the newest result, when what failed is that a result could not be read. */
void suggest_result(app *a);

#endif
