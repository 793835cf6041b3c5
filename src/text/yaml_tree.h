/* SPDX-License-Identifier: MIT */
/* Making and joining YAML nodes; shared by the files of the YAML layer. */
#ifndef IFD_TEXT_YAML_TREE_H
#define IFD_TEXT_YAML_TREE_H

#include "text/file.h"
#include "text/yaml.h"

/* NULL when memory is out or IFD__YAML_NODES is reached. */
ifd__node *ifd__node_make(ifd__yaml *doc, ifd__node_kind kind, const ifd_place *place);
/* A copy of text that shares a block with others (nodes are many, and the arena aligns each take). */
const char *ifd__node_text(ifd__yaml *doc, const char *text, size_t length);
/* A deep copy without key and parent; NULL also when it would be too deep. */
ifd__node *ifd__node_copy(ifd__yaml *doc, const ifd__node *node, int depth);
void ifd__node_append(ifd__node *parent, ifd__node *child);
void ifd__node_remove(ifd__node *parent, ifd__node *child);
/* Moves those children of from into map whose keys map does not have. */
void ifd__node_absorb(ifd__node *map, ifd__node *from);

/* Keeps text as a source of doc. */
ifd_status ifd__yaml_source(ifd__yaml *doc, const char *file, const char *text, size_t length);
/* Parses a text that is a source of doc, without following includes. *root is NULL for an empty text. */
ifd_status ifd__yaml_parse(ifd__yaml *doc, const ifd__source *source, ifd__node **root, ifd_note *note);

#endif
