/* SPDX-License-Identifier: MIT */
/* Specimens as substructures, and their estimates for the method. */
#include <math.h>
#include <string.h>

#include "case/rig/channels.h"
#include "case/element.h"
#include "case/rig/mounted.h"
#include "case/tie.h"
#include "case/code.h"
#include "model/build/builder.h"

const ifd__section ifd__section_specimen = {
    "specimen", "specimen: physical substructure", "specimen",
    "A specimen is the part of the structure that is tested. At every stage of the method, a test commands the "
    "displacement of the specimen and measures its force. `interfield run` computes an ideal specimen, without delay "
    "and noise; `interfield test` moves the specimen on a rig (help test). The method must support specimens (help "
    "method).\n\n"
    "A specimen has one of these forms:\n\n- an element;\n- several elements, combined by `parallel` or `series`;\n- "
    "a `model` with its own dofs, mass and hysteresis. For each support that follows a dof, an actuator imposes the "
    "motion of the dof plus the ground motion, and a load cell measures the reaction. Each further actuator needs "
    "its own entry with `of` (docs/guide/specimens.md).\n\nIf the specimen acts on a rotation, write limits without "
    "a unit, in rad and N m. In a structure with substructures, the ends of the specimen are dofs `substructure.dof` "
    "of one substructure, or the ground.",
    KEYS(TEXT("name", false, "its kind and number", "name in results and messages"),
         FORM("parallel", false, "list of elements (help element)", "one element",
              "elements in parallel as one specimen"),
         FORM("series", false, "{between: [a, b], of: a list of elements}", "one element",
              "elements in series as one specimen, without mass between them and without `between` of their own"),
         TEXT("plugin", false, "none",
              "shared object with a user-defined element; its parameters are under `element`"),
         FORM("estimate", false, "{stiffness, damping}", "zero",
              "stiffness and damping assumed by the method; they do not change the force"),
         WITHIN("devices", NONE, 1e-6, 1e6, 1, NULL,
                "number of equal devices in the structure, of which one is tested"),
         FORM("limits", false, "mapping (help limits)", "none; required for a test", "limits of the actuator"),
         FORM("capacity", false, "mapping (help capacity)", "not stated",
              "what the specimen tolerates, for preflight"),
         FORM("actuator", false, "name, or {name: {parameters}} (help actuator)", "ideal",
              "actuator of the virtual rig"),
         FORM("compensation", false, "name, or {name: {parameters}} (help compensation)", "none",
              "compensation of the actuator delay"),
         FORM("position-sensor", false, "mapping (help sensor)", "ideal", "position sensor of the virtual rig"),
         FORM("force-sensor", false, "mapping (help sensor)", "ideal", "force sensor of the virtual rig"),
         FORM("force-offset", false, "keep or tare", "required with a preload",
              "whether the force at the static position counts (keep) or is subtracted (tare)"),
         FORM("model", false, "mapping (help model)", "an element",
              "model of the specimen; the actuator moves the support with `follows: dof`"),
         FORM("method", false, "as `method` of the case", "lsrt2",
              "integration method of the model, on the virtual rig"),
         WITHIN("substeps", NONE, 1, 1000, 1, NULL, "steps of the model per tick, on the virtual rig"),
         FORM("initial", false, "mapping (help initial)", "at rest", "initial state of the model"),
         TEXT("of", false, "none; the entry is a separate specimen",
              "name of the specimen to whose model this entry adds an actuator, for the next support that follows a "
              "dof"),
         FORM("mass-on-rig", false, "mapping (help mass-on-rig)", "none",
              "mass of the structure that is mounted on the rig"),
         FORM("accelerometer", false, "mapping (help sensor)", "none; ideal if mass-on-rig needs one",
              "accelerometer of the virtual rig"),
         FORM("force-command", false, "mapping (help force-command)", "the specimen is moved",
              "the computed part applies a force to the specimen; requires `model`"),
         FORM("twin", false, "mapping (help twin)", "none", "model of a real rig, for `interfield preflight`"))};

const ifd__section ifd__section_estimate = {
    "estimate", "estimate: assumed stiffness and damping of a specimen", "specimen.estimate", "",
    KEYS(WITHIN("stiffness", STIFFNESS, -1e18, 1e18, 0, NULL, "stiffness between the two ends; may be negative"),
         WITHIN("damping", DAMPING, 0, 1e18, 0, NULL, "damping coefficient between the two ends"))};

/* The same for the nodes of a chord; false: it is none, or no single substructure has it, with an error. */
static bool chord_part(ifd__reader *r, const ifd__structure *st, const char *what, const ifd__node *between,
                       bool *chord, int *part)
{
    int count = 0;
    *chord = false;
    for (int p = 0; p < st->parts && between; p++) {
        ifd__model_read m = st->part[p].m;
        m.part = st->part[p].name;
        if (!ifd__is_chord(&m, between))
            continue;
        *chord = true;
        if (ifd__has_chord(&m, between) && count++ == 0)
            *part = p;
    }
    if (*chord && count != 1)
        ifd_note_add(r->note, IFD_CONFLICT, &between->place,
                     count ? "%s is between two nodes of several substructures: expected 'SUBSTRUCTURE.NODE'"
                           : "%s is a chord between two nodes, but no substructure contains both",
                     what);
    return *chord && count == 1;
}

bool ifd__chord_part(ifd__reader *r, const ifd__structure *st, const char *what, const ifd__node *between, int *part)
{
    bool chord;
    return chord_part(r, st, what, between, &chord, part);
}

/* The substructure of the dofs of an entry: 0 for an entry without dofs, which is refused later. */
static bool part_of(ifd__reader *r, const ifd__structure *st, const ifd__entry_of *e, int *part)
{
    const ifd__node *at = ifd__yaml_get(e->body, "at"), *between = ifd__yaml_get(e->body, "between");
    int found = -1;
    bool chord;
    bool sole = chord_part(r, st, e->what, between, &chord, part);
    if (chord)
        return sole;
    for (const ifd__node *n = at ? at : between ? between->first : NULL; n; n = at ? NULL : n->next) {
        int p = 0, again, dof;
        if (n->kind != IFD__SCALAR || ifd_choice_find("ground", n->text) == 0)
            continue;
        if (!ifd__find_in_parts(st, n->text, &p, &dof)) {
            bool named = ifd__unknown_name(&st->whole, n->text);
            for (p = 0; p < st->parts; p++)
                named = named && !st->part[p].m.nameless;
            if (named) {
                ifd_note_add(r->note, IFD_UNKNOWN_NAME, &n->place, "no dof of a substructure has the name '%s'",
                             n->text);
                ifd_choice_hint(r->note, ifd__names_in_parts(r->arena, st), n->text);
            }
            return false;
        }
        again = p + 1;
        if (ifd__find_in_parts(st, n->text, &again, &dof)) {
            ifd_note_add(r->note, IFD_CONFLICT, &n->place,
                         "'%s' is a dof of several substructures: expected for example '%s.%s'", n->text,
                         st->part[p].name, n->text);
            return false;
        }
        if (found >= 0 && p != found) {
            ifd_note_add(r->note, IFD_CONFLICT, &n->place,
                         "%s connects substructure '%s' with substructure '%s': expected one substructure", e->what,
                         st->part[found].name, st->part[p].name);
            ifd_note_hint(r->note, "give one of them a dof at this place, joined to that of the other");
            return false;
        }
        found = p;
    }
    *part = found < 0 ? 0 : found;
    return true;
}

bool ifd__on_support(int from, const ifd_coordinate *row)
{
    bool any = from < IFD_GROUND;
    for (int k = 0; row && k < row->count; k++)
        any = any || row->ref[k] < IFD_GROUND;
    return any;
}

bool ifd__specimen_turns(const ifd__structure *st, const ifd_specimen *s)
{
    return ifd__rotation(ifd__ref_kind(ifd__model_of(st, s->part)->b, s->to >= 0 ? s->to : s->from));
}

static void read_estimate(ifd__reader *r, const ifd__node *item, bool turns, const ifd_specimen *s,
                          ifd_estimate *estimate)
{
    ifd__fields f;
    ifd__fields_read_at(r, ifd__yaml_get(item, "estimate"), &ifd__section_estimate, turns, &f);
    *estimate = (ifd_estimate){s->from < IFD_GROUND ? IFD_GROUND : s->from, s->to,
                               ifd__field(&f, "stiffness")->number, ifd__field(&f, "damping")->number, s->row};
}

/* Commands, limits and the load on the structure have one row, which would change in every step. */
static bool keeps_direction(const ifd__model_read *m, const ifd__entry_of *e)
{
    const ifd__node *geometry = ifd__yaml_get(e->body, "geometry");
    int word = geometry ? ifd__read_word(m->r, geometry, "linear|large", "geometry") : 0;
    if (word == 1)
        ifd_note_add(m->note, IFD_UNSUPPORTED, &geometry->place,
                     "%s has 'geometry: large', but the chord of a specimen keeps its direction: expected 'linear'",
                     e->what);
    return word == 0;
}

static bool read_ends(const ifd__model_read *m, const ifd__entry_of *e, ifd_specimen *s, bool *rotational)
{
    const ifd__node *between = ifd__yaml_get(e->body, "between"), *origin = ifd__yaml_get(e->body, "origin");
    ifd__chord chord;
    if (!ifd__is_chord(m, between) || ifd__yaml_get(e->body, "at")) {
        if (origin)
            ifd_note_add(m->note, IFD_UNSUPPORTED, &origin->place,
                         "%s has 'origin', but is no chord: expected 'between' two nodes", e->what);
        return keeps_direction(m, e) && ifd__entry_pair(m, e, &s->from, &s->to, rotational) && !origin;
    }
    if (!keeps_direction(m, e) || !ifd__entry_chord(m, e, &chord, &s->origin))
        return false;
    s->from = chord.from;
    s->to = chord.to;
    s->row = ifd__chord_row(m, &chord);
    return s->row || !chord.row.count;
}

/* Whether an end is the slave of a tie. */
static bool on_slave(const ifd__model_read *m, int from, int to, const ifd_coordinate *row)
{
    bool some = ifd__is_slave(m, from) || ifd__is_slave(m, to);
    for (int k = 0; row && k < row->count; k++)
        some = some || ifd__is_slave(m, row->ref[k]);
    return some;
}

/* The ends of a specimen for drawings, before its masters replace them. */
static void keep_ends(const ifd__model_read *m, const char *name, int from, int to)
{
    ifd__model_read all = *m;
    all.piece = m->r->c->piece;
    ifd__add_piece(&all, &(ifd_case_piece){.part = m->part,
                                           .name = name,
                                           .kind = "specimen",
                                           .from = from < 0 ? NULL : ifd_builder_dof_name(m->b, from),
                                           .to = to < 0 ? NULL : ifd_builder_dof_name(m->b, to)});
    m->r->c->piece = all.piece;
}

/* Ends at slaves become those of their masters: another dof that moves alike, or a row as that of a chord. `to` tells
 * the direction of the specimen. False after an error. */
static bool follow_masters(const ifd__model_read *m, const ifd__entry_of *e, bool rotational, int *from, int *to,
                           const ifd_coordinate **row)
{
    const int pair[2] = {*to, *from};
    const ifd_coordinate ends = {2, pair, (const double[2]){1.0, -1.0}};
    ifd_coordinate *tied = ifd_arena_take(m->arena, sizeof *tied);
    int best = -1, plus = IFD_GROUND, minus = IFD_GROUND;
    if (!on_slave(m, *from, *to, *row))
        return true;
    if (!*row)
        keep_ends(m, e->name, *from, *to);
    if (!ifd__in_memory(m->r, tied) || ifd__tied_row(m->arena, m->b, *row ? *row : &ends, tied) != IFD_OK)
        return false; /* the model reports wrong ties */
    for (int k = 0; k < tied->count; k++) {
        bool turns = tied->ref[k] >= 0 && ifd__rotation(ifd__ref_kind(m->b, tied->ref[k]));
        if (tied->ref[k] >= 0 && turns == rotational &&
            (best < 0 || fabs(tied->coefficient[k]) > fabs(tied->coefficient[best])))
            best = k;
        plus = tied->coefficient[k] == 1.0 ? tied->ref[k] : plus;
        minus = tied->coefficient[k] == -1.0 ? tied->ref[k] : minus;
    }
    if (best < 0 && tied->count)
        ifd_note_add(m->note, IFD_UNSUPPORTED, &e->place, "%s acts on a %s, but all masters of its ends are %s",
                     e->what, rotational ? "rotation" : "displacement", rotational ? "displacements" : "rotations");
    else if (best < 0)
        ifd_note_add(m->note, IFD_CONFLICT, &e->place, "%s cannot deform: ties connect its ends", e->what);
    if (best < 0)
        return false;
    bool alike = !*row && tied->count == (plus != IFD_GROUND) + (minus != IFD_GROUND) && plus >= 0;
    *row = alike ? NULL : tied;
    *from = alike ? minus : IFD_GROUND;
    *to = alike ? plus : tied->ref[best];
    return true;
}

static void read_specimen(const ifd__model_read *m, const ifd__node *item, const ifd__entry_of *e, ifd_specimen *s,
                          ifd_estimate *estimate)
{
    ifd__reader *r = m->r;
    ifd_specimen own = {.name = e->name, .ops = e->ops, .from = IFD_GROUND, .to = IFD_GROUND};
    const ifd__node *far = ifd__far_field(e);
    bool rotational = false;
    if (far) {
        ifd_note_add(r->note, IFD_UNSUPPORTED, &far->key_place,
                     "%s has a far field: only an element of the model can have it", e->what);
        return;
    }
    ifd_value *values = ifd_arena_array(r->arena, IFD__ELEMENT_PARAMS, sizeof *values);
    bool placed =
        read_ends(m, e, &own, &rotational) && follow_masters(m, e, rotational, &own.from, &own.to, &own.row);
    if (placed && (own.to < IFD_GROUND || (own.from < IFD_GROUND && own.to == IFD_GROUND))) {
        ifd_note_add(r->note, IFD_UNSUPPORTED, &e->place, "%s ends at a support: expected a dof", e->what);
        ifd_note_hint(r->note, "a moving support is the first end: 'between: [support, dof]'");
        return;
    }
    if (placed && ifd__on_support(own.from, own.row) && e->ops->carry) {
        ifd_note_add(r->note, IFD_UNSUPPORTED, &e->place, "%s is attached to a support: expected dofs or the ground",
                     e->what);
        return;
    }
    ifd__refuse_condensed(m, own.from, &e->place, e->what);
    ifd__refuse_condensed(m, own.to, &e->place, e->what);
    for (int k = 0; own.row && k < own.row->count; k++)
        if (own.row->ref[k] != own.to)
            ifd__refuse_condensed(m, own.row->ref[k], &e->place, e->what);
    if (!values ||
        !ifd__entry_params(
            r, e, strcmp(e->body->key, "series") ? "between|at|origin|geometry" : "between|at|origin|geometry|of",
            rotational, values) ||
        !placed)
        return;
    if (e->ops->carry) {
        ifd_value *file = &values[ifd_param_find(e->ops->params, "file")];
        ifd__code_value(r, file);
        ifd__fmu_ticks(r, e->ops->params, values);
    }
    ifd_element trial = {.ops = e->ops, .name = e->name, .nq = 1};
    if (e->ops->relaxations && e->ops->make(&trial, values, r->arena, NULL) == IFD_OK)
        ifd__remark_fast(r, &trial, r->step, true, &e->place);
    own.values = values;
    *s = own;
    ifd__key_number(r, item, &ifd__section_specimen, "devices", &s->factor);
    ifd__keep_spring(m, e->ops, e->name, values);
    read_estimate(r, item, rotational, s, estimate);
}

/* The same among the dofs of its substructure. */
static void read_in_part(ifd__reader *r, const ifd__structure *st, const ifd__node *item, const ifd__entry_of *e,
                         ifd_specimen *s, ifd_estimate *estimate)
{
    int part = 0;
    if (!part_of(r, st, e, &part))
        return;
    ifd__model_read m = st->part[part].m;
    m.part = st->part[part].name;
    read_specimen(&m, item, e, s, estimate);
    s->part = part;
}

void ifd__refer_ends(ifd__reader *r, const ifd__structure *st, const ifd_specimen *s, int *from, int *to)
{
    const ifd__node *list = ifd__yaml_get(r->doc.root, "specimen");
    const char *user = st->parts ? ifd_arena_print(r->arena, "specimen '%s' uses", s->name) : "'specimen' uses";
    if (from)
        ifd__refer(ifd__model_of(st, s->part), from, IFD__REFER_PLAIN, user, &list->place);
    ifd__refer(ifd__model_of(st, s->part), to, IFD__REFER_PLAIN, user, &list->place);
}

/* A chord is the same row for the specimen, its estimate and its interface. */
static void refer_row(ifd__reader *r, const ifd__structure *st, ifd_specimen *s, ifd_estimate *estimate)
{
    size_t count = s->row ? (size_t)s->row->count : 0;
    ifd_coordinate *row = ifd_arena_take(r->arena, sizeof *row);
    int *ref = ifd_arena_array(r->arena, count, sizeof *ref);
    if (!count || !ifd__in_memory(r, row && ref))
        return;
    memcpy(ref, s->row->ref, count * sizeof *ref);
    *row = (ifd_coordinate){(int)count, ref, s->row->coefficient};
    s->row = estimate->row = row;
    for (size_t k = 0; k < count; k++)
        ifd__refer_ends(r, st, s, NULL, &ref[k]);
}

/* Whether the element needs a separate model; errors of its parameters are reported later. */
static bool stands(ifd__reader *r, const ifd__entry_of *e)
{
    ifd_value values[IFD__ELEMENT_PARAMS];
    ifd_note quiet;
    ifd__reader silent = *r;
    if (ifd_param_count(e->ops->params) > IFD__ELEMENT_PARAMS)
        return false;
    ifd_note_init(&quiet, r->arena);
    silent.note = &quiet;
    bool ok = ifd__entry_params(&silent, e, "between|at|origin|geometry|read|apply", false, values);
    return e->ops->attach != IFD_ATTACH_PAIR || ifd__entry_several(e) || (ok && ifd__needs_model(e, values));
}

/* Keys of a specimen that is stepped as a model. */
static void refuse_stepping(ifd__reader *r, const ifd__node *item, const ifd__entry_of *e)
{
    for (const ifd__node *k = item->first; k; k = k->next)
        if (ifd_choice_find("method|substeps|initial", k->key) >= 0)
            ifd_note_add(r->note, IFD_CONFLICT, &k->key_place,
                         "%s: '%s' is only for a specimen with mass or additional dofs", e->what, k->key);
}

static void remark_mass(ifd__reader *r, const ifd__node *item)
{
    const ifd__node *mass = item->kind == IFD__MAPPING ? ifd__yaml_get(item, "mass-on-rig") : NULL;
    if (mass && !ifd__yaml_get(r->doc.root, "test"))
        ifd_note_remark(
            r->note, &mass->key_place,
            "'mass-on-rig' has no effect without 'test': 'run' and 'export-fmu' keep all mass in the model");
}

void ifd__read_specimens(ifd__reader *r, const ifd__structure *st, ifd__lab *lab, const ifd__node *list)
{
    static const char keys[] =
        "name|estimate|devices|limits|capacity|actuator|compensation|position-sensor|force-sensor|force-offset"
        "|mass-on-rig|accelerometer|force-command|twin|plugin|method|substeps|initial";
    if (!list || ifd__yaml_expect(list, IFD__SEQUENCE, r->note) != IFD_OK)
        return;
    const ifd_method *method = r->c->run.step.method;
    if (!st->parts && method && !method->measures && list->count) {
        ifd_note_add(r->note, IFD_UNSUPPORTED, &list->key_place, "method '%s' does not support specimens",
                     method->name);
        const char *name[32];
        int n = 0;
        for (int i = 0; i < ifd_method_count && n < 32; i++)
            if (ifd_methods[i]->measures)
                name[n++] = ifd_methods[i]->name;
        ifd_choice_hint(r->note, ifd__join(r->arena, n, name), "");
    }
    ifd_specimen *s = ifd_arena_array(r->arena, (size_t)list->count, sizeof *s);
    ifd_estimate *estimate = ifd_arena_array(r->arena, (size_t)list->count, sizeof *estimate);
    int n = 0;
    for (const ifd__node *item = list->first; item && s && estimate; item = item->next, n++) {
        ifd__entry_of e;
        const ifd__node *model = ifd__is_mounted(item) ? item : NULL;
        remark_mass(r, item);
        bool parallel = !model && item->kind == IFD__MAPPING && ifd__yaml_get(item, "parallel");
        bool series = !model && !parallel && item->kind == IFD__MAPPING && ifd__yaml_get(item, "series");
        if (parallel)
            model = ifd__standing_parallel(r, st, item);
        else if (!model && (series ? ifd__series_take(r, st, item, keys, &e)
                                   : ifd__entry_take(r, item, keys, "specimen", &e))) {
            if (!series && stands(r, &e))
                model = ifd__standing_element(r, st, item, &e);
            else {
                refuse_stepping(r, item, &e);
                if (st->parts)
                    read_in_part(r, st, item, &e, &s[n], &estimate[n]);
                else
                    read_specimen(&st->whole, item, &e, &s[n], &estimate[n]);
            }
        }
        if (model) {
            ifd__read_mounted(r, st, lab, model, n, &s[n]);
            read_estimate(r, item, ifd__specimen_turns(st, &s[n]), &s[n], &estimate[n]);
        }
        if (s[n].name) {
            ifd__refer_ends(r, st, &s[n], &s[n].from, &s[n].to);
            ifd__refer_ends(r, st, &s[n], &estimate[n].from, &estimate[n].to);
            refer_row(r, st, &s[n], &estimate[n]);
        }
    }
    ifd__check_mounted(r, lab);
    r->c->run.specimens = n;
    r->c->run.specimen = s;
    r->c->run.step.estimates = n;
    r->c->run.step.estimate = estimate;
}
