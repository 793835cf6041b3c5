/* SPDX-License-Identifier: MIT */
/* interfield rig-check: conformance check of the rig of a laboratory. */
#include "session/rig_of_case.h"

#include <stdlib.h>
#include <string.h>

#include <interfield/link.h>
#include <interfield/report.h>
#include <interfield/rig_check.h>

enum { MOST_PARAMS = 32 };

static bool set_param(app *a, const ifd_rig_ops *rig, ifd_value *values, const char *text)
{
    const char *equals = strchr(text, '=');
    const char *name = equals ? ifd_arena_text_n(a->arena, text, (size_t)(equals - text)) : text;
    int i = equals && name ? ifd_param_find(rig->params, name) : -1;
    if (i < 0)
        return app_reject(a, "--param %s: rig '%s' has no such parameter", text, rig->name);
    ifd_status status = ifd_param_read(&rig->params[i], equals + 1, name, &values[i], &a->note);
    if (status != IFD_OK)
        app_fail(a, status);
    return status == IFD_OK;
}

static bool take_params(app *a, const ifd_rig_ops *rig, ifd_value *values)
{
    const char *given[MOST_OPTIONS];
    int count = app_values(a, "--param", given);
    for (int i = 0; i < count; i++)
        if (!set_param(a, rig, values, given[i]))
            return false;
    return true;
}

/* The meaning of its numbers, its tick and its actuators are those of a case; also its parameters, if the case names
 * this rig. */
static int take_case(app *a, ifd_rig_check_options *o, ifd_value *values)
{
    const char *name = app_value(a, "--channels-of");
    const ifd_case *c = name ? case_read_named(a, name, 0, NULL) : NULL;
    const ifd_rig_part *part = NULL;
    rig_of_case facts;
    if (!name && app_value(a, "--rig"))
        return app_refuse(a, "--rig names a rig of the case of --channels-of, which is missing");
    if (!name)
        return EXIT_FINE;
    if (!c)
        return a->refused;
    if (!c->test)
        return app_refuse(a, "--channels-of %s: this case has no section 'test'", name);
    if (!rig_of_case_named(a, c, &part))
        return EXIT_BAD_INPUT;
    APP_TRY(a, rig_of_case_find(a, c, &facts));
    if (part)
        rig_of_case_part(&facts, part);
    o->map = part ? part->map : c->test->map;
    o->tick = facts.tick;
    o->channels = facts.channels;
    o->folder = c->test->folder;
    const ifd_rig_ops *rig = part ? part->ops : c->test->rig;
    const ifd_value *given = part ? part->values : c->test->rig_values;
    if (strcmp(rig->name, o->rig->name) == 0 && given)
        memcpy(values, given, (size_t)ifd_param_count(o->rig->params) * sizeof *values);
    return EXIT_FINE;
}

static const char *const words[] = {"skipped", "passed", "failed"};

static void print_rows(const app *a, const ifd_rig_check_row *row)
{
    static const char *const colour[] = {"\033[33m", "\033[32m", "\033[1;31m"};
    for (int i = 0; i < IFD_RIG_CHECKS && app_talks(a); i++) {
        printf("%s%-8s%s ", a->colour_out ? colour[row[i].verdict] : "", words[row[i].verdict],
               a->colour_out ? "\033[0m" : "");
        app_print("%-56s %s\n", row[i].what, row[i].text);
    }
}

static int put_rows(app *a, const ifd_rig_ops *rig, const ifd_rig_check_row *row, int failed)
{
    ifd_json j = app_json(a);
    ifd_json_text(&j, "rig", rig->name);
    ifd_json_integer(&j, "failed", failed);
    ifd_json_list(&j, "checks");
    for (int i = 0; i < IFD_RIG_CHECKS; i++) {
        ifd_json_object(&j, NULL);
        ifd_json_text(&j, "what", row[i].what);
        ifd_json_text(&j, "verdict", words[row[i].verdict]);
        ifd_json_text(&j, "seen", row[i].text);
        ifd_json_end(&j);
    }
    return app_put_json(a, &j, failed ? EXIT_RUN_FAILED : EXIT_FINE);
}

static int run_command(app *a)
{
    ifd_rig_check_options o;
    ifd_rig_check_row row[IFD_RIG_CHECKS];
    ifd_value values[MOST_PARAMS];
    int failed = 0;
    ifd_rig_check_defaults(&o);
    bool file = strchr(a->word[0], '/') || strstr(a->word[0], ".so");
    APP_TRY(a, (file ? ifd_rig_plugin_open : ifd_rig_driver_open)(a->word[0], a->arena, &o.rig, &a->note, NULL));
    if (ifd_param_count(o.rig->params) > MOST_PARAMS)
        return app_refuse(a, "rig '%s' has too many parameters; at most %d are possible", o.rig->name, MOST_PARAMS);
    ifd_param_preset(o.rig->params, values);
    int refused = take_case(a, &o, values);
    if (refused != EXIT_FINE)
        return refused;
    if (!take_params(a, o.rig, values) || !app_integer(a, "--channels", 1, IFD_RIG_CHANNELS, &o.channels) ||
        !app_number(a, "--tick", IFD_DIM_TIME, o.tick, &o.tick) ||
        !app_number(a, "--move", IFD_DIM_LENGTH, o.move, &o.move) ||
        !app_number(a, "--duration", IFD_DIM_TIME, o.duration, &o.duration) ||
        !app_number(a, "--watchdog", IFD_DIM_TIME, o.watchdog, &o.watchdog))
        return EXIT_BAD_INPUT;
    APP_TRY(a, ifd_param_check(o.rig->params, values, o.rig->name, NULL, &a->note));
    o.values = values;
    app_say(a, "rig", "%s: %s", o.rig->name, o.rig->summary ? o.rig->summary : "");
    APP_TRY(a, ifd_rig_check(a->arena, &o, row, &failed, &a->note));
    print_rows(a, row);
    if (a->note.first) /* the places and complete reasons of what the rig refused */
        ifd_note_print(&a->note, stderr, a->colour_err);
    if (a->json)
        return put_rows(a, o.rig, row, failed);
    app_say(a, failed ? "FAILED" : "passed", "%d of %d requirements not met", failed,
            IFD_RIG_CHECK_OWN); /* requirements come before it */
    return failed ? EXIT_RUN_FAILED : EXIT_FINE;
}

const command command_rig_check = {
    .name = "rig-check",
    .words = "RIG",
    .summary = "check a rig plug-in against the requirements of a rig",
    .details = "RIG is a shared object that exports ifd_user_rig, such as ./my_rig.so, or the name of a driver "
               "(interfield list rigs). No actuator moves unless --move is given. "
               "With --move every actuator travels that distance. Then commands stop during a motion, to verify "
               "that the watchdog of the rig stops it.",
    .options =
        {{"--channels", "N", "number of actuators of the rig (default 1)"},
         {"--tick", "T", "time between commands, in s (default 0.001, or that of the case)"},
         {"--move", "D", "distance that every actuator travels, in m (default: no motion)"},
         {"--duration", "T", "duration of that motion, in s (default 1)"},
         {"--watchdog", "T", "time in which the rig must come to rest without commands, in s (default 1)"},
         {"--channels-of", "CASE",
          "use channels, tick, actuators and, for the same rig, parameters of this case, so that a rig in volts "
          "moves by metres (default: the rig uses m and N)"},
         {"--rig", "NAME", "of a case with several rigs, use this one"},
         {"--param", "NAME=VALUE", "parameter of the rig, in SI units; may be repeated"}},
    .examples = "interfield rig-check ./my_rig.so --channels 2 --move 1mm\n"
                "interfield rig-check trial --channels-of bridge/hybrid\n"
                "interfield rig-check trial --channels-of several-rigs/rigs --rig bench",
    .see = "channels rig plugin.md",
    .run = run_command,
    .code = CODE_RUN,
    .failed = "a requirement is not met",
};
