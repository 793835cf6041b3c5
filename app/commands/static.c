/* SPDX-License-Identifier: MIT */
/* interfield static: the equilibrium of a case under its loads. */
#include "working.h"

static int run_command(app *a)
{
    double t;
    if (!app_number(a, "--time", IFD_DIM_TIME, 0.0, &t))
        return EXIT_BAD_INPUT;
    ifd_case *c = APP_CASE(a, case_read(a));
    const ifd_model *m = APP_NEED(case_whole(a, c), app_fail(a, IFD_UNSUPPORTED));
    int n = ifd_model_dofs(m);
    double *u = APP_ROOM(a, ifd_arena_array(a->arena, (size_t)n, sizeof *u));
    APP_TRY(a, WORK(a, "static equilibrium", ifd_model_static(m, t, a->arena, u, &a->note)));
    ifd_json j = app_json(a);
    IFD_JSON_PUT(&j, IFD_JSON("case", c->path), IFD_JSON("time", t));
    ifd_json_object(&j, "displacement");
    for (int i = 0; i < n; i++) {
        ifd_dof_kind k = ifd_model_dof_kind(m, i);
        bool length = k == IFD_DOF_X || k == IFD_DOF_Y || k == IFD_DOF_Z || k == IFD_DOF_DEFORMATION;
        ifd_json_number(&j, ifd_model_dof_name(m, i), u[i]);
        if (app_talks(a))
            app_print("%-20s %15.8g %s\n", ifd_model_dof_name(m, i), u[i], length ? "m" : "rad");
    }
    return a->json ? app_put_json(a, &j, EXIT_FINE) : EXIT_FINE;
}

const command command_static = {
    .name = "static",
    .words = "CASE",
    .summary = "compute the static equilibrium under the loads of a case",
    .details = "Prints the displacement of every dof.",
    .options = {{"--time", "T", "time at which the loads are taken, in s (default 0)"}, OPTION_SET, OPTION_LOAD},
    .examples = "interfield static steel-frame/frame",
    .see = "run modes",
    .run = run_command,
    .code = CODE_ASKED,
    .computes = true,
};
