/* SPDX-License-Identifier: MIT */
/* A delay line: past samples, newest first, that shift (a copy of the state is then the state, whatever the tick).
 * Between samples it is read by the cubic polynomial through the four around, fewer where the line ends. */
#ifndef IFD_RIG_VIRTUAL_DELAY_LINE_H
#define IFD_RIG_VIRTUAL_DELAY_LINE_H

#include <interfield/status.h>

enum { IFD__LINE_MOST = 1 << 16 }; /* samples */

/* How one value is read: count samples from first on, times their weights. */
typedef struct ifd__tap {
    int first, count;
    double weight[4];
} ifd__tap;

/* A delay in samples h apart; next to a whole number of them it is that one. */
double ifd__line_age(double delay, double h);
/* The samples that a line needs for values up to age samples old. */
int ifd__line_length(double age);
/* The tap for a value age >= 0 samples old in a line of length samples; degree 1 or 3 at most. */
ifd__tap ifd__line_tap(int length, double age, int degree);
/* Weights of the polynomial through count values at first, first + 1, ..., at x. */
void ifd__lagrange(int count, int first, double x, double *weight);

IFD_RT void ifd__line_fill(double *line, int length, double value);
IFD_RT void ifd__line_push(double *line, int length, double value);
IFD_RT double ifd__line_read(const double *line, const ifd__tap *tap);

#endif
