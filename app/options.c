/* SPDX-License-Identifier: MIT */
/* The command line: words, options and values of a command. */
#include "app.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const option *find_in(const option *options, const char *name, size_t length)
{
    for (const option *o = options; o->name; o++)
        if (strlen(o->name) == length && strncmp(o->name, name, length) == 0)
            return o;
    return NULL;
}

static void complain_unknown(app *a, const char *name, size_t length)
{
    const char *choices = "", *word = ifd_arena_text_n(a->arena, name, length);
    const option *lists[] = {a->command->options, common_options};
    for (int k = 0; k < 2; k++)
        for (const option *o = lists[k]; o->name; o++)
            choices = names_add(a->arena, choices, o->name);
    app_refuse_unknown(a, phrase("'%s' has no option", a->command->name).text, word ? word : "", choices,
                       phrase("interfield help %s", a->command->name).text);
}

static bool keep_option(app *a, const option *o, const char *value)
{
    if (a->options == MOST_OPTIONS)
        return app_reject(a, "too many options; at most %d are possible", MOST_OPTIONS);
    a->option[a->options] = o->name;
    a->value[a->options++] = value;
    return true;
}

/* Takes the option at argv[*at], and its value in the next word, if any. */
static bool take_option(app *a, int argc, char **argv, int *at)
{
    const char *word = argv[*at], *equals = strchr(word, '=');
    if (strcmp(word, "-o") == 0 && !find_in(a->command->options, "-o", 2))
        word = "--out"; /* unless the command defines -o otherwise */
    size_t length = equals ? (size_t)(equals - word) : strlen(word);
    const option *o = find_in(a->command->options, word, length);
    if (!o)
        o = find_in(common_options, word, length);
    if (!o) {
        complain_unknown(a, word, length);
        return false;
    }
    const char *value = NULL;
    if (o->value && equals) {
        value = equals + 1;
    } else if (o->value && *o->value == '[') {
        const char *next = *at + 1 < argc ? argv[*at + 1] : ""; /* a whole number */
        value = *next && !next[strspn(next, "0123456789")] ? argv[++*at] : NULL;
    } else if (o->value && *at + 1 < argc) {
        value = argv[++*at];
    } else if (o->value || equals)
        return app_reject(a, o->value ? "%s needs a value: %s %s" : "%s takes no value", o->name, o->name, o->value);
    if (!keep_option(a, o, value))
        return false;
    if (!o->value || *o->value == '[' || !strchr(o->value, ' '))
        return true;
    if (*at + 1 == argc)
        return app_reject(a, "%s needs two values: %s %s", o->name, o->name, o->value);
    return keep_option(a, o, argv[++*at]); /* another option of the same name */
}

static bool enough_words(app *a)
{
    const char *form = a->command->words;
    int least = 0, most = 0;
    for (const char *p = form; *p; p += strcspn(p, " "), p += strspn(p, " ")) {
        bool more = strncmp(p, "...", 3) == 0; /* any number of arguments */
        most = more ? MOST_WORDS : most + 1;
        least += *p != '[' && !more;
    }
    if (a->words >= least && a->words <= most)
        return true;
    if (a->words < least)
        app_complain(a, "'%s' needs %s (interfield help %s%s)", a->command->name, form, a->command->name,
                     strncmp(form, "CASE", 4) == 0     ? "; interfield list cases"
                     : strncmp(form, "RESULT", 6) == 0 ? "; RESULT is the folder of a run or a test"
                                                       : "");
    else
        app_complain(a, "'%s': unexpected argument '%s' (interfield help %s)", a->command->name, a->word[most],
                     a->command->name);
    return false;
}

bool app_parse(app *a, int argc, char **argv)
{
    bool only_words = false, good = true;
    /* These first, as they apply to all error messages. */
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
        a->json = a->json || strcmp(argv[i], "--json") == 0;
        a->quiet = a->quiet || strcmp(argv[i], "--quiet") == 0;
    }
    for (int i = 0; i < argc && good; i++) {
        if (!only_words && strcmp(argv[i], "--") == 0)
            only_words = true;
        else if (!only_words && argv[i][0] == '-' && argv[i][1])
            good = take_option(a, argc, argv, &i);
        else if (a->words < MOST_WORDS)
            a->word[a->words++] = argv[i];
        else
            good = false;
    }
    if (app_has(a, "--help"))
        return good;
    return good && enough_words(a);
}

bool app_has(const app *a, const char *name)
{
    for (int i = 0; i < a->options; i++)
        if (strcmp(a->option[i], name) == 0)
            return true;
    return false;
}

const char *app_value(const app *a, const char *name)
{
    const char *value = NULL;
    for (int i = 0; i < a->options; i++)
        if (strcmp(a->option[i], name) == 0)
            value = a->value[i];
    return value;
}

int app_values(const app *a, const char *name, const char **out)
{
    int count = 0;
    for (int i = 0; i < a->options; i++)
        if (strcmp(a->option[i], name) == 0)
            out[count++] = a->value[i];
    return count;
}

bool app_number(app *a, const char *name, ifd_dimension dim, double fallback, double *out)
{
    const char *text = app_value(a, name);
    *out = fallback;
    if (!text)
        return true;
    ifd_note note = {.arena = a->arena};
    if (ifd_quantity_read(text, dim, name, out, &note) == IFD_OK)
        return true;
    return app_reject(a, "%s", note.first ? note.first->text : "out of memory");
}

bool app_integer(app *a, const char *name, int least, int most, int *value)
{
    const char *text = app_value(a, name);
    if (!text)
        return true;
    char *end;
    errno = 0;
    long given = strtol(text, &end, 10);
    if (end == text || *end || errno || given < least || given > most)
        return app_reject(a, "%s: found '%s', expected a whole number from %d to %d", name, text, least, most);
    *value = (int)given;
    return true;
}

ifd_status app_assignment(app *a, const char *whose, const char *text, const char **name, const char **value)
{
    const char *equals = strchr(text, '=');
    if (!equals)
        return ifd_note_add(&a->note, IFD_SYNTAX, NULL, "%s: found '%s', expected NAME=VALUE", whose, text);
    *name = ifd_arena_text_n(a->arena, text, (size_t)(equals - text));
    *value = equals + 1;
    return *name ? IFD_OK : IFD_NO_MEMORY;
}
