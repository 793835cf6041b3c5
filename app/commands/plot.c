/* SPDX-License-Identifier: MIT */
#include "app.h"
#include "report/figure.h"
#include "folder.h"
#include "report/missing.h"

#include <math.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static ifd_status figure_make(app *a, const ifd_table *t, figure *f)
{
    const char *names = app_value(a, "--channels");
    if (t->rows < 2 || t->columns == 0)
        return ifd_note_add(&a->note, IFD_FILE, NULL, "'%s' holds too few rows or channels to draw there",
                            a->word[0]);
    const char *missing = names ? figure_name(a->arena, t, names, f) : NULL;
    if (!names)
        figure_choose(a->arena, t, f);
    if (!missing)
        return IFD_OK;
    const char *known = "";
    for (int i = 0; i < t->columns; i++)
        known = names_add(a->arena, known, t->column[i].name);
    ifd_note_add(&a->note, IFD_UNKNOWN_NAME, NULL, "the result has no channel '%s'", missing);
    ifd_choice_hint(&a->note, known, missing);
    return IFD_UNKNOWN_NAME;
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

static int conclude(app *a, const canvas *c, int drawn)
{
    if (drawn == 127)
        return app_give_up(a, "gnuplot is needed to draw: apt-get install gnuplot-nox");
    if (drawn != 0)
        return app_give_up(a, "gnuplot could not draw %s", c->file ? c->file : "in the terminal");
    return app_put_made(a, "file", "picture", c->file, EXIT_FINE);
}

static int run_command(app *a)
{
    const char *format = app_value(a, "--format");
    if (format && ifd_choice_find("png|svg", format) < 0)
        return app_refuse(a, "--format is png or svg, found '%s'", format);
    double from, to;
    if (!app_number(a, "--from", IFD_DIM_TIME, -HUGE_VAL, &from) ||
        !app_number(a, "--to", IFD_DIM_TIME, HUGE_VAL, &to))
        return EXIT_BAD_INPUT;
    bool svg = format && strcmp(format, "svg") == 0;
    ifd_table t;
    figure f;
    APP_TRY(a, missing_read(a, a->word[0], &t));
    table_window(a->arena, from, to, &t);
    APP_TRY(a, figure_make(a, &t, &f));
    canvas c = {.terminal = svg ? "svg" : "pngcairo", .file = app_value(a, "--out")};
    if (app_has(a, "--terminal") && app_talks(a)) {
        c = terminal_canvas(a);
        if (!app_value(a, "--channels"))
            figure_thin(&t, &f);
    }
    if (!c.file && strcmp(c.terminal, "dumb") != 0)
        c.file = ifd_arena_print(a->arena, "%s/plot.%s", folder_of(a, a->word[0]), svg ? "svg" : "png");
    int drawn = conclude(a, &c, figure_draw(&f, &t, &c)), whole = missing_say(a, a->word[0], &t);
    return drawn == EXIT_FINE ? whole : drawn;
}

const command command_plot = {
    .name = "plot",
    .words = "RESULT",
    .summary = "draws a result",
    .details = "RESULT is the folder of a run. Needs gnuplot.",
    .options = {{"--channels", "NAME,NAME,...",
                 "what to draw over time, by the names in the result; without it a choice is made"},
                {"--from", "T", "begins at this time, in s"},
                {"--to", "T", "ends at this time, in s"},
                {"--terminal", NULL, "draws in the terminal instead of a file"},
                {"--format", "png|svg", "of the file (png)"},
                {"--out", "FILE", "the file; without it plot.png in the folder of the result"}},
    .run = run_command,
};
