/* SPDX-License-Identifier: MIT */
/* YAML as a tree of nodes that know where they stand, and functions that read them with good error messages.
 *
 *     ifd__yaml doc;
 *     IFD_TRY(ifd__yaml_read_from(NULL, arena, "bridge.yaml", &doc, note));
 *     ifd__yaml_set(&doc, "time.step=1 ms", note);                               // --set
 *     const ifd__node *time = ifd__yaml_need(doc.root, "time", note);
 *     ifd__yaml_keys(time, "step|end", "time", note);                            // nothing else is known there
 *     double step = 0.01;
 *     ifd__yaml_number(ifd__yaml_need(time, "step", note), IFD_DIM_TIME, IFD_RANGE_POSITIVE, &step, note);
 *     ...
 *     ifd__yaml_source_lines(&doc, note);                                        // findings get their line of text
 *
 * Every reader takes the value's node; given NULL it does nothing and returns IFD_OK, so that an absent optional key
 * leaves its preset. Errors are added to note and reading goes on: a caller looks at note->errors at the end.
 *
 * `include: other.yaml` (or a list of files) in any mapping adds the keys of the other file's mapping that
 * are not there yet: own keys win, then earlier files. Anchors, aliases and the merge key `<<` are resolved
 * to copies. Tags are refused. */
#ifndef IFD_TEXT_YAML_H
#define IFD_TEXT_YAML_H

#include <stdbool.h>

#include <interfield/arena.h>
#include <interfield/param.h>
#include <interfield/status.h>

enum { IFD__YAML_DEPTH = 64, IFD__YAML_NODES = 2 << 20 };

typedef enum ifd__node_kind { IFD__SCALAR, IFD__SEQUENCE, IFD__MAPPING } ifd__node_kind;

typedef struct ifd__node {
    ifd__node_kind kind;
    bool quoted;
    int count;        /* children */
    int index;        /* in a sequence, from 0 */
    const char *text; /* of a scalar; "" when nothing was written */
    const char *key;  /* in a mapping, else NULL */
    ifd_place place;  /* of a scalar its text, of others the key, or the first character when there is no key */
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
    ifd__source *sources; /* every text that was read; the main file is the last of the list */
    int nodes;
    struct ifd__yaml_pool *pool;
    struct ifd__bundle *bundle; /* that files are read from and kept on; may be NULL */
} ifd__yaml;

/* Errors: IFD_FILE, IFD_TOO_LARGE, IFD_SYNTAX, IFD_DUPLICATE, IFD_INCLUDE, IFD_SHAPE (an included file is no
 * mapping). The findings have their source lines. */
ifd_status ifd__yaml_read_from(struct ifd__bundle *bundle, ifd_arena *arena, const char *path, ifd__yaml *doc,
                               ifd_note *note);

/* "a.b.2.c=value": replaces or adds the value there; numbers are places in lists, from 0. The value is YAML. */
ifd_status ifd__yaml_set(ifd__yaml *doc, const char *assignment, ifd_note *note);

/* Fills the source line of every finding and remark that stands in a text of doc and has none yet. */
void ifd__yaml_source_lines(const ifd__yaml *doc, ifd_note *note);

/* The value of a key, NULL when absent (or when map is NULL or no mapping). need adds IFD_MISSING_KEY. */
const ifd__node *ifd__yaml_get(const ifd__node *map, const char *key);
const ifd__node *ifd__yaml_need(const ifd__node *map, const char *key, ifd_note *note);
const ifd__node *ifd__yaml_item(const ifd__node *sequence, int index);
/* Nothing, ~ or null was written. */
bool ifd__yaml_empty(const ifd__node *node);

/* IFD_SHAPE unless the node is of that kind. */
ifd_status ifd__yaml_expect(const ifd__node *node, ifd__node_kind kind, ifd_note *note);

/* Every key of map must be among known, "a|b|c"; otherwise IFD_UNKNOWN_KEY for each, with the nearest known one. what
 * says in messages where this is: "time", "element 'bouc-wen'". IFD_SHAPE when map is no mapping. */
ifd_status ifd__yaml_keys(const ifd__node *map, const char *known, const char *what, ifd_note *note);
/* Says that the key of a node is none of those. */
ifd_status ifd__yaml_unknown(const ifd__node *node, const char *known, const char *what, ifd_note *note);

ifd_status ifd__yaml_number(const ifd__node *node, ifd_dimension dim, ifd_range range, double *out, ifd_note *note);
/* A number for a parameter that has a range of its own: outside of it the number is read, and ifd_param_check refuses
 * it with that range. */
ifd_status ifd__yaml_number_of(const ifd__node *node, ifd_dimension dim, const ifd_param *p, double *out,
                               ifd_note *note);
/* What a number other than zero may be, by its dimension alone, in SI units. */
void ifd__yaml_magnitude(ifd_dimension dim, double *least, double *most);
ifd_status ifd__yaml_integer(const ifd__node *node, long min, long max, long *out, ifd_note *note);
/* yes, no, true, false, on, off */
ifd_status ifd__yaml_flag(const ifd__node *node, bool *out, ifd_note *note);
ifd_status ifd__yaml_text(const ifd__node *node, const char **out, ifd_note *note);
/* One of "a|b|c"; out gets its index. */
ifd_status ifd__yaml_word(const ifd__node *node, const char *choices, int *out, ifd_note *note);
/* Numbers: a list; one number counts as a list of one. A matrix is a list of equally long lists, stored by rows. */
ifd_status ifd__yaml_list(ifd_arena *arena, const ifd__node *node, ifd_dimension dim, const double **out, int *count,
                          ifd_note *note);
ifd_status ifd__yaml_matrix(ifd_arena *arena, const ifd__node *node, ifd_dimension dim, ifd_value *out,
                            ifd_note *note);
/* Texts: a list; one text counts as a list of one. */
ifd_status ifd__yaml_names(ifd_arena *arena, const ifd__node *node, const char *const **out, int *count,
                           ifd_note *note);

/* A thing with or without settings, `lsrt2` or `{mg-alpha: {rho: 0.8}}`: its name, where that stands, and the mapping
 * of settings (NULL when there are none). */
ifd_status ifd__yaml_choice(const ifd__node *node, const char **name, ifd_place *place, const ifd__node **settings,
                            ifd_note *note);

/* Reads the settings of a table row: presets first, then the keys of map (NULL: none), then ifd_param_check. any
 * stands for IFD_DIM_ANY. Keys among also ("between|at", NULL: none) are left to the caller; others are unknown.
 * place is where something missing is reported when map is NULL. */
typedef struct ifd__settings {
    const ifd__node *map;
    const ifd_param *params;
    ifd_dimension any;
    const char *also, *what;
    ifd_place place;
} ifd__settings;
ifd_status ifd__yaml_params(ifd_arena *arena, const ifd__settings *ask, ifd_value *values, ifd_note *note);

#endif
