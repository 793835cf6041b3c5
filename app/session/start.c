/* SPDX-License-Identifier: MIT */
/* Decides who starts the motion of a rig, when, by which clock and with which options, and prints it. */
#include "start.h"
#include "rig_of_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

/* Chooses the clock of a test: none, this machine, or its rig. */

/* A rig with a clock, which a free-running test would drive as fast as possible. */
static bool rig_has_clock(const ifd_rig_ops *rig, const ifd_value *values)
{
    if (ifd_rig_is_virtual(rig))
        return false;
    int i = ifd_param_find(rig->params, "lockstep");
    return i < 0 || values[i].number == 0;
}

/* Of several rigs the first with a clock, or the first in lockstep; NULL: none. */
static const ifd_rig_part *one_of(const ifd_several *s, bool clock)
{
    for (int r = 0; s && r < s->rigs; r++)
        if (!ifd_rig_is_virtual(s->rig[r].ops) && rig_has_clock(s->rig[r].ops, s->rig[r].values) == clock)
            return &s->rig[r];
    return NULL;
}

/* Whether a rig of the test has a clock of its own: neither virtual nor in lockstep. */
static bool test_clock_of_rig(const ifd_hybrid_options *o)
{
    const ifd_several *s = ifd_several_of(o->rig, o->rig_setup);
    return s ? one_of(s, true) != NULL : rig_has_clock(o->rig, o->rig_values);
}

/* In lockstep with another program a tick waits without limit. */
bool test_clock_fits(app *a, const ifd_hybrid_options *o)
{
    bool fast = app_has(a, "--as-fast-as-possible"),
         other = o->rig == &ifd_opensees_adapter_rig || o->rig == &ifd_openfresco_rig;
    const ifd_several *s = ifd_several_of(o->rig, o->rig_setup);
    const ifd_rig_part *part = one_of(s, fast);
    if (fast && test_clock_of_rig(o))
        app_complain(a, "rig '%s' has its own clock; --as-fast-as-possible needs a virtual rig or a rig in lockstep",
                     part ? part->name : o->rig->name);
    else if (part)
        app_complain(
            a, "rig '%s' in lockstep would make the other rigs wait; for a test in real time use 'lockstep: no'",
            part->name);
    else if (!fast && other && !test_clock_of_rig(o))
        app_complain(a,
                     "rig '%s' in lockstep needs --as-fast-as-possible; for a test in real time use 'lockstep: no'",
                     o->rig->name);
    else
        return true;
    return false;
}

static double timeout_of(const ifd_rig_ops *rig, const ifd_value *values)
{
    int i = values ? ifd_param_find(rig->params, "timeout") : -1;
    return i >= 0 ? values[i].number : 0;
}

double test_watched_period(const ifd_hybrid_options *o, double period)
{
    const ifd_several *s = ifd_several_of(o->rig, o->rig_setup);
    bool waits = s ? one_of(s, false) != NULL : !ifd_rig_is_virtual(o->rig) && !test_clock_of_rig(o);
    return waits ? 0.0 : period;
}

double test_lockstep_timeout(const ifd_hybrid_options *o)
{
    const ifd_several *s = ifd_several_of(o->rig, o->rig_setup);
    double most = timeout_of(o->rig, o->rig_values);
    for (int r = 0; s && r < s->rigs; r++)
        most = fmax(most, timeout_of(s->rig[r].ops, s->rig[r].values));
    return most;
}

bool test_clock_choose(app *a, double period, ifd_executor_options *clock, int *port)
{
    ifd_executor_defaults(clock);
    *port = -1;
    clock->period = app_has(a, "--as-fast-as-possible") ? 0 : period;
    clock->ring = 1024; /* two seconds, for a reader that its terminal delays; the recorder has a queue of its own */
    while (clock->ring < 1 << 16 && clock->ring * period < 2)
        clock->ring *= 2;
    clock->deadline = app_has(a, "--deadline");
    return app_integer(a, "--core", -1, 4095, &clock->core) &&
           app_integer(a, "--priority", 0, 99, &clock->priority) && app_integer(a, "--live", 0, 65535, port);
}

bool test_waits(const app *a, const ifd_case *c)
{
    return (isatty(STDIN_FILENO) || app_has(a, "--live")) && !app_has(a, "--exit-on-trip") &&
           !app_has(a, "--as-fast-as-possible") && !c->opensees;
}

bool start_named(app *a, bool real)
{
    const char *name = app_value(a, "--operator");
    if (!real || (name && *name))
        return true;
    return app_reject(a,
                      "a real rig needs the name of its operator: --operator NAME (the key 'operator' of a case is "
                      "not enough)");
}

bool start_choose(app *a, const ifd_hybrid_options *o, ifd_hybrid *h, start_rules *out)
{
    bool by_itself = o->rehearse || !test_clock_of_rig(o);
    *out = (start_rules){.real = !ifd_hybrid_simulated(h), .option = app_has(a, "--start")};
    if (out->option && out->real)
        return app_reject(a, "--start is for simulated rigs; this rig moves by orders of a person");
    if (out->option && app_has(a, "--orders"))
        return app_reject(a, "--start and --orders exclude each other");
    out->automatic = !out->real && (out->option || (by_itself && !app_has(a, "--orders")));
    out->waits = o->wait_tripped || (!out->automatic && !app_has(a, "--exit-on-trip"));
    ifd_hybrid_conduct(h, out->automatic, out->waits);
    return start_named(a, out->real);
}

/* "real rig: it moves by orders only" */
static const char *start_text(const app *a, const start_rules *s)
{
    if (s->real)
        return "real rig: it moves by orders only";
    if (s->option)
        return "simulated rig: started by --start";
    if (s->automatic)
        return "starts by itself (a real rig waits for arm and run)";
    return app_has(a, "--orders") ? "simulated rig: it waits for arm and run (--orders)"
                                  : "simulated rig: it waits for arm and run, or use --start";
}

void start_say_rig(const app *a, const start_rules *s, const ifd_hybrid_options *o, const ifd_hybrid *h)
{
    int actuators = ifd_hybrid_actuators(h);
    const char *how = start_text(a, s);
    bool first = s->automatic && !s->option;
    app_say(a, "rig", "%s%s%s · %d actuator%s%s · tick %s%s%s", o->rig->name, first ? " · " : "", first ? how : "",
            actuators, plural(actuators), o->drives ? ", with drives" : "", quantity(ifd_hybrid_period(h), "s").text,
            first ? "" : " · ", first ? "" : how);
}

void start_log(const start_rules *s, const clearance *cleared, events *log)
{
    if (s->option)
        events_say(log, "--start: arm and run are given once by the program");
    char text[200];
    clearance_print(cleared, text, sizeof text);
    events_say(log, "%s", text);
}

/* Reads the instant of an agreed start and checks the clocks for it. */

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

/* Reads "2026-11-20T10:00:00.5Z" or "next:10s". now: ns, UTC; least: ns, shortest preparation. -1: neither. */
static int64_t start_at_read(app *a, const char *text, int64_t now, int64_t least)
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

/* Options of one execution of a test: operator, notes, scale, rehearsal. */

bool day_before(app *a)
{
    double scale;
    if (!app_number(a, "--scale", IFD_DIM_NONE, 1, &scale))
        return false;
    if (!app_has(a, "--scale"))
        return true;
    const char *set = ifd_arena_print(a->arena, "test.scale=%s", app_value(a, "--scale"));
    if (!(scale > 0))
        return app_reject(a, "--scale: found '%s', expected a number above zero", app_value(a, "--scale"));
    if (!set || a->options == MOST_OPTIONS)
        return false;
    a->option[a->options] = "--set";
    a->value[a->options++] = set;
    return true;
}

/* Only one of several rigs takes part in a rehearsal; the others are replaced by their twins. */
static bool rehearse_one(app *a, const ifd_case *c, ifd_hybrid_options *o)
{
    const ifd_several *all = ifd_several_of(o->rig, o->rig_setup);
    const ifd_rig_part *one = NULL;
    if (!app_has(a, "--rig"))
        return true;
    if (!c->day.rehearsal)
        return app_reject(a, "--rig names the rig of a rehearsal: --rehearse is missing");
    if (!rig_of_case_named(a, c, &one))
        return false;
    ifd_several *set = ifd_arena_take(a->arena, sizeof *set);
    ifd_rig_part *part = ifd_arena_array(a->arena, (size_t)all->rigs, sizeof *part);
    if (!set || !part)
        return app_fail(a, IFD_NO_MEMORY) == EXIT_FINE;
    for (int r = 0; r < all->rigs; r++) {
        part[r] = all->rig[r];
        if (&all->rig[r] == one)
            continue;
        part[r].ops = &ifd_virtual_rig;
        part[r].values = NULL;
        part[r].setup = part[r].twin;
        part[r].leads = false;
    }
    *set = (ifd_several){.rigs = all->rigs, .rig = part};
    o->rig_setup = set;
    return true;
}

bool day_after(app *a, ifd_case *c, ifd_hybrid_options *o)
{
    if (app_has(a, "--operator"))
        c->day.by = app_value(a, "--operator");
    const char *given[MOST_OPTIONS], *notes = c->day.notes ? c->day.notes : "";
    int count = app_values(a, "--note", given);
    for (int i = 0; i < count && notes; i++) /* after those of the case, a line each */
        notes = ifd_arena_print(a->arena, "%s%s%s", notes, *notes ? "\n" : "", given[i]);
    c->day.notes = notes ? notes : "";
    c->day.rehearsal = app_has(a, "--rehearse");
    if (c->day.rehearsal)
        o->rehearse = c->laboratory;
    return rehearse_one(a, c, o);
}

static bool given(const char *text)
{
    return text && *text;
}

void day_say(app *a, const ifd_case *c, events *log)
{
    const ifd_day *d = &c->day;
    events_say(log, "case %s%s%s", c->path, given(d->by) ? ", operator " : "", given(d->by) ? d->by : "");
    if (given(d->specimen))
        events_say(log, "specimen %s", d->specimen);
    for (const char *p = d->notes; given(p); p += strcspn(p, "\n"), p += *p == '\n')
        events_say(log, "note: %.*s", (int)strcspn(p, "\n"), p);
    if (d->scale != 1) {
        app_say(a, "scale", "%g on motions, loads and initial state", d->scale);
        events_say(log, "scale %g", d->scale);
    }
    if (d->rehearsal) {
        app_say(a, "REHEARSAL", "actuators held; the simulated rig supplies the response");
        events_say(log, "REHEARSAL: actuators held; the simulated rig supplies the response");
    }
    if (d->continues)
        events_say(log, "continues from %s", d->continues);
}
