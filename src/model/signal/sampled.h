/* SPDX-License-Identifier: MIT */
/* Several elements in series as one element, with connections without mass; for specimens. */
#pragma once

#include <interfield/element.h>

enum { IFD__SERIES_PARTS = 8 };

typedef struct ifd__series_part {
    const ifd_element_ops *ops; /* attached to a pair, without mass */
    const ifd_value *values;
    ifd_place place;
} ifd__series_part;

/* An element without parameters, of 1 to IFD__SERIES_PARTS elements; NULL without memory. */
const ifd_element_ops *ifd__series_ops(ifd_arena *arena, int count, const ifd__series_part *part);
