/* SPDX-License-Identifier: MIT */
/* Chooses and clears the folder of a result. */
#include "app.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* "shear-pendulum/free" or "my/bridge.yaml" as part of a folder name: "shear-pendulum-free", "bridge". */
static const char *stem(app *a)
{
    const char *word = a->word[0], *dot = strrchr(word, '.'), *slash = strrchr(word, '/');
    bool is_file = dot && (!slash || dot > slash);
    if (is_file && slash)
        word = slash + 1;
    char *name = ifd_arena_text_n(a->arena, word, is_file ? (size_t)(dot - word) : strlen(word));
    for (char *p = name; p && *p; p++)
        if (*p == '/')
            *p = '-';
    return name && *name ? name : "run";
}

/* Creating the folder checks whether its number is free: two programs started together receive different ones. */
static const char *next_free(app *a)
{
    const char *name = stem(a);
    if (mkdir("runs", 0777) != 0 && errno != EEXIST) {
        ifd_note_add(&a->note, IFD_OUTPUT, NULL, "the folder 'runs' cannot be created here: %s", strerror(errno));
        ifd_note_hint(&a->note, "choose another folder with --out DIR");
        return NULL;
    }
    for (int number = 1; number < 100000; number++) {
        const char *folder = ifd_arena_print(a->arena, "runs/%s-%03d", name, number);
        if (!folder)
            return NULL;
        if (mkdir(folder, 0777) == 0)
            return folder;
        if (errno != EEXIST) {
            ifd_note_add(&a->note, IFD_OUTPUT, NULL, "the folder '%s' cannot be created: %s", folder,
                         strerror(errno));
            return NULL;
        }
    }
    ifd_note_add(&a->note, IFD_OUTPUT, NULL,
                 "'runs' contains too many results of '%s'; remove old results or use --out DIR", name);
    return NULL;
}

void folder_clear(app *a, const char *folder, const char *const *file)
{
    for (; *file; file++) {
        const char *path = ifd_arena_print(a->arena, "%s/%s", folder, *file);
        if (path)
            unlink(path);
    }
}

static const char *unused_like(app *a, const char *folder)
{
    for (int number = 2; number < 1000; number++) {
        const char *other = ifd_arena_print(a->arena, "%s-%d", folder, number);
        if (other && access(other, F_OK) != 0)
            return other;
    }
    return "another";
}

/* Removes the slash that shell completion adds. */
static const char *without_slash(app *a, const char *folder)
{
    size_t length = strlen(folder);
    while (length > 1 && folder[length - 1] == '/')
        length--;
    return ifd_arena_text_n(a->arena, folder, length);
}

ifd_status folder_choose(app *a, const char **out)
{
    const char *folder = app_value(a, "--out");
    *out = folder ? without_slash(a, folder) : next_free(a);
    if (!folder || !*out)
        return *out ? IFD_OK : IFD_OUTPUT;
    const char *path = ifd_arena_print(a->arena, "%s/result.h5", *out);
    if (!path || access(path, F_OK) != 0)
        return IFD_OK;
    const char *log = ifd_arena_print(a->arena, "%s/events.log", *out);
    bool of_test = log && access(log, F_OK) == 0;
    if (app_has(a, "--force") && !of_test) {
        static const char *const files[] = {"result.h5", "result.csv", "summary.json",   "result.journal",
                                            "plot.png",  "plot.svg",   "unfinished.txt", NULL};
        folder_clear(a, *out, files);
        return IFD_OK;
    }
    ifd_status status = ifd_note_add(&a->note, IFD_CONFLICT, NULL, "'%s' already contains a result", *out);
    ifd_note_hint(&a->note,
                  of_test ? "use --out %s; the record of a test is never replaced"
                          : "use --out %s, or replace the result with --force",
                  unused_like(a, *out));
    return status;
}

const char *folder_of(app *a, const char *path)
{
    struct stat facts;
    if (stat(path, &facts) == 0 && S_ISDIR(facts.st_mode))
        return without_slash(a, path);
    const char *slash = strrchr(path, '/');
    return slash ? ifd_arena_text_n(a->arena, path, (size_t)(slash - path) + (slash == path)) : ".";
}

const char *folder_name(app *a, const char *path)
{
    const char *folder = without_slash(a, path), *slash = folder ? strrchr(folder, '/') : NULL;
    return slash && slash[1] ? slash + 1 : folder;
}
