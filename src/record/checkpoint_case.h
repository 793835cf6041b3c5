/* SPDX-License-Identifier: MIT */
#ifndef IFD_RECORD_CHECKPOINT_CASE_H
#define IFD_RECORD_CHECKPOINT_CASE_H

#include <stdint.h>

#include <interfield/case.h>

/* The same number for cases that a checkpoint may go on with; 0 when memory is out. */
uint64_t ifd__checkpoint_case(ifd_arena *arena, const ifd_case *c);

#endif
