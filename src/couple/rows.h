/* SPDX-License-Identifier: MIT */
/* Rows of the coupling table. */
#ifndef IFD_COUPLE_ROWS_H
#define IFD_COUPLE_ROWS_H

#include <interfield/couple.h>

#define COUPLING(x) extern const ifd_coupling ifd__coupling_##x;
#include "couple/couplings.def"

#endif
