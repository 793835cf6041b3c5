/* SPDX-License-Identifier: MIT */
/* Rigs in shared objects: plug-ins of a laboratory, `rig: {plugin: {file: ./my_rig.so, ...}}`, and drivers, which are
 * shipped with the program as one file rigs/NAME.so each, `rig: {ethercat: {...}}`. A driver that could not be built
 * has a file rigs/NAME.missing with the reason instead. The other keys are parameters of the rig in the file. */
#include <dirent.h>
#include <interfield/link.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/installed.h"
#include "base/object.h"
#include "case/code.h"
#include "case/rig/channels.h"
#include "case/rig/rigs.h"
#include "text/bundle.h"
#include "text/file.h"

static const ifd_rig_ops *built_in(const char *name)
{
    int i = 0;
    while (ifd__rigs[i] && strcmp(name, ifd__rigs[i]->name) != 0)
        i++;
    return ifd__rigs[i];
}

/* The missing member of an otherwise valid rig, or NULL. */
static const char *lacking(const ifd_rig_ops *ops)
{
    if (!ops->name || !ops->name[0])
        return "no name";
    if (!ops->params)
        return "no params (an empty list is one row {0})";
    if (!ops->open)
        return "no open function";
    if (!ops->sense)
        return "no sense function";
    if (!ops->command)
        return "no command function";
    return NULL;
}

static ifd_status check(const char *path, const ifd_rig_ops *ops, ifd_note *note, const ifd_place *place)
{
    if (ops->abi != IFD_RIG_ABI)
        return ifd_note_advise(
            note, IFD_PLUGIN, place, "compile it with <interfield/exchange.h> of this version and .abi = IFD_RIG_ABI",
            "'%s' was built for rig interface %d, this program has %d", path, ops->abi, IFD_RIG_ABI);
    const char *what = lacking(ops);
    if (what)
        return ifd_note_advise(note, IFD_PLUGIN, place,
                               "ifd_user_rig needs at least abi, name, params, open, sense and command "
                               "(<interfield/exchange.h>)",
                               "the rig in '%s' has %s", path, what);
    if (!built_in(ops->name)) /* a name must not give a rig the permissions of a virtual rig */
        return IFD_OK;
    return ifd_note_advise(note, IFD_PLUGIN, place, "use the name of the laboratory",
                           "the rig in '%s' has the name '%s' of a built-in rig", path, ops->name);
}

/* As ifd_rig_plugin_open, of a file that ifd__object_examine opened; takes the descriptor. */
static ifd_status load_plugin(int fd, const char *path, const ifd_rig_ops **out, ifd_note *note,
                              const ifd_place *place)
{
    const void *found = NULL;
    const ifd__export what = {"ifd_user_rig", "ifd_rig_ops"};
    IFD_TRY(ifd__object_load(fd, path, what, &found, note, place));
    IFD_TRY(check(path, found, note, place));
    *out = found;
    return IFD_OK;
}

ifd_status ifd_rig_plugin_open(const char *path, ifd_arena *arena, const ifd_rig_ops **out, ifd_note *note,
                               const ifd_place *place)
{
    int fd;
    (void)arena;
    IFD_TRY(ifd__object_examine(path, &fd, note, place));
    return load_plugin(fd, path, out, note, place);
}

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
    return ifd_note_advise(
        note, IFD_PLUGIN, place,
        "install what is missing and build interfield again; `interfield list rigs` shows the rigs",
        "rig '%s' is not built: %s", d->name, d->missing ? d->missing : "");
}

static ifd_status named(const ifd__driver *d, const ifd_rig_ops *ops, ifd_note *note, const ifd_place *place)
{
    if (strcmp(ops->name, d->name) == 0)
        return IFD_OK;
    return ifd_note_add(note, IFD_PLUGIN, place, "the rig in '%s' has the name '%s', expected '%s'", d->path,
                        ops->name, d->name);
}

ifd_status ifd_rig_named_open(const char *name, ifd_arena *arena, const ifd_rig_ops **out, ifd_note *note,
                              const ifd_place *place)
{
    const ifd_rig_ops *own = built_in(name);
    ifd__driver d;
    int fd;
    if (own) { /* otherwise *out is kept: after an error it is still used */
        *out = own;
        return IFD_OK;
    }
    if (!ifd__driver_find(arena, name, &d))
        return ifd_note_add(note, IFD_UNKNOWN_CHOICE, place, "no rig '%s' is installed (`interfield list rigs`)",
                            name);
    IFD_TRY(built(&d, note, place));
    IFD_TRY(ifd__object_examine(d.path, &fd, note, place));
    IFD_TRY(load_plugin(fd, d.path, out, note, place));
    return named(&d, *out, note, place);
}

/* A text parameter with `file` names a file relative to the case, which becomes a source file of the case. */
static void keep_files(ifd__reader *r, const ifd_param *params, ifd_value *values)
{
    for (int i = 0; params[i].name; i++) {
        ifd_value *v = &values[i];
        ifd__file kept;
        if (params[i].shape != IFD_SHAPE_TEXT || !params[i].file || !v->given || !v->word || !*v->word)
            continue;
        v->word = ifd__file_relative(r->arena, &v->place, v->word);
        if (ifd__in_memory(r, v->word))
            (void)ifd__bundle_read(r->doc.bundle, r->arena, v->word, &v->place, &kept, r->note);
    }
}

/* settings may be NULL. */
static void read_values(ifd__reader *r, const ifd__node *settings, const ifd_place *place, ifd_hybrid_options *o)
{
    ifd_value *values = ifd_arena_array(r->arena, (size_t)ifd_param_count(o->rig->params) + 1, sizeof *values);
    const char *what = ifd_arena_print(r->arena, "rig '%s'", o->rig->name);
    ifd__settings ask = {.map = settings,
                         .params = o->rig->params,
                         .any = IFD_DIM_ANY,
                         .also = "file",
                         .what = what ? what : "rig",
                         .place = *place};
    if (ifd__in_memory(r, values) && ifd__yaml_params(r->arena, &ask, values, r->note) == IFD_OK)
        keep_files(r, o->rig->params, values);
    o->rig_values = values;
}

/* False: it is not loaded, with or without an error. */
static bool load(ifd__reader *r, const char *path, const ifd_place *place, ifd_hybrid_options *o)
{
    int errors = r->note->errors;
    ifd__code_file code = ifd__code_rig(r, path, place);
    o->rig_setup = NULL;
    if (!code.path && r->note->errors == errors)
        o->rig = &ifd__unloaded_rig;
    return code.path && load_plugin(code.fd, code.path, &o->rig, r->note, place) == IFD_OK;
}

static void read_plugin(ifd__reader *r, const ifd__node *settings, ifd_hybrid_options *o)
{
    const ifd__node *file = ifd__yaml_get(settings, "file");
    const char *path = NULL;
    o->rig_setup = NULL;
    if (!file) {
        ifd_note_add(r->note, IFD_MISSING_KEY, &settings->place, "rig 'plugin' needs 'file', the shared object");
        return;
    }
    if (ifd__yaml_text(file, &path, r->note) != IFD_OK)
        return;
    if (load(r, ifd__file_relative(r->arena, &file->place, path), &file->place, o))
        read_values(r, settings, &settings->place, o);
}

/* A driver is a part of the program: it needs no permission. A record does not need its driver. */
static void read_driver(ifd__reader *r, const char *name, const ifd__node *settings, const ifd_place *place,
                        ifd_hybrid_options *o)
{
    o->rig_setup = NULL;
    if (r->doc.bundle->closed)
        o->rig = &ifd__unloaded_rig;
    else if (ifd_rig_named_open(name, r->arena, &o->rig, r->note, place) == IFD_OK)
        read_values(r, settings, place, o);
}

bool ifd__read_object_rig(ifd__reader *r, const ifd__node *node, ifd_hybrid_options *o)
{
    const ifd__node *settings = node->kind == IFD__MAPPING && node->count == 1 ? node->first : NULL;
    const char *name = settings ? settings->key : node->kind == IFD__SCALAR ? node->text : NULL;
    ifd__driver d;
    if (!name || built_in(name))
        return false;
    if (strcmp(name, "plugin") == 0) {
        if (!settings || settings->kind != IFD__MAPPING)
            return false;
        read_plugin(r, settings, o);
        return true;
    }
    if (!ifd__driver_find(r->arena, name, &d) && !r->doc.bundle->closed)
        return false;
    read_driver(r, name, settings, settings ? &settings->key_place : &node->place, o);
    return true;
}

const ifd_rig_ops *const ifd__rigs[] = {
#define RIG(x) &ifd_##x##_rig,
#include "case/rig/rigs.def"
    NULL,
};
