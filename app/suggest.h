/* SPDX-License-Identifier: MIT */
/* Suggestions for wrong paths: case files and results that exist. */
#pragma once

#include "app.h"

/* Whether `name` can be a case file; otherwise an error that lists the case files of the folder. */
bool suggest_case(app *a, const char *name);
/* Adds the newest result as a hint if a result could not be read. */
void suggest_result(app *a);
