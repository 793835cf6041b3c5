/* SPDX-License-Identifier: MIT */
/* Loads a rig from a shared object of a laboratory. */
#include <interfield/link.h>

#include <string.h>

#include "base/object.h"
#include "case/rig/rigs.h"

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

/* A name must not give a rig the permissions of a virtual rig. */
static bool name_taken(const char *name)
{
    for (int i = 0; ifd__rigs[i]; i++)
        if (strcmp(name, ifd__rigs[i]->name) == 0)
            return true;
    return false;
}

static ifd_status check(const char *path, const ifd_rig_ops *ops, ifd_note *note, const ifd_place *place)
{
    if (ops->abi != IFD_RIG_ABI) {
        ifd_note_add(note, IFD_PLUGIN, place, "'%s' was built for rig interface %d, this program has %d", path,
                     ops->abi, IFD_RIG_ABI);
        ifd_note_hint(note, "compile it with <interfield/exchange.h> of this version and .abi = IFD_RIG_ABI");
        return IFD_PLUGIN;
    }
    const char *what = lacking(ops);
    if (what) {
        ifd_note_add(note, IFD_PLUGIN, place, "the rig in '%s' has %s", path, what);
        ifd_note_hint(note, "ifd_user_rig needs at least abi, name, params, open, sense and command "
                            "(<interfield/exchange.h>)");
        return IFD_PLUGIN;
    }
    if (!name_taken(ops->name))
        return IFD_OK;
    ifd_note_add(note, IFD_PLUGIN, place, "the rig in '%s' has the name '%s' of a built-in rig", path, ops->name);
    ifd_note_hint(note, "use the name of the laboratory");
    return IFD_PLUGIN;
}

ifd_status ifd__rig_plugin_load(int fd, const char *path, const ifd_rig_ops **out, ifd_note *note,
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
    return ifd__rig_plugin_load(fd, path, out, note, place);
}
