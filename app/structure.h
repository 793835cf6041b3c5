/* SPDX-License-Identifier: MIT */
/* The structure of a case in space, and its picture as SVG: nodes, members with releases and loads, floors, supports,
 * elements and specimens; undeformed, or displaced by a mode or by a row of a result.
 *
 *     structure s;
 *     structure_take(arena, c, &s);
 *     picture_begin(out, 900, 600);
 *     picture_put(out, &s, &(picture_view){.width = 900, .height = 600});
 *     picture_end(out);
 *
 * A structure without coordinates (matrices, joined programs) is a row of masses with the elements between them. */
#pragma once

#include "app.h"

typedef enum spot_kind {
    SPOT_NODE,  /* of a frame */
    SPOT_FLOOR, /* of a shear building, at either column */
    SPOT_MASS   /* another dof, or a substructure of another program */
} spot_kind;

/* A point of the structure. */
typedef struct spot {
    spot_kind kind;
    const char *part, *name; /* part: its substructure, NULL: none */
    double at[3];            /* m; of other spots, where there is room */
    unsigned fixed;          /* IFD_FIX_..., of supports */
    bool moves;              /* a support moves it */
    bool named;
} spot;

typedef enum line_shape { LINE_MEMBER, LINE_SLAB, LINE_ELEMENT, LINE_SPECIMEN, LINE_JOINT } line_shape;

typedef struct line {
    line_shape shape;
    const char *name;
    int from, to; /* spots; to -1: the ground, in direction `along` */
    int along;    /* 0 to 2 */
    const ifd_frame_member *member;
} line;

typedef struct structure {
    ifd_arena *arena;
    const ifd_case *c;
    int spots, lines;
    spot *spot;
    line *line;
    bool space;  /* in space: an oblique view */
    bool scaled; /* coordinates are lengths */
} structure;

/* False: no memory. */
bool structure_take(ifd_arena *arena, const ifd_case *c, structure *out);

/* The displacement of a dof; false: not known. */
typedef struct displaced {
    bool (*value)(const void *data, const char *part, const char *dof, double *out);
    const void *data;
    double factor;       /* of displacements in the picture */
    const char *caption; /* what it shows; the factor is added */
} displaced;

/* The largest displacement of a spot, and the spot; 0 without any. */
double displaced_largest(const structure *s, const displaced *d, const spot **where);
/* A round factor that makes the largest displacement a tenth of the size of the structure. */
double displaced_factor(const structure *s, const displaced *d);

typedef struct picture_view {
    double x, y, width, height; /* px */
    const displaced *shape;     /* NULL: undeformed */
    bool bare;                  /* without names */
} picture_view;

/* The height (px) in which the picture needs no empty space. */
double picture_height(const structure *s, const displaced *d, double width);
/* The whole picture, in a file of its own. */
void picture_begin(FILE *out, double width, double height, const char *title);
void picture_put(FILE *out, const structure *s, const picture_view *v);
void picture_end(FILE *out);
