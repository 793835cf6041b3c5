/* SPDX-License-Identifier: MIT */
#pragma once

#include "model/build/making.h"

/* Removes the dofs without mass from the system: static ones are condensed, those supported by dashpots become the
 * states in k->relaxed, others are refused (IFD_MASSLESS). */
ifd_status ifd__making_massless(ifd__making *k);

int ifd__count_marked(const bool *marked, int n);
