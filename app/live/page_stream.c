/* SPDX-License-Identifier: MIT */
/* The stream of events: every connected browser receives all of it. */
#include "page_inside.h"

#include <math.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { BACKLOG = 32 * 1024 /* bytes that the kernel buffers for one browser */ };

/* The description first, then the events before the position of the stream in the broadcast, then the broadcast from
 * there on. */
static ssize_t next_bytes(stream *s, char *out, size_t size)
{
    page *p = s->page;
    if (s->greeted < p->hello_length + s->past_length) {
        bool hello = s->greeted < p->hello_length;
        const char *text = hello ? p->hello + s->greeted : s->past + (s->greeted - p->hello_length);
        size_t left = p->hello_length + (hello ? 0 : s->past_length) - s->greeted, length = left < size ? left : size;
        memcpy(out, text, length);
        s->greeted += length;
        return (ssize_t)length;
    }
    size_t length = broadcast_take(&p->broadcast, &s->place, out, size);
    if (length == BROADCAST_LOST)
        return MHD_CONTENT_READER_END_OF_STREAM; /* too slow: the browser reconnects and starts again */
    if (length)
        return (ssize_t)length;
    if (p->ended)
        return MHD_CONTENT_READER_END_OF_STREAM;
    s->asleep = true;
    MHD_suspend_connection(s->connection);
    return 0;
}

static ssize_t read_stream(void *self, uint64_t position, char *out, size_t size)
{
    (void)position;
    stream *s = self;
    HOLD(&s->page->lock);
    return next_bytes(s, out, size);
}

static void leave_stream(void *self)
{
    stream *s = self;
    if (s->browser)
        control_left(s->page->control, s->browser);
    HOLD(&s->page->lock);
    s->connection = NULL;
    s->asleep = false;
    free(s->past);
    s->past = NULL;
    s->page->listeners--;
    s->page->left = clock_now();
}

/* The events before a position in the broadcast, as one event of the stream. */
static char *past_print(const page *p, uint64_t place, size_t *length)
{
    static const char head[] = "event: past\ndata: {\"events\":[", tail[] = "]}\n\n";
    uint64_t first = p->happened > HISTORY ? p->happened - HISTORY : 0;
    char *text = malloc(sizeof head + sizeof tail + FRAME_EVENT_TEXT * (size_t)(p->happened - first));
    *length = 0;
    if (!text)
        return NULL;
    size_t used = sizeof head - 1;
    memcpy(text, head, used);
    for (uint64_t i = first; i < p->happened && p->history[i % HISTORY].place < place; i++) {
        if (i > first)
            text[used++] = ',';
        used += (size_t)frame_event_print(&p->history[i % HISTORY].event, text + used, FRAME_EVENT_TEXT - 1);
    }
    memcpy(text + used, tail, sizeof tail - 1);
    *length = used + sizeof tail - 1;
    return text;
}

static stream *join_stream(page *p, struct MHD_Connection *connection, uint32_t browser)
{
    stream *found = NULL;
    pthread_mutex_lock(&p->lock);
    for (int i = 0; i < STREAMS && !found; i++)
        if (!p->stream[i].connection)
            found = &p->stream[i];
    if (found) {
        *found = (stream){
            .page = p, .connection = connection, .place = broadcast_newcomer(&p->broadcast), .browser = browser};
        if (found->place > 0)
            found->past = past_print(p, found->place, &found->past_length);
        p->listeners++;
    }
    pthread_mutex_unlock(&p->lock);
    if (found && browser)
        control_seen(p->control, browser, true);
    return found;
}

/* Answers with a stream of events that `read` writes, until `leave` is called. */
static enum MHD_Result page_queue(struct MHD_Connection *connection, MHD_ContentReaderCallback read,
                                  MHD_ContentReaderFreeCallback leave, void *self)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    if (info) {
        int backlog = BACKLOG, on = 1;
        setsockopt(info->connect_fd, SOL_SOCKET, SO_SNDBUF, &backlog, sizeof backlog);
        setsockopt(info->connect_fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    }
    struct MHD_Response *response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 16 * 1024, read, self, leave);
    if (!response) {
        leave(self);
        return MHD_NO;
    }
    MHD_add_response_header(response, "Content-Type", "text/event-stream");
    MHD_add_response_header(response, "Connection", "close");
    MHD_add_response_header(response, "Cache-Control", "no-store");
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    enum MHD_Result result = MHD_queue_response(connection, MHD_HTTP_OK, response);
    MHD_destroy_response(response);
    return result;
}

enum MHD_Result page_stream(page *p, struct MHD_Connection *connection, uint32_t browser)
{
    stream *s = join_stream(p, connection, browser);
    return s ? page_queue(connection, read_stream, leave_stream, s) : MHD_NO;
}

/* The values of columns, for each browser those that it requested: {"row": number of the first sample, "v": [values
 * of the first column, ...]}. A test can record hundreds of columns; a page shows a few. The server thread writes the
 * text and holds the lock only while numbers are copied. A slow browser loses samples, which it detects by their
 * numbers. */

enum { BATCH = 64, NUMBER = 14 /* ",-1.2346e-123" */, TEXT = 64 + COLUMNS * (2 + BATCH * NUMBER) };

static size_t print_batch(const column_stream *s, const float *value, int count)
{
    size_t used = (size_t)snprintf(s->text, TEXT, "data: {\"row\":%llu,\"v\":[", (unsigned long long)s->place);
    for (int k = 0; k < s->columns; k++) {
        s->text[used++] = k ? ',' : '[';
        if (k)
            s->text[used++] = '[';
        for (int i = 0; i < count; i++) {
            double v = (double)value[i * s->columns + k];
            used += (size_t)snprintf(s->text + used, NUMBER + 1, isfinite(v) ? "%s%.5g" : "%snull", i ? "," : "", v);
        }
        s->text[used++] = ']';
    }
    return used + (size_t)snprintf(s->text + used, TEXT - used, "]}\n\n");
}

/* Number of samples to send; 0: the end; -1: none now, and the connection sleeps. */
static int take_batch(column_stream *s, float *value)
{
    page *p = s->page;
    HOLD(&p->lock);
    int count = samples_take(&p->samples, &s->place, s->column, s->columns, BATCH, value);
    if (!count && !p->ended) {
        count = -1;
        s->asleep = true;
        MHD_suspend_connection(s->connection);
    }
    return count;
}

static ssize_t read_columns(void *self, uint64_t position, char *out, size_t size)
{
    column_stream *s = self;
    (void)position;
    if (s->sent == s->length) {
        float value[BATCH * COLUMNS];
        if (s->ended)
            return MHD_CONTENT_READER_END_OF_STREAM;
        int count = take_batch(s, value);
        if (count < 0)
            return 0;
        s->ended = count == 0;
        s->length = count ? print_batch(s, value, count) : (size_t)sprintf(s->text, "event: end\ndata: {}\n\n");
        s->place += (uint64_t)count;
        s->sent = 0;
    }
    size_t left = s->length - s->sent, length = left < size ? left : size;
    memcpy(out, s->text + s->sent, length);
    s->sent += length;
    return (ssize_t)length;
}

static void leave_columns(void *self)
{
    column_stream *s = self;
    HOLD(&s->page->lock);
    s->connection = NULL;
    s->asleep = false;
    free(s->text);
    s->text = NULL;
    s->page->column_listeners--;
}

enum MHD_Result page_columns(page *p, struct MHD_Connection *connection, const int *column, int columns)
{
    column_stream *found = NULL;
    char *text = malloc(TEXT);
    if (!text)
        return MHD_NO;
    pthread_mutex_lock(&p->lock);
    for (int i = 0; i < STREAMS && !found; i++)
        if (!p->column_stream[i].connection)
            found = &p->column_stream[i];
    if (found) {
        *found = (column_stream){.page = p, .connection = connection, .columns = columns, .text = text};
        memcpy(found->column, column, (size_t)columns * sizeof *column);
        p->column_listeners++;
    }
    pthread_mutex_unlock(&p->lock);
    if (found)
        return page_queue(connection, read_columns, leave_columns, found);
    free(text);
    return MHD_NO;
}
