/* SPDX-License-Identifier: MIT */
/* A frame while it is read. */
#pragma once

#include "case/tie.h"

/* A member with soil around it: its first segment, and the name of the soil. */
typedef struct ifd__pile {
    struct ifd__pile *next;
    int first, segments;
    ifd_value soil;
} ifd__pile;

typedef struct ifd__framing {
    ifd__model_read *m;
    const ifd__node *sections, *nodes, *grid, *materials;
    ifd_section *section; /* one per entry of sections */
    ifd_material material;
    struct ifd__fibre_law *law; /* one per entry of materials */
    ifd_frame frame;
    const ifd__node *node; /* its mapping */
    ifd__fields f;
    int state;          /* ifd__gravity_word */
    int dofs;           /* of the builder, with those of the frame */
    double *added;      /* kg, dofs: of `masses`; NULL: their weight is not needed */
    double *weight;     /* N, downwards on each node */
    ifd__rigid *floors; /* of a grid, in a list */
    ifd__pile *pile;    /* the last one first */
    int errors;         /* of the note, before its parts were read */
    bool has_material;
    bool complete; /* its grid was made */
} ifd__framing;

/* The node of this name; 0 after an error. */
int ifd__framing_node(ifd__framing *k, const char *name, const ifd_place *place);
/* The section of this name; without area after an error. */
ifd_section ifd__framing_section(ifd__framing *k, const ifd_value *name);

/* A key of map by the name in a text; NULL after an error. */
const ifd__node *ifd__framing_named(ifd__framing *k, const ifd__node *map, const char *noun, const char *name,
                                    const ifd_place *place);
/* The place of this name among the keys of map; -1 after an error. */
int ifd__framing_index(ifd__framing *k, const ifd__node *map, const char *noun, const ifd_value *name);
/* The law of the material of this name among those of the frame; -1 after an error. */
int ifd__framing_law(ifd__framing *k, const ifd_value *name);
/* Shear modulus of a section: its own, or that of the material of the frame; 0: neither is given. */
double ifd__framing_shear(const ifd__framing *k, const ifd__fields *section);

/* `materials`; then the key `fibres` of a section, which sets its area, its second moments and its material. */
void ifd__read_materials(ifd__framing *k, const ifd__node *map);
void ifd__read_fibres(ifd__framing *k, const ifd__node *section, const ifd__fields *f, ifd_section *out);

/* Words of its geometry. */
enum { IFD__GEOMETRY_P_DELTA = 1, IFD__GEOMETRY_LARGE };
/* What a frame with large displacements needs of its own keys. False after an error. */
bool ifd__permit_large_frame(ifd__framing *k);

/* Its gravity state: what acts there. */
typedef enum ifd__gravity_word { IFD__GRAVITY_NONE, IFD__GRAVITY_LOADS, IFD__GRAVITY_WEIGHT } ifd__gravity_word;
/* After all members are read: the state, and with `weight` the weight of members as their load. False after an
 * error. */
bool ifd__framing_state(ifd__framing *k);

/* Soil springs of all piles, when the frame is in the builder. False after an error. */
bool ifd__add_piles(ifd__framing *k, const ifd__node *soils);

/* The list `members`, after nodes and sections. */
void ifd__read_members(ifd__framing *k, const ifd__node *list);
