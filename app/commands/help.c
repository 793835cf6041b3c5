/* SPDX-License-Identifier: MIT */
/* interfield help: pages about commands, keys and entries of lists; what packages install. */
#include "manual/manual.h"
#include "manual/terms.h"
#include "outcome.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include <interfield/catalogue.h>

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
                           "    interfield help WORD      what a word of the field is called here: LRB\n"
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
        if ((*c)->outcomes != 0 || (*c)->failed) /* others: a sentence above the table */
            outcome_print_row(out, *c);
}

/* Every name that has a text of its own. */
static const char *known_names(app *a)
{
    const char *known = names_add(a->arena, command_names(a->arena), "exit");
    static const char *const lists[] = {"topics",  "methods",   "couplings",    "extrapolators", "elements",
                                        "signals", "actuators", "compensators", "rigs"};
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
        known = names_add_list(a->arena, known, lists[k]);
    return known;
}

/* A guess only where one slip separates the words: a wrong guess costs more time than none. */
static int unknown_topic(app *a, const char *what, const char *topic, const char *known, const char *list)
{
    const char *near = term_near(a->arena, known, topic);
    if (near)
        return app_refuse(a, "%s '%s': did you mean '%s'?", what, topic, near);
    return app_refuse(a, "%s '%s' (interfield list %s; interfield docs --search '%s')", what, topic, list, topic);
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
static const char *topic_text(app *a, const char *topic)
{
    if (strcmp(topic, "exit") == 0)
        return app_capture(a->arena, print_exit, NULL);
    const command *c = command_find(topic);
    const char *key = ifd_case_help(a->arena, topic), *of_study = key ? NULL : ifd_study_help(a->arena, topic);
    if (!c)
        return key ? key : of_study;
    const char *text = app_capture(a->arena, command_print, c);
    if (text && of_study)
        return ifd_arena_print(a->arena, "%s\n%s", text, of_study);
    return text && key ? ifd_arena_print(a->arena, "%s\nThe case file also has a key '%s':\n\n%s", text, topic, key)
                       : text;
}

/* A fault, a state or an error: its line of the list and the page about all of them. NULL: there is none. */
static const char *listed_text(app *a, const char *topic)
{
    static const char *const lists[][2] = {{"faults", "faults"}, {"states", "states"}, {"errors", "exit"}};
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
        int count = 0;
        const ifd_catalogue_row *row = ifd_catalogue(a->arena, lists[k][0], &count);
        for (int i = 0; row && i < count; i++)
            if (strcasecmp(row[i].name, topic) == 0)
                return ifd_arena_print(a->arena, "%s (interfield list %s):\n    %s\n\n    interfield docs %s\n",
                                       row[i].name, lists[k][0], row[i].summary, lists[k][1]);
    }
    return NULL;
}

/* "bouc-wen" of "Bouc Wen": names of topics have small letters and dashes. */
static const char *in_small_letters(app *a, const char *topic)
{
    char *name = ifd_arena_text(a->arena, topic);
    for (char *p = name; p && *p; p++)
        *p = *p == ' ' || *p == '_' ? '-' : (char)tolower((unsigned char)*p);
    return name ? name : topic;
}

static const char *both(app *a, const char *first, const char *second)
{
    return first && second ? ifd_arena_print(a->arena, "%s\n%s", first, second) : first ? first : second;
}

/* What is known about a word: the topic of that name, and where a word of the field leads. NULL: nothing. */
static const char *word_text(app *a, const char *word)
{
    const char *text = topic_text(a, word), *listed = listed_text(a, word);
    if (!text) /* POSITION is a fault, position a key */
        text = both(a, listed, topic_text(a, in_small_letters(a, word)));
    else
        text = both(a, text, listed);
    const term *t = term_find(word);
    const char *leads = t ? term_text(a->arena, t) : NULL;
    /* help delay: first what the word means, then the keys of that name */
    return t && strcasecmp(t->topic, word) != 0 ? both(a, leads, text) : both(a, text, leads);
}

/* `help element bouc-wen`: the list of the first word, which has the second. NULL: there is no such list. */
static const char *list_of(const char *kind)
{
    static const char *const lists[][2] = {{"element", "elements"},   {"method", "methods"},
                                           {"signal", "signals"},     {"coupling", "couplings"},
                                           {"actuator", "actuators"}, {"compensation", "compensators"},
                                           {"rig", "rigs"},           {"extrapolator", "extrapolators"}};
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
        if (strcasecmp(lists[k][0], kind) == 0)
            return lists[k][1];
    return NULL;
}

/* The arguments from `first` on as one word: "average acceleration". */
static const char *words_from(app *a, int first)
{
    const char *all = a->word[first];
    for (int i = first + 1; i < a->words && all; i++)
        all = ifd_arena_print(a->arena, "%s %s", all, a->word[i]);
    return all ? all : a->word[first];
}

static int put_word(app *a)
{
    const char *all = words_from(a, 0), *text = word_text(a, all);
    const char *list = a->words > 1 && !text ? list_of(a->word[0]) : NULL;
    size_t length = all ? strlen(all) : 0;
    if (length > 3 && (strcmp(all + length - 3, ".md") == 0 || strcmp(all, "exit") == 0))
        a->width = 0; /* a page: lines of a table stay whole */
    if (!list)
        return text ? app_put_help(a, all, text) : unknown_topic(a, "no help for", all, known_names(a), "topics");
    const char *name = words_from(a, 1), *known = names_add_list(a->arena, "", list);
    if (ifd_choice_find(known, in_small_letters(a, name)) >= 0 || term_find(name))
        text = word_text(a, name);
    return text ? app_put_help(a, name, text)
                : unknown_topic(a, ifd_arena_print(a->arena, "no %s", a->word[0]), name, known, list);
}

static int run_command(app *a)
{
    const char *shell = app_value(a, "--completion");
    if (shell || app_has(a, "--man"))
        return put_installed(a, shell, a->words ? command_find(a->word[0]) : NULL);
    if (a->words)
        return put_word(a);
    const char *text = app_capture(a->arena, print_overview, NULL);
    return text ? app_put_help(a, NULL, text) : app_fail(a, IFD_NO_MEMORY);
}

const command command_help = {
    .name = "help",
    .words = "[TOPIC] [NAME] ...",
    .summary = "explain a command, a key of a case, a method, an element or a word",
    .details =
        "TOPIC is a command, a key or section of the case file (interfield list topics), `exit` for the "
        "exit statuses, or an entry of `interfield list`, such as an element. With NAME it is the list of the "
        "entry: `help element bouc-wen`. Words of the field and of other programs (LRB, FETI, uniaxialMaterial) "
        "are known too. Capitals do not matter.",
    .options = {{"--man", NULL, "print the manual page of a command, or of the program (troff)"},
                {"--completion", "bash|zsh", "print the completion script for a shell"}},
    .examples = "interfield help test\n"
                "interfield help bouc-wen\n"
                "interfield help average acceleration",
    .see = "docs list",
    .run = run_command,
    .tables = true,
};
