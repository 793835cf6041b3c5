/* SPDX-License-Identifier: MIT */
/* Examines and loads shared objects of users. */
#include "base/object.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool of_user(const struct stat *facts)
{
    return facts->st_uid == geteuid() || facts->st_uid == 0;
}

/* The reason to refuse the file, with the remedy in *hint; NULL if it is accepted. */
static const char *bad_file(const struct stat *facts, const char **hint)
{
    *hint = "copy it into a folder that you own:";
    if (!S_ISREG(facts->st_mode))
        return "it is not a regular file";
    if (!of_user(facts))
        return "it belongs to another user, who could change it";
    *hint = "chmod go-w";
    return facts->st_mode & (S_IWGRP | S_IWOTH) ? "others may write to it" : NULL;
}

/* The folder that contains the file. Everyone with write access could replace the file; in a sticky folder, only the
 * owner of the file could. */
static const char *bad_folder(const struct stat *facts, bool holds_it)
{
    bool sticky = (facts->st_mode & S_ISVTX) != 0;
    if (holds_it && !of_user(facts))
        return "belongs to another user";
    mode_t others = holds_it ? S_IWGRP | S_IWOTH : S_IWOTH;
    return !sticky && facts->st_mode & others ? "may be written to by others" : NULL;
}

static ifd_status examine_folders(const char *path, ifd_note *note, const ifd_place *place)
{
    char real[PATH_MAX];
    struct stat facts;
    if (!realpath(path, real))
        return ifd_note_add(note, IFD_PLUGIN, place, "'%s' cannot be loaded: %s", path, strerror(errno));
    bool holds_it = true;
    for (char *slash = strrchr(real, '/'); slash; slash = slash == real ? NULL : strrchr(real, '/')) {
        slash[slash == real] = '\0';
        if (stat(real, &facts) != 0)
            return ifd_note_add(note, IFD_PLUGIN, place, "'%s' is not loaded: its folder '%s' cannot be examined: %s",
                                path, real, strerror(errno));
        const char *why = bad_folder(&facts, holds_it);
        if (why) {
            ifd_note_add(note, IFD_PLUGIN, place, "'%s' is not loaded: its folder '%s' %s", path, real, why);
            ifd_note_hint(note,
                          "use chmod go-w %s, or move the file into a folder that you own (docs/guide/security.md)",
                          real);
            return IFD_PLUGIN;
        }
        holds_it = false;
    }
    return IFD_OK;
}

static ifd_status examine(const char *path, int fd, ifd_note *note, const ifd_place *place)
{
    struct stat facts;
    const char *hint = "", *why = fstat(fd, &facts) == 0 ? bad_file(&facts, &hint) : "it cannot be examined";
    if (!why)
        return examine_folders(path, note, place);
    ifd_note_add(note, IFD_PLUGIN, place, "'%s' is not loaded: %s", path, why);
    ifd_note_hint(note, "native code runs with all your rights: %s %s (docs/guide/security.md)", hint, path);
    return IFD_PLUGIN;
}

ifd_status ifd__object_examine(const char *path, int *fd, ifd_note *note, const ifd_place *place)
{
    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* opening a FIFO must not block */
    if (*fd < 0)
        return ifd_note_advise(note, IFD_PLUGIN, place, "build it with: cc -shared -fPIC mine.c -o mine.so",
                               "'%s' cannot be loaded: %s", path, strerror(errno));
    ifd_status status = examine(path, *fd, note, place);
    if (status != IFD_OK)
        close(*fd);
    return status;
}

int ifd__object_again(int fd)
{
    char name[64];
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    int again = open(name, O_RDONLY | O_CLOEXEC);
    return again >= 0 ? again : fcntl(fd, F_DUPFD_CLOEXEC, 0);
}

/* Loads by descriptor, so that the loaded file is the examined file. The descriptor stays open while the object is
 * loaded, because dlopen identifies objects by name and the same name must not refer to another file. Without /proc
 * the file is loaded by its path, which no other user can change. */
static void *load(int fd, const char *path)
{
    char name[64];
    struct stat facts;
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    if (stat(name, &facts) == 0)
        return dlopen(name, RTLD_NOW | RTLD_LOCAL);
    char full[PATH_MAX]; /* dlopen searches the system folders for a name without a slash */
    return realpath(path, full) ? dlopen(full, RTLD_NOW | RTLD_LOCAL) : NULL;
}

/* The message of dlerror, without the name of the descriptor. */
static const char *reason(void)
{
    const char *said = dlerror(), *colon = said ? strstr(said, ": ") : NULL;
    return !said ? "unknown reason" : strncmp(said, "/proc/self/fd/", 14) == 0 && colon ? colon + 2 : said;
}

ifd_status ifd__object_load(int fd, const char *path, ifd__export what, const void **out, ifd_note *note,
                            const ifd_place *place)
{
    void *object = load(fd, path);
    if (!object) {
        ifd_note_add(note, IFD_PLUGIN, place, "'%s' cannot be loaded: %s", path, reason());
        ifd_note_hint(note, "build it with: cc -shared -fPIC mine.c -o mine.so");
        close(fd);
        return IFD_PLUGIN;
    }
    *out = dlsym(object, what.symbol);
    if (*out)
        return IFD_OK;
    ifd_note_add(note, IFD_PLUGIN, place, "'%s' does not export '%s'", path, what.symbol);
    ifd_note_hint(note, "it needs: const %s %s = {...}; not static, not hidden", what.type, what.symbol);
    dlclose(object);
    close(fd);
    return IFD_PLUGIN;
}
