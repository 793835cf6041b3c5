/* SPDX-License-Identifier: MIT */
/* Sums of dofs in a text: "-1 * base.x + 0.5 m * base.rz". */
#pragma once

#include "case/reader.h"

enum { IFD__SUM_TERMS = 64 };

typedef struct ifd__sum {
    ifd__reader *r;
    const ifd__node *node; /* the text */
    const char *what;      /* "a joint" */
    void *of;
    /* The dof of a name, and whether it turns. IFD_OK, or after an error. */
    ifd_status (*find)(const struct ifd__sum *s, const char *name, ifd_joint_term *out, bool *turns);
    int terms;
    ifd_joint_term term[IFD__SUM_TERMS];
} ifd__sum;

/* Adds the terms from `from` to `end`, times side. Signs between terms are between blanks, as a dof name can
 * contain a dash; a sign before the first term need not be. */
ifd_status ifd__read_sum(ifd__sum *s, const char *from, const char *end, double side);

/* The text without blanks at its ends; NULL: no memory. */
char *ifd__trimmed(ifd_arena *arena, const char *from, const char *end);
