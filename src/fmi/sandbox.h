/* SPDX-License-Identifier: MIT */
/* An FMU in a process of its own, seen from the run: each order is bounded in time, and a process that dies or does
 * not answer makes the order fail, and every one after it. */
#ifndef IFD_FMI_SANDBOX_H
#define IFD_FMI_SANDBOX_H

#include <interfield/fmu.h>

#include "fmi/page.h"

typedef struct ifd__fmu_sandbox ifd__fmu_sandbox;

/* Starts the process and loads the FMU in it. The process ends when the arena closes. */
ifd_status ifd__fmu_sandbox_open(ifd_arena *arena, const ifd__fmu_binary *b, const ifd_fmu_open_options *o,
                                 ifd__fmu_sandbox **out, ifd_note *note);
/* Where the arguments of the next order go, and what came back from the last. */
IFD_RT ifd__fmu_page *ifd__fmu_sandbox_page(ifd__fmu_sandbox *a);
/* False when it failed: why says how. long_one: set-up, for which more time is granted. */
IFD_RT bool ifd__fmu_sandbox_ask(ifd__fmu_sandbox *a, ifd__fmu_order order, bool long_one);
/* What the following orders may take together; 0: no bound but the patience of each. */
IFD_RT void ifd__fmu_sandbox_allow(ifd__fmu_sandbox *a, double seconds);
const char *ifd__fmu_sandbox_why(const ifd__fmu_sandbox *a);
void ifd__fmu_sandbox_facts(const ifd__fmu_sandbox *a, ifd_fmu_process *out);

#endif
