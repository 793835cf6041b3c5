/* SPDX-License-Identifier: MIT */
#pragma once

#include <interfield/histogram.h>

enum { IFD__CLASSES = 32 * (63 - 4) + 32 };

struct ifd_histogram {
    _Atomic uint64_t count[IFD__CLASSES];
    _Atomic uint64_t all, longest; /* ns */
};
