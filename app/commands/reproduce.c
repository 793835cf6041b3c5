/* SPDX-License-Identifier: MIT */
/* interfield reproduce: starts interfield-reproduce, a separate program in the same folder. Its options and help are
 * here; that program also contains this file. */
#include "app.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

/* Replaces this process, so that signals, output and exit status are those of the other program. */
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
    .summary = "reproduce figures of published papers and check their claims",
    .details = "FIGURE is all (default), a paper (000 to 004) or one figure such as 004-fig17. Every figure has a "
               "folder with its numbers (CSV), its picture (SVG, PNG, gnuplot script) and check.json, which "
               "contains each claim as a number with bounds and a verdict.",
    .options = {{"--out", "DIR", "folder for the figures (default: runs/reproduce)"},
                {"--records", "DIR",
                 "folder with recorded ground motions (AT2 or CSV; elcentro..., kobe..., wenchuan...)"},
                {"--scoreboard", "FILE",
                 "also write a gallery of all figures and, as FILE-000.md, a page for each paper (pictures: "
                 "images/reproduction)"},
                {"--jobs", "N", "number of figures computed at the same time (default 2)"},
                {"--list", NULL, "list the figures and compute none"}},
    .examples = "interfield reproduce --list\n"
                "interfield reproduce 004-fig17",
    .see = "benchmark reproduction.md",
    .run = run_command,
    .failed = "a figure could not be computed",
};
