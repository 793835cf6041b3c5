/* SPDX-License-Identifier: MIT */
/* Makes the models of a case after reading; dofs receive their numbers here. Correct components are made even with
 * errors elsewhere, so that all errors are reported together. */
#include "case/reader.h"

#include <assert.h>

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

void ifd__refer(const ifd__model_read *m, int *dof, int kind, const char *user, const ifd_place *place)
{
    ifd__reader *r = m->r;
    ifd__reference *f = ifd_arena_take(r->arena, sizeof *f);
    if (!ifd__in_memory(r, f && user))
        return;
    *f = (ifd__reference){.m = m, .dof = dof, .user = user, .place = *place, .kind = kind};
    *(r->reference_last ? &r->reference_last->next : &r->reference) = f;
    r->reference_last = f;
}

/* The use of a dof that is condensed because it has no mass, which is known only after the model is built. */
static void refuse_massless(const ifd__structure *st, const ifd__reference *f)
{
    const ifd__model_read *m = f->m;
    const char *name = ifd_builder_dof_name(m->b, *f->dof);
    if (!ifd__kept(m, *f->dof) || !ifd__unknown_name(m, ifd_arena_print(m->arena, "%s %s", f->user, name)))
        return;
    if (st->parts)
        ifd_note_add(m->note, IFD_MASSLESS, &f->place,
                     "%s dof '%s' of substructure '%s', which has no mass%s and is condensed", f->user, name,
                     st->part[m->index].name, f->kind == IFD__REFER_JOINT ? " there" : "");
    else
        ifd_note_add(m->note, IFD_MASSLESS, &f->place, "%s dof '%s', which has no mass and %s", f->user, name,
                     ifd__first_order(m->model, name) < 0 ? "is condensed" : "is a first-order state");
    if (f->kind == IFD__REFER_JOINT)
        ifd_note_hint(m->note, "give the dof mass in that substructure, or join another dof");
    else if (!st->parts)
        ifd_note_hint(m->note, "give this dof a mass");
}

/* A massless dof with a first-order state can be recorded, under a number of its own. */
bool ifd__resolve(ifd__reader *r, const ifd__structure *st)
{
    int errors = r->note->errors;
    for (const ifd__reference *f = r->reference; f; f = f->next) {
        const ifd__model_read *m = f->m;
        int dof = *f->dof, number = ifd__number(m, dof);
        int state = f->kind == IFD__REFER_RECORD ? ifd__first_order(m->model, ifd_builder_dof_name(m->b, dof)) : -1;
        if (dof >= 0 && number < 0 && state < 0) {
            refuse_massless(st, f);
            if (f->kind != IFD__REFER_RECORD) /* a run may be tried nevertheless, and has no such column */
                continue;
        }
        number = state < 0 ? number : state;
        for (int p = 0; p < m->index && f->kind == IFD__REFER_RECORD; p++)
            number += state < 0 ? st->part[p].m.model->n : st->part[p].m.model->ngone;
        *f->dof = number;
    }
    return r->note->errors == errors;
}

static void make_whole(ifd__reader *r, ifd__structure *st)
{
    if (!ifd__make_model(&st->whole))
        return;
    const ifd_model *m = r->c->run.model = st->whole.model;
    const ifd_method *method = r->c->run.step.method;
    for (int e = 0; method && e < m->ne; e++)
        ifd__remark_fast(r, &m->element[e], r->step, method->follows, &st->whole.node->place);
    ifd__resolve(r, st);
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

/* A test computes the structure of the run and records the same. */
static void complete_test(const ifd_run_options *run, ifd_hybrid_options *o)
{
    o->model = run->model;
    o->couple = run->couple;
    o->step = run->step;
    o->end = run->end;
    o->dofs = run->dofs;
    o->dof = run->dof;
    o->what = run->what;
    o->drift = run->drift;
    o->frame = run->frame;
}

static void make_structure(ifd__reader *r, ifd__structure *st, const ifd__lab *lab, bool right)
{
    int errors = r->note->errors;
    ifd__keep_interfaces(r, st);
    if (st->fmus)
        ifd__make_fmu_parts(r, st);
    else if (st->parts)
        ifd__make_parts(r, st);
    else
        make_whole(r, st);
    if (r->note->errors != errors || !(r->c->run.couple || r->c->run.model))
        return;
    ifd__refuse_unstable(r, st, lab->mounts);
    if (right) {
        if (r->c->test)
            complete_test(&r->c->run, r->c->test);
        ifd__join_mounted(r, lab);
    } else if (st->right && (lab->right ? ifd__join_mounted(r, lab) : !st->rts))
        try_run(r, lab->right);
}

void ifd__make_structure(ifd__reader *r, ifd__structure *st, const ifd__lab *lab)
{
    ifd_note *note = r->note;
    bool right = note->errors == 0;
    ifd_finding *before = note->remark_last;
    make_structure(r, st, lab, right);
    if (right)
        return;
    note->remark_last = before; /* remarks on a case with errors are omitted */
    *(before ? &before->next : &note->remark_first) = NULL;
}
