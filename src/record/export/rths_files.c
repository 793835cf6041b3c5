/* SPDX-License-Identifier: MIT */
/* Files of the benchmark: ground motions and tables of plants. */
#include <interfield/marths.h>

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/motion_file.h"

enum { MOST_PLANTS = 10000 };

ifd_status ifd_rths_record_read(ifd_arena *arena, const char *path, const ifd_signal **out, double *end,
                                ifd_note *note)
{
    ifd__record record;
    ifd__record_options opt = {.dim = IFD_DIM_ACCELERATION};
    IFD_TRY(ifd__record_read(arena, path, &opt, &record, note));
    const ifd_samples *s = &record.samples;
    *end = s->time ? s->time[s->count - 1] : s->start + s->dt * (s->count - 1);
    return ifd_signal_make_table(arena, s, IFD_INTERPOLATE_LINEAR, out, note);
}

/* Exactly count numbers with commas; false if the line has another content. */
static bool read_numbers(const char *line, int count, double *number)
{
    for (int i = 0; i < count; i++) {
        char *rest;
        number[i] = strtod(line, &rest);
        if (rest == line || !isfinite(number[i]))
            return false;
        line = rest + strspn(rest, " \t");
        if (i < count - 1 && *line++ != ',')
            return false;
    }
    return line[strspn(line, " \t\r\n")] == '\0';
}

static bool read_plant(const char *line, void *plant)
{
    double x[4];
    if (!read_numbers(line, 4, x) || !(x[0] > 0 && x[1] > 0 && x[2] > 0)) /* a3 is drawn without truncation */
        return false;
    *(ifd_rths_plant *)plant = (ifd_rths_plant){x[0], x[1], x[2], x[3]};
    return true;
}

/* Draws beyond ten standard deviations could move a pole across the axis. */
static bool read_draws(const char *line, void *plant)
{
    double x[1 + IFD_MARTHS_DRAWS];
    bool fine = read_numbers(line, 1 + IFD_MARTHS_DRAWS, x);
    for (int i = 1; fine && i <= IFD_MARTHS_DRAWS; i++)
        fine = fabs(x[i]) <= 10.0;
    if (fine)
        memcpy(((ifd_marths_plant *)plant)->draw, x + 1, sizeof *x * IFD_MARTHS_DRAWS);
    return fine;
}

/* A kind of table: the size of a plant, its line, and what is expected there. */
typedef struct table {
    size_t size;
    bool (*read)(const char *line, void *plant);
    const char *expected;
} table;

static bool is_text(const char *line)
{
    line += strspn(line, " \t\r\n");
    return *line == '\0' || *line == '#' || isalpha((unsigned char)*line);
}

static ifd_status read_lines(FILE *in, const char *path, const table *of, char *plant, int *count, ifd_note *note)
{
    char line[512];
    for (int number = 1; fgets(line, sizeof line, in); number++) {
        ifd_place place = {.file = path, .line = number, .column = 1};
        if (is_text(line))
            continue;
        if (*count == MOST_PLANTS)
            return ifd_note_add(note, IFD_RANGE, &place, "the file has more than %d plants", (int)MOST_PLANTS);
        if (!of->read(line, plant + of->size * (size_t)*count))
            return ifd_note_add(note, IFD_SYNTAX, &place, "expected %s", of->expected);
        *count += 1;
    }
    return *count ? IFD_OK
                  : ifd_note_add(note, IFD_SYNTAX, &(ifd_place){.file = path}, "there is no plant in this file");
}

static ifd_status read_table(const char *path, const table *of, char *plant, int *count, ifd_note *note)
{
    *count = 0;
    if (!plant)
        return IFD_NO_MEMORY;
    FILE *in = fopen(path, "r");
    if (!in)
        return ifd_note_add(note, IFD_FILE, &(ifd_place){.file = path}, "the file cannot be opened");
    ifd_status status = read_lines(in, path, of, plant, count, note);
    fclose(in);
    return status;
}

ifd_status ifd_rths_plants_read(ifd_arena *arena, const char *path, const ifd_rths_plant **out, int *count,
                                ifd_note *note)
{
    static const table rows = {sizeof(ifd_rths_plant), read_plant, "four numbers with commas: k_e, beta1, beta2, a3"};
    ifd_rths_plant *plant = ifd_arena_array(arena, MOST_PLANTS, sizeof *plant);
    *out = plant;
    return read_table(path, &rows, (char *)plant, count, note);
}

ifd_status ifd_marths_plants_read(ifd_arena *arena, const char *path, const ifd_marths_plant **out, int *count,
                                  ifd_note *note)
{
    static const table rows = {sizeof(ifd_marths_plant), read_draws,
                               "ten numbers with commas: the number of the plant and nine draws within +-10"};
    ifd_marths_plant *plant = ifd_arena_array(arena, MOST_PLANTS, sizeof *plant);
    *out = plant;
    return read_table(path, &rows, (char *)plant, count, note);
}
