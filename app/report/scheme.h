/* SPDX-License-Identifier: MIT */
/* The structure and its specimens as boxes and links: taken from the case in parts.c, arranged
 * and drawn in scheme.c. */
#pragma once

#include "report.h"

enum { SCHEME_PARTS = 12, SCHEME_SPECIMENS = 8, SCHEME_LINKS = 32 };

typedef struct scheme_box {
    char name[64], below[80], last[160];
} scheme_box;

/* joints: their number in this line; word: their name. arrow: motion is passed from a to b. */
typedef struct scheme_link {
    int a, b, joints;
    const char *word;
    bool arrow;
} scheme_link;

typedef struct scheme {
    int parts, specimens, links;
    int parts_in_all, specimens_in_all; /* those that do not fit are only counted */
    scheme_box part[SCHEME_PARTS], specimen[SCHEME_SPECIMENS];
    int holds[SCHEME_SPECIMENS]; /* the substructure of a specimen */
    scheme_link link[SCHEME_LINKS];
    const char *rig; /* NULL: the specimens are computed */
    char caption[200];
} scheme;

void scheme_take(const ifd_case *c, bool characterised, scheme *out);
