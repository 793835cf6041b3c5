/* SPDX-License-Identifier: MIT */
/* The mapping `reduce` of a model, and the dofs that a reduced model keeps: those of couplings, specimens and the
 * record, which are known when the whole case is read. */
#include "case/reader.h"

#include <string.h>

#include "model/build/builder.h"

static const ifd__key reduce_keys[] = {
    WITHIN("frequency", FREQUENCY, 1e-3, 1e5, 50, NULL, "highest frequency at which the reduced model is accurate"),
    WITHIN("tolerance", NONE, 1e-12, 0.5, 1e-3, NULL,
           "largest error of a transfer function, relative to its peak, up to the frequency"),
    WITHIN("order", NONE, 0, 20000, 0, "as few as meet the tolerance",
           "dofs of the reduced model; the tolerance is then not checked"),
    WITHIN("most", NONE, 1, 20000, 2000, NULL, "largest number of dofs of the reduced model"),
    WITHIN("shift", FREQUENCY, 0, 1e5, 0, "0.3 of the frequency, or 0.75 if that is better",
           "frequency near which the reduced model is most accurate"),
    END};
const ifd__section ifd__section_reduce = {
    "reduce",
    "reduce: superelement",
    "model.reduce",
    "A large linear structure becomes a model of few dofs with an error bound (docs/superelement.md). Dofs of "
    "joints, specimens, elements and dashpots, and recorded dofs, stay as they are; the others are replaced by dofs "
    "mode1, mode2, ... The model needs Rayleigh damping and supports that hold it. Modal damping, condensation and "
    "`cut` are not possible. `reduce: none` keeps the full model.",
    reduce_keys,
    "model:\n"
    "  frame:\n"
    "    material: {young: 30 GPa, density: 2.5 t/m3}\n"
    "    sections: {column: {width: 0.5 m, depth: 0.5 m}, beam: {width: 0.3 m, depth: 0.6 m}}\n"
    "    grid: {bays: 3 x 6 m, storeys: 10 x 3 m, columns: column, beams: beam}\n"
    "  rayleigh: {ratio: 3 %, frequencies: [1 Hz, 20 Hz]}\n"
    "  reduce: {frequency: 30 Hz, tolerance: 1e-3, order: 0, most: 500, shift: 0 Hz}\n"
    "record: [displacement, s10c1.x]\n"};

void ifd__read_reduce(ifd__model_read *m, const ifd__node *node)
{
    ifd__fields f;
    if (!node || (node->kind == IFD__SCALAR && strcmp(node->text, "none") == 0))
        return;
    ifd__fields_read(m->r, node, &ifd__section_reduce, "reduce", &f);
    ifd_reduction *how = ifd_arena_take(m->arena, sizeof *how);
    if (node->kind != IFD__MAPPING || !how)
        return;
    if (m->mount) {
        ifd_note_add(m->note, IFD_CONFLICT, &node->key_place, "the model of a specimen cannot be reduced");
        ifd_note_hint(m->note, "reduce the computed structure, or remove 'reduce'");
        return;
    }
    ifd_reduction_defaults(how);
    how->frequency = ifd__field(&f, "frequency")->number;
    how->tolerance = ifd__field(&f, "tolerance")->number;
    how->order = ifd__field_whole(m->r, &f, "order", "reduce: ");
    how->most = ifd__field_whole(m->r, &f, "most", "reduce: ");
    how->shift = ifd__field(&f, "shift")->number;
    m->reduce = how;
    ifd_builder_reduce(m->b, how);
}

/* Dofs of one model that stay. */
typedef struct interface {
    const ifd__model_read *m;
    int count, *dof;
    bool *has;
} interface;

static void keep(interface *x, int dof)
{
    if (dof < 0 || dof >= x->m->b->dof.count || x->has[dof])
        return;
    x->has[dof] = true;
    x->dof[x->count++] = dof;
}

static void keep_joints(const ifd__structure *st, int part, interface *x)
{
    for (int j = 0; j < st->couple.joints; j++)
        for (int k = 0; k < st->joint[j].terms; k++)
            if (st->joint[j].term[k].part == part)
                keep(x, st->joint[j].term[k].dof);
    for (int l = 0; st->rts && l < st->rts->links; l++)
        if (st->rts->link[l].leader == part)
            keep(x, st->rts->link[l].dof);
}

static void keep_dofs(ifd__reader *r, const ifd__structure *st, const ifd__lab *lab, const ifd__recorded *rec,
                      const ifd__model_read *m)
{
    interface x = {.m = m};
    int part = st->parts ? m->index : 0;
    if (!m->reduce || !m->b)
        return;
    x.dof = ifd_arena_array(r->arena, (size_t)m->b->dof.count, sizeof *x.dof);
    x.has = ifd_arena_array(r->arena, (size_t)m->b->dof.count, sizeof *x.has);
    if (!ifd__in_memory(r, x.dof && x.has))
        return;
    if (st->parts)
        keep_joints(st, part, &x);
    for (int k = 0; k < r->c->run.specimens; k++)
        if (lab->specimen[k].part == part) {
            keep(&x, lab->specimen[k].from);
            keep(&x, lab->specimen[k].to);
        }
    for (int i = 0; i < rec->count; i++)
        if (!st->parts || rec->part[i] == part)
            keep(&x, rec->dof[i]);
    m->reduce->interfaces = x.count;
    m->reduce->interface = x.dof;
    ifd_builder_reduce(m->b, m->reduce);
}

void ifd__keep_interfaces(ifd__reader *r, const ifd__structure *st, const ifd__lab *lab, const ifd__recorded *rec)
{
    if (!st->parts)
        keep_dofs(r, st, lab, rec, &st->whole);
    for (int p = 0; p < st->parts; p++)
        keep_dofs(r, st, lab, rec, &st->part[p].m);
}
