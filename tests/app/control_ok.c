/* SPDX-License-Identifier: MIT */
/* Who may clear a test, with a clock of this file: control.c and clearance.c without their thread that watches, which
 * may hang. The gate is what the tick receives. */
#include "session/control.h"
#include "session/supervised.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const char not_executed[] = "not executed";
static uint64_t now = 1000000000u;
static uint32_t gate;
static ifd_order last;

uint64_t clock_now(void)
{
    return now;
}

bool supervised_stopped(void)
{
    return false;
}

void supervised_quit(void)
{
}

void ifd_executor_close_gate(ifd_executor *e, uint32_t is)
{
    (void)e;
    gate = is;
}

void ifd_executor_order(ifd_executor *e, ifd_order order, uint32_t source)
{
    (void)e, (void)source;
    last = order;
}

bool ifd_executor_try(ifd_executor *e, ifd_order order, uint32_t source)
{
    ifd_executor_order(e, order, source);
    return true;
}

void *ifd_arena_take(ifd_arena *a, size_t size)
{
    (void)a;
    return calloc(1, size);
}

void *ifd_arena_array(ifd_arena *a, size_t count, size_t size)
{
    (void)a;
    return calloc(count + 1, size);
}

bool ifd_arena_on_close(ifd_arena *a, void (*close)(void *), void *self)
{
    (void)a, (void)close, (void)self;
    return true;
}

char *ifd_arena_print(ifd_arena *a, const char *format, ...)
{
    (void)a;
    char *out = calloc(1, 200);
    va_list rest;
    va_start(rest, format);
    vsnprintf(out, 200, format, rest);
    va_end(rest);
    return out;
}

const char *ifd_order_name(ifd_order order)
{
    return order == IFD_ORDER_RUN ? "run" : "another";
}

const ifd_channel_row *ifd_calibration_ended(const ifd_channel_map *map, int64_t at)
{
    (void)map, (void)at;
    return NULL;
}

static void must(bool good, const char *what)
{
    if (good)
        return;
    printf("FAILED: %s\n", what);
    exit(1);
}

static const giver terminal = {.number = GIVER_TERMINAL}, b = {.number = 2, .name = "B. Jones"},
                   c = {.number = 3, .name = "C. Brown"};

/* Armed, in ready, with the first of two lines answered. */
static control *ready(void)
{
    static const char *lines[] = {"fence closed", "crane away"};
    static ifd_day day;
    day = (ifd_day){.check = lines, .checks = 2, .scale = 1.0, .second_person = 0.5};
    clearance_rules rules = {.day = &day, .real = true, .scaled = true};
    control *k = control_make(NULL, "A. Smith", clearance_make(NULL, &rules));
    control_attach(k, (ifd_executor *)&now);
    control_began(k);
    control_state(k, IFD_MACHINE_IDLE);
    must(!control_order(k, IFD_ORDER_ARM, &terminal), "arm");
    control_state(k, IFD_MACHINE_READY);
    must(!control_check(k, 0, true, &terminal), "the first line");
    last = IFD_ORDER_NONE;
    return k;
}

static bool cleared(void)
{
    return gate & IFD_GATE_CHECKED;
}

static void the_second_person_is_not_the_holder(void)
{
    control *k = ready();
    must(!control_check(k, 1, true, &terminal) && !control_confirm(k, "B. Jones", &b) && cleared(), "cleared by two");
    control_take(k, &b);
    must(!cleared(), "B confirmed and took control: one person cleared the test");
    must(control_confirm(k, "B. Jones", &b) != NULL && !cleared(), "the holder confirms");
    now += 11000000000u;
    control_poll(k, false, now);
    const char *why = control_confirm(k, "B. Jones", &b);
    must(why && strstr(why, "nobody has control") && !cleared(), "a confirmation while nobody has control");
    control_take(k, &c);
    must(!control_confirm(k, "B. Jones", &b) && cleared(), "another holder, a new confirmation");
}

static void old_boxes_do_not_count(void)
{
    control *k = ready();
    must(!control_order(k, IFD_ORDER_TRIP, &terminal) && !control_order(k, IFD_ORDER_RESET, &terminal), "reset");
    must(!control_order(k, IFD_ORDER_ARM, &terminal), "armed again, which the watching thread has not seen");
    must(!control_check(k, 1, true, &terminal), "the second line");
    must(control_confirm(k, "B. Jones", &b) != NULL && !cleared(), "a box of the last arming counted");
}

static void a_late_confirmation_does_not_run(void)
{
    for (int late = 0; late < 2; late++) {
        control *k = ready();
        must(!control_check(k, 1, true, &terminal), "the second line");
        must(!control_order(k, IFD_ORDER_RUN, &terminal) && last == IFD_ORDER_NONE, "run waits");
        now += 60000000000u + (unsigned)late;
        (void)control_confirm(k, "B. Jones", &b);
        must((last == IFD_ORDER_RUN) == !late, late ? "a late confirmation ran" : "60 s are in time");
    }
}

static void a_viewer_does_not_cancel(void)
{
    for (int stops = 0; stops < 2; stops++) {
        control *k = ready();
        must(!control_check(k, 1, true, &terminal) && !control_order(k, IFD_ORDER_RUN, &terminal), "run waits");
        bool refused = control_order(k, stops ? IFD_ORDER_STOP : IFD_ORDER_HOLD, &c) != NULL;
        must(refused == !stops, "a viewer stops and does not hold");
        (void)control_confirm(k, "B. Jones", &b);
        must((last == IFD_ORDER_RUN) == !stops, stops ? "a stop cancels" : "a refused order of a viewer cancelled");
    }
}

int main(void)
{
    the_second_person_is_not_the_holder();
    old_boxes_do_not_count();
    a_late_confirmation_does_not_run();
    a_viewer_does_not_cancel();
    return 0;
}
