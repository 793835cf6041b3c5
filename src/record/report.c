/* SPDX-License-Identifier: MIT */
/* Prints findings as text and HTML. */
#include <interfield/report.h>

#include <string.h>

#include "base/markup.h"
#include "text/file.h"

typedef struct paint {
    const char *bold, *red, *green, *off;
} paint;

static const paint coloured = {"\033[1m", "\033[1;31m", "\033[32m", "\033[0m"}, plain = {"", "", "", ""};

enum { WIDEST = 160 }; /* longer source lines are truncated */

void ifd_text_print(const char *text, FILE *stream)
{
    for (const unsigned char *u = (const unsigned char *)text; *u; u++) {
        size_t control = *u == '\n' || *u == '\t' ? 0 : ifd__control_size(u);
        u += control > 1;
        fprintf(stream, control ? "\\x%02x" : "%c", *u);
    }
}

void ifd_html_print(const char *text, FILE *stream)
{
    ifd__markup_print(text, "\n\t", stream);
}

static void print_place(const ifd_place *place, const paint *p, FILE *f)
{
    if (!place->file)
        return;
    fputs(p->bold, f);
    ifd_text_print(place->file, f);
    if (place->line > 0)
        fprintf(f, ":%d", place->line);
    if (place->line > 0 && place->column > 0)
        fprintf(f, ":%d", place->column);
    fprintf(f, ":%s ", p->off);
}

/* Control characters would disturb the alignment or the terminal. */
static void print_source(const char *source, FILE *f)
{
    int column = 0;
    for (const unsigned char *u = (const unsigned char *)source; *u && column < WIDEST; u++) {
        size_t control = ifd__control_size(u);
        u += control > 1;
        fputc(control ? ' ' : *u, f);
        column += control || (*u & 0xc0) != 0x80; /* continuation bytes of UTF-8 have no width */
    }
}

/* The source line and, below the place, a caret with the first line of the hint. */
static void print_line(const ifd_finding *x, const paint *p, FILE *f)
{
    fprintf(f, "%6d | ", x->place.line);
    print_source(x->source, f);
    fprintf(f, "\n       | ");
    if (x->place.column < 1 || x->place.column > WIDEST) {
        fputc('\n', f);
        return;
    }
    fprintf(f, "%*s%s^", x->place.column - 1, "", p->green);
    for (int i = 1; i < x->place.width && x->place.column + i <= WIDEST; i++)
        fputc('~', f);
    fprintf(f, "%s", p->off);
    char first[1024] = "";
    if (x->hint)
        snprintf(first, sizeof first, " %.*s", (int)strcspn(x->hint, "\n"), x->hint);
    ifd_text_print(first, f);
    fputc('\n', f);
}

static void print(const ifd_finding *x, bool remark, bool colour, FILE *f)
{
    const paint *p = colour ? &coloured : &plain;
    print_place(&x->place, p, f);
    fputs(remark ? "note: " : p->red, f);
    ifd_text_print(x->text, f);
    fprintf(f, "%s\n", remark ? "" : p->off);
    bool shown = x->source && x->place.line > 0 && !remark;
    if (shown)
        print_line(x, p, f);
    const char *rest = x->hint;
    if (rest && shown && x->place.column >= 1 && x->place.column <= WIDEST) {
        rest = strchr(rest, '\n');
        rest = rest ? rest + 1 : NULL;
    }
    if (rest) {
        ifd_text_print(rest, f);
        fputc('\n', f);
    }
}

void ifd_note_print(const ifd_note *note, FILE *stream, bool colour)
{
    for (const ifd_finding *x = note->first; x; x = x->next)
        print(x, false, colour, stream);
    for (const ifd_finding *x = note->remark_first; x; x = x->next)
        print(x, true, colour, stream);
}
