/* SPDX-License-Identifier: MIT */
/* A unit is one behaviour of a test: a block of state, columns, and what it does in a tick. units.def lists the
 * units; the order of its lines is the order of their calls. Set-up takes those that the case asks for into the list
 * of the test. Set-up, restart, tick and columns walk this list (units.h):
 *
 *     sense      uses what the rigs reported
 *     observe    learns from the newest measurement
 *     judge      compares it with limits, and returns the worst action
 *     step       before the exchange of the structure, with its loads
 *     begin      the run begins
 *     resume     a hold is resumed
 *     order      an order, or none, was given
 *     aim        changes the inputs of the compensators
 *
 * A unit without a function for a stage is not called there. A unit does not see the test: its functions get what the
 * tick knows (io.h), which is const, its own constants `data` from make, and its own state `own`, which only it
 * writes: `doubles` numbers of its own, or with `each` an array of pointers, for each interface to a block of its
 * state (io.h shows it to later units). */
#pragma once

#include "base/arena.h"
#include "hybrid/columns.h"
#include "hybrid/io.h"
#include "hybrid/states.h"

/* What a unit may change before the exchange of the structure. */
typedef struct ifd__structure {
    double *x;       /* state of the numerical substructure */
    double *updates; /* J, energy that units have added to it; NULL: it is not recorded */
} ifd__structure;

typedef struct ifd__unit {
    const char *name, *about;           /* as `check --explain` prints them */
    bool (*asked)(const ifd__facts *f); /* NULL: of every test */
    unsigned in;                        /* states in which sense, observe and judge are called; 0: in all */
    ifd_status (*make)(const ifd__facts *f, ifd_arena *arena, const void **data, ifd_note *note);
    int (*doubles)(const ifd__facts *f, const void *data); /* of its state; NULL: none */
    size_t each;  /* offset of its block in the state of an interface; sizeof that: the state of its compensator; 0:
                  * none */
    size_t shown; /* offset in ifd__io of the member that shows its state to others; 0: none */
    ifd_status (*columns)(const ifd__unit_columns *to, const ifd__facts *f, const void *data, void *own);
    IFD_RT void (*restart)(const ifd__io *io, const void *data, void *own);
    IFD_RT void (*sense)(const ifd__io *io, const void *data, void *own);
    IFD_RT void (*observe)(const ifd__io *io, const void *data, void *own);
    IFD_RT ifd_action (*judge)(const ifd__io *io, const void *data, void *own);
    IFD_RT void (*step)(const ifd__io *io, const void *data, void *own, const ifd__structure *s);
    IFD_RT void (*begin)(const ifd__io *io, const void *data, void *own);
    IFD_RT void (*resume)(const ifd__io *io, const void *data, void *own);
    IFD_RT void (*order)(const ifd__io *io, const void *data, void *own, ifd_order order);
    IFD_RT void (*aim)(const ifd__io *io, const void *data, const void *own, ifd_compensator_in *in);
} ifd__unit;
