/* SPDX-License-Identifier: MIT */
#include "orders.h"

#include <poll.h>
#include <string.h>
#include <unistd.h>

ifd_order order_find(const char *name)
{
    for (int k = IFD_ORDER_NONE + 1; k < IFD_ORDER_COUNT; k++)
        if (strcmp(name, ifd_order_name((ifd_order)k)) == 0)
            return (ifd_order)k;
    return IFD_ORDER_NONE;
}

bool orders_add(orders *o, ifd_order order)
{
    if (o->count == MOST_ORDERS)
        return false;
    o->waiting[o->count++] = order;
    return true;
}

ifd_order orders_next(orders *o)
{
    if (o->given != IFD_ORDER_NONE || o->count == 0)
        return IFD_ORDER_NONE;
    o->given = o->waiting[0];
    memmove(o->waiting, o->waiting + 1, (size_t)--o->count * sizeof *o->waiting);
    return o->given;
}

ifd_order orders_taken(orders *o, ifd_order taken)
{
    ifd_order lost = taken != IFD_ORDER_NONE && taken != o->given ? o->given : IFD_ORDER_NONE;
    if (taken != IFD_ORDER_NONE)
        o->given = IFD_ORDER_NONE;
    return lost;
}

/* "brace changed by -1200 N on hold, permitted are 480 N" */
static void about(const ifd_tick_trace *t, const ifd_hybrid_options *o, char *out, size_t size)
{
    out[0] = '\0';
    if (t->answer == IFD_ANSWER_RELAXED && t->answer_channel >= 0 && t->answer_channel < o->interfaces)
        snprintf(out, size, " (force of %s changed by %+.4g N, limit %.4g N: %g %% plus noise)",
                 o->interface[t->answer_channel].name, t->answer_value, t->answer_limit, 100 * o->hold_relaxation);
}

bool answer_print(const ifd_tick_record *r, const ifd_hybrid_options *o, char *out, size_t size)
{
    ifd_answer answer = r->trace ? (ifd_answer)r->trace->answer : IFD_ANSWER_NONE;
    char more[160] = "", text[400] = "";
    if (r->trace) {
        about(r->trace, o, more, sizeof more);
        ifd_answer_print(r->trace, text, sizeof text);
    }
    snprintf(out, size, "%s%s%s", ifd_answer_refuses(answer) ? "refused: " : "", text, more);
    return answer != IFD_ANSWER_NONE;
}

ifd_order order_out(ifd_machine state, double rate, bool terminated)
{
    switch (state) {
    case IFD_MACHINE_IDLE:
    case IFD_MACHINE_TRIPPED:
        return IFD_ORDER_QUIT; /* no motion */
    case IFD_MACHINE_RAMP_IN:
    case IFD_MACHINE_RUN:
        return IFD_ORDER_HOLD;
    case IFD_MACHINE_READY:
        return IFD_ORDER_RAMP_OUT;
    case IFD_MACHINE_HOLD:
        return rate != 0 ? IFD_ORDER_NONE : terminated ? IFD_ORDER_PARK : IFD_ORDER_RAMP_OUT;
    case IFD_MACHINE_RAMP_OUT:
    case IFD_MACHINE_RETURN:
        return terminated ? IFD_ORDER_TRIP : IFD_ORDER_NONE;
    default:
        return IFD_ORDER_NONE;
    }
}

/* Reading from a terminal in the background would stop the program. */
bool orders_typed(char *text, size_t size)
{
    struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
    text[0] = '\0';
    if (poll(&in, 1, 0) <= 0 || (isatty(STDIN_FILENO) && tcgetpgrp(STDIN_FILENO) != getpgrp()))
        return true;
    ssize_t length = read(STDIN_FILENO, text, size - 1);
    text[length > 0 ? length : 0] = '\0';
    return length > 0;
}
