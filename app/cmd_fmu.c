/* SPDX-License-Identifier: MIT */
/* interfield fmu: what an FMU is and can, and whether it may come near a rig. */
#include "allocations.h"
#include "apart.h"

#include <math.h>

#include <interfield/fmu.h>
#include <interfield/report.h>

const option fmu_options[] = {
    {"--steps", "N", "how many steps the qualification makes (100000; 0: none)"},
    {"--step", "H", "step in s; without it that of its default experiment, else 0.001"},
    {"--amplitude", "A", "its inputs swing between +-A (0.001)"},
    {"--isolated", NULL, "in a process of its own, without network: for an FMU of unknown origin"},
    {NULL, NULL, NULL},
};

static const char *role_name(ifd_fmu_role role)
{
    static const char *const names[] = {"local", "input", "output", "parameter", "calculated", "time"};
    return names[role];
}

static void say_facts(app *a, const ifd_fmu_facts *f)
{
    enum { SHOWN = 40 };
    int shown = 0, others = 0;
    app_say(a, "fmu", "%s · FMI %d · %s%s%s", f->name, f->version, f->identifier, *f->tool ? " · made by " : "",
            f->tool);
    app_say(a, "can", "%s · %s · %s · %s", f->rolls_back ? "go back" : "not go back",
            f->derivatives ? "derivatives" : "no derivatives",
            f->variable_step ? "steps of any size" : "steps of its own size",
            f->once ? "once per process" : "several at once");
    for (int i = 0; i < f->variables && app_talks(a); i++) {
        const ifd_fmu_variable *v = &f->variable[i];
        if (v->role == IFD_FMU_LOCAL || shown == SHOWN) {
            others++;
            continue;
        }
        shown++;
        char row[600];
        snprintf(row, sizeof row, "  %-10s %-28s %-8s %s%s\n", role_name(v->role), v->name, v->unit,
                 v->real ? "" : "(not one real number) ", v->text);
        ifd_text_print(row, stdout);
    }
    if (others && app_talks(a))
        printf("  and %d more\n", others);
}

static void put_facts(ifd_json *j, const ifd_fmu_facts *f)
{
    ifd_json_text(j, "name", f->name);
    ifd_json_integer(j, "fmi", f->version);
    ifd_json_text(j, "identifier", f->identifier);
    ifd_json_flag(j, "rolls_back", f->rolls_back);
    ifd_json_flag(j, "derivatives", f->derivatives);
    ifd_json_flag(j, "variable_step", f->variable_step);
    ifd_json_list(j, "variables");
    for (int i = 0; i < f->variables; i++) {
        ifd_json_object(j, NULL);
        ifd_json_text(j, "name", f->variable[i].name);
        ifd_json_text(j, "role", role_name(f->variable[i].role));
        ifd_json_text(j, "unit", f->variable[i].unit);
        ifd_json_end(j);
    }
    ifd_json_end(j);
}

static void say_quality(app *a, ifd_json *j, const ifd_fmu_quality *q, double h, const char *why)
{
    char p50[40], p999[40], worst[40], step[40];
    quantity_print(p50, sizeof p50, q->p50, "s");
    quantity_print(p999, sizeof p999, q->p999, "s");
    quantity_print(worst, sizeof worst, q->worst, "s");
    quantity_print(step, sizeof step, h, "s");
    app_say(a, "steps", "%ld of %s · median %s, 99.9 %% %s, worst %s", q->steps, step, p50, p999, worst);
    if (q->preempted)
        app_say(a, "busy", "%ld of these steps were interrupted by other work of the machine and are left out",
                q->preempted);
    app_say(a, "memory",
            q->allocations == 0 ? "no allocation after the first steps" : "%ld allocations in these steps",
            q->allocations);
    app_say(a, "back", "%s",
            q->rolled_back ? "a step repeated from a kept state gives the same bits" : "no exact return");
    if (fabs(q->drift) > 1e-6 * h * (double)q->steps)
        app_say(a, "time", "its own time is %.3g s off at the end", q->drift);
    const char *reason = !q->finite           ? why
                         : q->allocations > 0 ? "it allocates while it steps"
                         : q->worst >= h      ? "its worst step took longer than the step"
                         : !q->fit            ? "too many steps were interrupted to judge their time"
                                              : "";
    app_say(a, q->fit ? "fit" : "unfit", "%s", q->fit ? "for a rig at this step on this machine" : reason);
    ifd_json_object(j, "quality");
    ifd_json_integer(j, "steps", q->steps);
    ifd_json_number(j, "median", q->p50);
    ifd_json_number(j, "p999", q->p999);
    ifd_json_number(j, "worst", q->worst);
    ifd_json_integer(j, "preempted", q->preempted);
    ifd_json_integer(j, "allocations", q->allocations);
    ifd_json_flag(j, "rolled_back", q->rolled_back);
    ifd_json_flag(j, "finite", q->finite);
    ifd_json_number(j, "drift", q->drift);
    ifd_json_flag(j, "fit", q->fit);
    ifd_json_text(j, "reason", reason);
    ifd_json_end(j);
}

/* How its outputs answer its inputs: what the estimate of a specimen wants to know. */
static void say_slopes(app *a, ifd_json *j, ifd_fmu *f, double h)
{
    enum { SHOWN = 12 };
    const ifd_fmu_facts *facts = ifd_fmu_facts_of(f);
    int shown = 0;
    ifd_json_list(j, "slopes");
    for (int y = 0; y < facts->variables; y++)
        for (int u = 0; u < facts->variables && shown < SHOWN; u++) {
            const ifd_fmu_variable *out = &facts->variable[y], *in = &facts->variable[u];
            double slope;
            if (!out->real || !in->real || out->role != IFD_FMU_OUTPUT || in->role != IFD_FMU_INPUT ||
                !ifd_fmu_slope(f, y, u, 0.0, h, &slope) || slope == 0.0)
                continue;
            shown++;
            app_say(a, "slope", "%s by %s: %.6g", out->name, in->name, slope);
            ifd_json_object(j, NULL);
            ifd_json_text(j, "output", out->name);
            ifd_json_text(j, "input", in->name);
            ifd_json_number(j, "value", slope);
            ifd_json_end(j);
        }
    ifd_json_end(j);
}

static int examine(app *a, void *self)
{
    const ifd_fmu_open_options how = {.allocate = allocations_calloc, .release = allocations_free};
    ifd_fmu *f;
    (void)self;
    double h, amplitude, steps;
    if (!app_number(a, "--step", IFD_DIM_TIME, 0, &h) ||
        !app_number(a, "--amplitude", IFD_DIM_ANY, 1e-3, &amplitude) ||
        !app_number(a, "--steps", IFD_DIM_NONE, 1e5, &steps))
        return EXIT_BAD_INPUT;
    if (h < 0 || steps < 0 || steps > 1e9) {
        app_complain(a, "--step and --steps are positive, and at most 1e9 steps are made");
        return EXIT_BAD_INPUT;
    }
    ifd_status status = ifd_fmu_open_as(a->arena, a->word[0], &how, &f, &a->note);
    if (status != IFD_OK)
        return app_fail(a, status);
    const ifd_fmu_facts *facts = ifd_fmu_facts_of(f);
    ifd_json j;
    ifd_json_init(&j, a->arena);
    ifd_json_object(&j, NULL);
    put_facts(&j, facts);
    say_facts(a, facts);
    h = h > 0 ? h : facts->step > 0 ? facts->step : 1e-3;
    bool fit = true;
    if (steps > 0) {
        ifd_fmu_quality q;
        if ((status = ifd_fmu_begin(f, 0.0, &a->note)) != IFD_OK)
            return app_fail(a, status);
        say_slopes(a, &j, f, h);
        ifd_fmu_qualify(f, (long)steps, h, amplitude, allocations_watch(ALLOCATIONS_OF_FMU) ? allocations : NULL, &q);
        say_quality(a, &j, &q, h, ifd_fmu_why(f));
        fit = q.fit;
    }
    ifd_json_end(&j);
    return a->json ? app_put_json(a, &j, fit ? EXIT_FINE : EXIT_RUN_FAILED) : fit ? EXIT_FINE : EXIT_RUN_FAILED;
}

int command_fmu(app *a)
{
    if (!app_has(a, "--isolated"))
        return examine(a, NULL);
    a->put = true; /* the child has put what there is */
    return apart_run(a, examine, NULL, 600);
}
