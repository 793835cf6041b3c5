/* SPDX-License-Identifier: MIT */
/* Help and docs/case.md: both printed from the tables that read a case file. */
#include <interfield/case.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <interfield/fmu.h>

#include "base/si.h"
#include "case/keys.h"
#include "text/yaml.h"
#include "case/rig/rigs.h"

/* "half-sine|rectangle" as "half-sine, rectangle". */
static void print_choices(FILE *out, const char *words)
{
    for (; *words; words++)
        if (*words == '|')
            fputs(", ", out);
        else
            fputc(*words, out);
}

static const char *range_text(const ifd_param *p)
{
    switch (p->range) {
    case IFD_RANGE_POSITIVE:
        return ", above zero";
    case IFD_RANGE_NOT_NEGATIVE:
        return ", not below zero";
    default:
        return "";
    }
}

static void print_dimension(FILE *out, const ifd_param *p, const char *one)
{
    if (p->dim == IFD_DIM_NONE)
        fputs(one, out);
    else if (p->dim == IFD_DIM_ANY)
        fputs("a number", out);
    else
        fprintf(out, "%s (%s)", ifd_dimension_text(p->dim), ifd_dimension_units(p->dim));
    if (p->range == IFD_RANGE_WITHIN)
        fprintf(out, ", %g to %g%s%.*s", p->min, p->max, ifd__si_length(p->dim) ? " " : "", IFD__SI(p->dim));
    else
        fputs(range_text(p), out);
}

static void print_value(FILE *out, const ifd_param *p)
{
    switch (p->shape) {
    case IFD_SHAPE_SCALAR:
        print_dimension(out, p, "a number");
        break;
    case IFD_SHAPE_LIST:
        fputs("a list, each ", out);
        print_dimension(out, p, "a number");
        break;
    case IFD_SHAPE_MATRIX:
        fputs("a list of rows, each entry ", out);
        print_dimension(out, p, "a number");
        break;
    case IFD_SHAPE_CHOICE:
        print_choices(out, p->words);
        fputs(", or ", out);
        print_dimension(out, p, "a number");
        break;
    case IFD_SHAPE_WORD:
        print_choices(out, p->words);
        break;
    case IFD_SHAPE_FLAG:
        fputs("yes or no", out);
        break;
    case IFD_SHAPE_TEXT:
        fputs("text", out);
        break;
    }
}

/* A preset that lies outside the permitted range stands for "none". */
static bool none(const ifd_param *p)
{
    return (p->range == IFD_RANGE_POSITIVE && p->preset == 0) ||
           (p->range == IFD_RANGE_WITHIN && (p->preset < p->min || p->preset > p->max));
}

/* What holds when a value is not given. */
static void print_preset(FILE *out, const ifd_param *p, const char *said)
{
    if (p->required)
        fputs("; required", out);
    else if (said)
        fprintf(out, "; default: %s", said);
    else if (p->shape == IFD_SHAPE_WORD || p->shape == IFD_SHAPE_CHOICE)
        fprintf(out, "; default: %.*s", (int)strcspn(p->words, "|"), p->words);
    else if (p->shape == IFD_SHAPE_FLAG)
        fprintf(out, "; default: %s", p->preset > 0 ? "yes" : "no");
    else if (p->shape == IFD_SHAPE_SCALAR && !none(p))
        fprintf(out, "; default: %g", p->preset);
}

static void print_param(FILE *out, const ifd_param *p, const char *form, const char *said)
{
    fprintf(out, "- `%s` (", p->name);
    if (form)
        fputs(form, out);
    else
        print_value(out, p);
    if (form)
        fprintf(out, "%s%s",
                p->required ? "; required"
                : said      ? "; default: "
                            : "",
                !p->required && said ? said : "");
    else
        print_preset(out, p, said);
    fprintf(out, "): %s\n", p->doc ? p->doc : "");
}

static void print_params(FILE *out, const ifd_param *p)
{
    for (; p->name; p++)
        if (!ifd__param_hidden(p))
            print_param(out, p, NULL, NULL);
}

static void print_method(FILE *out, const ifd_method *m)
{
    fprintf(out, "\n### method `%s`\n\n%s. %s\n\n", m->name, m->title, m->summary);
    if (m->order > 0)
        fprintf(out, "Order %d. ", m->order);
    fprintf(out, "%s%s.\n\n", m->measures ? "Works with a specimen. " : "", m->citation);
    print_params(out, m->params);
}

static void print_coupling(FILE *out, const ifd_coupling *c)
{
    fprintf(out, "\n### coupling `%s`\n\n%s. %s%s\n\nOrder %d. Methods of its parts: ", c->name, c->title, c->summary,
            c->comparison ? " For comparison only." : "", c->order);
    print_choices(out, c->methods);
    fprintf(out, ". %s.\n", c->citation);
}

static void print_extrapolator(FILE *out, const ifd_extrapolator *e)
{
    fprintf(out, "\n### extrapolator `%s`\n\n%s. %s%s%s\n\n", e->name, e->title, e->summary,
            e->citation[0] ? " " : "", e->citation);
    print_params(out, e->params);
}

static const char *attach_text(const ifd_element_ops *e)
{
    switch (e->attach) {
    case IFD_ATTACH_PAIR:
        return "`between: [from, to]` or `at: dof`";
    case IFD_ATTACH_PIVOT:
        return "`at: dof`, or the ground when it is left out";
    case IFD_ATTACH_PORTS:
        return "`read: [...]` and `apply: [...]`";
    }
    return "";
}

static void print_element(FILE *out, const ifd_element_ops *e)
{
    fprintf(out, "\n### element `%s`\n\n%s. Attached by %s.\n\n    %s\n\n", e->name, e->summary, attach_text(e),
            e->equation);
    for (const char *const *own = e->own; own && *own; own++)
        fprintf(out, "- `%s` (a name; default: ELEMENT.%s): name of its own dof\n", *own, *own);
    print_params(out, e->params);
}

static void print_piece(FILE *out, const char *noun, const char *name, const char *summary, const ifd_param *params)
{
    fprintf(out, "\n### %s `%s`\n\n%s.\n\n", noun, name, summary);
    print_params(out, params);
}

static void print_units(FILE *out)
{
    double least, most;
    fputs("\nEvery number is 0, or its magnitude is in the range of its dimension, in SI units.\n"
          "A key that says more is narrower.\n\n",
          out);
    for (int d = IFD_DIM_NONE; d < IFD_DIM_COUNT; d++) {
        bool plain = d == IFD_DIM_NONE || d == IFD_DIM_ANY;
        ifd__yaml_magnitude((ifd_dimension)d, &least, &most);
        fprintf(out, "- %s: %s%s%g to %g\n",
                d == IFD_DIM_NONE  ? "a plain number"
                : d == IFD_DIM_ANY ? "a number whose dimension depends on its use"
                                   : ifd_dimension_text((ifd_dimension)d),
                plain ? "" : ifd_dimension_units((ifd_dimension)d), plain ? "" : "; ", least, most);
    }
}

/* Rows of tables: all of one topic, or those of a name; how many were asked for. */
typedef struct request {
    const char *topic, *name; /* one of them is NULL */
    int rows;
} request;

static bool asked(request *q, const char *topic, const char *name)
{
    bool is = q->topic ? strcmp(q->topic, topic) == 0 : strcmp(q->name, name) == 0;
    q->rows += is;
    return is;
}

static void print_rows(FILE *out, request *q)
{
    for (int i = 0; i < ifd_method_count; i++)
        if (asked(q, "method", ifd_methods[i]->name))
            print_method(out, ifd_methods[i]);
    for (int i = 0; i < ifd_coupling_count; i++)
        if (asked(q, "coupling", ifd_couplings[i]->name))
            print_coupling(out, ifd_couplings[i]);
    for (int i = 0; i < ifd_extrapolator_count; i++)
        if (asked(q, "extrapolator", ifd_extrapolators[i]->name))
            print_extrapolator(out, ifd_extrapolators[i]);
    for (int i = 0; i < ifd_element_count; i++)
        if (asked(q, "element", ifd_elements[i]->name))
            print_element(out, ifd_elements[i]);
    for (int i = 0; i < ifd_signal_kind_count; i++)
        if (asked(q, "signal", ifd_signal_kinds[i]->name))
            print_piece(out, "signal", ifd_signal_kinds[i]->name, ifd_signal_kinds[i]->summary,
                        ifd_signal_kinds[i]->params);
    for (int i = 0; i < ifd_actuator_count; i++)
        if (asked(q, "actuator", ifd_actuators[i]->name))
            print_piece(out, "actuator", ifd_actuators[i]->name, ifd_actuators[i]->summary, ifd_actuators[i]->params);
    for (int i = 0; i < ifd_compensator_count; i++)
        if (asked(q, "compensation", ifd_compensators[i]->name))
            print_piece(out, "compensation", ifd_compensators[i]->name, ifd_compensators[i]->summary,
                        ifd_compensators[i]->params);
    for (int i = 0; ifd__rigs[i]; i++)
        if (asked(q, "test", ifd__rigs[i]->name))
            print_piece(out, "rig", ifd__rigs[i]->name, ifd__rigs[i]->summary, ifd__rigs[i]->params);
}

/* What follows the keys of a section. */
static void print_tables(FILE *out, const char *topic)
{
    print_rows(out, &(request){.topic = topic});
    if (strcmp(topic, "specimen") == 0)
        print_element(out, &ifd_fmu_element);
    if (strcmp(topic, "actuator") == 0)
        print_piece(out, "actuator", ifd_fmu_actuator.name, ifd_fmu_actuator.summary, ifd_fmu_actuator.params);
    if (strcmp(topic, "sensor") == 0)
        print_params(out, ifd_sensor_params);
    if (strcmp(topic, "units") == 0)
        print_units(out);
}

static void print_section(FILE *out, const ifd__section *s, bool page)
{
    fprintf(out, "\n## %s\n\n", s->title);
    if (s->intro[0])
        fprintf(out, "%s\n\n", s->intro);
    for (const ifd__key *k = s->keys; k->param.name; k++)
        print_param(out, &k->param, k->form, k->preset);
    if (s->keys->param.name)
        fputc('\n', out);
    /* Without the fence a page would take the example for a part of the list above it. */
    fprintf(out, "%s%s%s", page ? "```yaml\n" : "", s->example, page ? "```\n" : "");
    print_tables(out, s->topic);
}

static void print_all(FILE *out)
{
    fputs("# The case file\n\nThis page is printed by `interfield help all`, from the tables that read the file.\n",
          out);
    for (int i = 0; ifd__sections[i]; i++)
        print_section(out, ifd__sections[i], true);
}

static void print_topics(FILE *out)
{
    fputs("\nMore: interfield help TOPIC, where TOPIC is one of\n   ", out);
    for (int i = 0; ifd__sections[i]; i++)
        fprintf(out, " %s", ifd__sections[i]->topic);
    fputs(
        " all,\n"
        "or the name of a method, a coupling, an extrapolator, an element, a signal, an actuator, a compensation or "
        "a "
        "rig.\n",
        out);
}

/* Whether the topic is known; what there is to say goes to out. */
static bool print_topic(FILE *out, const char *topic)
{
    const ifd__section *s = ifd__section_find(topic);
    request q = {.name = topic};
    bool all = strcmp(topic, "all") == 0;
    if (all)
        print_all(out);
    if (s)
        print_section(out, s, false);
    if (s == &ifd__section_case)
        print_topics(out);
    print_rows(out, &q);
    return all || s || q.rows;
}

const char *ifd_case_help(ifd_arena *arena, const char *topic)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    bool known = print_topic(out, topic);
    bool whole = fclose(out) == 0;
    const char *copy = known && whole && text ? ifd_arena_text(arena, text + (text[0] == '\n')) : NULL;
    free(text);
    return copy;
}
