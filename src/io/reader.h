/* SPDX-License-Identifier: MIT */
/* What the files that read a case share. Every function adds its errors to the reader's note and goes on, so that one
 * pass finds all of them; whether there were any is asked at the end. */
#ifndef IFD_IO_READER_H
#define IFD_IO_READER_H

#include <interfield/case.h>

#include "io/keys.h"
#include "io/yaml.h"

enum { IFD__FIELDS = 16 }; /* no section has more keys */

typedef struct ifd__reader {
    ifd_arena *arena;
    ifd_note *note;
    ifd__yaml doc;
    ifd_builder *b;
    ifd_case *c;
    double step;               /* s, 0 when it could not be read */
    const ifd__node *model;    /* the mapping `model` */
    const ifd__node *condense; /* `condense: keep`, NULL when nothing is condensed */
} ifd__reader;

/* The values of one mapping of the file, by the keys of its section. */
typedef struct ifd__fields {
    const ifd__section *section;
    const ifd__node *map;
    ifd_value value[IFD__FIELDS];
} ifd__fields;

/* Reads the plain values of a mapping and checks its keys; extra ("a|b", NULL: none) are further keys that are read
 * elsewhere. what says in messages where this is. */
void ifd__fields_read(ifd__reader *r, const ifd__node *map, const char *topic, const char *extra, const char *what,
                      ifd__fields *out);
/* A plain value, and the node of one that is not plain (NULL when absent). The key must be in the section. */
const ifd_value *ifd__field(const ifd__fields *f, const char *name);
const ifd__node *ifd__part(const ifd__fields *f, const char *name);
/* A field by its index among words, 0 when it could not be read. */
int ifd__field_word(const ifd__fields *f, const char *name);

/* Gives the errors that came after `before` (NULL: all) and have no place of their own this one. */
void ifd__place_findings(ifd__reader *r, const ifd_finding *before, const ifd_place *place);
/* A word among choices, called what in messages; -1 after an error. */
int ifd__read_word(ifd__reader *r, const ifd__node *node, const char *choices, const char *what);

/* "a|b|c" of names; NULL entries are left out. "" when memory is out. */
const char *ifd__join(ifd_arena *arena, int count, const char *const *names);

enum { IFD__REF_GROUND = 1, IFD__REF_SUPPORT = 2, IFD__REF_ANY = 3 };
/* The reference that a scalar names: always a dof, and what allowed says besides. False after an error. */
bool ifd__read_ref(ifd__reader *r, const ifd__node *node, unsigned allowed, int *ref);
/* The same for a name taken out of a node's text. */
bool ifd__find_ref(ifd__reader *r, const char *name, const ifd_place *place, unsigned allowed, int *ref);
/* Refuses a dof that `condense` removes; what says who uses it. */
void ifd__refuse_condensed(ifd__reader *r, int ref, const ifd_place *place, const char *what);
/* Adds a dof and says so when its name is taken; its index, or -1. */
int ifd__new_dof(ifd__reader *r, const char *name, ifd_dof_kind kind, const ifd_place *place);

/* Notes a drift for the result, unless it begins at a support. */
void ifd__add_drift(ifd__reader *r, const char *name, int from, int to);

ifd_dof_kind ifd__ref_kind(const ifd__reader *r, int ref); /* X for the ground and supports */
bool ifd__rotation(ifd_dof_kind kind);

/* A signal, a number (constant), or a list (sum). any: the dimension of what it drives. smooth: samples are splined
 * unless they say otherwise. NULL after an error. */
const ifd_signal *ifd__read_signal(ifd__reader *r, const ifd__node *node, ifd_dimension any, bool smooth);

/* The parts of a case. */
void ifd__read_ground(ifd__reader *r, const ifd__node *node);
void ifd__read_supports(ifd__reader *r, const ifd__node *node);
void ifd__read_loads(ifd__reader *r, const ifd__node *node);
void ifd__read_initial(ifd__reader *r, const ifd__node *node);
void ifd__read_model(ifd__reader *r, const ifd__node *node);
void ifd__read_damping(ifd__reader *r, const ifd__fields *model);
void ifd__read_matrices(ifd__reader *r, const ifd__fields *model);
void ifd__read_building(ifd__reader *r, const ifd__node *node);
void ifd__read_frame(ifd__reader *r, const ifd__node *node);
/* First the dofs that pendulums bring, then, when every name is known, the elements. */
void ifd__read_element_dofs(ifd__reader *r, const ifd__node *list);
void ifd__read_elements(ifd__reader *r, const ifd__node *list);
void ifd__read_specimens(ifd__reader *r, const ifd__node *list);

#endif
