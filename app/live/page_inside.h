/* SPDX-License-Identifier: MIT */
/* The page as its own files see it. */
#ifndef APP_PAGE_INSIDE_H
#define APP_PAGE_INSIDE_H

#include <microhttpd.h>
#include <pthread.h>
#include <stdatomic.h>

#include "broadcast.h"
#include "page.h"
#include "page_door.h"

/* Streams are fewer than connections, so that there is always room for a stop. */
enum { STREAMS = 48, TOKEN = 32, HISTORY = 4096 };

/* One browser that listens. */
typedef struct stream {
    page *page;
    struct MHD_Connection *connection; /* NULL: free */
    bool asleep;                       /* suspended until there is news */
    char *past;                        /* what happened before its place in the broadcast, as text; NULL: nothing */
    size_t past_length;
    size_t greeted; /* bytes of the description and the past that it has */
    uint64_t place; /* in the broadcast */
} stream;

struct page {
    ifd_arena *arena;
    const frame_plan *plan;
    const char *hello, *host; /* host: as the user named it */
    size_t hello_length;
    char token[TOKEN + 1], address[512];
    struct MHD_Daemon *daemon;
    _Atomic(door *) door;
    frame frame; /* the watcher's alone, and so is what follows */
    uint64_t sent;
    char *text;
    _Atomic(ifd_executor *) executor;
    atomic_int stopped;   /* 1 + the state in which somebody pressed stop; 0: nobody did */
    atomic_int given;     /* the newest order, until the watcher has noted it */
    atomic_int state;     /* of the newest record */
    pthread_mutex_t lock; /* of what follows; held for copies only */
    bool ended;
    int listeners;
    uint64_t left; /* ns, when the last one to go went; 0: nobody has */
    broadcast broadcast;
    uint64_t happened; /* events in all; the newest HISTORY are kept */
    struct {
        frame_event event;
        uint64_t place; /* of its frame in the broadcast */
    } history[HISTORY];
    stream stream[STREAMS];
};

/* Listens at o->host and o->port; the socket, or -1 with a note. */
int page_listen(const page_options *o, ifd_note *note);
/* 32 hexadecimal digits that nobody can guess; false when the kernel has none. */
bool page_token(char out[TOKEN + 1]);
/* Every request comes here, on the server's thread. self: the page. */
enum MHD_Result page_answer(void *self, struct MHD_Connection *connection, const char *url, const char *method,
                            const char *version, const char *upload, size_t *upload_size, void **context);
/* Answers with the stream of events. */
enum MHD_Result page_stream(page *p, struct MHD_Connection *connection);

#endif
