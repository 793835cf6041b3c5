/* SPDX-License-Identifier: MIT */
/* interfield rig-check: conformance check of the rig of a laboratory. */
#include "session/certified.h"
#include "session/rig_of_case.h"
#include "session/start.h"
#include "session/supervised.h"
#include "outcome.h"

#include <math.h>
#include <string.h>

#include <interfield/report.h>

enum { MOST_PARAMS = 48 };

/* What is checked. */
typedef struct target {
    ifd_rig_check_options o;
    ifd_value values[MOST_PARAMS];
    const ifd_case *c; /* whose rig it is; NULL: a rig without a case */
    ifd_rig_part part;
    rig_of_case facts;
    double lag;    /* s, of the slowest actuator */
    double within; /* s, for each step of a person */
    bool simulated;
} target;

/* "[0, 2]" or "0,2": numbers of a list, each read as the parameter itself. */
static ifd_status read_list(app *a, const ifd_param *p, const char *text, ifd_value *out)
{
    ifd_param one = *p;
    double *data = ifd_arena_array(a->arena, strlen(text) + 1, sizeof *data);
    char *copy = data ? ifd_arena_text(a->arena, text) : NULL, *rest = NULL;
    int count = 0;
    one.shape = IFD_SHAPE_SCALAR;
    if (!copy)
        return IFD_NO_MEMORY;
    for (char *item = strtok_r(copy, "[], ", &rest); item; item = strtok_r(NULL, "[], ", &rest)) {
        ifd_value value;
        IFD_TRY(ifd_param_read(&one, item, p->name, &value, &a->note));
        data[count++] = value.number;
    }
    *out = ifd_list(data, count);
    return IFD_OK;
}

static bool set_param(app *a, const ifd_rig_ops *rig, ifd_value *values, const char *text)
{
    const char *equals = strchr(text, '=');
    const char *name = equals ? ifd_arena_text_n(a->arena, text, (size_t)(equals - text)) : text;
    int i = equals && name ? ifd_param_find(rig->params, name) : -1;
    if (i < 0)
        return app_reject(a, "--param %s: rig '%s' has no such parameter", text, rig->name);
    const ifd_param *p = &rig->params[i];
    ifd_status status = p->shape == IFD_SHAPE_LIST ? read_list(a, p, equals + 1, &values[i])
                                                   : ifd_param_read(p, equals + 1, name, &values[i], &a->note);
    if (status != IFD_OK)
        app_fail(a, status);
    return status == IFD_OK;
}

/* The meaning of its numbers, its tick and its actuators are those of a case; also its parameters, if the case names
 * this rig. own: the word of the command is the case, and its rig is checked. */
static int take_case(app *a, const char *name, bool own, target *t)
{
    const ifd_case *c = name ? case_read_named(a, name, 0, NULL) : NULL;
    const ifd_rig_part *part = NULL;
    ifd_rig_check_options *o = &t->o;
    if (!name)
        return app_value(a, "--rig") ? app_refuse(a, "--rig names a rig of a case, which is missing") : EXIT_FINE;
    if (!c)
        return a->refused;
    if (!c->test)
        return app_refuse(a, "%s%s: this case has no section 'test'", own ? "" : "--channels-of ", name);
    if (!rig_of_case_named(a, c, &part))
        return EXIT_BAD_INPUT;
    APP_TRY(a, rig_of_case_find(a, c, &t->facts));
    if (part)
        rig_of_case_part(&t->facts, part);
    t->part = part ? *part : ifd_proof_rig(c, t->facts.actuators);
    t->c = own ? c : NULL;
    o->rig = own ? t->part.ops : o->rig;
    o->map = part ? part->map : c->test->map;
    o->tick = t->facts.tick;
    o->actuators = t->facts.actuators;
    o->folder = c->test->folder;
    for (int k = 0; k < o->actuators; k++)
        o->acceleration[k] = isfinite(t->facts.limits[k].acceleration) ? t->facts.limits[k].acceleration : 0.0;
    for (int k = 0; k < c->test->interfaces; k++)
        t->lag = fmax(t->lag, c->test->interface[k].lag);
    return EXIT_FINE;
}

/* The rig: a shared object, a driver, or that of a case. */
static int take_rig(app *a, target *t)
{
    const char *word = a->word[0], *channels = app_value(a, "--channels-of");
    bool object = strstr(word, ".so") != NULL, of_case = !object && (strchr(word, '/') || strstr(word, ".y"));
    if (of_case && channels)
        return app_refuse(a, "--channels-of %s: the channels are those of the case %s", channels, word);
    if (!of_case)
        APP_TRY(a, (object ? ifd_rig_plugin_open : ifd_rig_named_open)(word, a->arena, &t->o.rig, &a->note, NULL));
    int refused = take_case(a, of_case ? word : channels, of_case, t);
    if (refused != EXIT_FINE)
        return refused;
    if (ifd_rig_is_virtual(t->o.rig))
        return app_refuse(a, "%s: its rig is virtual; there is nothing to check", word);
    if (ifd_param_count(t->o.rig->params) > MOST_PARAMS)
        return app_refuse(a, "rig '%s' has too many parameters; at most %d are possible", t->o.rig->name,
                          MOST_PARAMS);
    ifd_param_preset(t->o.rig->params, t->values);
    if (t->part.ops && t->part.values && strcmp(t->part.ops->name, t->o.rig->name) == 0)
        memcpy(t->values, t->part.values, (size_t)ifd_param_count(t->o.rig->params) * sizeof *t->values);
    return EXIT_FINE;
}

static const char *const words[] = {"skipped", "passed", "failed"};

static int put_rows(app *a, const ifd_rig_ops *rig, const ifd_rig_check_row *row, int failed)
{
    ifd_json j = app_json(a);
    IFD_JSON_PUT(&j, IFD_JSON("rig", rig->name), IFD_JSON("failed", failed));
    ifd_json_list(&j, "checks");
    for (int i = 0; i < IFD_RIG_CHECKS; i++)
        IFD_JSON_OBJECT(&j, NULL, IFD_JSON("what", row[i].what), IFD_JSON("verdict", words[row[i].verdict]),
                        IFD_JSON("seen", row[i].text));
    return app_put_json(a, &j, failed ? EXIT_RUN_FAILED : EXIT_FINE);
}

static int count(const ifd_rig_check_row *row, ifd_rig_verdict v)
{
    int found = 0;
    for (int i = 0; i < IFD_RIG_CHECK_OWN; i++) /* requirements come before it */
        found += row[i].verdict == v;
    return found;
}

static int conform(app *a, target *t)
{
    ifd_rig_check_row row[IFD_RIG_CHECKS];
    int failed = 0;
    if (!supervised_begin(a, (supervised_rig){NULL, t->o.rig->name}, &t->o.beat))
        return EXIT_BAD_INPUT;
    supervised_pace(t->o.tick, t->simulated, 0);
    ifd_status status = ifd_rig_check(a->arena, &t->o, row, &failed, &a->note);
    supervised_end();
    APP_TRY(a, status);
    static const char *const colour[] = {"\033[33m", "\033[32m", "\033[1;31m"};
    for (int i = 0; i < IFD_RIG_CHECKS && app_talks(a); i++) {
        printf("%s%-8s%s ", a->colour_out ? colour[row[i].verdict] : "", words[row[i].verdict],
               a->colour_out ? "\033[0m" : "");
        app_print("%-56s %s\n", row[i].what, row[i].text);
    }
    if (a->note.first) /* the places and complete reasons of what the rig refused */
        ifd_note_print(&a->note, stderr, a->colour_err);
    if (a->json)
        return put_rows(a, t->o.rig, row, failed);
    const char *simulated = t->simulated ? "; the rig declares itself simulated" : "";
    int skipped = count(row, IFD_RIG_SKIPPED);
    const char *missing = !skipped ? ""
                          : t->o.move > 0.0 || failed > 0
                              ? ifd_arena_print(a->arena, ", %d skipped", skipped)
                              : ifd_arena_print(a->arena, ", %d skipped (--move)", skipped);
    if (failed)
        app_say(a, "FAILED", "%d of %d requirements not met, %d passed%s%s", failed, IFD_RIG_CHECK_OWN,
                count(row, IFD_RIG_PASSED), missing ? missing : "", simulated);
    else
        app_say(a, "passed", "%d of %d requirements%s%s", count(row, IFD_RIG_PASSED), IFD_RIG_CHECK_OWN,
                missing ? missing : "", simulated);
    return failed ? EXIT_RUN_FAILED : EXIT_FINE;
}

static bool take_numbers(app *a, target *t)
{
    ifd_rig_check_options *o = &t->o;
    int watchdog = ifd_param_find(o->rig->params, "watchdog");
    const char *given[MOST_OPTIONS];
    int count = app_values(a, "--param", given);
    for (int i = 0; i < count; i++)
        if (!set_param(a, o->rig, t->values, given[i]))
            return false;
    if (!app_integer(a, "--actuators", 1, IFD_RIG_ACTUATORS, &o->actuators) ||
        !app_number(a, "--tick", IFD_DIM_TIME, o->tick, &o->tick) ||
        !app_number(a, "--move", IFD_DIM_LENGTH, o->move, &o->move) ||
        !app_number(a, "--duration", IFD_DIM_TIME, o->duration, &o->duration) ||
        !app_number(a, "--within", IFD_DIM_TIME, 60.0, &t->within))
        return false;
    if (app_has(a, "--kill") && watchdog >= 0) /* of the rig, unless the option states it */
        o->watchdog = t->values[watchdog].number;
    return app_number(a, "--watchdog", IFD_DIM_TIME, o->watchdog, &o->watchdog);
}

/* The rig is opened for it, under supervision as everywhere. */
static bool find_simulated(app *a, target *t)
{
    ifd_rig rig = {
        .ops = t->o.rig, .actuators = t->o.actuators, .tick = t->o.tick, .folder = t->o.folder, .number = 1};
    if (!supervised_begin(a, (supervised_rig){NULL, t->o.rig->name}, &rig.beat))
        return false;
    t->simulated = ifd_rig_simulated(&rig, t->values);
    supervised_end();
    return true;
}

/* A travel of D in T as in ramp-in has the peaks 1.875 D/T and 5.774 D/T^2. Limits are known of a case only. */
static bool fits_limits(app *a, const target *t)
{
    double D = t->o.move, T = t->o.duration, v = 1.875 * D / T, most = 10.0 / sqrt(3.0) * D / (T * T);
    for (int k = 0; k < t->facts.actuators; k++) {
        const ifd_limits *l = &t->facts.limits[k];
        if (D > l->high - l->low)
            return app_reject(a, "--move %s is more than the stroke of actuator %d, %s to %s", quantity(D, "m").text,
                              k + 1, quantity(l->low, "m").text, quantity(l->high, "m").text);
        if (v > l->velocity || most > l->acceleration)
            return app_reject(a,
                              "--move %s in %s: actuator %d would reach %s and %s, its limits are %s and %s; give a "
                              "longer --duration",
                              quantity(D, "m").text, quantity(T, "s").text, k + 1, quantity(v, "m/s").text,
                              quantity(most, "m/s2").text, quantity(l->velocity, "m/s").text,
                              quantity(l->acceleration, "m/s2").text);
    }
    return true;
}

/* Motion and proofs are the business of a named person; a motion begins with a typed word. */
static bool permitted(app *a, const target *t)
{
    bool moves = t->o.move > 0.0, proves = app_has(a, "--stop") || app_has(a, "--kill");
    char line[16];
    if ((moves || proves) && !start_named(a, !t->simulated))
        return false;
    if (moves && !fits_limits(a, t))
        return false;
    if (!moves || t->simulated)
        return true;
    app_say(a, "move", "%d actuator%s will travel %g mm: keep clear. Type move to begin", t->o.actuators,
            plural(t->o.actuators), 1e3 * t->o.move);
    fflush(stdout);
    return (fgets(line, sizeof line, stdin) && strcmp(line, "move\n") == 0) ||
           app_reject(a, "nothing moved: the word move was not typed");
}

static int run_command(app *a)
{
    target t = {.lag = 0.0};
    ifd_rig_check_defaults(&t.o);
    t.o.values = t.values;
    int refused = take_rig(a, &t);
    if (refused != EXIT_FINE)
        return refused;
    if (!take_numbers(a, &t))
        return EXIT_BAD_INPUT;
    APP_TRY(a, ifd_param_check(t.o.rig->params, t.values, t.o.rig->name, NULL, &a->note));
    bool stop = app_has(a, "--stop"), kill = app_has(a, "--kill");
    if ((stop || kill) && !t.c)
        return app_refuse(a, "%s proves the settings of a case: interfield rig-check CASE %s",
                          stop ? "--stop" : "--kill",
                          stop ? "--stop --operator NAME" : "--kill --move 5mm --operator NAME");
    if (stop && (kill || t.o.move > 0.0))
        return app_refuse(a, "--stop moves nothing: expected it without --kill and --move");
    if (kill && !(t.o.move > 0.0))
        return app_refuse(a, "--kill needs --move D, the distance of its motion");
    if ((stop || kill || t.o.move > 0.0 || t.o.rig->simulated) && !find_simulated(a, &t))
        return EXIT_BAD_INPUT;
    app_say(a, "rig", "%s: %s", t.o.rig->name, t.o.rig->summary ? t.o.rig->summary : "");
    if (!permitted(a, &t))
        return EXIT_BAD_INPUT;
    const proof_target proven = {t.c, &t.part, &t.o, t.lag, t.within, t.simulated};
    return stop || kill ? proof_make(a, &proven, kill ? IFD_PROOF_KILL : IFD_PROOF_STOP) : conform(a, &t);
}

const command command_rig_check = {
    .name = "rig-check",
    .words = "RIG|CASE",
    .summary = "check a rig against the requirements of a rig",
    .details =
        "RIG is a shared object that exports ifd_user_rig, such as ./my_rig.so, or the name of a driver or "
        "of a built-in rig such as udp (interfield list rigs); the rig of a CASE is checked with its settings. "
        "No actuator moves and none receives power unless --move is given. "
        "With --move every actuator travels that distance, within the limits of the case. Then commands stop "
        "during a motion, to verify "
        "that the watchdog of the rig stops it. --stop asks a person to press, release and unplug the "
        "emergency stop and compares what the rig reads; --kill kills the process that moves the rig. "
        "Both store their proof beside the case, and preflight of a real rig requires it.",
    .options =
        {{"--stop", NULL, "prove the stop chain of the rig of a case, without motion"},
         {"--kill", NULL, "prove that the rig of a case stops when the program is killed during a motion (--move)"},
         {"--operator", "NAME", "name of the operator; required on a real rig for --stop, --kill and --move"},
         {"--within", "T", "time for each step of --stop, in s (default 60)"},
         {"--actuators", "N", "number of actuators of the rig (default 1)"},
         {"--tick", "T", "time between commands, in s (default 0.001, or that of the case)"},
         {"--move", "D", "distance that every actuator travels, in m (default: no motion)"},
         {"--duration", "T", "duration of that motion, in s (default 1)"},
         {"--watchdog", "T",
          "time in which the rig must come to rest without commands, in s (default 1; with --kill that of the rig)"},
         {"--channels-of", "CASE",
          "use channels, tick, number of actuators and, for the same rig, parameters of this case, so that a rig "
          "in volts moves by metres (default: the rig uses m and N)"},
         {"--rig", "NAME", "of a case with several rigs, use this one"},
         {"--param", "NAME=VALUE", "parameter of the rig, in SI units, a list as 0,2; may be repeated"}},
    .examples = "interfield rig-check ./my_rig.so --actuators 2 --move 1mm\n"
                "interfield rig-check udp --param host=192.168.0.7 --param port=4711\n"
                "interfield rig-check my-case.yaml --stop --operator 'A. Smith'\n"
                "interfield rig-check my-case.yaml --kill --move 5mm --operator 'A. Smith'\n"
                "interfield rig-check trial --channels-of bridge/hybrid\n"
                "interfield rig-check trial --channels-of several-rigs/rigs --rig bench",
    .see = "channels rig preflight before-first-test.md plugin.md udp-wire.md",
    .run = run_command,
    .code = CODE_RUN,
    .outcomes = OUTCOME_BIT(HUNG),
    .failed = "a requirement is not met",
};
