/* SPDX-License-Identifier: MIT */
/* Charts inside a page: their data, which page/charts.js draws with the plots of the live page. */
#include "page.h"

#include <math.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { HEIGHT = 150, PAGE_POINTS = 3000, STEPS = 65534, NONE = 65535 };

void html_put(FILE *out, const char *before, const char *text, const char *after)
{
    fputs(before, out);
    ifd_html_print(text, out);
    fputs(after, out);
}

/* The rows of a curve that are drawn. */
typedef struct selection {
    ifd_arena *arena;
    long rows, *row;
} selection;

/* Base64 of numbers of two bytes, the low one first. */
static const char *encoded(ifd_arena *arena, const uint16_t *number, long count)
{
    static const char letter[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    long bytes = 2 * count, n = 0;
    char *text = ifd_arena_array(arena, (size_t)(bytes / 3 * 4 + 5), 1);
    for (long i = 0; text && i < bytes; i += 3) {
        uint32_t bits = 0;
        for (long k = i; k < i + 3; k++)
            bits = bits << 8 | (k < bytes ? number[k / 2] >> (k % 2 ? 8 : 0) & 0xff : 0);
        for (int k = 0; k < 4; k++)
            text[n++] = i + k <= bytes ? letter[bits >> (18 - 6 * k) & 63] : '=';
    }
    return text;
}

/* Numbers of an axis as whole steps of their range, those of a logarithmic axis as powers of ten. */
static void put_numbers(ifd_json *j, const char *key, const selection *s, const double *v, const chart_axis *axis)
{
    double *shown = ifd_arena_array(s->arena, (size_t)s->rows + 1, sizeof *shown), low = HUGE_VAL, high = -HUGE_VAL;
    uint16_t *number = ifd_arena_array(s->arena, (size_t)s->rows + 1, sizeof *number);
    if (!shown || !number)
        return;
    for (long i = 0; i < s->rows; i++) {
        double value = v[s->row[i]] * chart_factor(axis);
        shown[i] = axis->log ? log10(value) : value;
        low = isfinite(shown[i]) ? fmin(low, shown[i]) : low;
        high = isfinite(shown[i]) ? fmax(high, shown[i]) : high;
    }
    double step = high > low ? (high - low) / STEPS : 1.0;
    for (long i = 0; i < s->rows; i++)
        number[i] = isfinite(shown[i]) ? (uint16_t)lround((shown[i] - low) / step) : NONE;
    IFD_JSON_OBJECT(j, key, IFD_JSON("from", low), IFD_JSON("step", step),
                    IFD_JSON("data", encoded(s->arena, number, s->rows)));
}

static void put_curve(ifd_json *j, const chart *c, const chart_curve *of, int position)
{
    static const char *const kind[] = {
        [CHART_THIN] = "thin", [CHART_POINTS] = "points", [CHART_BAND] = "band", [CHART_BARS] = "bars"};
    static const char *const line[] = {[LINE_DASHED] = "dashed", [LINE_DOTTED] = "dotted"};
    selection s = {.arena = j->arena};
    s.row = curve_rows(of, PAGE_POINTS, &s.rows);
    ifd_json_object(j, NULL);
    IFD_JSON_PUT(j, IFD_JSON("name", of->name), IFD_JSON("kind", kind[of->style]), IFD_JSON("line", line[of->line]),
                 IFD_JSON("colour", (of->colour ? of->colour - 1 : position) % MOST_CURVES),
                 IFD_JSON("rising", of->rising));
    put_numbers(j, "x", &s, of->x, &c->x);
    put_numbers(j, "y", &s, of->y, &c->y);
    if (of->end)
        put_numbers(j, "end", &s, of->end, of->style == CHART_BARS ? &c->x : &c->y);
    ifd_json_end(j);
    free(s.row);
}

static void put_axis(ifd_json *j, const char *key, const chart_axis *a)
{
    double factor = chart_factor(a);
    IFD_JSON_OBJECT(j, key, IFD_JSON("label", a->label ? a->label : ""), IFD_JSON("log", a->log),
                    IFD_JSON("from", a->from * factor), IFD_JSON("to", a->to * factor));
}

void chart_put(app *a, FILE *out, const chart *c)
{
    ifd_json j;
    ifd_json_init(&j, a->arena);
    ifd_json_object(&j, NULL);
    IFD_JSON_PUT(&j, IFD_JSON("title", c->title ? c->title : ""), IFD_JSON("open", c->open),
                 IFD_JSON("height", c->height ? c->height : HEIGHT));
    put_axis(&j, "x", &c->x);
    put_axis(&j, "y", &c->y);
    if (c->rows > 0)
        ifd_json_list(&j, "rows");
    for (int k = 0; k < c->rows; k++)
        ifd_json_text(&j, NULL, c->row[k]);
    if (c->rows > 0)
        ifd_json_end(&j);
    ifd_json_list(&j, "curves");
    for (long k = 0; k < c->many; k++)
        put_curve(&j, c, &c->more[k], 0);
    for (int k = 0; k < c->curves; k++)
        put_curve(&j, c, &c->curve[k], k);
    ifd_json_end(&j);
    ifd_json_end(&j);
    const char *text = ifd_json_done(&j);
    fputs("<figure class=chart><script type=application/json>", out);
    for (const char *p = text ? text : "{}"; *p; p++) /* no text of a result ends the element */
        *p == '<' ? fputs("\\u003c", out) : fputc(*p, out);
    fputs("</script></figure>\n", out);
}

const char *canvas_terminal(const char *file)
{
    static const char *const kinds[][2] = {
        {"png", "pngcairo"}, {"svg", "svg"}, {"pdf", "pdfcairo"}, {"html", "html"}};
    const char *dot = strrchr(file, '.'), *end = dot ? dot + 1 : file;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcasecmp(end, kinds[i][0]) == 0)
            return kinds[i][1];
    return NULL;
}

/* Charts below each other. */
static bool put_page(app *a, const char *title, int count, chart *c, FILE *out)
{
    page_head(out, title, "result.h5");
    html_put(out, "<h1>", title, "</h1>\n<section id=charts>\n");
    for (int k = 0; k < count; k++) {
        c[k].open = k + 1 < count && !c[k + 1].title && chart_shares(&c[k], &c[k + 1]);
        c[k].height = c[k].height ? c[k].height : chart_shares(&c[k], &c[k]) ? 200 : 420;
        chart_put(a, out, &c[k]);
    }
    fputs("</section></body></html>\n", out);
    return file_close(out);
}

bool charts_draw(app *a, const char *title, int count, chart *c, const canvas *to)
{
    FILE *f = to->file ? fopen(to->file, strcmp(to->terminal, "html") == 0 ? "we" : "ae") : NULL;
    if (to->file && !f) /* gnuplot would draw on stdout instead */
        return app_reject(a, "'%s' cannot be written: %s", to->file, strerror(errno));
    if (strcmp(to->terminal, "html") == 0)
        return put_page(a, title, count, c, f) || app_reject(a, "'%s' cannot be written", to->file);
    if (f)
        fclose(f);
    int status = picture_draw(&(picture){.title = title, .count = count, .chart = c}, to);
    if (status == 127)
        return app_reject(a, "gnuplot is not installed: apt-get install gnuplot-nox");
    return status == 0 || app_reject(a, "gnuplot could not draw %s", to->file ? to->file : "in the terminal");
}

bool charts_save(app *a, const char *title, int count, chart *c, const char *file)
{
    canvas to = {.terminal = canvas_terminal(file), .file = file};
    if (!to.terminal)
        return app_reject(a, "'%s' cannot be drawn: expected a file name that ends in .png, .svg, .pdf or .html",
                          file);
    return charts_draw(a, title, count, c, &to);
}
