/* SPDX-License-Identifier: MIT */
#ifndef IFD_BASE_MARKUP_H
#define IFD_BASE_MARKUP_H

#include <stdio.h>

/* A text of others inside HTML or XML: what these mean otherwise is escaped, control characters become blanks but for
 * those of kept. */
void ifd__markup_print(const char *text, const char *kept, FILE *stream);

#endif
