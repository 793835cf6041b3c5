/* SPDX-License-Identifier: MIT */
#pragma once

#include <stdio.h>

/* Prints untrusted text in HTML or XML. Characters with a meaning there are escaped. Control characters become
 * blanks, except those in kept. */
void ifd__markup_print(const char *text, const char *kept, FILE *stream);
