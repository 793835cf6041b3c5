/* SPDX-License-Identifier: MIT */
/* A check before a test in real time for which FMI has no flag: whether its FMUs
 * allocate memory during steps. */
#pragma once

#include "app.h"

/* Steps every FMU of the rig for some time in a child process. False, after an error message, if one
 * fails, or allocates without 'allocates: yes' in the case. */
bool fmus_fit(app *a, const ifd_case *c, const ifd_hybrid_options *test, double tick);
