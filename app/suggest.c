/* SPDX-License-Identifier: MIT */
/* Suggests paths of cases and results that are similar to a wrong one. */
#include "suggest.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <interfield/param.h>

enum { MOST_NAMED = 8 };

static bool is_case(const char *name)
{
    const char *dot = strrchr(name, '.');
    return name[0] != '.' && dot && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0) &&
           !strstr(name, ".model.") && !strstr(name, ".study.");
}

/* The case files of a folder, "a.yaml|b.yaml", the first few in alphabetical order; "": none. */
static const char *cases_in(app *a, const char *folder, int *count)
{
    struct dirent **entry;
    int n = scandir(folder, &entry, NULL, alphasort);
    const char *names = "";
    *count = 0;
    for (int i = 0; i < n; i++) {
        if (is_case(entry[i]->d_name) && ++*count <= MOST_NAMED)
            names = names_add(a->arena, names, entry[i]->d_name);
        free(entry[i]);
    }
    if (n >= 0)
        free(entry);
    return names;
}

static const char *listed(app *a, const char *names)
{
    char *text = ifd_arena_text(a->arena, names);
    for (char *p = text; p && *p; p++)
        *p = *p == '|' ? ' ' : *p;
    return text ? text : names;
}

static void hint_cases(app *a, const char *folder, const char *wanted)
{
    char near[128];
    int count;
    const char *names = cases_in(a, folder, &count);
    if (wanted && *names && ifd_choice_nearest(names, wanted, near, sizeof near))
        ifd_note_hint(&a->note, "did you mean '%s'?", near);
    else if (count)
        ifd_note_hint(&a->note, "case files in that folder: %s%s", listed(a, names),
                      count > MOST_NAMED ? " ..." : "");
    else
        ifd_note_hint(&a->note, "that folder contains no case file; shipped cases: interfield list cases");
}

bool suggest_case(app *a, const char *name)
{
    struct stat facts;
    if (stat(name, &facts) == 0) {
        if (!S_ISDIR(facts.st_mode))
            return true;
        ifd_note_add(&a->note, IFD_FILE, NULL, "'%s' is a folder, expected a case file", name);
        hint_cases(a, name, NULL);
        return false;
    }
    if (errno != ENOENT)
        return true; /* the reader reports errors */
    const char *slash = strrchr(name, '/');
    const char *folder = slash ? ifd_arena_text_n(a->arena, name, (size_t)(slash - name) + (slash == name)) : ".";
    ifd_note_add(&a->note, IFD_FILE, NULL, "the file '%s' does not exist", name);
    if (folder)
        hint_cases(a, folder, slash ? slash + 1 : name);
    return false;
}

/* The newest folder in runs/ with a result; NULL: none. */
static const char *newest(app *a)
{
    DIR *runs = opendir("runs");
    const char *best = NULL;
    struct timespec when = {0};
    for (struct dirent *e; runs && (e = readdir(runs));) {
        struct stat facts;
        const char *path = ifd_arena_print(a->arena, "runs/%s/result.h5", e->d_name);
        if (e->d_name[0] == '.' || !path || stat(path, &facts) != 0)
            continue;
        if (best && (facts.st_mtim.tv_sec < when.tv_sec ||
                     (facts.st_mtim.tv_sec == when.tv_sec && facts.st_mtim.tv_nsec < when.tv_nsec)))
            continue;
        best = ifd_arena_print(a->arena, "runs/%s", e->d_name);
        when = facts.st_mtim;
    }
    if (runs)
        closedir(runs);
    return best;
}

void suggest_result(app *a)
{
    const ifd_finding *last = a->note.first;
    while (last && last->next)
        last = last->next;
    if (!last || last->hint || last->code != IFD_FILE || !a->command || strncmp(a->command->words, "RESULT", 6) != 0)
        return;
    const char *word = a->words ? a->word[0] : "", *there;
    if (is_case(word))
        ifd_note_hint(&a->note, "this is a case; interfield run %s computes its result", word);
    else if ((there = newest(a)))
        ifd_note_hint(&a->note, "RESULT is the folder of a run or a test; the newest one here is %s", there);
    else
        ifd_note_hint(&a->note, "RESULT is the folder of a run or a test; interfield run CASE creates one");
}
