/* SPDX-License-Identifier: MIT */
/* interfield export-fmu: the numerical substructure of a case as an FMU for other programs. */
#include "working.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <interfield/fmi.h>

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

/* In the folder of the library if installed, in the build folder otherwise. */
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
        if (name && ifd_model_condensed(m, name)) {
            ifd_note_add(&a->note, IFD_MASSLESS, NULL,
                         "--interface: dof '%s' was condensed, is the slave of a tie or is a first-order state; an "
                         "external force cannot act on it",
                         name);
            ifd_note_hint(&a->note, "add a mass at this dof and keep it, or choose a dof with mass or a master");
            return IFD_MASSLESS;
        }
        if (dof < 0)
            return ifd_note_add(&a->note, IFD_UNKNOWN_NAME, NULL, "--interface: the model has no dof '%s'",
                                name ? name : "");
        if (*count == MOST_ROWS)
            return ifd_note_add(&a->note, IFD_TOO_LARGE, NULL, "too many interface dofs; at most %d are possible",
                                MOST_ROWS);
        row[(*count)++] = (ifd_fmu_row){.name = name, .from = IFD_GROUND, .to = dof};
        p += n;
    }
    return IFD_OK;
}

/* The ends of the specimens in the test or, without a test, in the run. */
static ifd_status specimen_rows(app *a, const ifd_case *c, ifd_fmu_row *row, double *devices, int *count)
{
    const ifd_hybrid_options *t = c->test;
    for (int k = 0; k < (t ? t->interfaces : c->run.specimens); k++) {
        if (t && t->interface[k].force)
            continue;
        if (*count == MOST_ROWS)
            return ifd_note_add(&a->note, IFD_TOO_LARGE, NULL, "more than %d specimens; choose dofs with --interface",
                                MOST_ROWS);
        double factor = t ? t->interface[k].force_factor : c->run.specimen[k].factor;
        devices[*count] = factor > 0 ? factor : 1.0;
        const ifd_interface_options *i = t ? &t->interface[k] : NULL;
        const ifd_specimen *s = i ? NULL : &c->run.specimen[k];
        if (i ? i->origin : s->origin)
            return ifd_note_add(&a->note, IFD_UNSUPPORTED, NULL,
                                "specimen '%s' has 'origin: loaded'; the outputs of an FMU count from the unloaded "
                                "geometry: choose dofs with --interface",
                                i ? i->name : s->name);
        row[(*count)++] =
            i ? (ifd_fmu_row){i->name, i->from, i->to, i->row} : (ifd_fmu_row){s->name, s->from, s->to, s->row};
    }
    if (*count)
        return IFD_OK;
    ifd_note_add(
        &a->note, IFD_CONFLICT, NULL,
        c->specimen_models
            ? "the specimen of '%s' is a model, which the FMU computes with the structure: the FMU would have "
              "neither force inputs nor interface motions"
            : "'%s' has no specimen; the FMU would have neither force inputs nor interface motions",
        c->path);
    ifd_note_hint(&a->note, "choose dofs with --interface, or use --no-interface");
    return IFD_CONFLICT;
}

static ifd_status choose(app *a, const ifd_case *c, ifd_fmu_options *o)
{
    ifd_fmu_row *row = ifd_arena_array(a->arena, MOST_ROWS, sizeof *row);
    double *devices = ifd_arena_array(a->arena, MOST_ROWS, sizeof *devices);
    int *dof = ifd_arena_array(a->arena, MOST_DOFS, sizeof *dof), count = 0;
    if (!row || !dof || !devices)
        return IFD_NO_MEMORY;
    for (int k = 0; k < MOST_ROWS; k++)
        devices[k] = 1.0;
    if (app_value(a, "--interface"))
        IFD_TRY(named_rows(a, o->model, app_value(a, "--interface"), row, &count));
    else if (!app_has(a, "--no-interface"))
        IFD_TRY(specimen_rows(a, c, row, devices, &count));
    int n = ifd_model_dofs(o->model), left = 0;
    for (int i = 0; i < (c->run.dofs ? c->run.dofs : n) && o->dofs < MOST_DOFS && (c->run.dofs || n <= MOST_DOFS);
         i++)
        if ((c->run.dofs ? c->run.dof[i] : i) < n)
            dof[o->dofs++] = c->run.dofs ? c->run.dof[i] : i;
        else
            left++;
    if (left)
        ifd_note_remark(&a->note, NULL, "%d recorded first-order dof%s of the FMU", left,
                        left == 1 ? " is not an output" : "s are not outputs");
    o->row = row;
    o->rows = count;
    o->devices = devices;
    o->dof = dof;
    return IFD_OK;
}

/* Components of the case that are not in the FMU, or act more than once. */
static void say_computed(app *a, const ifd_case *c, const ifd_fmu_options *o)
{
    for (int k = 0; c->test && k < c->test->interfaces; k++)
        if (c->test->interface[k].mass > 0 && !c->test->interface[k].taken_out)
            app_say(a, "excluded", "%.6g kg of '%s', which is on the rig", c->test->interface[k].mass,
                    c->test->interface[k].name);
    for (int i = 0; c->test && c->laboratory && i < c->laboratory->models; i++)
        app_say(a, "excluded", "specimen '%s', a model, which is on the rig", c->laboratory->model[i].name);
    if (!c->test && c->specimen_models)
        app_say(a, "included", "%d specimen%s", c->specimen_models,
                c->specimen_models == 1 ? ", which is a model" : "s, which are models");
    for (int k = 0; k < o->rows; k++)
        if (o->devices[k] != 1.0)
            app_say(a, "devices", "f[%d] is the force of one of %g devices at '%s'", k + 1, o->devices[k],
                    o->row[k].name);
}

static int conclude(app *a, const ifd_case *c, const ifd_fmu_options *o, const char *path)
{
    if (a->json) {
        ifd_json j = app_json(a);
        IFD_JSON_PUT(&j, IFD_JSON("file", path), IFD_JSON("fmi", o->version), IFD_JSON("identifier", o->identifier),
                     IFD_JSON("interface", o->rows));
        return app_put_json(a, &j, EXIT_FINE);
    }
    app_remarks(a);
    app_say(a, "fmu", "%s · FMI %d · %d interface row%s · step %.6g s", path, o->version, o->rows, plural(o->rows),
            o->step.h);
    say_computed(a, c, o);
    return EXIT_FINE;
}

static int run_command(app *a)
{
    int version = 2;
    if (!app_integer(a, "--fmi", 2, 3, &version))
        return EXIT_BAD_INPUT;
    const ifd_case *c = APP_CASE(a, case_read(a));
    if (app_has(a, "--interface") && app_has(a, "--no-interface"))
        return app_refuse(a, "--interface and --no-interface exclude each other");
    if (c->run.couple)
        return app_refuse(a, "coupled substructures cannot be exported; export a case with one model");
    ifd_fmu_options o = {.version = version,
                         .identifier = identifier_of(a),
                         .title = strcmp(c->title, c->path) == 0 ? NULL : c->title,
                         .runtime = runtime_of(a, version),
                         .model = c->test ? c->test->model : c->run.model,
                         .step = c->test ? c->test->step : c->run.step,
                         .end = c->run.end};
    ifd_status status = c->test ? ifd_hybrid_computed(a->arena, c->test, &o.model, &a->note) : IFD_OK;
    if (status == IFD_OK)
        status = choose(a, c, &o);
    const char *path = app_value(a, "--out");
    path = path ? path : ifd_arena_print(a->arena, "%s.fmu", o.identifier);
    working w;
    working_begin(&w, a, "writing the FMU");
    if (status == IFD_OK)
        status = path ? ifd_fmu_export(a->arena, &o, path, &a->note) : IFD_NO_MEMORY;
    working_end(&w);
    return status == IFD_OK ? conclude(a, c, &o, path) : app_fail(a, status);
}

const command command_export_fmu = {
    .name = "export-fmu",
    .words = "CASE",
    .summary = "export the numerical substructure of a case as an FMU",
    .details = "The inputs of the FMU are the forces of the specimens or of other external parts; its outputs are "
               "the motions there. The FMU contains model, method and binary and needs no part of this program.",
    .options = {{"--out", "FILE", "the FMU (default: the identifier with .fmu, in this folder)"},
                {"--fmi", "2|3", "version of the FMI standard (default 2)"},
                {"--identifier", "NAME",
                 "name of the binary, a C identifier (default: derived from the name of the case)"},
                {"--interface", "DOF,DOF,...",
                 "dofs with force input and motion output (default: the ends of the specimens)"},
                {"--no-interface", NULL, "export a model without external forces"},
                OPTION_SET},
    .examples = "interfield export-fmu bridge/hybrid --fmi 3 --out bridge.fmu",
    .see = "fmu join fmi.md",
    .run = run_command,
    .code = CODE_RUN,
    .computes = true,
};
