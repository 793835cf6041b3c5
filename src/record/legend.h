/* SPDX-License-Identifier: MIT */
#pragma once

#include <interfield/column.h>

/* Meanings of the codes of a column: code k has the k-th word, without blanks, and the k-th sentence. */
typedef struct ifd__legend {
    int count; /* 0: the column has no codes */
    const char *const *word;
    const char *const *text;
} ifd__legend;
ifd__legend ifd__legend_of(ifd_quantity quantity);
