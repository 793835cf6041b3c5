/* SPDX-License-Identifier: MIT */
/* The thread that reads orders from the terminal. */
#include "ears.h"
#include "supervised.h"
#include "terminal.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LINE = 1024, EDITED = 256, LOOK = 20, TURN = 2000, FIRST = 500 };
enum { NOT_ASKED = -1, ASKED = -2 }; /* instead of a line of the checklist; ASKED: its answer is being taken */
/* LOOK in ms; naps of 1 ms: TURN for the order before, FIRST for the first tick, where nothing is to be prepared. */

struct ears {
    control *c;
    pthread_t thread;
    atomic_bool leave, ended;
    atomic_int state, asks; /* asks: line of the checklist; -1: none */
    atomic_bool repeat;
    bool edits; /* typed letters come one by one */
    char line[LINE];
    size_t length;
};

ifd_order order_find(const char *name)
{
    for (int k = IFD_ORDER_NONE + 1; k < IFD_ORDER_COUNT; k++)
        if (strcmp(name, ifd_order_name((ifd_order)k)) == 0)
            return (ifd_order)k;
    return IFD_ORDER_NONE;
}

/* The words that have an effect in a state: "arm, stop, trip, quit". */
static void order_words(ifd_machine state, char *out, size_t size)
{
    *out = '\0';
    for (int k = IFD_ORDER_NONE + 1; k < IFD_ORDER_COUNT; k++)
        if (ifd_order_permitted(state, (ifd_order)k))
            text_add(out, size, "%s%s", *out ? ", " : "", ifd_order_name((ifd_order)k));
}

static void obey(ears *e, const char *word)
{
    static const giver terminal = {.number = GIVER_TERMINAL};
    ifd_order order = order_find(word);
    if (strcmp(word, "control") == 0) {
        if (!control_take(e->c, &terminal))
            control_note(e->c, "control", "the terminal has control already");
        return;
    }
    if (order == IFD_ORDER_NONE) {
        char words[GIVEN_TEXT];
        order_words((ifd_machine)atomic_load(&e->state), words, sizeof words);
        control_note(e->c, "orders", "'%.20s' is no order; in state %s: %s", word,
                     ifd_machine_name((ifd_machine)atomic_load(&e->state)), words);
        return;
    }
    if (order != IFD_ORDER_STOP && order != IFD_ORDER_TRIP && order != IFD_ORDER_OFF && order != IFD_ORDER_RAMP_OUT)
        for (int i = 0; i < TURN && !control_free(e->c) && !atomic_load(&e->leave); i++)
            nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL); /* each word of a line has a tick of its own */
    const char *why = control_order(e->c, order, &terminal);
    if (why)
        control_note(e->c, ifd_order_name(order), "%s%s", why == not_executed ? "" : "refused: ", why);
}

static void confirm(ears *e, const char *name)
{
    static const giver terminal = {.number = GIVER_TERMINAL};
    name += strspn(name, " \t\r");
    const char *why = control_confirm(e->c, name, &terminal);
    (void)why; /* it is printed and logged */
}

/* An answer to a line of the checklist. */
static void answer(ears *e, int k, char *line)
{
    static const char *const orders[] = {"stop", "trip", "quit", "off", "control"};
    static const giver terminal = {.number = GIVER_TERMINAL};
    line += strspn(line, " \t\r");
    for (size_t n = strlen(line); n > 0 && strchr(" \t\r", line[n - 1]); n--)
        line[n - 1] = '\0';
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
        if (strcmp(line, orders[i]) == 0) {
            obey(e, line);
            return;
        }
    atomic_store(&e->asks, ASKED); /* until the next question is printed */
    const char *why = control_check(e->c, k, *line == '\0', &terminal);
    if (why)
        control_note(e->c, "check", "%s", why);
    atomic_store(&e->repeat, *line != '\0' || why);
}

/* The next complete line, with its end replaced; false: there is none yet. */
static bool cut_line(ears *e, size_t used, bool last, size_t *length)
{
    char *end = memchr(e->line + used, '\n', e->length - used);
    *length = end ? (size_t)(end - e->line) - used : e->length - used;
    if (end)
        *end = '\0';
    return end || (last && *length > 0) || e->length >= LINE - 1;
}

/* Complete words only, except at the end. */
static void take(ears *e, bool last)
{
    size_t used = 0;
    e->line[e->length] = '\0';
    while (used < e->length) {
        size_t length;
        int asks = atomic_load(&e->asks);
        if (asks >= 0) {
            if (!cut_line(e, used, last, &length))
                break;
            answer(e, asks, e->line + used);
            used += length + 1;
            continue;
        }
        used += strspn(e->line + used, " \t\r\n");
        length = strcspn(e->line + used, " \t\r\n");
        if (length == 7 && strncmp(e->line + used, "confirm", 7) == 0) { /* a name has several words */
            if (!cut_line(e, used, last, &length))
                break;
            confirm(e, e->line + used + 7);
            used += length + 1;
            continue;
        }
        if (length == 0 || (!last && used + length == e->length && e->length < LINE - 1))
            break;
        bool cut = used + length < e->length;
        e->line[used + length] = '\0';
        obey(e, e->line + used);
        used += length + cut;
    }
    used = used < e->length ? used : e->length;
    memmove(e->line, e->line + used, e->length - used);
    e->length -= used;
}

bool ears_may_read(int patience)
{
    struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
    return poll(&in, 1, patience) > 0 && !(isatty(STDIN_FILENO) && tcgetpgrp(STDIN_FILENO) != getpgrp());
}

bool ears_forget(void)
{
    char typed[LINE];
    bool any = false;
    while (ears_may_read(0) && read(STDIN_FILENO, typed, sizeof typed) > 0)
        any = true;
    return any;
}

/* Reads what was typed, or a part of it; false: standard input has ended. */
static bool hear(ears *e)
{
    char typed[LINE - EDITED], lines[LINE];
    bool closed = false;
    size_t room = LINE - 1 - e->length;
    if (!e->edits) {
        ssize_t length = read(STDIN_FILENO, e->line + e->length, room);
        e->length += length > 0 ? (size_t)length : 0;
        return length > 0;
    }
    if (room <= EDITED) { /* words without an end */
        e->length = 0;
        room = LINE - 1;
    }
    ssize_t length = read(STDIN_FILENO, typed, room - EDITED);
    if (length <= 0)
        return false;
    size_t made = terminal_typed(typed, (size_t)length, lines, &closed);
    memcpy(e->line + e->length, lines, made);
    e->length += made;
    return !closed;
}

static void *listen(void *self)
{
    ears *e = self;
    for (int i = 0; i < FIRST && !control_has_begun(e->c) && !atomic_load(&e->leave); i++)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    while (!atomic_load(&e->leave)) {
        if (!ears_may_read(LOOK)) {
            nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
            continue;
        }
        if (!hear(e))
            break;
        take(e, false);
    }
    take(e, true);
    atomic_store(&e->ended, !atomic_load(&e->leave));
    return NULL;
}

ears *ears_open(const app *a, control *c)
{
    ears *e = ifd_arena_take(a->books, sizeof *e);
    sigset_t all, before;
    if (!e)
        return NULL;
    e->c = c;
    atomic_store(&e->asks, NOT_ASKED);
    e->edits = app_talks(a) && terminal_type();
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* the thread that watches handles signals */
    bool good = pthread_create(&e->thread, NULL, listen, e) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return good ? e : NULL;
}

void ears_ask(ears *e, int k)
{
    atomic_store(&e->asks, k);
}

bool ears_repeat(ears *e)
{
    return atomic_exchange(&e->repeat, false);
}

void ears_state(ears *e, ifd_machine state)
{
    atomic_store(&e->state, (int)state);
}

bool ears_ended(const ears *e)
{
    return atomic_load(&e->ended);
}

void ears_close(ears *e)
{
    if (!e)
        return;
    atomic_store(&e->leave, true);
    pthread_join(e->thread, NULL);
    terminal_restore();
}
