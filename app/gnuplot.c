/* SPDX-License-Identifier: MIT */
#include "gnuplot.h"

#include <stdbool.h>

void gnuplot_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (const unsigned char *u = (const unsigned char *)text; *u; u++) {
        bool c1 = u[0] == 0xc2 && u[1] >= 0x80 && u[1] < 0xa0; /* control characters in UTF-8 */
        u += c1;
        if (*u == '"' || *u == '\\')
            fputc('\\', out);
        fputc(c1 || *u < ' ' || *u == 0x7f ? ' ' : *u, out);
    }
    fputc('"', out);
}
