/* SPDX-License-Identifier: MIT */
/* Common functions of all gnuplot pictures. */
#ifndef APP_GNUPLOT_H
#define APP_GNUPLOT_H

#include <stdio.h>

/* Writes a quoted text for gnuplot, without control characters. */
void gnuplot_text(FILE *out, const char *text);

#endif
