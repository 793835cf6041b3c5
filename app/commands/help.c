/* SPDX-License-Identifier: MIT */
/* interfield help: pages about commands, keys and entries of lists; what packages install. */
#include "manual/manual.h"
#include "outcome.h"

#include <string.h>

static const char start[] = "interfield runs hybrid tests of structures in real time. It computes one part\n"
                            "of the structure; actuators move the other part, the specimen, in the\n"
                            "laboratory. Both exchange displacement and force in every tick, about once per\n"
                            "millisecond. A case file (YAML) describes structure, method, rig and limits. A\n"
                            "virtual rig replaces the laboratory, so that every command can be tried on any\n"
                            "computer.\n"
                            "\n"
                            "First steps:\n"
                            "    interfield list cases                          the shipped cases\n"
                            "    interfield run shear-pendulum/free             compute; result in runs/\n"
                            "    interfield plot runs/shear-pendulum-free-001 --terminal\n"
                            "    interfield test bridge/hybrid --as-fast-as-possible\n"
                            "    interfield report runs/bridge-hybrid-001       write a page about its result\n"
                            "    interfield docs tutorial                       read the tutorial\n";

static const char more[] = "\nMost commands need a CASE (a case file or the name of a shipped case) or a\n"
                           "RESULT (the folder of a result).\n"
                           "\n"
                           "    interfield help COMMAND   options and examples of a command\n"
                           "    interfield help case      the case file and its keys\n"
                           "    interfield help exit      outcomes and exit statuses\n"
                           "\nEvery command has the options --json (print one JSON object) and --quiet\n"
                           "(errors only).\n"
                           "Exit status: 0 completed or GO; 1 failed, NO-GO, tripped, aborted or incomplete;\n"
                           "2 bad input; 3 caution.\n";

static void print_overview(FILE *out, const command *none)
{
    (void)none;
    fputs(start, out);
    for (const command *const *c = commands; *c; c++) {
        const char *title = command_group(*c);
        if (title)
            fprintf(out, "\n%s:\n", title);
        fprintf(out, "    %-13s %s\n", (*c)->name, (*c)->summary);
    }
    fputs(more, out);
}

static void print_exit(FILE *out, const command *none)
{
    (void)none;
    outcome_print(out);
    for (const command *const *c = commands; *c; c++)
        outcome_print_row(out, *c);
}

static int unknown_topic(app *a, const char *topic)
{
    const char *known = names_add(a->arena, command_names(a->arena), "exit");
    static const char *const lists[] = {"topics",   "methods", "couplings", "extrapolators",
                                        "elements", "signals", "actuators", "compensators"};
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
        known = names_add_list(a->arena, known, lists[k]);
    return app_refuse_unknown(a, "no help for", topic, known, "interfield list topics");
}

/* Installed files of packages: manual pages and completion. */
static int put_installed(app *a, const char *shell, const command *c)
{
    if (shell && ifd_choice_find("bash|zsh", shell) < 0)
        return app_refuse(a, "--completion: found '%s', expected bash or zsh", shell);
    if (!shell && a->words && !c)
        return app_refuse_unknown(a, "no manual page for", a->word[0], command_names(a->arena), "interfield help");
    const char *text = !shell                       ? app_capture(a->arena, manual_print, c)
                       : strcmp(shell, "bash") == 0 ? app_capture(a->arena, completion_bash, NULL)
                                                    : app_capture(a->arena, completion_zsh, NULL);
    return text ? app_put_help(a,
                               shell      ? shell
                               : a->words ? a->word[0]
                                          : "interfield",
                               text)
                : app_fail(a, IFD_NO_MEMORY);
}

/* Texts of a topic: the command of that name, then the key, method or element of that name in a case. */
static const char *topic_text(app *a, const char *topic, const command *c)
{
    const char *key = ifd_case_help(a->arena, topic), *of_study = key ? NULL : ifd_study_help(a->arena, topic);
    if (!c)
        return key ? key : of_study;
    const char *text = app_capture(a->arena, command_print, c);
    if (text && of_study)
        return ifd_arena_print(a->arena, "%s\n%s", text, of_study);
    return text && key ? ifd_arena_print(a->arena, "%s\nThe case file also has a key '%s':\n\n%s", text, topic, key)
                       : text;
}

/* `help element bouc-wen`: the list of the first word, which has the second. NULL: there is no such list. */
static const char *list_of(const char *kind)
{
    static const char *const lists[][2] = {{"element", "elements"},   {"method", "methods"},
                                           {"signal", "signals"},     {"coupling", "couplings"},
                                           {"actuator", "actuators"}, {"compensation", "compensators"},
                                           {"rig", "rigs"},           {"extrapolator", "extrapolators"}};
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
        if (strcmp(lists[k][0], kind) == 0)
            return lists[k][1];
    return NULL;
}

static int run_command(app *a)
{
    const char *topic = a->words ? a->word[0] : NULL;
    if (a->words > 1) {
        const char *list = list_of(topic), *known = list ? names_add_list(a->arena, "", list) : NULL;
        if (!known)
            return app_refuse(a, "'help': unexpected argument '%s' (interfield help help)", a->word[1]);
        if (ifd_choice_find(known, a->word[1]) < 0)
            return app_refuse_unknown(a, ifd_arena_print(a->arena, "no %s", topic), a->word[1], known,
                                      ifd_arena_print(a->arena, "interfield list %s", list));
        topic = a->word[1];
    }
    const command *c = topic ? command_find(topic) : NULL;
    const char *shell = app_value(a, "--completion");
    if (shell || app_has(a, "--man"))
        return put_installed(a, shell, c);
    const char *text = !topic                       ? app_capture(a->arena, print_overview, NULL)
                       : strcmp(topic, "exit") == 0 ? app_capture(a->arena, print_exit, NULL)
                                                    : topic_text(a, topic, c);
    return text ? app_put_help(a, topic, text) : unknown_topic(a, topic);
}

const command command_help = {
    .name = "help",
    .words = "[TOPIC] [NAME]",
    .summary = "explain a command, a key of a case, a method or an element",
    .details = "TOPIC is a command, a key or section of the case file (interfield list topics), `exit` for the "
               "exit statuses, or an entry of `interfield list`, such as an element. With NAME it is the list of the "
               "entry: `help element bouc-wen`.",
    .options = {{"--man", NULL, "print the manual page of a command, or of the program (troff)"},
                {"--completion", "bash|zsh", "print the completion script for a shell"}},
    .examples = "interfield help test\n"
                "interfield help bouc-wen",
    .see = "docs list",
    .run = run_command,
    .tables = true,
};
