/* SPDX-License-Identifier: MIT */
#pragma once

#include <stdint.h>

#include <interfield/case.h>

/* Equal numbers for cases that may resume from the same checkpoint; 0: no memory. */
uint64_t ifd__checkpoint_case(ifd_arena *arena, const ifd_case *c);
