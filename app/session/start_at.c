/* SPDX-License-Identifier: MIT */
/* Reads the instant of an agreed start and checks the clocks for it. */
#include "start_at.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timex.h>
#include <time.h>

static const int64_t SECOND = 1000000000;

static const char *wanted(const app *a, const ifd_case *c)
{
    return app_value(a, "--start-at") ? app_value(a, "--start-at") : c->day.start_at;
}

bool start_at_fits(app *a, const ifd_case *c)
{
    if (!wanted(a, c))
        return true;
    if (app_has(a, "--as-fast-as-possible"))
        return app_reject(a, "--as-fast-as-possible has no clock, and the test has a start instant");
    if (c->opensees)
        return app_reject(a, "another program leads this test: it cannot have a start instant");
    if (c->test->preload)
        return app_reject(a, "the duration of a preload is not known: expected 'preload: no' with a start instant");
    ifd_executor_options trial;
    ifd_start_facts facts;
    return start_at_choose(a, c, &trial, &facts); /* again just before the first tick */
}

static int64_t of_date(const char *text)
{
    struct tm date = {0};
    const char *end = strptime(text, "%Y-%m-%dT%H:%M:%S", &date);
    char *rest = NULL;
    double fraction = end && *end == '.' ? strtod(end, &rest) : 0.0;
    if (end && *end == '.')
        end = rest;
    if (!end || strcmp(end, "Z") != 0)
        return -1;
    return (int64_t)timegm(&date) * SECOND + (int64_t)(1e9 * fraction + 0.5);
}

int64_t start_at_read(app *a, const char *text, int64_t now, int64_t least)
{
    double every = 0.0;
    if (strncmp(text, "next:", 5) != 0)
        return of_date(text);
    if (ifd_quantity_read(text + 5, IFD_DIM_TIME, "next", &every, &a->note) != IFD_OK || !(every >= 1e-3))
        return -1;
    int64_t step = (int64_t)(1e9 * every + 0.5);
    return (now + least + step - 1) / step * step;
}

/* The clock of this machine, as its kernel estimates it: *error in s, *source for the record. */
static bool synchronised(double *error, const char **source)
{
    struct timex t = {0};
    int state = adjtimex(&t);
    bool good = state >= 0 && state != TIME_ERROR && !(t.status & STA_UNSYNC);
    double offset = (double)t.offset * (t.status & STA_NANO ? 1e-9 : 1e-6);
    *error = fmax(fabs(offset), 1e-6 * (double)t.esterror);
    *source = good ? "synchronised" : "realtime";
    return good;
}

static bool clock_fits(app *a, const ifd_case *c, ifd_start_facts *f)
{
    bool good = synchronised(&f->clock_error, &f->source);
    if (c->day.start_any_clock)
        return true;
    if (!good)
        return app_reject(a,
                          "the clock of this computer is not synchronised (chrony, linuxptp), as start-at requires; "
                          "'test: {start-clock: realtime}' permits any clock");
    if (f->clock_error > c->day.start_tolerance)
        return app_reject(a, "the error of the clock of this computer is %s, 'start-tolerance' permits %s",
                          quantity(f->clock_error, "s").text, quantity(c->day.start_tolerance, "s").text);
    return true;
}

static int64_t clock_ns(clockid_t which)
{
    struct timespec t;
    clock_gettime(which, &t);
    return (int64_t)t.tv_sec * SECOND + t.tv_nsec;
}

bool start_at_choose(app *a, const ifd_case *c, ifd_executor_options *clock, ifd_start_facts *facts)
{
    const char *text = wanted(a, c);
    const int64_t arming = 3 * SECOND;
    *facts = (ifd_start_facts){0};
    if (!text)
        return true;
    clock->lead = fmax(1.0, c->test->ramp_in + c->test->settle + 0.5);
    int64_t lead = (int64_t)(1e9 * clock->lead), utc = clock_ns(CLOCK_REALTIME), here = clock_ns(CLOCK_MONOTONIC);
    int64_t at = start_at_read(a, text, utc, lead + arming);
    if (at < 0)
        return app_reject(
            a, "start-at: '%s' is not an instant, expected one such as 2026-11-20T10:00:00Z or next:10s", text);
    if (at - lead < utc)
        return app_reject(a, "start-at: '%s' %s; the ramp-in begins %s before it", text,
                          at < utc ? "has passed" : "is too soon", quantity(clock->lead, "s").text);
    if (!clock_fits(a, c, facts))
        return false;
    facts->at = at;
    clock->start_at = here + (at - utc);
    return true;
}

void start_at_say(app *a, const ifd_start_facts *f, events *log)
{
    time_t at = (time_t)(f->at / SECOND);
    char text[40] = "";
    struct tm utc;
    if (!f->at || !gmtime_r(&at, &utc) || !strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc))
        return;
    app_say(a, "start", "t = 0 at %s · clock %s, error %s", text, f->source, quantity(f->clock_error, "s").text);
    events_say(log, "start instant %s, clock %s, estimated error %.3g s", text, f->source, f->clock_error);
}
