/* SPDX-License-Identifier: MIT */
/* Texts of checks, and the checks of this machine: clock, duration of ticks, disk. */
#include "qualify/judging.h"

#include <interfield/doctor.h>

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Limits of caution. */
static const double half_tick = 0.5, whole_tick = 0.9; /* of a period, duration of a tick */

/* An advice without its marks, and without what they enclose if the test must not be slower. */
static const char *permitted(ifd__judging *j, const char *advice)
{
    bool slower = !j->o->test->rate_dependent;
    char text[512];
    size_t used = 0;
    int inside = 0;
    if (!advice || !strstr(advice, "[["))
        return advice;
    for (const char *p = advice; *p && used + 1 < sizeof text; p++) {
        bool opens = p[0] == '[' && p[1] == '[', closes = p[0] == ']' && p[1] == ']';
        if (opens || closes) {
            inside = opens;
            p++;
        } else if (slower || !inside)
            text[used++] = *p;
    }
    text[used] = '\0';
    const char *kept = ifd_arena_text(j->arena, text);
    return kept ? kept : "";
}

void ifd__judge_add(ifd__judging *j, const char *topic, ifd_verdict verdict, const char *advice, const char *format,
                    ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    ifd_preflight *p = j->out;
    p->verdict = verdict > p->verdict ? verdict : p->verdict; /* also without room for its line */
    if (p->checks == IFD_PREFLIGHT_CHECKS)
        return;
    const char *found = ifd_arena_text(j->arena, text);
    p->check[p->checks++] =
        (ifd_check){topic, found ? found : "", verdict == IFD_VERDICT_GO ? NULL : permitted(j, advice), verdict};
}

const char *ifd__judge_print(ifd__judging *j, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const char *kept = ifd_arena_text(j->arena, text);
    return kept ? kept : "";
}

/* "12.3 ms", "84 mm/s", "1.5 MN": three digits and a prefix. */
const char *ifd__judge_quantity(ifd__judging *j, double value, const char *unit)
{
    static const struct {
        double above, factor;
        const char *prefix;
    } row[] = {{1e9, 1e-9, "G"}, {1e6, 1e-6, "M"}, {1e3, 1e-3, "k"}, {1.0, 1.0, ""},
               {1e-3, 1e3, "m"}, {1e-6, 1e6, "u"}, {1e-9, 1e9, "n"}};
    bool kilo = strcmp(unit, "N") == 0 || strcmp(unit, "N/s") == 0 || strcmp(unit, "J") == 0 ||
                strcmp(unit, "B") == 0 || strcmp(unit, "B/s") == 0 || strcmp(unit, "N/m") == 0;
    bool milli = unit[0] == 'm' || strcmp(unit, "s") == 0;
    const double rounds_up = 0.9995; /* of one, in three digits: 0.9999 ms is 1 ms, not 1e+03 us */
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        bool usual = row[i].factor == 1.0 || (row[i].factor < 1.0 ? kilo : milli);
        if (usual && fabs(value) >= rounds_up * row[i].above)
            return ifd__judge_print(j, "%.3g %s%s", value * row[i].factor, row[i].prefix, unit);
    }
    return ifd__judge_print(j, "%.3g %s", value, unit);
}

/* s: a tick that starts later is late. */
static double late_after(const ifd__judging *j)
{
    double given = j->o->test->late_after;
    return given > 0.0 ? given : IFD_LATE_AFTER * j->out->period;
}

/* Permitted lateness on a real rig, in s. A case that extrapolates and permits late ticks for
 * longer than the preset accepts that time. */
static double most_late(const ifd__judging *j)
{
    ifd_hybrid_options preset;
    const ifd_hybrid_options *o = j->o->test;
    ifd_hybrid_defaults(&preset);
    double most = ifd_rig_ticks(o->late_time, j->out->period, o->late_limit);
    bool more = most > ifd_rig_ticks(preset.late_time, j->out->period, preset.late_limit);
    return o->overrun == IFD_OVERRUN_EXTRAPOLATE && more ? most * j->out->period : late_after(j);
}

/* A tick that starts within `late-after` is in time. Above: CAUTION on every rig, NO-GO on a real one. */
static ifd_verdict judge_lateness(const ifd__judging *j)
{
    const ifd_executor_report *g = &j->out->granted;
    double late = g->late_max;
    if (j->o->real && late > most_late(j))
        return IFD_VERDICT_NO_GO;
    return late > late_after(j) || (j->o->real && !g->fifo) ? IFD_VERDICT_CAUTION : IFD_VERDICT_GO;
}

static void judge_clock(ifd__judging *j)
{
    const ifd_preflight *p = j->out;
    const ifd_executor_report *g = &p->granted;
    ifd_verdict verdict = p->tick_p99 > whole_tick * p->period  ? IFD_VERDICT_NO_GO
                          : p->tick_max > half_tick * p->period ? IFD_VERDICT_CAUTION
                                                                : IFD_VERDICT_GO;
    ifd__judge_add(j, "time", verdict,
                   "use a longer step, fewer dofs[[, a slower test (test: lambda)]] or a faster machine",
                   "worst tick %s of %s on this machine, p99 %s%s", ifd__judge_quantity(j, p->tick_max, "s"),
                   ifd__judge_quantity(j, p->period, "s"), ifd__judge_quantity(j, p->tick_p99, "s"),
                   p->threads ? " (on one thread)" : "");
    ifd__judge_add(j, "clock", judge_lateness(j),
                   "expect late ticks: give the program its rights and the tick a core (interfield doctor)",
                   "FIFO %s, memory %s, core %s; an idle tick starts up to %s after its instant (late-after %s)",
                   g->fifo ? "granted" : "refused", g->locked ? "locked" : "not locked",
                   g->isolated ? "isolated" : "shared", ifd__judge_quantity(j, g->late_max, "s"),
                   ifd__judge_quantity(j, late_after(j), "s"));
}

/* What `interfield doctor` finds without a measurement. The virtual rig needs none of it. */
static void judge_host(ifd__judging *j)
{
    ifd_doctor_options o;
    ifd_doctor *d;
    ifd_doctor_defaults(&o);
    o.folder = j->o->folder;
    o.brief = true;
    ifd_arena *scratch = ifd_arena_open();
    if (scratch && ifd_doctor_examine(scratch, &o, &d, NULL) == IFD_OK) {
        int change = 0, unknown = 0;
        for (int i = 0; i < d->rows; i++) {
            change += d->row[i].state == IFD_DOCTOR_CHANGE;
            unknown += d->row[i].state == IFD_DOCTOR_UNKNOWN && d->row[i].expected;
        }
        bool caution = j->o->real && d->verdict != IFD_DOCTOR_FINE;
        ifd__judge_add(j, "machine", caution ? IFD_VERDICT_CAUTION : IFD_VERDICT_GO,
                       "prepare the machine as `interfield doctor` advises",
                       "kernel %s; %s: %d to change, %d unknown", d->kernel, ifd_doctor_verdict(d), change, unknown);
    } else {
        ifd__judge_add(j, "machine", IFD_VERDICT_CAUTION, "run `interfield doctor`", "not examined");
    }
    ifd_arena_close(scratch);
}

void ifd__judge_machine(ifd__judging *j)
{
    const ifd_preflight *p = j->out;
    if (!j->o->free_running) {
        judge_clock(j);
        judge_host(j);
    } else
        ifd__judge_add(j, "clock", IFD_VERDICT_GO, NULL,
                       "free-running: lateness and duration of ticks are not assessed");
    if (p->room > 0.0)
        ifd__judge_add(j, "data",
                       p->bytes > p->room         ? IFD_VERDICT_NO_GO
                       : p->bytes > 0.5 * p->room ? IFD_VERDICT_CAUTION
                                                  : IFD_VERDICT_GO,
                       "record less (time: record-every), or to another disk", "%s, %s in total, %s free",
                       ifd__judge_quantity(j, p->rate, "B/s"), ifd__judge_quantity(j, p->bytes, "B"),
                       ifd__judge_quantity(j, p->room, "B"));
    else
        ifd__judge_add(j, "data", IFD_VERDICT_GO, NULL, "%s, %s in total", ifd__judge_quantity(j, p->rate, "B/s"),
                       ifd__judge_quantity(j, p->bytes, "B"));
}
