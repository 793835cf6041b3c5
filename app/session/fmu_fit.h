/* SPDX-License-Identifier: MIT */
/* What FMI has no flag for, found out before a test runs by the clock: whether its FMUs
 * take memory while they step. */
#ifndef APP_FMU_FIT_H
#define APP_FMU_FIT_H

#include "app.h"

/* Steps every FMU of the case's laboratory for a while, in a process of its own. False, after a complaint, when one
 * fails or allocates and the case does not say 'allocates: yes'. */
bool fmus_fit(app *a, const ifd_case *c, const ifd_hybrid_options *test, double tick);

#endif
