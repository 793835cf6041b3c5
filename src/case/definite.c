/* SPDX-License-Identifier: MIT */
/* A buckled structure is refused, unless the case wishes it (`unstable: yes`). Examined is the stiffness at rest of
 * the whole structure: all substructures and joints, initial tangents of elements, estimates of specimens. */
#include "case/reader.h"

#include <interfield/analysis.h>

#include "model/dof_pair.h"
#include "model/mechanism.h"

enum { NAMED = 4 };

/* Names of what has a negative stiffness, the first few. */
typedef struct naming {
    ifd_arena *arena;
    const char *text;
    int count;
} naming;

static void name(naming *n, const char *what)
{
    if (n->count++ < NAMED)
        n->text = ifd_arena_print(n->arena, "%s%s%s", n->text ? n->text : "", n->text ? ", " : "", what);
}

static bool negative_number(const ifd__node *node)
{
    return node && node->kind == IFD__SCALAR && node->text[0] == '-';
}

/* Linear elements are in the matrices of the model: their names are in the file. */
static void name_linear(naming *n, const ifd__node *elements)
{
    for (const ifd__node *i = elements && elements->kind == IFD__SEQUENCE ? elements->first : NULL; i; i = i->next) {
        const ifd__node *own = i->kind == IFD__MAPPING ? ifd__yaml_get(i, "name") : NULL;
        for (const ifd__node *k = i->kind == IFD__MAPPING ? i->first : NULL; k; k = k->next) {
            const ifd_element_ops *ops = ifd_element_find(k->key);
            if (ops && ops->flags & IFD_ELEMENT_LINEAR &&
                (ops->flags & IFD_ELEMENT_GRAVITY ||
                 (k->kind == IFD__MAPPING && negative_number(ifd__yaml_get(k, "stiffness")))))
                name(n, ifd_arena_print(n->arena, "'%s'", own && own->kind == IFD__SCALAR ? own->text : ops->name));
        }
    }
}

static void name_model(naming *n, const ifd__model_read *m)
{
    const ifd__node *node = m->node && m->node->kind == IFD__MAPPING ? m->node : NULL;
    ifd_arena *scratch IFD__CLOSED = ifd_arena_open();
    for (int e = 0; scratch && m->model && e < m->model->ne; e++)
        if (ifd__element_softens(m->model, e, scratch))
            name(n, ifd_arena_print(n->arena, "'%s'", m->model->element[e].name));
    if (!node)
        return;
    name_linear(n, ifd__yaml_get(node, "elements"));
    if (ifd__yaml_get(node, "shear-building") && m->model && m->model->gravity)
        name(n, "the gravity of the shear building");
    if (ifd__yaml_get(node, "frame") && m->model && m->model->gravity)
        name(n, "the axial forces of the frame");
    if (n->count == 0 && ifd__yaml_get(node, "stiffness"))
        name(n, "the matrix 'stiffness'");
}

/* The estimates of a model or substructure as rows of the whole; first: number of its first dof among all. */
static ifd_status add_estimates(ifd_arena *arena, const ifd_step_options *step, const ifd_assembly *a, int first,
                                ifd__row_spring *out)
{
    for (int k = 0; k < step->estimates; k++) {
        const ifd_estimate *s = &step->estimate[k];
        const ifd__ends ends = IFD__ENDS(s);
        int most = ifd__ends_count(ends), count = 0, *dof;
        double *value, c;
        for (int i = 0, at; a && i < ifd__ends_count(ends); i++)
            most += (at = ifd__end(ends, i, &c)) >= 0 ? a->start[first + at + 1] - a->start[first + at] : 0;
        IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(dof, most), IFD__ARRAY(value, most)));
        for (int i = ifd__ends_count(ends) - 1; i >= 0; i--) {
            int at = ifd__end(ends, i, &c);
            if (at >= 0 && !a) {
                dof[count] = at;
                value[count++] = c;
            }
            for (int j = at >= 0 && a ? a->start[first + at] : 0; at >= 0 && a && j < a->start[first + at + 1]; j++) {
                dof[count] = a->dof[j];
                value[count++] = c * a->value[j];
            }
        }
        out[k] = (ifd__row_spring){count, dof, value, s->stiffness};
    }
    return IFD_OK;
}

/* *negative := the buckled motions of the run; 0: none, or not known. *loose, if released: a motion that nothing
 * resists, or NULL. */
static ifd_status examine(ifd_arena *arena, const ifd_run_options *run, bool released, int *negative,
                          const char **loose)
{
    ifd_assembly whole;
    ifd_note quiet;
    int springs = run->couple ? 0 : run->step.estimates, parts = run->couple ? run->couple->parts : 0;
    ifd_note_init(&quiet, arena);
    *negative = 0;
    for (int p = 0; p < parts; p++) {
        if (!run->couple->part[p].model)
            return IFD_OK;
        springs += run->couple->part[p].step.estimates;
    }
    if (run->specimens > springs || !(run->model || parts))
        return IFD_OK;
    if (parts && ifd_couple_assemble(arena, run->couple, &whole, &quiet) != IFD_OK)
        return IFD_OK;
    ifd__row_spring *spring;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(spring, (size_t)springs + 1)));
    if (!parts)
        IFD_TRY(add_estimates(arena, &run->step, NULL, 0, spring));
    for (int p = 0, first = 0, at = 0; p < parts; p++) {
        IFD_TRY(add_estimates(arena, &run->couple->part[p].step, &whole, first, spring + at));
        at += run->couple->part[p].step.estimates;
        first += ifd_model_dofs(run->couple->part[p].model);
    }
    const ifd_model *m = parts ? whole.model : run->model;
    IFD_TRY(ifd__model_negative(m, springs, spring, negative));
    if (released && *negative == 0)
        *loose = ifd__model_mechanism(arena, m, springs, spring);
    return IFD_OK;
}

static bool has_release(const ifd__structure *st)
{
    for (int p = 0; p < (st->parts ? st->parts : 1); p++)
        for (const ifd_case_piece *piece = ifd__model_of(st, p)->piece; piece; piece = piece->next)
            for (int i = 0; piece->frame && i < piece->frame->members; i++)
                if (piece->frame->member[i].released[0] || piece->frame->member[i].released[1])
                    return true;
    return false;
}

void ifd__refuse_unstable(ifd__reader *r, const ifd__structure *st, bool mounted)
{
    int negative = 0;
    const char *loose = NULL;
    bool wished = st->whole.unstable;
    naming n = {.arena = r->arena};
    for (int p = 0; p < st->parts; p++)
        wished = wished || st->part[p].m.unstable;
    ifd_arena *scratch IFD__CLOSED = mounted || st->fmus || st->master ? NULL : ifd_arena_open();
    if (scratch && examine(scratch, &r->c->run, has_release(st), &negative, &loose) != IFD_OK)
        negative = 0;
    if (loose && !wished) {
        ifd_note_add(r->note, IFD_SINGULAR, st->whole.node ? &st->whole.node->place : NULL,
                     "the structure is a mechanism: %s", loose);
        ifd_note_hint(r->note, "release fewer ends, or add a support or a spring");
    }
    if (negative == 0)
        return;
    if (st->parts == 0)
        name_model(&n, &st->whole);
    for (int p = 0; p < st->parts; p++)
        name_model(&n, &st->part[p].m);
    const char *more = n.count > NAMED ? ifd_arena_print(r->arena, " and %d more", n.count - NAMED) : "";
    const char *what = ifd_arena_print(
        r->arena, "the structure is unstable: its stiffness has %d negative pivot%s%s%s%s", negative,
        negative > 1 ? "s" : "", n.count ? "; negative stiffness: " : "", n.count ? n.text : "", more);
    const ifd_place *place = st->whole.node ? &st->whole.node->place : NULL;
    r->c->unstable = wished;
    if (wished) {
        ifd_note_remark(r->note, place, "%s ('unstable: yes')", what);
        return;
    }
    ifd_note_add(r->note, IFD_NOT_POSITIVE, place, "%s", what);
    ifd_note_hint(r->note, "reduce the load or add stiffness; 'unstable: yes' in 'model' computes it nevertheless");
}
