/* SPDX-License-Identifier: MIT */
#ifndef IFD_BASE_MARKUP_H
#define IFD_BASE_MARKUP_H

#include <stdio.h>

/* Prints untrusted text in HTML or XML. Characters with a meaning there are escaped. Control characters become
 * blanks, except those in kept. */
void ifd__markup_print(const char *text, const char *kept, FILE *stream);

#endif
