/* SPDX-License-Identifier: MIT */
/* The door of the live page: who comes in, and when.
 *
 * A server has room for so many connections, and one that sends its request byte by byte would hold a place for as
 * long as it likes. So connections wait at the door until their request is there as a whole, for HEADER_TIME at
 * most, and are handed to the server only then; the server answers at once and closes. Whoever comes when the waiting
 * room is full takes the place of the one that has waited longest: somebody who sends a whole request is never kept
 * out by those who do not. Places are kept for orders, so that a stop is heard however many look on. */
#ifndef APP_PAGE_DOOR_H
#define APP_PAGE_DOOR_H

#include <microhttpd.h>
#include <stdbool.h>

enum {
    DOOR_WAITING = 128,   /* connections whose request is not whole yet */
    DOOR_INSIDE = 80,     /* connections that the server has at once */
    DOOR_RESERVED = 16,   /* of these, for orders alone */
    DOOR_CLIENT = 56,     /* that one address may have inside, besides orders: all streams and some more */
    DOOR_HEADER_TIME = 2, /* s, for a request to arrive */
};

typedef struct door door;

/* The daemon must outlive the door and tell it of every connection by door_notify. NULL: no thread could be made; the
 * socket is then still the caller's. */
door *door_open(struct MHD_Daemon *daemon, int listening);
/* An MHD_NotifyConnectionCallback; cls is a pointer to the door's pointer, which may be NULL still. */
void door_notify(void *cls, struct MHD_Connection *connection, void **context, enum MHD_ConnectionNotificationCode);
/* Nobody comes in any more; closes the socket. Those inside are the server's. */
void door_shut(door *d);
/* When the server has ended. Both take NULL. */
void door_close(door *d);

#endif
