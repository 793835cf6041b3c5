/* SPDX-License-Identifier: MIT */
/* interfield compare: differences of results from a reference, in per cent of it. */
#include "report/figure.h"
#include "report/ran.h"

#include <math.h>
#include <string.h>

/* Compared results: the reference is the first. */
typedef struct comparison {
    overlay o;
    const bool *chosen; /* columns of the reference */
    bool named;         /* by --columns */
    double *like;       /* per column of the reference: largest value of all columns of its quantity and unit */
    ifd_json j;
    difference worst; /* of the assessed columns, by rms */
    const char *worst_in;
} comparison;

/* Columns of motion, not of computation time. */
static bool is_clock(ifd_quantity q)
{
    return q <= IFD_COLUMN_TEST_WAITING_VALUE || q == IFD_COLUMN_TEST_AGE;
}

/* Small differences of large numbers: two good results can differ by 100 % and more. They are shown, and assessed
 * only if named. */
static bool is_remainder(ifd_quantity q)
{
    return q == IFD_COLUMN_ENERGY_NUMERICAL || q == IFD_COLUMN_ENERGY_JOINTS || q == IFD_COLUMN_INTERFACE_TRACKING ||
           q == IFD_COLUMN_INTERFACE_ENERGY || q == IFD_COLUMN_ACTUATOR_TRACKING ||
           q == IFD_COLUMN_ACTUATOR_SHARING || q == IFD_COLUMN_HOLD_RELAXATION || q == IFD_COLUMN_FACTOR_RESIDUAL ||
           (q >= IFD_COLUMN_IDENTIFIED && q <= IFD_COLUMN_LOOP_LEVEL) ||
           (q >= IFD_COLUMN_INDICATED_DELAY && q <= IFD_COLUMN_INDICATED_RMS) ||
           (q >= IFD_COLUMN_GAP_DISPLACEMENT && q <= IFD_COLUMN_GAP_ACCELERATION);
}

/* Energies of a run and of a test are different quantities. */
static bool is_apart(const ifd_table *reference, const ifd_table *other, int column)
{
    return reference->test != other->test && strcmp(reference->column[column].group, "energy") == 0;
}

static const char APART[] =
    "the energies of a test contain the measured work on its specimens and the tracking error, "
    "those of a run do not";

/* The chosen columns that both results have and that are not comparable; returns their number. */
static int list_apart(app *a, comparison *c, int k)
{
    const ifd_table *t = c->o.t;
    const char *names = "";
    int count = 0;
    ifd_json_list(&c->j, "not_compared");
    for (int i = 0; i < t[0].columns && names; i++) {
        if (!c->chosen[i] || !is_apart(&t[0], &t[k], i) || column_match(&t[0].column[i], &t[k]) < 0)
            continue;
        names = ifd_arena_print(a->arena, "%s%s%s", names, count++ ? ", " : "", t[0].column[i].name);
        IFD_JSON_OBJECT(&c->j, NULL, IFD_JSON("column", t[0].column[i].name), IFD_JSON("reason", APART));
    }
    ifd_json_end(&c->j);
    if (count && app_talks(a))
        app_print("  not compared: %s: %s\n", names ? names : "", APART);
    return count;
}

static bool find_like(app *a, comparison *c)
{
    const ifd_table *t = &c->o.t[0];
    size_t columns = (size_t)t->columns + 1;
    double *own = ifd_arena_array(a->arena, columns, sizeof *own);
    c->like = ifd_arena_array(a->arena, columns, sizeof *c->like);
    if (!own || !c->like)
        return false;
    for (int i = 0; i < t->columns; i++)
        own[i] = table_largest(t, i);
    for (int i = 0; i < t->columns; i++) {
        const ifd_column *of = &t->column[i];
        c->like[i] = own[i];
        for (int k = 0; k < t->columns; k++)
            if (t->column[k].quantity == of->quantity && strcmp(t->column[k].unit, of->unit) == 0)
                c->like[i] = fmax(c->like[i], own[k]);
    }
    return true;
}

static wording per_cent(double fraction, bool known)
{
    return known ? phrase("%.3g", 100 * fraction) : phrase("-"); /* no reference */
}

static void say_row(const char *name, const difference *d, bool rounded)
{
    if (rounded)
        app_print("  %-40s %9s %9s   %s, peak %s: rounding\n", name, "-", "-", quantity(d->most, d->unit).text,
                  quantity(d->size, d->unit).text);
    else if (d->most == 0)
        app_print("  %-40s %9s %9s   identical\n", name, "0", "0");
    else
        app_print("  %-40s %9s %9s   %s at %s, peak %s\n", name, per_cent(d->rms, d->rms_size > 0).text,
                  per_cent(d->peak, d->size > 0).text, quantity(d->most, d->unit).text, quantity(d->at, "s").text,
                  quantity(d->size, d->unit).text);
}

static void put_row(ifd_json *j, const difference *d, bool judged, bool rounded)
{
    IFD_JSON_OBJECT(j, NULL, IFD_JSON("column", d->name), IFD_JSON("unit", d->unit),
                    IFD_JSON("rms_percent", d->rms_size > 0 && !rounded ? 100 * d->rms : (double)NAN),
                    IFD_JSON("peak_percent", d->size > 0 && !rounded ? 100 * d->peak : (double)NAN),
                    IFD_JSON("rms", d->rms), IFD_JSON("peak", d->peak), IFD_JSON("largest", d->most),
                    IFD_JSON("time", d->at), IFD_JSON("reference_peak", d->size),
                    IFD_JSON("reference_rms", d->rms_size), IFD_JSON("judged", judged));
}

static void take_row(app *a, comparison *c, int k, int i, int other)
{
    const ifd_table *t = c->o.t;
    difference d = difference_measure(&t[0], i, &t[k], other);
    double rounding = 1e-10 * c->like[i]; /* of larger numbers, as of the moment at a hinge */
    bool rounded = d.most > 0 && !c->named && d.size <= rounding && d.most <= rounding;
    bool judged = (c->named || !is_remainder(t[0].column[i].quantity)) && !rounded;
    double rms = isnan(d.rms) ? HUGE_VAL : d.rms;
    if (app_talks(a))
        say_row(t[0].column[i].name, &d, rounded);
    put_row(&c->j, &d, judged, rounded);
    if (!judged || (c->worst_in && !(rms > c->worst.rms)))
        return;
    c->worst = d;
    c->worst.rms = rms;
    c->worst_in = a->word[k];
}

static void say_head(app *a, const comparison *c, int k, const sampling *s)
{
    const ifd_table *t = c->o.t;
    double end = t[0].time[t[0].rows - 1];
    if (!app_talks(a))
        return;
    app_print("%s%s\n", k > 1 ? "\n" : "", a->word[k]);
    app_print("  at %s times of the reference, %.6g s to %.6g s", thousands(s->rows).text, s->from, s->to);
    if (s->to < end * (1 - 1e-9))
        app_print(" of %.6g s, where this result ends", end);
    app_print(s->between ? "; this result is interpolated linearly between its rows\n"
                         : "; this result has a row at each of them\n");
    app_print("  %-40s %9s %9s   %s\n", "column", "rms [%]", "peak [%]", "largest difference, peak of the reference");
}

/* Rows of one result and the reference; returns their number. apart: of the columns that are not comparable. */
static int compare_pair(app *a, comparison *c, int k, const sampling *s, int *apart)
{
    const ifd_table *t = c->o.t;
    int rows = 0, alone = 0, owned = 0;
    ifd_json_object(&c->j, NULL);
    IFD_JSON_PUT(&c->j, IFD_JSON("result", a->word[k]), IFD_JSON("instants", s->rows), IFD_JSON("from", s->from),
                 IFD_JSON("to", s->to), IFD_JSON("interpolated", s->between));
    ifd_json_list(&c->j, "columns");
    for (int i = 0; i < t[0].columns; i++) {
        if (!c->chosen[i] || (!c->named && is_clock(t[0].column[i].quantity)) || is_apart(&t[0], &t[k], i))
            continue;
        const ifd_column *column = &t[0].column[i];
        int other = column_match(column, &t[k]);
        alone += other < 0;
        if (other < 0)
            continue;
        if (rows++ == 0)
            say_head(a, c, k, s);
        owned += *column->owner != '\0';
        take_row(a, c, k, i, other);
    }
    ifd_json_end(&c->j);
    *apart = list_apart(a, c, k);
    ifd_json_integer(&c->j, "only_in_reference", alone);
    ifd_json_end(&c->j);
    if (rows && alone && app_talks(a))
        app_print("  %d column%s of the reference %s missing in this result\n", alone, plural(alone),
                  alone == 1 ? "is" : "are");
    if (rows && !owned && !c->named)
        app_complain(a, "'%s' and '%s' have only general columns in common; do they belong to the same structure?",
                     a->word[0], a->word[k]);
    return rows;
}

/* Some column names of a result. */
static const char *some_columns(app *a, const ifd_table *t)
{
    const char *text = "";
    int count = 0;
    for (int i = 0; i < t->columns && count < 4; i++)
        if (!is_clock(t->column[i].quantity) && text)
            text = ifd_arena_print(a->arena, "%s%s%s", text, count++ ? ", " : "", t->column[i].name);
    return text ? text : "";
}

/* The columns of --columns in several substructures of a result; "": none. */
static const char *alike_columns(app *a, const comparison *c, const ifd_table *t)
{
    const char *text = "";
    for (int i = 0; i < c->o.t[0].columns; i++)
        for (int k = 0; k < t->columns && c->chosen[i] && text; k++) {
            const char *dot = strchr(t->column[k].name, '.');
            if (dot && strcmp(dot + 1, c->o.t[0].column[i].name) == 0)
                text = ifd_arena_print(a->arena, "%s%s'%s'", text, *text ? ", " : "", t->column[k].name);
        }
    return text ? text : "";
}

/* The drawn column: the first named; otherwise the largest displacement that all results have. */
static int choose(const comparison *c)
{
    const ifd_table *t = c->o.t;
    int chosen = -1;
    for (int i = 0; i < t[0].columns; i++) {
        bool everywhere = c->chosen[i] && (c->named || !is_clock(t[0].column[i].quantity));
        for (int k = 1; k < c->o.results && everywhere; k++)
            everywhere = !is_apart(&t[0], &t[k], i) && column_match(&t[0].column[i], &t[k]) >= 0;
        bool moves = t[0].column[i].quantity == IFD_COLUMN_DISPLACEMENT;
        bool before = chosen >= 0 && t[0].column[chosen].quantity == IFD_COLUMN_DISPLACEMENT;
        if (everywhere && (chosen < 0 || (!c->named && moves &&
                                          (!before || table_largest(&t[0], i) > table_largest(&t[0], chosen)))))
            chosen = i;
    }
    return chosen;
}

/* The other results minus the reference, at its instants, as columns of a table. */
static bool subtract(app *a, const comparison *c, int chosen, int count, ifd_table *out)
{
    const ifd_table *t = c->o.t;
    double **column = ifd_arena_array(a->arena, (size_t)count, sizeof *column);
    for (int k = 0; k < count && column; k++) {
        int at = column_match(&t[0].column[chosen], &t[k]);
        long hint = 0;
        column[k] = ifd_arena_array(a->arena, (size_t)t[0].rows + 1, sizeof **column);
        if (!column[k])
            return false;
        for (long i = 0; i < t[0].rows; i++) {
            bool within = t[0].time[i] >= t[k].time[0] && t[0].time[i] <= t[k].time[t[k].rows - 1];
            column[k][i] = within ? table_at(&t[k], at, t[0].time[i], &hint) - t[0].value[chosen][i] : (double)NAN;
        }
    }
    *out = t[0];
    out->value = column;
    return column != NULL;
}

/* The figure: one column of all results, and below their differences from the reference. */
static bool compare_draw(app *a, const comparison *c, const char *file)
{
    int count = c->o.results < MOST_CURVES ? c->o.results : MOST_CURVES, chosen = choose(c);
    ifd_table t[MOST_CURVES + 1];
    if (chosen < 0)
        return app_reject(a, "'%s' is not drawn: no column is common to all results", file);
    memcpy(t, c->o.t, (size_t)count * sizeof *t);
    if (!subtract(a, c, chosen, count, &t[count]))
        return app_reject(a, "out of memory");
    figure f = {.title = *t[0].title ? t[0].title : a->word[0], .panels = 2};
    panel *over = &f.panel[0], *off = &f.panel[1];
    for (int k = 0; k < count; k++) {
        int y = column_match(&t[0].column[chosen], &t[k]);
        over->curve[over->curves++] = (curve){.x = -1, .y = y, .of = k};
        if (k > 0) /* in the colour of the result */
            off->curve[off->curves++] = (curve){.x = -1, .y = k, .of = count, .name = c->o.name[k], .colour = k + 1};
    }
    panel_name(a->arena, &c->o, over);
    for (int k = 0; k < count; k++)
        over->curve[k].name = c->o.name[over->curve[k].of];
    panel_settle(a->arena, t, "Difference", t[0].column[chosen].unit, off);
    return figure_save(a, &f, t, file);
}

static int read_all(app *a, comparison *c, ifd_table *t)
{
    const char *columns = app_value(a, "--columns");
    c->o = (overlay){.results = a->words, .t = t, .name = a->word, .time = "Time [s]"};
    c->named = columns != NULL;
    for (int k = 0; k < a->words; k++)
        APP_TRY(a, missing_read_as_run(a, a->word[k], &t[k]));
    c->chosen = columns_named(a, &c->o, columns);
    APP_TRY(a, c->chosen ? IFD_OK : IFD_UNKNOWN_NAME);
    APP_TRY(a, find_like(a, c) ? IFD_OK : IFD_NO_MEMORY);
    return EXIT_FINE;
}

static int compare_all(app *a, comparison *c)
{
    const ifd_table *t = c->o.t;
    if (app_talks(a))
        app_print("reference: %s%s%s\n", a->word[0], *t[0].title ? " \xc2\xb7 " : "", t[0].title);
    ifd_json_text(&c->j, "reference", a->word[0]);
    ifd_json_list(&c->j, "others");
    for (int k = 1; k < a->words; k++) {
        sampling s = difference_sampling(&t[0], &t[k]);
        if (s.rows == 0)
            return app_refuse(a, "'%s' (%.6g s to %.6g s) and '%s' (%.6g s to %.6g s) have no time in common",
                              a->word[0], t[0].time[0], t[0].time[t[0].rows - 1], a->word[k], t[k].time[0],
                              t[k].time[t[k].rows - 1]);
        int apart;
        if (compare_pair(a, c, k, &s, &apart) > 0)
            continue;
        if (apart)
            return app_refuse(a, "nothing of '%s' can be compared with '%s': %s", a->word[k], a->word[0], APART);
        if (c->named) {
            const char *alike = alike_columns(a, c, &t[k]);
            return app_refuse(a, "'%s' has none of the columns of --columns; %s%sinterfield plot %s --list shows all",
                              a->word[k], alike, *alike ? " are similar; " : "", a->word[k]);
        }
        return app_refuse(a, "'%s' and '%s' have no column in common: the first has %s, ..., the second %s, ...",
                          a->word[0], a->word[k], some_columns(a, &t[0]), some_columns(a, &t[k]));
    }
    ifd_json_end(&c->j);
    return EXIT_FINE;
}

static void say_worst(app *a, comparison *c)
{
    const difference *d = &c->worst;
    ifd_json_number(&c->j, "worst_rms", c->worst_in ? d->rms : 0);
    if (!c->worst_in)
        return;
    IFD_JSON_OBJECT(&c->j, "worst", IFD_JSON("result", c->worst_in), IFD_JSON("column", d->name),
                    IFD_JSON("rms_percent", d->rms_size > 0 ? 100 * d->rms : (double)NAN),
                    IFD_JSON("peak_percent", d->size > 0 ? 100 * d->peak : (double)NAN));
    if (d->most == 0)
        app_say(a, "worst", "all columns are identical");
    else
        app_say(a, "worst", "%s in %s: rms %s %%, peak %s %% of the reference", d->name, c->worst_in,
                per_cent(d->rms, d->rms_size > 0).text, per_cent(d->peak, d->size > 0).text);
}

static int run_command(app *a)
{
    ifd_table t[MOST_WORDS];
    comparison c = {.worst_in = NULL};
    double tolerance;
    if (!app_number(a, "--tolerance", IFD_DIM_NONE, HUGE_VAL, &tolerance))
        return EXIT_BAD_INPUT;
    if (app_value(a, "--out") && !canvas_terminal(app_value(a, "--out")))
        return app_refuse(a, "--out: found '%s', expected a file name that ends in .png, .svg, .pdf or .html",
                          app_value(a, "--out"));
    int exit_status = read_all(a, &c, t);
    if (exit_status != EXIT_FINE)
        return exit_status;
    c.j = app_json(a);
    if ((exit_status = compare_all(a, &c)) != EXIT_FINE)
        return exit_status;
    say_worst(a, &c);
    exit_status = c.worst_in && c.worst.rms > tolerance ? EXIT_RUN_FAILED : EXIT_FINE;
    if (app_value(a, "--out") && !compare_draw(a, &c, app_value(a, "--out")))
        exit_status = EXIT_RUN_FAILED;
    for (int k = 0; k < a->words; k++)
        exit_status = missing_say(a, a->word[k], &t[k]) == EXIT_FINE ? exit_status : EXIT_RUN_FAILED;
    return a->json ? app_put_json(a, &c.j, exit_status) : exit_status;
}

const command command_compare = {
    .name = "compare",
    .words = "RESULT RESULT ...",
    .summary = "compare results with a reference result, in per cent",
    .details =
        "The first result is the reference. rms is the rms of the difference divided by the rms of the "
        "reference; peak is the largest difference divided by the peak of the reference. Both are "
        "evaluated over simulated time at the times of the reference. The other result is interpolated "
        "linearly between its rows; name the coarser result first. Columns correspond by quantity and "
        "owner: target and measured motion of a specimen in a test correspond to its deformation in a run, and a dof "
        "of an undivided model to that of the only substructure that has it. "
        "If the reference is zero throughout, the difference itself is printed. Quantities that should be "
        "zero (numerical energy, joint gaps, tracking errors, indicators), and columns that are the rounding "
        "of larger ones of their kind (the moment at a hinge), are printed, but judged only if they are named. "
        "Energies of a test and of a run are not compared: those of a test contain the measured work on its "
        "specimens and the tracking error.",
    .options = {{"--columns", "NAME,NAME,...",
                 "columns to compare (default: all common columns); '*' matches any characters"},
                {"--tolerance", "E", "exit status 1 if a relative rms error exceeds this value, e.g. 0.02 or 2%"},
                {"--out", "FILE", "draw one column of all results and the differences: a .png, .svg or .pdf file"}},
    .examples =
        "interfield compare runs/bridge-pg-alpha-001 runs/bridge-hybrid-001 --columns '*displacement' --tolerance 2%",
    .see = "report plot plots.md",
    .run = run_command,
    .failed = "a relative error exceeds --tolerance",
};
