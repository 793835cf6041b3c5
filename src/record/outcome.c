/* SPDX-License-Identifier: MIT */
/* The outcome of a run or a test: a word for programs, and the reason for people. */
#include "record/result.h"

#include <math.h>

#include "hybrid/end_when.h"
#include "hybrid/hybrid.h"
#include "run/run.h"

typedef struct verdict {
    const char *word, *why;
} verdict;

static const char *print(const ifd_result *res, const char *format, const char *text)
{
    const char *all = ifd_arena_print(res->arena, format, text);
    return all ? all : "";
}

/* The last step may end a rounding error before the end. */
static bool complete(const ifd_result *res)
{
    if (res->test)
        return ifd_hybrid_complete(res->test);
    return res->facts->time >= res->c->run.end - 0.5 * res->c->run.step.h;
}

static verdict completed(const ifd_result *res)
{
    if (res->cautions)
        return (verdict){"completed with caution", res->caution[0]};
    return (verdict){"completed", res->c->unstable ? "the structure is unstable ('unstable: yes')" : ""};
}

/* By a criterion of the protocol. */
static verdict ended(const ifd_result *res)
{
    const ifd__test_facts *f = res->facts;
    char text[200];
    verdict v = completed(res);
    bool known = res->c->test && ifd__end_when_print(res->c->test, &f->trip, f->trip_time, text, sizeof text);
    if (!res->cautions)
        v.why = known ? print(res, "%s", text) : ifd_trip_text(f->trip.trip);
    return v;
}

static verdict not_written(const ifd_result *res)
{
    return (verdict){"failed", res->reason ? res->reason : "the result could not be written"};
}

static verdict of_lost_ticks(const ifd_result *res)
{
    const ifd_journal_end *e = res->facts->journal;
    uint64_t lost = e->dropped + e->bad;
    const char *why = ifd_arena_print(res->arena, "%llu tick%s executed, but cannot be read",
                                      (unsigned long long)lost, lost == 1 ? " was" : "s were");
    return (verdict){"incomplete", why ? why : ""};
}

static verdict of_test(const ifd_result *res, const ifd_timing *timing)
{
    const ifd__test_facts *f = res->facts;
    const char *fault = ifd_trip_text(f->trip.trip);
    if (f->journal && !f->journal->has_ending)
        return (verdict){"incomplete", IFD__REASON_CUT};
    if (f->state == IFD_MACHINE_TRIPPED)
        return (verdict){"tripped", fault};
    if (res->broken)
        return not_written(res);
    if (f->journal && (f->journal->dropped || f->journal->bad))
        return of_lost_ticks(res);
    if (f->trip.trip == IFD_TRIP_END_WHEN && f->state == IFD_MACHINE_STOPPED)
        return ended(res);
    if (complete(res))
        return completed(res);
    if (f->paused && !timing->interrupted)
        return (verdict){"parked", "it was parked on hold: the specimen stays loaded"};
    if (f->tripped.trip != IFD_TRIP_NONE) /* a reset, an unloading or a quit does not undo it */
        return (verdict){"tripped", ifd_trip_text(f->tripped.trip)};
    if (timing->interrupted)
        return (verdict){"aborted", "it was stopped before its end"};
    if (f->aborted_in >= 0 && f->trip.trip == IFD_TRIP_NONE)
        return (verdict){"aborted", print(res, "the operator stopped it before its end, in state %s",
                                          ifd_machine_name((ifd_machine)f->aborted_in))};
    return f->trip.trip != IFD_TRIP_NONE ? (verdict){"failed", fault} : (verdict){"incomplete", IFD__REASON_EARLY};
}

static verdict of_run(const ifd_result *res, const ifd_timing *timing)
{
    ifd_fault fault = ifd_run_fault(res->run).fault;
    if (fault != IFD_FAULT_NONE && fault != IFD_FAULT_ITERATIONS)
        return (verdict){"failed", ifd_fault_text(fault)};
    if (res->broken)
        return not_written(res);
    if (timing->interrupted)
        return (verdict){"aborted", "it was stopped before its end"};
    return ifd_run_step(res->run) < ifd_run_steps(res->run) ? (verdict){"incomplete", IFD__REASON_EARLY}
                                                            : completed(res);
}

static verdict judge(const ifd_result *res, const ifd_timing *timing)
{
    return res->facts ? of_test(res, timing) : of_run(res, timing);
}

const char *ifd__result_outcome(const ifd_result *res, const ifd_timing *timing)
{
    return judge(res, timing).word;
}

const char *ifd__result_reason(const ifd_result *res, const ifd_timing *timing)
{
    return judge(res, timing).why;
}

/* From the test itself, or from its records only. */
static void doubts_of_test(const ifd_result *res, ifd__doubts *d)
{
    const ifd__test_facts *f = res->facts;
    d->measured = true;
    d->late = res->report ? (double)res->report->late_ticks : 0.0;
    d->late_permitted = res->c->day.missed_deadlines;
    d->stale = res->c->test && res->c->test->elastic ? 0.0 : ifd__stale_fraction(res);
    d->stale_permitted = res->c->test ? res->c->test->stale_fraction : 1.0;
    d->empty = f->empty;
    d->empty_from = f->empty_from;
    d->unconverged = f->seen[IFD_TRIP_UNCONVERGED] > 0;
    d->fast = res->c->opensees && res->c->opensees->rate_dependent ? (double)f->seen[IFD_TRIP_MASTER_FAST] : 0.0;
    d->made = f->balanced ? ifd__energy_made(&f->energy) : 0.0;
    if (res->test)
        ifd__hybrid_doubts(res->test, d);
}

ifd_status ifd__result_judge(ifd_result *res)
{
    ifd__doubts d = {.unconverged_at = (double)NAN};
    char text[400];
    if (res->facts)
        doubts_of_test(res, &d);
    else
        ifd__run_doubts(res->run, &d);
    for (int k = 0; k < IFD__CAUTION_COUNT; k++) {
        if (!ifd__caution_print(&d, (ifd__caution)k, text, sizeof text))
            continue;
        IFD__HAVE(res->caution[res->cautions] = ifd_arena_print(res->arena, "%s", text));
        res->cautions++;
    }
    return IFD_OK;
}
