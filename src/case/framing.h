/* SPDX-License-Identifier: MIT */
/* A frame while it is read. */
#pragma once

#include "case/reader.h"

typedef struct ifd__framing {
    ifd__model_read *m;
    const ifd__node *sections, *nodes, *grid;
    ifd_section *section; /* one per entry of sections */
    ifd_material material;
    ifd_frame frame;
    int errors;    /* of the note, before its parts were read */
    bool complete; /* it has a material, and its grid was made */
} ifd__framing;

/* The node of this name; 0 after an error. */
int ifd__framing_node(ifd__framing *k, const char *name, const ifd_place *place);
/* The section of this name; without area after an error. */
ifd_section ifd__framing_section(ifd__framing *k, const ifd_value *name);

/* The list `members`, after nodes and sections. */
void ifd__read_members(ifd__framing *k, const ifd__node *list);
