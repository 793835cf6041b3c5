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
static uint32_t last_source;
static bool stopped, busy, quitted;  /* the engine; another order waits for the tick; quit after an alarm */
static const ifd_channel_row *ended; /* channel whose calibration has ended */

uint64_t clock_now(void)
{
    return now;
}

bool supervised_stopped(void)
{
    return stopped;
}

void supervised_quit(void)
{
    quitted = true;
}

void ifd_executor_close_gate(ifd_executor *e, uint32_t is)
{
    (void)e;
    gate = is;
}

void ifd_executor_order(ifd_executor *e, ifd_order order, uint32_t source)
{
    (void)e;
    last = order;
    last_source = source;
}

bool ifd_executor_try(ifd_executor *e, ifd_order order, uint32_t source)
{
    if (!busy && order)
        ifd_executor_order(e, order, source);
    return !busy;
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
    return ended;
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

static void a_refused_arm_keeps_the_boxes(void)
{
    control *k = ready();
    must(control_order(k, IFD_ORDER_ARM, &b) != NULL, "a viewer arms");
    must(!control_check(k, 1, true, &terminal) && !control_confirm(k, "B. Jones", &b) && cleared(),
         "the refused arm of a viewer took the answers of the holder away");
}

static const char *logged(control *k);

/* Also without a confirmation: the next state that is seen shows it. */
static void a_run_that_nobody_confirms_is_said(void)
{
    for (int late = 0; late < 2; late++) {
        bool said = false;
        control *k = ready();
        must(!control_check(k, 1, true, &terminal), "the second line");
        must(!control_order(k, IFD_ORDER_RUN, &terminal), "run waits");
        now += 60000000000u + (unsigned)late;
        control_state(k, IFD_MACHINE_READY);
        for (const char *line = logged(k); *line; line = logged(k))
            said = said || strcmp(line, "order run refused: nobody confirmed within 60 s") == 0;
        must(said == late, late ? "a run was forgotten without a word" : "a run was refused in time");
    }
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

/* The line that the log receives next; "": none. */
static const char *logged(control *k)
{
    static given g;
    return control_next(k, &g) ? g.text : "";
}

static ifd_channel_row cell = {.name = "cell", .valid_until = "2026-01-31"};

static control *begun(bool real)
{
    static ifd_day day;
    static const ifd_channel_map map = {.row = &cell, .rows = 1};
    day = (ifd_day){.scale = 0.4, .second_person = 0.5};
    clearance_rules rules = {.day = &day, .map = &map, .real = real, .scaled = true};
    control *k = control_make(NULL, "A. \"Smith\"\n", clearance_make(NULL, &rules));
    must(strstr(control_order(k, IFD_ORDER_STOP, &terminal), "no test"), "an order before the test");
    must(control_free(k), "nothing waits before the test");
    control_attach(k, (ifd_executor *)&now);
    must(gate == 0, "neither a list nor a second person below the scale");
    must(strstr(control_order(k, IFD_ORDER_ARM, &terminal), "not ready"), "arm before the rig is open");
    must(!control_has_begun(k), "not begun");
    for (int n = 0; n < 4; n++) {
        static const ifd_order ends[] = {IFD_ORDER_STOP, IFD_ORDER_TRIP, IFD_ORDER_OFF, IFD_ORDER_QUIT};
        must(!control_order(k, ends[n], &terminal) && last == ends[n], "an end before the rig is open");
    }
    control_began(k);
    must(control_has_begun(k), "begun");
    while (*logged(k))
        ;
    last = IFD_ORDER_NONE;
    return k;
}

static const ifd_order needs_control[] = {IFD_ORDER_ARM,     IFD_ORDER_RUN,  IFD_ORDER_HOLD,  IFD_ORDER_RESUME,
                                          IFD_ORDER_UNLOAD,  IFD_ORDER_PARK, IFD_ORDER_RESET, IFD_ORDER_RETURN,
                                          IFD_ORDER_QUIT,    IFD_ORDER_LOW,  IFD_ORDER_HIGH,  IFD_ORDER_OFF,
                                          IFD_ORDER_RAMP_OUT};

/* A hundred motion orders of each of three people: only those of the holder reach the tick. */
static void only_the_holder_gives_orders_of_motion(void)
{
    const giver *who[] = {&terminal, &b, &c};
    for (int holder = 0; holder < 3; holder++) {
        control *k = begun(true);
        must(control_take(k, who[holder]) == (holder > 0) && !control_take(k, who[holder]), "control is taken once");
        for (int n = 0; n < 300; n++) {
            ifd_order order = needs_control[n % (int)(sizeof needs_control / sizeof *needs_control)];
            last = IFD_ORDER_NONE;
            const char *why = control_order(k, order, who[n % 3]);
            must((why == NULL) == (n % 3 == holder) && (last == order) == (n % 3 == holder), "an order of motion");
            must(why || last_source == IFD_SOURCE_HOLDER, "the source of the holder");
        }
        for (int n = 0; n < 6; n++) {
            ifd_order order = n < 3 ? IFD_ORDER_STOP : IFD_ORDER_TRIP;
            must(!control_order(k, order, who[n % 3]) && last == order, "everybody stops and trips");
            bool viewer = n % 3 != holder;
            must(last_source == (viewer ? IFD_SOURCE_VIEWER + who[n % 3]->number : IFD_SOURCE_HOLDER), "its source");
        }
    }
}

/* Ten seconds after its last stream ended; the terminal has it then, or nobody. */
static void a_browser_that_is_gone_loses_control(void)
{
    for (int kind = 0; kind < 4; kind++) {
        bool there = kind % 2, streams = kind / 2;
        char who[400];
        uint32_t number;
        control *k = begun(true);
        must(control_take(k, &b) && strcmp(logged(k), "the live page, B. Jones") == 0, "taken, and logged");
        if (streams) {
            control_seen(k, 2, true);
            control_seen(k, 3, true); /* another browser: no sign of the holder */
            now += 3600000000000u;
            control_poll(k, there, now);
            must(control_holds(k, 2), "a browser that looks on keeps control");
            control_left(k, 3);
            control_left(k, 3);
            now += 3600000000000u;
            control_poll(k, there, now);
            must(control_holds(k, 2), "another browser left");
            control_left(k, 2);
        }
        now += 10000000000u;
        control_poll(k, there, now);
        must(control_holds(k, 2) && control_attended(k, false), "ten seconds");
        control_poll(k, there, now + 1);
        control_holder(k, who, sizeof who, &number);
        must(!control_holds(k, 2) && control_holds(k, GIVER_TERMINAL) == there, "more than ten seconds");
        must(strcmp(who, there ? "the terminal, A. Smith" : "nobody") == 0, who);
        must(number == (there ? GIVER_TERMINAL : UINT32_MAX), "its number");
        must(control_attended(k, true) == there && !control_attended(k, false), "who can answer");
        now += 100000000000u;
        control_poll(k, false, now);
        must(control_holds(k, GIVER_TERMINAL) == there, "a terminal does not lose it");
        must(there || strstr(control_order(k, IFD_ORDER_ARM, &terminal), "only the holder"), "nobody has control");
    }
}

/* An order is a sign of life. */
static void an_order_keeps_control(void)
{
    control *k = begun(true);
    control_take(k, &b);
    now += 9000000000u;
    must(!control_order(k, IFD_ORDER_HOLD, &b), "an order");
    control_poll(k, true, now + 9000000000u);
    must(control_holds(k, 2), "control after an order");
    now += 5000000000u;
    (void)control_order(k, IFD_ORDER_STOP, &c);
    control_poll(k, true, now + 6000000000u);
    must(!control_holds(k, 2), "the order of another one is no sign");
}

static void what_was_ordered_is_logged(void)
{
    control *k = begun(true);
    (void)control_order(k, IFD_ORDER_RUN, &terminal);
    must(strcmp(logged(k), "order run, from the terminal, A. Smith") == 0, "the holder");
    (void)control_order(k, IFD_ORDER_STOP, &b);
    must(strcmp(logged(k), "order another, from the live page, B. Jones, a viewer") == 0, "a viewer");
    (void)control_order(k, IFD_ORDER_RUN, &b);
    must(strncmp(logged(k), "order run, from the live page, B. Jones refused: only the holder", 60) == 0, "refused");
    stopped = true;
    must(control_order(k, IFD_ORDER_RUN, &terminal) == not_executed && !quitted, "a stopped engine");
    must(strcmp(logged(k), "order run, from the terminal, A. Smith not executed") == 0, "not executed");
    last = IFD_ORDER_NONE;
    must(control_order(k, IFD_ORDER_TRIP, &b) == not_executed && last == IFD_ORDER_TRIP, "a trip waits for the tick");
    must(control_order(k, IFD_ORDER_QUIT, &terminal) == not_executed && quitted, "quit ends a stopped engine");
    must(last == IFD_ORDER_TRIP, "nothing else waits for the tick");
    stopped = quitted = false;
    busy = true;
    must(control_order(k, IFD_ORDER_HOLD, &terminal) && !control_free(k), "two orders in a tick");
    must(!control_order(k, IFD_ORDER_STOP, &terminal) && !control_order(k, IFD_ORDER_OFF, &terminal) &&
             !control_order(k, IFD_ORDER_RAMP_OUT, &terminal),
         "a stop does not wait");
    busy = false;
    must(control_free(k), "one at a time");
    while (*logged(k))
        ;
    for (int n = 0; n < 300; n++)
        control_note(k, "note", "%d", n);
    for (int n = 0; n < 256; n++)
        must(atoi(logged(k)) == n, "in their order");
    must(strcmp(logged(k), "44 orders were not logged") == 0 && !*logged(k), "those that did not fit are counted");
    control_order_itself(k, IFD_ORDER_STOP, "the record cannot be written");
    must(last == IFD_ORDER_STOP && last_source == IFD_SOURCE_AUTOMATIC, "automatic");
    must(strcmp(logged(k), "order another, automatic: the record cannot be written") == 0, "automatic, logged");
}

static control *list(int lines, double scale, bool real)
{
    static const char *line[] = {"fence closed", "crane away"};
    static ifd_day day;
    day = (ifd_day){.check = line, .checks = lines, .scale = scale, .second_person = 0.5};
    clearance_rules rules = {.day = &day, .real = real, .scaled = true};
    control *k = control_make(NULL, "A. Smith", clearance_make(NULL, &rules));
    control_attach(k, (ifd_executor *)&now);
    control_began(k);
    last = IFD_ORDER_NONE;
    return k;
}

static bool refuses(const char *why, const char *text)
{
    return why && strstr(why, text);
}

/* A list without a second person, a second person without a list, from the scale on; neither on a simulated rig. */
static void a_list_and_a_second_person_are_asked_alone_too(void)
{
    control *k = list(2, 0.499, true);
    must(gate == IFD_GATE_CHECKS, "a list");
    must(refuses(control_check(k, 0, true, &terminal), "after arm"), "an answer before arm");
    control_state(k, IFD_MACHINE_READY);
    must(refuses(control_order(k, IFD_ORDER_RUN, &terminal), "line 1 of 2: fence closed"), "run before the list");
    must(refuses(control_check(k, 2, true, &terminal), "no such line"), "a third line");
    must(refuses(control_check(k, -1, true, &terminal), "no such line"), "a line before the first");
    must(refuses(control_check(k, 0, true, &b), "only the holder"), "a viewer answers");
    while (*logged(k))
        ;
    must(!control_check(k, 0, true, &terminal) && !cleared(), "the first line");
    must(strcmp(logged(k), "1 of 2, fence closed: done, from the terminal, A. Smith") == 0, "logged");
    must(refuses(control_order(k, IFD_ORDER_RUN, &terminal), "line 2 of 2: crane away"),
         "run before the second line");
    must(!control_check(k, 1, true, &terminal) && cleared(), "the list");
    must(refuses(control_confirm(k, "B. Jones", &b), "needs no second person"), "nobody has to confirm");
    control_state(k, IFD_MACHINE_READY);
    must(!control_order(k, IFD_ORDER_HOLD, &terminal) && cleared(), "another order changes no answer");
    must(!control_check(k, 0, false, &terminal) && !cleared(), "no longer done");
    must(!control_check(k, 0, true, &terminal) && cleared(), "done again");
    control_state(k, IFD_MACHINE_TRIPPED);
    must(!cleared(), "a trip clears the list");
    control_state(k, IFD_MACHINE_READY);
    must(!cleared() && control_order(k, IFD_ORDER_RUN, &terminal), "an old list");
    k = list(1, 0.499, true);
    control_state(k, IFD_MACHINE_READY);
    must(control_order(k, IFD_ORDER_RUN, &terminal) && gate == IFD_GATE_CHECKS, "a list of one line");
    k = list(1, 0.5, true);
    control_state(k, IFD_MACHINE_READY);
    must(!control_check(k, 0, true, &terminal) && !control_confirm(k, "B. Jones", &b) && cleared(), "both");
    must(!control_check(k, 0, true, &terminal) && cleared(), "the same answer");
    must(!control_check(k, 0, false, &terminal) && !control_check(k, 0, true, &terminal) && !cleared(),
         "a complete list was confirmed, not this one");
    k = list(0, 0.5, true);
    must(refuses(control_confirm(k, "B. Jones", &b), "after arm"), "a confirmation before arm");
    control_state(k, IFD_MACHINE_READY);
    must(refuses(control_confirm(k, " . ", &b), "is missing"), "a name of nothing");
    must(refuses(control_confirm(k, "a smith", &b), "another name"), "the same name");
    must(!control_confirm(k, "A. Jones", &b) && cleared() && last == IFD_ORDER_NONE, "a confirmation gives no order");
    must(!control_take(k, &terminal) && cleared(), "the holder keeps control, and the confirmation");
    must(!control_order(k, IFD_ORDER_RUN, &terminal) && last == IFD_ORDER_RUN, "run");
    k = list(2, 1.0, false);
    control_state(k, IFD_MACHINE_READY);
    must(gate == 0 && !control_order(k, IFD_ORDER_RUN, &terminal) && last == IFD_ORDER_RUN, "a simulated rig");
}

/* A run that waits for the second person ends with anything that changes in between. */
static void a_run_that_waits_is_forgotten(void)
{
    for (int how = 0; how < 4; how++) {
        control *k = list(1, 1.0, true);
        control_state(k, IFD_MACHINE_READY);
        must(!control_check(k, 0, true, &terminal) && !control_order(k, IFD_ORDER_RUN, &terminal), "run waits");
        control_state(k, IFD_MACHINE_READY);
        if (how == 1) {
            must(!control_check(k, 0, false, &terminal) && !control_check(k, 0, true, &terminal), "answered again");
        } else if (how == 2)
            control_take(k, &c);
        else if (how == 3) {
            control_state(k, IFD_MACHINE_TRIPPED);
            control_state(k, IFD_MACHINE_READY);
            must(!control_check(k, 0, true, &terminal), "the list of the next arming");
        }
        must(!control_confirm(k, "B. Jones", &b), "confirmed");
        must((last == IFD_ORDER_RUN) == (how == 0), "a run that was forgotten");
    }
}

static void an_old_calibration_refuses_arm_and_return(void)
{
    static const ifd_order orders[] = {IFD_ORDER_ARM, IFD_ORDER_RETURN, IFD_ORDER_RUN};
    for (int real = 0; real < 2; real++)
        for (int n = 0; n < 3; n++) {
            control *k = begun(real);
            ended = &cell;
            const char *why = control_order(k, orders[n], &terminal);
            ended = NULL;
            must((why != NULL) == (real && n < 2), "calibration");
            must(!why || strcmp(why, "the calibration of channel 'cell' ended on 2026-01-31") == 0, why);
        }
}

int main(void)
{
    only_the_holder_gives_orders_of_motion();
    a_browser_that_is_gone_loses_control();
    an_order_keeps_control();
    what_was_ordered_is_logged();
    a_list_and_a_second_person_are_asked_alone_too();
    a_run_that_waits_is_forgotten();
    an_old_calibration_refuses_arm_and_return();
    the_second_person_is_not_the_holder();
    old_boxes_do_not_count();
    a_late_confirmation_does_not_run();
    a_refused_arm_keeps_the_boxes();
    a_run_that_nobody_confirms_is_said();
    a_viewer_does_not_cancel();
    return 0;
}
