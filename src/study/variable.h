/* SPDX-License-Identifier: MIT */
/* Variables of a study: what a member sets in its case. */
#pragma once

#include <interfield/study.h>

#include "case/reader.h"
#include "text/units.h"

/* A distribution: a row of the table, found by its key in `vary`. */
typedef struct ifd__distribution {
    const ifd__section *section;
    /* Reads the mapping into p; findings go to the note. */
    void (*read)(ifd__reader *r, const ifd__fields *f, double p[4]);
    double (*quantile)(const double p[4], double u);
} ifd__distribution;
extern const ifd__distribution ifd__distributions[]; /* ended by a row without section */

/* A number of the base case as it is written there. */
typedef struct ifd__base_number {
    double number, si;         /* in the unit of the text; in SI units */
    const char *unit, *suffix; /* " kN", and as in ifd__variable */
} ifd__base_number;

#define IFD__APPLIED "value|factor|offset"
typedef enum ifd__applied { IFD__AS_VALUE, IFD__AS_FACTOR, IFD__AS_OFFSET } ifd__applied;

typedef struct ifd__variable {
    ifd_study_variable shown;
    ifd_place place;
    const ifd__node *source; /* of the values, while the study is read */
    int keys;
    const char *const *key; /* paths in the case */
    ifd__base_number *base; /* numbers there, for factor and offset; NULL: not needed */
    ifd__applied applied;
    bool by_plan;            /* a plan of its own gives the values */
    int items;               /* of a list; 0: a distribution */
    const double *number;    /* of a list of numbers; NULL: texts, in shown.choice */
    const char *const *file; /* of a list of files: their paths from here; NULL: texts as they are */
    bool drawn;              /* an item is drawn at random */
    int with;                /* index of the variable with which a list advances; -1: none */
    const ifd__distribution *distribution;
    double p[4];
    const char *suffix; /* unit of the numbers that is not the SI unit of every key: " rad/s" or " Hz"; else "" */
    int dimension;      /* among the random ones; -1: not random */
} ifd__variable;

/* Reads the variable of a key of `vary`. */
void ifd__variable_read(ifd__reader *r, const ifd__node *node, ifd__variable *out);
/* The value for a coordinate in (0, 1) of a random variable, or for an index of a list. */
double ifd__variable_draw(const ifd__variable *v, double u);
double ifd__variable_item(const ifd__variable *v, long index);
/* "key=value" for key k; NULL: out of memory. */
const char *ifd__variable_setting(ifd_arena *arena, const ifd__variable *v, int k, double value);

/* Numbers of any unit, and values as text of YAML. */

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
