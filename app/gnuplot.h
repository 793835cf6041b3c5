/* SPDX-License-Identifier: MIT */
/* Common functions of all gnuplot pictures. */
#pragma once

#include <stdio.h>

/* Writes a quoted text for gnuplot, without control characters. */
void gnuplot_text(FILE *out, const char *text);
/* The terminal ("pngcairo", "svg", "pdfcairo") with its size in px at 96 to the inch: inches for paper, twice the
 * resolution for a screen. */
void gnuplot_terminal(FILE *out, const char *terminal, double width, double height);
/* Grid, borders and margins of all pictures. */
void gnuplot_style(FILE *out);
/* Runs gnuplot with the commands that write(out, what) prints; returns its exit status, 0 on success, 127 if it is
 * not installed. */
int gnuplot_run(void (*write)(FILE *out, const void *what), const void *what);
