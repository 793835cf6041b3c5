/* SPDX-License-Identifier: MIT */
/* interfield export-fmu: the computed part of a case as an FMU for other programs. */
#include "app.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <interfield/fmi.h>

const option export_fmu_options[] = {
    {"--out", "FILE", "the FMU; without it the identifier with .fmu, here"},
    {"--fmi", "2|3", "the version of the standard (2)"},
    {"--identifier", "NAME", "name of the binary, a C identifier; without it made of the case's name"},
    {"--interface", "DOF,DOF,...", "where forces come in and motion goes out; without it the ends of the specimens"},
    OPTION_SET,
    {NULL, NULL, NULL},
};

enum { MOST_ROWS = 64, MOST_DOFS = 50 };

/* "my/two-pier.yaml" as "two_pier". */
static const char *identifier_of(app *a)
{
    const char *given = app_value(a, "--identifier"), *word = a->word[0], *slash = strrchr(word, '/');
    if (given)
        return given;
    const char *base = slash ? slash + 1 : word, *dot = strrchr(base, '.');
    char *name = ifd_arena_text_n(a->arena, base, dot ? (size_t)(dot - base) : strlen(base));
    for (char *p = name; p && *p; p++)
        *p = isalnum((unsigned char)*p) ? *p : '_';
    return name && isdigit((unsigned char)*name) ? ifd_arena_print(a->arena, "m%s", name) : name;
}

/* Beside the library when installed, in the build folder otherwise. */
static const char *runtime_of(app *a, int version)
{
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    const char *named = getenv("INTERFIELD_FMU_RUNTIME");
    if (named)
        return named;
    program[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(program, '/');
    if (slash)
        *slash = '\0';
    const char *path = ifd_arena_print(a->arena, "%s/fmu_runtime%d.so", program, version);
    if (path && access(path, R_OK) == 0)
        return path;
    return ifd_arena_print(a->arena, "%s/%s/interfield/fmu_runtime%d.so", program, IFD_LIB_FROM_BIN, version);
}

static ifd_status named_rows(app *a, const ifd_model *m, const char *names, ifd_fmu_row *row, int *count)
{
    for (const char *p = names; *p; p += *p == ',') {
        size_t n = strcspn(p, ",");
        const char *name = ifd_arena_text_n(a->arena, p, n);
        int dof = name ? ifd_model_find_dof(m, name) : -1;
        if (dof < 0)
            return ifd_note_add(&a->note, IFD_UNKNOWN_NAME, NULL, "--interface: the model has no dof '%s'",
                                name ? name : "");
        if (*count == MOST_ROWS)
            return ifd_note_add(&a->note, IFD_TOO_LARGE, NULL, "more than %d interface dofs", MOST_ROWS);
        row[(*count)++] = (ifd_fmu_row){name, IFD_GROUND, dof};
        p += n;
    }
    return IFD_OK;
}

static ifd_status choose(app *a, const ifd_case *c, ifd_fmu_options *o)
{
    ifd_fmu_row *row = ifd_arena_array(a->arena, MOST_ROWS, sizeof *row);
    int *dof = ifd_arena_array(a->arena, MOST_DOFS, sizeof *dof), count = 0;
    if (!row || !dof)
        return IFD_NO_MEMORY;
    if (app_value(a, "--interface"))
        IFD_TRY(named_rows(a, c->run.model, app_value(a, "--interface"), row, &count));
    for (int k = 0; !app_value(a, "--interface") && k < c->run.specimens && count < MOST_ROWS; k++)
        row[count++] = (ifd_fmu_row){c->run.specimen[k].name, c->run.specimen[k].from, c->run.specimen[k].to};
    int n = ifd_model_dofs(c->run.model);
    for (int i = 0; i < (c->run.dofs ? c->run.dofs : n) && o->dofs < MOST_DOFS && (c->run.dofs || n <= MOST_DOFS);
         i++)
        dof[o->dofs++] = c->run.dofs ? c->run.dof[i] : i;
    o->row = row;
    o->rows = count;
    o->dof = dof;
    return IFD_OK;
}

static int conclude(app *a, const ifd_fmu_options *o, const char *path)
{
    if (a->json) {
        ifd_json j;
        ifd_json_init(&j, a->arena);
        ifd_json_object(&j, NULL);
        ifd_json_text(&j, "file", path);
        ifd_json_integer(&j, "fmi", o->version);
        ifd_json_text(&j, "identifier", o->identifier);
        ifd_json_integer(&j, "interface", o->rows);
        ifd_json_end(&j);
        return app_put_json(a, &j, EXIT_FINE);
    }
    app_say(a, "fmu", "%s · FMI %d · %d interface row%s · step %.6g s", path, o->version, o->rows,
            o->rows == 1 ? "" : "s", o->step.h);
    return EXIT_FINE;
}

int command_export_fmu(app *a)
{
    int exit_status = 0, version = 2;
    if (!app_integer(a, "--fmi", 2, 3, &version))
        return EXIT_BAD_INPUT;
    const ifd_case *c = case_read(a, &exit_status);
    if (!c)
        return exit_status;
    if (c->run.couple) {
        app_complain(a, "a structure cut into parts cannot be exported: export a case with one model");
        return EXIT_BAD_INPUT;
    }
    ifd_fmu_options o = {.version = version,
                         .identifier = identifier_of(a),
                         .title = strcmp(c->title, c->path) == 0 ? NULL : c->title,
                         .runtime = runtime_of(a, version),
                         .model = c->run.model,
                         .step = c->run.step,
                         .end = c->run.end};
    ifd_status status = choose(a, c, &o);
    const char *path = app_value(a, "--out");
    path = path ? path : ifd_arena_print(a->arena, "%s.fmu", o.identifier);
    if (status == IFD_OK)
        status = path ? ifd_fmu_export(a->arena, &o, path, &a->note) : IFD_NO_MEMORY;
    return status == IFD_OK ? conclude(a, &o, path) : app_fail(a, status);
}
