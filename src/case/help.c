/* SPDX-License-Identifier: MIT */
/* Help about the case file in the terminal, printed from the tables that read it. */
#include <interfield/case.h>

#include <stdlib.h>
#include <string.h>

#include <interfield/link.h>

#include "base/arena.h"
#include "case/reference.h"
#include "case/rig/rigs.h"

enum { WIDTH = 80, INDENT = 2, NAMES = 24 };

/* Text in lines of WIDTH columns; the first begins at column `at`. An empty line separates paragraphs; items of a
 * list begin with "- ". */
static void put_wrapped(FILE *out, const char *text, int indent, int at)
{
    int column = at;
    bool first = true;
    while (*text) {
        size_t word = strcspn(text, " \n");
        if (!first && column + 1 + (int)word > WIDTH) {
            fprintf(out, "\n%*s", indent, "");
            column = indent;
            first = true;
        }
        column += fprintf(out, "%s%.*s", first ? "" : " ", (int)word, text);
        first = false;
        text += word;
        bool item = strncmp(text, "\n- ", 3) == 0;
        if (item || strncmp(text, "\n\n", 2) == 0) {
            fprintf(out, item ? "\n%*s" : "\n\n%*s", indent, "");
            column = indent;
            first = true;
        }
        text += strspn(text, " \n");
    }
    fputc('\n', out);
}

static void put_fact(char *line, size_t size, const char *before, const char *text)
{
    size_t n = strlen(line);
    if (*text)
        snprintf(line + n, size - n, "%s%s", before, text);
}

static void print_facts(FILE *out, const ifd__facts *f)
{
    char line[1024] = "";
    put_fact(line, sizeof line, "", f->type);
    put_fact(line, sizeof line, "; unit ", f->unit);
    put_fact(line, sizeof line, strstr(f->type, "word") ? "; values " : "; range ", f->range);
    put_fact(line, sizeof line, strcmp(f->preset, "required") == 0 ? "; " : "; default ", f->preset);
    put_fact(line, sizeof line, "; example ", f->example);
    int indent = INDENT + NAMES, used = fprintf(out, "%*s%-*s", INDENT, "", NAMES - 1, f->name);
    fputc(' ', out);
    put_wrapped(out, line, indent, used + 1);
    fprintf(out, "%*s", indent, "");
    put_wrapped(out, f->meaning, indent, indent);
}

static void print_key(FILE *out, const ifd__key *k, const ifd__examples *e, const char *path)
{
    ifd__facts f;
    ifd__facts_of(&k->param, k->form, k->preset, &f);
    (void)ifd__examples_value(e, path, k->param.name, f.example, sizeof f.example);
    print_facts(out, &f);
}

static void print_param(FILE *out, const ifd_param *p, const ifd__examples *e, const char *path)
{
    print_key(out, &(ifd__key){.param = *p}, e, path);
}

static void print_params(FILE *out, const ifd_param *p, const ifd__examples *e, const char *path)
{
    for (; p->name; p++)
        if (!ifd__param_hidden(p))
            print_param(out, p, e, path);
}

static void print_row(FILE *out, ifd_arena *arena, const ifd__row *r)
{
    ifd__examples e;
    char text[1024];
    ifd__examples_read(arena, ifd__row_example(arena, r), &e);
    fprintf(out, "\n### %s `%s`\n\n", r->noun, r->name);
    ifd__row_about(r, text, sizeof text);
    put_wrapped(out, text, 0, 0);
    if (r->equation) {
        fputs("\n    ", out);
        put_wrapped(out, r->equation, 8, 4);
    }
    fputc('\n', out);
    for (const char *const *own = r->own; own && *own; own++) {
        ifd__facts f;
        ifd__own_dof(*own, &e, &f);
        print_facts(out, &f);
    }
    print_params(out, r->params, &e, "");
}

static void print_rows(FILE *out, ifd_arena *arena, const char *topic)
{
    ifd__row row[IFD__ROWS];
    int count = ifd__rows(row);
    for (int i = 0; i < count; i++)
        if (strcmp(row[i].topic, topic) == 0)
            print_row(out, arena, &row[i]);
}

static void print_units(FILE *out)
{
    char line[160];
    fputc('\n', out);
    for (int d = IFD_DIM_NONE; d < IFD_DIM_COUNT; d++) {
        double least, most;
        ifd__yaml_magnitude((ifd_dimension)d, &least, &most);
        snprintf(line, sizeof line, "%s: %s; magnitude %g to %g", ifd_dimension_text((ifd_dimension)d),
                 ifd_dimension_units((ifd_dimension)d), least, most);
        fprintf(out, "%*s%s\n", INDENT, "", line);
    }
}

/* The lines of a text up to `end`. */
static void print_example(FILE *out, const char *text, const char *end)
{
    while (text < end) {
        size_t length = strcspn(text, "\n");
        fprintf(out, "%s%.*s\n", length ? "    " : "", (int)length, text);
        text += length + (text[length] == '\n');
    }
}

void ifd__section_help(FILE *out, ifd_arena *arena, const ifd__section *s)
{
    ifd__examples e;
    const char *text = ifd__section_example(s), *end = text + strlen(text), *further = strstr(text, "\n\n");
    bool has_keys = s->keys->param.name || s == &ifd__section_sensor;
    ifd__examples_read(arena, text, &e);
    fprintf(out, "\n## %s\n\n", s->title);
    if (s->path[0])
        fprintf(out, "Path: %s\n\n", s->path);
    if (s->intro[0]) {
        put_wrapped(out, s->intro, 0, 0);
        fputc('\n', out);
    }
    fputs("Example:\n\n", out); /* the first one is the plainest */
    print_example(out, text, further ? further + 1 : end);
    fputs(has_keys ? "\n" : "", out);
    for (const ifd__key *k = s->keys; k->param.name; k++)
        print_key(out, k, &e, s->path);
    if (s == &ifd__section_sensor)
        print_params(out, ifd_sensor_params, &e, s->path);
    if (further) {
        fputs("\nFurther examples:\n\n", out);
        print_example(out, further + 2, end);
    }
    if (s == &ifd__section_units)
        print_units(out);
    print_rows(out, arena, s->topic);
}

static void print_topics(FILE *out)
{
    char line[2048] = "";
    for (int i = 0; ifd__sections[i]; i++)
        put_fact(line, sizeof line, i ? " " : "", ifd__sections[i]->topic);
    fputs("\nMore: interfield help TOPIC. Topics:\n\n    ", out);
    put_wrapped(out, line, 4, 4);
    fputs("\n    all (everything), a key, a method, a coupling, an extrapolator, an element, a signal,\n"
          "    an actuator, a compensation or a rig\n",
          out);
}

/* Prints every key and parameter of that name; returns whether there is one. */
static bool print_keys(FILE *out, ifd_arena *arena, const char *name)
{
    ifd__row row[IFD__ROWS];
    int count = ifd__rows(row), found = 0;
    ifd__examples e;
    for (int i = 0; ifd__sections[i]; i++) {
        const ifd__section *s = ifd__sections[i];
        const ifd__key *k = ifd__key_find(s->keys, name);
        int p = s == &ifd__section_sensor ? ifd_param_find(ifd_sensor_params, name) : -1;
        if (!k && p < 0)
            continue;
        ifd__examples_read(arena, ifd__section_example(s), &e);
        fprintf(out, "\n## %s: key of `%s` (help %s)\n\n", name, s->path[0] ? s->path : "the file", s->topic);
        if (k)
            print_key(out, k, &e, s->path);
        else
            print_param(out, &ifd_sensor_params[p], &e, s->path);
        found++;
    }
    for (int i = 0; i < count; i++) {
        int p = ifd_param_find(row[i].params, name);
        if (p < 0 || ifd__param_hidden(&row[i].params[p]))
            continue;
        ifd__examples_read(arena, ifd__row_example(arena, &row[i]), &e);
        fprintf(out, "\n## %s: parameter of %s `%s` (help %s)\n\n", name, row[i].noun, row[i].name, row[i].name);
        print_param(out, &row[i].params[p], &e, "");
        found++;
    }
    return found > 0;
}

/* "The key 'limits' also occurs in: ..." below a section or a row of that name. */
static void print_also(FILE *out, const char *name)
{
    char line[512] = "";
    for (int i = 0; ifd__sections[i]; i++)
        if (ifd__sections[i] != &ifd__section_case && ifd__key_find(ifd__sections[i]->keys, name))
            put_fact(line, sizeof line, line[0] ? ", " : "", ifd__sections[i]->topic);
    if (line[0])
        fprintf(out, "\nThe key `%s` occurs in: %s.\n", name, line);
}

/* A driver is not part of the tables: it depends on the installation. */
static int print_driver(FILE *out, ifd_arena *arena, const char *topic)
{
    ifd__driver d;
    const ifd_rig_ops *ops = NULL;
    if (!ifd__driver_find(arena, topic, &d))
        return 0;
    if (ifd_rig_named_open(topic, arena, &ops, NULL, NULL) == IFD_OK) {
        print_row(out, arena,
                  &(ifd__row){.noun = "rig",
                              .topic = "test",
                              .name = ops->name,
                              .summary = ops->summary ? ops->summary : "",
                              .params = ops->params});
        return 1;
    }
    fprintf(out, "\n### rig `%s`\n\n%s: %s\n", topic, d.path ? "It cannot be loaded" : "It is not built",
            d.path ? d.path : d.missing);
    return 1;
}

/* Prints the text of a topic; returns whether it is known. */
static bool print_topic(FILE *out, ifd_arena *arena, const char *topic)
{
    const ifd__section *s = ifd__section_find(topic);
    ifd__row row[IFD__ROWS];
    int count = ifd__rows(row), rows = 0;
    size_t length = strlen(topic);
    if (strcmp(topic, "all") == 0) {
        for (int i = 0; ifd__sections[i]; i++)
            ifd__section_help(out, arena, ifd__sections[i]);
        return true;
    }
    if (length > 3 && strcmp(topic + length - 3, ".md") == 0)
        return ifd__page_print(out, arena, topic);
    if (s)
        ifd__section_help(out, arena, s);
    if (s == &ifd__section_case)
        print_topics(out);
    for (int i = 0; i < count; i++)
        if (strcmp(row[i].name, topic) == 0) {
            print_row(out, arena, &row[i]);
            rows++;
        }
    rows += print_driver(out, arena, topic);
    if (s || rows) {
        print_also(out, topic);
        return true;
    }
    return print_keys(out, arena, topic);
}

const char *ifd__help_text(ifd_arena *arena, const char *topic,
                           bool (*print)(FILE *out, ifd_arena *arena, const char *topic))
{
    char *text IFD__FREED = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    ifd_arena *own IFD__CLOSED = ifd_arena_open(); /* for the examples */
    bool known = out && own && print(out, own, topic);
    bool whole = out && fclose(out) == 0;
    return known && whole && text ? ifd_arena_text(arena, text + (text[0] == '\n')) : NULL;
}

const char *ifd_case_help(ifd_arena *arena, const char *topic)
{
    return ifd__help_text(arena, topic, print_topic);
}
