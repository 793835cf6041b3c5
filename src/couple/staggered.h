/* SPDX-License-Identifier: MIT */
/* What the LSRT couplings share. */
#ifndef IFD_COUPLE_STAGGERED_H
#define IFD_COUPLE_STAGGERED_H

#include "couple/coupled.h"

/* Makes the interface with the drift control of opt; coarse: the step that Baumgarte's a = c / coarse refers to. */
ifd_status ifd__lsrt_interface(ifd__coupled *c, ifd_arena *arena, const ifd_couple_options *opt, double coarse,
                               ifd_note *note);

/* Appends the stepper's rows to the coupled state; the offset of the first. */
int ifd__lsrt_rows(ifd__coupled *c, const ifd_stepper *stepper);

#endif
