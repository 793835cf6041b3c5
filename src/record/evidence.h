/* SPDX-License-Identifier: MIT */
/* Files beside a case with what was found on its rig: a list of records, newest first, each with a mark of the
 * settings of the rig. */
#pragma once

#include <stdint.h>

#include <interfield/case.h>
#include <interfield/certificate.h>
#include <interfield/json.h>
#include <interfield/several.h>

enum { IFD__EVIDENCE_KEPT = 64 }; /* records of other settings in a file */

/* h with a text; with name, parameters and code of a rig. */
uint64_t ifd__mark_text(uint64_t h, const char *text);
uint64_t ifd__rig_mark(uint64_t h, const ifd_rig_part *rig);

/* The first record of the list of this name; NULL: there is none, or the file is damaged. */
const ifd_json_node *ifd__evidence_read(ifd_arena *arena, const char *path, const char *name);
/* Copies a node. */
void ifd__evidence_put(ifd_json *j, const ifd_json_node *n);
/* All or nothing. */
ifd_status ifd__evidence_write(ifd_arena *arena, const char *path, const char *text, ifd_note *note);

/* An override "key.sub=value" becomes part of the sources of a case; false: no memory. */
bool ifd__add_set(ifd_arena *arena, ifd_case *c, const char *text);

/* Days since a date of ifd__time_of_day; a negative number: it is in the future or cannot be read. */
double ifd__days_since(const char *date);
/* "12 Nov" */
const char *ifd__day_of(ifd_arena *arena, const char *date);

extern const char ifd__certificate_style[]; /* page/certificate.css */
extern const char *const ifd__mark_names[IFD_MARK_COUNT];

/* The number is a hash of all other compared data: after an edit it does not match. */
void ifd__certificate_number(const ifd_certificate *c, char number[IFD_MARK_SIZE]);
