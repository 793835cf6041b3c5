/* SPDX-License-Identifier: MIT */
/* The pages docs/reference/case*.md: the same tables as help, in Markdown. */
#include "case/reference.h"

#include <ctype.h>
#include <string.h>

#include <interfield/virtual.h>

const ifd__page ifd__pages[] = {
#define PAGE(name, title) {name, title, NULL},
#define SECTION(name) {NULL, NULL, &ifd__section_##name},
#include "case/sections.def"
#undef PAGE
#undef SECTION
    {NULL, NULL, NULL}};

static bool at_end(const ifd__page *p)
{
    return !p->name && !p->section;
}

/* The page of a section. */
static const char *page_of(const ifd__section *s)
{
    const char *name = "case";
    for (const ifd__page *p = ifd__pages; !at_end(p); p++) {
        if (p->name)
            name = p->name;
        if (p->section == s)
            return name;
    }
    return name;
}

/* The anchor of a heading: letters, digits and hyphens; blanks become hyphens. */
static void put_anchor(FILE *out, const char *title)
{
    for (; *title; title++)
        if (isalnum((unsigned char)*title) || *title == '-' || *title == '_')
            fputc(tolower((unsigned char)*title), out);
        else if (*title == ' ')
            fputc('-', out);
}

/* "help time" as a link to the section; returns the replaced length, 0: not a section. */
static size_t put_topic_link(FILE *out, const char *text)
{
    char topic[40];
    size_t n = strspn(text + 5, "abcdefghijklmnopqrstuvwxyz-");
    if (n == 0 || n >= sizeof topic)
        return 0;
    memcpy(topic, text + 5, n);
    topic[n] = '\0';
    const ifd__section *s = ifd__section_find(topic);
    if (!s)
        return 0;
    fprintf(out, "[%s](%s.md#", topic, page_of(s));
    put_anchor(out, s->title);
    fputc(')', out);
    return 5 + n;
}

/* "docs/guide/drives.md" as a link from a page of the reference; returns the replaced length, 0: none. */
static size_t put_page_link(FILE *out, const char *article, const char *text)
{
    size_t n = strspn(text + 5, "abcdefghijklmnopqrstuvwxyz-/");
    const char *name = memchr(text + 5, '/', n);
    if (!name || strncmp(text + 5 + n, ".md", 3) != 0)
        return 0;
    fprintf(out, "%s[%c", article, toupper((unsigned char)name[1]));
    for (const char *at = name + 2; at < text + 5 + n; at++)
        fputc(*at == '-' ? ' ' : *at, out);
    fprintf(out, "](../%.*s.md)", (int)n, text + 5);
    return 5 + n + 3;
}

/* What precedes the name of a page: nothing in brackets. */
static const char *article(const char *start, const char *text)
{
    if (text > start && text[-1] == '(')
        return "";
    return text < start + 2 || text[-2] == '.' ? "The page " : "the page ";
}

/* Text with links; in a cell of a table a bar is escaped. */
static void put_text(FILE *out, const char *text, bool cell)
{
    bool code = false;
    for (const char *start = text; *text;) {
        size_t done = 0;
        bool word = text == start || !isalnum((unsigned char)text[-1]);
        if (*text == '`')
            code = !code;
        if (!code && word && strncmp(text, "help ", 5) == 0)
            done = put_topic_link(out, text);
        else if (!code && word && strncmp(text, "docs/", 5) == 0)
            done = put_page_link(out, article(start, text), text);
        if (done == 0) {
            if (*text == '|' && cell)
                fputc('\\', out);
            fputc(*text, out);
            done = 1;
        }
        text += done;
    }
}

static void put_code(FILE *out, const char *text)
{
    if (!*text)
        return;
    fputc('`', out);
    put_text(out, text, true);
    fputc('`', out);
}

/* The form of a value with its limits, which are enough for a number and for words. Of limits far beyond every
 * structure only the accepted sign is printed; `interfield help` has the numbers. */
static void put_range(FILE *out, const ifd__facts *f)
{
    const double far = 1e6;
    const char *more = strstr(f->range, ", or "), *number = more ? more + strlen(", or ") : f->range;
    char type[sizeof f->type];
    snprintf(type, sizeof type, "%s", f->type);
    char *word = strstr(type, " or word");
    if (word)
        *word = '\0';
    bool bare = ifd_choice_find("word|number", type) >= 0, flag = strcmp(type, "yes or no") == 0;
    const char *before = bare ? "" : word ? ": " : ", ";
    int words = (int)(number - f->range), read = 0;
    double least, most;
    bool numbers = sscanf(number, "%lg to %lg%n", &least, &most, &read) == 2;
    bool wide = numbers && least > 0 && least < 1 && most / least >= far && (most > 1 || number[read]);
    put_text(out, bare ? "" : flag ? "yes, no" : type, true);
    if (wide || (numbers && most >= far && (least == 0 || (least > 0 && most / least >= 1e9))))
        fprintf(out, "%s%.*s%s", before, words, f->range, least > 0 ? "above 0" : "from 0");
    else if (f->range[0] && !(numbers && most >= far && least == -most && words == 0))
        fprintf(out, "%s%s", before, f->range);
    else if (bare)
        fputs(type, out);
}

/* A row of a table; the first one is below its head. */
static void put_row(FILE *out, bool *head, const ifd__facts *f)
{
    fputs(*head ? "| " : "\n| key | value | default | meaning |\n|---|---|---|---|\n| ", out);
    *head = true;
    put_code(out, f->name);
    fputs(" | ", out);
    char topic[40];
    int end = 0;
    bool mapping = sscanf(f->type, "mapping (help %34[^)])%n", topic, &end) == 1 && !f->type[end];
    if (mapping && ifd__section_find(topic))
        (void)put_topic_link(out, f->type + strlen("mapping (")); /* the link is enough */
    else if (mapping)
        fputs("mapping", out); /* of a study: its keys follow on the same page */
    else
        put_range(out, f);
    fputs(" | ", out);
    put_text(out, f->preset, true);
    fputs(" | ", out);
    put_text(out, f->meaning, true);
    fputs(" |\n", out);
}

static void put_param(FILE *out, bool *head, const ifd_param *p)
{
    ifd__facts f;
    ifd__facts_of(p, NULL, NULL, &f);
    put_row(out, head, &f);
}

/* All rows of a topic. */
typedef struct topic_rows {
    ifd__row row[IFD__ROWS];
    int count;
} topic_rows;

static bool has(const ifd__row *r, const ifd_param *p)
{
    int k = ifd_param_find(r->params, p->name);
    return k >= 0 && ifd__same_param(&r->params[k], p);
}

static bool of_all(const topic_rows *t, const ifd_param *p)
{
    for (int i = 0; i < t->count; i++)
        if (!has(&t->row[i], p))
            return false;
    return t->count > 1;
}

/* Parameters of all rows are printed once. */
static void put_common(FILE *out, const topic_rows *t)
{
    bool head = false;
    for (const ifd_param *p = t->row[0].params; t->count > 0 && p->name; p++) {
        if (ifd__param_hidden(p) || !of_all(t, p))
            continue;
        if (!head)
            fprintf(out, "\n### Every %s\n", t->row[0].noun);
        put_param(out, &head, p);
    }
}

/* The first row before r with the same parameter; NULL: none. */
static const ifd__row *origin(const topic_rows *t, const ifd__row *r, const ifd_param *p)
{
    for (const ifd__row *o = t->row; o < r; o++)
        if (has(o, p))
            return o;
    return NULL;
}

/* The parameters that r has from o, `count` names printed where out is given; how many. */
static int put_from(FILE *out, int count, const topic_rows *t, const ifd__row *r, const ifd__row *o)
{
    int n = 0;
    for (const ifd_param *p = r->params; o && p->name; p++)
        if (!ifd__param_hidden(p) && !of_all(t, p) && origin(t, r, p) == o) {
            if (out)
                fprintf(out, "%s`%s`", n == 0 ? "" : n + 1 == count ? " and " : ", ", p->name);
            n++;
        }
    return n;
}

/* The dofs that a pendulum adds are keys of every element. */
static void put_row_params(FILE *out, const topic_rows *t, const ifd__row *r)
{
    bool head = false;
    for (const ifd_param *p = r->params; p->name; p++) {
        if (ifd__param_hidden(p) || of_all(t, p) || origin(t, r, p))
            continue;
        put_param(out, &head, p);
    }
    for (const ifd__row *o = t->row; o < r; o++) {
        int n = put_from(NULL, 0, t, r, o);
        if (n == 0)
            continue;
        fputs(n > 1 ? "\nThe keys " : "\nThe key ", out);
        (void)put_from(out, n, t, r, o);
        fprintf(out, " %s as in [`%s`](#", n > 1 ? "are" : "is", o->name);
        put_anchor(out, o->noun);
        fputc('-', out);
        put_anchor(out, o->name);
        fputs(").\n", out);
    }
}

/* Whether an example shows more than the table: an attachment other than the usual one, lists and texts; the form in
 * the first row of a topic. That of many keys is the table again. */
static bool shows_more(const topic_rows *t, const ifd__row *r)
{
    bool more = r->attached && strncmp(r->attached, IFD__ATTACHED_PAIR, strlen(IFD__ATTACHED_PAIR)) != 0;
    int keys = 0;
    for (const ifd_param *p = r->params; p->name; p++, keys++)
        more = more || p->shape == IFD_SHAPE_LIST || p->shape == IFD_SHAPE_MATRIX || p->shape == IFD_SHAPE_TEXT;
    return r == t->row || (more && keys < 8);
}

/* The first example of a row; an empty line separates others. */
static void put_row_example(FILE *out, const topic_rows *t, const ifd__row *r, const char *example)
{
    if (!example || !shows_more(t, r))
        return;
    const char *end = strstr(example, "\n\n"), *outer = strcmp(r->noun, "element") == 0 ? NULL : r->noun;
    fprintf(out, "\n```yaml\n%s%s%s: %.*s%s\n```\n", outer ? outer : "", outer ? ": {" : "", r->name,
            end ? (int)(end - example) : (int)strlen(example), example, outer ? "}" : "");
}

static void put_rows(FILE *out, ifd_arena *arena, const char *topic)
{
    topic_rows t = {.count = 0};
    ifd__row all[IFD__ROWS];
    int count = ifd__rows(all);
    for (int i = 0; i < count; i++)
        if (strcmp(all[i].topic, topic) == 0)
            t.row[t.count++] = all[i];
    put_common(out, &t);
    for (int i = 0; i < t.count; i++) {
        const ifd__row *r = &t.row[i];
        char text[1024];
        const char *example = ifd__row_example(arena, r);
        ifd__row about = *r;
        about.attached = NULL; /* the usual one is stated at the head of the page, the example shows others */
        about.citation = NULL; /* help has it, and the page with the equations */
        about.order = 0;       /* the page that compares the rows has these two */
        about.measures = false;
        ifd__row_about(&about, text, sizeof text);
        fprintf(out, "\n### %s `%s`\n\n", r->noun, r->name);
        put_text(out, text, false);
        fputc('\n', out);
        if (r->equation && strcmp(r->noun, "compensation") != 0) /* those are on the page that compares them */
            fprintf(out, "\n    %s\n", r->equation);
        put_row_params(out, &t, r);
        put_row_example(out, &t, r, example);
    }
}

static void put_units(FILE *out)
{
    fputs("\n`interfield help units` has the ranges.\n\n| dimension | units |\n|---|---|\n", out);
    for (int d = IFD_DIM_NONE; d < IFD_DIM_COUNT; d++)
        fprintf(out, "| %s | %s |\n", ifd_dimension_text((ifd_dimension)d), ifd_dimension_units((ifd_dimension)d));
}

/* The line of an example with the last key of a path, each key after the one before it; otherwise the first line. */
static const char *key_line(const char *text, const char *end, const char *path)
{
    const char *found = text;
    for (const char *name = path; *name;) {
        size_t n = strcspn(name, ".");
        char key[48];
        snprintf(key, sizeof key, "%.*s:", (int)n, name);
        const char *at = name[0] == '*' ? found : strstr(found, key);
        while (name[0] != '*' && at && at > text && !strchr(" {\n", at[-1]))
            at = strstr(at + 1, key);
        if (!at || at >= end)
            return text;
        found = at;
        name += n + (name[n] == '.');
    }
    while (found > text && found[-1] != '\n')
        found--;
    return found;
}

static const char *put_line(FILE *out, const char *line)
{
    size_t n = strcspn(line, "\n");
    fprintf(out, "%.*s\n", (int)n, line);
    return line + n + (line[n] == '\n');
}

/* The lines that lead to a line of an example: each is indented less than the next one. */
static void put_leading(FILE *out, const char *text, const char *line)
{
    size_t indent = strspn(line, " ");
    for (const char *at = line; at > text;) {
        do
            at--;
        while (at > text && at[-1] != '\n');
        if (strspn(at, " ") < indent) {
            put_leading(out, text, at);
            (void)put_line(out, at);
            return;
        }
    }
}

enum { LONGEST = 12 }; /* lines of an example: one with many keys is the table again */

/* The first example of a section, of a section inside others the part that shows it; `interfield help` has all. */
static void put_example(FILE *out, const ifd__section *s)
{
    const char *text = ifd__section_example(s), *end = strstr(text, "\n\n");
    end = end ? end + 1 : text + strlen(text);
    const char *line = s->path[0] ? key_line(text, end, s->path) : text;
    bool part = line != text;
    fputs("\n```yaml\n", out);
    put_leading(out, text, line);
    int left = LONGEST;
    for (size_t indent = strspn(line, " "); line < end && *line && left > 0; left--) {
        line = put_line(out, line);
        if (part && strspn(line, " ") <= indent)
            break;
    }
    fputs(left == 0 && line < end ? "# ...\n" : "", out);
    fputs("```\n", out);
}

void ifd__page_section(FILE *out, ifd_arena *arena, const ifd__section *s)
{
    bool sensor = s == &ifd__section_sensor, head = false;
    fprintf(out, "\n## %s\n", s->title);
    if (s->path[0])
        fprintf(out, "\n`%s`\n", s->path);
    if (s->intro[0]) {
        fputc('\n', out);
        put_text(out, s->intro, false);
        fputc('\n', out);
    }
    for (const ifd__key *k = s->keys; k->param.name; k++) {
        ifd__facts f;
        ifd__facts_of(&k->param, k->form, k->preset, &f);
        put_row(out, &head, &f);
    }
    for (const ifd_param *p = sensor ? ifd_sensor_params : NULL; p && p->name; p++)
        put_param(out, &head, p);
    put_example(out, s);
    if (s == &ifd__section_units)
        put_units(out);
    put_rows(out, arena, s->topic);
}

static bool entry_page(const ifd__page *p)
{
    return p == ifd__pages;
}

/* The other pages, on the entry page. */
static void put_contents(FILE *out)
{
    fputs("\n## Pages\n\n| page | sections |\n|---|---|\n", out);
    for (const ifd__page *p = ifd__pages; !at_end(p);) {
        const ifd__page *page = p++;
        if (!entry_page(page))
            fprintf(out, "| [%s](%s.md) | ", strchr(page->title, ':') + 2, page->name);
        bool single = !p[1].section; /* the link of the page is enough */
        for (bool first = true; p->section; p++, first = false) {
            if (entry_page(page) || single)
                continue;
            fprintf(out, "%s[%s](%s.md#", first ? "" : ", ", p->section->topic, page->name);
            put_anchor(out, p->section->title);
            fputc(')', out);
        }
        fputs(entry_page(page) ? "" : " |\n", out);
    }
}

static const char entry[] =
    "`interfield help TOPIC` prints the same facts in the terminal, where TOPIC is a section, a key, a method, an "
    "element or a rig. `interfield help all` prints everything.\n\nThe tables have these columns. `value` is the "
    "form of the value, with its limits in SI units, or the accepted words; if only limits are shown, the value is a "
    "number. Other values are refused. If a limit is far beyond every structure, the table shows `above 0`, `from 0` "
    "or nothing; `interfield help` prints the number. [Units](case-units.md) lists the units of each dimension. If "
    "the dimension depends on the use, the column `meaning` names the unit. `default` applies when the key is "
    "absent; a `required` key has no default.\n\nThe first line of a section is its path, the place of the section "
    "in the file. In a path, `*` replaces a name that you choose; for a list, the path is that of one item. Below a "
    "table, a part of an example shows the place of the keys. `interfield help` prints whole examples with every "
    "key, and the publications behind methods and elements.\n";

bool ifd__page_print(FILE *out, ifd_arena *arena, const char *name)
{
    size_t length = strcspn(name, ".");
    for (const ifd__page *p = ifd__pages; !at_end(p); p++) {
        if (!p->name || strlen(p->name) != length || strncmp(p->name, name, length) != 0)
            continue;
        bool first = p == ifd__pages;
        fprintf(out, "# %s\n\n%s\n", p->title,
                first ? "These pages list all keys of a case file." : "[All pages](case.md).");
        if (first)
            fprintf(out, "\n%s", entry);
        for (p++; p->section; p++)
            ifd__page_section(out, arena, p->section);
        if (first)
            put_contents(out);
        return true;
    }
    return false;
}
