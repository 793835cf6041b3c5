/* SPDX-License-Identifier: MIT */
/* Component handle of an exported FMU, for the calling program. */
#pragma once

#include "runtime.h"

/* FMI prescribes the arguments of its functions, also those that these FMUs do not use. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#define EXPORT __attribute__((visibility("default")))

typedef struct component {
    fmu *f;
    char *name;                 /* FMI 2 */
    const fmi2_callbacks *call; /* FMI 2 */
    void *environment;          /* FMI 3 */
    fmi3_log *log;              /* FMI 3 */
} component;
