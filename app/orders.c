/* SPDX-License-Identifier: MIT */
#include "orders.h"

#include <string.h>

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

bool answer_print(const ifd_tick_record *r, char *out, size_t size)
{
    ifd_answer answer = r->trace ? (ifd_answer)r->trace->answer : IFD_ANSWER_NONE;
    snprintf(out, size, "%s%s", ifd_answer_refuses(answer) ? "refused: " : "", ifd_answer_text(answer));
    return answer != IFD_ANSWER_NONE;
}
