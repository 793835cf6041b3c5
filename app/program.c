/* SPDX-License-Identifier: MIT */
/* Common code of the programs interfield and interfield-reproduce. */
#include "app.h"
#include "outcome.h"
#include "terminal.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

const option common_options[] = {{"--json", NULL, "print one JSON object and no other text"},
                                 {"--quiet", NULL, "print errors only"},
                                 {"--help", NULL, "print this help"},
                                 {NULL, NULL, NULL}};

static void print_options(FILE *out, const option *options)
{
    enum { INDENT = 31 };
    for (const option *o = options; o->name; o++) {
        const wording usage = phrase("%s%s%s", o->name, o->value ? " " : "", o->value ? o->value : "");
        int used = fprintf(out, "    %-26s ", usage.text);
        terminal_wrap(out, o->doc, used, INDENT, TERMINAL_DEFAULT);
        fputc('\n', out);
    }
}

/* "    interfield help: plot, report": the related commands, or the related pages. */
static void print_related(FILE *out, const char *see, bool pages)
{
    const char *between = pages ? "    interfield docs: " : "    interfield help: ";
    bool any = false;
    for (const char *word = see; *word; word += strspn(word, " ")) {
        size_t length = strcspn(word, " ");
        if ((length > 3 && strncmp(word + length - 3, ".md", 3) == 0) == pages) {
            fprintf(out, "%s%.*s", between, (int)(pages ? length - 3 : length), word);
            between = ", ";
            any = true;
        }
        word += length;
    }
    if (any)
        fputs("\n", out);
}

void command_print(FILE *out, const command *c)
{
    fprintf(out, "interfield %s %s%s[OPTION]...\n    %s\n\n", c->name, c->words, *c->words ? " " : "", c->summary);
    terminal_wrap(out, c->details, 0, 0, TERMINAL_DEFAULT);
    fputc('\n', out);
    fputs("\nOptions:\n", out);
    print_options(out, c->options);
    print_options(out, common_options);
    fputs("\nExamples:\n", out);
    for (const char *line = c->examples; *line; line += strspn(line, "\n")) {
        int length = (int)strcspn(line, "\n");
        fprintf(out, "    %.*s\n", length, line);
        line += length;
    }
    fputs("\nExit status (interfield help exit):\n", out);
    outcome_print_command(out, c);
    fputs("\nSee also:\n", out);
    print_related(out, c->see, false);
    print_related(out, c->see, true);
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
        IFD_JSON_PUT(&j, IFD_JSON("topic", topic), IFD_JSON("text", text));
        return app_put_json(a, &j, EXIT_FINE);
    }
    if (!a->quiet)
        terminal_wrap_table(stdout, text, a->width);
    return EXIT_FINE;
}

int app_execute(app *a, int argc, char **argv)
{
    a->arguments = argv;
    if (!app_parse(a, argc, argv))
        return EXIT_BAD_INPUT;
    a->width = terminal_width(stdout);
    if (!a->width && a->command->tables)
        a->width = TERMINAL_DEFAULT;
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

bool file_written(app *a, FILE *file, const char *path)
{
    bool good = file_close(file);
    if (!good)
        app_complain(a, "'%s' could not be written: %s", path, strerror(errno));
    return good;
}

uint64_t clock_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static bool may_colour(FILE *file)
{
    const char *no = getenv("NO_COLOR");
    return terminal_draws(file) && !(no && *no);
}

/* OpenBLAS starts a thread for each further core before main, which waits actively for up to a tenth of a second. The
 * program computes with its own threads only. dlsym: a BLAS without these functions has no such threads. */
static void end_blas_threads(void)
{
    void (*set_threads)(int) = NULL;
    int (*end)(void) = NULL;
    *(void **)&set_threads = dlsym(RTLD_DEFAULT, "openblas_set_num_threads");
    *(void **)&end = dlsym(RTLD_DEFAULT, "blas_thread_shutdown_");
    if (set_threads && end) {
        set_threads(1);
        (void)end();
    }
}

int app_main(int argc, char **argv, int (*dispatch)(app *a, int argc, char **argv))
{
    app a = {.colour_out = may_colour(stdout), .colour_err = may_colour(stderr)};
    end_blas_threads();
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
