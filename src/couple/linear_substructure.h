/* SPDX-License-Identifier: MIT */
/* Requirements of the comparison couplings: linear substructures with a rule of Newmark. */
#pragma once

#include <interfield/couple.h>

typedef struct ifd__newmark_rule {
    double beta, gamma;
} ifd__newmark_rule;

/* Refuses a substructure with elements (IFD_UNSUPPORTED, with the name of the first). central-difference is beta = 0,
 * gamma = 1/2. */
ifd_status ifd__linear_substructure(const ifd_couple_options *opt, int p, ifd__newmark_rule *out, ifd_note *note);
