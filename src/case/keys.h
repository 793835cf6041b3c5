/* SPDX-License-Identifier: MIT */
/* The keys of a case file, section by section. The reader takes every key from these tables, and the help and
 * docs/case.md are printed from them, so that the three cannot differ. */
#ifndef IFD_CASE_KEYS_H
#define IFD_CASE_KEYS_H

#include <math.h>

#include <interfield/param.h>

/* A plain value is described by its parameter alone; anything else says in form what is to be written. */
typedef struct ifd__key {
    ifd_param param;
    const char *form;   /* "a list of names"; NULL: a plain value */
    const char *preset; /* what holds when it is not given, where that is not the parameter's number */
} ifd__key;

typedef struct ifd__section {
    const char *topic; /* "time" */
    const char *title; /* one line */
    const char *intro; /* paragraphs */
    const ifd__key *keys;
    const char *example; /* YAML, indented by four blanks */
} ifd__section;

/* Each stands in the file that reads it. */
#define SECTION(name) extern const ifd__section ifd__section_##name;
#include "case/sections.def"
#undef SECTION

/* All of them, NULL at the end. */
extern const ifd__section *const ifd__sections[];
extern const ifd__key ifd__no_keys[];

/* NULL when there is none. */
const ifd__section *ifd__section_find(const char *topic);
/* NULL when there is none. */
const ifd__key *ifd__key_find(const ifd__key *keys, const char *name);

/* Parameters that the reader sets itself are not written by anybody. */
bool ifd__param_hidden(const ifd_param *p);

/* Every number has its own range, in SI units. It is wide: what a laboratory or a structure may have, not what is
 * usual. A range that begins at 0 permits 0, and nothing smaller than its dimension has (yaml_read.c). */
#define NUMBER(n, d, low, high, text)                                                                                \
    {                                                                                                                \
        .param = {                                                                                                   \
            .name = n,                                                                                               \
            .dim = IFD_DIM_##d,                                                                                      \
            .range = IFD_RANGE_WITHIN,                                                                               \
            .min = low,                                                                                              \
            .max = high,                                                                                             \
            .required = true,                                                                                        \
            .doc = text                                                                                              \
        }                                                                                                            \
    }
/* A limit, which nobody has unless it is given. */
#define LIMIT(n, d, low, high, said, text)                                                                           \
    {                                                                                                                \
        .param = {.name = n,                                                                                         \
                  .dim = IFD_DIM_##d,                                                                                \
                  .range = IFD_RANGE_WITHIN,                                                                         \
                  .min = low,                                                                                        \
                  .max = high,                                                                                       \
                  .shape = IFD_SHAPE_CHOICE,                                                                         \
                  .words = "none",                                                                                   \
                  .preset = (double)INFINITY,                                                                        \
                  .doc = text},                                                                                      \
        .preset = said                                                                                               \
    }
#define WITHIN(n, d, low, high, p, said, text)                                                                       \
    {                                                                                                                \
        .param = {.name = n,                                                                                         \
                  .dim = IFD_DIM_##d,                                                                                \
                  .range = IFD_RANGE_WITHIN,                                                                         \
                  .min = low,                                                                                        \
                  .max = high,                                                                                       \
                  .preset = p,                                                                                       \
                  .doc = text},                                                                                      \
        .preset = said                                                                                               \
    }
#define WORD(n, w, text)                                                                                             \
    {                                                                                                                \
        .param = {.name = n, .shape = IFD_SHAPE_WORD, .words = w, .doc = text }                                      \
    }
#define TEXT(n, need, said, text)                                                                                    \
    {                                                                                                                \
        .param = {.name = n, .shape = IFD_SHAPE_TEXT, .required = need, .doc = text}, .preset = said                 \
    }
#define FORM(n, need, f, said, text)                                                                                 \
    {                                                                                                                \
        .param = {.name = n, .required = need, .doc = text}, .form = f, .preset = said                               \
    }
#define END                                                                                                          \
    {                                                                                                                \
        .param = { 0 }                                                                                               \
    }

#endif
