/* SPDX-License-Identifier: MIT */
/* Judges this machine: clock, duration of ticks, settings, disk. */
#include "qualify/preflight.h"

#include <interfield/doctor.h>

#include <math.h>

static const double half_tick = 0.5, whole_tick = 0.9; /* of a period, duration of a tick */

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
    ifd_arena *scratch IFD__CLOSED = ifd_arena_open();
    if (scratch && ifd_doctor_examine(scratch, &o, &d, NULL) == IFD_OK) {
        int change = 0, unknown = 0;
        for (int i = 0; i < d->rows; i++) {
            change += d->row[i].state == IFD_DOCTOR_CHANGE;
            unknown += d->row[i].state == IFD_DOCTOR_UNKNOWN && d->row[i].expected;
        }
        bool caution = j->o->real && d->verdict != IFD_DOCTOR_FINE;
        ifd__judge_add(j, "machine", caution ? IFD_VERDICT_CAUTION : IFD_VERDICT_GO,
                       "prepare the machine as `interfield doctor` advises",
                       "kernel %s; settings: %d to change, %d unknown", d->kernel, change, unknown);
    } else {
        ifd__judge_add(j, "machine", IFD_VERDICT_CAUTION, "run `interfield doctor`", "not examined");
    }
}

/* Clock, duration of ticks and disk of this machine. */
void ifd__preflight_machine(ifd__judging *j)
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
