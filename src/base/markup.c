/* SPDX-License-Identifier: MIT */
/* Prints text with the characters of HTML and XML replaced. */
#include "base/markup.h"

#include <string.h>

void ifd__markup_print(const char *text, const char *kept, FILE *stream)
{
    static const char *const code[256] = {['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;"};
    for (const unsigned char *p = (const unsigned char *)text; p && *p; p++)
        if (code[*p])
            fputs(code[*p], stream);
        else
            fputc(*p < ' ' && !strchr(kept, *p) ? ' ' : *p, stream);
}
