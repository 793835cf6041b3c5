/* SPDX-License-Identifier: MIT */
#include "app.h"
#include "report/missing.h"

#include <string.h>
#include <sys/stat.h>

#include <interfield/export.h>

static const char *default_folder(app *a, bool mat)
{
    struct stat facts;
    const char *path = a->word[0], *slash = strrchr(path, '/');
    if (stat(path, &facts) != 0 || !S_ISDIR(facts.st_mode))
        path = slash ? ifd_arena_text_n(a->arena, path, (size_t)(slash - path)) : ".";
    return path ? ifd_arena_print(a->arena, "%s/%s", path, mat ? "mat" : "csv") : NULL;
}

static int run_command(app *a)
{
    bool csv = app_has(a, "--csv"), mat = app_has(a, "--mat");
    ifd_table t;
    if (csv == mat)
        return app_refuse(a, "export wants one of --csv and --mat");
    APP_TRY(a, missing_read(a, a->word[0], &t));
    const char *folder = app_has(a, "-o") ? app_value(a, "-o") : default_folder(a, mat);
    APP_TRY(a, folder ? IFD_OK : IFD_NO_MEMORY);
    APP_TRY(a, ifd_export(a->arena, &t, folder, mat ? IFD_EXPORT_MAT : IFD_EXPORT_CSV, &a->note));
    const char *file = mat ? "result.mat" : "channels.csv";
    app_say(a, "files", "%s/  %s  README.txt · %ld rows, %d channels", folder, file, t.rows, t.columns);
    int exit_status = missing_say(a, a->word[0], &t);
    if (!a->json)
        return exit_status;
    ifd_json j = app_json(a);
    ifd_json_text(&j, "folder", folder);
    ifd_json_text(&j, "file", file);
    ifd_json_integer(&j, "rows", t.rows);
    ifd_json_integer(&j, "channels", t.columns);
    return app_put_json(a, &j, exit_status);
}

const command command_export = {
    .name = "export",
    .words = "RESULT",
    .summary = "a result as plain files for other programs, with units and a README",
    .details = "RESULT is the folder of a run or test. Nothing is written over.",
    .options = {{"--csv", NULL, "channels.csv"},
                {"--mat", NULL, "result.mat, of MATLAB's level 5: for MATLAB, Octave and scipy"},
                {"-o", "DIR", "the folder; without it csv or mat in the folder of the result"}},
    .run = run_command,
};
