/* SPDX-License-Identifier: MIT */
/* Admission of connections to the live page.
 *
 * A server accepts a limited number of connections; a client that sends its request byte by byte would occupy one of
 * them without limit. Connections therefore wait here until their request is complete, for at most HEADER_TIME, and
 * are then passed to the server, which answers at once and closes. If the waiting list is full, a new connection
 * replaces the one that has waited longest, so that a client with a complete request is always admitted. Some places
 * are reserved for orders, so that a stop is received with any number of browsers. */
#pragma once

#include <microhttpd.h>
#include <stdbool.h>

enum {
    DOOR_WAITING = 128,   /* connections with an incomplete request */
    DOOR_INSIDE = 128,    /* connections of the server at a time */
    DOOR_RESERVED = 16,   /* of these, reserved for orders */
    DOOR_CLIENT = 104,    /* connections of one address, except orders: all streams and some more */
    DOOR_HEADER_TIME = 2, /* s, for a request to arrive */
};

typedef struct door door;

/* The daemon must exist longer than the door and report every connection by door_notify. NULL: no thread could be
 * started; the socket still belongs to the caller. */
door *door_open(struct MHD_Daemon *daemon, int listening);
/* An MHD_NotifyConnectionCallback; cls is a pointer to the pointer of the door, which may still be NULL. */
void door_notify(void *cls, struct MHD_Connection *connection, void **context, enum MHD_ConnectionNotificationCode);
/* Admits no further connection and closes the socket; admitted connections belong to the server. */
void door_shut(door *d);
/* After the server has ended. Both accept NULL. */
void door_close(door *d);
