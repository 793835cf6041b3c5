/* SPDX-License-Identifier: MIT */
/* interfield serve: OpenSees computes the structure, a test follows it. */
#include "serving.h"

#include <string.h>
#include <time.h>

#include <interfield/opensees.h>

struct serving {
    app *a;
    ifd_arena *arena;
    ifd_opensees *server;
};

static void nap(long ns)
{
    nanosleep(&(struct timespec){.tv_nsec = ns}, NULL);
}

static bool fits(app *a, const ifd_case *c, bool serves)
{
    if (serves && !c->opensees)
        app_complain(a, "this case is computed here: it has no 'master' (interfield help opensees)");
    else if (!serves && c->opensees)
        app_complain(a, "the structure of this case is computed by OpenSees: interfield serve opensees %s",
                     a->word[0]);
    return serves == (c->opensees != NULL);
}

/* What came while the clients were waited for. */
static void say_news(const app *a, const ifd_opensees_report *r, ifd_opensees_report *last)
{
    if (r->connected > last->connected)
        app_say(a, "client", "%d connected", r->connected);
    if (r->refused > last->refused)
        app_say(a, "refused", "%s", r->last);
    *last = *r;
}

/* Some elements came and the others do not: nobody else would say so, for OpenSees waits without a word. */
static void say_missing(const app *a, const ifd_opensees_report *r, int elements)
{
    if (r->connected && r->connected < elements)
        app_say(a, "waits", "for element %d of %d: the script has sent fewer than the case names", r->connected + 1,
                elements);
}

static bool wait_for_clients(serving *s, int elements)
{
    enum { PATIENCE = 500 }; /* naps of 2 ms */
    ifd_opensees_report r, last = {0};
    ifd_opensees_look(s->server, &r);
    for (int still = 0; !r.ready && !r.lost && !r.ended; still++) {
        if (r.connected != last.connected)
            still = 0;
        if (still == PATIENCE)
            say_missing(s->a, &r, elements);
        say_news(s->a, &r, &last);
        fflush(stdout);
        nap(2000000);
        ifd_opensees_look(s->server, &r);
    }
    say_news(s->a, &r, &last);
    if (!r.ready)
        app_complain(s->a, "the script left before the test began: %s", r.last[0] ? r.last : "it said good-bye");
    return r.ready;
}

static ifd_status open_server(serving *s, const ifd_case *c, ifd_hybrid_options *t)
{
    app *a = s->a;
    ifd_opensees_options o = *c->opensees;
    o.udp = o.udp || app_has(a, "--udp");
    if (!app_integer(a, "--port", 0, 65535, &o.port))
        return IFD_RANGE;
    const ifd_remote_options r = {.dofs = o.dofs, .order = o.order, .paced = !app_has(a, "--as-fast-as-possible")};
    IFD_TRY(ifd_remote_make(a->arena, &r, &t->remote, &a->note));
    IFD_TRY(ifd_opensees_open(s->arena, &o, t->remote, &s->server, &a->note));
    app_say(a, "serves", "%s %s port %d · %d element%s, %d dof%s · waiting for OpenSees", o.udp ? "udp" : "tcp",
            o.host, ifd_opensees_port(s->server), o.elements, o.elements == 1 ? "" : "s", o.dofs,
            o.dofs == 1 ? "" : "s");
    fflush(stdout);
    return IFD_OK;
}

bool serving_begin(app *a, const ifd_case *c, ifd_hybrid_options *o, serving **out, int *exit_status)
{
    bool serves = strcmp(a->command->name, "serve") == 0;
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
    *s = (serving){.a = a, .arena = arena};
    *out = s;
    ifd_status status = open_server(s, c, o);
    if (status != IFD_OK) {
        *exit_status = app_fail(a, status);
        return false;
    }
    *exit_status = EXIT_RUN_FAILED;
    return wait_for_clients(s, c->opensees->elements);
}

static void say_served(const app *a, const ifd_opensees_report *r)
{
    char counts[400] = "";
    for (int i = 0; i < IFD_OPENSEES_CODES; i++) {
        size_t used = strlen(counts);
        if (r->count[i])
            snprintf(counts + used, sizeof counts - used, "%s%d: %lu", used ? ", " : "",
                     i == IFD_OPENSEES_CODES - 1 ? 99 : i, (unsigned long)r->count[i]);
    }
    char mean[40], most[40];
    quantity_print(mean, sizeof mean, r->answer_mean, "s");
    quantity_print(most, sizeof most, r->answer_max, "s");
    app_say(a, "served", "%lu targets, %lu steps · answers after %s, at most %s · %lu refused",
            (unsigned long)r->targets, (unsigned long)r->steps, mean, most, (unsigned long)r->refused);
    app_say(a, "messages", "%s", counts);
    if (r->lost)
        app_say(a, "lost", "%s", r->last);
}

void serving_end(serving *s, const volatile sig_atomic_t *interrupts, bool leave)
{
    if (!s)
        return;
    ifd_opensees_report r = {0};
    sig_atomic_t before = *interrupts;
    if (s->server) {
        ifd_opensees_give_up(s->server);
        ifd_opensees_look(s->server, &r);
        if (r.connected && !leave)
            app_say(s->a, "waits", "for the clients to leave, which get NaN for forces; Ctrl-C ends");
        while (r.connected && !leave && *interrupts == before) {
            nap(5000000);
            ifd_opensees_look(s->server, &r);
        }
        ifd_opensees_close(s->server);
        say_served(s->a, &r);
    }
    ifd_arena_close(s->arena);
}

int command_serve(app *a)
{
    if (a->words < 2 || strcmp(a->word[0], "opensees") != 0) {
        app_complain(a, "serve what? expected: interfield serve opensees CASE");
        return EXIT_BAD_INPUT;
    }
    a->word[0] = a->word[1];
    a->words = 1;
    return command_test(a);
}
