/* SPDX-License-Identifier: MIT */
/* interfield rig: the rig of a case in a separate process, for a test that reaches it by datagrams or shared
 * memory. */
#include "outcome.h"
#include "session/ears.h"
#include "session/rig_of_case.h"
#include "session/signals.h"
#include "session/supervised.h"

#include <math.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <interfield/rig_server.h>

typedef struct bench {
    app *a;
    const ifd_case *c;
    const ifd_rig_part *part; /* of several rigs; NULL: one */
    const ifd_rig_ops *rig;   /* of the case, and its parameters */
    const ifd_value *values;
    ifd_arena *arena; /* sealed while the rig is served */
    ifd_rig_server_options o;
    ifd_limits limits[IFD_RIG_ACTUATORS];
    ifd_rig_server *server;
    ifd_rig_server_report last;
    uint64_t said;  /* number of reported unknown clients */
    char typed[16]; /* the word that its operator is typing, and its length so far */
    size_t length;
    bool deaf; /* standard input has ended */
} bench;

/* Tick, actuators and their limits are those of the test. */
static ifd_status find_tick(bench *b)
{
    rig_of_case facts;
    ifd_status status = rig_of_case_find(b->a, b->c, &facts);
    if (b->part)
        rig_of_case_part(&facts, b->part);
    b->o.tick = facts.tick;
    b->o.actuators = facts.actuators;
    memcpy(b->limits, facts.limits, sizeof b->limits);
    return status;
}

static bool take_options(bench *b)
{
    app *a = b->a;
    ifd_rig_server_defaults(&b->o);
    if (b->rig == &ifd_udp_rig) { /* the address of the rig in the case */
        const char *key = ifd_param_get(b->rig->params, b->values, "key")->word;
        b->o.port = (int)ifd_param_get(b->rig->params, b->values, "port")->number;
        b->o.key = key && *key ? key : NULL;
    }
    if (b->rig == &ifd_shm_rig && !app_has(a, "--port"))
        b->o.shm = ifd_param_get(b->rig->params, b->values, "name")->word;
    if (app_has(a, "--shm"))
        b->o.shm = app_value(a, "--shm");
    if (app_has(a, "--host"))
        b->o.host = app_value(a, "--host");
    if (app_has(a, "--key"))
        b->o.key = app_value(a, "--key");
    b->o.insecure = app_has(a, "--insecure");
    if (app_has(a, "--port") && app_has(a, "--shm"))
        return app_reject(a, "--port and --shm exclude each other");
    return app_integer(a, "--port", 0, 65535, &b->o.port) &&
           app_number(a, "--watchdog", IFD_DIM_TIME, b->o.watchdog, &b->o.watchdog) &&
           app_integer(a, "--core", -1, 4095, &b->o.core) && app_integer(a, "--priority", 0, 99, &b->o.priority);
}

static void say_place(const bench *b)
{
    app_say(b->a, "rig", "%s%s%s · %d actuator%s · tick %s · watchdog %s", b->part ? b->part->name : "",
            b->part ? " · " : "", b->o.rig->name, b->o.actuators, plural(b->o.actuators),
            quantity(b->o.tick, "s").text, quantity(b->o.watchdog, "s").text);
    if (b->o.shm)
        app_say(b->a, "serves", "shm %s", b->o.shm);
    else
        app_say(b->a, "serves", "udp %s port %d%s", b->o.host, ifd_rig_server_port(b->server),
                b->o.key ? " · with key" : "");
}

static void say_outside(const bench *b)
{
    ifd_rig_server_report r;
    ifd_rig_server_report_now(b->server, &r);
    for (int k = 0; k < b->o.actuators; k++)
        if (r.position[k] < b->limits[k].low || r.position[k] > b->limits[k].high)
            app_say(b->a, "outside",
                    "actuator %d is at %s, outside its stroke; only the order return of a test moves it", k + 1,
                    quantity(r.position[k], "m").text);
}

static void say_changes(bench *b, const ifd_rig_server_report *r)
{
    if (r->clients > b->last.clients)
        app_say(b->a, "test", "connected%s%s", r->lockstep ? ", in lockstep" : "",
                ifd_rig_server_asks(b->server, r) ? "; it moves nothing until you type allow" : "");
    if (r->stops > b->last.stops)
        app_say(b->a, "stopped", "%s%s%s; braked to rest; commands are ignored until the test ends",
                ifd_rig_stop_text(r->stop), r->why ? ": " : "", r->why ? r->why : "");
    bool served = b->last.state != IFD_RIG_SERVER_FREE ||
                  r->clients > b->last.clients; /* also a client that connected and disconnected between polls */
    if (r->state == IFD_RIG_SERVER_FREE && served)
        app_say(b->a, "free", "%s · received %lu, lost %lu, damaged %lu · %lu ticks bridged, %lu commands reduced",
                ifd_rig_stop_text(r->stop), (unsigned long)r->link.heard, (unsigned long)r->link.lost,
                (unsigned long)r->link.damaged, (unsigned long)r->bridged, (unsigned long)r->governed);
    if (r->strangers && r->strangers >= 10 * b->said) { /* a greeting is repeated: the first, the tenth, ... are
                                                         * reported */
        b->said = r->strangers;
        app_say(b->a, "refused", "%s; %lu so far",
                b->o.key ? "a client without the key or with another key" : "a test with a key; this server has none",
                (unsigned long)r->strangers);
    } else if (r->refused - r->strangers > b->last.refused - b->last.strangers)
        app_say(b->a, "refused", "another test, or a test that does not match this rig");
    b->last = *r;
}

/* Consent to the connection that was printed last: a newer one has another number. */
static void obey(bench *b)
{
    if (strcmp(b->typed, "allow") != 0)
        app_say(b->a, "orders", "'%s' is no order here; allow lets a connected test move the rig, Ctrl-C ends",
                b->typed);
    else if (!ifd_rig_server_asks(b->server, &b->last))
        app_say(b->a, "allow", "refused: no test waits for it");
    else {
        ifd_rig_server_allow(b->server, &b->last);
        app_say(b->a, "allow", "the connected test may move this rig until it ends");
    }
}

/* Words of the operator of this server. */
static void listen(bench *b)
{
    char c;
    while (!b->deaf && ifd_rig_server_asks(b->server, NULL) && ears_may_read(0)) {
        b->deaf = read(STDIN_FILENO, &c, 1) != 1;
        bool ends = b->deaf || c == ' ' || c == '\t' || c == '\n' || c == '\r';
        if (!ends && b->length + 1 < sizeof b->typed)
            b->typed[b->length++] = c;
        if (!ends || b->length == 0)
            continue;
        b->typed[b->length] = '\0';
        b->length = 0;
        obey(b);
    }
    fflush(stdout);
}

static void watch(bench *b, double most)
{
    double end = 1e-9 * (double)clock_now() + most; /* s */
    bool once = app_has(b->a, "--once"), over = false;
    while (!signals_count && !signals_hung_up && !over && 1e-9 * (double)clock_now() < end) {
        ifd_rig_server_report r;
        ifd_rig_server_report_now(b->server, &r);
        listen(b); /* before the next connection is printed */
        say_changes(b, &r);
        over = once && r.clients > 0 && r.state == IFD_RIG_SERVER_FREE && r.rest;
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    }
}

static int put_report(bench *b, int exit_status)
{
    const ifd_rig_server_report *r = &b->last;
    ifd_json j = app_json(b->a);
    IFD_JSON_PUT(&j, IFD_JSON("rig", b->o.rig->name), IFD_JSON("stop", ifd_rig_stop_text(r->stop)),
                 IFD_JSON("fifo", r->fifo), IFD_JSON("ticks", (long)r->ticks), IFD_JSON("late", (long)r->late_ticks),
                 IFD_JSON("skipped", (long)r->skipped), IFD_JSON("tests", (long)r->clients),
                 IFD_JSON("refused", (long)r->refused), IFD_JSON("strangers", (long)r->strangers),
                 IFD_JSON("stops", (long)r->stops), IFD_JSON("bridged", (long)r->bridged),
                 IFD_JSON("governed", (long)r->governed));
    return app_put_json(b->a, &j, exit_status);
}

static int serve(bench *b, double most)
{
    app *a = b->a;
    signals_catch(0);
    if (!supervised_begin(a, (supervised_rig){NULL, b->part ? b->part->name : b->o.rig->name}, &b->o.beat))
        return EXIT_BAD_INPUT;
    supervised_pace(b->o.tick, ifd_rig_is_virtual(b->o.rig), 0);
    APP_TRY(a, ifd_rig_server_open(b->arena, &b->o, &b->server, &a->note));
    supervised_pace(b->o.tick, ifd_rig_server_simulated(b->server), 0); /* a rig declares it when it is open */
    say_place(b);
    say_outside(b);
    watch(b, most);
    ifd_rig_server_close(b->server);
    ifd_rig_server_report r;
    ifd_rig_server_report_now(b->server, &r);
    say_changes(b, &r);
    app_say(a, "done",
            "%s ticks, %lu late, %lu skipped · FIFO %s · %lu stop%s · %lu ticks bridged, %lu commands reduced",
            thousands((long)b->last.ticks).text, (unsigned long)b->last.late_ticks, (unsigned long)b->last.skipped,
            b->last.fifo ? "granted" : "refused", (unsigned long)b->last.stops, plural((long)b->last.stops),
            (unsigned long)b->last.bridged, (unsigned long)b->last.governed);
    int exit_status = b->last.stops ? EXIT_RUN_FAILED : EXIT_FINE;
    return a->json ? put_report(b, exit_status) : exit_status;
}

static int run_command(app *a)
{
    double most;
    bench *b = APP_ROOM(a, ifd_arena_take(a->arena, sizeof *b));
    const ifd_case *c = APP_CASE(a, case_read_test(a, ""));
    b->a = a;
    b->c = c;
    if (!rig_of_case_named(a, c, &b->part))
        return EXIT_BAD_INPUT;
    b->rig = b->part ? b->part->ops : c->test->rig;
    b->values = b->part ? b->part->values : c->test->rig_values;
    if (!take_options(b) || !app_number(a, "--for", IFD_DIM_TIME, (double)INFINITY, &most))
        return EXIT_BAD_INPUT;
    /* A plug-in is served; otherwise the virtual rig of the case. */
    bool own = b->rig == &ifd_virtual_rig || b->rig == &ifd_udp_rig || b->rig == &ifd_shm_rig;
    b->o.rig = own ? &ifd_virtual_rig : b->rig;
    b->o.setup = !own ? NULL : b->part ? b->part->twin : c->laboratory;
    b->o.values = own ? NULL : b->values;
    b->o.folder = c->test->folder;
    b->o.limits = b->limits;
    APP_TRY(a, find_tick(b));
    b->arena = APP_ROOM(a, ifd_arena_open());
    int exit_status = serve(b, most);
    ifd_arena_close(b->arena);
    supervised_end();
    return exit_status;
}

const command command_rig = {
    .name = "rig",
    .words = "CASE",
    .summary = "serve the rig of a case to a test in another process or computer",
    .details =
        "The test connects with rig: {udp: {port: N}} or rig: {shm: {name: NAME}} in its case, which may "
        "be the same file. The server has its own clock, applies its own limits and brakes to rest when "
        "commands stop. At another address than 127.0.0.1 a real rig moves after its operator has typed allow, here, "
        "for each connection.",
    .options = {{"--rig", "NAME", "of a case with several rigs, serve this one, with its specimens only"},
                {"--port", "N", "UDP port (default: that of the case, else any free port)"},
                {"--host", "ADDRESS", "network address (default 127.0.0.1: this computer only)"},
                {"--shm", "NAME", "use shared memory of this name instead of UDP"},
                {"--key", "FILE",
                 "key file, the same as that of the test; see `interfield key` (default: that of the case)"},
                {"--insecure", NULL, "serve a network without a key: every computer in the network can move the rig"},
                {"--watchdog", "T", "brake if no command arrives for this time, in s (default 0.1)"},
                {"--core", "N", "run the tick of the rig on this processor core (default: any)"},
                {"--priority", "P",
                 "real-time priority of the rig thread, 1 to 99; 0: ordinary scheduling (default 85)"},
                {"--for", "T", "end after this time, in s (default: end on Ctrl-C)"},
                {"--once", NULL, "end after the first test"},
                OPTION_SET},
    .examples = "interfield rig bridge/hybrid --port 9000 --once\n"
                "interfield rig several-rigs/rigs --rig annex",
    .see = "test key rigs.md security.md",
    .run = run_command,
    .code = CODE_RUN,
    .own_key = true,
    .outcomes = OUTCOME_BIT(HUNG),
    .failed = "the rig stopped because of a fault or lost communication",
};
