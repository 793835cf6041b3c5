/* SPDX-License-Identifier: MIT */
/* A part of the state machine of a test that is called between its units (unit.h, units.def): it decides about states
 * or commands of the test, or records its structure, and sees the test. A new behaviour is a unit. */
#pragma once

#include "hybrid/hybrid.h"

typedef struct ifd__part {
    const char *name, *about;            /* as `check --explain` prints them */
    bool (*asked)(const ifd_hybrid *h);  /* NULL: of every test */
    unsigned in;                         /* states in which sense, observe and judge are called; 0: in all */
    unsigned gate;                       /* IFD_GATE_..., without which they are not called; 0: always */
    int (*doubles)(const ifd_hybrid *h); /* of its state; NULL: none, or taken by make */
    size_t own;                          /* of the member of ifd_hybrid that points to it */
    ifd_status (*make)(ifd_hybrid *h, ifd_arena *arena, ifd_note *note);
    ifd_status (*columns)(ifd_hybrid *h, ifd_arena *arena);
    IFD_RT void (*restart)(ifd_hybrid *h);
    IFD_RT void (*sense)(ifd_hybrid *h);
    IFD_RT void (*observe)(ifd_hybrid *h);
    IFD_RT ifd_action (*judge)(ifd_hybrid *h);
    IFD_RT void (*step)(ifd_hybrid *h);
} ifd__part;
