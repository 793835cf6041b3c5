/* SPDX-License-Identifier: MIT */
/* Rows of the coupling table. */
#pragma once

#include <interfield/couple.h>

#define COUPLING(x) extern const ifd_coupling ifd__coupling_##x;
#include "couple/couplings.def"
