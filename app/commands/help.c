/* SPDX-License-Identifier: MIT */
#include "app.h"
#include "outcome.h"

#include <string.h>

#include <interfield/catalogue.h>

static const char start[] =
    "interfield steps structures through time in hard real time: frames, pendulums, hysteresis, by the methods of\n"
    "the literature. One readable file says what to run.\n"
    "\n"
    "    interfield run shear-pendulum/free                   runs a shipped case; the result goes to runs/\n"
    "    interfield plot runs/shear-pendulum-free-001 --terminal\n"
    "    interfield test bridge/hybrid --as-fast-as-possible  a hybrid test, dry, on a virtual rig\n"
    "    interfield spectrum lsrt2 --gamma plus               how a method damps and shifts frequencies\n"
    "\n";

static void print_overview(FILE *out, const command *none)
{
    (void)none;
    fputs(start, out);
    int width = 0;
    for (const command *const *c = commands; *c; c++) {
        int length = (int)(strlen((*c)->name) + 1 + strlen((*c)->words));
        width = length > width ? length : width;
    }
    for (const command *const *c = commands; *c; c++) {
        int used = fprintf(out, "    %s %s", (*c)->name, (*c)->words);
        fprintf(out, "%*s%s\n", 4 + width + 2 - used, "", (*c)->summary);
    }
    fputs("\nEvery command takes --json (one object on stdout) and --quiet. `interfield help COMMAND` lists\n"
          "its options, `interfield help case` explains the case file. Exit status (help exit): 0 completed or GO,\n"
          "1 failed, NO-GO, tripped, aborted or incomplete, 2 bad input, 3 caution.\n",
          out);
}

static void print_exit(FILE *out, const command *none)
{
    (void)none;
    outcome_print(out);
    for (const command *const *c = commands; *c; c++)
        outcome_print_row(out, *c);
    fputs("\nExit status 2, bad input, is possible for every command.\n", out);
}

static int unknown_topic(app *a, const char *topic)
{
    const char *known = names_add(a->arena, command_names(a->arena), "exit");
    static const char *const lists[] = {"topics",   "methods", "couplings", "extrapolators",
                                        "elements", "signals", "actuators", "compensators"};
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
        known = names_add_list(a->arena, known, lists[k]);
    return app_refuse_unknown(a, "there is no help about", topic, known, "interfield list topics");
}

static int run_command(app *a)
{
    const char *topic = a->words ? a->word[0] : NULL;
    const command *c = topic ? command_find(topic) : NULL;
    const char *text = !topic                       ? app_capture(a->arena, print_overview, NULL)
                       : c                          ? app_capture(a->arena, command_print, c)
                       : strcmp(topic, "exit") == 0 ? app_capture(a->arena, print_exit, NULL)
                                                    : ifd_case_help(a->arena, topic);
    return text ? app_put_help(a, topic, text) : unknown_topic(a, topic);
}

const command command_help = {
    .name = "help",
    .words = "[TOPIC]",
    .summary = "explains a command, a key of the case file, a method, an element or a signal",
    .run = run_command,
};
