/* SPDX-License-Identifier: MIT */
/* The progress line of a hold, from records made here: a specimen without force, one near zero, one that relaxes.
 * The line goes to stderr. What progress.c needs of the program and the library, and what is not looked at here, is
 * replaced. */
#include "session/progress.c"
#include "terminal.c"
#include "working.c"

#include <assert.h>
#include <stdlib.h>

enum { TIME, STATE, RATE, FORCE, VALUES = FORCE + 2 };

int ifd_column_find(const ifd_column *column, int count, const char *owner, ifd_quantity quantity)
{
    (void)column;
    (void)count;
    return quantity == IFD_COLUMN_TEST_TIME         ? TIME
           : quantity == IFD_COLUMN_TEST_STATE      ? STATE
           : quantity == IFD_COLUMN_TEST_RATE       ? RATE
           : quantity == IFD_COLUMN_INTERFACE_FORCE ? FORCE + (owner[0] == 'b')
                                                    : -1;
}
const ifd_column *ifd_hybrid_columns(const ifd_hybrid *h, int *count)
{
    (void)h;
    *count = VALUES;
    return NULL;
}
double ifd_hybrid_period(const ifd_hybrid *h)
{
    (void)h;
    return 1e-3;
}
const char *ifd_machine_name(ifd_machine state)
{
    return state == IFD_MACHINE_HOLD ? "hold" : "other";
}
void ifd_executor_progress(const ifd_executor *e, ifd_executor_report *r)
{
    (void)e;
    *r = (ifd_executor_report){0};
}
readable quantity(double value, const char *unit)
{
    readable out;
    snprintf(out.text, sizeof out.text, "%g %s", value, unit);
    return out;
}

bool app_talks(const app *a)
{
    return a != NULL;
}
uint64_t clock_now(void)
{
    return 0;
}
wording case_model(const ifd_case *c)
{
    (void)c;
    return (wording){""};
}
char *ifd_arena_print(ifd_arena *arena, const char *format, ...)
{
    (void)arena;
    (void)format;
    return NULL;
}

static progress line;

/* A terminal five times a second, a log every ten seconds, and nothing where the program is quiet. */
static void check_times(void)
{
    const uint64_t s = UINT64_C(1000000000);
    app loud;
    status_line quiet = status_line_begin(NULL), made = status_line_begin(&loud);
    status_line log = {.log = true}, terminal = {.terminal = true};
    assert(!quiet.log && !quiet.terminal && made.log != made.terminal);
    assert(!status_line_due(&quiet, 100 * s));
    assert(!status_line_due(&log, 10 * s - 1) && status_line_due(&log, 10 * s) && !status_line_due(&log, 19 * s));
    assert(status_line_due(&log, 20 * s));
    assert(!status_line_due(&terminal, s / 5) && status_line_due(&terminal, s / 4) &&
           !status_line_due(&terminal, s / 3));
}

/* A record with the forces of a and b; simulated time rests on hold. */
static void record(ifd_machine state, double a, double b)
{
    double values[VALUES] = {[STATE] = state, [RATE] = state == IFD_MACHINE_HOLD ? 0 : 1, [FORCE] = a, b};
    ifd_tick_record r = {.values = values};
    progress_add(&line, &r);
}

/* NAME of the case: one line each; with a second word as in a log. */
int main(int count, char **word)
{
    const char *name = count > 1 ? word[1] : "";
    static ifd_interface_options interface[2];
    static ifd_hybrid_options o = {.interface = interface, .interfaces = 2, .end = 10};
    interface[0].name = "a";
    interface[1].name = "b";
    progress_init(&line, NULL, &o);
    if (strcmp(name, "no-force") == 0) { /* nothing has had a force */
        record(IFD_MACHINE_RUN, 0, 0);
        record(IFD_MACHINE_HOLD, 0, 0);
    } else if (strcmp(name, "one-without") == 0) { /* b has lost a twentieth */
        record(IFD_MACHINE_RUN, 0, 2000);
        record(IFD_MACHINE_HOLD, 0, 1000);
        record(IFD_MACHINE_HOLD, 0, 950);
    } else if (strcmp(name, "bounded") == 0) {
        o.hold_relaxation = 0.025;
        record(IFD_MACHINE_HOLD, 0, 1000);
        record(IFD_MACHINE_HOLD, 0, 980);
    } else if (strcmp(name, "from-zero") == 0) { /* a had no force and gains one */
        record(IFD_MACHINE_RUN, 4000, 2000);
        record(IFD_MACHINE_HOLD, 0, 1000);
        record(IFD_MACHINE_HOLD, 210, 950);
    } else if (strcmp(name, "loses-to-zero") == 0) {
        record(IFD_MACHINE_RUN, -4000, 2000);
        record(IFD_MACHINE_HOLD, -1, 1000);
        record(IFD_MACHINE_HOLD, -211, 950);
    } else { /* the noise of a force near zero is not the largest change */
        assert(strcmp(name, "noise") == 0);
        record(IFD_MACHINE_RUN, 4000, 2000);
        record(IFD_MACHINE_HOLD, 0.5, 1000);
        record(IFD_MACHINE_HOLD, 2, 950);
    }
    check_times();
    const status_line shown = {.terminal = count<3, .log = count> 2};
    progress_show(&line, NULL, &shown);
    return 0;
}
