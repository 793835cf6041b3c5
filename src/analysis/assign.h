/* SPDX-License-Identifier: MIT */
#ifndef IFD_ANALYSIS_ASSIGN_H
#define IFD_ANALYSIS_ASSIGN_H

#include <stdbool.h>

/* to[i]: the column given to row i, each column once, so that the sum of cost[i * n + to[i]] is least. False when
 * there is no memory. */
bool ifd__assign(int n, const double *cost, int *to);

#endif
