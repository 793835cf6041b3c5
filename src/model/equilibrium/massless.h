/* SPDX-License-Identifier: MIT */
#ifndef IFD_MODEL_MASSLESS_H
#define IFD_MODEL_MASSLESS_H

#include "model/build/making.h"

/* Takes the dofs without mass out of the system: static ones are condensed, those held by dashpots become the states
 * in k->relaxed, the others are refused (IFD_MASSLESS). */
ifd_status ifd__making_massless(ifd__making *k);

int ifd__count_marked(const bool *marked, int n);

#endif
