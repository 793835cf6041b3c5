/* SPDX-License-Identifier: MIT */
#ifndef IFD_RECORD_CHECKPOINT_CASE_H
#define IFD_RECORD_CHECKPOINT_CASE_H

#include <stdint.h>

#include <interfield/case.h>

/* Equal numbers for cases that may resume from the same checkpoint; 0: no memory. */
uint64_t ifd__checkpoint_case(ifd_arena *arena, const ifd_case *c);

#endif
