/* SPDX-License-Identifier: MIT */
/* The frame that the programs share: interfield with its commands, and interfield-reproduce. */
#include "app.h"
#include "outcome.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

void command_print(FILE *out, const command *c)
{
    fprintf(out, "interfield %s %s\n    %s\n", c->name, c->words, c->summary);
    if (c->details)
        fprintf(out, "\n%s\n", c->details);
    fputs("\n", out);
    for (const option *o = c->options; o->name; o++) {
        char usage[64];
        snprintf(usage, sizeof usage, "%s%s%s", o->name, o->value ? " " : "", o->value ? o->value : "");
        fprintf(out, "    %-26s %s\n", usage, o->doc);
    }
    fputs("    --json                     one JSON object on stdout, nothing else\n"
          "    --quiet                    says nothing but errors\n",
          out);
    outcome_print_command(out, c);
}

const char *app_capture(ifd_arena *arena, void (*print)(FILE *out, const command *c), const command *c)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    print(out, c);
    const char *kept = fclose(out) == 0 ? ifd_arena_text(arena, text) : NULL;
    free(text);
    return kept;
}

int app_put_help(app *a, const char *topic, const char *text)
{
    if (a->json) {
        ifd_json j = app_json(a);
        ifd_json_text(&j, "topic", topic);
        ifd_json_text(&j, "text", text);
        return app_put_json(a, &j, EXIT_FINE);
    }
    if (!a->quiet)
        fputs(text, stdout);
    return EXIT_FINE;
}

int app_execute(app *a, int argc, char **argv)
{
    a->arguments = argv;
    if (!app_parse(a, argc, argv))
        return EXIT_BAD_INPUT;
    if (!app_has(a, "--help"))
        return a->command->run(a);
    const char *text = app_capture(a->arena, command_print, a->command);
    return text ? app_put_help(a, a->command->name, text) : app_fail(a, IFD_NO_MEMORY);
}

bool file_close(FILE *file)
{
    bool good = file && !ferror(file);
    return file && fclose(file) == 0 && good;
}

uint64_t clock_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static bool may_colour(int file)
{
    const char *no = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return isatty(file) && !(no && *no) && terminal && strcmp(terminal, "dumb") != 0;
}

int app_main(int argc, char **argv, int (*dispatch)(app *a, int argc, char **argv))
{
    app a = {.colour_out = may_colour(STDOUT_FILENO), .colour_err = may_colour(STDERR_FILENO)};
    a.arena = ifd_arena_open();
    a.books = ifd_arena_open();
    if (!a.arena || !a.books)
        return app_give_up(&a, "%s", ifd_status_text(IFD_NO_MEMORY));
    ifd_note_init(&a.note, a.arena);
    int exit_status = dispatch(&a, argc, argv);
    app_put_complaint(&a, exit_status);
    ifd_arena_close(a.books);
    ifd_arena_close(a.arena);
    if (fflush(stdout) != 0 && exit_status == EXIT_FINE) {
        app_complain(&a, "the output could not be written");
        exit_status = EXIT_RUN_FAILED;
    }
    return exit_status;
}
