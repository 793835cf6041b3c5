/* SPDX-License-Identifier: MIT */
/* Functions that make and join YAML nodes; shared by the YAML files. */
#pragma once

#include "text/file.h"
#include "text/yaml.h"

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
