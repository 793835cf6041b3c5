/* SPDX-License-Identifier: MIT */
#include "link/rigs.h"

const ifd_rig_ops *const ifd__rigs[] = {
#define RIG(x) &ifd_##x##_rig,
#include "link/rigs.def"
    NULL,
};
