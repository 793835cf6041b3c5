/* SPDX-License-Identifier: MIT */
/* How punctual a test was: percentiles and histograms of lateness and work, from every tick that was recorded. */
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How many ticks fall into each tenth of a decade, drawn as steps. */
static void histogram(const report *r, int channel, const char *title)
{
    enum { BINS = 60 }; /* from 1 us to 1 s */
    double x[2 * BINS], y[2 * BINS];
    long count[BINS] = {0};
    int last = 0;
    for (long i = 0; i < r->t.rows; i++) {
        double us = 1e6 * r->t.value[channel][i];
        int bin = us < 1.0 ? 0 : (int)(10.0 * log10(us));
        bin = bin < BINS ? bin : BINS - 1;
        count[bin]++;
        last = bin > last ? bin : last;
    }
    for (int k = 0; k <= last; k++) {
        x[2 * k] = pow(10.0, k / 10.0);
        x[2 * k + 1] = pow(10.0, (k + 1) / 10.0);
        y[2 * k] = y[2 * k + 1] = (double)count[k];
    }
    chart c = {.title = title, .x_label = "us", .y_label = "ticks", .log_x = true, .log_y = true, .curves = 1};
    c.y_low = 0.7; /* a bin with none lies on the axis, one with a single tick above it */
    c.curve[0] = (chart_curve){.count = 2 * (last + 1), .x = x, .y = y};
    chart_put(r->out, &c);
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void put_percentiles(const report *r, const char *what, int channel)
{
    static const double share[] = {0.5, 0.99, 0.999, 1.0};
    double *sorted = ifd_arena_array(r->a->arena, (size_t)r->t.rows + 1, sizeof *sorted);
    if (!sorted || r->t.rows < 1)
        return;
    memcpy(sorted, r->t.value[channel], sizeof *sorted * (size_t)r->t.rows);
    qsort(sorted, (size_t)r->t.rows, sizeof *sorted, by_size);
    fprintf(r->out, "<tr><td>%s", what);
    for (int k = 0; k < 4; k++)
        fprintf(r->out, "<td>%.1f", 1e6 * sorted[lround(ceil(share[k] * (double)r->t.rows)) - 1]);
}

static double number(const report *r, const char *path)
{
    return ifd_json_number_at(r->summary, path, 0);
}

static void put_granted(const report *r)
{
    static const struct {
        const char *key, *words;
    } named[] = {{"fifo", "priority FIFO"}, {"deadline", "priority DEADLINE"}, {"locked", "locked memory"},
                 {"pinned", "a core"},      {"isolated", "an isolated core"},  {"awake", "a processor kept awake"}};
    int listed = 0;
    if (strcmp(ifd_json_text_at(r->summary, "record/state", ""), "cut") == 0) {
        fputs("<p>The journal does not tell what was granted.</p>", r->out);
        return;
    }
    fputs("<p>Granted: ", r->out);
    for (size_t k = 0; k < sizeof named / sizeof *named; k++) {
        const ifd_json_node *granted = ifd_json_at(r->summary, "clock/granted");
        const ifd_json_node *each = granted ? ifd_json_at(granted, named[k].key) : NULL;
        if (each && each->number > 0)
            fprintf(r->out, "%s%s", listed++ ? ", " : "", named[k].words);
    }
    fputs(listed ? ".</p>" : "nothing.</p>", r->out);
}

static bool had_clock(const report *r, int late)
{
    for (long i = 0; i < r->t.rows; i++)
        if (r->t.value[late][i] != 0)
            return true;
    return false;
}

void report_punctuality(const report *r)
{
    int late = report_find(r, "", IFD_COLUMN_CLOCK_LATE), duration = report_find(r, "", IFD_COLUMN_CLOCK_DURATION);
    if (late < 0 || duration < 0)
        return;
    bool clock = had_clock(r, late);
    report_heading(r, "Punctuality", "punctuality");
    fprintf(r->out, "<p>%s ticks of %.6g ms", thousands(lround(number(r, "timing/ticks"))).text,
            1e3 * number(r, "clock/period"));
    if (clock)
        fprintf(r->out, ", %.0f late, %.0f instants skipped, %.0f records dropped, %.0f page faults.</p>",
                number(r, "clock/late_ticks"), number(r, "clock/skipped"), number(r, "clock/dropped"),
                number(r, "clock/page_faults"));
    else
        fputs(", without a clock: they followed each other as fast as possible.</p>", r->out);
    fputs("<table><tr><th>us<th>median<th>99 %<th>99.9 %<th>worst", r->out);
    if (clock)
        put_percentiles(r, "late", late);
    put_percentiles(r, "work of a tick", duration);
    fputs("</table>", r->out);
    put_granted(r);
    fputs("<div class=grid>", r->out);
    if (clock)
        histogram(r, late, "how late ticks began");
    histogram(r, duration, "how long ticks worked");
    fputs("</div>", r->out);
    report_end_section(r);
}
