/* SPDX-License-Identifier: MIT */
/* Computes a case without rig for the error of a test. */
#include "report.h"
#include "figure.h"
#include "working.h"

#include <math.h>

/* Largest cost of a report: s of wall-clock time, and numbers in memory (320 MB for a long test of a large model). */
static const double most_seconds = 20.0;
static const double most_numbers = 40e6;

typedef struct computing {
    app *a;
    ifd_run *run;
    double end;
    uint64_t began;
    status_line line;
    int *pick; /* stored columns of a row */
} computing;

static void keep(const computing *k, ifd_table *t)
{
    const double *v = ifd_run_values(k->run);
    t->value[t->columns][t->rows] = ifd_run_time(k->run); /* after the last column: time */
    for (int i = 0; i < t->columns; i++)
        t->value[i][t->rows] = v[k->pick[i]];
    t->rows++;
}

/* Columns that a test also records and a report compares. */
static bool is_compared(const ifd_column *c)
{
    ifd_quantity q = c->quantity;
    return q == IFD_COLUMN_DISPLACEMENT || q == IFD_COLUMN_STOREY_DRIFT || q == IFD_COLUMN_ABSOLUTE_ACCELERATION ||
           q == IFD_COLUMN_ELEMENT_DEFORMATION || q == IFD_COLUMN_INTERFACE_DEFORMATION ||
           q == IFD_COLUMN_INTERFACE_FORCE || (q >= IFD_COLUMN_BASE_SHEAR_X && q <= IFD_COLUMN_BASE_SHEAR_Z);
}

static bool make_room(computing *k, ifd_table *t)
{
    ifd_arena *arena = k->a->arena;
    int all = 0;
    size_t rows = (size_t)ifd_run_steps(k->run) + 2;
    const ifd_column *column = ifd_run_columns(k->run, &all);
    ifd_column *kept = ifd_arena_array(arena, (size_t)all + 1, sizeof *kept);
    double **value = ifd_arena_array(arena, (size_t)all + 1, sizeof *value);
    k->pick = ifd_arena_array(arena, (size_t)all + 1, sizeof *k->pick);
    if (!kept || !value || !k->pick)
        return false;
    for (int i = 0; i < all; i++)
        if (is_compared(&column[i])) {
            k->pick[t->columns] = i;
            kept[t->columns++] = column[i];
        }
    if ((double)rows * (double)(t->columns + 1) > most_numbers)
        return false;
    for (int i = 0; i <= t->columns; i++) {
        value[i] = ifd_arena_array(arena, rows, sizeof **value);
        if (!value[i])
            return false;
    }
    t->column = kept;
    t->time = value[t->columns];
    t->value = value;
    return true;
}

static const char *step_all(computing *k, ifd_table *t)
{
    ifd_run_state state = IFD_RUN_GOING;
    long room = ifd_run_steps(k->run) + 2;
    if (ifd_run_fresh(k->run))
        keep(k, t);
    while (state == IFD_RUN_GOING && 1e-9 * (double)(clock_now() - k->began) < most_seconds) {
        state = ifd_run_tick(k->run);
        if (ifd_run_fresh(k->run) && t->rows < room)
            keep(k, t);
        if (status_line_due(&k->line, clock_now()))
            status_line_put(&k->line, "ideal run  %.1f / %.1f s", ifd_run_time(k->run), k->end);
    }
    status_line_end(&k->line);
    if (state == IFD_RUN_GOING)
        return ifd_arena_print(k->a->arena, "its computation takes more than %.0f s; interfield run CASE computes it",
                               most_seconds);
    ifd_fault fault = ifd_run_fault(k->run).fault;
    return fault == IFD_FAULT_NONE || fault == IFD_FAULT_ITERATIONS ? NULL : "the ideal run failed";
}

/* Only up to the time that the test reached. */
static const char *compute(app *a, const ifd_case *c, double until, ifd_table *out)
{
    ifd_note quiet = {.arena = a->arena};
    ifd_run_options options = c->run;
    options.every = 1;
    if (until < options.end)
        options.end = options.step.h * ceil(until / options.step.h - 1e-9);
    computing k = {.a = a, .end = options.end, .began = clock_now()};
    if (!(options.end > 0))
        return "the test did not start";
    if (ifd_run_make(a->arena, &options, &k.run, &quiet) != IFD_OK)
        return quiet.first ? quiet.first->text : "the case cannot be run without its rig";
    k.line = status_line_begin(a);
    const char *why = make_room(&k, out) ? step_all(&k, out) : "it needs too much memory";
    ifd_run_close(k.run);
    return why;
}

static const char *reason_against(const ifd_case *c)
{
    if (!c)
        return "the case of this result cannot be read any more";
    if (c->opensees)
        return "another program computes the structure";
    if (c->unloaded)
        return "the case uses native code, which a report does not load";
    if (c->run.external)
        return "some substructures are FMUs";
    return c->run.model || c->run.couple ? NULL : "the case has no model";
}

void ideal_compute(app *a, const ifd_case *c, const ifd_table *test, ideal *out)
{
    *out = (ideal){.why = reason_against(c), .test = *test};
    if (!out->why && (table_as_run(a->arena, c, &out->test) != IFD_OK || out->test.rows < 2))
        out->why = "the test did not start";
    if (!out->why)
        out->why = compute(a, c, out->test.time[out->test.rows - 1], &out->run);
    if (out->why)
        out->run.rows = 0;
}

int ideal_column(const ideal *i, const ifd_column *of)
{
    return i->run.rows < 2 ? -1 : ifd_column_find(i->run.column, i->run.columns, of->owner, of->quantity);
}
