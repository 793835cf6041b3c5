/* SPDX-License-Identifier: MIT */
/* What the comparison couplings ask of a part: to be linear, and which of Newmark's rules it takes. */
#ifndef IFD_COUPLE_LINEAR_SUBSTRUCTURE_H
#define IFD_COUPLE_LINEAR_SUBSTRUCTURE_H

#include <interfield/couple.h>

typedef struct ifd__newmark_rule {
    double beta, gamma;
} ifd__newmark_rule;

/* Refuses a part with elements (IFD_UNSUPPORTED, naming the first). central-difference is beta = 0, gamma = 1/2. */
ifd_status ifd__linear_substructure(const ifd_couple_options *opt, int p, ifd__newmark_rule *out, ifd_note *note);

#endif
