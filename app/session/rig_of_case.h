/* SPDX-License-Identifier: MIT */
#ifndef APP_SESSION_RIG_OF_CASE_H
#define APP_SESSION_RIG_OF_CASE_H

#include "app.h"

/* What a test requires of its rig. The tick follows from method, step and lambda. */
typedef struct rig_of_case {
    double tick; /* s */
    int channels;
    ifd_limits limits[IFD_RIG_CHANNELS];
} rig_of_case;

ifd_status rig_of_case_find(app *a, const ifd_case *c, rig_of_case *out);

#endif
