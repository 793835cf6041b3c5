/* SPDX-License-Identifier: MIT */
/* The mapping `model`: point masses, damping, condensation; and the initial state. */
#include "case/reader.h"

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
    {.param = {.name = "unstable",
               .shape = IFD_SHAPE_FLAG,
               .doc = "computes a structure whose stiffness at rest is negative in some motion, such as one that has "
                      "buckled under its gravity; otherwise refused"},
     .preset = "no"},
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
    "  unstable: yes\n"
    "\n"
    "model:\n"
    "  shear-building: {mass: [2 t, 2 t, 1 t], stiffness: 4 MN/m}\n"
    "  modal-damping: 2 %\n"
    "  modal-count: 2\n"
    "  condense: {keep: [floor1, floor3]}\n"};

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
    m->unstable = ifd__field(&f, "unstable")->number != 0.0;
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
    if (m->b->dof.count == 0 && !m->b->bare && m->note->errors == m->errors)
        ifd_note_add(m->note, IFD_MISSING_KEY, &node->place,
                     "the model has no dofs: expected 'dofs', 'shear-building', 'frame' or a pendulum");
    ifd__read_damping(m, &f); /* its modes are those of the full model */
    ifd__read_reduce(m, ifd__part(&f, "reduce"));
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
