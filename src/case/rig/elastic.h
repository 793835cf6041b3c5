/* SPDX-License-Identifier: MIT */
#ifndef IFD_CASE_RIG_ELASTIC_H
#define IFD_CASE_RIG_ELASTIC_H

#include "case/reader.h"

/* The mapping `elastic` of a test; NULL: none. */
void ifd__read_elastic(ifd__reader *r, const ifd__node *node, const ifd_value *stale_for, ifd_hybrid_options *o);

#endif
