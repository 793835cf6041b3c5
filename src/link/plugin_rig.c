/* SPDX-License-Identifier: MIT */
#include <interfield/link.h>

#include <dlfcn.h>
#include <string.h>

#include <interfield/virtual.h>

/* What is missing in an otherwise fitting rig, or NULL. */
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

/* What is permitted to a virtual rig only must not be had by a name. */
static bool name_taken(const char *name)
{
    const ifd_rig_ops *const own[] = {&ifd_virtual_rig, &ifd_udp_rig, &ifd_shm_rig};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strcmp(name, own[i]->name) == 0)
            return true;
    return false;
}

static ifd_status check(const char *path, const ifd_rig_ops *ops, ifd_note *note, const ifd_place *place)
{
    if (ops->abi != IFD_RIG_ABI) {
        ifd_note_add(note, IFD_PLUGIN, place, "'%s' was made for rig interface %d, this program has %d", path,
                     ops->abi, IFD_RIG_ABI);
        ifd_note_hint(note,
                      "compile it again with the <interfield/exchange.h> of this version and .abi = IFD_RIG_ABI");
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
    ifd_note_add(note, IFD_PLUGIN, place, "the rig in '%s' calls itself '%s', as one that is built in", path,
                 ops->name);
    ifd_note_hint(note, "give it the name of the laboratory");
    return IFD_PLUGIN;
}

ifd_status ifd_rig_plugin_open(const char *path, ifd_arena *arena, const ifd_rig_ops **out, ifd_note *note,
                               const ifd_place *place)
{
    /* dlopen searches the system's folders for a name without a slash; a person who writes one means the file beside.
     * */
    const char *file = strchr(path, '/') ? path : ifd_arena_print(arena, "./%s", path);
    if (!file)
        return IFD_NO_MEMORY;
    void *object = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!object) {
        const char *why = dlerror();
        ifd_note_add(note, IFD_PLUGIN, place, "'%s' cannot be loaded: %s", path, why ? why : "unknown reason");
        ifd_note_hint(note, "make it with: cc -shared -fPIC my_rig.c -o my_rig.so");
        return IFD_PLUGIN;
    }
    const ifd_rig_ops *ops = dlsym(object, "ifd_user_rig");
    ifd_status status = IFD_PLUGIN;
    if (ops) {
        status = check(path, ops, note, place);
    } else {
        ifd_note_add(note, IFD_PLUGIN, place, "'%s' does not export 'ifd_user_rig'", path);
        ifd_note_hint(note, "it needs: const ifd_rig_ops ifd_user_rig = {...}; not static, not hidden");
    }
    if (status != IFD_OK)
        dlclose(object);
    else
        *out = ops;
    return status;
}
