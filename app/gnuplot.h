/* SPDX-License-Identifier: MIT */
/* What all pictures made by gnuplot share. */
#ifndef APP_GNUPLOT_H
#define APP_GNUPLOT_H

#include <stdio.h>

/* A text as gnuplot reads it back: quoted, without control characters. */
void gnuplot_text(FILE *out, const char *text);

#endif
