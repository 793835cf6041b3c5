/* SPDX-License-Identifier: MIT */
/* The answer of a study as page, pictures and text. */
#include "study_answer.h"
#include "page.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

enum { MOST_CHARTS = 12 };

const ifd_json_node *study_answer_find(app *a, const char *folder)
{
    const char *path = ifd_arena_print(a->arena, "%s/answer.json", folder);
    ifd_json_node *root = NULL;
    if (!path || access(path, R_OK) != 0 || ifd_json_read_file(a->arena, path, &root, QUIET(a)) != IFD_OK)
        return NULL;
    return strncmp(ifd_json_text_at(root, "format", ""), "interfield study answer", 23) == 0 ? root : NULL;
}

static int length_of(const ifd_json_node *list)
{
    int n = 0;
    for (const ifd_json_node *i = list ? list->first : NULL; i; i = i->next)
        n++;
    return n;
}

/* A list of numbers; null becomes NAN. */
static const double *numbers_of(app *a, const ifd_json_node *list, long count)
{
    double *x = ifd_arena_array(a->arena, (size_t)count, sizeof *x);
    long n = 0;
    for (const ifd_json_node *i = list ? list->first : NULL; x && i && n < count; i = i->next)
        x[n++] = i->kind == IFD_JSON_NUMBER ? i->number : (double)NAN;
    return n == count ? x : NULL;
}

static bool is_rising(long count, const double *x)
{
    for (long i = 1; i < count; i++)
        if (x[i] < x[i - 1])
            return false;
    return true;
}

static bool curve_of(app *a, const ifd_json_node *node, chart_curve *out)
{
    static const struct {
        const char *word;
        chart_style style;
    } styles[] = {{"line", CHART_LINE},     {"dashed", CHART_LINE}, {"thin", CHART_THIN},
                  {"points", CHART_POINTS}, {"band", CHART_BAND},   {"bars", CHART_BARS}};
    const char *style = ifd_json_text_at(node, "style", "line");
    long count = length_of(ifd_json_at(node, "x"));
    *out = (chart_curve){.name = ifd_json_text_at(node, "name", NULL),
                         .count = count,
                         .x = numbers_of(a, ifd_json_at(node, "x"), count),
                         .y = numbers_of(a, ifd_json_at(node, "y"), count),
                         .colour = (int)ifd_json_number_at(node, "colour", 0),
                         .line = strcmp(style, "dashed") == 0 ? LINE_DASHED : LINE_SOLID};
    for (size_t i = 0; i < sizeof styles / sizeof *styles; i++)
        if (strcmp(style, styles[i].word) == 0)
            out->style = styles[i].style;
    if (out->style == CHART_BAND || out->style == CHART_BARS)
        out->end = numbers_of(a, ifd_json_at(node, "end"), count);
    if (!out->x || !out->y || ((out->style == CHART_BAND || out->style == CHART_BARS) && !out->end))
        return false;
    out->rising = out->style == CHART_LINE && count > 2 && is_rising(count, out->x);
    return true;
}

/* Curves without a name are drawn below the others. */
static void add_curve(app *a, const ifd_json_node *node, chart_curve *more, chart *c)
{
    chart_curve curve;
    if (!curve_of(a, node, &curve))
        return;
    if (!curve.name && (curve.style == CHART_THIN || curve.style == CHART_POINTS))
        more[c->many++] = curve;
    else if (c->curves < MOST_CURVES)
        c->curve[c->curves++] = curve;
}

static bool chart_of(app *a, const ifd_json_node *node, chart *c)
{
    const ifd_json_node *curves = ifd_json_at(node, "curves"), *rows = ifd_json_at(node, "rows");
    chart_curve *more = ifd_arena_array(a->arena, (size_t)length_of(curves), sizeof *more);
    const char **row = ifd_arena_array(a->arena, (size_t)length_of(rows), sizeof *row);
    const ifd_json_node *flag = ifd_json_at(node, "log_x"), *other = ifd_json_at(node, "log_y");
    *c = (chart){.title = ifd_json_text_at(node, "title", ""),
                 .x.label = ifd_json_text_at(node, "x_label", ""),
                 .y.label = ifd_json_text_at(node, "y_label", ""),
                 .x.log = flag && flag->number > 0,
                 .y.log = other && other->number > 0,
                 .x.to = ifd_json_number_at(node, "x_to", 0),
                 .y.to = ifd_json_number_at(node, "y_to", 0),
                 .height = 320};
    if (!more || !row)
        return false;
    for (const ifd_json_node *i = curves ? curves->first : NULL; i; i = i->next)
        add_curve(a, i, more, c);
    for (const ifd_json_node *i = rows ? rows->first : NULL; i; i = i->next)
        row[c->rows++] = i->text ? i->text : "";
    c->more = more;
    c->row = row;
    if (c->rows) {
        c->y.from = -0.6;
        c->y.to = c->rows - 0.4;
        c->height = 60 + 26 * c->rows;
    }
    return c->curves > 0 || c->many > 0;
}

static int charts_of(app *a, const ifd_json_node *answer, chart *c)
{
    const ifd_json_node *list = ifd_json_at(answer, "charts");
    int n = 0;
    for (const ifd_json_node *i = list ? list->first : NULL; i && n < MOST_CHARTS; i = i->next)
        n += chart_of(a, i, &c[n]);
    return n;
}

bool study_answer_draw(app *a, const ifd_json_node *answer, const char *title, const canvas *to)
{
    chart *c = ifd_arena_array(a->arena, MOST_CHARTS, sizeof *c);
    int n = c ? charts_of(a, answer, c) : 0;
    if (n == 0)
        return app_reject(a, "the answer of the study has no charts");
    return charts_draw(a, title ? title : ifd_json_text_at(answer, "title", ""), n, c, to);
}

static const char *cell_text(const ifd_json_node *cell, char *room, size_t size)
{
    if (cell->kind == IFD_JSON_TEXT)
        return cell->text;
    if (cell->kind != IFD_JSON_NUMBER)
        return "";
    snprintf(room, size, "%.4g", cell->number);
    return room;
}

static void put_row(FILE *out, const ifd_json_node *row, const char *element)
{
    char room[40];
    fputs("<tr>", out);
    for (const ifd_json_node *i = row ? row->first : NULL; i; i = i->next) {
        fprintf(out, "<%s>", element);
        html_put(out, "", cell_text(i, room, sizeof room), "");
        fprintf(out, "</%s>", element);
    }
    fputs("</tr>\n", out);
}

static void put_tables(FILE *out, const ifd_json_node *list)
{
    for (const ifd_json_node *t = list ? list->first : NULL; t; t = t->next) {
        const ifd_json_node *rows = ifd_json_at(t, "rows");
        if (!rows || !rows->first)
            continue;
        html_put(out, "<h3>", ifd_json_text_at(t, "title", ""), "</h3><table class=answer>\n");
        put_row(out, ifd_json_at(t, "columns"), "th");
        for (const ifd_json_node *r = rows->first; r; r = r->next)
            put_row(out, r, "td");
        fputs("</table>\n", out);
    }
}

static void put_facts(FILE *out, const ifd_json_node *answer, const char *folder)
{
    const ifd_json_node *outcomes = ifd_json_at(answer, "outcomes");
    fputs("<div class=facts>", out);
    page_fact(out, "members", thousands((long)ifd_json_number_at(answer, "members", 0)).text);
    for (const ifd_json_node *i = outcomes ? outcomes->first : NULL; i; i = i->next)
        if (i->number > 0)
            page_fact(out, i->key, thousands((long)i->number).text);
    page_fact(out, "analysis", ifd_json_text_at(answer, "analysis", ""));
    page_fact(out, "interfield of the study", ifd_json_text_at(answer, "interfield", ""));
    page_fact(out, "folder", folder);
    fputs("</div>\n", out);
}

void study_answer_page(app *a, const ifd_json_node *answer, const char *folder, FILE *out)
{
    const ifd_json_node *sentences = ifd_json_at(answer, "sentences");
    const char *title = ifd_json_text_at(answer, "title", folder);
    chart *c = ifd_arena_array(a->arena, MOST_CHARTS, sizeof *c);
    int charts = c ? charts_of(a, answer, c) : 0;
    page_head(out, title, "study.csv");
    html_put(out, "<h1>", title, "</h1>\n");
    for (const ifd_json_node *i = sentences ? sentences->first : NULL; i; i = i->next)
        html_put(out, "<p class=sentence>", i->text ? i->text : "", "</p>\n");
    put_facts(out, answer, folder);
    if (charts)
        fputs("<section id=charts><h2>Charts</h2>\n", out);
    for (int i = 0; i < charts; i++)
        chart_put(a, out, &c[i]);
    fputs(charts ? "</section>\n<section id=tables><h2>Tables</h2>\n" : "<section id=tables><h2>Tables</h2>\n", out);
    put_tables(out, ifd_json_at(answer, "tables"));
    put_tables(out, ifd_json_at(answer, "summary"));
    fputs("</section></body></html>\n", out);
}

static void print_row(const ifd_json_node *row)
{
    char room[40];
    bool first = true;
    for (const ifd_json_node *i = row ? row->first : NULL; i; i = i->next, first = false)
        app_print(first ? "  %-28s" : " %14s", cell_text(i, room, sizeof room));
    app_print("\n");
}

void study_answer_print(const ifd_json_node *answer)
{
    const ifd_json_node *sentences = ifd_json_at(answer, "sentences"), *tables = ifd_json_at(answer, "tables");
    const ifd_json_node *summary = ifd_json_at(answer, "summary");
    for (const ifd_json_node *i = sentences ? sentences->first : NULL; i; i = i->next)
        app_print("%s\n", i->text ? i->text : "");
    tables = tables && tables->first ? tables : summary;
    for (const ifd_json_node *t = tables ? tables->first : NULL; t; t = t->next) {
        const ifd_json_node *rows = ifd_json_at(t, "rows");
        if (!rows || !rows->first)
            continue;
        app_print("\n%s\n", ifd_json_text_at(t, "title", ""));
        print_row(ifd_json_at(t, "columns"));
        for (const ifd_json_node *r = rows->first; r; r = r->next)
            print_row(r);
    }
}
