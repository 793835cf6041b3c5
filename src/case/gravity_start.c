/* SPDX-License-Identifier: MIT */
/* Structures with a gravity state start in equilibrium. A preload finds the same equilibrium with the measured forces
 * of the specimens. */
#include "case/reader.h"

#include <math.h>

#include <interfield/analysis.h>

#include "base/arena.h"
#include "model/dof_pair.h"
#include "model/equilibrium/gravity_state.h"

static const ifd_place *place_of(const ifd__structure *st)
{
    const ifd__node *node = st->whole.node ? st->whole.node : st->parts ? st->part[0].m.node : NULL;
    return node ? &node->place : NULL;
}

/* A specimen with a force of its own would not be in equilibrium. */
static void refuse_specimens(ifd__reader *r, const ifd__structure *st)
{
    for (int k = 0; k < r->c->run.specimens; k++) {
        const ifd_specimen *s = &r->c->run.specimen[k];
        const ifd_model *m = ifd__model_of(st, s->part)->model;
        double q = m && s->name ? ifd__deformation(IFD__ENDS(s), m->u0) : 0.0, most = 0.0;
        for (int i = 0; m && i < m->n; i++)
            most = fmax(most, fabs(m->u0[i]));
        if (fabs(q) > 1e-9 * most) {
            ifd_note_add(r->note, IFD_CONFLICT, place_of(st),
                         "the gravity state deforms specimen '%s' by %.6g m, and its force there is not known",
                         s->name, q);
            ifd_note_hint(r->note, "give the test a preload: 'test: {preload: yes}'");
        }
    }
}

static bool weighs(const ifd__structure *st)
{
    bool some = false;
    for (int p = 0; p < (st->parts ? st->parts : 1); p++)
        some = some || (ifd__model_of(st, p)->model && ifd__model_weighs(ifd__model_of(st, p)->model));
    return some;
}

/* u and s of the whole, to its models. */
static ifd_status start(ifd__reader *r, ifd__structure *st, const ifd_assembly *whole, const double *u,
                        const double *s)
{
    double *all = NULL;
    if (!st->parts)
        return ifd__gravity_start(r->arena, st->whole.model, u, s);
    IFD_TRY(IFD__TAKE(r->arena, IFD__ARRAY(all, whole->dofs)));
    ifd_assembly_expand(whole, u, all);
    for (int p = 0; p < st->parts; p++) {
        ifd_model *m = st->part[p].m.model;
        IFD_TRY(ifd__gravity_start(r->arena, m, all, s));
        all += m->n;
        s += m->ns;
    }
    return IFD_OK;
}

bool ifd__start_gravity(ifd__reader *r, ifd__structure *st)
{
    int errors = r->note->errors;
    ifd_assembly whole = {.model = st->whole.model};
    ifd_note quiet;
    double *u, *s;
    const ifd_finding *before = r->note->last;
    if (r->test.preload || !weighs(st))
        return true;
    ifd_note_init(&quiet, r->arena);
    if (r->ranks > 1 || (st->parts && ifd_couple_assemble(r->arena, &st->couple, &whole, &quiet) != IFD_OK)) {
        ifd_note_add(r->note, IFD_UNSUPPORTED, place_of(st),
                     "the gravity state needs substructures joined to one model: %s",
                     r->ranks > 1  ? "several processes do not have it"
                     : quiet.first ? quiet.first->text
                                   : "no memory");
        return false;
    }
    ifd_status status = IFD__TAKE(r->arena, IFD__ARRAY(u, whole.model->n), IFD__ARRAY(s, whole.model->ns));
    if (status == IFD_OK)
        status = ifd__gravity_state(whole.model, u, s, r->note);
    ifd__place_findings(r, before, place_of(st));
    if (status == IFD_OK)
        status = start(r, st, &whole, u, s);
    if (status == IFD_OK)
        refuse_specimens(r, st);
    return ifd__in_memory(r, status != IFD_NO_MEMORY) && r->note->errors == errors;
}
