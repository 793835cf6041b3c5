/* SPDX-License-Identifier: MIT */
/* Names and opens the files of an export. */
#include "record/export/export.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/result.h"

/* Exports a result as CSV. */

static bool export_csv(FILE *out, const ifd_table *t)
{
    fputs("time [s]", out);
    for (int i = 0; i < t->columns; i++)
        ifd__csv_name(out, t->column[i].name, *t->column[i].unit ? t->column[i].unit : "1");
    fputc('\n', out);
    for (long r = 0; r < t->rows && !ferror(out); r++) {
        ifd__csv_number(out, t->time[r]);
        for (int i = 0; i < t->columns; i++) {
            fputc(',', out);
            ifd__csv_number(out, t->value[i][r]);
        }
        fputc('\n', out);
    }
    return !ferror(out);
}

enum { LONGEST = 63 }; /* of a name in MATLAB */

static bool taken(const char *name, int count, const char *const *names)
{
    static const char *const own[] = {"time", "names", "units", "variables", "title", "outcome", "method"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strcmp(own[i], name) == 0)
            return true;
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

/* "deck.top displacement" as "deck_top_displacement". */
static char *identifier(ifd_arena *arena, const char *name)
{
    const char *before = isalpha((unsigned char)name[0]) ? "" : "c_";
    char *text = ifd_arena_print(arena, "%s%s", before, name);
    for (char *p = text; p && *p; p++)
        if (!isalnum((unsigned char)*p))
            *p = '_';
    if (text && strlen(text) > LONGEST)
        text[LONGEST] = '\0';
    return text;
}

ifd_status ifd_export_names(ifd_arena *arena, const ifd_table *t, const char *const **out)
{
    const char **name;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(name, t->columns)));
    for (int i = 0; i < t->columns; i++) {
        const char *text = identifier(arena, t->column[i].name), *stem = text;
        for (int n = 2; text && taken(text, i, name); n++)
            text = ifd_arena_print(arena, "%.55s_%d", stem, n);
        IFD__HAVE(text);
        name[i] = text;
    }
    *out = name;
    return IFD_OK;
}

static ifd_status fail(ifd_note *note, const char *path)
{
    return ifd_note_add(note, IFD_OUTPUT, NULL, "'%s' cannot be written: %s", path, strerror(errno));
}

ifd_status ifd__export_create(ifd_arena *arena, const char *folder, const char *name, FILE **out, const char **path,
                              ifd_note *note)
{
    *path = ifd_arena_print(arena, "%s/%s", folder, name);
    IFD__HAVE(*path);
    int fd = open(*path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    *out = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (*out)
        return IFD_OK;
    if (fd >= 0)
        close(fd);
    if (errno != EEXIST)
        return fail(note, *path);
    return ifd_note_advise(note, IFD_CONFLICT, NULL, "choose another folder with -o", "'%s' already exists", *path);
}

ifd_status ifd__export_folder(const char *folder, ifd_note *note)
{
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return ifd_note_add(note, IFD_OUTPUT, NULL, "the folder '%s' cannot be made: %s", folder, strerror(errno));
    return IFD_OK;
}

ifd_status ifd__export_finish(FILE *file, bool good, const char *path, ifd_note *note)
{
    good = good && !ferror(file);
    return fclose(file) == 0 && good ? IFD_OK : fail(note, path);
}

void ifd_export_defaults(ifd_export_options *o)
{
    *o = (ifd_export_options){.kind = IFD_EXPORT_CSV};
}

const char *ifd__export_file(ifd_export_kind kind)
{
    return kind == IFD_EXPORT_CSV ? "columns.csv" : "result.mat";
}

ifd_status ifd_export(ifd_arena *arena, const ifd_table *t, const ifd_export_options *o, ifd_note *note)
{
    const char *const *name, *path;
    FILE *file;
    IFD_TRY(ifd_export_names(arena, t, &name));
    IFD_TRY(ifd__export_folder(o->folder, note));
    IFD_TRY(ifd__export_create(arena, o->folder, ifd__export_file(o->kind), &file, &path, note));
    bool good = o->kind == IFD_EXPORT_CSV ? export_csv(file, t) : ifd__export_mat(file, t, name);
    IFD_TRY(ifd__export_finish(file, good, path, note));
    IFD_TRY(ifd__export_create(arena, o->folder, "datapackage.json", &file, &path, note));
    IFD_TRY(ifd__export_finish(file, ifd__export_package(arena, file, t, o, name), path, note));
    IFD_TRY(ifd__export_create(arena, o->folder, "README.txt", &file, &path, note));
    return ifd__export_finish(file, ifd__export_readme(file, t, o, name), path, note);
}
