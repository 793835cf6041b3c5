/* SPDX-License-Identifier: MIT */
/* The structure of a report, and displacements of a result. */
#pragma once

#include "report.h"
#include "structure.h"

/* A row of a result. */
typedef struct instant {
    const ifd_table *t;
    long row;
} instant;

/* The displacements of an instant, for `displaced`. */
bool instant_value(const void *data, const char *part, const char *dof, double *out);
/* The row in which a point of the structure is furthest from its place; -1: no displacement is recorded, or no
 * memory. */
long instant_furthest(const structure *s, const ifd_table *t);

/* The structure, if the case contains its geometry; otherwise, or if the direction of links matters: scheme.c. *row:
 * of its largest displacement; -1: most of it is not recorded, and the drawing is narrow. */
bool report_drawing(const report *r, structure *out, long *row);
void report_structure(const report *r, const structure *s, long row);

/* The name of an end of a specimen at a dof. */
const char *specimen_end(const ifd_case *c, const char *name, const ifd_model *m, int dof, bool first);
