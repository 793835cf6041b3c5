/* SPDX-License-Identifier: MIT */
#pragma once

#include "model/build/builder.h"

/* Whether the parts of the mass prove that their sum is positive definite. False: unknown. */
bool ifd__mass_proved(ifd_arena *scratch, const ifd_builder *b);
