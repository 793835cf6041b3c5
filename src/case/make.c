/* SPDX-License-Identifier: MIT */
/* Makes the models of a case after reading; dofs receive their numbers here. Correct components are made even with
 * errors elsewhere, so that all errors are reported together. */
#include "case/reader.h"

#include <assert.h>

#include "case/definite.h"
#include "case/element.h"
#include "case/rig/mounted.h"
#include "model/build/builder.h"
#include "model/model.h"

/* The model has the dofs of its builder in their order, without those that were condensed. A reduced model has modes
 * behind them. */
static bool number_dofs(ifd__model_read *m)
{
    const ifd_reduced *reduced = ifd_model_reduced(m->model);
    int next = 0, own = reduced ? reduced->interfaces : m->model->n;
    m->number = ifd_arena_array(m->arena, (size_t)m->b->dof.count, sizeof *m->number);
    for (int i = 0; i < m->b->dof.count && m->number; i++)
        m->number[i] = next < own && m->model->dof_name[next] == ifd_builder_dof_name(m->b, i) ? next++ : -1;
    assert(!m->number || next == own);
    return m->number != NULL;
}

int ifd__number(const ifd__model_read *m, int dof)
{
    return dof < 0 ? dof : m->number[dof];
}

bool ifd__make_model(ifd__model_read *m)
{
    ifd_model *made = NULL;
    if (!m->sound || !m->b)
        return false;
    int errors = m->note->errors;
    const ifd_finding *before = m->note->last;
    ifd_status status = ifd_model_make(m->arena, m->b, &made, m->note);
    for (ifd_finding *f = before ? before->next : m->note->first; f; f = f->next)
        if (!f->place.file) {
            const ifd__node *key = f->subject ? ifd__yaml_get(m->node, f->subject) : NULL;
            f->place = key ? key->key_place : m->node->place;
        }
    m->model = made;
    if (status == IFD_OK && !number_dofs(m))
        status = IFD_NO_MEMORY;
    if (status == IFD_OK)
        ifd__remark_impulses(m);
    if (status != IFD_OK && m->note->errors == errors)
        ifd_note_add(m->note, status, &m->node->place, "the model could not be built: %s", ifd_status_text(status));
    return status == IFD_OK;
}

void ifd__refuse_massless(const ifd__structure *st, const ifd__model_read *m, int dof, const char *what,
                          const ifd_place *place)
{
    const char *name = ifd_builder_dof_name(m->b, dof);
    if (!ifd__kept(m, dof) || !ifd__unknown_name(m, ifd_arena_print(m->arena, "%s %s", what, name)))
        return;
    if (st->parts) {
        ifd_note_add(m->note, IFD_MASSLESS, place,
                     "%s uses dof '%s' of substructure '%s', which has no mass and is condensed", what, name,
                     st->part[m->index].name);
        return;
    }
    ifd_note_add(m->note, IFD_MASSLESS, place, "%s uses dof '%s', which has no mass and %s", what, name,
                 ifd__first_order(m->model, name) < 0 ? "is condensed" : "is a first-order state");
    ifd_note_hint(m->note, "give this dof a mass");
}

static void make_whole(ifd__reader *r, ifd__structure *st, ifd__lab *lab, ifd__recorded *rec)
{
    if (!ifd__make_model(&st->whole))
        return;
    const ifd_model *m = r->c->run.model = st->whole.model;
    const ifd_method *method = r->c->run.step.method;
    for (int e = 0; method && e < m->ne; e++)
        ifd__remark_fast(r, &m->element[e], r->step, method->follows, &st->whole.node->place);
    ifd__number_recorded(r, st, rec);
    ifd__number_specimens(r, st, lab);
}

/* Some errors are found only when a run is made. Without other errors the caller makes that run. */
static void try_run(ifd__reader *r, bool specimens)
{
    ifd_run_options run = r->c->run;
    ifd_arena *scratch = ifd_arena_open();
    ifd_run *tried = NULL;
    if (!specimens)
        run.specimens = run.step.estimates = 0;
    if (scratch && ifd_run_make(scratch, &run, &tried, r->note) == IFD_OK)
        ifd_run_close(tried);
    ifd_arena_close(scratch);
}

static void make_structure(ifd__reader *r, ifd__structure *st, ifd__lab *lab, ifd__recorded *rec, bool right)
{
    int errors = r->note->errors;
    ifd__keep_interfaces(r, st, lab, rec);
    if (st->fmus)
        ifd__make_fmu_parts(r, st);
    else if (st->parts) {
        ifd__make_parts(r, st, lab);
        if (r->c->run.couple)
            ifd__number_recorded(r, st, rec);
    } else
        make_whole(r, st, lab, rec);
    if (r->note->errors != errors || !(r->c->run.couple || r->c->run.model))
        return;
    ifd__refuse_unstable(r, st, lab->mounts);
    if (right) {
        ifd__finish_test(r, st);
        ifd__finish_identify(r, r->c->run.model);
        ifd__finish_mounted(r, lab);
    } else if (st->right && (lab->right ? ifd__finish_mounted(r, lab) : !st->rts))
        try_run(r, lab->right);
}

void ifd__make_structure(ifd__reader *r, ifd__structure *st, ifd__lab *lab, ifd__recorded *rec)
{
    ifd_note *note = r->note;
    bool right = note->errors == 0;
    ifd_finding *before = note->remark_last;
    make_structure(r, st, lab, rec, right);
    if (right)
        return;
    note->remark_last = before; /* remarks on a case with errors are omitted */
    *(before ? &before->next : &note->remark_first) = NULL;
}
