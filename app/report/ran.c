/* SPDX-License-Identifier: MIT */
/* The part of a test in which it ran, over simulated time. A tick advances simulated time by its rate: by one tick in
 * general, by less at the beginning and end of a hold, not at all in between. A skipped instant advances only the
 * clock. A test continued from a checkpoint starts at the completed step; a later stage of it is not recorded. */
#include "ran.h"
#include "report.h"
#include "working.h"

#include <math.h>

#include <interfield/certificate.h>

static int find(const ifd_table *t, ifd_quantity quantity)
{
    return ifd_column_find(t->column, t->columns, "", quantity);
}

/* The time between rows without skipped instants. */
static double spacing(const ifd_table *t, long first, long rows)
{
    double least = HUGE_VAL;
    for (long i = first + 1; i < first + rows; i++)
        least = fmin(least, t->wall_time[i] - t->wall_time[i - 1]);
    return least;
}

/* Rate of simulated time before row i: the measurement belongs to the command of the previous row. */
static double pace(const double *rate, long i)
{
    return i > 1 ? 0.5 * (rate[i - 1] + rate[i - 2]) : rate[i - 1];
}

/* The rows of a test in the state run, and their simulated time (one number per row) from its start; all rows of a
 * run. c: the case of the result, or NULL for a time scale of 1. NULL: out of memory. */
static double *table_ran(ifd_arena *arena, const ifd_table *t, const ifd_case *c, long *first, long *rows)
{
    bool clocked = t->test && t->wall_time;
    int of_state = clocked ? find(t, IFD_COLUMN_TEST_STATE) : -1,
        of_rate = clocked ? find(t, IFD_COLUMN_TEST_RATE) : -1;
    const double *state = of_state >= 0 ? t->value[of_state] : NULL, *rate = of_rate >= 0 ? t->value[of_rate] : NULL;
    double lambda = c && c->test && c->test->lambda > 0 ? c->test->lambda : 1.0;
    long last = t->rows;
    *first = 0;
    while (state && *first < last && state[*first] != IFD_MACHINE_RUN)
        ++*first;
    while (state && last > *first && state[last - 1] != IFD_MACHINE_RUN)
        last--;
    if (last <= *first) { /* it never ran: all rows */
        *first = 0;
        last = t->rows;
        rate = NULL;
    }
    *rows = last - *first;
    double *when = ifd_arena_array(arena, (size_t)(*rows > 0 ? *rows : 1), sizeof *when);
    double usual = state ? spacing(t, *first, *rows) : 0;
    for (long i = 0; when && i < *rows; i++) {
        const double *at = state ? t->wall_time + *first + i : NULL;
        double waited = i > 0 && state ? at[0] - at[-1] : 0;
        if (!state)
            when[i] = t->time[*first + i];
        else if (i == 0)
            when[i] = rate ? t->time[*first] : 0;
        else
            when[i] = when[i - 1] + (rate ? pace(rate + *first, i) * fmin(waited, usual) : waited) / lambda;
    }
    return when;
}

/* Interpolates v over the simulated time of its step at the times `when`; both increase. */
static void carry(const double *simulated, const double *v, const double *when, long rows, double *out)
{
    long k = 0;
    for (long i = 0; i < rows; i++) {
        while (k + 1 < rows && simulated[k + 1] <= when[i])
            k++;
        long next = k + 1;
        while (next < rows && simulated[next] <= simulated[k])
            next++;
        double s =
            next < rows && when[i] > simulated[k] ? (when[i] - simulated[k]) / (simulated[next] - simulated[k]) : 0;
        out[i] = s > 0 ? v[k] + s * (v[next] - v[k]) : v[k];
    }
}

/* Keeps the rows in which simulated time advanced; false: no memory. */
static bool keep_advancing(ifd_arena *arena, ifd_table *t)
{
    size_t room = (size_t)(t->rows > 0 ? t->rows : 1);
    double **column = ifd_arena_array(arena, (size_t)t->columns, sizeof *column);
    double *when = ifd_arena_array(arena, room, sizeof *when);
    long n = 0;
    for (int i = -1; i < t->columns && column && when; i++) {
        const double *v = i < 0 ? t->time : t->value[i];
        double *out = i < 0 ? when : ifd_arena_array(arena, room, sizeof *out);
        if (!out)
            return false;
        n = 0;
        for (long r = 0; r < t->rows; r++)
            if (r == 0 || t->time[r] > t->time[r - 1])
                out[n++] = v[r];
        if (i >= 0)
            column[i] = out;
    }
    t->time = when;
    t->value = column;
    t->rows = n;
    return column && when;
}

/* The rows of table_ran as a table over simulated time; its columns, NULL: no memory. */
static double **view(ifd_arena *arena, const ifd_case *c, const ifd_table *t, ifd_table *out)
{
    long first;
    double **column = ifd_arena_array(arena, (size_t)t->columns, sizeof *column);
    *out = *t;
    out->time = table_ran(arena, t, c, &first, &out->rows);
    out->value = column;
    out->wall_time = t->wall_time ? t->wall_time + first : NULL;
    for (int i = 0; i < t->columns && column; i++)
        column[i] = t->value[i] + first;
    return out->time ? column : NULL;
}

ifd_status table_as_run(ifd_arena *arena, const ifd_case *c, ifd_table *t)
{
    ifd_table ran;
    double **column = view(arena, c, t, &ran);
    if (!column)
        return IFD_NO_MEMORY;
    for (int i = 0; i < t->columns && t->wall_time; i++) {
        ifd_quantity q = t->column[i].quantity;
        if (q < IFD_COLUMN_DISPLACEMENT || q >= IFD_COLUMN_OUTPUT)
            continue;
        /* a column of a step has its time; those of the rig have the tick's */
        double *v = ifd_arena_array(arena, (size_t)(ran.rows > 0 ? ran.rows : 1), sizeof *v);
        if (!v)
            return IFD_NO_MEMORY;
        carry(t->time + (ran.wall_time - t->wall_time), ran.value[i], ran.time, ran.rows, v);
        column[i] = v;
    }
    if (!keep_advancing(arena, &ran))
        return IFD_NO_MEMORY;
    ran.wall_time = t->wall_time ? ran.value[find(t, IFD_COLUMN_WALL_TIME)] : NULL;
    *t = ran;
    return IFD_OK;
}

/* On hold the clock of a test advances and its simulated time does not: a report omits these rows. */
bool report_choose(report *r)
{
    r->test = r->t.test;
    if (!view(r->a->arena, r->c, &r->t, &r->ran))
        return false;
    int state = report_find(r, "", IFD_COLUMN_TEST_STATE);
    for (long i = 0; state >= 0 && i < r->ran.rows; i++)
        r->held = r->held || r->ran.value[state][i] != IFD_MACHINE_RUN;
    return !r->held || keep_advancing(r->a->arena, &r->ran);
}

/* Reads a result and warns about missing ticks or a missing checksum. */

ifd_status missing_read(app *a, const char *path, ifd_table *out)
{
    const ifd_finding *before = a->note.remark_last;
    working w;
    working_begin(&w, a, "reading the result");
    ifd_status status = ifd_table_read(a->arena, path, out, &a->note);
    working_end(&w);
    for (const ifd_finding *f = before ? before->next : a->note.remark_first; status == IFD_OK && f; f = f->next)
        app_complain(a, "%s", f->text);
    return status;
}

const ifd_case *result_case(app *a, const char *path, bool unloaded)
{
    ifd_case *c = NULL;
    ifd_status status = ifd_result_case(a->arena, path, &c, QUIET(a));
    return status == IFD_OK || (status == IFD_UNLOADED && unloaded) ? c : NULL;
}

ifd_status missing_read_as_run(app *a, const char *path, ifd_table *out)
{
    IFD_TRY(missing_read(a, path, out));
    if (out->test)
        IFD_TRY(table_as_run(a->arena, result_case(a, path, false), out));
    return out->rows > 0 ? IFD_OK : ifd_note_add(&a->note, IFD_FILE, NULL, "'%s' contains no rows", path);
}

int missing_say(app *a, const char *path, const ifd_table *t)
{
    if (t->missing == 0)
        return EXIT_FINE;
    return app_give_up(a, "the record of '%s' is incomplete: %s tick%s missing", path, thousands(t->missing).text,
                       t->missing == 1 ? " is" : "s are");
}

const ifd_json_node *summary_read(app *a, const char *result)
{
    ifd_json_node *summary = NULL;
    bool sealed;
    const char *path = ifd_arena_print(a->arena, "%s/summary.json", folder_of(a, result));
    return path && ifd_summary_read(a->arena, path, &sealed, &summary, QUIET(a)) == IFD_OK ? summary : NULL;
}
