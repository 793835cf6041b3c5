/* SPDX-License-Identifier: MIT */
/* Use of the limits of a test, as bars. */
#include "report.h"

#include <math.h>
#include <string.h>

/* Largest change per second between two rows. A missed tick counts as time. */
static double rate(const report *r, int at)
{
    const double *p = r->t.value[at], *t = r->t.wall_time ? r->t.wall_time : r->t.time;
    double most = 0;
    for (long i = 1; i < r->t.rows && t[i] > t[i - 1]; i++)
        most = fmax(most, fabs(p[i] - p[i - 1]) / (t[i] - t[i - 1]));
    return most;
}

/* A largest value of summary.json, which the test compared with its limit. NAN without a summary. */
static double summed(const report *r, const char *owner, const char *key)
{
    return ifd_json_number_at(r->summary, ifd_arena_print(r->a->arena, "rig/%s/%s", owner, key), NAN);
}

/* The governor keeps a command at the limits of its path, which is not a fault. */
static void bar(const report *r, const char *what, double value, double limit, const char *unit)
{
    if (limit == 0 || !isfinite(value) || !isfinite(limit))
        return;
    double share = value / limit;
    bool held = fabs(share - 1.0) < 1e-6;
    fprintf(r->out,
            "<tr><td>%s<td>%s<td>%s<td class=bar><svg viewBox=\"0 0 200 14\"><rect class=track width=\"200\" "
            "height=\"14\" "
            "rx=\"3\"/><rect class=\"%s\" width=\"%.1f\" height=\"14\" rx=\"3\"/></svg><td>%.0f %%",
            what, page_quantity(value, unit).text, page_quantity(limit, unit).text,
            share > 1 && !held ? "over"
            : share > 0.8      ? "near"
                               : "fill",
            200.0 * fmax(fmin(share, 1.0), 0.0), 100.0 * share);
    if (held)
        fputs(", saturated", r->out);
}

static double largest(const report *r, const char *owner, ifd_quantity quantity)
{
    int at = report_find(r, owner, quantity);
    double most = NAN;
    for (long i = 0; at >= 0 && i < r->t.rows; i++)
        most = isfinite(r->t.value[at][i]) ? fmax(isnan(most) ? 0 : most, fabs(r->t.value[at][i])) : most;
    return most;
}

/* The end of the stroke with the smaller distance. */
static void position_bar(const report *r, const ifd_interface_options *o)
{
    int at = report_find(r, o->name, IFD_COLUMN_INTERFACE_DEFORMATION);
    double low = 0, high = 0;
    for (long i = 0; at >= 0 && i < r->t.rows; i++) {
        double v = r->t.value[at][i];
        low = isfinite(v) ? fmin(low, v) : low;
        high = isfinite(v) ? fmax(high, v) : high;
    }
    bool below = o->limits.low < 0 && (!(o->limits.high > 0) || low / o->limits.low > high / o->limits.high);
    if (at >= 0)
        bar(r, "position", below ? low : high, below ? o->limits.low : o->limits.high,
            unit_of_turn("m", report_turns(r, o->name)));
}

static void specimen_bars(const report *r, const ifd_interface_options *o)
{
    const ifd_limits *l = &o->limits;
    bool turns = report_turns(r, o->name);
    int force = report_find(r, o->name, IFD_COLUMN_INTERFACE_FORCE);
    html_put(r->out, "<tr><th colspan=5>", o->name, "");
    position_bar(r, o);
    bar(r, "command velocity", summed(r, o->name, "velocity"), l->velocity, unit_of_turn("m/s", turns));
    bar(r, "command acceleration", summed(r, o->name, "acceleration"), l->acceleration, unit_of_turn("m/s2", turns));
    bar(r, "force", largest(r, o->name, IFD_COLUMN_INTERFACE_FORCE), l->force, unit_of_turn("N", turns));
    bar(r, "force rate", force >= 0 ? rate(r, force) : (double)NAN, l->force_rate, unit_of_turn("N/s", turns));
    bar(r, "tracking error", summed(r, o->name, "tracking"), l->tracking, unit_of_turn("m", turns));
    bar(r, "tracking energy", largest(r, o->name, IFD_COLUMN_INTERFACE_ENERGY), l->energy, "J");
}

static const char *meaning(const char *name)
{
    for (int k = 0; k < IFD_TRIP_COUNT; k++)
        if (strcmp(ifd_trip_name((ifd_trip)k), name) == 0)
            return ifd_trip_text((ifd_trip)k);
    return "";
}

void report_limits(const report *r)
{
    if (r->c && r->c->test) {
        fputs("<table class=limits><tr><th>limit<th>reached<th>allowed<th colspan=2>used", r->out);
        for (int k = 0; k < r->c->test->interfaces; k++)
            specimen_bars(r, &r->c->test->interface[k]);
        fputs("</table>", r->out);
    } else
        fputs("<p class=soft>The case of this result cannot be read; its limits are unknown.</p>", r->out);
    const ifd_json_node *seen = ifd_json_at(r->summary, "seen");
    if (seen && seen->first) {
        fputs("<table class=seen><tr><th>fault<th>ticks<th>meaning", r->out);
        for (const ifd_json_node *s = seen->first; s; s = s->next) {
            html_put(r->out, "<tr><td>", s->key, "");
            fprintf(r->out, "<td>%.0f<td>%s", s->number, meaning(s->key));
        }
        fputs("</table>", r->out);
    } else
        fputs("<p>No fault occurred.</p>", r->out);
}
