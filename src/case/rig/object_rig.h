/* SPDX-License-Identifier: MIT */
#ifndef IFD_CASE_RIG_OBJECT_RIG_H
#define IFD_CASE_RIG_OBJECT_RIG_H

#include "case/reader.h"

/* Reads the key `rig` of a rig in a shared object; false: it names another rig. */
bool ifd__read_object_rig(ifd__reader *r, const ifd__node *node, ifd_hybrid_options *o);

#endif
