/* SPDX-License-Identifier: MIT */
/* Notes in readable form:
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

IFD_BEGIN_DECLS

/* All errors, then all remarks ("note: ..."). The first line of a hint follows the caret, the others are below.
 * colour: with terminal escape sequences. */
IFD_API void ifd_note_print(const ifd_note *note, FILE *stream, bool colour);

/* Untrusted text for a terminal: control characters, which could move the cursor, change the title or hide text, are
 * printed as \x1b. Line ends and tabs are kept. */
IFD_API void ifd_text_print(const char *text, FILE *stream);

/* Untrusted text for an HTML page: special characters are escaped, control characters become blanks. */
IFD_API void ifd_html_print(const char *text, FILE *stream);

IFD_END_DECLS
#endif
