/* SPDX-License-Identifier: MIT */
#include <interfield/link.h>

#include <string.h>

#include "base/object.h"

/* What is missing in an otherwise fitting rig, or NULL. */
static const char *lacking(const ifd_rig_ops *ops)
{
    static const char *const taken[] = {"virtual", "udp", "shm", "plugin"};
    if (!ops->name || !ops->name[0])
        return "no name";
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if (strcmp(ops->name, taken[i]) == 0)
            return "the name of a rig that is built in";
    if (!ops->params)
        return "no params (an empty list is one row {0})";
    if (!ops->open)
        return "no open function";
    if (!ops->sense)
        return "no sense function";
    return ops->command ? NULL : "no command function";
}

ifd_status ifd_rig_plugin_open(const char *path, ifd_arena *arena, const ifd_rig_ops **out, ifd_note *note,
                               const ifd_place *place)
{
    const void *symbol;
    IFD_TRY(ifd__object_open(arena, path, "ifd_user_rig", "ifd_rig_ops", &symbol, note, place));
    const ifd_rig_ops *ops = symbol;
    if (ops->abi != IFD_RIG_ABI) {
        ifd_note_add(note, IFD_PLUGIN, place, "'%s' was made for rig interface %d, this program has %d", path, ops->abi,
                     IFD_RIG_ABI);
        ifd_note_hint(note, "compile it again with the <interfield/exchange.h> of this version and .abi = IFD_RIG_ABI");
        return IFD_PLUGIN;
    }
    const char *what = lacking(ops);
    if (what) {
        ifd_note_add(note, IFD_PLUGIN, place, "the rig in '%s' has %s", path, what);
        ifd_note_hint(note, "ifd_user_rig needs at least abi, name, params, open, sense and command "
                            "(<interfield/exchange.h>)");
        return IFD_PLUGIN;
    }
    *out = ops;
    return IFD_OK;
}
