/* SPDX-License-Identifier: MIT */
#include "app.h"
#include "outcome.h"

#include <stdlib.h>
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

static void print_overview(FILE *out)
{
    fputs(start, out);
    int width = 0;
    for (const command *c = commands; c->name; c++) {
        int length = (int)(strlen(c->name) + 1 + strlen(c->words));
        width = length > width ? length : width;
    }
    for (const command *c = commands; c->name; c++) {
        int used = fprintf(out, "    %s %s", c->name, c->words);
        fprintf(out, "%*s%s\n", 4 + width + 2 - used, "", c->summary);
    }
    fputs("\nEvery command takes --json (one object on stdout) and --quiet. `interfield help COMMAND` lists\n"
          "its options, `interfield help case` explains the case file. Exit status (help exit): 0 completed or GO,\n"
          "1 failed, NO-GO, tripped, aborted or incomplete, 2 bad input, 3 caution.\n",
          out);
}

static void print_command(FILE *out, const command *c)
{
    fprintf(out, "interfield %s %s\n    %s\n", c->name, c->words, c->summary);
    if (c->details)
        fprintf(out, "\n%s\n", c->details);
    fputs("\n", out);
    for (const option *o = c->options; o && o->name; o++) {
        char usage[64];
        snprintf(usage, sizeof usage, "%s%s%s", o->name, o->value ? " " : "", o->value ? o->value : "");
        fprintf(out, "    %-26s %s\n", usage, o->doc);
    }
    fputs("    --json                     one JSON object on stdout, nothing else\n"
          "    --quiet                    says nothing but errors\n",
          out);
    outcome_print_command(out, c);
}

static int unknown_topic(app *a, const char *topic)
{
    const char *names = command_names(a->arena), *more = ifd_arena_print(a->arena, "%s|exit", names);
    const char *known = more ? more : names;
    static const char *const lists[] = {"topics",   "methods", "couplings", "extrapolators",
                                        "elements", "signals", "actuators", "compensators"};
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
        int count = 0;
        const ifd_catalogue_row *row = ifd_catalogue(a->arena, lists[k], &count);
        for (int i = 0; row && i < count; i++) {
            const char *longer = ifd_arena_print(a->arena, "%s|%s", known, row[i].name);
            known = longer ? longer : known;
        }
    }
    char near[64];
    if (ifd_choice_nearest(known, topic, near, sizeof near))
        app_complain(a, "there is no help about '%s': did you mean '%s'?", topic, near);
    else
        app_complain(a, "there is no help about '%s' (interfield list topics)", topic);
    return EXIT_BAD_INPUT;
}

/* What one of the printers above writes; topic NULL: the overview. */
static const char *capture(app *a, const char *topic, const command *c)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    if (c)
        print_command(out, c);
    else if (topic)
        outcome_print(out);
    else
        print_overview(out);
    const char *kept = fclose(out) == 0 ? ifd_arena_text(a->arena, text) : NULL;
    free(text);
    return kept;
}

int command_help(app *a)
{
    const char *topic = a->words ? a->word[0] : NULL;
    const command *c = topic ? command_find(topic) : NULL;
    bool own = !topic || c || strcmp(topic, "exit") == 0;
    const char *text = own ? capture(a, topic, c) : ifd_case_help(a->arena, topic);
    if (!text)
        return unknown_topic(a, topic);
    if (a->json) {
        ifd_json j;
        ifd_json_init(&j, a->arena);
        ifd_json_object(&j, NULL);
        ifd_json_text(&j, "topic", topic);
        ifd_json_text(&j, "text", text);
        ifd_json_end(&j);
        return app_put_json(a, &j, EXIT_FINE);
    }
    if (!a->quiet)
        fputs(text, stdout);
    return EXIT_FINE;
}
