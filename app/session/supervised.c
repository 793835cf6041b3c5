/* SPDX-License-Identifier: MIT */
/* Messages and end of a program whose tick does not return. */
#include "supervised.h"
#include "terminal.h"
#include "outcome.h"
#include "signals.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

const char not_executed[] = "not executed: the engine has stopped";

enum { TEXT = 800, RIGS = 16, NAME = 80, LINES = 8, LAST_WORDS = 300000000 /* ns */ };

/* A text that is composed without stdio and without memory of the heap. */
typedef struct words {
    char text[TEXT];
    size_t length;
} words;

/* One per process, as the atexit guard has no argument. */
static struct {
    /* Files and terminals can hang too: another thread writes what the supervisor composes, and the end of the
     * program does not wait for it. */
    pid_t voice; /* process that has this thread; 0: none */
    sem_t speak;
    words line[LINES];
    atomic_uint composed, spoken; /* lines */
    ifd_hang last;                /* at the end */
    bool closed;                  /* the session has ended its record */
    atomic_bool ends, said;       /* the last words: due, written */
    ifd_supervisor *s;
    int rigs;
    char rig[RIGS][NAME];
    bool terminal, json;
    pid_t process; /* of the guard; 0: foreign code may call exit() */
    bool guarded;
    /* The session: its engine (NULL: none), its turns, the processor time of its thread. */
    _Atomic(ifd_executor *) e;
    const ifd_recorder *recorder;
    clockid_t clock;
    atomic_uint turns;
    uint64_t done; /* this member and the next two: of the supervisor */
    int64_t worked;
    unsigned still;     /* wake-ups without progress after a signal */
    bool blocked;       /* at the end */
    events *log;        /* NULL: none */
    char summary[4096]; /* its path; "": none */
    atomic_uint told;   /* alarms told to the watching thread, ... */
    bool told_stopped;  /* and whether the last one was not over */
} me;

static void put_text(words *w, const char *text)
{
    while (*text && w->length < TEXT - 1)
        w->text[w->length++] = *text++;
    w->text[w->length] = '\0';
}

static void put_integer(words *w, uint64_t number)
{
    char digits[24];
    size_t at = sizeof digits - 1;
    digits[at] = '\0';
    do
        digits[--at] = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    put_text(w, digits + at);
}

/* With one or two decimals. */
static void put_number(words *w, double number, int decimals)
{
    uint64_t scale = decimals == 1 ? 10 : 100, whole = (uint64_t)(number * (double)scale + 0.5);
    put_integer(w, whole / scale);
    put_text(w, decimals == 2 && whole % scale < 10 ? ".0" : ".");
    put_integer(w, whole % scale);
}

/* %s: a text; %u: a uint64_t; %1, %2: a double with so many decimals. */
static void put(words *w, const char *format, ...)
{
    va_list rest;
    va_start(rest, format);
    for (; *format; format++)
        if (*format != '%')
            put_text(w, (const char[]){*format, '\0'});
        else if (*++format == 's')
            put_text(w, va_arg(rest, const char *));
        else if (*format == 'u')
            put_integer(w, va_arg(rest, uint64_t));
        else
            put_number(w, va_arg(rest, double), *format - '0');
    va_end(rest);
}

static bool ticks(const ifd_hang *h)
{
    return h->place != IFD_AT_OPEN && h->place != IFD_AT_WARM && h->place != IFD_AT_CLOSE;
}

/* "STOPPED: no tick for 0.06 s; last tick 119, in sense of rig 'lab'" */
static void put_stopped(words *w, const ifd_hang *h)
{
    put(w, "STOPPED: no %s for %2 s", ticks(h) ? "tick" : "answer", h->seconds);
    if (ticks(h))
        put(w, "; last tick %u", h->tick);
    put(w, ", in ");
    put(w, "%s", ifd_tick_place_name(h->place));
    if (h->place == IFD_AT_CLOSE && h->rig < 0)
        put(w, " of a substructure on a worker");
    if (h->rig >= 0 && h->rig < me.rigs)
        put(w, " of rig '%s'", me.rig[h->rig]);
}

static void put_goes_on(words *w, const ifd_hang *h)
{
    put(w, "continues after %2 s without %s", h->seconds, ticks(h) ? "a tick" : "an answer");
}

static ifd_supervised now(void)
{
    ifd_supervised out = {0};
    if (me.s)
        ifd_supervisor_now(me.s, &out);
    return out;
}

static void put_ended(words *w, const ifd_hang *h)
{
    bool hangs = now().stopped;
    put(w, "ended after %1 s%s; the watchdog of the rig stops it", hangs ? h->seconds : SIGNAL_ENDS_AFTER,
        !hangs     ? " from the second signal"
        : ticks(h) ? " without a tick"
                   : " without an answer");
}

/* A terminal or pipe that takes nothing must not stop the supervisor. */
static void write_to(int file, const char *text, size_t length)
{
    struct pollfd ready = {.fd = file, .events = POLLOUT};
    if (file >= 0 && poll(&ready, 1, 0) == 1 && (ready.revents & POLLOUT))
        (void)!write(file, text, length);
}

static void say(void *self, ifd_alarm what, const ifd_hang *h)
{
    unsigned number = atomic_load(&me.composed);
    words *w = &me.line[number % LINES];
    (void)self;
    if (number - atomic_load(&me.spoken) == LINES) /* nobody takes them */
        return;
    w->length = 0;
    put(w, "%s%s", me.terminal ? "\r\033[K" : "", what == IFD_ALARM_ENDS ? "hung     " : "engine   ");
    if (what == IFD_ALARM_STOPPED) {
        put_stopped(w, h);
        put(w, "\n         %s",
            h->tick || h->place == IFD_AT_CLOSE ? "Orders have no effect. Use the emergency stop. Ctrl-C ends now"
                                                : "It waits for the rig. No command was sent yet. Ctrl-C ends now");
    } else if (what == IFD_ALARM_GOES_ON)
        put_goes_on(w, h);
    else
        put_ended(w, h);
    put(w, "\n");
    atomic_store(&me.composed, number + 1);
    sem_post(&me.speak);
}

static void put_blocked(words *w, const char *between)
{
    put(w,
        "the record is incomplete: disk or terminal took nothing for %u s%sinterfield recover makes the result from "
        "what was written",
        (uint64_t)BLOCKED_ENDS_AFTER, between);
}

/* Names of rigs with characters that JSON escapes are left out. */
static void put_json(words *w, const ifd_hang *h)
{
    bool named = h->rig >= 0 && h->rig < me.rigs && !strpbrk(me.rig[h->rig], "\"\\");
    put(w, "{\"outcome\": \"%s\", \"outcome_reason\": \"",
        me.blocked ? outcome_word(OUTCOME_INCOMPLETE) : outcome_word(OUTCOME_HUNG));
    if (me.blocked) {
        put_blocked(w, "; ");
        put(w, "\"}\n");
        return;
    }
    put_ended(w, h);
    put(w, "\", \"hung\": {\"tick\": %u, \"place\": \"%s\", \"rig\": ", h->tick, ifd_tick_place_name(h->place));
    put(w, named ? "\"%s\", \"seconds\": " : "null, \"seconds\": ", named ? me.rig[h->rig] : "");
    put(w, "%2}}\n", h->seconds);
}

/* In place of a watching thread that could not. */
static void note_end(const ifd_hang *h)
{
    static words w;
    w.length = 0;
    put(&w, me.blocked ? "end: " : "engine ");
    if (me.blocked)
        put_blocked(&w, "; ");
    else
        put_stopped(&w, h);
    if (me.blocked || atomic_load(&me.told) != now().alarms)
        events_last_line(me.log, w.text);
    int file = *me.summary ? open(me.summary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666) : -1;
    w.length = 0;
    put_json(&w, h);
    write_to(file, w.text, w.length);
}

/* The object of --json is the only text on standard output: a command prints its own at its end, which it does not
 * reach. */
static void *speak(void *self)
{
    static words w;
    for (;; sem_wait(&me.speak)) {
        for (unsigned k = atomic_load(&me.spoken); k != atomic_load(&me.composed); atomic_store(&me.spoken, ++k))
            write_to(STDERR_FILENO, me.line[k % LINES].text, me.line[k % LINES].length);
        if (!atomic_load(&me.ends))
            continue;
        put_json(&w, &me.last);
        if (me.json)
            write_to(STDOUT_FILENO, w.text, w.length);
        if (!me.closed && me.log)
            note_end(&me.last);
        atomic_store(&me.said, true);
        return self;
    }
}

/* Once in a process. */
static bool voice_start(void)
{
    sigset_t all, before;
    pthread_t thread;
    if (me.voice == getpid())
        return true;
    if (sem_init(&me.speak, 0, 0) != 0)
        return false;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* the thread that watches handles signals */
    bool good = pthread_create(&thread, NULL, speak, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    me.voice = good ? getpid() : 0;
    return good && pthread_detach(thread) == 0;
}

/* _exit: no handler of any library, no call of the rig. */
_Noreturn static void leave(outcome o)
{
    atomic_store(&me.ends, true);
    sem_post(&me.speak);
    uint64_t since = clock_now();
    while (clock_now() - since < LAST_WORDS && !atomic_load(&me.said))
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    terminal_restore();
    _exit(outcome_exit(o));
}

static void end(void *self, const ifd_hang *h, bool closed)
{
    (void)self;
    me.last = *h;
    me.closed = closed;
    leave(OUTCOME_HUNG);
}

_Noreturn static void end_blocked(void)
{
    unsigned number = atomic_load(&me.composed);
    words *w = &me.line[number % LINES];
    w->length = 0;
    put(w, me.terminal ? "\r\033[Kended    " : "ended    ");
    put_blocked(w, "\n         ");
    put(w, "\n");
    atomic_store(&me.composed, number + 1);
    me.blocked = true;
    leave(OUTCOME_INCOMPLETE);
}

/* It writes, passes records, or computes: a thread that waits for a disk uses no processor time. */
static bool session_works(void)
{
    const int64_t least = 500000000; /* ns */
    struct timespec t = {0};
    (void)clock_gettime(me.clock, &t);
    int64_t worked = (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
    uint64_t done = atomic_load(&me.turns) + ifd_recorder_written(me.recorder);
    if (done == me.done && worked - me.worked < least)
        return false;
    me.done = done;
    me.worked = worked;
    return true;
}

/* Of a session that is blocked after a signal: nobody else gives the order that ends a tripped test. Elsewhere it has
 * no effect. */
static void heed_session(void)
{
    enum { SOON = 100, AGAIN = 10, LAST = 100 * BLOCKED_ENDS_AFTER }; /* wake-ups */
    ifd_executor *e = atomic_load(&me.e);
    if (!e || !(signals_count > 0 || signals_hung_up))
        return;
    me.still = session_works() ? 0 : me.still + 1;
    if (me.still >= LAST && ifd_executor_finished(e))
        end_blocked();
    if (me.still >= SOON && me.still % AGAIN == 0 && signals_count > 0)
        ifd_executor_order(e, IFD_ORDER_QUIT, IFD_SOURCE_SIGNAL);
}

static int asked(const void *self)
{
    (void)self;
    return (int)signals_count;
}

/* At every wake-up, so that a blocked terminal or disk does not delay it. */
static void heed_signals(void *self)
{
    (void)self;
    if (signals_trips)
        ifd_supervisor_end_within(me.s, SIGNAL_ENDS_AFTER);
    heed_session();
}

/* Of code in a rig, an FMU or a library; a child process has its own end. */
static void guard(void)
{
    static const char text[] = "engine   a library or plug-in called exit(): the test has ended without its end\n";
    if (me.process != getpid())
        return;
    write_to(STDERR_FILENO, text, sizeof text - 1);
    _exit(outcome_exit(OUTCOME_FAILED));
}

bool supervised_begin(app *a, supervised_rig rig, ifd_beat **out)
{
    ifd_supervisor_options o;
    ifd_supervisor_defaults(&o);
    o.print = say;
    o.end = end;
    o.wake = heed_signals;
    o.asked = asked;
    o.open_within = rig.o ? rig.o->arm_timeout : o.open_within;
    if (app_value(a, "--core") && !app_integer(a, "--core", -1, 4095, &o.core))
        return false;
    const ifd_several *all = rig.o ? ifd_several_of(rig.o->rig, rig.o->rig_setup) : NULL;
    me.rigs = all ? all->rigs : 1;
    for (int r = 0; r < me.rigs && r < RIGS; r++)
        snprintf(me.rig[r], NAME, "%s", all ? all->rig[r].name : rig.o ? rig.o->rig->name : rig.name);
    me.terminal = terminal_draws(stderr);
    me.json = a->json;
    me.log = NULL;
    if (!voice_start() || (!me.guarded && atexit(guard) != 0))
        return app_reject(a, "%s", ifd_status_text(IFD_NO_MEMORY));
    me.guarded = true;
    ifd_status status = ifd_supervisor_open(a->books, &o, &me.s, &a->note);
    if (status != IFD_OK) {
        app_fail(a, status);
        return false;
    }
    me.process = getpid();
    *out = ifd_supervisor_beat(me.s);
    return true;
}

void supervised_pace(double period, bool simulated, double timeout)
{
    ifd_supervisor_pace(me.s, period, simulated, timeout);
}

void supervised_record(events *log, const char *folder)
{
    snprintf(me.summary, sizeof me.summary, "%s/summary.json", folder);
    me.log = log;
}

void supervised_session(ifd_executor *e, const ifd_recorder *r)
{
    me.recorder = r;
    me.still = 0;
    if (pthread_getcpuclockid(pthread_self(), &me.clock) == 0)
        atomic_store(&me.e, e);
}

void supervised_alive(void)
{
    atomic_fetch_add(&me.turns, 1);
}

void supervised_end(void)
{
    atomic_store(&me.e, NULL);
    me.log = NULL;
    me.process = 0;
    ifd_supervisor_close(me.s);
}

bool supervised_news(char *text, size_t size)
{
    const ifd_supervised n = now();
    words w = {.length = 0};
    bool over = me.told_stopped && !n.stopped;
    if (n.alarms == atomic_load(&me.told) && !over)
        return false;
    me.told_stopped = n.stopped;
    atomic_store(&me.told, n.alarms);
    if (me.told_stopped)
        put_stopped(&w, &n.last);
    else
        put_goes_on(&w, &n.last);
    snprintf(text, size, "%s", w.text);
    return true;
}

bool supervised_stopped(void)
{
    return now().stopped;
}

void supervised_quit(void)
{
    if (me.s)
        ifd_supervisor_end(me.s);
}

bool supervised_hurries(void)
{
    return me.s && ifd_supervisor_hurries(me.s);
}

bool supervised_ends(void)
{
    return now().ending;
}

void supervised_wait_for_end(void)
{
    ifd_supervisor_closed(me.s);
    for (;;)
        pause();
}

static ifd_hung_facts facts_of(const ifd_hang *h)
{
    return (ifd_hung_facts){.tick = h->tick,
                            .place = ifd_tick_place_name(h->place),
                            .rig = h->rig >= 0 && h->rig < me.rigs ? me.rig[h->rig] : NULL,
                            .seconds = h->seconds};
}

const ifd_hung_facts *supervised_longest(ifd_hung_facts *out)
{
    const ifd_supervised n = now();
    *out = facts_of(&n.longest);
    return n.alarms ? out : NULL;
}

bool supervised_summary(ifd_arena *arena)
{
    const ifd_supervised n = now();
    const ifd_hung_facts h = facts_of(&n.last);
    words w = {.length = 0};
    ifd_json j;
    put_ended(&w, &n.last);
    ifd_json_init(&j, arena);
    ifd_json_object(&j, NULL);
    IFD_JSON_PUT(&j, IFD_JSON("outcome", outcome_word(OUTCOME_HUNG)), IFD_JSON("outcome_reason", w.text));
    IFD_JSON_OBJECT(&j, "hung", IFD_JSON("tick", (long)h.tick), IFD_JSON("place", h.place), IFD_JSON("rig", h.rig),
                    IFD_JSON("seconds", h.seconds));
    ifd_json_text(&j, "events_chain", me.log ? events_chain(me.log) : NULL);
    ifd_json_end(&j);
    const char *text = ifd_json_done(&j);
    FILE *file = text ? fopen(me.summary, "wx") : NULL;
    return file && fputs(text, file) >= 0 && fputc('\n', file) >= 0 && file_close(file);
}
