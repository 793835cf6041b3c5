/* SPDX-License-Identifier: MIT */
/* The state machine, and its answers to orders: states.h. */
#include "hybrid/states.h"

#include <math.h>
#include <stdio.h>

static const char *const machine_names[] = {
#define ROW(name, word, text) word,
    IFD_MACHINE_LIST(ROW)
#undef ROW
};

static const char *const order_names[] = {
#define ROW(name, text) text,
    IFD_ORDER_LIST(ROW)
#undef ROW
};

static const struct {
    const char *name, *text;
    ifd_action action;
} trips[] = {
#define ROW(name, action, text) {#name, text, IFD_ACTION_##action},
    IFD_TRIP_LIST(ROW)
#undef ROW
};

static const struct {
    bool refuses;
    const char *text;
} answers[] = {
#define ROW(name, refused, text) {refused, text},
    IFD_ANSWER_LIST(ROW)
#undef ROW
};

const char *ifd_answer_text(ifd_answer answer)
{
    return (unsigned)answer < IFD_ANSWER_COUNT ? answers[answer].text : "";
}

bool ifd_answer_refuses(ifd_answer answer)
{
    return (unsigned)answer < IFD_ANSWER_COUNT && answers[answer].refuses;
}

bool ifd_hybrid_may_resume(const ifd_hybrid_options *o)
{
    return o->allow_resume || !o->rate_dependent;
}

const char *ifd_machine_name(ifd_machine state)
{
    return (unsigned)state < IFD_MACHINE_COUNT ? machine_names[state] : "unknown";
}

const char *ifd_order_name(ifd_order order)
{
    return (unsigned)order < IFD_ORDER_COUNT ? order_names[order] : "unknown";
}

const char *ifd_trip_name(ifd_trip trip)
{
    return (unsigned)trip < IFD_TRIP_COUNT ? trips[trip].name : "UNKNOWN";
}

const char *ifd_trip_text(ifd_trip trip)
{
    return (unsigned)trip < IFD_TRIP_COUNT ? trips[trip].text : "unknown fault";
}

ifd_action ifd_trip_action(ifd_trip trip)
{
    return (unsigned)trip < IFD_TRIP_COUNT ? trips[trip].action : IFD_ACTION_TRIP;
}

static bool moves(ifd_machine state)
{
    return state == IFD_MACHINE_RAMP_IN || state == IFD_MACHINE_RUN || state == IFD_MACHINE_HOLD ||
           state == IFD_MACHINE_RAMP_OUT || state == IFD_MACHINE_RETURN;
}

/* Whether an order trips the test. A stop does so the second time, and while the specimens move to their end. */
static bool trips_by_order(ifd_machine now, const ifd__machine_in *in)
{
    bool last = now == IFD_MACHINE_RAMP_OUT || now == IFD_MACHINE_RETURN;
    if (in->order == IFD_ORDER_TRIP)
        return true;
    if (in->order == IFD_ORDER_OFF)
        return moves(now) || now == IFD_MACHINE_READY;
    return in->order == IFD_ORDER_STOP && in->from != IFD__FROM_ITSELF &&
           ((moves(now) && in->second) || (last && !in->again));
}

/* Effect of a fault of this tick, or of an order to trip, on a moving state. */
static bool faulted(ifd_machine now, const ifd__machine_in *in, ifd_machine *next)
{
    if (trips_by_order(now, in) || (in->action == IFD_ACTION_TRIP && (moves(now) || now == IFD_MACHINE_READY))) {
        *next = IFD_MACHINE_TRIPPED;
        return now != IFD_MACHINE_TRIPPED;
    }
    if (in->action == IFD_ACTION_RAMP_OUT &&
        (now == IFD_MACHINE_RUN || now == IFD_MACHINE_HOLD || now == IFD_MACHINE_RAMP_IN)) {
        *next = IFD_MACHINE_RAMP_OUT;
        return true;
    }
    if (in->action == IFD_ACTION_HOLD && now == IFD_MACHINE_RUN) {
        *next = IFD_MACHINE_HOLD;
        return true;
    }
    return false;
}

static ifd_machine from_run(const ifd__machine_in *in)
{
    if (in->order == IFD_ORDER_RAMP_OUT || in->finished)
        return IFD_MACHINE_RAMP_OUT;
    bool holds = in->order == IFD_ORDER_HOLD || in->order == IFD_ORDER_STOP || in->order == IFD_ORDER_PARK;
    return holds ? IFD_MACHINE_HOLD : IFD_MACHINE_RUN;
}

/* Whether a stop on hold moves the specimens in this tick. */
static bool stops_now(const ifd__machine_in *in)
{
    bool may = in->from == IFD__FROM_HOLDER || (in->from == IFD__FROM_ITSELF && in->simulated);
    return in->order == IFD_ORDER_STOP && may && in->rests && in->wants != IFD__WANTS_STOP;
}

/* A test that stops or parks is not resumed; an announced stop may be. */
static bool decided(const ifd__machine_in *in)
{
    return in->wants == IFD__WANTS_STOP || in->wants == IFD__WANTS_PARK;
}

static ifd_machine from_hold(const ifd__machine_in *in)
{
    bool parks = in->order == IFD_ORDER_PARK && in->rests && in->wants != IFD__WANTS_STOP;
    bool resumes = in->order == IFD_ORDER_RESUME && in->may_resume && !in->silent && !in->relaxed && !decided(in);
    bool unloads = in->order == IFD_ORDER_UNLOAD && !decided(in);
    bool person = in->order != IFD_ORDER_NONE && in->from == IFD__FROM_HOLDER;
    if (in->order == IFD_ORDER_RAMP_OUT || unloads || stops_now(in))
        return IFD_MACHINE_RAMP_OUT;
    if (parks)
        return IFD_MACHINE_STOPPED;
    if (resumes)
        return IFD_MACHINE_RUN;
    if (in->wants == IFD__WANTS_NOTHING || !in->due || (in->wants == IFD__WANTS_LATER && person))
        return IFD_MACHINE_HOLD;
    return in->wants == IFD__WANTS_PARK ? IFD_MACHINE_STOPPED : IFD_MACHINE_RAMP_OUT;
}

static ifd_machine from_ramp_in(const ifd__machine_in *in)
{
    if (in->order == IFD_ORDER_RAMP_OUT || in->order == IFD_ORDER_HOLD || in->order == IFD_ORDER_STOP)
        return IFD_MACHINE_RAMP_OUT;
    return in->arrived ? IFD_MACHINE_RUN : IFD_MACHINE_RAMP_IN;
}

static ifd_machine from_ready(const ifd__machine_in *in)
{
    if (in->order == IFD_ORDER_RAMP_OUT || in->order == IFD_ORDER_QUIT || in->order == IFD_ORDER_STOP)
        return IFD_MACHINE_STOPPED;
    if (in->order == IFD_ORDER_UNLOAD)
        return IFD_MACHINE_RAMP_OUT;
    return in->order == IFD_ORDER_RUN && !in->alone ? IFD_MACHINE_RAMP_IN : IFD_MACHINE_READY;
}

ifd_machine ifd__machine_next(ifd_machine now, const ifd__machine_in *in)
{
    ifd_machine next;
    if (faulted(now, in, &next))
        return next;
    switch (now) {
    case IFD_MACHINE_IDLE:
        if (in->order == IFD_ORDER_RETURN && in->may_return)
            return IFD_MACHINE_RETURN;
        return in->order == IFD_ORDER_ARM && in->ready ? IFD_MACHINE_READY : IFD_MACHINE_IDLE;
    case IFD_MACHINE_READY:
        return from_ready(in);
    case IFD_MACHINE_RAMP_IN:
        return from_ramp_in(in);
    case IFD_MACHINE_RUN:
        return from_run(in);
    case IFD_MACHINE_HOLD:
        return from_hold(in);
    case IFD_MACHINE_RAMP_OUT:
        return in->arrived ? IFD_MACHINE_STOPPED : IFD_MACHINE_RAMP_OUT;
    case IFD_MACHINE_TRIPPED:
        return in->order == IFD_ORDER_RESET && in->still ? IFD_MACHINE_IDLE : IFD_MACHINE_TRIPPED;
    case IFD_MACHINE_RETURN:
        return in->arrived ? IFD_MACHINE_IDLE : IFD_MACHINE_RETURN;
    case IFD_MACHINE_STOPPED:
    case IFD_MACHINE_COUNT:
        break;
    }
    return now;
}

/* Reason for refusing an order in idle, in ready, and in ramp-in, run or hold; NONE if it depends on more. */
static const struct {
    ifd_answer idle, ready, moving;
} places[IFD_ORDER_COUNT] = {
    [IFD_ORDER_ARM] = {IFD_ANSWER_NONE, IFD_ANSWER_ARMED_ALREADY, IFD_ANSWER_ARMED_ALREADY},
    [IFD_ORDER_RUN] = {IFD_ANSWER_NOT_ARMED, IFD_ANSWER_NONE, IFD_ANSWER_RUNS_ALREADY},
    [IFD_ORDER_HOLD] = {IFD_ANSWER_NOT_STARTED, IFD_ANSWER_NOT_STARTED, IFD_ANSWER_HELD_ALREADY},
    [IFD_ORDER_RESUME] = {IFD_ANSWER_NOT_STARTED, IFD_ANSWER_NOT_STARTED, IFD_ANSWER_NOT_HELD},
    [IFD_ORDER_PARK] = {IFD_ANSWER_NOT_STARTED, IFD_ANSWER_NOT_STARTED, IFD_ANSWER_NOT_HELD},
    [IFD_ORDER_UNLOAD] = {IFD_ANSWER_NOT_ARMED, IFD_ANSWER_NONE, IFD_ANSWER_NOT_HELD},
    [IFD_ORDER_RAMP_OUT] = {IFD_ANSWER_NOT_STARTED, IFD_ANSWER_NONE, IFD_ANSWER_NONE},
    [IFD_ORDER_RETURN] = {IFD_ANSWER_NOT_OUTSIDE, IFD_ANSWER_ARMED_ALREADY, IFD_ANSWER_UNDER_WAY},
    [IFD_ORDER_QUIT] = {IFD_ANSWER_NONE, IFD_ANSWER_NONE, IFD_ANSWER_UNDER_WAY},
    [IFD_ORDER_SLOWER] = {IFD_ANSWER_SCALE_NOT_NOW, IFD_ANSWER_SCALE_NOT_NOW, IFD_ANSWER_SCALE_NOT_NOW},
    [IFD_ORDER_FASTER] = {IFD_ANSWER_SCALE_NOT_NOW, IFD_ANSWER_SCALE_NOT_NOW, IFD_ANSWER_SCALE_NOT_NOW}};

static ifd_answer out_of_place(ifd_machine now, const ifd__machine_in *in)
{
    const ifd_answer answer_in[IFD_MACHINE_COUNT] = {
        [IFD_MACHINE_IDLE] = places[in->order].idle,      [IFD_MACHINE_READY] = places[in->order].ready,
        [IFD_MACHINE_RAMP_IN] = places[in->order].moving, [IFD_MACHINE_RUN] = places[in->order].moving,
        [IFD_MACHINE_HOLD] = places[in->order].moving,    [IFD_MACHINE_RAMP_OUT] = IFD_ANSWER_ENDING,
        [IFD_MACHINE_STOPPED] = IFD_ANSWER_ENDING,        [IFD_MACHINE_TRIPPED] = IFD_ANSWER_TRIPPED,
        [IFD_MACHINE_RETURN] = IFD_ANSWER_RETURNING};
    return answer_in[now];
}

static ifd_answer answer_arm(ifd_machine now, const ifd__machine_in *in)
{
    return now == IFD_MACHINE_IDLE && !in->ready ? in->unready : out_of_place(now, in);
}

static ifd_answer answer_run(ifd_machine now, const ifd__machine_in *in)
{
    if (now == IFD_MACHINE_READY && in->alone)
        return IFD_ANSWER_NO_MASTER;
    return now == IFD_MACHINE_HOLD ? IFD_ANSWER_HELD_ALREADY : out_of_place(now, in);
}

static ifd_answer answer_hold(ifd_machine now, const ifd__machine_in *in)
{
    if (now == IFD_MACHINE_RAMP_IN)
        return IFD_ANSWER_RAMP_IN_ENDS;
    if (now == IFD_MACHINE_RUN)
        return in->finished ? IFD_ANSWER_ENDING : IFD_ANSWER_NONE;
    if (now == IFD_MACHINE_HOLD && in->wants == IFD__WANTS_LATER)
        return IFD_ANSWER_STOP_CANCELLED;
    return out_of_place(now, in);
}

static ifd_answer answer_stop_on_hold(const ifd__machine_in *in)
{
    if (in->from == IFD__FROM_VIEWER)
        return in->wants == IFD__WANTS_STOP ? IFD_ANSWER_STOP_SAME : IFD_ANSWER_STOP_REFUSED;
    if (in->wants == IFD__WANTS_STOP || (in->from == IFD__FROM_ITSELF && in->wants != IFD__WANTS_NOTHING))
        return IFD_ANSWER_STOP_SAME;
    return in->from == IFD__FROM_HOLDER || in->simulated ? IFD_ANSWER_STOPS_AT_REST : IFD_ANSWER_STOP_LATER;
}

static ifd_answer answer_stop(ifd_machine now, const ifd__machine_in *in)
{
    switch (now) {
    case IFD_MACHINE_RAMP_IN:
        return IFD_ANSWER_STOPS_RAMP;
    case IFD_MACHINE_RUN:
        return in->finished ? IFD_ANSWER_NONE : IFD_ANSWER_STOPS;
    case IFD_MACHINE_HOLD:
        return answer_stop_on_hold(in);
    case IFD_MACHINE_RAMP_OUT:
    case IFD_MACHINE_RETURN:
        return in->from == IFD__FROM_ITSELF ? IFD_ANSWER_GOES_ON : IFD_ANSWER_STOP_SAME;
    case IFD_MACHINE_TRIPPED:
        return IFD_ANSWER_NOTHING_MOVES;
    case IFD_MACHINE_STOPPED:
        return IFD_ANSWER_ENDING;
    default:
        return IFD_ANSWER_NONE;
    }
}

static ifd_answer answer_park(ifd_machine now, const ifd__machine_in *in)
{
    if (now == IFD_MACHINE_HOLD)
        return in->wants == IFD__WANTS_STOP ? IFD_ANSWER_ENDING : in->rests ? IFD_ANSWER_NONE : IFD_ANSWER_PARKS;
    if (now == IFD_MACHINE_RUN)
        return in->finished ? IFD_ANSWER_ENDING : IFD_ANSWER_PARKS;
    return out_of_place(now, in);
}

static ifd_answer answer_unload(ifd_machine now, const ifd__machine_in *in)
{
    if (now == IFD_MACHINE_HOLD && decided(in))
        return IFD_ANSWER_ENDING;
    if (now == IFD_MACHINE_HOLD || now == IFD_MACHINE_READY)
        return IFD_ANSWER_NONE;
    return out_of_place(now, in);
}

static ifd_answer answer_resume(ifd_machine now, const ifd__machine_in *in)
{
    if (now != IFD_MACHINE_HOLD)
        return out_of_place(now, in);
    if (decided(in))
        return IFD_ANSWER_ENDING;
    if (!in->may_resume)
        return IFD_ANSWER_RATE_DEPENDENT;
    if (in->silent)
        return IFD_ANSWER_FORCE_NOT_FRESH;
    return in->relaxed ? IFD_ANSWER_RELAXED : IFD_ANSWER_NONE;
}

static ifd_answer answer_tripped(ifd_machine now, const ifd__machine_in *in)
{
    if (now == IFD_MACHINE_TRIPPED)
        return in->still ? IFD_ANSWER_NONE : IFD_ANSWER_STILL_MOVING;
    if (in->order == IFD_ORDER_RESET)
        return IFD_ANSWER_NOT_TRIPPED;
    return out_of_place(now, in);
}

/* next: the state in which it would be taken. */
static ifd_answer answer_checkpoint(ifd_machine next, const ifd__machine_in *in)
{
    if (next != IFD_MACHINE_RUN && next != IFD_MACHINE_HOLD)
        return IFD_ANSWER_NO_CHECKPOINT;
    if (in->under_way && next == IFD_MACHINE_RUN)
        return IFD_ANSWER_NOT_HELD;
    return in->remote ? IFD_ANSWER_NO_STATE : IFD_ANSWER_NONE;
}

static ifd_answer answer_pace(ifd_machine now, const ifd__machine_in *in)
{
    bool faster = in->order == IFD_ORDER_FASTER;
    if (now != IFD_MACHINE_RUN && now != IFD_MACHINE_HOLD)
        return out_of_place(now, in);
    if (!in->paced)
        return IFD_ANSWER_SCALE_GIVEN;
    if (!in->may_resume)
        return IFD_ANSWER_SCALE_SPECIMEN;
    if (faster && in->watched)
        return IFD_ANSWER_SCALE_MONITOR;
    if (faster)
        return in->fastest ? IFD_ANSWER_SCALE_FULL : IFD_ANSWER_NONE;
    return in->slowest ? IFD_ANSWER_SCALE_SLOWEST : IFD_ANSWER_NONE;
}

static ifd_answer answer_pressure(ifd_machine now, const ifd__machine_in *in)
{
    if (now != IFD_MACHINE_IDLE)
        return IFD_ANSWER_ONLY_IDLE;
    if (in->forbidden)
        return IFD_ANSWER_NOT_ALLOWED;
    if (in->pressed)
        return IFD_ANSWER_STOP_PRESSED;
    if (in->order == IFD_ORDER_HIGH && in->unsteady)
        return IFD_ANSWER_NO_LOW;
    return in->unseen ? IFD_ANSWER_NOT_FRESH : IFD_ANSWER_NONE;
}

static ifd_answer answer_return(ifd_machine now, const ifd__machine_in *in)
{
    if (now != IFD_MACHINE_IDLE)
        return out_of_place(now, in);
    if (in->may_return)
        return IFD_ANSWER_NONE;
    if (in->forbidden)
        return IFD_ANSWER_NOT_ALLOWED;
    if (in->kept != IFD_ANSWER_NONE)
        return in->kept;
    return in->blocked ? IFD_ANSWER_NO_WAY_BACK : out_of_place(now, in);
}

static ifd_answer (*const answer_to[IFD_ORDER_COUNT])(ifd_machine now, const ifd__machine_in *in) = {
    [IFD_ORDER_ARM] = answer_arm,        [IFD_ORDER_RUN] = answer_run,       [IFD_ORDER_HOLD] = answer_hold,
    [IFD_ORDER_RESUME] = answer_resume,  [IFD_ORDER_STOP] = answer_stop,     [IFD_ORDER_PARK] = answer_park,
    [IFD_ORDER_UNLOAD] = answer_unload,  [IFD_ORDER_LOW] = answer_pressure,  [IFD_ORDER_HIGH] = answer_pressure,
    [IFD_ORDER_RAMP_OUT] = out_of_place, [IFD_ORDER_RETURN] = answer_return, [IFD_ORDER_RESET] = answer_tripped,
    [IFD_ORDER_QUIT] = answer_tripped,   [IFD_ORDER_SLOWER] = answer_pace,   [IFD_ORDER_FASTER] = answer_pace};

/* An order that a fault of the same tick has overtaken. A stop is not lost with a hold or a ramp-out by a fault. */
static bool overtaken(ifd_machine now, const ifd__machine_in *in)
{
    ifd_machine next;
    return faulted(now, in, &next) && !(in->order == IFD_ORDER_STOP && next != IFD_MACHINE_TRIPPED);
}

ifd_answer ifd__machine_answer(ifd_machine now, const ifd__machine_in *in)
{
    if (in->order == IFD_ORDER_TRIP)
        return now == IFD_MACHINE_TRIPPED ? IFD_ANSWER_TRIPPED : IFD_ANSWER_NONE;
    if (in->order == IFD_ORDER_OFF)
        return now == IFD_MACHINE_STOPPED ? IFD_ANSWER_ENDING : IFD_ANSWER_NONE;
    if (trips_by_order(now, in))
        return IFD_ANSWER_STOP_TRIPS;
    if (in->order == IFD_ORDER_UPDATE_OFF || in->order == IFD_ORDER_UPDATE_ON)
        return in->updates ? IFD_ANSWER_NONE : IFD_ANSWER_NO_UPDATES;
    if (in->order == IFD_ORDER_CHECKPOINT)
        return answer_checkpoint(ifd__machine_next(now, in), in);
    if (overtaken(now, in))
        return IFD_ANSWER_OVERTAKEN;
    return answer_to[in->order] ? answer_to[in->order](now, in) : IFD_ANSWER_NONE;
}

bool ifd_order_permitted(ifd_machine state, ifd_order order)
{
    const ifd__machine_in in = {
        .order = order, .may_return = true, .may_resume = true, .still = true, .updates = true, .paced = true};
    return order > IFD_ORDER_NONE && order < IFD_ORDER_COUNT && !ifd_answer_refuses(ifd__machine_answer(state, &in));
}

/* A number of an answer as people read it: s, mm, kN or %. */
static int print_number(ifd_answer answer, double number, char *out, size_t size)
{
    bool force = answer == IFD_ANSWER_CHANGED_FORCE || answer == IFD_ANSWER_LOW_LOADED;
    if (answer == IFD_ANSWER_CHANGED_POSITION || answer == IFD_ANSWER_LOW_MOVED)
        return snprintf(out, size, "%.4g", 1e3 * number);
    if (answer == IFD_ANSWER_LOW_SILENT)
        return snprintf(out, size, "%.3g", number);
    if (answer == IFD_ANSWER_STALE)
        return snprintf(out, size, "%.3g", 100.0 * number);
    if (answer == IFD_ANSWER_QUIT_FREES || answer == IFD_ANSWER_QUIT_FREED) /* an axis, kN */
        return snprintf(out, size, number < 99.5 ? "%.2g" : "%.0f", number);
    return snprintf(out, size, force ? "%.4g" : "%.1f", force ? 1e-3 * number : number);
}

void ifd_answer_print(const ifd_tick_trace *trace, char *out, size_t size)
{
    const double numbers[] = {trace->answer_value, trace->answer_limit};
    size_t used = 0, number = 0;
    for (const char *p = ifd_answer_text((ifd_answer)trace->answer); *p && used + 1 < size; p++)
        if (*p == '#' && number < 2) {
            int more = print_number((ifd_answer)trace->answer, numbers[number++], out + used, size - used);
            used = used + (size_t)more < size ? used + (size_t)more : size - 1;
        } else
            out[used++] = *p;
    if (size > 0)
        out[used] = '\0';
}

uint32_t ifd__machine_outputs(ifd_machine state)
{
    uint32_t power =
        moves(state) || state == IFD_MACHINE_READY || state == IFD_MACHINE_TRIPPED ? IFD_OUTPUT_ENABLE : 0;
    if (state == IFD_MACHINE_RUN)
        return power | IFD_OUTPUT_TRIGGER | IFD_OUTPUT_RUNNING;
    return state == IFD_MACHINE_HOLD ? power | IFD_OUTPUT_TRIGGER : power;
}
