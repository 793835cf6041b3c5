/* SPDX-License-Identifier: MIT */
/* Type, unit, default and range of a key, as the reader enforces them. */
#include "case/reference.h"

#include <string.h>

#include "base/si.h"

/* "half-sine|rectangle" as "half-sine, rectangle". */
static void put_choices(char *out, size_t size, const char *words)
{
    size_t n = 0;
    for (; *words && n + 3 < size; words++) {
        out[n++] = *words == '|' ? ',' : *words;
        if (*words == '|')
            out[n++] = ' ';
    }
    out[n] = '\0';
}

/* "a length" as "length". */
static const char *without_article(const char *text)
{
    return strncmp(text, "a ", 2) == 0 ? text + 2 : strncmp(text, "an ", 3) == 0 ? text + 3 : text;
}

static const char *dimension_word(const ifd_param *p)
{
    return p->dim == IFD_DIM_NONE || p->dim == IFD_DIM_ANY ? "number" : without_article(ifd_dimension_text(p->dim));
}

static void put_type(const ifd_param *p, ifd__facts *f)
{
    static const char *const format[] = {[IFD_SHAPE_SCALAR] = "%s",
                                         [IFD_SHAPE_LIST] = "list, each entry: %s",
                                         [IFD_SHAPE_MATRIX] = "list of rows, each entry: %s",
                                         [IFD_SHAPE_WORD] = "word",
                                         [IFD_SHAPE_FLAG] = "yes or no",
                                         [IFD_SHAPE_CHOICE] = "%s or word",
                                         [IFD_SHAPE_TEXT] = "text"};
    char more[64] = "";
    if (p->shape == IFD_SHAPE_MATRIX && p->words) {
        char units[64];
        put_choices(units, sizeof units, p->words);
        snprintf(f->type, sizeof f->type, "list of rows, columns in %s%s", units,
                 p->file ? ", or the name of a file" : "");
        return;
    }
    if (p->file)
        snprintf(more, sizeof more, ", or the name of a file");
    const char *percent = strchr(format[p->shape], '%');
    int before = percent ? (int)(percent - format[p->shape]) : (int)strlen(format[p->shape]);
    snprintf(f->type, sizeof f->type, "%.*s%s%s%s", before, format[p->shape], percent ? dimension_word(p) : "",
             percent ? percent + 2 : "", more);
}

static bool numeric(const ifd_param *p)
{
    return p->shape != IFD_SHAPE_WORD && p->shape != IFD_SHAPE_FLAG && p->shape != IFD_SHAPE_TEXT;
}

static void put_range(const ifd_param *p, ifd__facts *f)
{
    size_t n = 0;
    if (p->shape == IFD_SHAPE_WORD || p->shape == IFD_SHAPE_CHOICE) {
        put_choices(f->range, sizeof f->range, p->words);
        n = strlen(f->range);
    }
    if (!numeric(p) || p->range == IFD_RANGE_FREE)
        return;
    n += (size_t)snprintf(f->range + n, sizeof f->range - n, "%s", n ? ", or " : "");
    if (p->range == IFD_RANGE_WITHIN)
        snprintf(f->range + n, sizeof f->range - n, "%g to %g%s%.*s", p->min, p->max,
                 ifd__si_length(p->dim) ? " " : "", IFD__SI(p->dim));
    else
        snprintf(f->range + n, sizeof f->range - n, "%s",
                 p->range == IFD_RANGE_POSITIVE ? "above zero" : "not below zero");
}

/* A preset outside the permitted range means "none". */
static bool none(const ifd_param *p)
{
    return (p->range == IFD_RANGE_POSITIVE && p->preset == 0) ||
           (p->range == IFD_RANGE_WITHIN && (p->preset < p->min || p->preset > p->max));
}

static void put_preset(const ifd_param *p, const char *form, const char *said, ifd__facts *f)
{
    if (p->required)
        snprintf(f->preset, sizeof f->preset, "required");
    else if (said)
        snprintf(f->preset, sizeof f->preset, "%s", said);
    else if (form)
        return;
    else if (p->shape == IFD_SHAPE_WORD || p->shape == IFD_SHAPE_CHOICE)
        snprintf(f->preset, sizeof f->preset, "%.*s", (int)strcspn(p->words, "|"), p->words);
    else if (p->shape == IFD_SHAPE_FLAG)
        snprintf(f->preset, sizeof f->preset, "%s", p->preset > 0 ? "yes" : "no");
    else if (p->shape == IFD_SHAPE_SCALAR && !none(p))
        snprintf(f->preset, sizeof f->preset, "%g%s%.*s", p->preset, ifd__si_length(p->dim) ? " " : "",
                 IFD__SI(p->dim));
}

void ifd__facts_of(const ifd_param *p, const char *form, const char *preset, ifd__facts *f)
{
    *f = (ifd__facts){.name = p->name, .meaning = p->doc ? p->doc : ""};
    if (form) {
        snprintf(f->type, sizeof f->type, "%s", form);
    } else {
        put_type(p, f);
        put_range(p, f);
        if (numeric(p) && p->dim != IFD_DIM_NONE)
            snprintf(f->unit, sizeof f->unit, "%s", p->dim == IFD_DIM_ANY ? "as used" : ifd_dimension_units(p->dim));
    }
    put_preset(p, form, preset, f);
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

bool ifd__same_param(const ifd_param *a, const ifd_param *b)
{
    return same_text(a->name, b->name) && a->dim == b->dim && a->shape == b->shape && a->required == b->required &&
           a->file == b->file && a->preset == b->preset && a->range == b->range && a->min == b->min &&
           a->max == b->max && same_text(a->words, b->words) && same_text(a->doc, b->doc);
}
