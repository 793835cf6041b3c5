/* SPDX-License-Identifier: MIT */
#include "record/export.h"

#include <string.h>

/* A name in quotes where a comma or a quote would end it. */
static void put_name(FILE *out, const char *name, const char *unit)
{
    bool quoted = strpbrk(name, ",\"\n") != NULL;
    fputs(quoted ? ",\"" : ",", out);
    for (const char *p = name; *p; p++) {
        if (*p == '"')
            fputc('"', out);
        fputc(*p, out);
    }
    fprintf(out, " [%s]%s", *unit ? unit : "1", quoted ? "\"" : "");
}

bool ifd__export_csv(FILE *out, const ifd_table *t)
{
    fputs("time [s]", out);
    for (int i = 0; i < t->channels; i++)
        put_name(out, t->channel[i].name, t->channel[i].unit);
    fputc('\n', out);
    for (long r = 0; r < t->rows && !ferror(out); r++) {
        fprintf(out, "%.17g", t->time[r]);
        for (int i = 0; i < t->channels; i++)
            fprintf(out, ",%.17g", t->column[i][r]);
        fputc('\n', out);
    }
    return !ferror(out);
}
