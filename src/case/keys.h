/* SPDX-License-Identifier: MIT */
/* The keys of a case file, section by section. The reader takes every key from these tables. The help and the pages
 * docs/reference/case*.md are printed from them (reference.h), so that the three cannot differ. */
#pragma once

#include <math.h>
#include <stddef.h>

#include <interfield/param.h>

/* A plain value is described by its parameter alone; form describes any other value. */
typedef struct ifd__key {
    ifd_param param;
    const char *form;   /* "a list of names"; NULL: a plain value */
    const char *preset; /* the default in words, where it is not the number of the parameter */
} ifd__key;

typedef struct ifd__section {
    const char *topic; /* "time" */
    const char *title; /* one line */
    const char *path;  /* of its mappings: "model.frame.sections.*"; "" for the file itself */
    const char *intro; /* paragraphs, separated by an empty line */
    const ifd__key *keys;
} ifd__section;

/* Each is defined in the file that reads it. */
#define SECTION(name) extern const ifd__section ifd__section_##name;
#include "case/sections.def"
#undef SECTION

/* All of them, NULL at the end. */
extern const ifd__section *const ifd__sections[];

/* NULL when there is none. */
const ifd__section *ifd__section_find(const char *topic);
/* NULL when there is none. */
const ifd__key *ifd__key_find(const ifd__key *keys, const char *name);

/* Whether the reader sets the parameter itself, so that no case has it. */
bool ifd__param_hidden(const ifd_param *p);

/* Every number has its own range, in SI units. It is wide: it has room for any laboratory and any structure. A range
 * that begins at 0 permits 0, and nothing smaller than the smallest magnitude of its dimension (yaml_read.c). */
#define NUMBER(n, d, low, high, ...)                                                                                 \
    {                                                                                                                \
        .param = IFD_NEEDED(n, d, low, high, __VA_ARGS__)                                                            \
    }
#define WITHIN(n, d, low, high, p, said, ...)                                                                        \
    {                                                                                                                \
        .param = IFD_OPTION(n, d, low, high, p, __VA_ARGS__), .preset = said                                         \
    }
/* A limit; absent unless it is given. */
#define LIMIT(n, d, low, high, said, ...)                                                                            \
    {                                                                                                                \
        .param =                                                                                                     \
            IFD_OPTION(n, d, low, high, (double)INFINITY, __VA_ARGS__, .shape = IFD_SHAPE_CHOICE, .words = "none"),  \
        .preset = said                                                                                               \
    }
#define CHOICE(n, w, said, ...)                                                                                      \
    {                                                                                                                \
        .param = IFD_WORD(n, w, __VA_ARGS__), .preset = said                                                         \
    }
#define WORD(n, w, ...) CHOICE(n, w, NULL, __VA_ARGS__)
#define FLAG(n, p, said, ...)                                                                                        \
    {                                                                                                                \
        .param = IFD_FLAG(n, __VA_ARGS__, .preset = p), .preset = said                                               \
    }
#define LIST(n, d, need, said, ...)                                                                                  \
    {                                                                                                                \
        .param = {.name = n, .dim = IFD_DIM_##d, .shape = IFD_SHAPE_LIST, .required = need, .doc = __VA_ARGS__},     \
        .preset = said                                                                                               \
    }
#define TEXT(n, need, said, ...)                                                                                     \
    {                                                                                                                \
        .param = IFD_TEXT(n, __VA_ARGS__, .required = need), .preset = said                                          \
    }
#define FORM(n, need, f, said, text)                                                                                 \
    {                                                                                                                \
        .param = {.name = n, .required = need, .doc = text}, .form = f, .preset = said                               \
    }

/* The keys of a section, inside it; those of one whose keys are read elsewhere. */
#define KEYS(...) ((const ifd__key[]){__VA_ARGS__, {.form = NULL}})
#define NO_KEYS ((const ifd__key[]){{.form = NULL}})
