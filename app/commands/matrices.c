/* SPDX-License-Identifier: MIT */
/* interfield matrices: M, C, K and the names of the dofs of a case, as files. */
#include "working.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <interfield/matrices.h>

static ifd_status write_one(app *a, ifd_json *j, const char *part, const ifd_model *m, const char *folder)
{
    const ifd_finding *before = a->note.remark_last;
    IFD_TRY(
        WORK(a, "writing the matrices", ifd_matrices_write(a->arena, m, folder, app_has(a, "--tangent"), &a->note)));
    const char *whole = ifd_arena_print(a->arena, "%s/C.mtx", folder);
    bool apart = whole && access(whole, F_OK) != 0;
    app_say(a, part ? part : "model", "%s/  M.mtx  %s  K.mtx  dofs.csv%s · %d dof%s", folder,
            apart ? "C-sparse.mtx  C-modal.mtx" : "C.mtx", apart ? "" : "  model.yaml", ifd_model_dofs(m),
            plural(ifd_model_dofs(m)));
    app_remarks_after(a, before);
    int states = ifd_model_first_order(m);
    int out = app_has(a, "--tangent") ? 0 : ifd_model_elements(m) - states;
    if (out > 0)
        app_say(a, "", "%d element%s nonlinear and not included; --tangent includes the initial stiffness", out,
                out == 1 ? " is" : "s are");
    IFD_JSON_OBJECT(j, NULL, IFD_JSON("part", part ? part : ""), IFD_JSON("folder", folder),
                    IFD_JSON("dofs", ifd_model_dofs(m)), IFD_JSON("left_out", out), IFD_JSON("first_order", states));
    return IFD_OK;
}

static ifd_status write_parts(app *a, ifd_json *j, const ifd_couple_options *couple, const char *folder)
{
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return ifd_note_add(&a->note, IFD_OUTPUT, NULL, "the folder '%s' cannot be created: %s", folder,
                            strerror(errno));
    for (int p = 0; p < couple->parts; p++) {
        const char *inside = ifd_arena_print(a->arena, "%s/%s", folder, couple->part[p].name);
        if (!inside)
            return IFD_NO_MEMORY;
        IFD_TRY(write_one(a, j, couple->part[p].name, couple->part[p].model, inside));
    }
    return IFD_OK;
}

static int run_command(app *a)
{
    const ifd_case *c = APP_CASE(a, case_read(a));
    const char *folder = app_has(a, "-o") ? app_value(a, "-o") : "matrices";
    ifd_json j = app_json(a);
    ifd_json_list(&j, "models");
    APP_TRY(a,
            c->run.couple ? write_parts(a, &j, c->run.couple, folder) : write_one(a, &j, NULL, c->run.model, folder));
    return a->json ? app_put_json(a, &j, EXIT_FINE) : EXIT_FINE;
}

const command command_matrices = {
    .name = "matrices",
    .words = "CASE",
    .summary = "write mass, damping and stiffness matrices (Matrix Market)",
    .details = "Writes M, C and K as a run uses them: massless dofs are condensed, linear elements and damping "
               "are assembled. dofs.csv names the dofs. Another case can read the matrices with model: {include: "
               "DIR/model.yaml}.",
    .options = {{"-o", "DIR",
                 "folder; each of several coupled substructures has its own folder in it (default: matrices)"},
                {"--tangent", NULL, "K includes the initial stiffness of nonlinear elements"},
                OPTION_SET,
                OPTION_LOAD},
    .examples = "interfield matrices frame-10/frame -o frame-matrices",
    .see = "modes structure.md",
    .run = run_command,
    .code = CODE_ASKED,
    .computes = true,
};
