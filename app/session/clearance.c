/* SPDX-License-Identifier: MIT */
/* Checklist and second person before a motion, asked at the terminal. */
#include "clearance.h"

#include <ctype.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include <interfield/stop_chain.h>

struct clearance {
    pthread_mutex_t lock;
    ifd_executor *e;
    bool real, second;
    int lines;
    const char *const *line;
    const char **open;    /* what is refused while a line has no answer, for each line */
    const char **expired; /* the same of each channel whose calibration has ended */
    const ifd_channel_map *map;
    bool ready;   /* the list is asked */
    int terminal; /* line that the terminal was asked; -1: none */
    char name[CLEARANCE_LINES][CLEARANCE_NAME];
    bool done[CLEARANCE_LINES];
    char confirmed[CLEARANCE_NAME]; /* "": nobody */
};

static void leave(void *self)
{
    pthread_mutex_destroy(&((clearance *)self)->lock);
}

static bool texts_make(ifd_arena *arena, clearance *c)
{
    int rows = c->map ? c->map->rows : 0;
    c->open = ifd_arena_array(arena, (size_t)c->lines, sizeof *c->open);
    c->expired = ifd_arena_array(arena, (size_t)rows, sizeof *c->expired);
    bool good = c->open && c->expired;
    for (int i = 0; good && i < c->lines; i++)
        good = (c->open[i] = ifd_arena_print(arena, "the checklist is not complete, line %d of %d: %s", i + 1,
                                             c->lines, c->line[i])) != NULL;
    for (int i = 0; good && i < rows; i++)
        good = (c->expired[i] =
                    ifd_arena_print(arena, "the calibration of channel '%s' ended on %s", c->map->row[i].name,
                                    c->map->row[i].valid_until ? c->map->row[i].valid_until : "")) != NULL;
    return good;
}

clearance *clearance_make(ifd_arena *arena, const clearance_rules *rules)
{
    clearance *c = ifd_arena_take(arena, sizeof *c);
    if (!c || !ifd_arena_on_close(arena, leave, c))
        return NULL;
    pthread_mutex_init(&c->lock, NULL);
    c->terminal = -1;
    c->real = rules->real;
    if (!rules->real)
        return c;
    c->second = rules->scaled && rules->day->scale >= rules->day->second_person;
    c->lines = rules->day->checks < CLEARANCE_LINES ? rules->day->checks : CLEARANCE_LINES;
    c->line = rules->day->check;
    c->map = rules->map;
    return texts_make(arena, c) ? c : NULL;
}

static bool needed(const clearance *c)
{
    return c->lines > 0 || c->second;
}

static int next_of(const clearance *c)
{
    int k = 0;
    while (k < c->lines && c->done[k])
        k++;
    return k;
}

static bool complete(const clearance *c)
{
    return c->ready && next_of(c) == c->lines && (!c->second || *c->confirmed);
}

/* The tick takes a rising edge in the state ready. */
static void tell_tick(clearance *c)
{
    if (c->e)
        ifd_executor_close_gate(c->e, !needed(c)    ? 0
                                      : complete(c) ? IFD_GATE_CHECKS | IFD_GATE_CHECKED
                                                    : IFD_GATE_CHECKS);
}

void clearance_attach(clearance *c, ifd_executor *e)
{
    HOLD(&c->lock);
    c->e = e;
    tell_tick(c);
}

/* With the lock. */
static void clear(clearance *c)
{
    memset(c->done, 0, sizeof c->done);
    memset(c->name, 0, sizeof c->name);
    *c->confirmed = '\0';
}

void clearance_unconfirm(clearance *c)
{
    HOLD(&c->lock);
    *c->confirmed = '\0';
    tell_tick(c);
}

void clearance_begin(clearance *c)
{
    HOLD(&c->lock);
    clear(c);
    tell_tick(c);
}

void clearance_state(clearance *c, ifd_machine state)
{
    HOLD(&c->lock);
    bool ready = state == IFD_MACHINE_READY;
    if (ready != c->ready)
        clear(c);
    c->ready = ready;
    tell_tick(c);
}

const char *clearance_refuses(clearance *c, ifd_order order)
{
    const char *why = NULL;
    HOLD(&c->lock);
    if ((order == IFD_ORDER_ARM || order == IFD_ORDER_RETURN) && c->real) {
        const ifd_channel_row *ended = ifd_calibration_ended(c->map, (int64_t)time(NULL));
        why = ended ? c->expired[ended - c->map->row] : NULL;
    }
    if (order == IFD_ORDER_RUN && c->ready && needed(c) && !complete(c))
        why = next_of(c) < c->lines ? c->open[next_of(c)] : "a second person has not confirmed: confirm NAME";
    return why;
}

bool clearance_second(const clearance *c)
{
    return c->second;
}

bool clearance_waits(clearance *c)
{
    HOLD(&c->lock);
    return c->ready && c->second && !*c->confirmed && next_of(c) == c->lines;
}

int clearance_lines(const clearance *c, const char *const **line)
{
    *line = c->line;
    return c->lines;
}

bool clearance_asks(clearance *c, int *next)
{
    HOLD(&c->lock);
    *next = next_of(c);
    return c->ready && *next < c->lines;
}

void clearance_terminal(clearance *c, int k)
{
    HOLD(&c->lock);
    c->terminal = k;
}

const char *clearance_answer(clearance *c, int k, bool done, const char *name)
{
    const char *why = NULL;
    HOLD(&c->lock);
    if (!c->ready)
        why = "the checklist is asked after arm";
    else if (k < 0 || k >= c->lines)
        why = "the checklist has no such line";
    else {
        c->done[k] = done;
        snprintf(c->name[k], sizeof c->name[k], "%s", done ? name : "");
        if (!done)
            *c->confirmed = '\0'; /* it confirmed a complete list */
        tell_tick(c);
    }
    return why;
}

/* Whether two names are those of one person, without regard to case, blanks and dots. */
static bool clearance_same(const char *a, const char *b)
{
    for (;; a++, b++) {
        a += strspn(a, " .\t");
        b += strspn(b, " .\t");
        if (tolower((unsigned char)*a) != tolower((unsigned char)*b))
            return false;
        if (!*a)
            return true;
    }
}

const char *clearance_confirm(clearance *c, const char *name, const char *first)
{
    const char *why = NULL;
    HOLD(&c->lock);
    if (!c->second)
        why = "this test needs no second person";
    else if (!c->ready)
        why = "a second person confirms after arm";
    else if (next_of(c) < c->lines)
        why = c->open[next_of(c)];
    else if (clearance_same(name, ""))
        why = "the name of the second person is missing: confirm NAME";
    else if (!first)
        why = "nobody has control: take control, then confirm";
    else if (clearance_same(name, first))
        why = "a second person confirms, with another name than the one who has control";
    else {
        snprintf(c->confirmed, sizeof c->confirmed, "%s", name);
        tell_tick(c);
    }
    return why;
}

void clearance_json(clearance *c, char *out, size_t size)
{
    HOLD(&c->lock);
    snprintf(out, size, "{\"asked\":%s,\"terminal\":%d,\"done\":[", c->ready && needed(c) ? "true" : "false",
             c->terminal);
    for (int k = 0; k < c->lines; k++)
        text_add(out, size, c->done[k] ? "%s\"%s\"" : "%snull", k ? "," : "", c->name[k]);
    text_add(out, size, "],\"second\":%s,\"confirmed\":", c->second ? "true" : "false");
    text_add(out, size, *c->confirmed ? "\"%s\"}" : "null}", c->confirmed);
}

void clearance_print(const clearance *c, char *out, size_t size)
{
    if (!c->real)
        snprintf(out, size, "simulated rig: names, checklist and dates of calibration are not asked");
    else
        snprintf(out, size, "real rig: it moves by orders only; checklist of %d line%s%s", c->lines, plural(c->lines),
                 c->second ? ", and a second person" : "");
}
