/* SPDX-License-Identifier: MIT */
/* Reads the head of a journal. */
#include "record/journal/journal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct scan {
    ifd_arena *arena;
    char *next, *end;
    ifd_journal_facts *f;
    ifd_column *column;
    int columns;
} scan;

static bool take_column(scan *s, char *text)
{
    char *unit = strchr(text, '\t'), *group = unit ? strchr(unit + 1, '\t') : NULL;
    if (!group || s->columns >= s->f->columns)
        return false;
    *unit = *group = '\0';
    return ifd_column_read(s->arena, text, unit + 1, group + 1, &s->column[s->columns++]) == IFD_OK;
}

static void take_remote(ifd_journal_facts *f, char *value)
{
    f->remote.order = (int)strtol(value, &value, 10);
    f->remote.paced = strtol(value, &value, 10) != 0;
    f->remote.trials = (int)strtol(value, NULL, 10);
}

/* One line of the facts; the bundle is the remaining text. */
static bool take_line(scan *s, const char *key, char *value)
{
    ifd_journal_facts *f = s->f;
    if (strcmp(key, "interfield") == 0)
        f->version = value;
    else if (strcmp(key, "kernels") == 0)
        f->kernels = value;
    else if (strcmp(key, "cpu") == 0)
        f->cpu = value;
    else if (strcmp(key, "started") == 0)
        f->started = value;
    else if (strcmp(key, "program") == 0)
        f->program = strtoull(value, NULL, 16);
    else if (strcmp(key, "period") == 0)
        f->period = strtod(value, NULL);
    else if (strcmp(key, "operator") == 0)
        f->by = value;
    else if (strcmp(key, "note") == 0)
        f->notes = f->notes ? ifd_arena_print(s->arena, "%s\n%s", f->notes, value) : value;
    else if (strcmp(key, "rehearsal") == 0)
        f->rehearsal = true;
    else if (strcmp(key, "characterisation") == 0)
        f->characterisation = true;
    else if (strcmp(key, "remote") == 0)
        take_remote(f, value);
    else if (strcmp(key, "column") == 0)
        return take_column(s, value);
    else if (strcmp(key, "bundle") == 0) {
        f->bundle_length = strtoull(value, NULL, 10);
        f->bundle = s->next;
        return f->bundle_length == (size_t)(s->end - s->next);
    }
    return true;
}

static bool take_text(scan *s)
{
    while (s->next < s->end && !s->f->bundle) {
        char *line = s->next, *feed = memchr(line, '\n', (size_t)(s->end - line));
        char *blank = feed ? memchr(line, ' ', (size_t)(feed - line)) : NULL;
        if (!blank)
            return false;
        *feed = *blank = '\0';
        s->next = feed + 1;
        if (!take_line(s, line, blank + 1))
            return false;
    }
    return s->f->bundle && s->columns == s->f->columns && s->f->period > 0 && isfinite(s->f->period);
}

static ifd__layout layout_of(const ifd__journal_head *h)
{
    return (ifd__layout){.id = h->id,
                         .head = h->bytes,
                         .record = h->record,
                         .sensed = h->sensed,
                         .aux = h->aux,
                         .targets = (int)h->targets,
                         .columns = (int)h->columns};
}

static const char *check(const ifd__journal_head *h, size_t bytes, const unsigned char *p)
{
    if (bytes < sizeof *h || memcmp(h->magic, IFD__JOURNAL_MAGIC, sizeof h->magic) != 0)
        return "it does not begin like a journal";
    if (h->order != IFD__JOURNAL_ORDER || h->schema != IFD_JOURNAL_SCHEMA)
        return "it was written by another version of interfield, or its head is damaged";
    if (h->bytes > bytes)
        return "it ends within its head";
    ifd__layout l = layout_of(h);
    if (h->bytes < sizeof *h || h->text > h->bytes - sizeof *h || h->sensed > IFD_RIG_CHANNELS ||
        h->aux > IFD_RIG_AUX || h->targets > IFD_REMOTE_DOFS || h->columns > 1u << 20 ||
        h->record != ifd__frame_size(&l))
        return "its head is damaged";
    return ifd__head_checksum(p, (size_t)h->text) == h->checksum ? NULL : "its head is damaged";
}

const char *ifd__head_decode(ifd_arena *arena, const unsigned char *p, size_t bytes, ifd__layout *l,
                             ifd_journal_facts *out)
{
    ifd__journal_head h = {0};
    if (bytes >= sizeof h)
        memcpy(&h, p, sizeof h);
    const char *wrong = check(&h, bytes, p);
    if (wrong)
        return wrong;
    *l = layout_of(&h);
    *out = (ifd_journal_facts){.version = "",
                               .kernels = "",
                               .cpu = "",
                               .started = "",
                               .sensed = h.sensed,
                               .aux = h.aux,
                               .remote = {.dofs = (int)h.targets},
                               .columns = (int)h.columns};
    char *text = ifd_arena_text_n(arena, (const char *)p + sizeof h, (size_t)h.text);
    scan s = {.arena = arena, .next = text, .end = text ? text + h.text : NULL, .f = out};
    s.column = ifd_arena_array(arena, h.columns, sizeof *s.column);
    if (!text || !s.column)
        return "no memory";
    out->column = s.column;
    return take_text(&s) ? NULL : "its head is damaged";
}
