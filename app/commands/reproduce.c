/* SPDX-License-Identifier: MIT */
/* interfield reproduce: starts interfield-reproduce, a program of its own beside this one. Its options and help stand
 * here; that program has this file too. */
#include "app.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

/* In place of this program, so that signals, output and exit status are its own. */
static int run_command(app *a)
{
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(program, '/');
    const char *other =
        ifd_arena_print(a->arena, "%.*s/interfield-reproduce", slash ? (int)(slash - program) : 0, program);
    if (!other)
        return app_fail(a, IFD_NO_MEMORY);
    execv(other, a->arguments - 1);
    return app_give_up(a, "'%s' could not be started: %s", other, strerror(errno));
}

const command command_reproduce = {
    .name = "reproduce",
    .words = "[FIGURE] ...",
    .summary = "makes figures of the papers again and compares them with what the papers say",
    .details =
        "FIGURE: all (without it too), a paper (000 to 004) or one figure, as in 004-fig17 (--list shows them). "
        "Every\nfigure gets a folder with its numbers (CSV), its picture (SVG, PNG, gnuplot script) and check.json: "
        "each\nclaim as a number with bounds, and the verdict that follows from them.",
    .options = {{"--out", "DIR", "where the folders of the figures go (runs/reproduce)"},
                {"--records", "DIR",
                 "a folder with recorded ground motions (AT2 or CSV; elcentro..., kobe..., wenchuan...)"},
                {"--scoreboard", "FILE",
                 "also writes the page of all figures made, its pictures beside it in images/reproduction"},
                {"--jobs", "N", "how many figures are made at the same time (2)"},
                {"--list", NULL, "lists the figures and makes none"}},
    .run = run_command,
    .failed = "a figure could not be made",
};
