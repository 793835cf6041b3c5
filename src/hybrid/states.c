/* SPDX-License-Identifier: MIT */
#include "hybrid/states.h"

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
    return o->allow_resume || !o->rate_dependent || o->lambda > 1.0;
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

/* Effect of a fault of this tick on a moving state. */
static bool faulted(ifd_machine now, const ifd__machine_in *in, ifd_machine *next)
{
    bool moving = now == IFD_MACHINE_RAMP_IN || now == IFD_MACHINE_RUN || now == IFD_MACHINE_HOLD ||
                  now == IFD_MACHINE_RAMP_OUT || now == IFD_MACHINE_RETURN;
    if (in->order == IFD_ORDER_TRIP || (in->action == IFD_ACTION_TRIP && (moving || now == IFD_MACHINE_READY))) {
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
    return in->order == IFD_ORDER_HOLD ? IFD_MACHINE_HOLD : IFD_MACHINE_RUN;
}

static ifd_machine from_hold(const ifd__machine_in *in)
{
    if (in->order == IFD_ORDER_RAMP_OUT)
        return IFD_MACHINE_RAMP_OUT;
    if (in->order == IFD_ORDER_PARK && in->rests)
        return IFD_MACHINE_STOPPED;
    return in->order == IFD_ORDER_RESUME && in->may_resume && !in->silent && !in->relaxed ? IFD_MACHINE_RUN
                                                                                          : IFD_MACHINE_HOLD;
}

static ifd_machine from_ramp_in(const ifd__machine_in *in)
{
    if (in->order == IFD_ORDER_RAMP_OUT || in->order == IFD_ORDER_HOLD)
        return IFD_MACHINE_RAMP_OUT;
    return in->arrived ? IFD_MACHINE_RUN : IFD_MACHINE_RAMP_IN;
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
        if (in->order == IFD_ORDER_RAMP_OUT || in->order == IFD_ORDER_QUIT)
            return IFD_MACHINE_STOPPED;
        return in->order == IFD_ORDER_RUN ? IFD_MACHINE_RAMP_IN : IFD_MACHINE_READY;
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

/* Reason for refusing an order that starts or continues motion, by state; NONE if it depends on more. */
static ifd_answer out_of_place(ifd_machine now, ifd_answer idle, ifd_answer ready, ifd_answer moving)
{
    switch (now) {
    case IFD_MACHINE_IDLE:
        return idle;
    case IFD_MACHINE_READY:
        return ready;
    case IFD_MACHINE_RAMP_IN:
    case IFD_MACHINE_RUN:
    case IFD_MACHINE_HOLD:
        return moving;
    case IFD_MACHINE_TRIPPED:
        return IFD_ANSWER_TRIPPED;
    case IFD_MACHINE_RETURN:
        return IFD_ANSWER_RETURNING;
    default:
        return IFD_ANSWER_ENDING;
    }
}

static ifd_answer answer_begin(ifd_machine now, const ifd__machine_in *in)
{
    if (in->order == IFD_ORDER_ARM)
        return now == IFD_MACHINE_IDLE
                   ? in->ready ? IFD_ANSWER_NONE : IFD_ANSWER_RIG_NOT_READY
                   : out_of_place(now, IFD_ANSWER_NONE, IFD_ANSWER_ARMED_ALREADY, IFD_ANSWER_ARMED_ALREADY);
    if (now == IFD_MACHINE_HOLD)
        return IFD_ANSWER_HELD_ALREADY;
    return out_of_place(now, IFD_ANSWER_NOT_ARMED, IFD_ANSWER_NONE, IFD_ANSWER_RUNS_ALREADY);
}

static ifd_answer answer_hold(ifd_machine now, const ifd__machine_in *in)
{
    if (now == IFD_MACHINE_RAMP_IN)
        return IFD_ANSWER_RAMP_IN_ENDS;
    if (now == IFD_MACHINE_RUN)
        return in->finished ? IFD_ANSWER_ENDING : IFD_ANSWER_NONE;
    return out_of_place(now, IFD_ANSWER_NOT_STARTED, IFD_ANSWER_NOT_STARTED, IFD_ANSWER_HELD_ALREADY);
}

/* resume and stop: for a test on hold. */
static ifd_answer answer_held(ifd_machine now, const ifd__machine_in *in)
{
    if (now != IFD_MACHINE_HOLD)
        return out_of_place(now, IFD_ANSWER_NOT_STARTED, IFD_ANSWER_NOT_STARTED, IFD_ANSWER_NOT_HELD);
    if (in->order == IFD_ORDER_PARK)
        return in->rests ? IFD_ANSWER_NONE : IFD_ANSWER_STILL_MOVING;
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
    return out_of_place(now, IFD_ANSWER_NONE, IFD_ANSWER_NONE, IFD_ANSWER_UNDER_WAY);
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
        return out_of_place(now, IFD_ANSWER_SCALE_NOT_NOW, IFD_ANSWER_SCALE_NOT_NOW, IFD_ANSWER_SCALE_NOT_NOW);
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

ifd_answer ifd__machine_answer(ifd_machine now, const ifd__machine_in *in)
{
    ifd_machine next;
    if (in->order == IFD_ORDER_TRIP)
        return now == IFD_MACHINE_TRIPPED ? IFD_ANSWER_TRIPPED : IFD_ANSWER_NONE;
    if (in->order == IFD_ORDER_UPDATE_OFF || in->order == IFD_ORDER_UPDATE_ON)
        return in->updates ? IFD_ANSWER_NONE : IFD_ANSWER_NO_UPDATES;
    if (in->order == IFD_ORDER_CHECKPOINT)
        return answer_checkpoint(ifd__machine_next(now, in), in);
    if (faulted(now, in, &next))
        return IFD_ANSWER_OVERTAKEN;
    switch (in->order) {
    case IFD_ORDER_ARM:
    case IFD_ORDER_RUN:
        return answer_begin(now, in);
    case IFD_ORDER_HOLD:
        return answer_hold(now, in);
    case IFD_ORDER_RESUME:
    case IFD_ORDER_PARK:
        return answer_held(now, in);
    case IFD_ORDER_RAMP_OUT:
        return out_of_place(now, IFD_ANSWER_NOT_STARTED, IFD_ANSWER_NONE, IFD_ANSWER_NONE);
    case IFD_ORDER_RETURN:
        if (now == IFD_MACHINE_IDLE && in->may_return)
            return IFD_ANSWER_NONE;
        return out_of_place(now, in->blocked ? IFD_ANSWER_NO_WAY_BACK : IFD_ANSWER_NOT_OUTSIDE,
                            IFD_ANSWER_ARMED_ALREADY, IFD_ANSWER_UNDER_WAY);
    case IFD_ORDER_RESET:
    case IFD_ORDER_QUIT:
        return answer_tripped(now, in);
    case IFD_ORDER_SLOWER:
    case IFD_ORDER_FASTER:
        return answer_pace(now, in);
    default:
        return IFD_ANSWER_NONE;
    }
}

uint32_t ifd__machine_outputs(ifd_machine state)
{
    if (state == IFD_MACHINE_RUN)
        return IFD_OUTPUT_TRIGGER | IFD_OUTPUT_RUNNING;
    return state == IFD_MACHINE_HOLD ? IFD_OUTPUT_TRIGGER : 0;
}
