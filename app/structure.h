/* SPDX-License-Identifier: MIT */
/* The structure of a case in space, and its picture as SVG: nodes, members with releases and loads, floors, supports,
 * ties, elements, soil and specimens; undeformed, or displaced by a mode or by a row of a result.
 *
 *     structure s;
 *     structure_take(arena, c, &s);
 *     picture_begin(out, 900, 600, "A frame", true);
 *     picture_put(out, &s, &(picture_view){.width = 900, .height = 600});
 *     picture_end(out);
 *
 * A structure without coordinates (matrices, joined programs) is a row of masses with the elements between them. */
#pragma once

#include "app.h"

typedef enum spot_kind {
    SPOT_NODE,  /* of a frame, or the master of a rigid body */
    SPOT_FLOOR, /* of a building, at either column */
    SPOT_MASS,  /* another dof, or a substructure of another program */
    SPOT_POINT  /* of the ground */
} spot_kind;

/* A point of the structure. */
typedef struct spot {
    spot_kind kind;
    const char *part, *name; /* part: its substructure, NULL: none */
    double at[3];            /* m; of other spots, where there is room */
    unsigned fixed;          /* IFD_FIX_..., of supports */
    unsigned in;             /* bit p: substructure p has a dof of it */
    double down;             /* N, weight on it */
    bool moves;              /* a support moves it */
    bool master;             /* a new node that others follow */
    bool named;
} spot;

typedef enum line_shape {
    LINE_MEMBER,
    LINE_SLAB,
    LINE_ELEMENT,
    LINE_SPECIMEN,
    LINE_CARRIED, /* a specimen with mass on its spot */
    LINE_SOIL,
    LINE_JOINT,
    LINE_TIE /* an equation */
} line_shape;

enum { TONE_NONE = -1 /* one model */, TONE_SHARED = -2 /* on the interface of substructures */ };

typedef struct line {
    line_shape shape;
    const char *name;
    int from, to; /* spots; to -1: the ground, in direction `along` */
    int along;    /* 0 to 2 */
    const ifd_frame_member *member;
    int tone; /* of a member: its substructure, or TONE_... */
} line;

/* Nodes that move as a rigid body. */
typedef struct body {
    const char *name;
    int count, *spot; /* with the master */
} body;

/* At a spot: a roller on a slope along a direction, or a force or moment along an axis. */
typedef struct mark {
    enum { MARK_SLOPE, MARK_FORCE, MARK_MOMENT } kind;
    const char *name;
    int at;
    double along[3];
} mark;

typedef struct structure {
    ifd_arena *arena;
    const ifd_case *c;
    int spots, lines, bodies, marks;
    spot *spot;
    line *line;
    body *body;
    mark *mark;
    bool space;  /* in space: an oblique view */
    bool scaled; /* coordinates are lengths */
    bool built;  /* a frame or storeys, not only masses */
} structure;

/* False: no memory. */
bool structure_take(ifd_arena *arena, const ifd_case *c, structure *out);
/* The chord of an element or specimen of a substructure; NULL: it has none. */
const ifd_case_chord *structure_chord(const ifd_case *c, const char *part, const char *name);
/* The computed model, or that of a substructure; NULL: another program has it. */
const ifd_model *structure_model(const ifd_case *c, int part);
const ifd_couple_options *structure_couple(const ifd_case *c);

/* The displacement of a dof; false: not known. */
typedef struct displaced {
    bool (*value)(const void *data, const char *part, const char *dof, double *out);
    const void *data;
    double factor;       /* of displacements in the picture */
    const char *caption; /* what it shows; the factor is added */
} displaced;

/* The largest displacement of a spot, and the spot; 0 without any. */
double displaced_largest(const structure *s, const displaced *d, const spot **where);
/* How many spots have no known displacement and are not held. */
int displaced_lost(const structure *s, const displaced *d);
/* A round factor that makes the largest displacement a tenth of the size of the structure. */
double displaced_factor(const structure *s, const displaced *d);

typedef struct picture_view {
    double x, y, width, height; /* px */
    const displaced *shape;     /* NULL: undeformed */
    bool bare;                  /* without names */
} picture_view;

/* The height (px) in which the picture needs no empty space. */
double picture_height(const structure *s, const displaced *d, double width);
/* The whole picture, in a file of its own. adapts: dark for readers who prefer that. */
void picture_begin(FILE *out, double width, double height, const char *title, bool adapts);
void picture_put(FILE *out, const structure *s, const picture_view *v);
void picture_end(FILE *out);
/* The picture of a case as text, light; NULL: no memory, or the structure is too large to be recognised. */
char *picture_text(ifd_arena *arena, const ifd_case *c, size_t *length);
