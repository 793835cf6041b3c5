/* SPDX-License-Identifier: MIT */
/* interfield fmu: properties of an FMU, and whether it is fit for a rig. */
#include "session/sandbox.h"

#include <math.h>
#include <string.h>

#include <interfield/fmu.h>
#include <interfield/report.h>

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
    app_say(a, "features", "%s · %s · %s · %s",
            f->rolls_back ? "restores a saved state" : "cannot restore a saved state",
            f->derivatives ? "derivatives" : "no derivatives", f->variable_step ? "any step" : "fixed step",
            f->once ? "one instance per process" : "several instances per process");
    for (int i = 0; i < f->variables && app_talks(a); i++) {
        const ifd_fmu_variable *v = &f->variable[i];
        if (v->role == IFD_FMU_LOCAL || shown == SHOWN) {
            others++;
            continue;
        }
        shown++;
        app_print("  %-10s %-28s %-8s %s%s\n", role_name(v->role), v->name, v->unit,
                  v->real            ? ""
                  : v->elements == 0 ? "(array with more than 64 numbers, unknown size or another type: not used) "
                                     : "(not a single real number) ",
                  v->text);
    }
    if (others && app_talks(a))
        printf("  and %d more\n", others);
}

static void put_facts(ifd_json *j, const ifd_fmu_facts *f)
{
    IFD_JSON_PUT(j, IFD_JSON("name", f->name), IFD_JSON("fmi", f->version), IFD_JSON("identifier", f->identifier),
                 IFD_JSON("rolls_back", f->rolls_back), IFD_JSON("derivatives", f->derivatives),
                 IFD_JSON("variable_step", f->variable_step));
    ifd_json_list(j, "variables");
    for (int i = 0; i < f->variables; i++)
        IFD_JSON_OBJECT(j, NULL, IFD_JSON("name", f->variable[i].name),
                        IFD_JSON("role", role_name(f->variable[i].role)), IFD_JSON("unit", f->variable[i].unit));
    ifd_json_end(j);
}

static const char *unfit_for_rig(const ifd_fmu_quality *q, double h, const char *why)
{
    return !q->finite           ? why
           : q->inputs == 0     ? "no real input for a command or a displacement"
           : q->outputs == 0    ? "no real output for a force or a position"
           : q->allocations > 0 ? "memory allocation during steps"
           : q->worst >= h      ? "the slowest step took longer than the time step"
           : !q->fit            ? "too many steps were interrupted for a judgement of their duration"
                                : "";
}

static const char *unfit_for_joint(const ifd_fmu_quality *q, const ifd_fmu_back_quality *b, const char *why)
{
    return !q->finite                          ? why
           : q->inputs == 0                    ? "no real input for a force"
           : q->outputs == 0                   ? "no real output for a displacement"
           : b->verdict == IFD_FMU_BACK_ABSENT ? "a saved state cannot be restored"
           : b->verdict == IFD_FMU_BACK_FAILS  ? "restoring a saved state fails"
           : b->verdict == IFD_FMU_BACK_OTHER  ? "a step repeated from a saved state is not bit-identical"
                                               : "";
}

static void say_steps(app *a, const ifd_fmu_quality *q, double h)
{
    app_say(a, "steps", "%ld of %s · median %s, p99.9 %s, maximum %s", q->steps, quantity(h, "s").text,
            quantity(q->p50, "s").text, quantity(q->p999, "s").text, quantity(q->worst, "s").text);
    if (q->preempted)
        app_say(a, "note", "%ld of these steps were interrupted by other processes and are not counted",
                q->preempted);
    app_say(a, "memory",
            q->allocations == 0 ? "no allocation in set, step and get after the first steps"
                                : "%ld allocations in set, step and get",
            q->allocations);
    if (fabs(q->drift) > 1e-6 * h * (double)q->steps)
        app_say(a, "time", "the time of the FMU deviates by %.3g s at the end", q->drift);
}

static void say_back(app *a, const ifd_fmu_back_quality *b)
{
    if (b->verdict == IFD_FMU_BACK_FAILS)
        app_say(a, "restore", "fails · %s", b->why);
    else
        app_say(a, "restore", "%s",
                b->verdict == IFD_FMU_BACK_ABSENT  ? "not available"
                : b->verdict == IFD_FMU_BACK_EXACT ? "a step repeated from a saved state is bit-identical"
                                                   : "a step repeated from a saved state is not bit-identical");
    if (b->allocations > 0)
        app_say(a, "memory", "%ld allocations in get-state and set-state, which a specimen does not need",
                b->allocations);
}

static void say_verdict(app *a, const char *role, const char *reason)
{
    app_say(a, *reason ? "unfit" : "fit", "for %s%s%s", role, *reason ? ": " : "", reason);
}

static void put_quality(ifd_json *j, const ifd_fmu_quality *q, const ifd_fmu_back_quality *b, const char *rig,
                        const char *joint)
{
    static const char *const back[] = {"absent", "exact", "other", "fails"};
    IFD_JSON_OBJECT(j, "quality", IFD_JSON("steps", q->steps), IFD_JSON("median", q->p50), IFD_JSON("p999", q->p999),
                    IFD_JSON("worst", q->worst), IFD_JSON("preempted", q->preempted),
                    IFD_JSON("allocations", q->allocations), IFD_JSON("state_allocations", b->allocations),
                    ifd_json_of_flag("rolled_back", b->verdict == IFD_FMU_BACK_EXACT),
                    IFD_JSON("back", back[b->verdict]), IFD_JSON("back_error", b->why), IFD_JSON("finite", q->finite),
                    IFD_JSON("drift", q->drift), ifd_json_of_flag("fit", !*rig), IFD_JSON("reason", rig),
                    ifd_json_of_flag("fit_for_joint", !*joint), IFD_JSON("joint_reason", joint));
}

/* Derivatives of its outputs with respect to its inputs, for the estimate of a specimen. */
static void say_slopes(app *a, ifd_json *j, ifd_fmu *f, double h)
{
    enum { SHOWN = 12 };
    const ifd_fmu_facts *facts = ifd_fmu_facts_of(f);
    int shown = 0;
    for (int y = 0; y < facts->variables; y++)
        for (int u = 0; u < facts->variables && shown < SHOWN; u++) {
            const ifd_fmu_variable *out = &facts->variable[y], *in = &facts->variable[u];
            double slope;
            if (!out->real || !in->real || out->role != IFD_FMU_OUTPUT || in->role != IFD_FMU_INPUT ||
                !ifd_fmu_slope(f, y, u, 0.0, h, &slope) || slope == 0.0)
                continue;
            shown++;
            app_say(a, "slope", "d(%s)/d(%s) = %.6g", out->name, in->name, slope);
            IFD_JSON_OBJECT(j, NULL, IFD_JSON("output", out->name), IFD_JSON("input", in->name),
                            IFD_JSON("value", slope));
        }
}

typedef struct examination {
    double h, amplitude, steps, patience;
    bool part; /* the role that decides */
} examination;

/* Resets it to its state after the first initialisation; false: not possible. One instance is used, as some FMUs
 * permit no other in a process. */
static bool begin_again(ifd_fmu *f)
{
    return ifd_fmu_again(f, NULL) == IFD_OK && ifd_fmu_begin(f, 0.0, NULL) == IFD_OK;
}

/* Last, first in another process, then here with counted allocations: an FMU that fails has already been assessed for
 * all other uses. */
static ifd_status examine_back(app *a, ifd_json *j, ifd_fmu *f, const examination *e, ifd_fmu_back_quality *back)
{
    const ifd_fmu_facts *facts = ifd_fmu_facts_of(f);
    *back = (ifd_fmu_back_quality){.allocations = -1};
    if (facts->rolls_back)
        IFD_TRY(ifd_fmu_try_back(a->word[0], NULL, e->h, fmin(0.5 * e->patience, 10.0), back, &a->note));
    bool survives = facts->rolls_back && back->verdict != IFD_FMU_BACK_FAILS;
    bool tells = (survives || facts->derivatives) && begin_again(f);
    ifd_json_list(j, "slopes");
    if (tells)
        say_slopes(a, j, f, e->h);
    ifd_json_end(j);
    if (tells && survives && begin_again(f)) {
        ifd_fmu_back_quality here;
        ifd_fmu_qualify_back(f, e->h, e->amplitude, allocations_watch(ALLOCATIONS_OF_FMU) ? allocations : NULL,
                             &here);
        back->allocations = here.allocations;
        if (here.verdict == IFD_FMU_BACK_OTHER)
            back->verdict = here.verdict;
    }
    return IFD_OK;
}

static int examine_steps(app *a, ifd_json *j, ifd_fmu *f, const examination *e)
{
    ifd_fmu_quality q = {0};
    ifd_fmu_back_quality back;
    APP_TRY(a, ifd_fmu_begin(f, 0.0, &a->note));
    sandbox_watch(&q.steps);
    ifd_fmu_qualify(f, (long)e->steps, e->h, e->amplitude, allocations_watch(ALLOCATIONS_OF_FMU) ? allocations : NULL,
                    &q);
    sandbox_watch(NULL);
    say_steps(a, &q, e->h);
    const char *why = ifd_arena_text(a->arena, ifd_fmu_why(f));
    fflush(stdout);
    APP_TRY(a, examine_back(a, j, f, e, &back));
    say_back(a, &back);
    const char *rig = unfit_for_rig(&q, e->h, why ? why : ""), *joint = unfit_for_joint(&q, &back, why ? why : "");
    say_verdict(a, "a rig (specimen, actuator) with this step on this computer", rig);
    say_verdict(a, "coupling (substructure of coupling fmu, join)", joint);
    put_quality(j, &q, &back, rig, joint);
    return *(e->part ? joint : rig) ? EXIT_RUN_FAILED : EXIT_FINE;
}

static int examine(app *a, void *self)
{
    examination e = *(const examination *)self;
    const ifd_fmu_open_options how = {.allocate = allocations_calloc, .release = allocations_free};
    ifd_fmu *f;
    APP_TRY(a, ifd_fmu_open_as(a->arena, a->word[0], &how, &f, &a->note));
    const ifd_fmu_facts *facts = ifd_fmu_facts_of(f);
    ifd_json j = app_json(a);
    put_facts(&j, facts);
    say_facts(a, facts);
    fflush(stdout); /* it can crash from here on */
    e.h = e.h > 0 ? e.h : facts->step > 0 ? facts->step : 1e-3;
    int exit_status = e.steps > 0 ? examine_steps(a, &j, f, &e) : EXIT_FINE;
    return a->json && !a->put ? app_put_json(a, &j, exit_status) : exit_status;
}

static int run_command(app *a)
{
    examination e;
    const char *role = app_value(a, "--role");
    if (!app_number(a, "--step", IFD_DIM_TIME, 0, &e.h) ||
        !app_number(a, "--amplitude", IFD_DIM_ANY, 1e-3, &e.amplitude) ||
        !app_number(a, "--patience", IFD_DIM_TIME, 60, &e.patience) ||
        !app_number(a, "--steps", IFD_DIM_NONE, 1e5, &e.steps))
        return EXIT_BAD_INPUT;
    if (e.h < 0 || e.steps < 0 || e.steps > 1e9 || !(e.patience >= 1 && e.patience <= 86400))
        return app_refuse(a, "expected --step above 0, --steps from 0 to 1e9 and --patience from 1 s to 86400 s");
    if (role && strcmp(role, "specimen") != 0 && strcmp(role, "part") != 0)
        return app_refuse(a, "--role: found '%s', expected specimen or part", role);
    e.part = role && strcmp(role, "part") == 0;
    if (app_has(a, "--not-isolated"))
        return examine(a, &e);
    int exit_status = sandbox_run(a, examine, &e, (unsigned)ceil(e.patience), NULL);
    a->put = a->put || exit_status == EXIT_FINE; /* the child has printed the output */
    return exit_status;
}

const command command_fmu = {
    .name = "fmu",
    .words = "FILE",
    .summary = "examine an FMU and decide whether it is suitable for a rig",
    .details = "Lists the variables and steps the FMU with sinusoidal inputs. Measures time per step, memory "
               "allocations and time drift. Then checks that a saved state is restored exactly, which only a "
               "substructure of coupling fmu needs. The FMU runs in a sandboxed child process.",
    .options = {{"--steps", "N", "number of steps; 0: none (default 100000)"},
                {"--step", "H", "step, in s (default: that of its default experiment, else 0.001)"},
                {"--amplitude", "A", "amplitude of the inputs (default 0.001)"},
                {"--role", "specimen|part",
                 "role that decides the exit status: on a rig, or in coupling fmu (default: specimen)"},
                {"--patience", "S", "end the child process after this time without a response, in s (default 60)"},
                {"--isolated", NULL, "use a sandboxed child process without network; this is the default"},
                {"--not-isolated", NULL, "run in this process, for a debugger; a crash of the FMU ends the program"}},
    .examples = "interfield fmu damper.fmu --step 1ms",
    .see = "export-fmu join fmi-import.md",
    .run = run_command,
    .code = CODE_RUN,
    .failed = "the FMU is not suitable for its role",
};
