/* SPDX-License-Identifier: MIT */
/* Notes as a person reads them:
 *
 *     bridge.yaml:17:20: unknown compensation 'adaptive-modle'
 *         17 |     compensation: {adaptive-modle: {look-ahead: 2 ms}}
 *            |                    ^~~~~~~~~~~~~~ did you mean 'adaptive-model'?
 *     known: none, polynomial, adaptive-model */
#ifndef INTERFIELD_REPORT_H
#define INTERFIELD_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include <interfield/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All errors, then all remarks ("note: ..."). The first line of a hint goes behind the caret, the others below.
 * colour: with terminal escape sequences. */
IFD_API void ifd_note_print(const ifd_note *note, FILE *stream, bool colour);

/* A text of others for a terminal: control characters, which could move its cursor, change its title or hide text,
 * are shown as \x1b. Line ends and tabs stay. */
IFD_API void ifd_text_print(const char *text, FILE *stream);

/* A text of others inside a page: what HTML means otherwise is escaped, control characters become blanks. */
IFD_API void ifd_html_print(const char *text, FILE *stream);

/* One finding. */
IFD_API void ifd_finding_print(const ifd_finding *finding, FILE *stream, bool colour);

#ifdef __cplusplus
}
#endif
#endif
