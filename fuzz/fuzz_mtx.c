/* SPDX-License-Identifier: MIT */
/* sources: src/text/mtx.c src/text/matrix_csv.c src/text/file.c src/text/units.c src/base/arena.c
 *          src/base/status.c src/base/choice.c src/base/param.c
 * runs: 160000
 *
 * seeds: mtx|csv in tests/cases-bad
 *
 * Matrix Market and CSV files of matrices. Every input is refused with a reason, or it is a matrix of finite
 * numbers inside its bounds, sorted, and bit-identical after writing and reading.
 * Built and run by tools/fuzz. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/file.h"
#include "text/mtx.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(int holds)
{
    if (!holds)
        abort();
}

static void check(const ifd__mtx *m)
{
    for (int k = 0; k < m->count; k++) {
        demand(m->row[k] >= 0 && m->row[k] < m->rows && m->col[k] >= 0 && m->col[k] < m->cols);
        demand(isfinite(m->value[k]));
        demand(k == 0 || m->col[k] > m->col[k - 1] || (m->col[k] == m->col[k - 1] && m->row[k] > m->row[k - 1]));
    }
}

static void again(ifd_arena *arena, const ifd__mtx *m)
{
    char *text = NULL;
    ifd__file file = {.path = "again"};
    ifd__mtx back;
    FILE *out = open_memstream(&text, &file.length);
    ifd__mtx all = *m;
    all.symmetric = false; /* up to 1e-12 is not bit-identical */
    demand(out && ifd__mtx_write(out, &all, NULL));
    demand(fclose(out) == 0);
    file.text = text;
    demand(ifd__mtx_parse(arena, &file, &back, NULL) == IFD_OK);
    demand(back.rows == m->rows && back.cols == m->cols && back.count == m->count);
    for (int k = 0; k < m->count; k++)
        demand(back.row[k] == m->row[k] && back.col[k] == m->col[k] && back.value[k] == m->value[k]);
    free(text);
}

static void try_one(ifd_arena *arena, const ifd__file *file,
                    ifd_status (*parse)(ifd_arena *, const ifd__file *, ifd__mtx *, ifd_note *))
{
    ifd_note note;
    ifd__mtx m;
    ifd_note_init(&note, arena);
    if (parse(arena, file, &m, &note) == IFD_OK) {
        check(&m);
        again(arena, &m);
    } else {
        demand(note.errors > 0 && note.first->text[0]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ifd_arena *arena = ifd_arena_open();
    char *text = malloc(size + 1);
    demand(arena && text);
    memcpy(text, data, size);
    text[size] = '\0';
    const ifd__file file = {.path = "fuzz.mtx", .text = text, .length = size};
    try_one(arena, &file, ifd__mtx_parse);
    try_one(arena, &file, ifd__matrix_csv_parse);
    free(text);
    ifd_arena_close(arena);
    return 0;
}
