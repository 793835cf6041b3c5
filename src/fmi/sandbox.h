/* SPDX-License-Identifier: MIT */
/* An FMU in a separate process, as seen from the run. Each order has a time limit. If the process dies or does not
 * answer, the order and all later orders fail. */
#pragma once

#include <interfield/fmu.h>

#include "fmi/page.h"

typedef struct ifd__fmu_sandbox ifd__fmu_sandbox;

/* Starts the process and loads the FMU in it. The process ends when the arena closes. */
ifd_status ifd__fmu_sandbox_open(ifd_arena *arena, const ifd__fmu_binary *b, const ifd_fmu_open_options *o,
                                 ifd__fmu_sandbox **out, ifd_note *note);
/* Arguments of the next order, and results of the last one. */
IFD_RT ifd__fmu_page *ifd__fmu_sandbox_page(ifd__fmu_sandbox *a);
/* False on failure, with the reason in why. long_one: set-up, which has a longer limit. */
IFD_RT bool ifd__fmu_sandbox_ask(ifd__fmu_sandbox *a, ifd__fmu_order order, bool long_one);
/* Total time for the following orders; 0: no limit except the patience of each. */
IFD_RT void ifd__fmu_sandbox_allow(ifd__fmu_sandbox *a, double seconds);
const char *ifd__fmu_sandbox_why(const ifd__fmu_sandbox *a);
void ifd__fmu_sandbox_facts(const ifd__fmu_sandbox *a, ifd_fmu_process *out);
