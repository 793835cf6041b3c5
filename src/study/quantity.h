/* SPDX-License-Identifier: MIT */
/* Numbers of any unit, and values as text of YAML. */
#pragma once

#include "study/variable.h"
#include "text/units.h"

/* Whether a node is a number with or without unit; its value in SI units. */
bool ifd__quantity_of(const ifd__node *node, double *out);
/* The number of a node with its unit; false: it is none. */
bool ifd__base_read(ifd_arena *arena, const ifd__node *node, ifd__base_number *out);
/* " rad/s" or " Hz" if the first number below the node has such a unit, else "". */
const char *ifd__unit_suffix(const ifd__node *node);
/* Whether a node is no number, a number, or one with a unit. */
typedef enum ifd__with_unit { IFD__NO_NUMBER, IFD__NO_UNIT, IFD__WITH_UNIT } ifd__with_unit;
ifd__with_unit ifd__unit_of(const ifd__node *node, ifd__unit *out);
/* Refuses numbers of different dimensions among the keys "a|b" of a mapping. */
void ifd__same_units(ifd__reader *r, const ifd__node *map, const char *keys);
/* A value on one line; NULL: out of memory. */
const char *ifd__flow_text(ifd_arena *arena, const ifd__node *node);
/* A text in quotes. */
const char *ifd__quoted(ifd_arena *arena, const char *text);
/* The value at "a.b.2.c" of a document; NULL: none. */
const ifd__node *ifd__at_path(const ifd__node *root, const char *path);
