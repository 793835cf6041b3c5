/* SPDX-License-Identifier: MIT */
/* Exports a result as CSV. */
#include "record/export/export.h"

#include "record/result.h"

bool ifd__export_csv(FILE *out, const ifd_table *t)
{
    fputs("time [s]", out);
    for (int i = 0; i < t->columns; i++)
        ifd__csv_name(out, t->column[i].name, *t->column[i].unit ? t->column[i].unit : "1");
    fputc('\n', out);
    for (long r = 0; r < t->rows && !ferror(out); r++) {
        ifd__csv_number(out, t->time[r]);
        for (int i = 0; i < t->columns; i++) {
            fputc(',', out);
            ifd__csv_number(out, t->value[i][r]);
        }
        fputc('\n', out);
    }
    return !ferror(out);
}
