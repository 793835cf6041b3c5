/* SPDX-License-Identifier: MIT */
/* The rows of all tables with choices for a case, with their examples. */
#include <assert.h>
#include <ctype.h>
#include <interfield/compensator.h>
#include <interfield/fmu.h>
#include <interfield/run.h>
#include <string.h>

#include "base/si.h"
#include "case/reference.h"
#include "case/rig/rigs.h"

/* Type, unit, default and range of a key, as the reader enforces them. */

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
    static const char *const format[] = {
        [IFD_SHAPE_SCALAR] = "%s", [IFD_SHAPE_LIST] = "list: %s",  [IFD_SHAPE_MATRIX] = "rows: %s",
        [IFD_SHAPE_WORD] = "word", [IFD_SHAPE_FLAG] = "yes or no", [IFD_SHAPE_CHOICE] = "%s or word",
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

static int add(ifd__row *out, int count, ifd__row row)
{
    assert(count < IFD__ROWS);
    out[count] = row;
    return count + 1;
}

static const char *attached(const ifd_element_ops *e)
{
    switch (e->attach) {
    case IFD_ATTACH_PAIR:
        if (e->flags & IFD_ELEMENT_SEVERAL)
            return IFD__ATTACHED_PAIR "; in several directions by lists of them";
        return IFD__ATTACHED_PAIR;
    case IFD_ATTACH_PIVOT:
        return "`at: dof`; without `at` it is attached to the ground";
    case IFD_ATTACH_PORTS:
        return "`read: [...]` and `apply: [...]`";
    }
    return "";
}

static ifd__row element_row(const char *topic, const ifd_element_ops *e)
{
    return (ifd__row){.noun = "element",
                      .topic = topic,
                      .name = e->name,
                      .summary = e->summary,
                      .attached = attached(e),
                      .equation = e->equation,
                      .own = e->own,
                      .params = e->params};
}

/* Numerical rows: methods, couplings, extrapolators. */
static int add_numerics(ifd__row *out, int n)
{
    static const ifd_param no_params[] = {{0}};
#define TITLED(kind, row)                                                                                            \
    .noun = kind, .topic = kind, .name = (row)->name, .title = (row)->title, .summary = (row)->summary
    for (int i = 0; i < ifd_method_count; i++) {
        const ifd_method *m = ifd_methods[i];
        n = add(out, n,
                (ifd__row){TITLED("method", m), .citation = m->citation, .order = m->order, .measures = m->measures,
                           .params = m->params});
    }
    for (int i = 0; i < ifd_coupling_count; i++) {
        const ifd_coupling *c = ifd_couplings[i];
        n = add(out, n,
                (ifd__row){TITLED("coupling", c), .citation = c->citation, .order = c->order,
                           .comparison = c->comparison, .methods = c->methods, .params = no_params});
    }
    for (int i = 0; i < ifd_extrapolator_count; i++) {
        const ifd_extrapolator *e = ifd_extrapolators[i];
        n = add(out, n,
                (ifd__row){TITLED("extrapolator", e), .citation = e->citation[0] ? e->citation : NULL,
                           .params = e->params});
    }
#undef TITLED
    return n;
}

int ifd__rows(ifd__row *out)
{
    int n = add_numerics(out, 0);
    for (int i = 0; i < ifd_element_count; i++)
        n = add(out, n, element_row("element", ifd_elements[i]));
    n = add(out, n, element_row("specimen", &ifd_fmu_element));
#define PLAIN(noun, topic, row)                                                                                      \
    n = add(out, n, (ifd__row){noun, topic, (row)->name, .summary = (row)->summary, .params = (row)->params})
    for (int i = 0; i < ifd_signal_kind_count; i++)
        PLAIN("signal", "signal", ifd_signal_kinds[i]);
    for (int i = 0; i < ifd_actuator_count; i++)
        PLAIN("actuator", "actuator", ifd_actuators[i]);
    PLAIN("actuator", "actuator", &ifd_fmu_actuator);
    for (int i = 0; i < ifd_compensator_count; i++)
        PLAIN("compensation", "compensation", ifd_compensators[i]);
    for (int i = 0; ifd__rigs[i]; i++)
        PLAIN("rig", "test", ifd__rigs[i]);
#undef PLAIN
    return n;
}

/* The first letter of a word, not of a symbol, is capital at the start of a sentence and small after a colon. */
static void put_start(FILE *out, const char *s, int (*letter)(int))
{
    bool word = islower((unsigned char)s[1]) || s[1] == ' ';
    fprintf(out, "%c%s", word ? letter((unsigned char)s[0]) : s[0], s + 1);
}

void ifd__row_about(const ifd__row *r, char *text, size_t size)
{
    FILE *out = fmemopen(text, size, "w");
    text[0] = '\0';
    if (!out)
        return;
    if (r->title) {
        put_start(out, r->title, toupper);
        fputs(": ", out);
    }
    if (strcmp(r->noun, "element") == 0)
        fprintf(out, "This element represents %s", r->summary);
    else if (strcmp(r->noun, "signal") == 0)
        fprintf(out, "This signal is %s", r->summary);
    else
        put_start(out, r->summary, r->title ? tolower : toupper);
    if (r->summary[strlen(r->summary) - 1] != '.')
        fputc('.', out);
    if (r->attached)
        fprintf(out, " The element is attached by %s.", r->attached);
    if (r->comparison)
        fprintf(out, " The %s is for comparison only.", r->noun);
    if (r->order > 0)
        fprintf(out, " Its order is %d.", r->order);
    if (r->measures)
        fputs(" The method supports specimens.", out);
    if (r->methods) {
        fputs(" The substructures use ", out);
        for (const char *names = r->methods; *names; names++)
            fputs(*names != '|' ? (char[]){*names, '\0'} : strchr(names + 1, '|') ? ", " : " or ", out);
        fputc('.', out);
    }
    if (r->citation)
        fprintf(out, " Source: %s.", r->citation);
    fclose(out);
}

void ifd__own_dof(const char *key, const ifd__examples *e, ifd__facts *f)
{
    *f = (ifd__facts){.name = key, .meaning = "name of a dof that the element adds"};
    snprintf(f->type, sizeof f->type, "name");
    snprintf(f->preset, sizeof f->preset, "ELEMENT.%s", key);
    (void)ifd__examples_value(e, "", key, f->example, sizeof f->example);
}
