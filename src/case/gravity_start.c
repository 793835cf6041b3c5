/* SPDX-License-Identifier: MIT */
/* Structures with a gravity state start in equilibrium. A preload finds the same equilibrium with the measured forces
 * of the specimens. */
#include "case/reader.h"

#include <math.h>
#include <string.h>

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
        double q = m && s->name ? IFD__ELONGATION(s, m->u0) : 0.0, most = 0.0;
        for (int i = 0; m && i < m->n; i++)
            most = fmax(most, fabs(m->u0[i]));
        if (fabs(q) > 1e-9 * most) {
            ifd_note_add(r->note, IFD_CONFLICT, place_of(st),
                         "the gravity state deforms specimen '%s' by %.6g m, and its force there is not known",
                         s->name, q);
            ifd_note_hint(r->note, s->row ? "give the test a preload: 'test: {preload: yes}', or the specimen "
                                            "'origin: loaded' if it is erected in the gravity state"
                                          : "give the test a preload: 'test: {preload: yes}'");
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
        return ifd__gravity_start(r->arena, st->whole.model, u, s, r->note);
    IFD_TRY(IFD__TAKE(r->arena, IFD__ARRAY(all, whole->dofs)));
    ifd_assembly_expand(whole, u, all);
    for (int p = 0; p < st->parts; p++) {
        ifd_model *m = st->part[p].m.model;
        IFD_TRY(ifd__gravity_start(r->arena, m, all, s, r->note));
        all += m->n;
        s += m->ns;
    }
    return IFD_OK;
}

/* Whether the substructure may contain the chord; a cut leaves it in one of them. */
static bool may_have(const ifd__structure *st, int p, const ifd_case_chord *c)
{
    return !st->parts || !c->part || strcmp(c->part, st->part[p].name) == 0;
}

/* Elongations in the gravity state. */
static void stretch_chords(ifd__reader *r, const ifd__structure *st)
{
    for (ifd_case_chord *c = r->c->chord; c; c = c->next)
        for (int k = 0; k < c->terms; k++) {
            bool found = false;
            for (int p = 0; p < (st->parts ? st->parts : 1) && !found; p++) {
                const ifd_model *m = ifd__model_of(st, p)->model;
                double u = 0.0;
                found = may_have(st, p, c) && ifd_model_displacement(m, c->term[k], m->u0, &u);
                c->start += found ? c->coefficient[k] * u : 0.0;
            }
        }
}

/* Chords that count from the gravity state need one, with forces that are known. */
static void refuse_loaded(ifd__reader *r, bool weighs)
{
    for (const ifd_case_chord *c = r->c->chord; c; c = c->next)
        if (c->loaded && r->test.preload)
            ifd_note_add(r->note, IFD_UNSUPPORTED, &c->place,
                         "'%s' has 'origin: loaded', but the gravity state of a test with a preload depends on "
                         "measured forces: expected 'unloaded', or no preload",
                         c->name);
        else if (c->loaded && !weighs)
            ifd_note_add(r->note, IFD_CONFLICT, &c->place,
                         "'%s' has 'origin: loaded' without effect: expected a frame with a gravity state, such as "
                         "'gravity-state: weight', or loads of its members",
                         c->name);
}

bool ifd__start_gravity(ifd__reader *r, ifd__structure *st)
{
    int errors = r->note->errors;
    ifd_assembly whole = {.model = st->whole.model};
    ifd_note quiet;
    double *u, *s;
    const ifd_finding *before = r->note->last;
    refuse_loaded(r, weighs(st));
    if (r->test.preload || !weighs(st))
        return r->note->errors == errors;
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
    if (status == IFD_OK) {
        stretch_chords(r, st);
        refuse_specimens(r, st);
    }
    return ifd__in_memory(r, status != IFD_NO_MEMORY) && r->note->errors == errors;
}
