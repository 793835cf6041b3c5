/* SPDX-License-Identifier: MIT */
/* Drivers: rigs that are shipped with the program as plug-ins, one file rigs/NAME.so each. A driver that could not be
 * built has a file rigs/NAME.missing with the reason instead. */
#include "case/rig/rigs.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <interfield/link.h>

#include "base/installed.h"
#include "base/object.h"

/* The name before this ending; NULL: another ending. */
static const char *stem(ifd_arena *arena, const char *file, const char *ending)
{
    size_t n = strlen(file), m = strlen(ending);
    return n > m && strcmp(file + n - m, ending) == 0 ? ifd_arena_text_n(arena, file, n - m) : NULL;
}

/* The first line of a file. */
static const char *line_of(ifd_arena *arena, const char *path)
{
    char line[256] = "";
    FILE *in = fopen(path, "r");
    if (in && !fgets(line, sizeof line, in))
        *line = '\0';
    if (in)
        fclose(in);
    line[strcspn(line, "\r\n")] = '\0';
    return ifd_arena_text(arena, line);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const ifd__driver *)a)->name, ((const ifd__driver *)b)->name);
}

static bool take(ifd_arena *arena, const char *folder, const char *file, ifd__driver *out)
{
    const char *built = stem(arena, file, ".so"), *missing = stem(arena, file, ".missing");
    const char *path = built || missing ? ifd_arena_print(arena, "%s/%s", folder, file) : NULL;
    if (!path)
        return false;
    *out = (ifd__driver){
        .name = built ? built : missing, .path = built ? path : NULL, .missing = built ? NULL : line_of(arena, path)};
    return true;
}

int ifd__drivers(ifd_arena *arena, ifd__driver out[IFD__DRIVERS])
{
    char folder[PATH_MAX];
    int count = 0;
    DIR *dir = ifd__installed_file("rigs", folder, sizeof folder) ? opendir(folder) : NULL;
    for (const struct dirent *e; dir && count < IFD__DRIVERS && (e = readdir(dir));)
        count += take(arena, folder, e->d_name, &out[count]);
    if (dir)
        closedir(dir);
    if (count)
        qsort(out, (size_t)count, sizeof *out, by_name);
    return count;
}

bool ifd__driver_find(ifd_arena *arena, const char *name, ifd__driver *out)
{
    ifd__driver all[IFD__DRIVERS];
    int count = ifd__drivers(arena, all);
    for (int i = 0; i < count; i++)
        if (strcmp(all[i].name, name) == 0) {
            *out = all[i];
            return true;
        }
    return false;
}

static ifd_status built(const ifd__driver *d, ifd_note *note, const ifd_place *place)
{
    if (d->path)
        return IFD_OK;
    ifd_note_add(note, IFD_PLUGIN, place, "rig '%s' is not built: %s", d->name, d->missing ? d->missing : "");
    ifd_note_hint(note, "install what is missing and build interfield again; `interfield list rigs` shows the rigs");
    return IFD_PLUGIN;
}

static ifd_status named(const ifd__driver *d, const ifd_rig_ops *ops, ifd_note *note, const ifd_place *place)
{
    if (strcmp(ops->name, d->name) == 0)
        return IFD_OK;
    return ifd_note_add(note, IFD_PLUGIN, place, "the rig in '%s' has the name '%s', expected '%s'", d->path,
                        ops->name, d->name);
}

ifd_status ifd_rig_driver_open(const char *name, ifd_arena *arena, const ifd_rig_ops **out, ifd_note *note,
                               const ifd_place *place)
{
    ifd__driver d;
    int fd;
    if (!ifd__driver_find(arena, name, &d))
        return ifd_note_add(note, IFD_UNKNOWN_CHOICE, place, "no rig '%s' is installed (`interfield list rigs`)",
                            name);
    IFD_TRY(built(&d, note, place));
    IFD_TRY(ifd__object_examine(d.path, &fd, note, place));
    IFD_TRY(ifd__rig_plugin_load(fd, d.path, out, note, place));
    return named(&d, *out, note, place);
}
