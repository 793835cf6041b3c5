/* SPDX-License-Identifier: MIT */
/* Texts of status codes, and the note that collects findings for a user. */
#include <interfield/arena.h>
#include <interfield/status.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const sentence[] = {
#define ROW(name, text) text,
    IFD_STATUS_LIST(ROW)
#undef ROW
};

#define ROW(name, text) #name,
static const char *const upper[] = {IFD_STATUS_LIST(ROW)};
#undef ROW

const char *ifd_status_text(ifd_status code)
{
    return (unsigned)code < IFD_STATUS_COUNT ? sentence[code] : "unknown status";
}

const char *ifd_status_name(ifd_status code)
{
    return (unsigned)code < IFD_STATUS_COUNT ? upper[code] : "UNKNOWN";
}

void ifd_note_init(ifd_note *note, ifd_arena *arena)
{
    memset(note, 0, sizeof *note);
    note->arena = arena;
}

static const char *print(ifd_arena *arena, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (length < 0)
        return format;
    char *text = ifd_arena_take(arena, (size_t)length + 1);
    if (!text)
        return format; /* no memory: the format without its values is still useful */
    vsnprintf(text, (size_t)length + 1, format, args);
    return text;
}

static ifd_finding *finding(ifd_note *note, ifd_status code, const ifd_place *place, const char *text)
{
    ifd_finding *f = ifd_arena_take(note->arena, sizeof *f);
    if (!f)
        return NULL;
    f->code = code;
    f->text = text;
    if (place)
        f->place = *place;
    return f;
}

/* NULL: no memory, or nobody collects. */
static ifd_finding *add(ifd_note *note, ifd_status code, const ifd_place *place, const char *format, va_list args)
{
    ifd_finding *f = note ? finding(note, code, place, print(note->arena, format, args)) : NULL;
    if (note)
        note->errors++;
    if (!f)
        return NULL;
    if (note->last)
        note->last->next = f;
    else
        note->first = f;
    note->last = f;
    return f;
}

ifd_status ifd_note_add(ifd_note *note, ifd_status code, const ifd_place *place, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)add(note, code, place, format, args);
    va_end(args);
    return code;
}

ifd_status ifd_note_about(ifd_note *note, ifd_status code, const char *subject, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    ifd_finding *f = add(note, code, NULL, format, args);
    va_end(args);
    if (f)
        f->subject = subject;
    return code;
}

ifd_status ifd_note_advise(ifd_note *note, ifd_status code, const ifd_place *place, const char *hint,
                           const char *format, ...)
{
    va_list args;
    va_start(args, format);
    ifd_finding *f = add(note, code, place, format, args);
    va_end(args);
    if (f)
        f->hint = hint;
    return code;
}

void ifd_note_hint(ifd_note *note, const char *format, ...)
{
    if (!note || !note->last)
        return;
    va_list args;
    va_start(args, format);
    note->last->hint = print(note->arena, format, args);
    va_end(args);
}

void ifd_note_remark(ifd_note *note, const ifd_place *place, const char *format, ...)
{
    if (!note)
        return;
    va_list args;
    va_start(args, format);
    const char *text = print(note->arena, format, args);
    va_end(args);
    ifd_finding *f = finding(note, IFD_OK, place, text);
    if (!f)
        return;
    if (note->remark_last)
        note->remark_last->next = f;
    else
        note->remark_first = f;
    note->remark_last = f;
}
