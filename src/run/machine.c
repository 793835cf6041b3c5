/* SPDX-License-Identifier: MIT */
#include "run/machine.h"

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

static const char *const trip_names[] = {
#define ROW(name, action, text) #name,
    IFD_TRIP_LIST(ROW)
#undef ROW
};

static const char *const trip_texts[] = {
#define ROW(name, action, text) text,
    IFD_TRIP_LIST(ROW)
#undef ROW
};

static const ifd_action trip_actions[] = {
#define ROW(name, action, text) IFD_ACTION_##action,
    IFD_TRIP_LIST(ROW)
#undef ROW
};

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
    return (unsigned)trip < IFD_TRIP_COUNT ? trip_names[trip] : "UNKNOWN";
}

const char *ifd_trip_text(ifd_trip trip)
{
    return (unsigned)trip < IFD_TRIP_COUNT ? trip_texts[trip] : "unknown fault";
}

ifd_action ifd_trip_action(ifd_trip trip)
{
    return (unsigned)trip < IFD_TRIP_COUNT ? trip_actions[trip] : IFD_ACTION_TRIP;
}

/* What a fault of this tick does to a state that moves. */
static bool faulted(ifd_machine now, const ifd__machine_in *in, ifd_machine *next)
{
    bool moving = now == IFD_MACHINE_RAMP_IN || now == IFD_MACHINE_RUN || now == IFD_MACHINE_HOLD ||
                  now == IFD_MACHINE_RAMP_OUT;
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
    if (in->order == IFD_ORDER_STOP && in->rests)
        return IFD_MACHINE_STOPPED;
    return in->order == IFD_ORDER_RESUME && in->may_resume ? IFD_MACHINE_RUN : IFD_MACHINE_HOLD;
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
        return in->order == IFD_ORDER_ARM && in->ready ? IFD_MACHINE_READY : IFD_MACHINE_IDLE;
    case IFD_MACHINE_READY:
        if (in->order == IFD_ORDER_RAMP_OUT)
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
        return in->order == IFD_ORDER_RESET ? IFD_MACHINE_IDLE : IFD_MACHINE_TRIPPED;
    case IFD_MACHINE_STOPPED:
    case IFD_MACHINE_COUNT:
        break;
    }
    return now;
}
