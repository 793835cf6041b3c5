/* SPDX-License-Identifier: MIT */
/* What the terminal prints about a test: its plan, its figures, the condition for which it waits, its states. */
#include "test_said.h"
#include "outcome.h"

#include <stdio.h>
#include <string.h>

#include <interfield/doctor.h>

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
    const char *name = ifd_hybrid_owner_name(s->h, k);
    int i = name ? ifd_column_find(c, count, name, IFD_COLUMN_INTERFACE_COMMAND) : -1;
    return i >= 0 && strcmp(c[i].unit, "rad") == 0;
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
    char where[300] = "", text[300];
    const char *unit = unit_of_turn(trip_unit(ifd_trip_name(f.trip)), turns(s, f.owner)), *gap = *unit ? " " : "";
    bool numbers = f.trip != IFD_TRIP_LATE && f.trip != IFD_TRIP_LOST; /* those of the others are in their text */
    fault_place(s->h, f.owner, where, sizeof where);
    ifd_hybrid_fault_print(s->h, f.trip, text, sizeof text);
    if (f.limit != 0 && numbers)
        text_add(where, sizeof where, ", value %.6g%s%s, limit %.6g%s%s", f.value, gap, unit, f.limit, gap, unit);
    const char *why = ifd_hybrid_why(s->h);
    app_complain(s->a, "%s at tick %ld%s: %s%s%s", ifd_trip_name(f.trip), f.tick, where, text,
                 why ? "; the rig reports: " : "", why ? why : "");
}

/* k: an interface, or after them an actuator of the rig. */
static void say_peaks(const test_said *s, int k)
{
    double peak[3];
    ifd_hybrid_peaks(s->h, k, peak);
    bool turned = turns(s, k), force = k < s->o->interfaces && s->o->interface[k].force;
    app_say(s->a, "peaks", "%s command %s · force %s · tracking error %s%s", ifd_hybrid_owner_name(s->h, k),
            quantity(peak[2], turned ? "rad" : "m").text, quantity(peak[1], turned ? "N m" : "N").text,
            quantity(peak[0], turned ? "rad" : "m").text,
            force ? phrase(" · largest force error %s", quantity(ifd_hybrid_force_error(s->h, k), "N").text).text
                  : "");
}

static void say_slowdown(const test_said *s)
{
    ifd_slowdown e;
    if (!ifd_hybrid_slowdown(s->h, &e) || !(e.at_full_rate > 0.0))
        return;
    if (e.orders > 0)
        app_say(s->a, "scale", "%ld order%s, at most %g times slower than the case · time took %.2f times as long",
                e.orders, plural(e.orders), 1.0 + e.slowest, e.run / e.at_full_rate);
    if (!s->o->elastic)
        return;
    app_say(
        s->a, "elastic", "time took %.2f times as long, %s · answers up to %s old", e.run / e.at_full_rate,
        e.rests > 0
            ? phrase("at rest %ld time%s, longest %s", e.rests, plural(e.rests), quantity(e.longest, "s").text).text
            : "never at rest",
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
    else if (o == OUTCOME_INCOMPLETE || o == OUTCOME_TRIPPED) /* reset after its trip */
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
    bool reset = o == OUTCOME_TRIPPED && ifd_hybrid_trip(s->h).trip == IFD_TRIP_NONE;
    if (o == OUTCOME_INCOMPLETE || reset)
        snprintf(aborted, sizeof aborted, "%s · ", ifd_result_reason(result));
    const readable period = quantity(ifd_hybrid_period(s->h), "s");
    char how[160], more[200] = "";
    double stale = ifd_hybrid_stale_fraction(s->h);
    if (r->skipped || r->dropped)
        snprintf(more, sizeof more, " · %ld tick%s skipped, %ld record%s dropped", r->skipped, plural(r->skipped),
                 r->dropped, plural(r->dropped));
    if (stale > 0.0)
        text_add(more, sizeof more, " · %.2g %% of the run without a new measurement", 100.0 * stale);
    snprintf(how, sizeof how, ", %ld late, at most by %s · longest tick %s of %s", r->late_ticks,
             quantity(r->late_max, "s").text, quantity(r->duration_max, "s").text, period.text);
    if (r->late_max == 0.0) /* no lateness without a clock, and the longest tick is a preempted one */
        snprintf(how, sizeof how, ", free-running · median tick %s of %s", quantity(r->duration_p50, "s").text,
                 period.text);
    app_say(s->a, outcome_word(o), "%s%.6g s of simulated time in %s · %s ticks%s%s", aborted, ifd_hybrid_time(s->h),
            quantity(t->wall, "s").text, thousands(r->ticks).text, how, more);
    for (int k = 0; k < s->o->interfaces + (s->o->drives ? ifd_hybrid_actuators(s->h) : 0); k++) {
        bool said = false; /* an interface with one actuator */
        for (int i = 0; i < s->o->interfaces && i < k; i++)
            said = said || s->o->interface[i].name == ifd_hybrid_owner_name(s->h, k);
        if (!said)
            say_peaks(s, k);
    }
    say_slowdown(s);
    app_say(s->a, "files", "%s/  result.h5  summary.json%s  " IFD_JOURNAL_FILE "  events.log", folder,
            s->c->csv ? "  result.csv" : "");
}

/* Prints the condition for which a test in idle waits. */

/* ns, before the first message and between two of them. */
static const uint64_t PATIENCE = 500000000, SELDOM = 1000000000, AGAIN = 10000000000;

/* "m", or "rad" for a rotation. */
static const char *unit_of(const progress *l, const char *name)
{
    int count, column;
    const ifd_column *channel = ifd_hybrid_columns(l->h, &count);
    column = ifd_column_find(channel, count, name, IFD_COLUMN_INTERFACE_DEFORMATION);
    return column < 0 ? "m" : channel[column].unit;
}

static void print_position(char *out, size_t size, const progress *l, const char *name)
{
    const char *unit = unit_of(l, name);
    const readable value = quantity(l->wait_value, unit);
    double limits[2];
    if (l->now_wait == IFD_WAIT_OUTSIDE) {
        ifd_hybrid_wait_limits(l->h, l->wait_owner, &limits[0], &limits[1]);
        snprintf(out, size,
                 "position of '%s' is %s, outside its stroke of %s to %s; no command is sent until it is inside "
                 "(the order return moves it there)",
                 name, value.text, quantity(limits[0], unit).text, quantity(limits[1], unit).text);
    } else {
        snprintf(out, size, "positions of '%s' are not steady: scatter %s; no command is sent until it rests", name,
                 value.text);
    }
}

static bool print_interlock(char *out, size_t size, const progress *l, const char *name)
{
    const ifd_channel_map *map = l->o->map;
    for (int i = 0; map && name && i < map->rows; i++)
        if (strcmp(map->row[i].name, name) == 0) {
            snprintf(out, size,
                     "channel '%s' is %.6g %s, outside its arm-range of %.6g to %.6g %s; no command is sent", name,
                     l->wait_value, map->row[i].unit, map->row[i].arm_low, map->row[i].arm_high, map->row[i].unit);
            return true;
        }
    return false;
}

void waiting_print(char *out, size_t size, const progress *l)
{
    const char *name = ifd_hybrid_owner_name(l->h, l->wait_owner), *why = ifd_hybrid_why(l->h);
    *out = '\0';
    if (l->now_state != IFD_MACHINE_IDLE || l->now_wait == IFD_WAIT_NONE || l->now_wait == IFD_WAIT_MEASURING)
        return;
    if (l->now_wait == IFD_WAIT_PERIOD && l->rig_period > 0.0)
        snprintf(out, size, "the rig ticks at %s, the case has %s; no command is sent",
                 quantity(l->rig_period, "s").text, quantity(ifd_hybrid_period(l->h), "s").text);
    else if (l->now_wait == IFD_WAIT_INTERLOCK && print_interlock(out, size, l, name))
        return;
    else if (l->now_wait == IFD_WAIT_ORDER)
        snprintf(out, size, "for the order arm; no command is sent");
    else if (name && (l->now_wait == IFD_WAIT_OUTSIDE || l->now_wait == IFD_WAIT_NOT_AT_REST))
        print_position(out, size, l, name);
    else
        snprintf(out, size, "%s%s%s%s%s%s; no command is sent", ifd_wait_text(l->now_wait), name ? " ('" : "",
                 name ? name : "", name ? "')" : "", why ? "; the rig reports: " : "", why ? why : "");
}

bool waiting_cold(waiting *w, const ifd_hybrid *h, uint64_t now, char *out, size_t size)
{
    const char *why = ifd_hybrid_why(h);
    if (now - w->when < AGAIN || now - w->since < PATIENCE)
        return false;
    w->when = now;
    snprintf(out, size, "until the rig is ready%s%s; no command is sent", why ? ": " : "", why ? why : "");
    return true;
}

bool waiting_due(waiting *w, const progress *l, const ifd_hybrid_options *o, uint64_t now, char *out, size_t size)
{
    if (l->now_state != IFD_MACHINE_IDLE) /* what it waits for is new after a reset or a return */
        w->said = IFD_WAIT_NONE;
    bool same = l->now_wait == w->said && (now - w->when < AGAIN || l->now_wait == IFD_WAIT_ORDER),
         often = w->said != IFD_WAIT_NONE && now - w->when < SELDOM;
    if (l->now_state != IFD_MACHINE_IDLE || same || often ||
        (l->waited < 1e-9 * (double)PATIENCE && l->now_wait != IFD_WAIT_ORDER))
        return false;
    w->said = l->now_wait;
    w->when = now;
    if (l->now_wait == IFD_WAIT_ORDER) {
        snprintf(out, size, "at rest; stop released, pressure on. Type arm, or quit");
        return true;
    }
    waiting_print(out, size, l);
    if (*out && l->now_wait != IFD_WAIT_MASTER && !w->ordered)
        text_add(out, size, " (%.0f s of %.0f s)", l->waited, o->arm_timeout);
    return *out != '\0';
}

/* Prints a state of a test and the orders that are possible in it. */

/* The second line of a message begins below the first. */
#define NEXT_LINE "\n         "

void places_print(const progress *l, bool apart, char *out, size_t size)
{
    *out = '\0';
    for (int k = 0; k < l->o->interfaces; k++) {
        bool turns = l->o->interface[k].turns;
        const char *unit = turns ? "rad" : "m";
        text_add(out, size, "%s%s %s, %s", k ? "; " : "", l->o->interface[k].name, quantity(l->x[k], unit).text,
                 quantity(l->f[k], turns ? "N m" : "N").text);
        if (apart)
            text_add(out, size, " (command - position %s)", quantity(l->command[k] - l->x[k], unit).text);
    }
}

/* ", value 85.2 kN, limit 80 kN" of the latched trip; the texts of LATE and LOST contain their numbers. */
static void trip_numbers_print(const progress *l, char out[120])
{
    int k = ifd_hybrid_faulty(l->h);
    bool turns = k >= 0 && k < l->o->interfaces && l->o->interface[k].turns;
    const char *unit = unit_of_turn(trip_unit(ifd_trip_name(l->now_fault)), turns);
    *out = '\0';
    if (l->fault_limit != 0 && *unit && l->now_fault != IFD_TRIP_LATE && l->now_fault != IFD_TRIP_LOST)
        snprintf(out, 120, ", value %s, limit %s", quantity(l->fault_value, unit).text,
                 quantity(l->fault_limit, unit).text);
}

bool state_print(const progress *l, const start_rules *start, bool asked, char *out, size_t size)
{
    bool faulty = l->now_fault != IFD_TRIP_NONE && l->now_state != IFD_MACHINE_RUN;
    char place[300], text[300], numbers[120];
    const char *why;
    *out = '\0';
    switch (l->now_state) {
    case IFD_MACHINE_READY:
        if (start->automatic)
            break;
        snprintf(out, size, "held: ");
        places_print(l, true, out + strlen(out), size - strlen(out));
        text_add(out, size, "%s",
                 start->second && start->checks ? NEXT_LINE
                     "Answer the checklist, then type run; a second person confirms; or stop"
                 : start->second ? NEXT_LINE "Type run, then a second person types confirm NAME; or stop"
                 : start->checks ? NEXT_LINE "Answer the checklist, then type run to move; or stop"
                                 : NEXT_LINE "Type run to move, or stop");
        break;
    case IFD_MACHINE_HOLD:
        if (faulty)
            fault_print(l, out, size);
        else
            snprintf(out, size, "simulated time is stopped");
        if (asked)
            text_add(out, size, "%s",
                     !ifd_hybrid_may_resume(l->o)    ? NEXT_LINE "Type stop, park or trip"
                     : l->now_fault == IFD_TRIP_LATE ? NEXT_LINE "Type resume, stop or trip"
                                                     : NEXT_LINE "Type resume, stop, park or trip");
        break;
    case IFD_MACHINE_TRIPPED:
        why = ifd_hybrid_why(l->h);
        fault_place(l->h, ifd_hybrid_faulty(l->h), place, sizeof place);
        ifd_hybrid_fault_print(l->h, l->now_fault, text, sizeof text);
        trip_numbers_print(l, numbers);
        snprintf(out, size, "%s: %s%s%s%s%s%s%s", ifd_trip_name(l->now_fault), text, *place ? " (" : "",
                 *place ? place + 2 : "", *place ? ")" : "", numbers, why ? "; the rig reports: " : "",
                 why ? why : "");
        if (asked && start->waits)
            text_add(out, size, NEXT_LINE "Nothing starts by itself: reset, arm and run are new orders");
        break;
    default:
        if (faulty)
            fault_print(l, out, size);
        break;
    }
    return *out != '\0';
}
