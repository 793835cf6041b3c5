/* SPDX-License-Identifier: MIT */
/* interfield compare: results over each other, and how far they are apart. */
#include "app.h"
#include "figure.h"
#include "folder.h"

#include <math.h>
#include <string.h>

#include <interfield/result.h>

const option compare_options[] = {
    {"--channels", "NAME,NAME,...", "what is compared; without it all channels that are in every result"},
    {"--tolerance", "E", "exit status 1 when a relative error (rms) is above it"},
    {"--out", "FILE", "draws the first result and the others over it: a .png or .svg file"},
    {NULL, NULL, NULL},
};

typedef struct difference {
    const char *name, *unit;
    double rms, peak; /* relative to rms and peak of the first result */
    double most, at;  /* largest difference and its time */
} difference;

static int find(const ifd_table *t, const char *name)
{
    for (int i = 0; i < t->channels; i++)
        if (strcmp(t->channel[i].name, name) == 0)
            return i;
    return -1;
}

/* The other result at time t, linear between its rows; *hint goes on from call to call. */
static double value_at(const ifd_table *t, int channel, double time, long *hint)
{
    long i = *hint;
    while (i + 2 < t->rows && t->time[i + 1] <= time)
        i++;
    *hint = i;
    if (t->rows == 1)
        return t->column[channel][0];
    double s = (time - t->time[i]) / (t->time[i + 1] - t->time[i]);
    const double *v = t->column[channel];
    return s == 0.0 ? v[i] : s == 1.0 ? v[i + 1] : v[i] + s * (v[i + 1] - v[i]);
}

static difference measure(const ifd_table *a, int ca, const ifd_table *b, int cb)
{
    difference d = {.name = a->channel[ca].name, .unit = a->channel[ca].unit};
    double sum = 0, scale = 0, size = 0, end = b->time[b->rows - 1];
    long hint = 0;
    for (long i = 0; i < a->rows && a->time[i] <= end * (1.0 + 1e-12); i++) {
        if (a->time[i] < b->time[0])
            continue;
        double x = a->column[ca][i], off = value_at(b, cb, a->time[i], &hint) - x;
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
static bool takes_part(const app *a, const ifd_channel *c)
{
    const char *names = app_value(a, "--channels");
    size_t n = strlen(c->name);
    if (!names)
        return strcmp(c->group, "clock") != 0 && strcmp(c->group, "test") != 0;
    for (const char *p = names; *p; p += strcspn(p, ","), p += *p == ',')
        if (strcspn(p, ",") == n && strncmp(p, c->name, n) == 0)
            return true;
    return false;
}

static void say(app *a, ifd_json *j, const difference *d)
{
    char most[40], at[40];
    quantity_print(most, sizeof most, d->most, d->unit);
    quantity_print(at, sizeof at, d->at, "s");
    if (app_talks(a))
        printf("  %-36s %11.4g %11.4g   %s at %s\n", d->name, d->rms, d->peak, most, at);
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
        printf("%s\n  %-36s %11s %11s   largest difference\n", name, "channel", "rms", "peak");
    ifd_json_object(j, NULL);
    ifd_json_text(j, "result", name);
    ifd_json_list(j, "channels");
    for (int i = 0; i < first->channels; i++) {
        int k = takes_part(a, &first->channel[i]) ? find(other, first->channel[i].name) : -1;
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

/* The first result's table with the columns of the others, brought to its instants, beside its own. */
static void draw(app *a, const ifd_table *t, int count, const char *file)
{
    const char *names = app_value(a, "--channels");
    int chosen = names ? -1 : 0;
    for (int i = 0; i < t[0].channels; i++)
        if (takes_part(a, &t[0].channel[i]) &&
            (chosen < 0 || (!names && strcmp(t[0].channel[chosen].group, "displacement"))))
            chosen = i;
    ifd_table all = t[0];
    ifd_channel *channel = ifd_arena_array(a->arena, (size_t)count, sizeof *channel);
    double **column = ifd_arena_array(a->arena, (size_t)count, sizeof *column);
    const char *list = "";
    if (chosen < 0 || !channel || !column)
        return;
    all.channels = 0;
    for (int k = 0; k < count; k++) {
        int at = find(&t[k], t[0].channel[chosen].name);
        double *v = at < 0 ? NULL : ifd_arena_array(a->arena, (size_t)t[0].rows + 1, sizeof *v);
        long hint = 0;
        for (long i = 0; v && i < t[0].rows; i++)
            v[i] = t[0].time[i] > t[k].time[t[k].rows - 1] ? (double)NAN : value_at(&t[k], at, t[0].time[i], &hint);
        const char *name = ifd_arena_print(a->arena, "%s (%s)", t[0].channel[chosen].name, a->word[k]);
        if (!v || !name)
            continue;
        channel[all.channels] = (ifd_channel){name, t[0].channel[chosen].unit, t[0].channel[chosen].group};
        column[all.channels++] = v;
        const char *longer = ifd_arena_print(a->arena, "%s%s%s", list, *list ? "," : "", name);
        list = longer ? longer : list;
    }
    all.channel = channel;
    all.column = column;
    figure f;
    size_t n = strlen(file);
    canvas c = {.terminal = n > 4 && strcmp(file + n - 4, ".svg") == 0 ? "svg" : "pngcairo", .file = file};
    if (figure_name(a->arena, &all, list, &f) == NULL && figure_draw(&f, &all, &c) == 0)
        app_say(a, "picture", "%s", file);
    else
        app_complain(a, "gnuplot could not draw '%s' (apt-get install gnuplot-nox)", file);
}

/* A test as a run is: its rows while it ran, over simulated time. A hold in between shows as a difference. */
static ifd_status as_run(app *a, const char *path, ifd_table *t)
{
    ifd_note quiet;
    ifd_case *c = NULL;
    long first;
    if (!t->test)
        return IFD_OK;
    ifd_note_init(&quiet, a->arena);
    if (ifd_result_case(a->arena, path, &c, &quiet) != IFD_OK)
        c = NULL;
    t->time = table_ran(a->arena, t, c, &first, &t->rows);
    double **column = ifd_arena_array(a->arena, (size_t)t->channels, sizeof *column);
    if (!t->time || !column)
        return IFD_NO_MEMORY;
    for (int i = 0; i < t->channels; i++)
        column[i] = t->column[i] + first;
    t->column = column;
    return IFD_OK;
}

int command_compare(app *a)
{
    ifd_table t[MOST_WORDS];
    double tolerance, worst = -1;
    bool empty = false;
    if (a->words < 2) {
        app_complain(a, "compare needs two results or more");
        return EXIT_BAD_INPUT;
    }
    if (!app_number(a, "--tolerance", HUGE_VAL, &tolerance))
        return EXIT_BAD_INPUT;
    for (int k = 0; k < a->words; k++) {
        ifd_status status = ifd_table_read(a->arena, a->word[k], &t[k], &a->note);
        if (status == IFD_OK)
            status = as_run(a, a->word[k], &t[k]);
        if (status == IFD_OK && t[k].rows < 1)
            status = ifd_note_add(&a->note, IFD_FILE, NULL, "'%s' holds no rows", a->word[k]);
        if (status != IFD_OK)
            return app_fail(a, status);
    }
    ifd_json j;
    ifd_json_init(&j, a->arena);
    ifd_json_object(&j, NULL);
    ifd_json_text(&j, "first", a->word[0]);
    ifd_json_list(&j, "others");
    for (int k = 1; k < a->words; k++) {
        double each = compare_pair(a, &j, &t[0], &t[k], a->word[k]);
        empty = empty || each < 0;
        worst = fmax(worst, each);
    }
    ifd_json_end(&j);
    ifd_json_number(&j, "worst_rms", worst);
    ifd_json_end(&j);
    if (empty) {
        app_complain(a, "no channel is in both results%s",
                     app_value(a, "--channels") ? " and named by --channels" : "");
        return EXIT_BAD_INPUT;
    }
    if (app_value(a, "--out"))
        draw(a, t, a->words, app_value(a, "--out"));
    int exit_status = worst > tolerance ? EXIT_RUN_FAILED : EXIT_FINE;
    return a->json ? app_put_json(a, &j, exit_status) : exit_status;
}
