/* SPDX-License-Identifier: MIT */
/* The structure of a case as a drawing: nodes and members of a frame, floors of a building, with elements and
 * specimens. Arranged in sketch.c and storeys.c, drawn in drawing.c. */
#pragma once

#include "report.h"

enum {
    SKETCH_WIDTH = 420,  /* px, of the drawing */
    SKETCH_HEIGHT = 240, /* largest size of the structure in it */
    SKETCH_MARGIN = 64,  /* margin for attached parts */
    SKETCH_MARKS = 64,
    SKETCH_MEMBERS = 20000,
    SKETCH_SHARED = -1 /* tone of nodes on the interface of substructures */
};

/* A node of a frame, a floor, or another dof; part NULL: any substructure. */
typedef struct sketch_spot {
    const char *part, *name;
    double x, y;
    unsigned in;  /* bit p: substructure p contains it */
    bool floor;   /* of a building */
    bool square;  /* a mass outside the structure, drawn with its name */
    bool support; /* fixed in all directions */
} sketch_spot;

/* A member of the structure between two spots. */
typedef struct sketch_member {
    int from, to;
    int tone; /* its substructure */
} sketch_member;

/* An element or a specimen between two points; its second end is the ground if `ground` is set. */
typedef struct sketch_mark {
    const char *name;
    double x1, y1, x2, y2;
    bool specimen, ground, brace;
    bool carried; /* is mounted on its first point and has its own mass */
} sketch_mark;

typedef struct sketch {
    ifd_arena *arena;
    const ifd_case *c;
    int spots, room, members, marks;
    sketch_spot *spot;
    sketch_member *member;
    sketch_mark mark[SKETCH_MARKS];
    int placed;             /* specimens in the drawing */
    bool planar, building;  /* a plane frame; floors of a building */
    int parts;              /* substructures in different tones; 0: one model */
    double low, high, left; /* the lowest and highest y of the structure, its smallest x */
    double right;
} sketch;

/* Whether the case contains a geometry that can be drawn. */
bool sketch_take(ifd_arena *arena, const ifd_case *c, sketch *out);
/* The computed model, or that of a substructure. */
const ifd_model *sketch_model(const ifd_case *c, int part);
/* The specimen as used in the run; NULL: it is a separate model. */
/* The chord of a specimen; NULL: none. The name of one of its ends. */
const ifd_case_chord *sketch_chord(const ifd_case *c, const char *name);
static inline const char *sketch_end(const char *node)
{
    return node ? node : "ground";
}
const ifd_specimen *sketch_specimen(const ifd_case *c, const char *name);
