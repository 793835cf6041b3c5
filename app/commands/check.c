/* SPDX-License-Identifier: MIT */
/* interfield check: all steps of run before its output. */
#include "outcome.h"
#include "session/rig_of_case.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

static void list_unloaded(ifd_json *j, const ifd_case *c)
{
    ifd_json_list(j, "not_examined");
    for (const ifd_case_unloaded *u = c->unloaded; u; u = u->next)
        ifd_json_text(j, NULL, u->path);
    ifd_json_end(j);
}

static void list_springs(ifd_json *j, const ifd_case *c)
{
    ifd_json_list(j, "soil_springs");
    for (const ifd_case_spring *k = c->spring; k; k = k->next) {
        ifd_json_object(j, NULL);
        IFD_JSON_PUT(j, IFD_JSON("name", k->name), IFD_JSON("substructure", k->part), IFD_JSON("kind", k->kind));
        ifd_json_numbers(j, "deformation", k->points, k->q);
        ifd_json_numbers(j, "force", k->points, k->r);
        ifd_json_end(j);
    }
    ifd_json_end(j);
}

/* Without the native code of the case, as far as possible. */
static int check_unloaded(app *a, const ifd_case *c)
{
    for (const ifd_case_unloaded *u = c->unloaded; u; u = u->next)
        if (access(u->path, R_OK) != 0)
            ifd_note_add(&a->note, IFD_FILE, &u->place, "the file '%s' does not exist or cannot be read", u->path);
    ifd_case_quote(c, &a->note);
    if (a->note.errors)
        return app_fail(a, IFD_FILE);
    if (a->json) {
        ifd_json j = app_json(a);
        IFD_JSON_PUT(&j, IFD_JSON("outcome", outcome_word(OUTCOME_COMPLETED)), IFD_JSON("case", c->path),
                     IFD_JSON("title", c->title));
        list_unloaded(&j, c);
        return app_put_json(a, &j, EXIT_FINE);
    }
    case_say_title(a, c);
    for (const ifd_case_unloaded *u = c->unloaded; u; u = u->next)
        app_say(a, "skipped", "%s:%d: native code '%s' not loaded and not examined", u->place.file, u->place.line,
                u->path);
    app_say(a, "skipped", "the %s not assembled; interfield check --load examines the whole case",
            c->run.model || c->run.couple ? "run was" : "model was");
    app_say(a, "valid", "%s, examined in part", c->path);
    return EXIT_FINE;
}

static int put_check(app *a, const ifd_case *c, const ifd_run *run, double tick)
{
    int columns;
    ifd_run_columns(run, &columns);
    ifd_json j = app_json(a);
    IFD_JSON_PUT(&j, IFD_JSON("outcome", outcome_word(OUTCOME_COMPLETED)), IFD_JSON("case", c->path),
                 IFD_JSON("title", c->title), IFD_JSON("model", case_model(c).text),
                 IFD_JSON("method", case_method(c).text), IFD_JSON("step", c->run.step.h),
                 IFD_JSON("end", c->run.end), IFD_JSON("steps", ifd_run_steps(run)));
    if (tick > 0.0)
        ifd_json_number(&j, "tick", tick);
    if (c->run.model) {
        IFD_JSON_PUT(&j, IFD_JSON("dofs", ifd_model_dofs(c->run.model)),
                     IFD_JSON("elements", ifd_model_elements(c->run.model)),
                     IFD_JSON("states", ifd_model_states(c->run.model)),
                     IFD_JSON("linear", ifd_model_linear(c->run.model)));
    }
    ifd_json_integer(&j, "columns", columns);
    ifd_json_list(&j, "chords");
    for (const ifd_case_chord *k = c->chord; k; k = k->next) {
        ifd_json_object(&j, NULL);
        IFD_JSON_PUT(&j, IFD_JSON("name", k->name), IFD_JSON("substructure", k->part), IFD_JSON("length", k->length),
                     IFD_JSON("row", k->row), IFD_JSON("start", k->start), IFD_JSON("loaded", k->loaded));
        ifd_json_end(&j);
    }
    ifd_json_end(&j);
    list_springs(&j, c);
    list_unloaded(&j, c);
    ifd_json_list(&j, "remarks");
    for (const ifd_finding *f = a->note.remark_first; f; f = f->next)
        ifd_json_text(&j, NULL, f->text);
    return app_put_json(a, &j, EXIT_FINE);
}

/* Whether an output is on a line of the rig (NAME-line) or, with a file of the bus, in its outputs. */
static bool mapped(const ifd_hybrid_options *t, const ifd_setting *bus, const char *name, bool *known)
{
    int at = ifd_param_find(t->rig->params, phrase("%s-line", strcmp(name, "beat") == 0 ? "heartbeat" : name).text);
    *known = bus || at >= 0;
    return bus ? ifd_setting_get(ifd_setting_get(bus, "outputs"), name) != NULL
               : at >= 0 && t->rig_values[at].number >= 0.0;
}

/* Outputs of a test that the rig of the case has, but that reach nothing. */
static void say_unmapped(const app *a, const ifd_case *c)
{
    static const char *const outputs[] = {"trigger", "running", "enable", "low", "high", "beat"};
    char list[120] = "";
    if (!c->test || !c->test->rig_values)
        return;
    const ifd_setting *bus = bus_facts(a, c->test->rig, c->test->rig_values);
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++) {
        bool known, there = mapped(c->test, bus, outputs[i], &known);
        if (known && !there)
            text_add(list, sizeof list, "%s%s", *list ? ", " : "", outputs[i]);
    }
    if (*list)
        app_say(a, "outputs", "not mapped: %s", list);
}

/* Members with fibres whose tangents are corrected in every step, or that a bounded Jacobian cannot all correct. */
static void say_jacobian(const app *a, const ifd_step_options *step, int coordinates)
{
    enum { MANY = 60 }; /* 20 members in the plane */
    const ifd_param *params = step->method->params;
    int at = ifd_param_find(params, "jacobian"), cap = ifd_param_find(params, "tangent-cap");
    const char *word = at < 0 ? "" : step->value[at].given ? step->value[at].word : "exact";
    if (strcmp(word, "exact") == 0 && coordinates > MANY)
        app_say(a, "jacobian",
                "each step corrects %d coordinates of fibre members; compare with 'jacobian: refactor', and with "
                "'bounded' and 'tangent-cap: %d'",
                coordinates, coordinates);
    else if (strcmp(word, "bounded") == 0 && coordinates > step->value[cap].number)
        app_say(
            a, "jacobian",
            "fibre members have %d coordinates, but 'tangent-cap' is %g: if a step must correct more, it ends with "
            "the fault TANGENT; use 'tangent-cap: %d' or 'jacobian: refactor'",
            coordinates, step->value[cap].number, coordinates);
}

/* Information only: no command decides by it. */
static void say_fibres(const app *a, const ifd_case *c)
{
    ifd_fibre_cost cost;
    if (!c->run.model || !ifd_model_fibre_cost(c->run.model, &cost))
        return;
    bool slow = cost.duration > c->run.step.h;
    app_say(a, "fibres", "%d members, %s evaluations of fibres in a step of LSRT2: %.0f us on this machine%s",
            cost.members, thousands((long)cost.evaluations).text, 1e6 * cost.duration,
            slow ? ", longer than the step" : "");
    say_jacobian(a, &c->run.step, cost.coordinates);
}

/* In a gravity state: where its elongation starts, or from where it counts. */
static void say_chord(const app *a, const ifd_case_chord *k)
{
    const char *start = k->start == 0.0 ? "" : k->loaded ? ", counted from " : ", starts at ";
    app_say(a, "chord", "%s%s%s from %s to %s: length %.9g m, q = %s%s%s", k->part ? k->part : "", k->part ? "." : "",
            k->name, k->from ? k->from : "the ground", k->to ? k->to : "the ground", k->length, k->row, start,
            k->start == 0.0 ? "" : quantity(k->start, "m").text);
}

static bool same_points(const ifd_case_spring *a, const ifd_case_spring *b)
{
    size_t size = sizeof *a->q * (size_t)a->points;
    return a->points == b->points && strcmp(a->kind, b->kind) == 0 && memcmp(a->q, b->q, size) == 0 &&
           memcmp(a->r, b->r, size) == 0;
}

/* The points of each law once, and of three laws of each kind at most: a long pile has a law for each node. */
static void say_springs(const app *a, const ifd_case *c)
{
    enum { MOST = 3, KINDS = 3 };
    const char *kind[KINDS] = {NULL};
    int laws[KINDS] = {0}, at = 0, others = 0;
    for (const ifd_case_spring *k = c->spring, *i; k; k = k->next) {
        char points[400] = "", like[40] = "";
        int equal = 0;
        for (i = c->spring; i != k && !same_points(i, k); i = i->next)
            ;
        if (i != k)
            continue;
        for (i = k->next; i; i = i->next)
            equal += same_points(i, k);
        for (at = 0; at < KINDS - 1 && kind[at] && strcmp(kind[at], k->kind) != 0;)
            at++;
        kind[at] = k->kind;
        others += laws[at]++ >= MOST;
        if (laws[at] > MOST)
            continue;
        for (int n = 0; n < k->points; n++)
            text_add(points, sizeof points, "%s%.4g %.4g", n ? ", " : "", 1e3 * k->q[n], 1e-3 * k->r[n]);
        if (equal)
            text_add(like, sizeof like, " and %d more", equal);
        app_say(a, k->kind, "%s%s%s%s, points in mm and kN: %s", k->part ? k->part : "", k->part ? "." : "", k->name,
                like, points);
    }
    if (others)
        app_say(a, "soil", "%d other laws; interfield check --json prints the points of every spring", others);
}

/* Extremes of a prescribed displacement at its steps. */
static void say_motion(const app *a, const ifd_case *c, int k)
{
    const ifd_signal *s = ifd_protocol_signal(c->run.protocol, k);
    double low = 0.0, high = 0.0, v = 0.0, acceleration = 0.0, y[3];
    for (long i = 0; s && (double)i * c->run.step.h <= c->run.end; i++) {
        ifd_signal_eval(s, (double)i * c->run.step.h, y);
        low = fmin(low, y[0]);
        high = fmax(high, y[0]);
        v = fmax(v, fabs(y[1]));
        acceleration = fmax(acceleration, fabs(y[2]));
    }
    if (s)
        app_say(a, "motion", "%s from %.4g to %.4g, velocity up to %.4g, acceleration up to %.4g (m or rad, s)",
                c->run.specimen[k].name, low, high, v, acceleration);
    else
        app_say(a, "motion", "%s rests", c->run.specimen[k].name);
}

static void say_check(const app *a, const ifd_case *c, const ifd_run *run, double tick)
{
    int columns;
    ifd_run_columns(run, &columns);
    case_say_title(a, c);
    app_say(a, "model", "%s", case_model(c).text);
    app_say(a, "method", "%s · step %s, %s steps to %.6g s%s", case_method(c).text, quantity(c->run.step.h, "s").text,
            thousands(ifd_run_steps(run)).text, c->run.end,
            tick > 0.0 ? phrase(" · tick of the test %s", quantity(tick, "s").text).text : "");
    say_fibres(a, c);
    for (int k = 0; c->run.protocol && k < c->run.specimens; k++)
        say_motion(a, c, k);
    app_say(a, "records", "%d columns", columns);
    for (const ifd_case_chord *k = c->chord; k; k = k->next)
        say_chord(a, k);
    say_springs(a, c);
    say_unmapped(a, c);
    app_say(a, "valid", "%s", c->path);
}

/* The parts of a test; NULL: none, or their errors are in the note. */
static const ifd_part *parts_of(app *a, const ifd_case *c, int *count)
{
    const ifd_part *parts = NULL;
    ifd_hybrid_options o = *c->test;
    ifd_status status = IFD_OK;
    if (c->opensees) {
        const ifd_remote_options master = {.dofs = c->opensees->dofs, .paced = true, .trials = c->opensees->trials};
        status = ifd_remote_make(a->arena, &master, &o.remote, &a->note);
    }
    if (status == IFD_OK)
        status = ifd_hybrid_explain(a->arena, &o, &parts, count, &a->note);
    return status == IFD_OK ? parts : NULL;
}

static int put_parts(app *a, const ifd_case *c, const ifd_part *parts, int count)
{
    static const char *const kind[] = {"simulated time", "unit", "link"};
    ifd_json j = app_json(a);
    IFD_JSON_PUT(&j, IFD_JSON("outcome", outcome_word(OUTCOME_COMPLETED)), IFD_JSON("case", c->path));
    ifd_json_list(&j, "parts");
    for (const ifd_part *p = parts; p < parts + count; p++) {
        ifd_json_object(&j, NULL);
        IFD_JSON_PUT(&j, IFD_JSON("kind", kind[p->kind]), IFD_JSON("name", p->name), IFD_JSON("about", p->about));
        if (p->kind == IFD_PART_LINK)
            ifd_json_text(&j, "of", p->of);
        JSON_TEXTS(&j, "columns", p->columns, p->column[k].name);
        ifd_json_end(&j);
    }
    ifd_json_end(&j);
    return app_put_json(a, &j, EXIT_FINE);
}

/* What advances simulated time, the units in the order of their calls, and the way of each force. */
static int explain(app *a, const ifd_case *c)
{
    int count = 0;
    if (!c->test)
        return app_refuse(a, "--explain shows the parts of a test, and '%s' has no section 'test'", c->path);
    const ifd_part *parts = parts_of(a, c, &count), *before = NULL;
    if (!parts)
        return app_fail(a, IFD_CONFLICT);
    if (a->json)
        return put_parts(a, c, parts, count);
    static const char *const heading[] = {
        [IFD_PART_PACE] = "simulated time", [IFD_PART_UNIT] = "units, in the order of their calls"};
    for (const ifd_part *p = parts; p < parts + count; before = p++) {
        if (p->kind == IFD_PART_LINK && (!before || strcmp(before->of, p->of) != 0))
            printf("force of %s on the structure: the measured force\n", p->of);
        else if (p->kind != IFD_PART_LINK && (!before || before->kind != p->kind))
            printf("%s\n", heading[p->kind]);
        printf("  %-18s ", p->name);
        app_cell(a, 21, "%s\n", p->about);
        for (int i = 0; i < p->columns; i++)
            printf("  %-18s   column %s\n", "", p->column[i].name);
    }
    return EXIT_FINE;
}

static int run_command(app *a)
{
    int exit_status = 0;
    ifd_case *c = APP_CASE(a, case_read(a));
    if (c->unloaded)
        return check_unloaded(a, c);
    ifd_run *run = NULL;
    if (app_has(a, "--explain"))
        return explain(a, c);
    case_remark_resume(a, c);
    APP_TRY(a, case_run(a, c, &run));
    rig_of_case facts = {.tick = 0.0};
    ifd_status status = c->test ? rig_of_case_find(a, c, &facts) : IFD_OK;
    if (status != IFD_OK)
        exit_status = app_fail(a, status);
    else if (a->json)
        exit_status = put_check(a, c, run, facts.tick);
    else
        say_check(a, c, run, facts.tick);
    ifd_run_close(run);
    return exit_status;
}

const command command_check = {
    .name = "check",
    .words = "CASE",
    .summary = "check a case file and report its errors",
    .details = "Computes nothing and writes nothing. Plug-ins and FMUs of the case are not loaded; the report "
               "names the parts that depend on them as not examined. --load examines these parts, too.",
    .options = {OPTION_SET,
                OPTION_LOAD,
                {"--explain", NULL,
                 "print the parts of the test: units in the order of their calls, links of each force"}},
    .examples = "interfield check my-case.yaml",
    .see = "run list case.md security.md",
    .run = run_command,
    .tables = true,
    .code = CODE_ASKED,
    .partial = true,
    .fmu_parts = true,
};
