/* SPDX-License-Identifier: MIT */
/* Pages and their charts, and the files of pictures. */
#pragma once

#include "app.h"
#include "chart.h"

#include <interfield/report.h>

/* An escaped text between two pieces of HTML. */
void html_put(FILE *out, const char *before, const char *text, const char *after);
/* The head of a page with its style and the script of its charts, up to its body. data: the file with the numbers
 * of the charts, for browsers without scripts; NULL: there are no charts. */
void page_head(FILE *out, const char *title, const char *data);
/* A name and a value in the list of facts of a page. */
void page_fact(FILE *out, const char *name, const char *value);
/* A quantity with its unit as it is printed: µm, µs, m/s². */
readable page_quantity(double value, const char *unit);
void chart_put(app *a, FILE *out, const chart *c);

/* The terminal of a canvas for a file that ends in .png, .svg, .pdf or .html, or for a format; NULL for others. */
const char *canvas_terminal(const char *file);
/* Draws charts on a canvas, or as a page; false after an error message. */
bool charts_draw(app *a, const char *title, int count, chart *c, const canvas *to);
/* The same into a file by its ending. */
bool charts_save(app *a, const char *title, int count, chart *c, const char *file);
