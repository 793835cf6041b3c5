/* SPDX-License-Identifier: MIT */
/* Loads an element of a user from a shared object. */
#include "model/plugin.h"

#include "base/object.h"

/* The missing member of an element, or NULL. */
static const char *lacking(const ifd_element_ops *ops)
{
    if (!ops->name || !ops->name[0])
        return "no name";
    if (!ops->params)
        return "no params (an empty list is one row {0})";
    if (!ops->make)
        return "no make function";
    if (!ops->eval)
        return "no eval function";
    if ((unsigned)ops->attach > IFD_ATTACH_PORTS)
        return "an attach that is none of IFD_ATTACH_PAIR, _PIVOT, _PORTS";
    if (ops->attach == IFD_ATTACH_PIVOT && !(ops->own && ops->own[0]))
        return "attach IFD_ATTACH_PIVOT but no own dofs";
    return NULL;
}

static ifd_status check(const char *path, const ifd_element_ops *ops, ifd_note *note, const ifd_place *place)
{
    if (ops->abi != IFD_ELEMENT_ABI)
        return ifd_note_advise(note, IFD_PLUGIN, place,
                               "compile it with <interfield/element.h> of this version and .abi = IFD_ELEMENT_ABI",
                               "'%s' was compiled for element interface %d; this program has %d", path, ops->abi,
                               IFD_ELEMENT_ABI);
    const char *what = lacking(ops);
    if (!what)
        return IFD_OK;
    return ifd_note_advise(
        note, IFD_PLUGIN, place,
        "ifd_user_element needs at least abi, name, params, attach, make and eval (<interfield/element.h>)",
        "the element in '%s' has %s", path, what);
}

ifd_status ifd__plugin_load(int fd, const char *path, const ifd_element_ops **out, ifd_note *note,
                            const ifd_place *place)
{
    const void *symbol;
    const ifd__export what = {"ifd_user_element", "ifd_element_ops"};
    IFD_TRY(ifd__object_load(fd, path, what, &symbol, note, place));
    IFD_TRY(check(path, symbol, note, place));
    *out = symbol;
    return IFD_OK;
}
