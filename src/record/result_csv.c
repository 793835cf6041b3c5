/* SPDX-License-Identifier: MIT */
/* result.csv: a header line "time [s],floor1 displacement [m],...", then one line per row, 17 significant digits, so
 * that reading gives the same doubles. */
#include "record/result.h"

#include <errno.h>
#include <string.h>

static ifd_status failed(ifd_result *res)
{
    if (!res->reason)
        res->reason = ifd_arena_print(res->arena, "result.csv: %s", strerror(errno));
    return IFD_OUTPUT;
}

void ifd__csv_name(FILE *file, const char *name, const char *unit)
{
    bool quoted = strpbrk(name, ",\"\n") != NULL;
    fputs(quoted ? ",\"" : ",", file);
    for (const char *p = name; *p; p++) {
        if (*p == '"')
            fputc('"', file);
        fputc(*p, file);
    }
    fprintf(file, " [%s]%s", unit, quoted ? "\"" : "");
}

void ifd__csv_number(FILE *file, double value)
{
    char text[40];
    snprintf(text, sizeof text, "%.17g", value);
    char *comma = strchr(text, ','); /* the decimal sign of some locales */
    if (comma)
        *comma = '.';
    fputs(text, file);
}

ifd_status ifd__csv_open(ifd_result *res)
{
    const char *path = ifd_arena_print(res->arena, "%s/result.csv", res->folder);
    if (!path)
        return IFD_NO_MEMORY;
    res->csv = fopen(path, "w");
    if (!res->csv)
        return failed(res);
    fputs("time [s]", res->csv);
    for (int i = 0; i < res->channels; i++)
        ifd__csv_name(res->csv, res->channel[i].name, res->channel[i].unit);
    return fputc('\n', res->csv) == EOF ? failed(res) : IFD_OK;
}

ifd_status ifd__csv_append(ifd_result *res, double time, const double *values)
{
    ifd__csv_number(res->csv, time);
    for (int i = 0; i < res->channels; i++) {
        fputc(',', res->csv);
        ifd__csv_number(res->csv, values[i]);
    }
    return fputc('\n', res->csv) == EOF || ferror(res->csv) ? failed(res) : IFD_OK;
}

ifd_status ifd__csv_close(ifd_result *res)
{
    if (!res->csv)
        return IFD_OK;
    bool good = fclose(res->csv) == 0;
    res->csv = NULL;
    return good ? IFD_OK : failed(res);
}
