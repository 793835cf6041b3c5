/* SPDX-License-Identifier: MIT */
#include "case/rigs.h"

const ifd_rig_ops *const ifd__rigs[] = {
#define RIG(x) &ifd_##x##_rig,
#include "case/rigs.def"
    NULL,
};
