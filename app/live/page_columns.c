/* SPDX-License-Identifier: MIT */
/* The values of columns, for each browser those that it requested: {"row": number of the first sample, "v": [values
 * of the first column, ...]}. A test can record hundreds of columns; a page shows a few. The server thread writes the
 * text and holds the lock only while numbers are copied. A slow browser loses samples, which it detects by their
 * numbers. */
#include "page_inside.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    pthread_mutex_lock(&p->lock);
    int count = samples_take(&p->samples, &s->place, s->column, s->columns, BATCH, value);
    if (!count && !p->ended) {
        count = -1;
        s->asleep = true;
        MHD_suspend_connection(s->connection);
    }
    pthread_mutex_unlock(&p->lock);
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
    pthread_mutex_lock(&s->page->lock);
    s->connection = NULL;
    s->asleep = false;
    free(s->text);
    s->text = NULL;
    s->page->column_listeners--;
    pthread_mutex_unlock(&s->page->lock);
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
