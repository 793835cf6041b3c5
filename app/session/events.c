/* SPDX-License-Identifier: MIT */
/* Writes events.log, one line for each event. */
#include "events.h"
#include "test_said.h"

#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <interfield/link.h>

bool events_open(events *e, const char *folder)
{
    char path[4096];
    memset(e, 0, sizeof *e);
    e->file = -1;
    if (snprintf(path, sizeof path, "%s/events.log", folder) < (int)sizeof path)
        e->file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
    return e->file >= 0;
}

static void stamp_print(char out[32], time_t whole)
{
    struct tm utc;
    gmtime_r(&whole, &utc);
    strftime(out, 32, "%Y-%m-%dT%H:%M:%S", &utc);
}

/* One call for each line: a killed program leaves whole lines. A line that could not be written does not count. */
static void put_line(events *e, size_t length)
{
    char mark[IFD_CHAIN_MARK + 1];
    ifd_events_chain next = e->chain;
    ifd_events_chain_add(&next, e->line, length, mark);
    memcpy(e->line + length, mark, IFD_CHAIN_MARK);
    e->line[length + IFD_CHAIN_MARK] = '\n';
    length += IFD_CHAIN_MARK + 1;
    if (write(e->file, e->line, length) == (ssize_t)length) {
        e->chain = next;
        e->bytes += (off_t)length;
    } else /* a full disk */
        (void)!ftruncate(e->file, e->bytes);
}

static void say(events *e, const char *format, va_list rest)
{
    const size_t most = sizeof e->line - IFD_CHAIN_MARK - 2;
    if (e->file < 0)
        return;
    struct timespec now;
    char stamp[32];
    clock_gettime(CLOCK_REALTIME, &now);
    stamp_print(stamp, now.tv_sec);
    while (atomic_exchange(&e->busy, true)) /* the last line is being written */
        sched_yield();
    int head = snprintf(e->line, most, "%s.%03ldZ  tick %lu  t %.6g s  ", stamp, now.tv_nsec / 1000000,
                        (unsigned long)e->tick, e->time);
    vsnprintf(e->line + head, most - (size_t)head, format, rest);
    for (char *p = e->line; *p; p++) /* a name or a note must not begin a line */
        if ((unsigned char)*p < ' ' || *p == 127)
            *p = ' ';
    put_line(e, strlen(e->line));
    atomic_store(&e->busy, false);
}

void events_last_line(events *e, const char *text)
{
    size_t length = strlen(text);
    if (e->file < 0)
        return;
    if (atomic_exchange(&e->busy, true)) { /* the last hash is not known: a line without an end does not count */
        (void)!write(e->file, text, length);
        return;
    }
    memcpy(e->line, text, length);
    put_line(e, length);
    atomic_store(&e->busy, false);
}

void events_say(events *e, const char *format, ...)
{
    va_list rest;
    va_start(rest, format);
    say(e, format, rest);
    va_end(rest);
}

/* Late ticks are summarised: one line per second with their number and lateness. */
static void note_late(events *e, const ifd_tick_record *r, bool flush)
{
    const double between = 1; /* s */
    bool late = r && r->trace && (r->trace->gate & IFD_GATE_LATE);
    e->late += late;
    if (late && r->late > e->worst)
        e->worst = r->late;
    if (e->late == e->said_late || (!flush && r->wall - e->late_told < between))
        return;
    long count = e->late - e->said_late;
    events_say(e, "late: %ld tick%s, by up to %.0f us", count, plural(count), 1e6 * e->worst);
    e->said_late = e->late;
    e->worst = 0;
    if (r)
        e->late_told = r->wall;
}

void fault_place(const ifd_hybrid *h, int owner, char *out, size_t size)
{
    const char *rig = ifd_hybrid_rig_name(h, owner), *name = ifd_hybrid_owner_name(h, owner);
    bool whole = rig && name && strcmp(rig, name) == 0;
    if (name && !whole)
        snprintf(out, size, ", %s '%s'%s%s%s", ifd_hybrid_owner_kind(h, owner), name, rig ? " of rig '" : "",
                 rig ? rig : "", rig ? "'" : "");
    else if (name)
        snprintf(out, size, ", rig '%s'", name);
    else
        *out = '\0';
}

void fault_print(const progress *shown, char *out, size_t size)
{
    const char *why = ifd_hybrid_why(shown->h);
    char where[300], text[300];
    ifd_hybrid_fault_print(shown->h, shown->now_fault, text, sizeof text);
    fault_place(shown->h, ifd_hybrid_faulty(shown->h), where, sizeof where);
    snprintf(out, size, "%s%s%s%s", text, where, why ? "; the rig reports: " : "", why ? why : "");
}

/* "; energy ratio 0.62, level 1; bearing: delay 1.2 ms, growth 1.1": what the monitor sees in this tick. */
static void seen_print(const progress *shown, const ifd_tick_record *r, char *out, size_t size)
{
    int count;
    const ifd_column *column = ifd_hybrid_columns(shown->h, &count);
    size_t used = 0;
    *out = 0;
    for (int i = 0; i < count && used < size; i++) {
        double value = r->values[i];
        if (column[i].quantity == IFD_COLUMN_LOOP_RATIO)
            used += (size_t)snprintf(out + used, size - used, "; energy ratio %.3g", value);
        else if (column[i].quantity == IFD_COLUMN_LOOP_LEVEL)
            used += (size_t)snprintf(out + used, size - used, ", level %.0f", value);
        else if (column[i].quantity == IFD_COLUMN_LOOP_DELAY)
            used += (size_t)snprintf(out + used, size - used, "; %s: delay %.3g ms", column[i].owner, 1e3 * value);
        else if (column[i].quantity == IFD_COLUMN_LOOP_GROWTH)
            used += (size_t)snprintf(out + used, size - used, ", growth %.3g", value);
        else if (column[i].quantity == IFD_COLUMN_LOOP_LEAD)
            used += (size_t)snprintf(out + used, size - used, ", lead %.3g ms", 1e3 * value);
        else if (column[i].quantity == IFD_COLUMN_LOOP_DAMPING_WORK)
            used += (size_t)snprintf(out + used, size - used, ", work of damping %.3g J", value);
    }
}

/* A value near its limit, and a force that does not fit an estimate, change no state either; in their first tick. */
static void say_noted(events *e, const ifd_tick_record *r, const progress *shown)
{
    static const ifd_trip notes[] = {IFD_TRIP_NEAR, IFD_TRIP_STIFFNESS};
    uint64_t now = r->trace ? r->trace->faults : 0, begins = now & ~e->noted;
    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++)
        if (begins >> notes[i] & 1 && shown->now_fault != notes[i])
            events_say(e, "note %s: %s", ifd_trip_name(notes[i]), ifd_trip_text(notes[i]));
    e->noted = now;
}

/* What the monitor of stability and updates have done without a change of the state. */
static void say_monitor(events *e, const ifd_tick_record *r, const progress *shown)
{
    static const ifd_trip notes[] = {IFD_TRIP_LOOP_CAUTION, IFD_TRIP_LOOP_SLOWED, IFD_TRIP_LOOP_RETUNED,
                                     IFD_TRIP_LOOP_DAMPED, IFD_TRIP_STIFFER};
    char seen[400] = "";
    for (size_t i = 0; r->trace && i < sizeof notes / sizeof *notes; i++)
        if (r->trace->faults >> notes[i] & 1) {
            if (notes[i] != IFD_TRIP_STIFFER)
                seen_print(shown, r, seen, sizeof seen);
            events_say(e, "note %s: %s%s", ifd_trip_name(notes[i]), ifd_trip_text(notes[i]),
                       notes[i] == IFD_TRIP_STIFFER ? "" : seen);
        }
}

/* The first message of each rig that was refused; summary.json has their numbers. */
static void say_refused(events *e, const ifd_hybrid *h)
{
    char text[200];
    const ifd_rig *rig;
    for (int r = 0; (rig = ifd_hybrid_rig(h, r)); r++) {
        uint32_t bit = (uint32_t)1 << r;
        if (e->refused & bit || !ifd_link_refusal_print(rig, text, sizeof text))
            continue;
        events_say(e, "a message of the rig '%s' was refused: %s", rig->ops->name, text);
        e->refused |= bit;
    }
}

void events_record(events *e, const ifd_tick_record *r, const progress *shown)
{
    e->tick = r->tick;
    e->time = shown->now_time;
    char text[600];
    if (!e->begun && r->start_utc > 0) {
        stamp_print(text, (time_t)(r->start_utc / 1000000000));
        events_say(e, "start: wall-clock time 0 is %s.%06ldZ", text, (long)(r->start_utc % 1000000000 / 1000));
    }
    if (e->wisher && r->order != IFD_ORDER_NONE && e->given[r->order] == 0)
        events_say(e, "order %s, from %s", ifd_order_name(r->order), e->wisher);
    e->given[r->order] = 0;
    if (!e->begun || shown->now_state != e->state)
        events_say(e, "state %s", ifd_machine_name(shown->now_state));
    if (shown->now_fault != e->fault && shown->now_fault != IFD_TRIP_NONE) {
        fault_print(shown, text, sizeof text);
        events_say(e, "fault %s: %s", ifd_trip_name(shown->now_fault), text);
    }
    say_monitor(e, r, shown);
    say_noted(e, r, shown);
    say_refused(e, shown->h);
    if (shown->now_state == IFD_MACHINE_IDLE &&
        (shown->now_wait != e->wait || shown->wait_owner != e->wait_owner || shown->now_state != e->state)) {
        waiting_print(text, sizeof text, shown);
        if (*text)
            events_say(e, "waiting: %s", text);
        e->wait = shown->now_wait;
        e->wait_owner = shown->wait_owner;
    }
    if (r->dropped)
        events_say(e, "%lu records lost before this one", (unsigned long)r->dropped);
    e->begun = true;
    e->state = shown->now_state;
    e->fault = shown->now_fault;
    note_late(e, r, false);
}

void events_given(events *e, ifd_order order, const char *format, ...)
{
    va_list rest;
    va_start(rest, format);
    say(e, format, rest);
    va_end(rest);
    e->given[order]++;
}

void events_late(events *e)
{
    note_late(e, NULL, true);
}

const char *events_chain(events *e)
{
    if (e->file < 0)
        return NULL;
    events_late(e);
    ifd_events_chain_print(&e->chain, e->chain_text);
    return e->chain_text;
}

void events_close(events *e)
{
    if (e->file < 0)
        return;
    events_late(e);
    (void)fsync(e->file); /* the journal does not contain texts of the operator */
    close(e->file);
    e->file = -1;
}
