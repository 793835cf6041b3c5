/* SPDX-License-Identifier: MIT */
/* interfield draw: the structure of a case as SVG, or displaced as in a row of a result. */
#include "report/drawing.h"
#include "report/ran.h"

#include <math.h>
#include <unistd.h>

enum { WIDTH = 900 };

/* The row nearest to a time. */
static long row_at(const ifd_table *t, double time)
{
    long best = 0;
    for (long i = 1; i < t->rows; i++)
        best = fabs(t->time[i] - time) < fabs(t->time[best] - time) ? i : best;
    return best;
}

static int write_picture(app *a, const structure *s, const picture_view *v, const char *title, const char *path)
{
    FILE *out = fopen(path, "w");
    if (out) {
        picture_begin(out, v->width, v->height, title, true);
        picture_put(out, s, v);
        picture_end(out);
    }
    return file_written(a, out, path) ? app_put_made(a, "picture", "picture", path, EXIT_FINE) : EXIT_RUN_FAILED;
}

/* "frame.svg" of "cases/frame-10/frame.yaml" and of the result "runs/frame-001". */
static const char *name_of(app *a, const char *word)
{
    const char *name = folder_name(a, word), *dot = strrchr(name, '.');
    return ifd_arena_print(a->arena, "%.*s.svg", dot && dot != name ? (int)(dot - name) : (int)strlen(name), name);
}

/* What the picture lacks. */
static void say_skipped(app *a, const ifd_case *c)
{
    for (const ifd_case_unloaded *u = c->unloaded; u; u = u->next)
        app_say(a, "skipped", "%s:%d: native code '%s' not loaded; what depends on it is not drawn", u->place.file,
                u->place.line, u->path);
}

/* The case of a result, displaced as at a time, by default at its largest displacement. */
static int draw_result(app *a, picture_view *v, const char *path)
{
    ifd_table t;
    structure s;
    instant at = {.t = &t};
    displaced d = {.value = instant_value, .data = &at};
    double time;
    APP_TRY(a, missing_read_as_run(a, a->word[0], &t));
    const ifd_case *c = result_case(a, a->word[0], true);
    if (!c)
        return app_refuse(a, "the case of '%s' cannot be read", a->word[0]);
    if (c->unloaded && !structure_model(c, 0))
        return app_refuse(a,
                          "the structure of '%s' is not known: its case names native code, '%s', which is not loaded",
                          a->word[0], c->unloaded->path);
    say_skipped(a, c);
    if (!app_number(a, "--at", IFD_DIM_TIME, NAN, &time))
        return EXIT_BAD_INPUT;
    if (!structure_take(a->arena, c, &s))
        return app_fail(a, IFD_NO_MEMORY);
    at.row = instant_furthest(&s, &t);
    if (at.row < 0)
        return app_refuse(a, "'%s' has no displacements: its case records other quantities", a->word[0]);
    at.row = isnan(time) ? at.row : row_at(&t, time);
    if (!app_number(a, "--factor", IFD_DIM_NONE, displaced_factor(&s, &d), &d.factor))
        return EXIT_BAD_INPUT;
    d.caption = ifd_arena_print(a->arena, "t = %.6g s", t.time[at.row]);
    v->shape = &d;
    v->height = picture_height(&s, &d, v->width);
    return write_picture(a, &s, v, *t.title ? t.title : a->word[0], path);
}

static int run_command(app *a)
{
    picture_view v = {.width = WIDTH, .bare = app_has(a, "--bare")};
    const char *stored = ifd_arena_print(a->arena, "%s/result.h5", a->word[0]), *end = strrchr(a->word[0], '.');
    bool result = (stored && access(stored, R_OK) == 0) || (end && strcmp(end, ".h5") == 0);
    const char *out = app_value(a, "--out"), *path = out ? out : name_of(a, a->word[0]);
    structure s;
    if (!path)
        return app_fail(a, IFD_NO_MEMORY);
    if (result)
        return draw_result(a, &v, path);
    if (app_has(a, "--at") || app_has(a, "--factor"))
        return app_refuse(a, "'%s' is no result: --at and --factor need one", a->word[0]);
    ifd_case *c = APP_CASE(a, case_read(a));
    if (!structure_take(a->arena, c, &s))
        return app_fail(a, IFD_NO_MEMORY);
    say_skipped(a, c);
    v.height = picture_height(&s, NULL, v.width);
    return write_picture(a, &s, &v, *c->title ? c->title : c->path, path);
}

const command command_draw = {
    .name = "draw",
    .words = "CASE|RESULT",
    .summary = "draw the structure of a case, or its deformed shape",
    .details =
        "Writes an SVG file: members, releases (open circles), supports, member loads, elements and specimens. "
        "A structure without coordinates is a row of masses, not to scale. Of a result it draws the deformed "
        "shape, by default at the largest displacement.",
    .options = {{"--at", "T", "of a result: the time, such as 3.2s"},
                {"--factor", "N", "of a result: scale of the displacements (default: chosen, and printed)"},
                {"--bare", NULL, "without names"},
                {"--out", "FILE", "the file (default: CASE.svg in this folder)"},
                OPTION_LOAD,
                OPTION_SET},
    .examples = "interfield draw frame-10/frame\n"
                "interfield draw runs/frame-001 --at 3.2s",
    .see = "modes plot draw.md",
    .run = run_command,
    .code = CODE_ASKED,
    .partial = true,
};
