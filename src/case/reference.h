/* SPDX-License-Identifier: MIT */
/* The reference of the case file: help in the terminal (help.c) and the pages docs/reference/case*.md (page.c). Both
 * print the facts of the tables that read a case, row by row (rows.c). */
#pragma once

#include <stdio.h>

#include <interfield/arena.h>

#include "case/keys.h"
#include "text/yaml.h"

/* One key or parameter. Texts are "" where there is nothing to print. */
typedef struct ifd__facts {
    const char *name;
    char type[288], unit[64], preset[160], range[160], example[96];
    const char *meaning; /* a sentence without its full stop */
} ifd__facts;

/* The facts of a parameter; form and preset are those of a key, or NULL. */
void ifd__facts_of(const ifd_param *p, const char *form, const char *preset, ifd__facts *out);
/* Whether two parameters are the same in all that is printed. */
bool ifd__same_param(const ifd_param *a, const ifd_param *b);

/* How most elements are attached. */
#define IFD__ATTACHED_PAIR "`between: [from, to]` or `at: dof`"

/* A row of a table that is chosen by its name: a method, an element, a rig. */
typedef struct ifd__row {
    const char *noun, *topic, *name; /* "rig", "test", "udp" */
    const char *title;               /* NULL: none */
    const char *summary, *citation;  /* citation: NULL where there is none */
    const char *attached, *equation; /* of an element, else NULL */
    const char *methods;             /* of a coupling: those of its substructures, else NULL */
    int order;                       /* 0: none is claimed */
    bool measures, comparison;       /* works with a specimen; for comparison only */
    const char *const *own;          /* dofs of its own, by key; NULL: none */
    const ifd_param *params;
} ifd__row;

enum { IFD__ROWS = 160 };
/* All rows, at most IFD__ROWS; how many. */
int ifd__rows(ifd__row *out);
/* A paragraph: title, summary, order, citation, attachment. */
void ifd__row_about(const ifd__row *r, char *text, size_t size);

/* The files of case/examples and study/examples, which the build embeds: "time", "rows/element", and their text. */
typedef struct ifd__example_file {
    const char *name, *text;
} ifd__example_file;
extern const ifd__example_file ifd__example_files[]; /* ended by a row without name */

/* The examples of a section, YAML from the top of the file; an empty line separates them. Together they have every
 * key. A test reads each of them, completed by `time`, `model` and `specimen` where they are absent. */
const char *ifd__section_example(const ifd__section *s);
/* The same of a row, its settings; NULL: none. A test reads each of them in a case. */
const char *ifd__row_example(ifd_arena *arena, const ifd__row *r);

/* The documents that the examples of a section are, and the settings of a row. */
enum { IFD__EXAMPLES = 8 };
typedef struct ifd__examples {
    int count;
    const ifd__node *root[IFD__EXAMPLES];
} ifd__examples;
/* NULL: nothing. Examples are separated by an empty line. */
void ifd__examples_read(ifd_arena *arena, const char *text, ifd__examples *out);
/* Writes the value of the key in the mapping at this path ("specimen", "model.frame.sections.*") of the examples to
 * text; false when there is none. A value that does not fit gives "". */
bool ifd__examples_value(const ifd__examples *e, const char *path, const char *key, char *text, size_t size);
/* The facts of the key that names a dof of the element itself. */
void ifd__own_dof(const char *key, const ifd__examples *e, ifd__facts *out);

/* Pages: docs/NAME.md, and the sections on each. */
typedef struct ifd__page {
    const char *name, *title; /* of a section: NULL */
    const ifd__section *section;
} ifd__page;
/* Each page is followed by its sections; ended by a row without both. */
extern const ifd__page ifd__pages[];
/* Prints docs/NAME.md; false when there is no such page. */
/* A section as a part of a page, and as help in the terminal. */
void ifd__page_section(FILE *out, ifd_arena *arena, const ifd__section *s);
void ifd__section_help(FILE *out, ifd_arena *arena, const ifd__section *s);
/* What print writes about the topic, as text in the arena; NULL if it returns false or without memory. */
const char *ifd__help_text(ifd_arena *arena, const char *topic,
                           bool (*print)(FILE *out, ifd_arena *arena, const char *topic));
bool ifd__page_print(FILE *out, ifd_arena *arena, const char *name);
