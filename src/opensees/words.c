/* SPDX-License-Identifier: MIT */
/* Reasons to refuse clients and to end a test. */
#include "opensees/server.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const double nothing[2] = {0.0, 0.0};

static void note_last(ifd_opensees *s, const char *text)
{
    pthread_mutex_lock(&s->lock);
    snprintf(s->report.last, sizeof s->report.last, "%s", text);
    pthread_mutex_unlock(&s->lock);
}

/* Only the first message counts, with its reason: later ones are consequences. So is any of them after the end of the
 * test, whose own reason is then the first. */
void ifd__os_say(ifd_opensees *s, ifd_remote_kind kind, const double value[2], const char *why)
{
    if (s->last_word != IFD_REMOTE_TARGET)
        return;
    if (s->measured.over && kind != IFD_REMOTE_END) {
        kind = IFD_REMOTE_END;
        value = nothing;
        why = "the test ended before the script";
    }
    s->last_word = kind;
    s->word_value[0] = value[0];
    s->word_value[1] = value[1];
    pthread_mutex_lock(&s->lock);
    s->report.ended = kind == IFD_REMOTE_END;
    s->report.lost = kind != IFD_REMOTE_END;
    s->report.word = kind;
    snprintf(s->report.why, sizeof s->report.why, "%s", why);
    pthread_mutex_unlock(&s->lock);
    if (*why)
        note_last(s, why);
}

/* More than IFD_OPENSEES_REASONS different reasons are only counted. */
static void count_reason(ifd_opensees_report *r, const char *text)
{
    int i = 0;
    while (i < r->reasons && strcmp(r->reason[i], text) != 0)
        i++;
    r->refused++;
    if (i == IFD_OPENSEES_REASONS)
        return;
    if (i == r->reasons)
        snprintf(r->reason[r->reasons++], sizeof r->reason[i], "%s", text);
    r->times[i]++;
}

static void note_refusal(ifd_opensees *s, const char *text)
{
    note_last(s, text);
    pthread_mutex_lock(&s->lock);
    count_reason(&s->report, text);
    pthread_mutex_unlock(&s->lock);
}

void ifd__os_refuse(ifd_opensees *s, ifd__os_peer *p, const char *format, ...)
{
    char text[IFD_OPENSEES_TEXT];
    va_list rest;
    va_start(rest, format);
    vsnprintf(text, sizeof text, format, rest);
    va_end(rest);
    note_refusal(s, text);
    if (p)
        ifd__os_lost(s, p, text);
}

void ifd__os_mismatch(ifd_opensees *s, double value, double expected, const char *format, ...)
{
    char text[IFD_OPENSEES_TEXT];
    va_list rest;
    va_start(rest, format);
    vsnprintf(text, sizeof text, format, rest);
    va_end(rest);
    ifd__os_say(s, IFD_REMOTE_MISMATCH, (double[]){value, expected}, text);
}

void ifd__os_lost(ifd_opensees *s, ifd__os_peer *p, const char *why)
{
    bool matters = p->element >= 0;
    ifd__os_hang_up(s, p);
    if (matters)
        ifd__os_say(s, IFD_REMOTE_LOST, nothing, why);
}

/* OpenSees does not notice that a connection is closed: it continues to read at full processor load. A client that
 * cannot be served stays connected if its messages can be separated, and receives NaN for every request until it
 * leaves. */
void ifd__os_dismiss(ifd_opensees *s, ifd__os_peer *p, const char *format, ...)
{
    char text[IFD_OPENSEES_TEXT];
    va_list rest;
    va_start(rest, format);
    vsnprintf(text, sizeof text, format, rest);
    va_end(rest);
    note_refusal(s, text);
    p->dismissed = true;
    pthread_mutex_lock(&s->lock);
    s->report.dismissed++;
    pthread_mutex_unlock(&s->lock);
}

/* Every request with a reply is answered with NaN; no message reaches the test. */
void ifd__os_dismissed_message(ifd_opensees *s, ifd__os_peer *p, ifd__osw_event event)
{
    ifd__osw_code code;
    if (event == IFD__OSW_TEXT)
        return;
    if (event != IFD__OSW_VECTOR || ifd__osw_code_read(p->in.bytes, &code) != IFD__OSW_BAD_FINE ||
        code == IFD__OSW_DIE) {
        ifd__os_hang_up(s, p);
        return;
    }
    const double no_number = (double)NAN;
    for (int i = 0; i < p->in.sizes.n; i++)
        ifd__osw_doubles_write(&no_number, 1, p->out + 8 * i);
    if (code >= IFD__OSW_GET_DAQ)
        ifd__os_reply(s, p);
}
