/* SPDX-License-Identifier: MIT */
/* interfield check: everything that run does before it writes. */
#include "app.h"

#include <interfield/run.h>

static int put_check(app *a, const ifd_case *c, const ifd_run *run)
{
    const ifd_model *m = c->run.model;
    int channels;
    ifd_run_channels(run, &channels);
    ifd_json j;
    ifd_json_init(&j, a->arena);
    ifd_json_object(&j, NULL);
    ifd_json_text(&j, "outcome", "fine");
    ifd_json_text(&j, "case", c->path);
    ifd_json_text(&j, "title", c->title);
    ifd_json_text(&j, "method", c->run.step.method->name);
    ifd_json_number(&j, "step", c->run.step.h);
    ifd_json_number(&j, "end", c->run.end);
    ifd_json_integer(&j, "steps", ifd_run_steps(run));
    ifd_json_integer(&j, "dofs", ifd_model_dofs(m));
    ifd_json_integer(&j, "elements", ifd_model_elements(m));
    ifd_json_integer(&j, "states", ifd_model_states(m));
    ifd_json_flag(&j, "linear", ifd_model_linear(m));
    ifd_json_integer(&j, "channels", channels);
    ifd_json_list(&j, "remarks");
    for (const ifd_finding *f = a->note.remark_first; f; f = f->next)
        ifd_json_text(&j, NULL, f->text);
    ifd_json_end(&j);
    ifd_json_end(&j);
    return app_put_json(a, &j, EXIT_FINE);
}

int command_check(app *a)
{
    int exit_status = 0;
    ifd_case *c = case_read(a, &exit_status);
    if (!c)
        return exit_status;
    ifd_run *run = NULL;
    ifd_status status = ifd_run_make(a->arena, &c->run, &run, &a->note);
    if (status != IFD_OK)
        return app_fail(a, status);
    if (a->json)
        return put_check(a, c, run);
    const ifd_model *m = c->run.model;
    char method[200], step[40], steps[40];
    int channels;
    ifd_run_channels(run, &channels);
    method_print(method, sizeof method, &c->run.step);
    quantity_print(step, sizeof step, c->run.step.h, "s");
    count_print(steps, sizeof steps, ifd_run_steps(run));
    if (c->title && *c->title)
        app_say(a, "case", "%s", c->title);
    app_say(a, "model", "%d dofs, %d elements with %d states, %s", ifd_model_dofs(m), ifd_model_elements(m),
            ifd_model_states(m), ifd_model_linear(m) ? "linear" : "nonlinear");
    app_say(a, "method", "%s · step %s, %s steps to %.6g s", method, step, steps, c->run.end);
    app_say(a, "records", "%d channels", channels);
    app_say(a, "fine", "%s", c->path);
    return EXIT_FINE;
}
