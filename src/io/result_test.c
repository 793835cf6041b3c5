/* SPDX-License-Identifier: MIT */
/* What the result of a hybrid test has that the result of a run has not: the clock's columns, the fault that acted, limits and
 * punctuality. */
#include "io/result.h"

#include <string.h>

static const ifd_channel clock_channels[] = {
    {"late", "s", "clock"}, /* how long after its time the tick began */
    {"duration", "s", "clock"},
    {"order", "", "clock"},
};
enum { CLOCK = sizeof clock_channels / sizeof *clock_channels };

static ifd_status channels_make(ifd_result *res)
{
    int own;
    const ifd_channel *channel = ifd_hybrid_channels(res->test, &own);
    res->channels = CLOCK + own;
    ifd_channel *all = ifd_arena_array(res->arena, (size_t)res->channels, sizeof *all);
    res->row = ifd_arena_array(res->arena, (size_t)res->channels, sizeof *res->row);
    if (!all || !res->row)
        return IFD_NO_MEMORY;
    memcpy(all, clock_channels, sizeof clock_channels);
    memcpy(all + CLOCK, channel, (size_t)own * sizeof *all);
    res->channel = all;
    return IFD_OK;
}

ifd_status ifd_result_open_test(ifd_arena *arena, const char *folder, const ifd_case *c, const ifd_hybrid *test,
                                ifd_result **out, ifd_note *note)
{
    ifd_result *res = ifd_arena_take(arena, sizeof *res);
    if (!res)
        return IFD_NO_MEMORY;
    res->arena = arena;
    res->c = c;
    res->test = test;
    IFD_TRY(channels_make(res));
    IFD_TRY(ifd__result_begin(res, folder, note));
    *out = res;
    return IFD_OK;
}

ifd_status ifd_result_append_record(ifd_result *res, const ifd_tick_record *record)
{
    uint64_t every = res->c->run.every > 1 ? (uint64_t)res->c->run.every : 1;
    res->skipped += record->skipped;
    if ((record->tick - 1) % every)
        return IFD_OK;
    res->row[0] = record->late;
    res->row[1] = record->duration;
    res->row[2] = (double)record->order;
    memcpy(res->row + CLOCK, record->values, (size_t)(res->channels - CLOCK) * sizeof *res->row);
    uint64_t instant = record->tick - 1 + res->skipped;
    return ifd__result_keep(res, (double)instant * ifd_hybrid_period(res->test), res->row);
}

ifd_status ifd_result_close_test(ifd_result *res, const ifd_executor_report *report, const ifd_timing *timing,
                                 ifd_note *note)
{
    res->report = report;
    ifd_status status = ifd_result_close(res, timing, note);
    res->report = NULL;
    return status;
}

/* The last step may end a rounding error before the end. */
static bool complete(const ifd_result *res)
{
    return ifd_hybrid_complete(res->test);
}

const char *ifd__test_outcome(const ifd_result *res, const ifd_timing *timing)
{
    if (ifd_hybrid_state(res->test) == IFD_MACHINE_TRIPPED)
        return "tripped";
    if (res->broken)
        return "not written";
    if (complete(res))
        return "done";
    if (timing->interrupted)
        return "interrupted";
    return ifd_hybrid_trip(res->test).trip != IFD_TRIP_NONE ? "fault" : "cut";
}

ifd__mishap ifd__test_mishap(const ifd_result *res)
{
    ifd_trip_facts f = ifd_hybrid_trip(res->test);
    if (f.trip == IFD_TRIP_NONE)
        return (ifd__mishap){0};
    return (ifd__mishap){.name = ifd_trip_name(f.trip),
                         .text = ifd_trip_text(f.trip),
                         .where = ifd_hybrid_channel_name(res->test, f.channel),
                         .step = f.tick,
                         .time = ifd_hybrid_time(res->test),
                         .value = f.value,
                         .limit = f.limit};
}

static void put_granted(ifd_json *j, const ifd_executor_report *r)
{
    ifd_json_object(j, "granted");
    ifd_json_flag(j, "fifo", r->fifo);
    ifd_json_flag(j, "deadline", r->deadline);
    ifd_json_flag(j, "locked", r->locked);
    ifd_json_flag(j, "pinned", r->pinned);
    ifd_json_flag(j, "isolated", r->isolated);
    ifd_json_flag(j, "awake", r->awake);
    ifd_json_end(j);
}

static void put_clock(ifd_json *j, const ifd_result *res)
{
    const ifd_executor_report *r = res->report;
    ifd_json_object(j, "clock");
    ifd_json_number(j, "period", ifd_hybrid_period(res->test));
    put_granted(j, r);
    ifd_json_integer(j, "late_ticks", r->late_ticks);
    ifd_json_integer(j, "skipped", r->skipped);
    ifd_json_integer(j, "dropped", r->dropped);
    ifd_json_integer(j, "page_faults", r->faults);
    ifd_json_integer(j, "preempted", r->preempted);
    ifd_json_number(j, "late_p50", r->late_p50);
    ifd_json_number(j, "late_p99", r->late_p99);
    ifd_json_number(j, "late_p999", r->late_p999);
    ifd_json_number(j, "late_max", r->late_max);
    ifd_json_end(j);
}

/* Every fault that was seen, also those that were only noted. */
static void put_seen(ifd_json *j, const ifd_result *res)
{
    ifd_json_object(j, "seen");
    for (int k = IFD_TRIP_NONE + 1; k < IFD_TRIP_COUNT; k++) {
        long count = ifd_hybrid_count(res->test, (ifd_trip)k);
        if (count)
            ifd_json_integer(j, ifd_trip_name((ifd_trip)k), count);
    }
    ifd_json_end(j);
}

static void put_rig(ifd_json *j, const ifd_result *res)
{
    ifd_json_object(j, "rig");
    for (int k = 0; k < ifd_hybrid_width(res->test); k++) {
        double peak[3];
        ifd_hybrid_peaks(res->test, k, peak);
        ifd_json_object(j, ifd_hybrid_channel_name(res->test, k));
        ifd_json_number(j, "tracking", peak[0]);
        ifd_json_number(j, "force", peak[1]);
        ifd_json_number(j, "command", peak[2]);
        ifd_tracking t = ifd_hybrid_tracking(res->test, k);
        ifd_json_number(j, "delay", t.delay);
        ifd_json_number(j, "amplitude", t.amplitude);
        ifd_json_number(j, "tracking_rms", t.rms);
        ifd_json_number(j, "tracking_peak", t.peak);
        ifd_json_number(j, "tracking_energy", t.energy);
        ifd_json_number(j, "work", t.work);
        ifd_json_end(j);
    }
    ifd_json_end(j);
}

static void put_text(ifd_json *j, const char *key, const char *text)
{
    ifd_json_text(j, key, text && *text ? text : NULL);
}

static void put_day(ifd_json *j, const ifd_day *d)
{
    put_text(j, "operator", d->by);
    put_text(j, "specimen_id", d->specimen);
    put_text(j, "notes", d->notes);
    ifd_json_number(j, "scale", d->scale);
    ifd_json_flag(j, "rehearsal", d->rehearsal);
    put_text(j, "continues", d->continues);
}

void ifd__test_summary(ifd_json *j, const ifd_result *res)
{
    put_day(j, &res->c->day);
    ifd_json_text(j, "state", ifd_machine_name(ifd_hybrid_state(res->test)));
    put_rig(j, res);
    put_seen(j, res);
    put_clock(j, res);
}
