/* SPDX-License-Identifier: MIT */
/* The table of rigs. */
#include "case/rig/rigs.h"

const ifd_rig_ops *const ifd__rigs[] = {
#define RIG(x) &ifd_##x##_rig,
#include "case/rig/rigs.def"
    NULL,
};
