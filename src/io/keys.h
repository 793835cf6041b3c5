/* SPDX-License-Identifier: MIT */
/* The keys of a case file, section by section. The reader takes every key from these tables, and the help and
 * docs/case.md are printed from them, so that the three cannot differ. */
#ifndef IFD_IO_KEYS_H
#define IFD_IO_KEYS_H

#include <interfield/param.h>

/* A plain value is described by its parameter alone; anything else says in form what is to be written. */
typedef struct ifd__key {
    ifd_param param;
    const char *form;   /* "a list of names"; NULL: a plain value */
    const char *preset; /* what holds when it is not given, where that is not the parameter's number */
} ifd__key;

typedef struct ifd__section {
    const char *topic; /* "time"; NULL ends the list */
    const char *title; /* one line */
    const char *intro; /* paragraphs */
    const ifd__key *keys;
    const char *example; /* YAML, indented by four blanks */
} ifd__section;

extern const ifd__section ifd__sections[];

/* The section of a topic, which must exist (assert). */
const ifd__section *ifd__section_of(const char *topic);
/* NULL when there is none. */
const ifd__section *ifd__section_find(const char *topic);
/* NULL when there is none. */
const ifd__key *ifd__key_find(const ifd__key *keys, const char *name);

/* Parameters that the reader sets itself are not written by anybody. */
bool ifd__param_hidden(const ifd_param *p);

#endif
