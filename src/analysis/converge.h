/* SPDX-License-Identifier: MIT */
#pragma once

#include <interfield/analysis.h>

/* Slope of the error at byte `field` of a row over the first levels whose error exceeds ten times `doubt`; *used (may
 * be NULL) := their number. 0 with fewer than two. */
double ifd__converge_fit(int levels, const ifd_converge_row *row, size_t field, double doubt, int *used);
