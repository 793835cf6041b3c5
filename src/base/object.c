/* SPDX-License-Identifier: MIT */
#include "base/object.h"

#include <dlfcn.h>
#include <string.h>

/* dlopen searches the system's folders for a name without a slash; a person who writes one means the file beside. */
static const char *as_file(const char *path, ifd_arena *arena)
{
    return strchr(path, '/') ? path : ifd_arena_print(arena, "./%s", path);
}

ifd_status ifd__object_open(ifd_arena *arena, const char *path, const char *symbol, const char *type,
                            const void **out, ifd_note *note, const ifd_place *place)
{
    const char *file = as_file(path, arena);
    if (!file)
        return IFD_NO_MEMORY;
    void *object = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!object) {
        const char *why = dlerror();
        ifd_note_add(note, IFD_PLUGIN, place, "'%s' cannot be loaded: %s", path, why ? why : "unknown reason");
        ifd_note_hint(note, "make it with: cc -shared -fPIC mine.c -o mine.so");
        return IFD_PLUGIN;
    }
    *out = dlsym(object, symbol);
    if (*out)
        return IFD_OK;
    ifd_note_add(note, IFD_PLUGIN, place, "'%s' does not export '%s'", path, symbol);
    ifd_note_hint(note, "it needs: const %s %s = {...}; not static, not hidden", type, symbol);
    dlclose(object);
    return IFD_PLUGIN;
}
