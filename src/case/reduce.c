/* SPDX-License-Identifier: MIT */
/* The mapping `reduce` of a model, and the dofs that a reduced model keeps: those of couplings, specimens and the
 * record, which are known when the whole case is read. */
#include "case/tie.h"

#include <string.h>

#include "model/build/builder.h"
#include "superelement/stored.h"
#include "text/bundle.h"

const ifd__section ifd__section_reduce = {
    "reduce", "reduce: superelement", "model.reduce",
    "A superelement replaces a large linear structure by few dofs, with an error bound (docs/guide/superelement.md). "
    "Recorded dofs and dofs of joints, specimens, elements and dashpots remain. The dofs mode1, mode2, ... replace "
    "all others. The model needs Rayleigh or modal damping, and supports that prevent rigid motions. Such a model "
    "cannot be condensed, or divided by `cut`. `reduce: none` keeps the full model.",
    KEYS(
        WITHIN("frequency", FREQUENCY, 1e-3, 1e5, 50, NULL, "highest frequency of interest"),
        WITHIN("tolerance", NONE, 1e-12, 0.5, 1e-3, NULL,
               "largest error of a transfer function up to this frequency, relative to its peak"),
        WITHIN("order", NONE, 0, 20000, 0, "as few as meet the tolerance",
               "dofs of the reduced model; the tolerance is then not checked"),
        WITHIN("most", NONE, 1, 20000, 2000, NULL, "largest number of dofs of the reduced model"),
        WITHIN("shift", FREQUENCY, 0, 1e5, 0, "0.3 or 0.75 of `frequency`, whichever is better",
               "frequency near which the reduced model is most accurate"),
        FORM("file", false, "file of interfield reduce --out", "none", "stored superelement of the same structure"))};

static const ifd_superelement *read_file(ifd__model_read *m, const ifd__node *node)
{
    ifd__file file;
    ifd_superelement *out = NULL;
    if (!node || ifd__yaml_expect(node, IFD__SCALAR, m->note) != IFD_OK || strcmp(node->text, "none") == 0)
        return NULL;
    const char *path = ifd__file_relative(m->arena, &node->place, node->text);
    if (!path || ifd__bundle_read(m->r->doc.bundle, m->arena, path, &node->place, &file, m->note) != IFD_OK)
        return NULL;
    const ifd_superelement_bytes bytes = {node->text, file.text, file.length, &node->place};
    return ifd_superelement_read(m->arena, &bytes, &out, m->note) == IFD_OK ? out : NULL;
}

static bool refuse_specimen(ifd__model_read *m, const ifd__node *node)
{
    if (!m->mount)
        return false;
    ifd_note_add(m->note, IFD_CONFLICT, &node->key_place, "the model of a specimen cannot be reduced");
    ifd_note_hint(m->note, "reduce the computed structure, or remove '%s'", node->key);
    return true;
}

/* What the case asks for in addition must be true of the file. */
static void check_file(ifd__model_read *m, const ifd__fields *f, const ifd_superelement *s)
{
    const ifd_value *frequency = ifd__field(f, "frequency"), *tolerance = ifd__field(f, "tolerance");
    if (frequency->given && frequency->number > s->frequency)
        ifd_note_add(m->note, IFD_CONFLICT, &frequency->place, "the superelement is valid up to %g Hz, not %g Hz",
                     s->frequency, frequency->number);
    if (tolerance->given && tolerance->number < s->element.certificate.bound)
        ifd_note_add(m->note, IFD_CONFLICT, &tolerance->place,
                     "the superelement has an error bound of %.2g, which exceeds the tolerance %.2g",
                     s->element.certificate.bound, tolerance->number);
}

void ifd__read_superelement(ifd__model_read *m, const ifd__node *node)
{
    const ifd_superelement *s;
    if (!node || refuse_specimen(m, node) || !(s = read_file(m, node)))
        return;
    if (m->b->dof.count) {
        ifd_note_add(m->note, IFD_CONFLICT, &node->key_place,
                     "'superelement' is the whole structure of a model; it cannot have other dofs");
        ifd_note_hint(m->note, "couple it with another substructure, or use reduce: {file: %s}", node->text);
        return;
    }
    ifd_reduction *how = ifd_arena_take(m->arena, sizeof *how);
    if (!how)
        return;
    ifd_builder_superelement(m->b, s);
    ifd_reduction_defaults(how);
    how->stored = s;
    m->reduce = how;
}

void ifd__read_reduce(ifd__model_read *m, const ifd__node *node)
{
    ifd__fields f;
    if (!node || (node->kind == IFD__SCALAR && strcmp(node->text, "none") == 0))
        return;
    ifd__fields_read(m->r, node, &ifd__section_reduce, "reduce", &f);
    ifd_reduction *how = ifd_arena_take(m->arena, sizeof *how);
    if (node->kind != IFD__MAPPING || !how)
        return;
    if (refuse_specimen(m, node))
        return;
    if (m->b->alone) {
        ifd_note_add(m->note, IFD_CONFLICT, &node->key_place, "a superelement cannot be reduced again");
        return;
    }
    ifd_reduction_defaults(how);
    how->frequency = ifd__field(&f, "frequency")->number;
    how->tolerance = ifd__field(&f, "tolerance")->number;
    how->order = ifd__field_whole(m->r, &f, "order", "reduce: ");
    how->most = ifd__field_whole(m->r, &f, "most", "reduce: ");
    how->shift = ifd__field(&f, "shift")->number;
    const ifd__node *file = ifd__part(&f, "file");
    how->stored = read_file(m, file);
    if (how->stored)
        check_file(m, &f, how->stored);
    m->reduce = how;
    ifd_builder_reduce(m->b, how);
}

/* A model keeps the dofs to which there are references, each once and in the order of reading; recorded slaves of
 * ties are watched. */
static void keep_dofs(ifd__reader *r, ifd__model_read *m)
{
    if (!m->reduce || !m->b)
        return;
    size_t dofs = (size_t)m->b->dof.count;
    int *dof = ifd_arena_array(r->arena, dofs, sizeof *dof), *watch = ifd_arena_array(r->arena, dofs, sizeof *watch);
    bool *has = ifd_arena_array(r->arena, dofs, sizeof *has);
    int count = 0, watched = 0;
    if (!ifd__in_memory(r, dof && watch && has))
        return;
    for (const ifd__reference *f = r->reference; f; f = f->next)
        if (f->m == m && *f->dof >= 0 && !has[*f->dof]) {
            bool slave = f->kind == IFD__REFER_RECORD && ifd__is_slave(m, *f->dof);
            has[*f->dof] = true;
            *(slave ? &watch[watched++] : &dof[count++]) = *f->dof;
        }
    m->reduce->interfaces = count;
    m->reduce->interface = dof;
    m->reduce->watched = watched;
    m->reduce->watch = watch;
    ifd_builder_reduce(m->b, m->reduce);
}

void ifd__keep_interfaces(ifd__reader *r, ifd__structure *st)
{
    if (!st->parts)
        keep_dofs(r, &st->whole);
    for (int p = 0; p < st->parts; p++)
        keep_dofs(r, &st->part[p].m);
}
