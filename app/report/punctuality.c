/* SPDX-License-Identifier: MIT */
/* Lateness of a test. Percentiles are from summary.json, which includes every tick; the curves are of the recorded
 * ticks, with the same classes (histogram.h). */
#include "report.h"

#include <math.h>
#include <string.h>

#include <interfield/histogram.h>

static double number(const report *r, const char *path)
{
    return ifd_json_number_at(r->summary, path, NAN);
}

/* Results before version 0.2 do not contain it: without a clock no tick is late. */
static bool had_clock(const report *r)
{
    const ifd_json_node *free_running = ifd_json_at(r->summary, "clock/free_running");
    int late = report_find(r, "", IFD_COLUMN_CLOCK_LATE);
    if (free_running)
        return !(free_running->number > 0);
    for (long i = 0; late >= 0 && i < r->t.rows; i++)
        if (r->t.value[late][i] != 0)
            return true;
    return false;
}

static ifd_histogram *histogram_of(const report *r, int column)
{
    ifd_histogram *h = ifd_histogram_make(r->a->arena);
    for (long i = 0; h && i < r->t.rows; i++)
        if (r->t.value[column][i] >= 0)
            ifd_histogram_add(h, (uint64_t)(1e9 * r->t.value[column][i] + 0.5));
    return h;
}

/* Number of longer recorded ticks, from one half to the last one. */
static void put_tail(const report *r, int column, const char *title)
{
    enum { POINTS = 64 };
    static double x[POINTS], y[POINTS];
    const ifd_histogram *h = histogram_of(r, column);
    double ticks = (double)r->t.rows;
    if (!h || r->t.rows < 2)
        return;
    for (int k = 0; k < POINTS; k++) {
        y[k] = 0.9 * pow(1.0 / (0.9 * ticks), k / (POINTS - 1.0)); /* down to one tick */
        x[k] = fmax((double)ifd_histogram_quantile(h, k + 1 < POINTS ? 1.0 - y[k] : 1.0), 100.0);
    }
    chart c = {.title = title,
               .x.label = "time [\u00b5s]",
               .y.label = "fraction of ticks",
               .x.factor = 1e-3,
               .x.log = true,
               .y.log = true,
               .curves = 1};
    c.curve[0] = (chart_curve){.count = POINTS, .x = x, .y = y};
    chart_put(r->a, r->out, &c);
}

static void put_percentiles(const report *r, const char *what, const char *key, int column)
{
    static const struct {
        const char *name;
        double share;
    } each[] = {{"p50", 0.5}, {"p99", 0.99}, {"p999", 0.999}, {"max", 1.0}};
    const ifd_histogram *h = NULL;
    fprintf(r->out, "<tr><td>%s", what);
    for (int k = 0; k < 4; k++) {
        double value = number(r, ifd_arena_print(r->a->arena, "%s_%s", key, each[k].name));
        if (isnan(value) && !h) /* a recovered record */
            h = histogram_of(r, column);
        if (isnan(value) && h)
            value = 1e-9 * (double)ifd_histogram_quantile(h, each[k].share);
        fprintf(r->out, "<td>%.1f", 1e6 * value);
    }
}

static void put_granted(const report *r)
{
    static const struct {
        const char *key, *words;
    } named[] = {{"fifo", "priority FIFO"}, {"deadline", "priority DEADLINE"}, {"locked", "locked memory"},
                 {"pinned", "fixed core"},  {"isolated", "isolated core"},     {"awake", "no deep sleep states"}};
    const ifd_json_node *granted = ifd_json_at(r->summary, "clock/granted");
    int listed = 0;
    if (!granted || granted->kind != IFD_JSON_OBJECT) {
        fputs("<p>Granted rights: not recorded, because the record is truncated.</p>", r->out);
        return;
    }
    fputs("<p>Granted: ", r->out);
    for (size_t k = 0; k < sizeof named / sizeof *named; k++) {
        const ifd_json_node *each = ifd_json_at(granted, named[k].key);
        if (each && each->number > 0)
            fprintf(r->out, "%s%s", listed++ ? ", " : "", named[k].words);
    }
    fputs(listed ? ".</p>" : "none.</p>", r->out);
}

/* The verdict as in the test: the permitted number of late ticks of a completed test is a key of its case. */
static void put_verdict(const report *r)
{
    double late = number(r, "clock/late_ticks"), ticks = number(r, "timing/ticks");
    double allowed = r->c ? r->c->day.missed_deadlines : HUGE_VAL;
    bool ended = strncmp(ifd_json_text_at(r->summary, "fault/name", ""), "LATE", 4) == 0; /* LATE, LATE_JOB */
    if (isnan(late)) {
        fputs("unknown</b>. The record was recovered from its journal, which does not count late ticks.", r->out);
        return;
    }
    fprintf(r->out, "%s</b>: %s of %s ticks were late, at most by %s",
            ended || late > allowed ? "missed"
            : late > 0              ? "missed, within the permitted number"
                                    : "met",
            thousands(lround(late)).text, thousands(lround(ticks)).text,
            page_quantity(number(r, "clock/late_max"), "s").text);
    if (ended)
        fputs("; this ended the test", r->out);
    else if (isfinite(allowed))
        fprintf(r->out, "; %.0f are permitted", allowed);
    else if (late > 0)
        fputs("; the case permits any number", r->out);
    fputs(".", r->out);
}

/* Time with elastic answers is not judged: it waits for them. */
static void put_measurements(const report *r)
{
    double share = number(r, "stale_fraction"),
           allowed = r->c && r->c->test ? r->c->test->stale_fraction : (double)NAN;
    if (!(share > 0.0))
        return;
    fprintf(r->out, "<p id=measurements><b>Measurements: %s</b>: %.2g %% of the ticks of the run had no new one",
            share > allowed ? "missed" : "missed, within the permitted share", 100.0 * share);
    if (allowed > 0.0)
        fprintf(r->out, "; %.3g %% are permitted", 100.0 * allowed);
    fputs(".</p>", r->out);
}

void report_deadlines(const report *r)
{
    if (report_find(r, "", IFD_COLUMN_CLOCK_LATE) < 0)
        return;
    fputs("<p id=deadlines><b>Deadlines: ", r->out);
    if (had_clock(r))
        put_verdict(r);
    else
        fputs("not tested</b>. The test was free-running, without "
              "a clock.",
              r->out);
    fputs("</p>", r->out);
    put_measurements(r);
}

void report_punctuality(const report *r)
{
    int late = report_find(r, "", IFD_COLUMN_CLOCK_LATE), duration = report_find(r, "", IFD_COLUMN_CLOCK_DURATION);
    if (late < 0 || duration < 0)
        return;
    bool clock = had_clock(r);
    report_begin(r, "Timing of ticks", "punctuality", true);
    fprintf(r->out, "<p>%s ticks of %.6g ms",
            thousands(lround(ifd_json_number_at(r->summary, "timing/ticks", 0))).text,
            1e3 * number(r, "clock/period"));
    if (clock)
        fprintf(r->out, ", %.0f late, %.0f ticks skipped, %.0f records dropped, %.0f page faults.</p>",
                number(r, "clock/late_ticks"), number(r, "clock/skipped"), number(r, "clock/dropped"),
                number(r, "clock/page_faults"));
    else
        fputs(", free-running (without a clock).</p>", r->out);
    fputs("<table class=numbers><tr><th>\u00b5s<th>median<th>99 %<th>99.9 %<th>maximum", r->out);
    if (clock)
        put_percentiles(r, "lateness", "clock/late", late);
    put_percentiles(r, "duration of a tick", "timing/tick", duration);
    fputs("</table>", r->out);
    put_granted(r);
    fputs("<div class=charts>", r->out);
    if (clock)
        put_tail(r, late, "fraction of ticks with a larger lateness");
    put_tail(r, duration, "fraction of ticks with a longer duration");
    fputs("</div>", r->out);
    report_end(r, true);
}
