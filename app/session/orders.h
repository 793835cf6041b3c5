/* SPDX-License-Identifier: MIT */
/* Orders typed by the operator. The tick accepts one at a time: each order is received and answered before the next
 * one is sent. Orders that stop the test are sent at once. */
#ifndef APP_ORDERS_H
#define APP_ORDERS_H

#include "app.h"

#include <interfield/executor.h>
#include <interfield/hybrid.h>

enum { MOST_ORDERS = 32 };

typedef struct orders {
    ifd_order given; /* sent, but not yet received by a tick */
    int count;
    ifd_order waiting[MOST_ORDERS];
} orders;

#define ORDER_WORDS "hold, resume, slower, faster, ramp-out, trip, reset, arm, run, checkpoint, stop, quit, return"
/* The order of this name; NONE: unknown. */
ifd_order order_find(const char *name);
/* Appends an order; false if too many are waiting. */
bool orders_add(orders *o, ifd_order order);
/* The order to send now; NONE if there is none, or if one was sent that no tick has received. */
ifd_order orders_next(orders *o);
/* A tick has received an order. Returns the order that was sent and lost because of it, or NONE. */
ifd_order orders_taken(orders *o, ifd_order taken);
/* The next order that ends a test from a state with this rate of simulated time: hold first, so that it
 * comes to rest, then ramp-out. After SIGTERM there is no ramp-out: the test ends on hold. NONE:
 * no order now. */
ifd_order order_out(ifd_machine state, double rate, bool terminated);
/* The text typed on stdin since the last call: names of orders. False at the end of stdin. */
bool orders_typed(char *text, size_t size);
/* The message about the order of a record of test o: "refused: ..."; false if it was executed without remark. */
bool answer_print(const ifd_tick_record *r, const ifd_hybrid_options *o, char *out, size_t size);

#endif
