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
static size_t put_page_link(FILE *out, const char *text)
{
    size_t n = strspn(text + 5, "abcdefghijklmnopqrstuvwxyz-/");
    const char *name = memchr(text + 5, '/', n);
    if (!name || strncmp(text + 5 + n, ".md", 3) != 0)
        return 0;
    fprintf(out, "[%.*s](../%.*s.md)", (int)(text + 4 + n - name), name + 1, (int)n, text + 5);
    return 5 + n + 3;
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
            done = put_page_link(out, text);
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

static void put_head(FILE *out)
{
    fputs("| key | type | unit | default | range | example | meaning |\n|---|---|---|---|---|---|---|\n", out);
}

static void put_row(FILE *out, const ifd__facts *f)
{
    const char *const cell[] = {f->type, f->unit, f->preset, f->range};
    fputs("| ", out);
    put_code(out, f->name);
    for (int i = 0; i < 4; i++) {
        fputs(" | ", out);
        put_text(out, cell[i], true);
    }
    fputs(" | ", out);
    put_code(out, f->example);
    fputs(" | ", out);
    put_text(out, f->meaning, true);
    fputs(" |\n", out);
}

static void put_param(FILE *out, const ifd_param *p, const ifd__examples *e, const char *path)
{
    ifd__facts f;
    ifd__facts_of(p, NULL, NULL, &f);
    (void)ifd__examples_value(e, path, p->name, f.example, sizeof f.example);
    put_row(out, &f);
}

/* All rows of a topic, and their common parameters. */
typedef struct topic_rows {
    ifd__row row[IFD__ROWS];
    int count;
} topic_rows;

enum { SHARED = 3 }; /* number of rows with a common parameter above which it moves to the table of all */

static bool shared(const topic_rows *t, const ifd_param *p)
{
    int same = 0;
    for (int i = 0; i < t->count; i++) {
        int k = ifd_param_find(t->row[i].params, p->name);
        same += k >= 0 && ifd__same_param(&t->row[i].params[k], p);
    }
    return same >= SHARED;
}

/* Whether an earlier row has the same parameter. */
static bool earlier(const topic_rows *t, int row, const ifd_param *p)
{
    for (int i = 0; i < row; i++) {
        int k = ifd_param_find(t->row[i].params, p->name);
        if (k >= 0 && ifd__same_param(&t->row[i].params[k], p))
            return true;
    }
    return false;
}

/* A common parameter, with the first available example. */
static void put_shared_param(FILE *out, ifd_arena *arena, const topic_rows *t, const ifd_param *p)
{
    ifd__facts f;
    ifd__facts_of(p, NULL, NULL, &f);
    for (int i = 0; i < t->count; i++) {
        ifd__examples e;
        int k = ifd_param_find(t->row[i].params, p->name);
        ifd__examples_read(arena, ifd__row_example(arena, &t->row[i]), &e);
        if (k >= 0 && ifd__same_param(&t->row[i].params[k], p) &&
            ifd__examples_value(&e, "", p->name, f.example, sizeof f.example))
            break;
    }
    put_row(out, &f);
}

static void put_shared(FILE *out, ifd_arena *arena, const topic_rows *t)
{
    bool any = false;
    for (int i = 0; i < t->count; i++)
        for (const ifd_param *p = t->row[i].params; p->name; p++) {
            if (ifd__param_hidden(p) || !shared(t, p) || earlier(t, i, p))
                continue;
            if (!any) {
                fprintf(out, "\n### Common parameters: %s\n\n", t->row[0].noun);
                put_head(out);
            }
            any = true;
            put_shared_param(out, arena, t, p);
        }
}

static void put_row_example(FILE *out, const ifd__row *r, const char *example)
{
    if (!example)
        return;
    if (strcmp(r->noun, "element") == 0)
        fprintf(out, "\n```yaml\n%s: %s\n```\n", r->name, example);
    else
        fprintf(out, "\n```yaml\n%s: {%s: %s}\n```\n", r->noun, r->name, example);
}

static void put_row_params(FILE *out, const topic_rows *t, const ifd__row *r, const ifd__examples *e)
{
    bool head = false, common = false;
    for (const char *const *own = r->own; own && *own; own++) {
        ifd__facts f;
        ifd__own_dof(*own, e, &f);
        if (!head)
            fputc('\n', out), put_head(out);
        head = true;
        put_row(out, &f);
    }
    for (const ifd_param *p = r->params; p->name; p++) {
        if (ifd__param_hidden(p) || shared(t, p))
            continue;
        if (!head)
            fputc('\n', out), put_head(out);
        head = true;
        put_param(out, p, e, "");
    }
    for (const ifd_param *p = r->params; p->name; p++)
        if (!ifd__param_hidden(p) && shared(t, p)) {
            fprintf(out, "%s`%s`", common ? ", " : "\nCommon parameters: ", p->name);
            common = true;
        }
    if (common)
        fputs(".\n", out);
}

static void put_rows(FILE *out, ifd_arena *arena, const char *topic)
{
    topic_rows t = {.count = 0};
    ifd__row all[IFD__ROWS];
    int count = ifd__rows(all);
    for (int i = 0; i < count; i++)
        if (strcmp(all[i].topic, topic) == 0)
            t.row[t.count++] = all[i];
    put_shared(out, arena, &t);
    for (int i = 0; i < t.count; i++) {
        const ifd__row *r = &t.row[i];
        char text[1024];
        const char *example = ifd__row_example(arena, r);
        ifd__examples e;
        ifd__examples_read(arena, example, &e);
        ifd__row_about(r, text, sizeof text);
        fprintf(out, "\n### %s `%s`\n\n", r->noun, r->name);
        put_text(out, text, false);
        fputc('\n', out);
        if (r->equation)
            fprintf(out, "\n    %s\n", r->equation);
        put_row_params(out, &t, r, &e);
        put_row_example(out, r, example);
    }
}

static void put_units(FILE *out)
{
    fputs("\n| dimension | units | smallest magnitude | largest magnitude |\n|---|---|---|---|\n", out);
    for (int d = IFD_DIM_NONE; d < IFD_DIM_COUNT; d++) {
        double least, most;
        ifd__yaml_magnitude((ifd_dimension)d, &least, &most);
        fprintf(out, "| %s | %s | %g | %g |\n", ifd_dimension_text((ifd_dimension)d),
                ifd_dimension_units((ifd_dimension)d), least, most);
    }
}

void ifd__page_section(FILE *out, ifd_arena *arena, const ifd__section *s)
{
    ifd__examples e;
    ifd__examples_read(arena, ifd__section_example(s), &e);
    bool sensor = s == &ifd__section_sensor;
    fprintf(out, "\n## %s\n", s->title);
    if (s->path[0])
        fprintf(out, "\nPath: `%s`\n", s->path);
    if (s->intro[0]) {
        fputc('\n', out);
        put_text(out, s->intro, false);
        fputc('\n', out);
    }
    if (s->keys->param.name || sensor) {
        fputc('\n', out);
        put_head(out);
    }
    for (const ifd__key *k = s->keys; k->param.name; k++) {
        ifd__facts f;
        ifd__facts_of(&k->param, k->form, k->preset, &f);
        (void)ifd__examples_value(&e, s->path, k->param.name, f.example, sizeof f.example);
        put_row(out, &f);
    }
    for (const ifd_param *p = sensor ? ifd_sensor_params : NULL; p && p->name; p++)
        put_param(out, p, &e, s->path);
    fprintf(out, "\n```yaml\n%s```\n", ifd__section_example(s));
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
        for (bool first = true; p->section; p++, first = false) {
            if (entry_page(page))
                continue;
            fprintf(out, "%s[%s](%s.md#", first ? "" : ", ", p->section->topic, page->name);
            put_anchor(out, p->section->title);
            fputc(')', out);
        }
        fputs(entry_page(page) ? "" : " |\n", out);
    }
}

static const char entry[] =
    "`interfield help TOPIC` prints the same facts in the terminal; TOPIC is a section, a key, a method, an element "
    "or a rig. `interfield help all` prints everything.\n\n"
    "Columns of the tables: `type` is the form of the value. `unit` lists accepted units; a number without a unit is "
    "in SI units. `default` applies when the key is absent; `required` keys have none. `range` has limits in SI "
    "units, or the accepted words; a value outside is refused. `example` is a value from the example below the "
    "table; a test reads every example. Path: the place of a section in the file, with `*` for a name that you "
    "choose; a list in the path has one mapping per item.\n";

bool ifd__page_print(FILE *out, ifd_arena *arena, const char *name)
{
    size_t length = strcspn(name, ".");
    for (const ifd__page *p = ifd__pages; !at_end(p); p++) {
        if (!p->name || strlen(p->name) != length || strncmp(p->name, name, length) != 0)
            continue;
        bool first = p == ifd__pages;
        fprintf(out, "# %s\n\nThis page is generated from the tables that read the case file (`make reference`).%s\n",
                p->title, first ? "" : " [All pages](case.md).");
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
