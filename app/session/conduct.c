/* SPDX-License-Identifier: MIT */
/* What the watching thread of a test does: prints states and answers, gives the orders of the program. */
#include "conduct.h"

#include "signals.h"

#include <string.h>
#include <unistd.h>

/* A line on the terminal. */
static void conduct_say(conduct *c, const char *label, const char *text)
{
    if (c->line)
        status_line_end(c->line);
    app_say(c->a, label, "%s", text);
}

bool conduct_open(conduct *c, ifd_executor *e)
{
    c->e = e;
    control_attach(c->control, e);
    signals_order(e);
    c->asked = -1;
    c->ears = ears_open(c->a, c->control);
    if (!c->ears)
        app_complain(c->a, "the thread that reads orders could not be started");
    return c->ears != NULL;
}

void conduct_close(conduct *c)
{
    signals_order(NULL);
    if (c->control)
        control_attach(c->control, NULL);
    ears_close(c->ears);
    c->ears = NULL;
}

void conduct_stop(conduct *c, const char *why)
{
    conduct_say(c, "stop", why);
    c->due = c->reason = why;
}

/* A person can answer: at the terminal or, if there is a page, there. */
static bool attended(conduct *c)
{
    return control_attended(c->control, !ears_ended(c->ears)) || (c->page && c->looks_on(c->page));
}

void conduct_asks(conduct *c)
{
    if (c->unanswered || attended(c))
        return;
    c->unanswered = true;
    conduct_stop(c, "the test waits on hold, and nobody can give an order");
}

/* Prints the effect of an order if it differs from its name. */
static void tell(conduct *c, ifd_order order, const char *text)
{
    const char *name = ifd_order_name(order);
    events_say(c->log, "order %s %s", name, text);
    if (app_talks(c->a))
        conduct_say(c, name, text);
    else
        app_complain(c->a, "%s %s", name, text);
}

/* Which order ends the test; a test that was resumed is not ended by the orders before. */
static void heed_end(conduct *c, const ifd_tick_record *r)
{
    bool refused = r->trace && ifd_answer_refuses((ifd_answer)r->trace->answer);
    if (c->shown->now_state == IFD_MACHINE_RUN) {
        c->stopped_in = 0;
        c->leaves = false;
    }
    if (c->shown->now_state == IFD_MACHINE_TRIPPED) /* it waits for reset or quit */
        c->leaves = false;
    if (refused || (r->order != IFD_ORDER_STOP && r->order != IFD_ORDER_PARK))
        return;
    c->leaves = c->leaves || c->before == IFD_MACHINE_RUN;
    if (r->order == IFD_ORDER_PARK || c->stopped_in > 0)
        return;
    c->stopped_in = 1 + (int)c->before;
    c->itself = r->source == IFD_SOURCE_AUTOMATIC ? c->reason : NULL;
}

/* "brace changed by -1200 N on hold, permitted are 480 N" */
static void about(const ifd_tick_trace *t, const ifd_hybrid_options *o, char *out, size_t size)
{
    out[0] = '\0';
    if (t->answer == IFD_ANSWER_RELAXED && t->answer_owner >= 0 && t->answer_owner < o->interfaces)
        snprintf(out, size, " (force of %s changed by %+.4g N, limit %.4g N: %g %% plus noise)",
                 o->interface[t->answer_owner].name, t->answer_value, t->answer_limit, 100 * o->hold_relaxation);
    if (t->answer == IFD_ANSWER_INTERLOCK && o->map && t->answer_owner >= 0 && t->answer_owner < o->map->rows) {
        const ifd_channel_row *row = &o->map->row[t->answer_owner];
        snprintf(out, size, ": '%s' is %.6g %s, permitted are %.6g to %.6g %s", row->name, t->answer_value, row->unit,
                 row->arm_low, row->arm_high, row->unit);
    }
}

/* The message about the order of a record of test o: "refused: ..."; false if it was executed without remark. */
static bool answer_print(const ifd_tick_record *r, const ifd_hybrid_options *o, char *out, size_t size)
{
    ifd_answer answer = r->trace ? (ifd_answer)r->trace->answer : IFD_ANSWER_NONE;
    char more[160] = "", text[400] = "";
    if (r->trace) {
        about(r->trace, o, more, sizeof more);
        ifd_answer_print(r->trace, text, sizeof text);
    }
    bool asks = answer == IFD_ANSWER_QUIT_FREES; /* the same order again is executed */
    snprintf(out, size, "%s%s%s", ifd_answer_refuses(answer) && !asks ? "refused: " : "", text, more);
    return answer != IFD_ANSWER_NONE;
}

/* After a trip the test ends by a signal, and if nobody can give an order. */
static bool ends_tripped(const conduct *c)
{
    bool alone = ears_ended(c->ears) && !c->page;
    return c->shown->now_state == IFD_MACHINE_TRIPPED && c->rules->waits &&
           (signals_count > 0 || alone || c->abandoned || (signals_hung_up && !c->page));
}

void conduct_add(conduct *c, const ifd_tick_record *r)
{
    char text[600];
    const progress *l = c->shown;
    if (!c->begun)
        control_began(c->control);
    c->begun = true;
    heed_end(c, r);
    bool needless = l->now_state == IFD_MACHINE_TRIPPED && r->trace && r->trace->answer_order == IFD_ORDER_STOP &&
                    ends_tripped(c); /* quit follows */
    if (answer_print(r, c->o, text, sizeof text) && !needless) {
        const char *missing = r->trace->answer == IFD_ANSWER_NOT_CHECKED
                                  ? clearance_refuses(control_clearance(c->control), IFD_ORDER_RUN)
                                  : NULL;
        char unready[400] = "";
        if (missing) /* the tick does not know the lines */
            snprintf(text, sizeof text, "refused: %s", missing);
        if (r->trace->answer == IFD_ANSWER_RIG_NOT_READY)
            waiting_print(unready, sizeof unready, l);
        if (*unready)
            snprintf(text, sizeof text, "refused: the rig is not ready: %s", unready);
        tell(c, (ifd_order)r->trace->answer_order, text);
    }
    if (l->now_state == IFD_MACHINE_STOPPED && c->before == IFD_MACHINE_HOLD) {
        bool server = strcmp(c->o->rig->name, "udp") == 0 || strcmp(c->o->rig->name, "shm") == 0;
        size_t used = (size_t)snprintf(text, sizeof text, "the specimen stays loaded: ");
        places_print(l, false, text + used, sizeof text - used);
        text_add(text, sizeof text, "%s", server ? ", held by the rig server" : "");
        conduct_say(c, "park", text);
    }
    c->before = l->now_state;
}

/* Orders of people, as they reached the tick. */
static void log_given(conduct *c)
{
    given g;
    while (control_next(c->control, &g)) {
        const char *about = strcmp(g.word, "control") == 0 ? "control: "
                            : strcmp(g.word, "check") == 0 ? "checklist "
                                                           : "";
        events_given(c->log, g.order, "%s%s", about, g.text);
        if (*g.word)
            conduct_say(c, g.word, g.text);
    }
}

/* Orders that were given and that no tick has received. */
static void tell_lost(conduct *c)
{
    uint32_t overtaken = 0, outdated = 0;
    if (c->e)
        ifd_executor_lost(c->e, &overtaken, &outdated);
    for (int k = IFD_ORDER_NONE + 1; k < IFD_ORDER_COUNT; k++) {
        if (overtaken >> k & 1 && !(k == IFD_ORDER_QUIT && ends_tripped(c))) /* it is given again */
            tell(c, (ifd_order)k, "refused: a more urgent order came in the same tick");
        if (outdated >> k & 1)
            tell(c, (ifd_order)k, "refused: the engine had stopped when it was given. Give it again");
    }
}

static void heed_signals(conduct *c)
{
    if (signals_count > c->signals) {
        ifd_order order = signals_trips > c->trips ? IFD_ORDER_TRIP : IFD_ORDER_STOP;
        c->signals = (int)signals_count;
        c->trips = (int)signals_trips;
        events_given(c->log, order, "order %s, from a signal (%s)", ifd_order_name(order),
                     signals_last == SIGTERM ? "SIGTERM" : "SIGINT");
    }
    if (signals_hung_up && !c->hung_up) {
        c->hung_up = true;
        c->reason = "the terminal is lost (SIGHUP)";
        events_given(c->log, IFD_ORDER_STOP, "order stop, automatic: the terminal is lost (SIGHUP)");
    }
}

static void end_tripped(conduct *c, uint64_t now)
{
    const uint64_t again = 100000000; /* ns: refused as long as something moves */
    if (now - c->quit < again || !ends_tripped(c))
        return;
    if (signals_count > 0 && c->quit == 0)
        tell(c, IFD_ORDER_QUIT, "by a signal: the test is tripped and ends when nothing moves");
    c->quit = now;
    ifd_executor_order(c->e, IFD_ORDER_QUIT, signals_count ? IFD_SOURCE_SIGNAL : IFD_SOURCE_AUTOMATIC);
}

/* The kernel closes its end of standard input or, if a child keeps a copy of that end, assigns another parent to this
 * process. */
static void heed_starter(conduct *c)
{
    bool gone = getppid() != c->starter;
    if (!c->attached || c->abandoned || !(gone || ears_ended(c->ears)))
        return;
    c->abandoned = true;
    conduct_stop(c, gone ? "the program that started the test has ended" : "standard input has ended");
}

/* Nobody can order arm. What was typed before the end of standard input has its answer by then. */
static void heed_absence(conduct *c, uint64_t now)
{
    const uint64_t enough = 2000000000; /* ns */
    bool alone = c->begun && !c->rules->automatic && !c->page && ears_ended(c->ears) &&
                 c->shown->now_state == IFD_MACHINE_IDLE;
    c->alone = !alone ? 0 : c->alone ? c->alone : now;
    if (!alone || now - c->alone < enough || c->unanswered)
        return;
    c->unanswered = true;
    conduct_stop(c, "the test waits for arm, and nobody can give an order: standard input has ended");
}

/* The line of the checklist that the terminal is to answer, once. */
static void ask(conduct *c)
{
    clearance *cleared = control_clearance(c->control);
    const char *const *line;
    int next, lines = clearance_lines(cleared, &line);
    char text[400];
    bool asks = clearance_asks(cleared, &next) && control_holds(c->control, GIVER_TERMINAL);
    if (!asks)
        next = -1;
    if (next == c->asked && !ears_repeat(c->ears))
        return;
    bool over = c->asked >= 0 && next < 0 && c->shown->now_state == IFD_MACHINE_READY &&
                control_holds(c->control, GIVER_TERMINAL);
    c->asked = next;
    if (next >= 0) {
        snprintf(text, sizeof text, "%d of %d: %s? Enter: done", next + 1, lines, line[next]);
        conduct_say(c, "check", text);
    } else if (over)
        conduct_say(c, "check",
                    clearance_waits(cleared) ? "complete. A second person is still needed\n         Type run, then "
                                               "confirm NAME within 60 s; or stop"
                                             : "complete. Type run to move, or stop");
    ears_ask(c->ears, next);
    clearance_terminal(cleared, next);
}

static void say_state(conduct *c, uint64_t now)
{
    const progress *l = c->shown;
    char text[1200];
    if (!c->begun && waiting_cold(&c->waits, c->h, now, text, sizeof text)) {
        conduct_say(c, "waiting", text);
        events_say(c->log, "waiting %s", text);
    }
    if (waiting_due(&c->waits, l, c->o, now, text, sizeof text))
        conduct_say(c, l->now_wait == IFD_WAIT_ORDER ? "idle" : "waiting", text);
    if (l->now_state == c->told)
        return;
    c->told = l->now_state;
    ears_state(c->ears, l->now_state);
    if (state_print(l, c->rules, signals_count == 0 && !c->leaves && attended(c), text, sizeof text))
        conduct_say(c, ifd_machine_name(l->now_state), text);
    else if (c->line && c->line->terminal)
        conduct_say(c, "state", ifd_machine_name(l->now_state));
}

/* The order that the start button has given in this tick. */
static void heed_button(conduct *c, const ifd_tick_record *r)
{
    bool pressed = r->trace && (r->trace->measure.inputs & IFD_INPUT_START), rises = pressed && !c->button;
    c->button = pressed;
    if (!rises || r->order != IFD_ORDER_NONE || r->trace->answer_order != IFD_ORDER_RUN)
        return;
    events_given(c->log, IFD_ORDER_NONE, "order run, from the start button of the rig");
    conduct_say(c, "run", "from the start button of the rig");
}

void conduct_hear(conduct *c, const ifd_tick_record *r)
{
    heed_button(c, r);
    if (r->order == IFD_ORDER_NONE)
        return;
    log_given(c);
    heed_signals(c);
}

void conduct_poll(conduct *c, uint64_t now)
{
    control_state(c->control, c->shown->now_state);
    say_state(c, now);
    log_given(c);
    if (c->ears)
        ask(c);
    heed_signals(c);
    tell_lost(c);
    heed_starter(c);
    heed_absence(c, now);
    control_poll(c->control, !ears_ended(c->ears), now);
    if (c->shown->now_state == IFD_MACHINE_HOLD && c->shown->now_fault != IFD_TRIP_NONE)
        conduct_asks(c);
    if (c->due && c->shown->now_state != IFD_MACHINE_RETURN) { /* an automatic stop leaves a return as it is */
        control_order_itself(c->control, IFD_ORDER_STOP, c->due);
        c->due = NULL;
    }
    end_tripped(c, now);
}
