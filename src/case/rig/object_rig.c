/* SPDX-License-Identifier: MIT */
/* The key `rig` of a rig in a shared object: `{plugin: {file: ./my_rig.so, ...}}` of a laboratory, or a driver by its
 * name, `{ethercat: {...}}`. The other keys are parameters of the rig in the file. */
#include "case/rig/channels.h"

#include <string.h>

#include <interfield/link.h>

#include "case/code.h"
#include "case/rig/rigs.h"
#include "text/bundle.h"
#include "text/file.h"

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
    return code.path && ifd__rig_plugin_load(code.fd, code.path, &o->rig, r->note, place) == IFD_OK;
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
    else if (ifd_rig_driver_open(name, r->arena, &o->rig, r->note, place) == IFD_OK)
        read_values(r, settings, place, o);
}

static bool built_in(const char *name)
{
    for (int i = 0; ifd__rigs[i]; i++)
        if (strcmp(name, ifd__rigs[i]->name) == 0)
            return true;
    return false;
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
