/* SPDX-License-Identifier: MIT */
/* The mapping `model`: point masses, damping, condensation; and the initial state. */
#include "case/building.h"

#include <interfield/structures.h>

#include <math.h>

#include "model/build/builder.h"

static const ifd__key model_keys[] = {
    FORM("dofs", false, "list of names, or a number n for x1 ... xn", "those of the structures below",
         "degrees of freedom, in the order of the matrices"),
    FORM("kinds", false, "{name: kind}; x, y, z, rx, ry, rz, angle, stretch", "x",
         "direction of a dof, which determines its unit and the effect of the ground motion"),
    FORM("mass", false, "list (the diagonal), list of rows, or a Matrix Market file", "those of the structures below",
         "mass matrix of the dofs; symmetric, positive"),
    FORM("damping", false, "as mass", "none", "damping matrix of the dofs"),
    FORM("stiffness", false, "as mass", "those of the structures below", "stiffness matrix of the dofs"),
    FORM("shear-building", false, "mapping (help shear-building)", "none", "storeys in series"),
    FORM("frame", false, "mapping (help frame)", "none", "beams and columns, in the plane or in space"),
    FORM("masses", false, "{name: mass}", "none",
         "additional point masses at a dof, at a support, or at all translations of a frame node; negative: removed "
         "mass"),
    FORM("rayleigh", false, "mapping (help rayleigh)", "none", "damping a M + b K"),
    FORM("modal-damping", false, "ratio, or list of ratios of the lowest modes", "none",
         "damping ratios of the modes; the last one applies to all higher modes"),
    WITHIN("modal-count", NONE, 0, 20000, 0, "all up to 1,000 dofs; 100 above and with reduce",
           "modes that have their ratios; the damping of higher ones is proportional to the stiffness"),
    FORM("elements", false, "list (help element)", "none", "springs, dashpots, hysteresis, pendulums, controllers"),
    FORM("supports", false, "{name: {displacement: signal}} or {name: {follows: substructure.dof}} (help support)",
         "none",
         "points with prescribed displacement, to which elements are attached; also for the angle of a pendulum"),
    FORM("condense", false, "{keep: [names]}", "none", "Guyan condensation to these dofs"),
    FORM("reduce", false, "mapping (help reduce), or none", "none", "superelement: few dofs with an error bound"),
    FORM("superelement", false, "file (help reduce)", "none", "reduced structure from a file, without the full one"),
    END};
const ifd__section ifd__section_model = {
    "model",
    "model: structure",
    "model",
    "A model consists of dofs with matrices, a shear building, a frame, or several of these, connected by elements.",
    model_keys,
    "model:\n"
    "  dofs: [x1, x2]\n"
    "  kinds: {x2: y}\n"
    "  mass: [1.5 t, 1 t]\n"
    "  damping: [200 N s/m, 100 N s/m]\n"
    "  stiffness: [[8000, -4000], [-4000, 4000]]\n"
    "  masses: {x1: 200 kg}\n"
    "\n"
    "model:\n"
    "  shear-building: {mass: [2 t, 2 t, 1 t], stiffness: 4 MN/m}\n"
    "  modal-damping: 2 %\n"
    "  modal-count: 2\n"
    "  condense: {keep: [floor1, floor3]}\n"};

static const ifd__key rayleigh_keys[] = {
    WITHIN("mass", ANY, 0, 1e6, 0, NULL, "a, in 1/s"),
    WITHIN("stiffness", TIME, 0, 1e4, 0, NULL, "b, in s"),
    WITHIN("ratio", NONE, 1e-9, 10, 0, "none",
           "damping ratio at two frequencies or of two modes; alternative: mass and stiffness"),
    FORM("frequencies", false, "[first, second]", NULL, "the two frequencies, in Hz"),
    FORM("modes", false, "[first, second]", NULL, "the two modes of the undamped model, counted from 1"),
    END};
const ifd__section ifd__section_rayleigh = {
    "rayleigh",
    "rayleigh: Rayleigh damping",
    "model.rayleigh",
    "Damping a M + b K, by the coefficients a (`mass`) and b (`stiffness`), or by a ratio at two frequencies or of "
    "two modes. a M acts relative to the ground.",
    rayleigh_keys,
    "model:\n"
    "  shear-building: {mass: [2 t, 2 t, 1 t], stiffness: 4 MN/m}\n"
    "  rayleigh: {ratio: 2 %, modes: [1, 3]}\n"
    "\n"
    "model:\n"
    "  shear-building: {mass: [2 t, 2 t, 1 t], stiffness: 4 MN/m}\n"
    "  rayleigh: {ratio: 2 %, frequencies: [2 Hz, 10 Hz]}\n"
    "\n"
    "model:\n"
    "  shear-building: {mass: [2 t, 2 t, 1 t], stiffness: 4 MN/m}\n"
    "  rayleigh: {mass: 0.4, stiffness: 0.5 ms}\n"};

static const ifd__key condense_keys[] = {FORM("keep", true, "list of names", NULL, "remaining dofs"), END};
const ifd__section ifd__section_condense = {"condense",
                                            "condense: Guyan condensation",
                                            "model.condense",
                                            "",
                                            condense_keys,
                                            "model:\n"
                                            "  shear-building: {mass: [2 t, 2 t, 1 t], stiffness: 4 MN/m}\n"
                                            "  condense: {keep: [floor1, floor3]}\n"};

static const ifd__key initial_keys[] = {
    FORM("displacement", false, "{dof: value}", "0", "in m, or in rad for rotations and pendulums"),
    FORM("velocity", false, "{dof: value}", "0", "in m/s or rad/s"), END};
const ifd__section ifd__section_initial = {
    "initial",    "initial: initial state",
    "initial",    "",
    initial_keys, "initial: {displacement: {x1: 1 mm}, velocity: {x2: 0.1 m/s}}\n"};

/* A mass is added to a dof, to a support (and thus to its reaction), or to all translations of a frame node. A
 * negative mass compensates that of another substructure; make checks that the sum is positive. */
static void read_masses(ifd__model_read *m, const ifd__node *map)
{
    static const char *const axis[3] = {"x", "y", "z"};
    if (!map || ifd__yaml_expect(map, IFD__MAPPING, m->note) != IFD_OK)
        return;
    for (const ifd__node *i = map->first; i; i = i->next) {
        double mass = 0;
        int ref, found = 0;
        bool dof = ifd_builder_find(m->b, i->key, &ref) && ref != IFD_GROUND;
        bool turned = dof && ifd__rotation(ifd__ref_kind(m->b, ref));
        if (ifd__yaml_number(i, turned ? IFD_DIM_ROTATIONAL_INERTIA : IFD_DIM_MASS, IFD_RANGE_FREE, &mass, m->note) !=
            IFD_OK)
            continue;
        if (dof)
            ifd_builder_add(m->b, IFD_MASS, ref, ref, mass);
        for (int k = 0; k < 3 && !dof; k++) {
            const char *name = ifd_arena_print(m->arena, "%s.%s", i->key, axis[k]);
            if (name && ifd_builder_find(m->b, name, &ref) && ref >= 0) {
                ifd_builder_add(m->b, IFD_MASS, ref, ref, mass);
                found++;
            }
        }
        if (!dof && !found)
            ifd__find_ref(m, i->key, &i->key_place, 0, &ref);
    }
}

/* Angular frequencies of two modes of the present model, without damping. */
static bool mode_frequencies(ifd__model_read *m, const ifd__node *node, double w[2])
{
    ifd_arena *scratch = ifd_arena_open();
    ifd_model *made;
    ifd_modes modes;
    ifd_note quiet;
    long which[2] = {0, 0};
    bool ok = scratch != NULL;
    for (int i = 0; i < 2 && ok; i++)
        ok = ifd__yaml_integer(ifd__yaml_item(node, i), 1, 100000, &which[i], m->note) == IFD_OK;
    long last = which[0] > which[1] ? which[0] : which[1];
    if (ok) {
        ifd_note_init(&quiet, scratch); /* errors are reported when the model is made */
        ok = ifd_model_make(scratch, m->b, &made, &quiet) == IFD_OK;
        if (ok && last > ifd_model_dofs(made)) {
            ifd_note_add(m->note, IFD_RANGE, &node->place, "mode %ld is requested, but the model has %d", last,
                         ifd_model_dofs(made));
            ok = false;
        }
        ok = ok && ifd_model_modes(made, IFD_DOF_X, (int)last, scratch, &modes, m->note) == IFD_OK;
        for (int i = 0; i < 2 && ok; i++)
            w[i] = 2 * M_PI * modes.frequency[which[i] - 1];
    }
    ifd_arena_close(scratch);
    return ok;
}

/* a / (2 w) + b w / 2 = ratio at both frequencies. */
static void rayleigh_by_ratio(ifd__model_read *m, const ifd__fields *f, const ifd_value *ratio)
{
    const ifd__node *hertz = ifd__part(f, "frequencies"), *modes = ifd__part(f, "modes"),
                    *list = hertz ? hertz : modes;
    double w[2] = {0, 0};
    if (!hertz == !modes) {
        ifd_note_add(m->note, hertz ? IFD_CONFLICT : IFD_MISSING_KEY, hertz ? &modes->key_place : &ratio->place,
                     "rayleigh: 'ratio' needs %s'frequencies' or 'modes'", hertz ? "either " : "");
        return;
    }
    if (list->kind != IFD__SEQUENCE || list->count != 2) {
        ifd_note_add(m->note, IFD_SHAPE, &list->place, "rayleigh: '%s' is not a list of two", list->key);
        return;
    }
    bool ok = true;
    for (int i = 0; i < 2 && hertz; i++) {
        ok = ifd__yaml_number(ifd__yaml_item(list, i), IFD_DIM_FREQUENCY, IFD_RANGE_POSITIVE, &w[i], m->note) ==
                 IFD_OK &&
             ok;
        w[i] *= 2 * M_PI;
    }
    if (modes)
        ok = m->note->errors == m->errors && mode_frequencies(m, list, w);
    if (!ok)
        return;
    if (!(w[0] > 0) || !(w[1] > 0) || w[0] == w[1]) {
        ifd_note_add(m->note, IFD_RANGE, &list->place,
                     "rayleigh: the two frequencies are %g and %g Hz, expected different ones above zero",
                     w[0] / (2 * M_PI), w[1] / (2 * M_PI));
        return;
    }
    ifd_builder_rayleigh(m->b, 2 * ratio->number * w[0] * w[1] / (w[0] + w[1]), 2 * ratio->number / (w[0] + w[1]));
}

static void read_rayleigh(ifd__model_read *m, const ifd__node *node)
{
    ifd__fields f;
    if (!node)
        return;
    ifd__fields_read(m->r, node, &ifd__section_rayleigh, "rayleigh", &f);
    const ifd_value *a = ifd__field(&f, "mass"), *b = ifd__field(&f, "stiffness"), *ratio = ifd__field(&f, "ratio");
    if (node->kind != IFD__MAPPING)
        return;
    if (ratio->given && (a->given || b->given))
        ifd_note_add(m->note, IFD_CONFLICT, &ratio->place,
                     "rayleigh has 'ratio' and also 'mass' or 'stiffness': expected one or the other");
    else if (ratio->given)
        rayleigh_by_ratio(m, &f, ratio);
    else if (a->given || b->given)
        ifd_builder_rayleigh(m->b, a->number, b->number);
    else
        ifd_note_add(m->note, IFD_MISSING_KEY, &node->place, "rayleigh needs 'mass' and 'stiffness', or 'ratio'");
}

static void read_modal(ifd__model_read *m, const ifd__node *node, int count)
{
    const double *zeta = NULL;
    int n = 0;
    if (!node || ifd__yaml_list(m->arena, node, IFD_DIM_NONE, &zeta, &n, m->note) != IFD_OK)
        return;
    for (int i = 0; i < n; i++)
        if (zeta[i] < 0) {
            ifd_note_add(m->note, IFD_RANGE, &node->place,
                         "'modal-damping' contains %g, expected ratios not below zero", zeta[i]);
            return;
        }
    if (n == 0)
        ifd_note_add(m->note, IFD_SHAPE, &node->place, "'modal-damping' is empty, expected a ratio");
    else
        ifd_builder_modal(m->b, n, zeta, true);
    ifd_builder_modal_count(m->b, count);
}

static void read_condense(ifd__model_read *m)
{
    if (!m->keep)
        return;
    int n = 0, count = m->keep->kind == IFD__SEQUENCE ? m->keep->count : 1;
    int *keep = ifd_arena_array(m->arena, (size_t)count, sizeof *keep);
    const ifd__node *first = m->keep->kind == IFD__SEQUENCE ? m->keep->first : m->keep;
    for (const ifd__node *i = first; i && keep && n < count; i = i->next)
        if (ifd__read_ref(m, i, 0, &keep[n]))
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
    ifd__read_supports(m, ifd__part(&f, "supports"));
    ifd__read_matrices(m, &f);
    const ifd__node *building = ifd__part(&f, "shear-building"), *frame = ifd__part(&f, "frame");
    m->nameless = (building && !ifd__read_building(m, building)) || m->nameless;
    m->nameless = (frame && !ifd__read_frame(m, frame)) || m->nameless;
    ifd__read_superelement(m, ifd__part(&f, "superelement"));
    ifd__read_element_dofs(m, elements);
    read_masses(m, ifd__part(&f, "masses"));
    ifd__read_elements(m, elements);
    read_condense(m);
    ifd__read_reduce(m, ifd__part(&f, "reduce"));
    if (m->b->dof.count == 0 && !m->b->bare && m->note->errors == m->errors)
        ifd_note_add(m->note, IFD_MISSING_KEY, &node->place,
                     "the model has no dofs: expected 'dofs', 'shear-building', 'frame' or a pendulum");
    read_rayleigh(m, ifd__part(&f, "rayleigh"));
    read_modal(m, ifd__part(&f, "modal-damping"), ifd__field_whole(m->r, &f, "modal-count", "model: "));
}

static void read_state(ifd__model_read *m, const ifd__node *map, double *velocity, double *displacement, bool *given)
{
    if (!map || ifd__yaml_expect(map, IFD__MAPPING, m->note) != IFD_OK)
        return;
    for (const ifd__node *i = map->first; i; i = i->next) {
        int dof;
        if (!ifd__find_ref(m, i->key, &i->key_place, 0, &dof))
            continue;
        bool turned = ifd__rotation(ifd__ref_kind(m->b, dof));
        ifd_dimension dim =
            velocity ? (turned ? IFD_DIM_ANGULAR_RATE : IFD_DIM_VELOCITY) : (turned ? IFD_DIM_ANGLE : IFD_DIM_LENGTH);
        ifd__yaml_number(i, dim, IFD_RANGE_FREE, velocity ? &velocity[dof] : &displacement[dof], m->note);
        given[dof] = given[dof] || !velocity || velocity[dof] != 0;
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
