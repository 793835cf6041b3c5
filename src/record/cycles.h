/* SPDX-License-Identifier: MIT */
/* Measures of the cycles of a loading protocol, from every tick of its record.
 *
 * Turning points are those of the target, two for a cycle: it goes from the crossing of their mean before the first
 * to the next crossing in the same direction. Integrals are by the trapezoidal rule over measured x and r, from
 * crossing to crossing:
 *
 *     E = integral of r dx,   k_s = (r1 - r2)/(x1 - x2),   a = (x1 - x2)/2,   xi = E/(2 pi k_s a^2)
 *
 * with the largest and smallest position x1, x2 of the cycle and the forces r1, r2 there. Q is half the difference of
 * r at its last two crossings of the mean, and mu = E/(N integral of abs dx) with the mean compression N. */
#pragma once

#include <interfield/case.h>
#include <interfield/json.h>
#include <interfield/column.h>

typedef struct ifd__cycles ifd__cycles;

/* Of the specimens that the protocol of the case moves; *out is NULL without one. columns: those of the rows. */
ifd_status ifd__cycles_open(ifd_arena *arena, const ifd_case *c, const ifd_column *column, int columns,
                            ifd__cycles **out);
/* A row: simulated time (s); whether the protocol moves the specimens, and whether they rest before it. */
void ifd__cycles_add(ifd__cycles *c, double time, bool moves, bool rests, const double *values);
/* After the last row. IFD_NO_MEMORY: rows were lost. */
ifd_status ifd__cycles_close(ifd__cycles *c);
/* Members of `cycles` of the summary. */
void ifd__cycles_summary(ifd_json *j, const ifd__cycles *c);
/* The table as CSV; 0 or the error number. */
int ifd__cycles_write(const ifd__cycles *c, const char *path);
