/* SPDX-License-Identifier: MIT */
/* `coupling: {opensees-adapter: {port: N}}`: this program computes the structure, and OpenSees computes the
 * substructure of its adapter element. Each dof of the element is a specimen. Equivalent to the rig of that name, in
 * lockstep by default. */
#include <string.h>

#include <interfield/link.h>

#include "case/reader.h"

static const char NAME[] = "opensees-adapter";

bool ifd__is_adapter(const ifd__node *node)
{
    if (!node)
        return false;
    if (node->kind == IFD__MAPPING)
        return node->count == 1 && strcmp(node->first->key, NAME) == 0;
    return node->kind == IFD__SCALAR && node->text && strcmp(node->text, NAME) == 0;
}

bool ifd__read_adapter(ifd__reader *r, const ifd__fields *top)
{
    const ifd__node *node = ifd__part(top, "coupling");
    if (!ifd__is_adapter(node))
        return false;
    static const char *const parts[] = {"substructures", "cut"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (ifd__part(top, parts[i])) {
            ifd_note_add(r->note, IFD_CONFLICT, &node->key_place,
                         "coupling '%s' couples one 'model' with OpenSees: '%s' needs another coupling", NAME,
                         parts[i]);
            ifd_note_hint(r->note, "define it below 'test' as 'rig: {opensees-adapter: {port: N, lockstep: yes}}'");
            return true;
        }
    if (!ifd__part(top, "specimen"))
        ifd_note_add(r->note, IFD_MISSING_KEY, &node->key_place,
                     "coupling '%s' needs one 'specimen' for each dof of the adapter element", NAME);
    return true;
}

const ifd__node *ifd__adapter(const ifd__reader *r)
{
    const ifd__node *root = r->doc.root, *node = ifd__yaml_get(root, "coupling");
    bool other = ifd__yaml_get(root, "master") || ifd__yaml_get(root, "substructures") || ifd__yaml_get(root, "cut");
    return ifd__is_adapter(node) && !other && ifd__yaml_get(root, "specimen") ? node : NULL;
}

const ifd__node *ifd__adapter_rig(ifd__reader *r, const ifd__node *rig)
{
    const ifd__node *adapter = ifd__adapter(r);
    if (adapter && rig)
        ifd_note_add(r->note, IFD_CONFLICT, &rig->key_place,
                     "found 'rig' beside coupling '%s', which is a rig itself: expected one of them", NAME);
    return adapter ? adapter : rig;
}

void ifd__adapter_lockstep(const ifd__reader *r, const ifd_rig_ops *rig, ifd_value *values)
{
    if (!ifd__adapter(r) || rig != &ifd_opensees_adapter_rig)
        return;
    ifd_value *lockstep = &values[ifd_param_find(rig->params, "lockstep")];
    if (!lockstep->given)
        lockstep->number = 1.0;
}
