/* SPDX-License-Identifier: MIT */
/* The mapping `model`: point masses, damping, condensation; and the initial state. */
#include <assert.h>

#include "case/element.h"
#include "case/reader.h"
#include "case/rig/mounted.h"
#include "case/tie.h"
#include "model/build/builder.h"
#include "model/model.h"

const ifd__section ifd__section_model = {
    "model", "model: structure", "model",
    "A model consists of dofs with matrices, a shear building, a frame, or several of these, connected by elements.",
    KEYS(
        FORM("dofs", false, "list of names, or a number n for x1 ... xn", "those of the structures below",
             "degrees of freedom, in the order of the matrices"),
        FORM("kinds", false, "{name: kind}; x, y, z, rx, ry, rz, angle, stretch", "x",
             "direction of a dof; it determines the unit and the effect of the ground motion"),
        FORM("mass", false, "list (the diagonal), list of rows, or a file: Matrix Market or CSV",
             "those of the structures below", "mass matrix of the dofs; symmetric, positive"),
        FORM("damping", false, "as mass", "none", "damping matrix of the dofs"),
        FORM("stiffness", false, "as mass", "those of the structures below", "stiffness matrix of the dofs"),
        FORM("shear-building", false, "mapping (help shear-building)", "none", "storeys in series"),
        FORM("frame", false, "mapping (help frame)", "none", "beams and columns, in the plane or in space"),
        FORM("masses", false, "{name: mass}", "none",
             "additional point masses at a dof, a support, or all translations of a node; negative: removed mass"),
        FORM("rayleigh", false, "mapping (help rayleigh)", "none", "damping a M + b K"),
        FORM("modal-damping", false, "ratio, or list of ratios of the lowest modes", "none",
             "damping ratios of the modes; the last one applies to all higher modes"),
        WITHIN("modal-count", NONE, 0, 20000, 0, "all up to 1,000 dofs; 100 above and with reduce",
               "number of modes with their own ratio; the damping of higher modes is proportional to the stiffness"),
        FORM("elements", false, "list (help element)", "none",
             "springs, dashpots, hysteresis, pendulums, controllers"),
        FORM("supports", false,
             "{name: {displacement: signal}} or {name: {follows: substructure.dof}} (help support)", "none",
             "points with prescribed displacement, to which elements are attached"),
        FORM("ties", false, "list (help ties)", "none",
             "rigid floors, rigid links, equal displacements, inclined supports"),
        FORM("condense", false, "{keep: [names]}", "none", "Guyan condensation to these dofs"),
        FORM("reduce", false, "mapping (help reduce), or none", "none", "superelement: few dofs with an error bound"),
        FORM("superelement", false, "file (help reduce)", "none",
             "reduced structure from a file, without the full one"),
        FLAG("unstable", 0, "no",
             "permits a structure with a negative stiffness at rest, such as one that buckles under gravity"))};

const ifd__section ifd__section_condense = {"condense", "condense: Guyan condensation", "model.condense", "",
                                            KEYS(FORM("keep", true, "list of names", NULL, "remaining dofs"))};

const ifd__section ifd__section_initial = {
    "initial", "initial: initial state", "initial", "",
    KEYS(FORM("displacement", false, "{dof: value}", "0", "in m, or in rad for rotations and pendulums"),
         FORM("velocity", false, "{dof: value}", "0", "in m/s or rad/s"))};

/* A mass is added to a dof, to a support (and thus to its reaction), or to all translations of a frame node. A
 * negative mass compensates that of another substructure; make checks that the sum is positive. */
static void read_masses(ifd__model_read *m, const ifd__node *map)
{
    static const char *const axis[3] = {"x", "y", "z"};
    for (const ifd__node *i = ifd__yaml_items(map, IFD__MAPPING, m->note); i; i = i->next) {
        double mass = 0;
        int ref, found = 0;
        bool dof = ifd_builder_find(m->b, i->key, &ref) && ref != IFD_GROUND;
        bool turned = dof && ifd__rotation(ifd__ref_kind(m->b, ref));
        if (ifd__yaml_number(i, turned ? IFD_DIM_ROTATIONAL_INERTIA : IFD_DIM_MASS, IFD_RANGE_FREE, &mass, m->note) !=
            IFD_OK)
            continue;
        if (dof) {
            ifd_builder_add(m->b, IFD_MASS, ref, ref, mass);
            ifd__frame_mass_added(m, ref, mass);
        }
        for (int k = 0; k < 3 && !dof; k++) {
            const char *name = ifd_arena_print(m->arena, "%s.%s", i->key, axis[k]);
            if (name && ifd_builder_find(m->b, name, &ref) && ref >= 0) {
                ifd_builder_add(m->b, IFD_MASS, ref, ref, mass);
                ifd__frame_mass_added(m, ref, mass);
                found++;
            }
        }
        if (!dof && !found)
            ifd__find_ref(m, i->key, &i->key_place, 0, &ref);
    }
}

static void read_condense(ifd__model_read *m)
{
    if (!m->keep)
        return;
    int n = 0, count = m->keep->kind == IFD__SEQUENCE ? m->keep->count : 1;
    int *keep = ifd_arena_array(m->arena, (size_t)count, sizeof *keep);
    const ifd__node *first = m->keep->kind == IFD__SEQUENCE ? m->keep->first : m->keep;
    for (const ifd__node *i = first; i && keep && n < count; i = i->next)
        if (ifd__read_ref(m, i, 0, &keep[n]) && !ifd__refuse_slave(m, keep[n], &i->place, "'keep' uses"))
            n++;
    if (m->keep->kind == IFD__SEQUENCE && count == 0)
        ifd_note_add(m->note, IFD_SHAPE, &m->keep->place, "'keep' is empty, expected at least one dof");
    else if (keep)
        ifd_builder_keep(m->b, n, keep);
}

void ifd__read_model(ifd__model_read *m)
{
    const ifd__node *node = m->node;
    ifd__fields f, keep;
    if (!node)
        return;
    ifd__fields_read(m->r, node, &ifd__section_model, "model", &f);
    if (node->kind != IFD__MAPPING)
        return;
    const ifd__node *condense = ifd__part(&f, "condense"), *elements = ifd__part(&f, "elements");
    if (condense) {
        ifd__fields_read(m->r, condense, &ifd__section_condense, "condense", &keep);
        m->keep = condense->kind == IFD__MAPPING ? ifd__part(&keep, "keep") : NULL;
    }
    m->unstable = ifd__field(&f, "unstable")->number != 0.0;
    const ifd_method *method = m->r->c->run.step.method;
    m->b->stay = m->index < 0 && !m->mount && method && method->constraints;
    ifd__read_supports(m, ifd__part(&f, "supports"));
    ifd__read_matrices(m, &f);
    const ifd__node *building = ifd__part(&f, "shear-building"), *frame = ifd__part(&f, "frame");
    m->nameless = (building && !ifd__read_building(m, building)) || m->nameless;
    m->nameless = (frame && !ifd__read_frame(m, frame)) || m->nameless;
    ifd__read_superelement(m, ifd__part(&f, "superelement"));
    ifd__read_element_dofs(m, elements);
    ifd__read_masters(m, ifd__part(&f, "ties"));
    read_masses(m, ifd__part(&f, "masses"));
    ifd__read_ties(m, ifd__part(&f, "ties"));
    ifd__read_frame_gravity(m);
    ifd__read_elements(m, elements);
    read_condense(m);
    if (m->b->dof.count == 0 && !m->b->bare && m->note->errors == m->errors)
        ifd_note_add(m->note, IFD_MISSING_KEY, &node->place,
                     "the model has no dofs: expected 'dofs', 'shear-building', 'frame' or a pendulum");
    (void)ifd__permit_large(m, &f);
    ifd__read_damping(m, &f); /* its modes are those of the full model */
    ifd__read_reduce(m, ifd__part(&f, "reduce"));
}

static void read_state(ifd__model_read *m, const ifd__node *map, double *velocity, double *displacement, bool *given)
{
    for (const ifd__node *i = ifd__yaml_items(map, IFD__MAPPING, m->note); i; i = i->next) {
        int dof;
        if (!ifd__find_ref(m, i->key, &i->key_place, 0, &dof))
            continue;
        bool turned = ifd__rotation(ifd__ref_kind(m->b, dof));
        ifd_dimension dim =
            velocity ? (turned ? IFD_DIM_ANGULAR_RATE : IFD_DIM_VELOCITY) : (turned ? IFD_DIM_ANGLE : IFD_DIM_LENGTH);
        ifd__yaml_number(i, dim, IFD_RANGE_FREE, velocity ? &velocity[dof] : &displacement[dof], m->note);
        given[dof] = given[dof] || !velocity || velocity[dof] != 0;
        if (!ifd__refuse_slave(m, dof, &i->key_place, "'initial' uses"))
            ifd__refuse_condensed(m, dof, &i->key_place, "'initial'");
    }
}

void ifd__read_initial(ifd__model_read *m, const ifd__node *node)
{
    ifd__fields f;
    int n = m->b->dof.count;
    double *u = ifd_arena_array(m->arena, (size_t)n, sizeof *u), *v = ifd_arena_array(m->arena, (size_t)n, sizeof *v);
    bool *given = ifd_arena_array(m->arena, (size_t)n, sizeof *given);
    if (!node || !u || !v || !given)
        return;
    ifd__fields_read(m->r, node, &ifd__section_initial, "initial", &f);
    if (node->kind != IFD__MAPPING)
        return;
    read_state(m, ifd__part(&f, "displacement"), NULL, u, given);
    read_state(m, ifd__part(&f, "velocity"), v, NULL, given);
    for (int i = 0; i < n; i++)
        if (given[i])
            ifd_builder_initial(m->b, i, m->r->c->day.scale * u[i], m->r->c->day.scale * v[i]);
}

/* Makes the models of a case after reading; dofs receive their numbers here. Correct components are made even with
 * errors elsewhere, so that all errors are reported together. */

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

void ifd__refer(const ifd__model_read *m, int *dof, ifd__refer_kind kind, const char *user, const ifd_place *place)
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
    if (ifd__refuse_slave(m, *f->dof, &f->place, f->user))
        return;
    if (st->parts)
        ifd_note_add(m->note, IFD_MASSLESS, &f->place,
                     "%s dof '%s' of substructure '%s', which has no mass%s and is condensed", f->user, name,
                     st->part[m->index].name, f->kind == IFD__REFER_JOINT ? " there" : "");
    else
        ifd_note_add(m->note, IFD_MASSLESS, &f->place, "%s dof '%s', which has no mass and %s", f->user, name,
                     ifd__number(m, *f->dof) >= 0           ? "no acceleration"
                     : ifd__first_order(m->model, name) < 0 ? "is condensed"
                                                            : "is a first-order state");
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
        if (number >= 0 && f->kind != IFD__REFER_RECORD && m->model->massless && m->model->massless[number])
            refuse_massless(st, f);
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
    if (!ifd__make_model(&st->whole) || !ifd__permit_large_step(&st->whole, &r->c->run.step))
        return;
    const ifd_model *m = r->c->run.model = st->whole.model;
    const ifd_method *method = r->c->run.step.method;
    for (int e = 0; method && e < m->ne; e++)
        ifd__remark_fast(r, &m->element[e], r->step, method->follows, &st->whole.node->place);
    if (ifd__resolve(r, st))
        ifd__start_gravity(r, st);
}

/* Some errors are found only when a run is made. Without other errors the caller makes that run. */
static void try_run(ifd__reader *r, bool specimens)
{
    ifd_run_options run = r->c->run;
    ifd_arena *scratch IFD__CLOSED = ifd_arena_open();
    ifd_run *tried = NULL;
    if (!specimens)
        run.specimens = run.step.estimates = 0;
    if (scratch && ifd_run_make(scratch, &run, &tried, r->note) == IFD_OK)
        ifd_run_close(tried);
}

/* A test computes the structure of the run and records the same. */
static void complete_test(const ifd_run_options *run, ifd_hybrid_options *o)
{
    o->model = run->model;
    o->couple = run->couple;
    o->step = run->step;
    o->end = run->end;
    o->protocol = run->protocol;
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
