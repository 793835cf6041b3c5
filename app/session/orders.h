/* SPDX-License-Identifier: MIT */
/* Orders that an operator types, one at a time for the tick, which has room for one: each of them is taken, and
 * answered, before the next is given. Orders that stop the test wait for nobody. */
#ifndef APP_ORDERS_H
#define APP_ORDERS_H

#include "app.h"

#include <interfield/executor.h>
#include <interfield/hybrid.h>

enum { MOST_ORDERS = 32 };

typedef struct orders {
    ifd_order given; /* and not taken by a tick yet */
    int count;
    ifd_order waiting[MOST_ORDERS];
} orders;

/* The order of this name; NONE when there is none. */
ifd_order order_find(const char *name);
/* Puts it behind the others; false when too many wait. */
bool orders_add(orders *o, ifd_order order);
/* The one to be given now; NONE when there is none, or one was given that no tick has taken. */
ifd_order orders_next(orders *o);
/* A tick took an order. Returns the one that was given and lost because of it, or NONE. */
ifd_order orders_taken(orders *o, ifd_order taken);
/* The order that leads a test out from a state in which simulated time goes at a rate: hold first, so that it
 * comes to rest, then ramp-out. After SIGTERM there is no ramp-out: the test ends where its brake ends. NONE:
 * nothing now. */
ifd_order order_out(ifd_machine state, double rate, bool terminated);
/* What was typed on stdin since the last call: orders by their names. False when nobody will type any more. */
bool orders_typed(char *text, size_t size);
/* What is to be said about the order of a record: "refused: ..."; false when it did what it says. */
bool answer_print(const ifd_tick_record *r, char *out, size_t size);

#endif
