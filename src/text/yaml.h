/* SPDX-License-Identifier: MIT */
/* YAML as a tree of nodes with their positions in the text, and functions that read the nodes and report errors.
 *
 *     ifd__yaml doc;
 *     IFD_TRY(ifd__yaml_read_from(NULL, arena, "bridge.yaml", &doc, note));
 *     ifd__yaml_set(&doc, "time.step=1 ms", note);                               // --set
 *     const ifd__node *time = ifd__yaml_need(doc.root, "time", note);
 *     ifd__yaml_keys(time, "step|end", "time", note);                            // all permitted keys
 *     double step = 0.01;
 *     ifd__yaml_number(ifd__yaml_need(time, "step", note), IFD_DIM_TIME, IFD_RANGE_POSITIVE, &step, note);
 *     ...
 *     ifd__yaml_source_lines(&doc, note);                                        // adds the source line to findings
 *
 * Every reader takes the node of a value. For NULL it does nothing and returns IFD_OK, so that an absent optional
 * key keeps its preset. Errors are added to note and reading continues; the caller checks note->errors at the end.
 *
 * `include: other.yaml` (or a list of files) in any mapping adds the keys of that file that the mapping does not
 * have. Existing keys have priority, then earlier files. Anchors, aliases and the merge key `<<` become copies. Tags
 * are refused. */
#pragma once

#include <stdbool.h>

#include <interfield/arena.h>
#include <interfield/param.h>
#include <interfield/status.h>

#include "text/file.h"

enum { IFD__YAML_DEPTH = 64, IFD__YAML_NODES = 2 << 20 };

typedef enum ifd__node_kind { IFD__SCALAR, IFD__SEQUENCE, IFD__MAPPING } ifd__node_kind;

typedef struct ifd__node {
    ifd__node_kind kind;
    bool quoted;
    int count;        /* children */
    int index;        /* in a sequence, from 0 */
    const char *text; /* of a scalar; "" if it is empty */
    const char *key;  /* in a mapping, else NULL */
    ifd_place place;  /* for a scalar its text; for others the key, or the first character without a key */
    ifd_place key_place;
    struct ifd__node *parent, *first, *last, *next;
} ifd__node;

typedef struct ifd__source {
    struct ifd__source *next;
    const char *file, *text;
    size_t length;
} ifd__source;

typedef struct ifd__yaml {
    ifd_arena *arena;
    ifd__node *root;
    ifd__source *sources; /* all texts that were read; the main file is the last of the list */
    int nodes;
    struct ifd__yaml_pool *pool;
    struct ifd__bundle *bundle; /* source and store of the files; may be NULL */
} ifd__yaml;

/* Errors: IFD_FILE, IFD_TOO_LARGE, IFD_SYNTAX, IFD_DUPLICATE, IFD_INCLUDE, IFD_SHAPE (an included file is not a
 * mapping). The findings contain their source lines. */
ifd_status ifd__yaml_read_from(struct ifd__bundle *bundle, ifd_arena *arena, const char *path, ifd__yaml *doc,
                               ifd_note *note);

/* "a.b.2.c=value": replaces or adds a value; items of lists by number, from 0, or by name. The value is YAML. */
ifd_status ifd__yaml_set(ifd__yaml *doc, const char *assignment, ifd_note *note);
/* The same for an item of a mapping: its key is the path, its value a copy. */
ifd_status ifd__yaml_set_node(ifd__yaml *doc, const ifd__node *item, ifd_note *note);

/* Adds the source line to every finding and remark with a position in doc that has none yet. */
void ifd__yaml_source_lines(const ifd__yaml *doc, ifd_note *note);

/* The value of a key; NULL if it is absent, or if map is NULL or not a mapping. need adds IFD_MISSING_KEY. */
const ifd__node *ifd__yaml_get(const ifd__node *map, const char *key);
const ifd__node *ifd__yaml_need(const ifd__node *map, const char *key, ifd_note *note);
const ifd__node *ifd__yaml_item(const ifd__node *sequence, int index);
/* The value is empty, ~ or null. */
bool ifd__yaml_empty(const ifd__node *node);

/* IFD_SHAPE unless the node is of that kind. */
ifd_status ifd__yaml_expect(const ifd__node *node, ifd__node_kind kind, ifd_note *note);
/* The first item of a list or mapping; NULL: none, or after that error. */
const ifd__node *ifd__yaml_items(const ifd__node *node, ifd__node_kind kind, ifd_note *note);

/* Every key of map must be in known, "a|b|c"; otherwise IFD_UNKNOWN_KEY for each, with the nearest known key. what
 * is the context in messages: "time", "element 'bouc-wen'". IFD_SHAPE if map is not a mapping. */
ifd_status ifd__yaml_keys(const ifd__node *map, const char *known, const char *what, ifd_note *note);
/* The key of the node is the subject of the last error. */
void ifd__yaml_about(const ifd__node *node, ifd_note *note);

ifd_status ifd__yaml_number(const ifd__node *node, ifd_dimension dim, ifd_range range, double *out, ifd_note *note);
/* A number for a parameter with a range. A number outside the range is read; ifd_param_check then refuses it with
 * that range. */
ifd_status ifd__yaml_number_of(const ifd__node *node, ifd_dimension dim, const ifd_param *p, double *out,
                               ifd_note *note);
/* Permitted magnitude of a number other than zero for a dimension, in SI units. */
void ifd__yaml_magnitude(ifd_dimension dim, double *least, double *most);
ifd_status ifd__yaml_integer(const ifd__node *node, long min, long max, long *out, ifd_note *note);
/* yes, no, true, false, on, off */
ifd_status ifd__yaml_flag(const ifd__node *node, bool *out, ifd_note *note);
ifd_status ifd__yaml_text(const ifd__node *node, const char **out, ifd_note *note);
/* One of "a|b|c"; out gets its index. */
ifd_status ifd__yaml_word(const ifd__node *node, const char *choices, int *out, ifd_note *note);
/* Numbers: a list; a single number counts as a list of one. A matrix is a list of lists of equal length, stored by
 * rows. */
ifd_status ifd__yaml_list(ifd_arena *arena, const ifd__node *node, ifd_dimension dim, const double **out, int *count,
                          ifd_note *note);
ifd_status ifd__yaml_matrix(ifd_arena *arena, const ifd__node *node, ifd_dimension dim, ifd_value *out,
                            ifd_note *note);
/* Texts: a list; a single text counts as a list of one. */
ifd_status ifd__yaml_names(ifd_arena *arena, const ifd__node *node, const char *const **out, int *count,
                           ifd_note *note);

/* A name with or without settings, `lsrt2` or `{mg-alpha: {rho: 0.8}}`: its name, its position and the mapping of
 * settings (NULL without settings). */
ifd_status ifd__yaml_choice(const ifd__node *node, const char **name, ifd_place *place, const ifd__node **settings,
                            ifd_note *note);

/* Reads the settings of a table row: presets first, then the keys of map (NULL: none), then ifd_param_check. any is
 * the dimension for IFD_DIM_ANY. Keys in also ("between|at", NULL: none) are ignored; other keys are unknown. place
 * is the position of errors about missing keys if map is NULL. */
typedef struct ifd__settings {
    const ifd__node *map;
    const ifd_param *params;
    ifd_dimension any;
    const char *also, *what;
    ifd_place place;
    bool rotational; /* units of the columns of a matrix are those of moments and angles */
} ifd__settings;
ifd_status ifd__yaml_params(ifd_arena *arena, const ifd__settings *ask, ifd_value *values, ifd_note *note);

/* Functions that make and join YAML nodes; shared by the YAML files. */

/* NULL: no memory, or IFD__YAML_NODES is reached. */
ifd__node *ifd__node_make(ifd__yaml *doc, ifd__node_kind kind, const ifd_place *place);
/* A copy of text in a shared block (there are many nodes, and the arena aligns every allocation). */
const char *ifd__node_text(ifd__yaml *doc, const char *text, size_t length);
/* A deep copy without key and parent; NULL also if it would be too deep. */
ifd__node *ifd__node_copy(ifd__yaml *doc, const ifd__node *node, int depth);
void ifd__node_append(ifd__node *parent, ifd__node *child);

/* Stores text as a source of doc. */
ifd_status ifd__yaml_source(ifd__yaml *doc, const char *file, const char *text, size_t length);
/* Parses a source of doc without its includes. *root is NULL for an empty text. */
ifd_status ifd__yaml_parse(ifd__yaml *doc, const ifd__source *source, ifd__node **root, ifd_note *note);
