/* SPDX-License-Identifier: MIT */
/* The results of a figure: sheets of numbers, answered claims, and notes on its settings. */
#include "reproduce.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void scene_try(scene *s, ifd_status status)
{
    outcome *o = s->out;
    if (status == IFD_OK)
        return;
    o->state = OUTCOME_FAILED;
    o->seconds = 1e-9 * (double)(clock_now() - s->began);
    snprintf(o->error, sizeof o->error, "%s", s->a->note.first ? s->a->note.first->text : ifd_status_text(status));
    _exit(EXIT_RUN_FAILED);
}

void *scene_array(scene *s, long count, size_t size)
{
    void *array = ifd_arena_array(s->a->arena, (size_t)count, size);
    scene_try(s, array ? IFD_OK : IFD_NO_MEMORY);
    return array;
}

char *scene_print(scene *s, const char *format, ...)
{
    char *text = NULL, *kept;
    va_list args;
    va_start(args, format);
    int length = vasprintf(&text, format, args);
    va_end(args);
    kept = length >= 0 ? ifd_arena_text(s->a->arena, text) : NULL;
    free(text);
    scene_try(s, kept ? IFD_OK : IFD_NO_MEMORY);
    return kept;
}

sheet *sheet_make(scene *s, const char *name, const char *columns, long room)
{
    sheet *t = scene_array(s, 1, sizeof *t);
    scene_try(s, s->sheets < MOST_SHEETS ? IFD_OK : IFD_NO_MEMORY);
    *t = (sheet){.name = name, .columns = columns, .width = 1, .room = room};
    for (const char *p = columns; *p; p++)
        t->width += *p == '|';
    t->column = scene_array(s, t->width, sizeof *t->column);
    for (int i = 0; i < t->width; i++)
        t->column[i] = scene_array(s, room, sizeof **t->column);
    snprintf(s->out->sheet[s->sheets], sizeof s->out->sheet[0], "%s", name);
    s->sheet[s->sheets++] = t;
    s->out->sheets = s->sheets;
    return t;
}

void sheet_add(sheet *t, const double *row)
{
    if (t->rows == t->room)
        return;
    for (int i = 0; i < t->width; i++)
        t->column[i][t->rows] = row[i];
    t->rows++;
}

static void put_sheet(FILE *out, const sheet *t)
{
    fputc('"', out);
    for (const char *p = t->columns; *p; p++) /* every name in quotes, since units and lists may hold commas */
        *p == '|' ? fputs("\",\"", out) : fputc(*p, out);
    fputs("\"\n", out);
    for (long r = 0; r < t->rows; r++) {
        for (int i = 0; i < t->width; i++) {
            if (i)
                fputc(',', out);
            if (!isnan(t->column[i][r]))
                fprintf(out, "%.10g", t->column[i][r]);
        }
        fputc('\n', out);
    }
}

void sheets_write(scene *s)
{
    for (int i = 0; i < s->sheets; i++) {
        const char *path = scene_print(s, "%s/%s.csv", s->folder, s->sheet[i]->name);
        FILE *out = fopen(path, "w");
        if (out)
            put_sheet(out, s->sheet[i]);
        if (!file_close(out))
            scene_try(s, ifd_note_add(&s->a->note, IFD_OUTPUT, NULL, "'%s' could not be written: %s", path,
                                      strerror(errno)));
    }
}

/* The figure's claim of that key; -1, and an error noted, when it has none. */
static int claim_find(scene *s, const char *key)
{
    for (int i = 0; i < s->out->claims; i++)
        if (strcmp(s->out->claim[i].row->key, key) == 0)
            return i;
    ifd_note_add(&s->a->note, IFD_INTERNAL, NULL, "%s has no claim '%s'", s->entry->id, key);
    return -1;
}

void found(scene *s, const char *key, double value)
{
    int i = claim_find(s, key);
    if (i >= 0 && s->out->claim[i].answered)
        ifd_note_add(&s->a->note, IFD_INTERNAL, NULL, "%s answers the claim '%s' twice", s->entry->id, key);
    if (i < 0)
        return;
    s->out->claim[i].found = isnan(value) ? (double)NAN : value; /* without a sign */
    s->out->claim[i].answered = true;
}

void tried(scene *s, const char *key, double value, const char *setting, ...)
{
    va_list args;
    int i = claim_find(s, key);
    if (i < 0 || s->out->trials == MOST_TRIALS)
        return;
    trial *t = &s->out->trial[s->out->trials++];
    *t = (trial){.claim = i, .found = isnan(value) ? (double)NAN : value};
    va_start(args, setting);
    vsnprintf(t->setting, sizeof t->setting, setting, args);
    va_end(args);
}

/* The same change is listed once. */
void changed(scene *s, const char *format, ...)
{
    outcome *o = s->out;
    char text[sizeof o->change[0]];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    for (int i = 0; i < o->changes; i++)
        if (strcmp(o->change[i], text) == 0)
            return;
    if (o->changes < MOST_REMARKS)
        strcpy(o->change[o->changes++], text);
}

void chosen(scene *s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (s->out->choices < MOST_REMARKS)
        vsnprintf(s->out->choice[s->out->choices++], sizeof s->out->choice[0], format, args);
    va_end(args);
}

void remarked(scene *s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (s->out->remarks < MOST_REMARKS)
        vsnprintf(s->out->remark[s->out->remarks++], sizeof s->out->remark[0], format, args);
    va_end(args);
}
