/* SPDX-License-Identifier: MIT */
/* The interfield program: finds the command and runs it. */
#include "app.h"

#include <string.h>

#include <interfield/version.h>

#define GROUP(title)
#define COMMAND(name) extern const command command_##name;
#include "commands.def"
#undef COMMAND
#undef GROUP

const command *const commands[] = {
#define GROUP(title)
#define COMMAND(name) &command_##name,
#include "commands.def"
#undef COMMAND
#undef GROUP
    NULL,
};

const char *command_group(const command *c)
{
    static const struct {
        const char *title;
        const command *row;
    } listed[] = {
#define GROUP(title) {title, NULL},
#define COMMAND(name) {NULL, &command_##name},
#include "commands.def"
#undef COMMAND
#undef GROUP
    };
    for (size_t i = 1; i < sizeof listed / sizeof *listed; i++)
        if (listed[i].row == c)
            return listed[i - 1].title;
    return NULL;
}

const command *command_find(const char *name)
{
    for (const command *const *c = commands; *c; c++)
        if (strcmp((*c)->name, name) == 0)
            return *c;
    return NULL;
}

const char *command_names(ifd_arena *arena)
{
    const char *names = "";
    for (const command *const *c = commands; *c; c++)
        names = names_add(arena, names, (*c)->name);
    return names;
}

static int version(int argc, char **argv)
{
    if (argc > 2 && strcmp(argv[2], "--json") == 0)
        printf("{\"interfield\": \"%s\"}\n", ifd_version());
    else
        printf("interfield %s\n", ifd_version());
    return EXIT_FINE;
}

static int dispatch(app *a, int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0)
        return version(argc, argv);
    bool asks = !*name || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0;
    a->command = asks ? &command_help : command_find(name);
    if (asks) {
        int exit_status = command_help.run(a);
        return *name ? exit_status : EXIT_BAD_INPUT;
    }
    if (a->command)
        return app_execute(a, argc - 2, argv + 2);
    a->json = argc > 2 && strcmp(argv[argc - 1], "--json") == 0;
    return app_refuse_unknown(a, "unknown command", name, command_names(a->arena), "interfield help");
}

int main(int argc, char **argv)
{
    return app_main(argc, argv, dispatch);
}
