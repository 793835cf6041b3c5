/* SPDX-License-Identifier: MIT */
#pragma once

#include <stdbool.h>

/* to[i]: the column assigned to row i, each column once, with the least sum of cost[i * n + to[i]]. False without
 * memory. */
bool ifd__assign(int n, const double *cost, int *to);
