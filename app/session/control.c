/* SPDX-License-Identifier: MIT */
/* Who holds control, and the way of an order from its source to the tick and the log. */
#include "control.h"
#include "supervised.h"

#include <pthread.h>
#include <stdarg.h>
#include <string.h>

enum { ROWS = 256 };
static const uint64_t SECOND = 60000000000u; /* ns for which run waits for a second person */
static const uint64_t AWAY = 10000000000u;   /* ns without a sign of a browser, after which it has no control */

struct control {
    pthread_mutex_t lock;
    ifd_executor *e;
    bool began;
    giver terminal, holder;
    bool nobody;   /* has control */
    int streams;   /* open ones of the holder */
    uint64_t seen; /* ns, last sign of the holder */
    given row[ROWS];
    unsigned first, rows;
    unsigned lost; /* rows that did not fit */
    clearance *cleared;
    bool waits; /* a run of the holder, for a second person */
    uint64_t waits_since;
};

static void leave(void *self)
{
    pthread_mutex_destroy(&((control *)self)->lock);
}

/* Without characters that act in JSON, on a terminal or in a log. */
static void name_copy(char out[GIVER_TEXT], const char *name)
{
    size_t used = 0;
    for (; *name && used + 1 < GIVER_TEXT; name++)
        if ((unsigned char)*name >= ' ' && *name != 127 && *name != '"' && *name != '\\')
            out[used++] = *name;
    out[used] = '\0';
}

control *control_make(ifd_arena *arena, const char *terminal, clearance *cleared)
{
    control *c = ifd_arena_take(arena, sizeof *c);
    if (!c || !ifd_arena_on_close(arena, leave, c))
        return NULL;
    pthread_mutex_init(&c->lock, NULL);
    name_copy(c->terminal.name, terminal ? terminal : "");
    c->holder = c->terminal;
    c->cleared = cleared;
    return c;
}

clearance *control_clearance(control *c)
{
    return c->cleared;
}

IFD_PRINTF(4, 5) static void put(control *c, ifd_order order, const char *word, const char *format, ...)
{
    if (c->rows == ROWS) {
        c->lost++;
        return;
    }
    va_list rest;
    given *g = &c->row[(c->first + c->rows++) % ROWS];
    g->order = order;
    snprintf(g->word, sizeof g->word, "%s", word);
    va_start(rest, format);
    vsnprintf(g->text, sizeof g->text, format, rest);
    va_end(rest);
}

bool control_next(control *c, given *out)
{
    HOLD(&c->lock);
    bool any = c->rows > 0;
    if (any) {
        *out = c->row[c->first];
        c->first = (c->first + 1) % ROWS;
        c->rows--;
    } else if (c->lost) {
        *out = (given){.word = ""};
        snprintf(out->text, sizeof out->text, "%u orders were not logged", c->lost);
        c->lost = 0;
        any = true;
    }
    return any;
}

void control_note(control *c, const char *word, const char *format, ...)
{
    char text[GIVEN_TEXT];
    va_list rest;
    va_start(rest, format);
    vsnprintf(text, sizeof text, format, rest);
    va_end(rest);
    HOLD(&c->lock);
    put(c, IFD_ORDER_NONE, word, "%s", text);
}

void control_attach(control *c, ifd_executor *e)
{
    HOLD(&c->lock);
    c->e = e;
    clearance_attach(c->cleared, e);
}

void control_began(control *c)
{
    HOLD(&c->lock);
    c->began = true;
}

bool control_has_begun(control *c)
{
    HOLD(&c->lock);
    return c->began;
}

static void who_print(const giver *g, char *out, size_t size)
{
    snprintf(out, size, "%s%s%s%s%s", g->number == GIVER_TERMINAL ? "the terminal" : "the live page",
             *g->address ? ", " : "", g->address, *g->name ? ", " : "", g->name);
}

static bool holds(const control *c, uint32_t number)
{
    return !c->nobody && c->holder.number == number;
}

static bool ends(ifd_order order)
{
    return order == IFD_ORDER_STOP || order == IFD_ORDER_TRIP || order == IFD_ORDER_QUIT || order == IFD_ORDER_OFF;
}

/* Passes an order to the tick. Those that stop never wait for another one. */
static const char *pass(control *c, ifd_order order, uint32_t source)
{
    bool urgent =
        order == IFD_ORDER_STOP || order == IFD_ORDER_TRIP || order == IFD_ORDER_OFF || order == IFD_ORDER_RAMP_OUT;
    if (!c->e)
        return "no test is running";
    if (!c->began && !ends(order))
        return "the rig is not ready yet";
    if (supervised_stopped()) { /* a stop and a trip wait for a tick that returns; quit ends at once */
        if (order == IFD_ORDER_STOP || order == IFD_ORDER_TRIP)
            ifd_executor_order(c->e, order, source);
        if (order == IFD_ORDER_QUIT)
            supervised_quit();
        return not_executed;
    }
    if (urgent)
        ifd_executor_order(c->e, order, source);
    else if (!ifd_executor_try(c->e, order, source))
        return "another order came in the same tick. Give it again";
    return NULL;
}

/* A run whose checklist is complete waits for the second person. */
static bool begin_waiting(control *c, ifd_order order, const char *name)
{
    if (order != IFD_ORDER_RUN || !clearance_waits(c->cleared))
        return false;
    c->waits = true;
    c->waits_since = clock_now();
    put(c, IFD_ORDER_NONE, "run", "order run, from %s, waits 60 s for a second person: confirm NAME", name);
    return true;
}

static const char *give(control *c, ifd_order order, const giver *who)
{
    char name[2 * GIVER_TEXT + 20];
    const giver *g = who->number == GIVER_TERMINAL ? &c->terminal : who;
    bool holder = holds(c, g->number);
    who_print(holder ? &c->holder : g, name, sizeof name);
    if (holder)
        c->seen = clock_now();
    const char *why = NULL;
    if (!holder && order != IFD_ORDER_STOP && order != IFD_ORDER_TRIP)
        why = "only the holder of control may give this order; a viewer may stop and trip";
    else if (begin_waiting(c, order, name))
        return NULL;
    else if (!(why = clearance_refuses(c->cleared, order)))
        why = pass(c, order, holder ? (uint32_t)IFD_SOURCE_HOLDER : IFD_SOURCE_VIEWER + g->number);
    if (order == IFD_ORDER_ARM && !why)
        clearance_begin(c->cleared);
    if (holder || order == IFD_ORDER_STOP || order == IFD_ORDER_TRIP)
        c->waits = false;
    put(c, why ? IFD_ORDER_NONE : order, "", "order %s, from %s%s%s%s", ifd_order_name(order), name,
        holder || why ? "" : ", a viewer",
        !why                  ? ""
        : why == not_executed ? " "
                              : " refused: ",
        why ? why : "");
    return why;
}

const char *control_order(control *c, ifd_order order, const giver *who)
{
    HOLD(&c->lock);
    return give(c, order, who);
}

const char *control_check(control *c, int k, bool done, const giver *who)
{
    char name[2 * GIVER_TEXT + 20];
    const char *const *line, *why = "only the holder of control answers the checklist";
    int lines = clearance_lines(c->cleared, &line);
    HOLD(&c->lock);
    if (holds(c, who->number)) {
        c->seen = clock_now();
        c->waits = c->waits && done;
        who_print(&c->holder, name, sizeof name);
        why = clearance_answer(c->cleared, k, done, c->holder.name);
        if (!why)
            put(c, IFD_ORDER_NONE, "check", "%d of %d, %s: %s, from %s", k + 1, lines, line[k], done ? "done" : "no",
                name);
    }
    return why;
}

/* A run that nobody confirmed in time is forgotten, also if the thread that watches hangs. */
static void forget_late(control *c)
{
    if (!c->waits || clock_now() - c->waits_since <= SECOND)
        return;
    put(c, IFD_ORDER_NONE, "run", "order run refused: nobody confirmed within 60 s");
    c->waits = false;
}

const char *control_confirm(control *c, const char *name, const giver *who)
{
    char from[2 * GIVER_TEXT + 20];
    giver second = *who;
    HOLD(&c->lock);
    name_copy(second.name, name);
    forget_late(c);
    const char *why = clearance_confirm(c->cleared, second.name, c->nobody ? NULL : c->holder.name);
    who_print(&second, from, sizeof from);
    put(c, IFD_ORDER_NONE, "confirm", "second person, from %s%s%s", from, why ? " refused: " : "", why ? why : "");
    if (!why && c->waits) {
        const giver holder = c->holder;
        why = give(c, IFD_ORDER_RUN, &holder);
        if (why)
            put(c, IFD_ORDER_NONE, "run", "%s", why);
    }
    return why;
}

bool control_free(control *c)
{
    HOLD(&c->lock);
    return !c->e || ifd_executor_try(c->e, IFD_ORDER_NONE, 0);
}

void control_order_itself(control *c, ifd_order order, const char *why)
{
    HOLD(&c->lock);
    if (c->e) {
        ifd_executor_order(c->e, order, IFD_SOURCE_AUTOMATIC);
        put(c, order, "", "order %s, automatic: %s", ifd_order_name(order), why);
    }
}

static void give_to(control *c, const giver *g)
{
    char name[2 * GIVER_TEXT + 20] = "nobody";
    c->nobody = g == NULL;
    c->holder = g ? *g : c->holder;
    c->streams = 0;
    c->waits = false;
    clearance_unconfirm(c->cleared);
    c->seen = clock_now();
    if (g)
        who_print(g, name, sizeof name);
    put(c, IFD_ORDER_NONE, "control", "%s", name);
}

bool control_take(control *c, const giver *who)
{
    HOLD(&c->lock);
    bool before = holds(c, who->number);
    if (!before)
        give_to(c, who->number == GIVER_TERMINAL ? &c->terminal : who);
    return !before;
}

bool control_holds(control *c, uint32_t number)
{
    HOLD(&c->lock);
    return holds(c, number);
}

void control_holder(control *c, char *out, size_t size, uint32_t *number)
{
    HOLD(&c->lock);
    *number = c->nobody ? UINT32_MAX : c->holder.number;
    if (c->nobody)
        snprintf(out, size, "nobody");
    else
        who_print(&c->holder, out, size);
}

void control_seen(control *c, uint32_t number, bool stream)
{
    HOLD(&c->lock);
    if (holds(c, number)) {
        c->seen = clock_now();
        c->streams += stream;
    }
}

void control_left(control *c, uint32_t number)
{
    HOLD(&c->lock);
    if (holds(c, number)) {
        c->seen = clock_now();
        c->streams -= c->streams > 0;
    }
}

void control_poll(control *c, bool terminal, uint64_t now)
{
    HOLD(&c->lock);
    if (!c->nobody && c->holder.number != GIVER_TERMINAL && c->streams == 0 && now > c->seen && now - c->seen > AWAY)
        give_to(c, terminal ? &c->terminal : NULL);
}

void control_state(control *c, ifd_machine state)
{
    HOLD(&c->lock);
    clearance_state(c->cleared, state);
    forget_late(c);
    c->waits = c->waits && state == IFD_MACHINE_READY;
}

bool control_attended(control *c, bool terminal)
{
    HOLD(&c->lock);
    return !c->nobody && (c->holder.number != GIVER_TERMINAL || terminal);
}
