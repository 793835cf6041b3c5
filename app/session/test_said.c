/* SPDX-License-Identifier: MIT */
/* Prints the plan of a test before it and its figures after it. */
#include "test_said.h"

#include "events.h"
#include "outcome.h"

#include <stdio.h>
#include <string.h>

#include <interfield/doctor.h>
#include <interfield/journal.h>

void test_plan_say(const test_said *s)
{
    case_say_title(s->a, s->c);
    app_say(s->a, "model", "%s · %s · step %s", case_model(s->c).text, case_method(s->c).text,
            quantity(s->c->run.step.h, "s").text);
    char kernel[120];
    start_say_rig(s->a, s->start, s->o, s->h);
    if (app_has(s->a, "--as-fast-as-possible"))
        return;
    ifd_doctor_kernel(kernel, sizeof kernel);
    app_say(s->a, "kernel", "%s", kernel);
}

/* Whether interface k is a rotation, by the unit of its command. */
static bool turns(const test_said *s, int k)
{
    int count;
    const ifd_column *c = ifd_hybrid_columns(s->h, &count);
    const char *name = ifd_hybrid_channel_name(s->h, k);
    int i = name ? ifd_column_find(c, count, name, IFD_COLUMN_INTERFACE_COMMAND) : -1;
    return i >= 0 && strcmp(c[i].unit, "rad") == 0;
}

/* The unit of the value and limit of a fault, after a space; for a rotation rad for m and N m for N. */
static void print_unit(const test_said *s, const ifd_trip_facts *f, char *out, size_t size)
{
    const char *unit = unit_of_turn(trip_unit(ifd_trip_name(f->trip)), turns(s, f->channel));
    snprintf(out, size, "%s%s", *unit ? " " : "", unit);
}

bool test_cold_say(const test_said *s, const ifd_executor_report *r)
{
    const ifd_note *errors = r->cold ? ifd_hybrid_cold(s->h) : NULL;
    for (const ifd_finding *f = errors ? errors->first : NULL; f; f = f->next)
        app_complain(s->a, "%s; no position was commanded", f->text);
    return errors != NULL;
}

void test_trip_say(const test_said *s)
{
    ifd_trip_facts f = ifd_hybrid_trip(s->h);
    if (f.trip == IFD_TRIP_NONE)
        return;
    char where[300] = "", unit[20], text[300];
    bool numbers = f.trip != IFD_TRIP_LATE && f.trip != IFD_TRIP_LOST; /* those of the others are in their text */
    print_unit(s, &f, unit, sizeof unit);
    fault_place(s->h, f.channel, where, sizeof where);
    size_t used = strlen(where);
    ifd_hybrid_fault_print(s->h, f.trip, text, sizeof text);
    if (f.limit != 0 && numbers)
        snprintf(where + used, sizeof where - used, ", value %.6g%s, limit %.6g%s", f.value, unit, f.limit, unit);
    const char *why = ifd_hybrid_why(s->h);
    app_complain(s->a, "%s at tick %ld%s: %s%s%s", ifd_trip_name(f.trip), f.tick, where, text,
                 why ? "; the rig reports: " : "", why ? why : "");
}

/* k: an interface, or after them an actuator of the rig. */
static void say_peaks(const test_said *s, int k)
{
    double peak[3];
    char more[80] = "";
    ifd_hybrid_peaks(s->h, k, peak);
    bool turned = turns(s, k);
    if (k < s->o->interfaces && s->o->interface[k].force) {
        snprintf(more, sizeof more, " · largest force error %s", quantity(ifd_hybrid_force_error(s->h, k), "N").text);
    }
    app_say(s->a, "peaks", "%s command %s · force %s · tracking error %s%s", ifd_hybrid_channel_name(s->h, k),
            quantity(peak[2], turned ? "rad" : "m").text, quantity(peak[1], turned ? "N m" : "N").text,
            quantity(peak[0], turned ? "rad" : "m").text, more);
}

static void say_rig(const test_said *s)
{
    for (int k = 0; k < s->o->interfaces + (s->o->drives ? ifd_hybrid_actuators(s->h) : 0); k++) {
        bool said = false; /* an interface with one actuator */
        for (int i = 0; i < s->o->interfaces && i < k; i++)
            said = said || s->o->interface[i].name == ifd_hybrid_channel_name(s->h, k);
        if (!said)
            say_peaks(s, k);
    }
}

static void say_slowdown(const test_said *s)
{
    ifd_slowdown e;
    char rest[80] = "never at rest";
    if (!ifd_hybrid_slowdown(s->h, &e) || !(e.at_full_rate > 0.0))
        return;
    if (e.orders > 0)
        app_say(s->a, "scale", "%ld order%s, at most %g times slower than the case · time took %.2f times as long",
                e.orders, e.orders == 1 ? "" : "s", 1.0 + e.slowest, e.run / e.at_full_rate);
    if (!s->o->elastic)
        return;
    if (e.rests > 0)
        snprintf(rest, sizeof rest, "at rest %ld time%s, longest %s", e.rests, e.rests == 1 ? "" : "s",
                 quantity(e.longest, "s").text);
    app_say(s->a, "elastic", "time took %.2f times as long, %s · answers up to %s old", e.run / e.at_full_rate, rest,
            quantity(e.oldest, "s").text);
}

/* "by the operator in state run", "automatically in state run: standard input has ended" */
static void abort_print(const test_said *s, const char *state, char *out, size_t size)
{
    const char *why = s->unanswered ? NULL : s->itself;
    snprintf(out, size, "%s%s%s%s%s",
             why             ? "automatically"
             : s->unanswered ? "because no operator responded"
                             : "by the operator",
             state ? " in state " : "", state ? state : "", why ? ": " : "", why ? why : "");
}

void test_outcome_print(const test_said *s, const ifd_result *result, char *out, size_t size)
{
    outcome o = outcome_of(ifd_result_outcome(result));
    ifd_trip fault = ifd_hybrid_trip(s->h).trip;
    char how[160];
    abort_print(s, ifd_result_aborted_in(result), how, sizeof how);
    if (o == OUTCOME_ABORTED)
        snprintf(out, size, "%s %s", outcome_word(o), how);
    else if ((o == OUTCOME_TRIPPED || o == OUTCOME_FAILED) && fault != IFD_TRIP_NONE)
        snprintf(out, size, "%s: %s", outcome_word(o), ifd_trip_text(fault));
    else if (o == OUTCOME_INCOMPLETE)
        snprintf(out, size, "%s: %s", outcome_word(o), ifd_result_reason(result));
    else
        snprintf(out, size, "%s", outcome_word(o));
}

void test_ending_say(const test_said *s, const ifd_executor_report *r, const ifd_timing *t, const ifd_result *result,
                     const char *folder)
{
    outcome o = outcome_of(ifd_result_outcome(result));
    char aborted[180] = "";
    if (o == OUTCOME_ABORTED) {
        abort_print(s, ifd_result_aborted_in(result), aborted, sizeof aborted - 8);
        strcat(aborted, " · ");
    }
    if (o == OUTCOME_INCOMPLETE)
        snprintf(aborted, sizeof aborted, "%s · ", ifd_result_reason(result));
    const readable period = quantity(ifd_hybrid_period(s->h), "s");
    char how[160], more[200] = "";
    double stale = ifd_hybrid_stale_fraction(s->h);
    if (r->skipped || r->dropped)
        snprintf(more, sizeof more, " · %ld ticks skipped, %ld records dropped", r->skipped, r->dropped);
    if (stale > 0.0)
        snprintf(more + strlen(more), sizeof more - strlen(more), " · %.2g %% of the run without a new measurement",
                 100.0 * stale);
    snprintf(how, sizeof how, ", %ld late, at most by %s · longest tick %s of %s", r->late_ticks,
             quantity(r->late_max, "s").text, quantity(r->duration_max, "s").text, period.text);
    if (r->late_max == 0.0) /* no lateness without a clock, and the longest tick is a preempted one */
        snprintf(how, sizeof how, ", free-running · median tick %s of %s", quantity(r->duration_p50, "s").text,
                 period.text);
    app_say(s->a, outcome_word(o), "%s%.6g s of simulated time in %s · %s ticks%s%s", aborted, ifd_hybrid_time(s->h),
            quantity(t->wall, "s").text, thousands(r->ticks).text, how, more);
    say_rig(s);
    say_slowdown(s);
    app_say(s->a, "files", "%s/  result.h5  summary.json%s  " IFD_JOURNAL_FILE "  events.log", folder,
            s->c->csv ? "  result.csv" : "");
}
