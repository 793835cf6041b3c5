/* SPDX-License-Identifier: MIT */
#ifndef IFD_CASE_RATE_H
#define IFD_CASE_RATE_H

#include <interfield/hybrid.h>
#include <interfield/virtual.h>

#include "case/reader.h"

/* Whether the specimens depend on the rate of the motion, by their elements; the case may state otherwise. Sets
 * rate_dependent and rate_from. */
void ifd__find_rate(ifd__reader *r, const ifd_value *stated, const ifd_laboratory *lab, ifd_hybrid_options *o);

#endif
