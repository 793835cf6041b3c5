/* SPDX-License-Identifier: MIT */
/* What a frame with large displacements needs, and what it cannot have. */
#include "case/framing.h"
#include "method/stepper.h"

static const char large_frame[] = "a frame with 'geometry: large'";

bool ifd__permit_large_frame(ifd__framing *k)
{
    const ifd_value *geometry = ifd__field(&k->f, "geometry"), *mass = ifd__field(&k->f, "mass"),
                    *dimension = ifd__field(&k->f, "dimension");
    const ifd__node *floors = ifd__yaml_get(k->grid, "floors");
    ifd_note *note = k->m->note;
    int errors = note->errors;
    if (!k->frame.large)
        return true;
    if (!k->frame.planar)
        ifd_note_add(note, IFD_UNSUPPORTED, &dimension->place,
                     "%s is in the plane, because rotations in space do not add: found dimension 3; expected 2, or "
                     "'geometry: p-delta'",
                     large_frame);
    if (!k->frame.lumped)
        ifd_note_add(
            note, mass->given ? IFD_CONFLICT : IFD_MISSING_KEY, mass->given ? &mass->place : &geometry->place,
            "%s needs 'mass: lumped', because a consistent mass matrix would turn with its member", large_frame);
    if (k->floors)
        ifd_note_add(note, IFD_UNSUPPORTED, &floors->key_place,
                     "%s cannot have rigid floors, which are tied along the directions at rest", large_frame);
    if (k->m->mount)
        ifd_note_add(note, IFD_UNSUPPORTED, &geometry->place,
                     "the frame of a specimen has small displacements: expected 'geometry: linear' or 'p-delta'");
    return note->errors == errors;
}

bool ifd__permit_large(const ifd__model_read *m, const ifd__fields *model)
{
    static const struct {
        const char *key, *why;
    } refused[] = {{"condense", "the stiffness of condensed dofs would change"},
                   {"reduce", "a superelement is linear"},
                   {"modal-damping", "its modes change; expected 'rayleigh'"}};
    int errors = m->note->errors;
    if (!m->frame || !m->frame->large)
        return true;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        const ifd__node *node = ifd__part(model, refused[i].key);
        if (node)
            ifd_note_add(m->note, IFD_UNSUPPORTED, &node->key_place, "%s cannot have '%s': %s", large_frame,
                         refused[i].key, refused[i].why);
    }
    const ifd__node *ties = ifd__part(model, "ties");
    for (const ifd__node *i = ties && ties->kind == IFD__SEQUENCE ? ties->first : NULL; i; i = i->next)
        if (i->kind == IFD__MAPPING)
            ifd_note_add(m->note, IFD_UNSUPPORTED, &i->place,
                         "%s cannot have rigid ties, whose offsets would turn: expected an equation, or a stiff "
                         "member",
                         large_frame);
    return m->note->errors == errors;
}

bool ifd__permit_large_step(const ifd__model_read *m, const ifd_step_options *step)
{
    int i = step->method ? ifd_param_find(step->method->params, "jacobian") : -1;
    const char *why = m->frame && m->frame->large && m->model ? ifd__large_refused(step, m->model, m->arena) : NULL;
    if (why)
        ifd_note_add(m->note, IFD_UNSUPPORTED,
                     i >= 0 && step->value[i].given ? &step->value[i].place
                                                    : &ifd__field(&m->framing->f, "geometry")->place,
                     "%s", why);
    return !why;
}
