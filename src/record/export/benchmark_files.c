/* SPDX-License-Identifier: MIT */
/* Files of the benchmarks: ground motions and tables of plants. */
#include <interfield/benchmark.h>

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/motion_file.h"

enum { MOST_PLANTS = 10000 };

ifd_status ifd_benchmark_record_read(ifd_arena *arena, const char *path, const ifd_signal **out, double *end,
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

/* Of rths a3 is drawn without truncation. Draws of marths beyond ten standard deviations could move a pole across the
 * axis. */
static bool read_plant(const char *line, const ifd_benchmark *of, ifd_benchmark_plant *plant)
{
    bool rths = of == &ifd_rths;
    int count = rths ? 4 : 1 + IFD_MARTHS_DRAWS, skipped = rths ? 0 : 1;
    double x[1 + IFD_MARTHS_DRAWS] = {0};
    bool fine = read_numbers(line, count, x);
    for (int i = skipped; fine && i < count; i++)
        fine = rths ? x[i] > 0.0 || i == 3 : fabs(x[i]) <= 10.0;
    memcpy(plant->number, x + skipped, sizeof plant->number);
    return fine;
}

static bool is_text(const char *line)
{
    line += strspn(line, " \t\r\n");
    return *line == '\0' || *line == '#' || isalpha((unsigned char)*line);
}

static ifd_status read_lines(FILE *in, const char *path, const ifd_benchmark *of, ifd_benchmark_plant *plant,
                             int *count, ifd_note *note)
{
    char line[512];
    for (int number = 1; fgets(line, sizeof line, in); number++) {
        ifd_place place = {.file = path, .line = number, .column = 1};
        if (is_text(line))
            continue;
        if (*count == MOST_PLANTS)
            return ifd_note_add(note, IFD_RANGE, &place, "the file has more than %d plants", (int)MOST_PLANTS);
        if (!read_plant(line, of, &plant[*count]))
            return ifd_note_add(note, IFD_SYNTAX, &place, "expected %s",
                                of == &ifd_rths ? "four numbers with commas: k_e, beta1, beta2, a3"
                                                : "ten numbers with commas: the number of the plant and nine draws "
                                                  "within +-10");
        *count += 1;
    }
    return *count ? IFD_OK
                  : ifd_note_add(note, IFD_SYNTAX, &(ifd_place){.file = path}, "there is no plant in this file");
}

ifd_status ifd_benchmark_plants_read(ifd_arena *arena, const char *path, const ifd_benchmark *of,
                                     const ifd_benchmark_plant **out, int *count, ifd_note *note)
{
    ifd_benchmark_plant *plant = ifd_arena_array(arena, MOST_PLANTS, sizeof *plant);
    *out = plant;
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
