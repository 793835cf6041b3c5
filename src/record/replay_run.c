/* SPDX-License-Identifier: MIT */
/* Replays a run from the case in its result. */
#include "record/replay.h"

#include <string.h>

#include <interfield/case.h>

#include "base/arena.h"
#include "record/result.h"

typedef struct comparing {
    const ifd_table *table;
    ifd_run *run;
    double *recorded, *replayed; /* one row */
    ifd_replay_report *out;
} comparing;

static bool compare_row(comparing *c)
{
    ifd_replay_report *out = c->out;
    uint64_t row = out->compared;
    for (int i = 0; i < c->table->columns; i++) {
        c->recorded[i] = c->table->value[i][row];
        c->replayed[i] = ifd_run_values(c->run)[i];
    }
    double time = ifd_run_time(c->run), then = c->table->time[row];
    bool same = ifd__replay_compare(out, c->table->column, c->table->columns, c->recorded, c->replayed);
    if (!same || memcmp(&time, &then, sizeof time) != 0) {
        out->verdict = IFD_REPLAY_DIFFERS;
        out->first = row + 1;
        return false;
    }
    out->compared++;
    out->time = time;
    return true;
}

static void compare(comparing *c)
{
    ifd_run_state state = IFD_RUN_GOING;
    uint64_t rows = (uint64_t)c->table->rows;
    bool same = rows == 0 || !ifd_run_fresh(c->run) || compare_row(c);
    while (same && c->out->compared < rows && state == IFD_RUN_GOING) {
        state = ifd_run_tick(c->run);
        if (ifd_run_fresh(c->run))
            same = compare_row(c);
    }
    if (same && c->out->compared < rows) {
        c->out->verdict = IFD_REPLAY_DIFFERS; /* this run ends earlier than the recorded one */
        c->out->first = c->out->compared + 1;
    }
}

/* Names and units are compared like numbers, so that a flipped bit is detected. */
static ifd_status compare_names(comparing *c, const ifd_column *now, ifd_note *note)
{
    const ifd_table *table = c->table;
    for (int i = 0; i < table->columns; i++) {
        const ifd_column *was = &table->column[i];
        if (strcmp(was->name, now[i].name) != 0 || strcmp(was->unit, now[i].unit) != 0)
            return ifd_note_add(
                note, IFD_FILE, NULL,
                "column %d of the result is '%.60s' in '%.20s', but its case gives '%.60s' in '%.20s': the result "
                "was changed or is damaged",
                i + 1, was->name, was->unit, now[i].name, now[i].unit);
    }
    return IFD_OK;
}

static ifd_status replay(ifd_arena *arena, const ifd_table *table, const ifd_case *c, ifd_replay_report *out,
                         ifd_note *note)
{
    int channels;
    comparing all = {.table = table, .out = out};
    IFD_TRY(ifd_run_make(arena, &c->run, &all.run, note));
    const ifd_column *channel = ifd_run_columns(all.run, &channels);
    ifd_status status =
        IFD__TAKE(arena, IFD__ARRAY(all.recorded, table->columns), IFD__ARRAY(all.replayed, table->columns));
    if (status == IFD_OK && table->columns != channels)
        status = ifd_note_add(note, IFD_FILE, NULL, "the result has %d columns, but its case now gives %d",
                              table->columns, channels);
    if (status == IFD_OK)
        status = compare_names(&all, channel, note);
    if (status == IFD_OK)
        compare(&all);
    ifd_run_close(all.run);
    return status;
}

ifd_status ifd__replay_run(ifd_arena *arena, const char *path, const ifd_case_code *code, ifd_replay_report *out,
                           ifd_note *note)
{
    ifd_table table;
    ifd_case *c = NULL;
    ifd_status status = ifd__result_case_as(arena, path, code, &c, note);
    IFD_TRY(ifd__replay_code(status, c, note));
    IFD_TRY(ifd_table_read(arena, path, &table, note));
    if (table.test)
        return ifd_note_add(note, IFD_FILE, NULL, "'%s' is the result of a test: replay its journal instead", path);
    ifd__replay_host(out, table.kernels, table.cpu, 0);
    return replay(arena, &table, c, out, note);
}
