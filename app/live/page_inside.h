/* SPDX-License-Identifier: MIT */
/* Internal declarations of the live page. */
#pragma once

#include <microhttpd.h>
#include <pthread.h>
#include <stdatomic.h>

#include "broadcast.h"
#include "page.h"
#include "page_door.h"
#include "samples.h"

/* Fewer streams than connections, so that a stop can always be received. COLUMNS that a browser may request. */
enum { STREAMS = 48, TOKEN = 32, HISTORY = 4096, COLUMNS = 40, CLIENTS = 64 };

/* One browser that receives events. */
typedef struct stream {
    page *page;
    struct MHD_Connection *connection; /* NULL: free */
    bool asleep;                       /* suspended until new data exist */
    char *past;                        /* events before its position in the broadcast buffer, as text; NULL: none */
    size_t past_length;
    size_t greeted;   /* bytes of the description and of past events already sent */
    uint64_t place;   /* in the broadcast buffer */
    uint32_t browser; /* number of its browser; 0: unknown */
} stream;

/* One browser that has requested columns. */
typedef struct column_stream {
    page *page;
    struct MHD_Connection *connection; /* NULL: free */
    bool asleep, ended;                /* ended: the end event has been written */
    int columns, column[COLUMNS];
    uint64_t place; /* of the next sample */
    char *text;     /* data being sent */
    size_t length, sent;
} column_stream;

struct page {
    ifd_arena *arena;
    const frame_plan *plan;
    const char *hello, *host; /* host: as given by the user */
    size_t hello_length;
    char token[TOKEN + 1], address[512];
    struct MHD_Daemon *daemon;
    _Atomic(door *) door;
    frame frame; /* this member and the following: watching thread only */
    uint64_t sent;
    char *text;
    control *control; /* NULL: a replay, which takes no orders */
    struct {
        char identity[GIVER_TEXT], number[12]; /* the number as text */
        uint64_t used;
    } client[CLIENTS]; /* this member and the next: server thread only */
    uint64_t requests;
    char holder[2 * GIVER_TEXT + 40];                           /* as last sent; watching thread only, as the next */
    char cleared[CLEARANCE_LINES * (CLEARANCE_NAME + 4) + 200]; /* of the checklist, as JSON */
    pthread_mutex_t lock; /* protects the following members; held for copies only */
    bool ended;
    int listeners;
    uint64_t left; /* ns, when the last browser disconnected; 0: none did */
    broadcast broadcast;
    uint64_t happened; /* number of events; the newest HISTORY are stored */
    struct {
        frame_event event;
        uint64_t place; /* of its frame in the broadcast buffer */
    } history[HISTORY];
    stream stream[STREAMS];
    samples samples;
    int column_listeners;
    column_stream column_stream[STREAMS];
};

/* Handles every request, on the server thread. self: the page. */
enum MHD_Result page_answer(void *self, struct MHD_Connection *connection, const char *url, const char *method,
                            const char *version, const char *upload, size_t *upload_size, void **context);
/* Answers with the stream of events; MHD_NO: no free place. browser: its number; 0: unknown. */
enum MHD_Result page_stream(page *p, struct MHD_Connection *connection, uint32_t browser);
/* Answers with the values of some columns, given by their numbers in the description. MHD_NO: no free place. */
enum MHD_Result page_columns(page *p, struct MHD_Connection *connection, const int *column, int columns);
