/* SPDX-License-Identifier: MIT */
/* interfield compare: results over each other, and how far they are apart. */
#include "app.h"
#include "report/figure.h"
#include "report/missing.h"

#include <math.h>
#include <string.h>

#include <interfield/report.h>
#include <interfield/result.h>

typedef struct difference {
    const char *name, *unit;
    double rms, peak; /* relative to rms and peak of the first result */
    double most, at;  /* largest difference and its time */
} difference;

/* A channel at a time, linear between the rows; *hint goes on from call to call. */
static double compare_at(const ifd_table *t, int channel, double time, long *hint)
{
    long i = *hint;
    while (i + 2 < t->rows && t->time[i + 1] <= time)
        i++;
    *hint = i;
    if (t->rows == 1)
        return t->value[channel][0];
    double s = (time - t->time[i]) / (t->time[i + 1] - t->time[i]);
    const double *v = t->value[channel];
    return s == 0.0 ? v[i] : s == 1.0 ? v[i + 1] : v[i] + s * (v[i + 1] - v[i]);
}

static difference measure(const ifd_table *a, int ca, const ifd_table *b, int cb)
{
    difference d = {.name = a->column[ca].name, .unit = a->column[ca].unit};
    double sum = 0, scale = 0, size = 0, end = b->time[b->rows - 1];
    long hint = 0;
    for (long i = 0; i < a->rows && a->time[i] <= end * (1.0 + 1e-12); i++) {
        if (a->time[i] < b->time[0])
            continue;
        double x = a->value[ca][i], off = compare_at(b, cb, a->time[i], &hint) - x;
        sum += off * off;
        scale += x * x;
        size = fmax(size, fabs(x));
        if (!(fabs(off) <= d.most)) {
            d.most = fabs(off);
            d.at = a->time[i];
        }
    }
    /* Nothing to compare with: the difference itself. */
    d.rms = scale > 0 ? sqrt(sum / scale) : sqrt(sum);
    d.peak = size > 0 ? d.most / size : d.most;
    return d;
}

/* Whether a channel takes part: of what moved, not of when it was computed. */
static bool compare_takes(const app *a, const ifd_column *c)
{
    const char *names = app_value(a, "--channels");
    size_t n = strlen(c->name);
    if (!names)
        return c->quantity < IFD_COLUMN_CLOCK_LATE || c->quantity > IFD_COLUMN_TEST_WAITING_VALUE;
    for (const char *p = names; *p; p += strcspn(p, ","), p += *p == ',')
        if (strcspn(p, ",") == n && strncmp(p, c->name, n) == 0)
            return true;
    return false;
}

static void say(app *a, ifd_json *j, const difference *d)
{
    char row[600];
    if (d->most == 0)
        snprintf(row, sizeof row, "  %-36s %11s %11s   identical\n", d->name, "0", "0");
    else
        snprintf(row, sizeof row, "  %-36s %11.4g %11.4g   %s at %s\n", d->name, d->rms, d->peak,
                 quantity(d->most, d->unit).text, quantity(d->at, "s").text);
    if (app_talks(a))
        ifd_text_print(row, stdout);
    ifd_json_object(j, NULL);
    ifd_json_text(j, "channel", d->name);
    ifd_json_text(j, "unit", d->unit);
    ifd_json_number(j, "rms", d->rms);
    ifd_json_number(j, "peak", d->peak);
    ifd_json_number(j, "largest", d->most);
    ifd_json_number(j, "time", d->at);
    ifd_json_end(j);
}

/* The worst relative error of a pair; negative when they have no channel in common. */
static double compare_pair(app *a, ifd_json *j, const ifd_table *first, const ifd_table *other, const char *name)
{
    double worst = -1;
    if (app_talks(a))
        app_print("%s\n  %-36s %11s %11s   largest difference\n", name, "channel", "rms", "peak");
    ifd_json_object(j, NULL);
    ifd_json_text(j, "result", name);
    ifd_json_list(j, "channels");
    for (int i = 0; i < first->columns; i++) {
        int k = compare_takes(a, &first->column[i]) ? table_find(other, first->column[i].name) : -1;
        if (k < 0)
            continue;
        difference d = measure(first, i, other, k);
        say(a, j, &d);
        worst = isnan(d.rms) ? HUGE_VAL : fmax(worst, d.rms);
    }
    ifd_json_end(j);
    ifd_json_end(j);
    return worst;
}

/* The first that was named; without names the displacement that went furthest and is in every result. */
static int choose(const app *a, const ifd_table *t, int count)
{
    int chosen = -1;
    for (int i = 0; i < t[0].columns; i++) {
        bool everywhere = compare_takes(a, &t[0].column[i]);
        for (int k = 1; k < count && everywhere; k++)
            everywhere = table_find(&t[k], t[0].column[i].name) >= 0;
        if (!everywhere)
            continue;
        bool moves = t[0].column[i].quantity == IFD_COLUMN_DISPLACEMENT;
        bool before = chosen >= 0 && t[0].column[chosen].quantity == IFD_COLUMN_DISPLACEMENT;
        if (chosen < 0)
            chosen = i;
        else if (!app_value(a, "--channels") && moves &&
                 (!before || table_largest(&t[0], i) > table_largest(&t[0], chosen)))
            chosen = i;
    }
    return chosen;
}

/* All at the instants of the first, then their differences from it: 2 count columns. */
static bool fill(app *a, const ifd_table *t, int count, int chosen, double **column)
{
    for (int k = 0; k < count; k++) {
        int at = table_find(&t[k], t[0].column[chosen].name);
        double *v = ifd_arena_array(a->arena, (size_t)t[0].rows + 1, sizeof *v);
        double *off = ifd_arena_array(a->arena, (size_t)t[0].rows + 1, sizeof *off);
        long hint = 0;
        if (!v || !off || at < 0)
            return false;
        for (long i = 0; i < t[0].rows; i++) {
            bool within = t[0].time[i] <= t[k].time[t[k].rows - 1];
            v[i] = within ? compare_at(&t[k], at, t[0].time[i], &hint) : (double)NAN;
            off[i] = v[i] - t[0].value[chosen][i];
        }
        column[k] = v;
        column[count + k] = off;
    }
    return true;
}

/* The picture: one channel of all results over each other, and below how far the others are from the first. */
static void compare_draw(app *a, const ifd_table *t, int count, const char *file)
{
    count = count < MOST_CURVES ? count : MOST_CURVES;
    int chosen = choose(a, t, count);
    double **column = ifd_arena_array(a->arena, (size_t)(2 * count), sizeof *column);
    if (chosen < 0 || !column || !fill(a, t, count, chosen, column)) {
        app_complain(a, "'%s' is not drawn: no channel is in all results", file);
        return;
    }
    ifd_table all = t[0];
    all.value = column;
    figure f = {.title = *t[0].title ? t[0].title : a->word[0], .panels = 2};
    for (int k = 0; k < count; k++) { /* the first too, as a line of zeros: colours stay the same */
        f.panel[0].curve[f.panel[0].curves++] = (curve){-1, k, a->word[k]};
        f.panel[1].curve[f.panel[1].curves++] = (curve){-1, count + k, a->word[k]};
    }
    panel_settle(a->arena, &all, t[0].column[chosen].name, t[0].column[chosen].unit, &f.panel[0]);
    panel_settle(a->arena, &all, "less the first", t[0].column[chosen].unit, &f.panel[1]);
    figure_save(a, &f, &all, file);
}

static int run_command(app *a)
{
    ifd_table t[MOST_WORDS];
    double tolerance, worst = -1;
    bool empty = false;
    if (a->words < 2)
        return app_refuse(a, "compare needs two results or more");
    if (!app_number(a, "--tolerance", IFD_DIM_NONE, HUGE_VAL, &tolerance))
        return EXIT_BAD_INPUT;
    for (int k = 0; k < a->words; k++) {
        APP_TRY(a, missing_read_as_run(a, a->word[k], &t[k]));
    }
    ifd_json j = app_json(a);
    ifd_json_text(&j, "first", a->word[0]);
    ifd_json_list(&j, "others");
    for (int k = 1; k < a->words; k++) {
        double each = compare_pair(a, &j, &t[0], &t[k], a->word[k]);
        empty = empty || each < 0;
        worst = fmax(worst, each);
    }
    ifd_json_end(&j);
    ifd_json_number(&j, "worst_rms", worst);
    if (empty)
        return app_refuse(a, "no channel is in both results%s",
                          app_value(a, "--channels") ? " and named by --channels" : "");
    if (app_value(a, "--out"))
        compare_draw(a, t, a->words, app_value(a, "--out"));
    int exit_status = worst > tolerance ? EXIT_RUN_FAILED : EXIT_FINE;
    for (int k = 0; k < a->words; k++)
        exit_status = missing_say(a, a->word[k], &t[k]) == EXIT_FINE ? exit_status : EXIT_RUN_FAILED;
    return a->json ? app_put_json(a, &j, exit_status) : exit_status;
}

const command command_compare = {
    .name = "compare",
    .words = "RESULT RESULT ...",
    .summary = "how far results are apart, channel by channel",
    .details =
        "At the instants of the first result, the others linear between their rows. rms and peak are those of the\n"
        "difference beside those of the first result.",
    .options = {{"--channels", "NAME,NAME,...", "what is compared; without it all channels that are in every result"},
                {"--tolerance", "E", "exit status 1 when a relative error (rms) is above it"},
                {"--out", "FILE", "draws the first result and the others over it: a .png or .svg file"}},
    .run = run_command,
    .failed = "a relative error is above --tolerance",
};
