/* SPDX-License-Identifier: MIT */
/* interfield plot: curves of one or several results. */
#include "report/study_answer.h"
#include "report/figure.h"
#include "report/ran.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

typedef struct request {
    const char *columns;          /* NULL: chosen automatically */
    const char *xy[MOST_OPTIONS]; /* in pairs */
    int xys;
    double from, to_time; /* s */
    bool wall;
    canvas to;
} request;

/* "png" of --format or of the file name; NULL after an error. */
static const char *extension_of(app *a)
{
    const char *format = app_has(a, "--html") ? "html" : app_value(a, "--format");
    const char *file = app_value(a, "--out"), *of_file = NULL;
    const char *slash = file ? strrchr(file, '/') : NULL, *dot = file ? strrchr(slash ? slash : file, '.') : NULL;
    if (format && ifd_choice_find("png|svg|pdf|html", format) < 0) {
        app_complain(a, "--format: found '%s', expected png, svg, pdf or html", format);
        return NULL;
    }
    if (dot && dot[1] && !(of_file = canvas_terminal(dot))) {
        app_complain(a, "--out: found the ending '%s', expected .png, .svg, .pdf or .html", dot);
        return NULL;
    }
    if (format && of_file && strcmp(of_file, canvas_terminal(format)) != 0) {
        app_complain(a, "--out ends in '%s', but the format is %s; use one of them", dot, format);
        return NULL;
    }
    return format ? format : of_file ? dot + 1 : "png";
}

/* --size 84mm: the width on paper. */
static bool read_size(app *a, canvas *to)
{
    const double least = 0.03, most = 2.0; /* m */
    if (!app_number(a, "--size", IFD_DIM_LENGTH, 0.0, &to->width))
        return false;
    return !app_value(a, "--size") || (to->width >= least && to->width <= most) ||
           app_reject(a, "--size: found '%s', expected a width from 30mm to 2m, such as 84mm",
                      app_value(a, "--size"));
}

/* --font NAME or NAME,SIZE. gnuplot gets it inside quotes. */
static bool read_font(app *a, canvas *to)
{
    to->font = app_value(a, "--font");
    const char *comma = to->font ? strrchr(to->font, ',') : NULL;
    char *end = NULL;
    double size = comma ? strtod(comma + 1, &end) : 8;
    return !to->font ||
           (*to->font != ',' && !strpbrk(to->font, "'\"\\\n") && (!comma || *end == '\0') && size >= 4 &&
            size <= 40) ||
           app_reject(a, "--font: found '%s', expected a name and a size in points, such as 'DejaVu Serif,9'",
                      to->font);
}

static bool read_request(app *a, request *r)
{
    const char *columns = app_value(a, "--columns"), *extension = extension_of(a);
    *r = (request){.columns = columns, .wall = app_has(a, "--wall")};
    r->xys = app_values(a, "--xy", r->xy);
    if (!extension || !read_size(a, &r->to) || !read_font(a, &r->to))
        return false;
    r->to.terminal = canvas_terminal(extension);
    r->to.file = app_value(a, "--out");
    if (!r->to.file)
        r->to.file = ifd_arena_print(a->arena, "%s/plot.%s", folder_of(a, a->word[0]), extension);
    return r->to.file && app_number(a, "--from", IFD_DIM_TIME, -HUGE_VAL, &r->from) &&
           app_number(a, "--to", IFD_DIM_TIME, HUGE_VAL, &r->to_time);
}

/* A result over simulated time, or a test over wall-clock time with its ramps and holds. */
static ifd_status read_result(app *a, const request *r, const char *path, ifd_table *t)
{
    IFD_TRY(r->wall ? missing_read(a, path, t) : missing_read_as_run(a, path, t));
    if (r->wall && !t->wall_time)
        return ifd_note_add(&a->note, IFD_CONFLICT, NULL,
                            "'%s' is a run; --wall needs a test, because a run has no wall-clock time", path);
    t->time = r->wall ? t->wall_time : t->time;
    table_window(a->arena, r->from, r->to_time, t);
    if (t->rows >= 2 && t->columns > 0)
        return IFD_OK;
    return ifd_note_add(&a->note, IFD_FILE, NULL, "'%s' has too few rows or columns in this range", path);
}

/* Names of results in the legend: the last folders of their paths, or the complete paths if two are equal. */
static void name_results(app *a, const char **name)
{
    bool distinct = true;
    for (int k = 0; k < a->words; k++) {
        name[k] = folder_name(a, folder_of(a, a->word[k]));
        for (int i = 0; i < k; i++)
            distinct = distinct && strcmp(name[i], name[k]) != 0;
    }
    for (int k = 0; k < a->words && !distinct; k++)
        name[k] = a->word[k];
}

static const char *title_of(app *a, const overlay *o)
{
    const char *text = NULL;
    const ifd_table *t = o->t;
    bool same = true;
    for (int k = 1; k < o->results; k++)
        same = same && strcmp(t[k].title, t[0].title) == 0;
    if (o->results == 1)
        text = ifd_arena_print(a->arena, "%s%s%s", t->title, *t->title ? " \xc2\xb7 " : "", t->method);
    for (int k = 0; k < o->results && o->results > 1 && !same; k++)
        text = ifd_arena_print(a->arena, "%s%s%s", text ? text : "", k ? " \xc2\xb7 " : "", o->name[k]);
    return text ? text : t->title;
}

static ifd_status figure_make(app *a, const request *r, const overlay *o, figure *f)
{
    bool named = r->columns || r->xys;
    memset(f, 0, sizeof *f);
    if (!named)
        figure_choose(o, f);
    if (r->columns && !figure_name(a, o, r->columns, f))
        return IFD_UNKNOWN_NAME;
    for (int k = 0; k + 1 < r->xys; k += 2)
        if (!figure_name_xy(a, o, r->xy[k], r->xy[k + 1], f))
            return IFD_UNKNOWN_NAME;
    if (app_has(a, "--terminal") && !named && f->panels)
        figure_thin(o->t, f);
    figure_overlay(a, o, named, f);
    if (f->panels == 0) {
        ifd_note_add(&a->note, IFD_UNKNOWN_NAME, NULL,
                     "the results have no common columns that are selected automatically");
        ifd_note_hint(&a->note, "select columns with --columns or --xy; --list lists them");
        return IFD_UNKNOWN_NAME;
    }
    f->title = app_value(a, "--title") ? app_value(a, "--title") : title_of(a, o);
    return IFD_OK;
}

static canvas terminal_canvas(const app *a)
{
    struct winsize size = {0};
    canvas c = {.terminal = "dumb", .columns = 100, .lines = 28, .colour = a->colour_out};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40 && size.ws_row >= 12) {
        c.columns = size.ws_col > 160 ? 160 : size.ws_col - 1;
        c.lines = size.ws_row > 40 ? 40 : size.ws_row - 2;
    }
    return c;
}

/* The available columns, with their units. */
static int list_columns(app *a, const overlay *o)
{
    ifd_json j = app_json(a);
    ifd_json_list(&j, "columns");
    for (int k = 0; k < o->results; k++)
        for (int i = 0; i < o->t[k].columns; i++) {
            const ifd_column *c = &o->t[k].column[i];
            if (k > 0 && table_find(&o->t[0], c->name) >= 0)
                continue;
            if (app_talks(a))
                app_print("  %-44s %-8s %s\n", c->name, *c->unit ? c->unit : "1", c->group);
            IFD_JSON_OBJECT(&j, NULL, IFD_JSON("name", c->name), IFD_JSON("unit", c->unit),
                            IFD_JSON("group", c->group));
        }
    ifd_json_end(&j);
    return a->json ? app_put_json(a, &j, EXIT_FINE) : EXIT_FINE;
}

static int draw(app *a, const request *r, const overlay *o)
{
    figure f;
    APP_TRY(a, figure_make(a, r, o, &f));
    canvas c = app_has(a, "--terminal") && app_talks(a) ? terminal_canvas(a) : r->to;
    int exit_status =
        !figure_draw(a, &f, o->t, &c) ? EXIT_RUN_FAILED : app_put_made(a, "file", "picture", c.file, EXIT_FINE);
    for (int k = 0; k < a->words; k++) {
        int whole = missing_say(a, a->word[k], &o->t[k]);
        exit_status = exit_status == EXIT_FINE ? whole : exit_status;
    }
    return exit_status;
}

static int run_command(app *a)
{
    request r;
    ifd_table t[MOST_CURVES];
    const char *name[MOST_WORDS];
    overlay o = {.results = a->words, .t = t, .name = name};
    if (a->words > MOST_CURVES)
        return app_refuse(a, "found %d results, plot draws at most %d", a->words, MOST_CURVES);
    if (!read_request(a, &r))
        return EXIT_BAD_INPUT;
    const ifd_json_node *answer = a->words == 1 ? study_answer_find(a, folder_of(a, a->word[0])) : NULL;
    if (answer) {
        bool drawn = study_answer_draw(a, answer, app_value(a, "--title"), &r.to);
        return drawn ? app_put_made(a, "file", "picture", r.to.file, EXIT_FINE) : EXIT_RUN_FAILED;
    }
    for (int k = 0; k < a->words; k++)
        APP_TRY(a, read_result(a, &r, a->word[k], &t[k]));
    name_results(a, name);
    o.time = r.wall ? "Wall-clock time [s]" : "Time [s]";
    return app_has(a, "--list") ? list_columns(a, &o) : draw(a, &r, &o);
}

const command command_plot = {
    .name = "plot",
    .words = "RESULT [RESULT ...]",
    .summary = "draw the curves of one or several results",
    .details = "RESULT is the folder of a run or a test. Curves are drawn over simulated time; of a test, the "
               "part in which the structure moved is drawn. Targets are dashed, commands dotted. Several results "
               "share the panels, and the legend shows the names of their folders. A measured quantity of a test "
               "is drawn with the computed quantity of a run. Without --columns and --xy the program selects "
               "columns. Of a study, the charts of its answer are drawn. Pictures need gnuplot, a page does not.",
    .options = {{"--columns", "NAME,NAME,...",
                 "columns to draw over time; '*' matches any characters, e.g. '*force'"},
                {"--xy", "X Y", "draw column Y over column X, e.g. force over deformation; may be repeated"},
                {"--list", NULL, "list the columns and their units instead of drawing"},
                {"--from", "T", "start of the time axis, in s"},
                {"--to", "T", "end of the time axis, in s"},
                {"--wall", NULL, "draw a test over wall-clock time, with its ramps and holds"},
                {"--terminal", NULL, "draw in the terminal instead of a file"},
                {"--html", NULL, "write a page with plots that can be read and zoomed into; it needs no other file"},
                {"--format", "png|svg|pdf|html", "file format (default: as the name in --out, else png)"},
                {"--size", "WIDTH", "width on paper, such as 84mm for a column of a journal"},
                {"--title", "TEXT", "title; '' for none (default: that of the result)"},
                {"--font", "NAME,SIZE", "font and its size in points on paper (default: DejaVu Sans,8)"},
                {"--out", "FILE",
                 "file, .png, .svg, .pdf or .html (default: plot.png in the folder of the first result)"}},
    .examples = "interfield plot runs/shear-pendulum-free-001 --terminal\n"
                "interfield plot runs/bridge-hybrid-001 --xy 'bearing deformation' 'bearing force'",
    .see = "report compare plots.md",
    .run = run_command,
};
