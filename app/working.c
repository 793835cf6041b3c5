/* SPDX-License-Identifier: MIT */
/* Shows name and time of a computation that reports no progress. */
#include "working.h"
#include "terminal.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

static void *show(void *what)
{
    working *w = what;
    struct timespec at;
    long seconds = 0;
    clock_gettime(CLOCK_MONOTONIC, &at);
    pthread_mutex_lock(&w->lock);
    w->waits = true;
    pthread_cond_signal(&w->change);
    while (!w->over) {
        at.tv_sec++;
        while (!w->over && pthread_cond_timedwait(&w->change, &w->lock, &at) != ETIMEDOUT)
            continue;
        seconds++;
        if (!w->over && status_line_due(&w->line, clock_now()))
            status_line_put(&w->line, "%s   %ld s", w->what, seconds);
    }
    pthread_mutex_unlock(&w->lock);
    if (seconds)
        status_line_end(&w->line);
    return NULL;
}

/* Signals are handled by the working thread. The new thread waits when this returns: work may make a process by fork,
 * which must not find it in the middle of an allocation. */
static bool start(working *w)
{
    sigset_t all, before;
    pthread_condattr_t clock;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->change, &clock);
    pthread_condattr_destroy(&clock);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool made = pthread_create(&w->thread, NULL, show, w) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    HOLD(&w->lock);
    while (made && !w->waits)
        pthread_cond_wait(&w->change, &w->lock);
    return made;
}

void working_begin(working *w, const app *a, const char *what)
{
    *w = (working){.what = what, .line = status_line_begin(a)};
    if (w->line.terminal || w->line.log)
        w->shown = start(w);
}

void working_set_up(working *w, const app *a, const ifd_case *c)
{
    const char *what = ifd_arena_print(a->arena, "set-up: %s", case_model(c).text);
    working_begin(w, a, what ? what : "set-up");
}

void working_end(working *w)
{
    if (!w->shown)
        return;
    pthread_mutex_lock(&w->lock);
    w->over = true;
    pthread_cond_signal(&w->change);
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->thread, NULL);
    pthread_cond_destroy(&w->change);
    pthread_mutex_destroy(&w->lock);
}

/* One line of progress on a terminal, or one in ten seconds in a log. */

enum { LINE = 1024 };
static const uint64_t ON_TERMINAL = UINT64_C(200000000), IN_LOG = UINT64_C(10000000000); /* ns between two lines */

status_line status_line_begin(const app *a)
{
    bool terminal = terminal_draws(stderr), talks = app_talks(a);
    return (status_line){.terminal = talks && terminal, .log = talks && !terminal, .shown = clock_now()};
}

bool status_line_due(status_line *l, uint64_t now)
{
    unsigned typed = terminal_edits();
    bool due =
        (l->terminal && (now - l->shown > ON_TERMINAL || typed != l->typed)) || (l->log && now - l->shown >= IN_LOG);
    l->shown = due ? now : l->shown;
    l->typed = typed;
    return due;
}

/* In one piece on the terminal. */
static void draw(const char *text)
{
    char typed[64], line[LINE + 128];
    terminal_line(typed, sizeof typed);
    int left = terminal_width(stderr) - 1 - (*typed ? terminal_columns(typed) + 5 : 0);
    size_t fits = terminal_fits(text, left > 0 ? left : 0), cut = fits;
    while (text[fits] && cut > 0 && strncmp(text + cut, "   ", 3) != 0)
        cut--;
    int n = snprintf(line, sizeof line, "\r%s%s%s%.*s\033[K", *typed ? "> " : "", typed, *typed ? "   " : "",
                     (int)(cut > 0 ? cut : fits), text);
    fwrite(line, 1, (size_t)n, stderr);
}

void status_line_put(const status_line *l, const char *format, ...)
{
    char text[LINE];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (l->terminal)
        draw(text);
    else
        fprintf(stderr, "progress %s\n", text);
}

void status_line_end(const status_line *l)
{
    if (l->terminal)
        fputs("\r\033[K", stderr);
}

readable status_line_bar(double share, int width)
{
    readable out = {""};
    for (int i = 0; i < width; i++)
        out.text[i] = i < share * width ? '#' : '-';
    return out;
}

/* What the first interrupt sets. */

volatile sig_atomic_t app_stop_asked;

static void ask_stop(int number)
{
    (void)number;
    app_stop_asked = 1;
}

void app_catch_interrupts(void)
{
    struct sigaction action = {.sa_handler = ask_stop, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGXFSZ, SIG_IGN); /* a file at its size limit is an error like a full disk */
}
