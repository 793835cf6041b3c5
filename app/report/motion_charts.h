/* SPDX-License-Identifier: MIT */
/* Picture of ground motions: response spectra, and the histories of up to four. */
#pragma once

#include "app.h"

#include <interfield/motion.h>

typedef struct motion_charts {
    int count;
    const ifd_motion *motion;
    double damping;
    const ifd_target_spectrum *target; /* NULL: none */
} motion_charts;

/* False after an error message. */
bool motion_charts_save(app *a, const motion_charts *m, const char *file);
