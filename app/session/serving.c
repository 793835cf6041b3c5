/* SPDX-License-Identifier: MIT */
/* What `interfield serve` adds to a test: clients, waits and refusals. */
#include "serving.h"

#include "outcome.h"
#include "signals.h"

#include <string.h>
#include <time.h>

struct serving {
    app *a;
    ifd_arena *arena;
    const ifd_case *c;
    ifd_remote *remote;
    ifd_opensees *server;
    ifd_opensees_report seen, last; /* seen: already printed; last: for readers */
    int still;                      /* naps since a client connected */
    bool stopped;                   /* by an order, before its end */
};

enum { PATIENCE = 500 }; /* naps of 2 ms */

/* s for which refused clients are still answered after the last other client has disconnected. */
static const double FAREWELL = 5.0;

static void nap(long ns)
{
    nanosleep(&(struct timespec){.tv_nsec = ns}, NULL);
}

static bool fits(app *a, const ifd_case *c, bool serves)
{
    if (serves && !c->opensees)
        app_complain(a, "this case has no 'master': interfield computes its structure (interfield help opensees)");
    else if (!serves && c->opensees)
        app_complain(a, "OpenSees computes the structure of this case: use interfield serve opensees %s", a->word[0]);
    return serves == (c->opensees != NULL);
}

/* Events while waiting for clients. */
static void say_news(serving *s, const ifd_opensees_report *r)
{
    if (r->connected > s->seen.connected)
        app_say(s->a, "client", "%d connected", r->connected);
    for (int i = 0; i < r->reasons; i++)
        if (r->times[i] && (i >= s->seen.reasons || r->times[i] > s->seen.times[i]))
            app_say(s->a, "refused", "%s", r->reason[i]);
    s->seen = *r;
}

/* Some elements have connected and the others do not: OpenSees waits without a message. */
static void say_missing(const app *a, const ifd_opensees_report *r, int elements)
{
    if (r->connected && r->connected < elements)
        app_say(a, "waits", "for element %d of %d; the script has fewer elements than the case", r->connected + 1,
                elements);
}

void serving_poll(serving *s)
{
    if (!s || !s->server)
        return;
    ifd_opensees_report_now(s->server, &s->last);
    if (s->last.connected == s->seen.connected)
        s->still++;
    else
        s->still = 0;
    if (s->still == PATIENCE && !s->last.ready)
        say_missing(s->a, &s->last, s->c->opensees->elements);
    if (s->last.refused == s->seen.refused && s->last.connected <= s->seen.connected)
        return;
    say_news(s, &s->last);
    fflush(stdout);
}

/* A script that disappears while a stop is under way is no cause of the end: Ctrl-C reaches both programs. */
static void report_now(const serving *s, ifd_opensees_report *r)
{
    ifd_opensees_report_now(s->server, r);
    if (!s->stopped || r->word != IFD_REMOTE_LOST)
        return;
    r->word = IFD_REMOTE_END;
    r->ended = true;
    r->lost = false;
    snprintf(r->why, sizeof r->why, "the test ended before the script");
}

const ifd_opensees_report *serving_report(serving *s, int stopped_in)
{
    if (!s || !s->server)
        return NULL;
    s->stopped = stopped_in == IFD_MACHINE_RAMP_IN || stopped_in == IFD_MACHINE_RUN || stopped_in == IFD_MACHINE_HOLD;
    report_now(s, &s->last);
    return &s->last;
}

/* Aborted before the test: still prints one object. */
static int give_up_waiting(app *a)
{
    app_complain(a, "aborted while waiting for OpenSees; the test did not start, and no record was written");
    if (!a->json)
        return outcome_exit(OUTCOME_ABORTED);
    ifd_json j = app_json(a);
    IFD_JSON_PUT(&j, IFD_JSON("outcome", outcome_word(OUTCOME_ABORTED)), IFD_JSON("error", a->complaint));
    return app_put_json(a, &j, outcome_exit(OUTCOME_ABORTED));
}

static bool wait_for_clients(serving *s, int *exit_status)
{
    int elements = s->c->opensees->elements;
    ifd_opensees_report r;
    ifd_opensees_report_now(s->server, &r);
    for (int still = 0; !r.ready && !r.lost && !r.ended && !signals_count && !signals_hung_up; still++) {
        if (r.connected != s->seen.connected)
            still = 0;
        if (still == PATIENCE)
            say_missing(s->a, &r, elements);
        say_news(s, &r);
        fflush(stdout);
        nap(2000000);
        ifd_opensees_report_now(s->server, &r);
    }
    say_news(s, &r);
    if (!r.ready && (signals_count || signals_hung_up))
        *exit_status = give_up_waiting(s->a);
    else if (!r.ready)
        app_complain(s->a, "the script disconnected before the test started: %s",
                     r.why[0] ? r.why : "it closed the connection");
    return r.ready;
}

static ifd_status open_server(serving *s)
{
    app *a = s->a;
    ifd_opensees_options o = *s->c->opensees;
    o.udp = o.udp || app_has(a, "--udp");
    o.end = app_has(a, "--until-close") ? 0.0 : o.end;
    if (!app_integer(a, "--port", 0, 65535, &o.port))
        return IFD_RANGE;
    IFD_TRY(ifd_opensees_open(s->arena, &o, s->remote, &s->server, &a->note));
    app_say(a, "serves", "%s %s port %d · %d element%s, %d dof%s · waiting for OpenSees", o.udp ? "udp" : "tcp",
            o.host, ifd_opensees_port(s->server), o.elements, plural(o.elements), o.dofs, plural(o.dofs));
    fflush(stdout);
    return IFD_OK;
}

bool serving_begin(app *a, const ifd_case *c, ifd_hybrid_options *o, serving **out, int *exit_status)
{
    bool serves = a->command == &command_serve;
    *exit_status = EXIT_BAD_INPUT;
    if (!fits(a, c, serves))
        return false;
    if (!serves)
        return true;
    serving *s = ifd_arena_take(a->arena, sizeof *s);
    ifd_arena *arena = ifd_arena_open();
    if (!s || !arena) {
        ifd_arena_close(arena);
        *exit_status = app_fail(a, IFD_NO_MEMORY);
        return false;
    }
    *s = (serving){.a = a, .arena = arena, .c = c};
    *out = s;
    const ifd_remote_options r = {.dofs = c->opensees->dofs,
                                  .order = c->opensees->order,
                                  .paced = !app_has(a, "--as-fast-as-possible"),
                                  .trials = c->opensees->trials};
    ifd_status status = ifd_remote_make(a->arena, &r, &s->remote, &a->note);
    o->remote = s->remote;
    *exit_status = status == IFD_OK ? EXIT_RUN_FAILED : app_fail(a, status);
    return status == IFD_OK;
}

bool serving_wait(serving *s, bool automatic, int *exit_status)
{
    if (!s)
        return true;
    ifd_status status = open_server(s);
    *exit_status = status == IFD_OK ? EXIT_RUN_FAILED : app_fail(s->a, status);
    bool waits = automatic || app_has(s->a, "--as-fast-as-possible");
    return status == IFD_OK && (!waits || wait_for_clients(s, exit_status));
}

static void say_served(const app *a, const ifd_opensees_report *r)
{
    char counts[400] = "";
    for (int i = 0; i < IFD_OPENSEES_CODES; i++)
        if (r->count[i])
            text_add(counts, sizeof counts, "%s%d: %lu", *counts ? ", " : "", i == IFD_OPENSEES_CODES - 1 ? 99 : i,
                     (unsigned long)r->count[i]);
    app_say(a, "served", "%lu targets, %lu steps · response time %s, at most %s · %lu refused",
            (unsigned long)r->targets, (unsigned long)r->steps, quantity(r->answer_mean, "s").text,
            quantity(r->answer_max, "s").text, (unsigned long)r->refused);
    app_say(a, "messages", "%s", counts);
    for (int i = 0; i < r->reasons; i++)
        app_say(a, "refused", "%s%s", r->reason[i],
                r->times[i] > 1 ? " (and other clients for the same reason)" : "");
    if (r->lost)
        app_say(a, r->word == IFD_REMOTE_LOST ? "lost" : "ended", "%s", r->why);
}

void serving_end(serving *s, bool leave)
{
    if (!s)
        return;
    ifd_opensees_report r = {0};
    sig_atomic_t before = signals_count;
    if (s->server) {
        ifd_opensees_give_up(s->server);
        report_now(s, &r);
        if ((r.connected || r.dismissed) && !leave)
            app_say(s->a, "waits", "until the clients disconnect; they receive NaN as forces; end with Ctrl-C");
        for (double alone = 0.0; !leave && signals_count == before && !signals_hung_up &&
                                 (r.connected || (r.dismissed && alone < FAREWELL));
             alone += r.connected ? 0.0 : 0.005) {
            nap(5000000);
            report_now(s, &r);
        }
        ifd_opensees_close(s->server);
        say_served(s->a, &r);
    }
    ifd_arena_close(s->arena);
}
