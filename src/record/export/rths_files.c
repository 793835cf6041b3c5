/* SPDX-License-Identifier: MIT */
/* Files of the benchmark: ground motions and tables of plants. */
#include <interfield/benchmark.h>

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

/* Four numbers with commas; false if the line has another content. */
static bool read_plant(const char *line, ifd_rths_plant *p)
{
    double number[4];
    for (int i = 0; i < 4; i++) {
        char *rest;
        number[i] = strtod(line, &rest);
        bool may_be_negative = i == 3; /* a3 is drawn without truncation */
        if (rest == line || !isfinite(number[i]) || !(number[i] > 0 || may_be_negative))
            return false;
        line = rest + strspn(rest, " \t");
        if (i < 3 && *line++ != ',')
            return false;
    }
    *p = (ifd_rths_plant){number[0], number[1], number[2], number[3]};
    return line[strspn(line, " \t\r\n")] == '\0';
}

static bool is_text(const char *line)
{
    line += strspn(line, " \t\r\n");
    return *line == '\0' || *line == '#' || isalpha((unsigned char)*line);
}

static ifd_status read_plants(FILE *in, const char *path, ifd_rths_plant *plant, int *count, ifd_note *note)
{
    char line[512];
    for (int number = 1; fgets(line, sizeof line, in); number++) {
        ifd_place place = {.file = path, .line = number, .column = 1};
        if (is_text(line))
            continue;
        if (*count == MOST_PLANTS)
            return ifd_note_add(note, IFD_RANGE, &place, "the file has more than %d plants", (int)MOST_PLANTS);
        if (!read_plant(line, &plant[*count]))
            return ifd_note_add(note, IFD_SYNTAX, &place, "expected four numbers with commas: k_e, beta1, beta2, a3");
        *count += 1;
    }
    return *count ? IFD_OK
                  : ifd_note_add(note, IFD_SYNTAX, &(ifd_place){.file = path}, "there is no plant in this file");
}

ifd_status ifd_rths_plants_read(ifd_arena *arena, const char *path, const ifd_rths_plant **out, int *count,
                                ifd_note *note)
{
    ifd_rths_plant *plant = ifd_arena_array(arena, MOST_PLANTS, sizeof *plant);
    if (!plant)
        return IFD_NO_MEMORY;
    FILE *in = fopen(path, "r");
    if (!in)
        return ifd_note_add(note, IFD_FILE, &(ifd_place){.file = path}, "the file cannot be opened");
    *count = 0;
    *out = plant;
    ifd_status status = read_plants(in, path, plant, count, note);
    fclose(in);
    return status;
}
