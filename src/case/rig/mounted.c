/* SPDX-License-Identifier: MIT */
/* Specimens that are models: their reading, and the structure of a run, which computes them with the rest. */
#include "case/rig/mounted.h"

#include <string.h>

#include <interfield/analysis.h>
#include <interfield/rig.h>

#include "case/element.h"
#include "case/rig/channels.h"
#include "model/build/builder.h"
#include "model/model.h"
#include "model/rigid_motion.h"

const ifd__section ifd__section_mass_on_rig = {
    "mass-on-rig", "mass-on-rig: mass that moves with the actuator", "specimen.mass-on-rig",
    "The load cell also measures the inertia force of this mass. With `handled: left`, the program removes the mass "
    "from the computed structure. With `taken-out`, the program subtracts mass times measured acceleration from the "
    "measured force. `interfield run` ignores this section.",
    KEYS(NUMBER("mass", ANY, 1e-9, 1e12,
                "mass of the specimen and of all parts between load cell and specimen, in kg or kg m2"),
         WORD("handled", "left|taken-out",
              "left: the rig supplies the inertia; taken-out: the computed structure contains the mass"),
         WITHIN("input", NONE, 0, 31, -1, "on the virtual rig, that of the accelerometer of the specimen",
                "auxiliary input with the acceleration in m/s2, for taken-out"))};

bool ifd__is_mounted(const ifd__node *item)
{
    return item->kind == IFD__MAPPING && (ifd__yaml_get(item, "model") || ifd__yaml_get(item, "of"));
}

/* Both models of a specimen that is loaded by a force; that of the run without messages, which would be repeated. */
static void push(ifd__reader *r, const ifd__structure *st, const ifd__node *item, ifd__model_read *own, ifd__mount *m)
{
    ifd_note *quiet;
    ifd__reader *silent;
    ifd__mount *same;
    ifd__model_read again;
    if (IFD__TAKE(r->arena, IFD__ARRAY(quiet, 1), IFD__ARRAY(silent, 1), IFD__ARRAY(same, 1)) != IFD_OK)
        return;
    ifd_note_init(quiet, r->arena);
    *silent = *r;
    silent->note = quiet;
    bool begun = ifd__model_begin(silent, st->ground, ifd__yaml_get(item, "model"), -1, &again);
    if (begun) {
        again.mount = same;
        again.b->bare = true;
        ifd__read_moving(&again, NULL, ifd__yaml_get(item, "initial"));
    }
    ifd__push_models(own, begun && quiet->errors == 0 ? &again : NULL, m);
}

/* The model of the entry, in a separate builder. Drifts belong to the structure only. */
static void read_model(ifd__reader *r, const ifd__structure *st, const ifd__node *item, ifd__mount *m)
{
    ifd__model_read own;
    int errors = r->note->errors;
    if (!ifd__model_begin(r, st->ground, ifd__yaml_get(item, "model"), -1, &own))
        return;
    own.mount = m;
    own.b->bare = true;
    ifd__read_moving(&own, NULL, ifd__yaml_get(item, "initial"));
    ifd__read_method(r, ifd__yaml_get(item, "method"), "lsrt2", &m->model.step);
    ifd__read_push(r, ifd__yaml_get(item, "force-command"), &m->push);
    if (m->push.law.walls && !st->rts)
        ifd_note_add(r->note, IFD_UNSUPPORTED, &m->push.node->key_place,
                     "'force-command' with 'wall' needs 'coupling: rts' with 'exchange: effective' or 'force'");
    ifd__check_walls(r, st->rts && st->rts->exchange == IFD_RTS_FORCE, &m->push);
    if (m->push.node)
        push(r, st, item, &own, m);
    else
        (void)ifd__make_model(&own);
    m->model.model = own.model;
    if (m->drives == 0 && r->note->errors == errors)
        ifd_note_advise(r->note, IFD_MISSING_KEY, &m->place, "for example 'supports: {table: {follows: x}}'",
                        "specimen '%s': no support of its model follows a dof", m->name);
}

static ifd__mount *new_mount(ifd__reader *r, ifd__lab *lab, const ifd__node *item, const char *name)
{
    ifd__mount *m = ifd_arena_take(r->arena, sizeof *m), **end = &lab->mounts;
    if (!m)
        return NULL;
    while (*end)
        end = &(*end)->next;
    *end = m;
    m->name = name;
    m->place = item->place;
    const ifd__node *substeps = ifd__yaml_get(item, "substeps");
    double steps = 1.0;
    ifd__key_number(r, item, &ifd__section_specimen, "substeps", &steps);
    if (steps != (double)(int)steps)
        ifd_note_add(r->note, IFD_RANGE, &substeps->place, "'substeps' is %g, expected a whole number", steps);
    m->model = (ifd_virtual_model){.name = name, .substeps = (int)steps};
    return m;
}

static ifd__mount *find_mount(ifd__reader *r, const ifd__lab *lab, const ifd__node *of)
{
    const char *name = "", *known[IFD_RIG_ACTUATORS];
    int n = 0;
    if (ifd__yaml_text(of, &name, r->note) != IFD_OK)
        return NULL;
    for (ifd__mount *m = lab->mounts; m; m = m->next) {
        if (strcmp(m->name, name) == 0)
            return m;
        if (n < IFD_RIG_ACTUATORS)
            known[n++] = m->name;
    }
    ifd_note_add(r->note, IFD_UNKNOWN_NAME, &of->place, "no specimen above with a model has the name '%s'", name);
    ifd_choice_hint(r->note, ifd__join(r->arena, n, known), name);
    return NULL;
}

/* Keys of a specimen that only its first entry may have. */
static void refuse_beside(ifd__reader *r, const ifd__node *item)
{
    for (const ifd__node *k = item->first; k; k = k->next)
        if (ifd_choice_find("model|method|substeps|initial|devices", k->key) >= 0)
            ifd_note_add(r->note, IFD_CONFLICT, &k->key_place,
                         "found '%s' beside 'of': expected it in the first entry of the specimen", k->key);
}

/* The chord that the support of elements in parallel follows (standing.c). */
static bool find_chord(ifd__reader *r, const ifd__structure *st, const ifd__node *to, ifd_specimen *s)
{
    const char *what = ifd_arena_print(r->arena, "specimen '%s'", s->name);
    ifd__chord chord;
    if (st->rts) {
        ifd_note_add(r->note, IFD_UNSUPPORTED, &to->place,
                     "%s is a model along a chord; with 'coupling: rts' such a specimen follows dofs", what);
        return false;
    }
    if (st->parts && !ifd__chord_part(r, st, what, to, &s->part))
        return false;
    ifd__model_read m = *ifd__model_of(st, s->part);
    m.part = st->parts ? st->part[s->part].name : NULL;
    if (!ifd__read_chord(&m, what, to, &chord))
        return false;
    chord.row.count = chord.row.count ? chord.row.count : 2;
    s->row = ifd__chord_row(&m, &chord);
    s->to = s->row && s->row->count ? s->row->ref[0] : IFD_GROUND;
    ifd__keep_chord(&m, s->name, &chord);
    return s->to >= 0;
}

/* Whether the case states the model: only that of elements in parallel follows a chord. */
static bool has_model(const ifd__reader *r, const ifd__node *item)
{
    const ifd__node *list = ifd__yaml_get(r->doc.root, "specimen"), *own = list->first;
    while (own && own->index != item->index)
        own = own->next;
    return own && ifd__yaml_get(own, "model");
}

/* The dof of the structure that drive i of the specimen follows. */
static bool find_dof(ifd__reader *r, const ifd__structure *st, const ifd__node *to, ifd_specimen *s)
{
    const char *name;
    if (!to || ifd__yaml_text(to, &name, r->note) != IFD_OK) /* a wall without a support was reported */
        return false;
    if (st->parts)
        return ifd__find_part_dof(st, to, name, "'follows'", &s->part, &s->to) == IFD_OK;
    if (!ifd__find_ref(&st->whole, name, &to->place, 0, &s->to))
        return false;
    ifd__refuse_condensed(&st->whole, s->to, &to->place, "'follows'");
    return true;
}

/* Between two walls: the dof of the first, in the same substructure and direction as that of the second. */
static bool find_first(ifd__reader *r, const ifd__structure *st, const ifd__mount *m, ifd_specimen *s)
{
    ifd_specimen first = *s;
    if (m->push.law.walls != 2)
        return true;
    if (m->drives != 2 || !find_dof(r, st, m->to[0], &first))
        return false;
    s->from = first.to;
    ifd_builder *b = ifd__model_of(st, s->part)->b;
    if (first.part == s->part && first.to != s->to && ifd__ref_kind(b, first.to) == ifd__ref_kind(b, s->to))
        return true;
    ifd_note_add(r->note, IFD_UNSUPPORTED, &m->to[0]->place,
                 "specimen '%s' is between two walls: its supports follow '%s' and '%s', expected two dofs of one "
                 "substructure and of one direction",
                 m->name, m->to[0]->text, m->to[1]->text);
    return false;
}

void ifd__read_mounted(ifd__reader *r, const ifd__structure *st, ifd__lab *lab, const ifd__node *item, int k,
                       ifd_specimen *s)
{
    const ifd__node *of = ifd__yaml_get(item, "of"), *given = ifd__yaml_get(item, "name");
    const char *name = ifd_arena_print(r->arena, "model%d", item->index + 1);
    ifd__fields f;
    if (given && ifd__yaml_text(given, &name, r->note) != IFD_OK)
        return;
    ifd__fields_read(r, item, &ifd__section_specimen, ifd_arena_print(r->arena, "specimen '%s'", name), &f);
    if (of)
        refuse_beside(r, item);
    ifd__mount *m = of ? find_mount(r, lab, of) : new_mount(r, lab, item, name);
    if (m && !of)
        read_model(r, st, item, m);
    if (!m || m->drives == 0) /* that of a wrong model was reported with it */
        return;
    if (m->actuators == ifd__mount_channels(m)) {
        ifd_note_add(r->note, IFD_CONFLICT, &item->place,
                     "specimen '%s' has %d support%s that follow%s a dof, and each has an actuator%s already",
                     m->name, m->drives, m->drives == 1 ? "" : "s", m->drives == 1 ? "s" : "",
                     m->push.law.walls ? " or a wall" : "");
        return;
    }
    *s = (ifd_specimen){.name = name, .from = IFD_GROUND};
    if (ifd__field(&f, "devices")->given)
        s->factor = ifd__field(&f, "devices")->number;
    const ifd__node *to = m->to[m->push.law.walls == 2 ? 1 : m->actuators];
    bool along = to && to->kind == IFD__SEQUENCE && !has_model(r, item);
    if (!(along ? find_chord(r, st, to, s) : find_dof(r, st, to, s)) || !find_first(r, st, m, s))
        s->name = NULL;
    m->actuator[m->actuators++] = k;
}

/* An ideal accelerometer, if required and not given. */
static ifd_value *perfect(ifd__reader *r)
{
    ifd_value *values = ifd_arena_array(r->arena, IFD_RIG_PARAMS, sizeof *values);
    if (values)
        ifd_param_preset(ifd_sensor_params, values);
    return values;
}

/* Of a compensator; preset: its input, unless the compensator has another one. */
static void read_accelerometer(ifd__reader *r, int preset, ifd_interface_options *c, ifd_virtual_actuator *bench)
{
    if (!c->compensator || !c->compensator->accelerometer)
        return;
    const ifd_value *input = ifd_param_get(c->compensator->params, c->compensator_values, "input");
    bool own = input->number >= 0.0;
    if (own && c->taken_out && c->accelerometer != (int)input->number)
        ifd_note_add(r->note, IFD_CONFLICT, &input->place,
                     "'input' is %d, but that of 'mass-on-rig' is %d: expected one accelerometer", (int)input->number,
                     c->accelerometer);
    c->accelerometer = own ? (int)input->number : preset;
    if (!own && !bench->accelerometer)
        bench->accelerometer = perfect(r);
}

void ifd__read_mass(ifd__reader *r, const ifd__node *item, int k, ifd_interface_options *c,
                    ifd_virtual_actuator *bench)
{
    const ifd__node *node = ifd__yaml_get(item, "mass-on-rig"), *sensor = ifd__yaml_get(item, "accelerometer");
    ifd__fields f;
    if (sensor)
        bench->accelerometer = ifd__read_sensor(r, sensor, "accelerometer");
    if (!node) {
        read_accelerometer(r, k, c, bench);
        return;
    }
    ifd__fields_read(r, node, &ifd__section_mass_on_rig, "mass-on-rig", &f);
    const ifd_value *input = ifd__field(&f, "input");
    c->mass = ifd__field(&f, "mass")->number;
    c->taken_out = ifd__field_word(&f, "handled") == 1;
    c->accelerometer = input->given ? (int)input->number : k;
    if (input->given && !c->taken_out)
        ifd_note_add(r->note, IFD_CONFLICT, &input->place, "'input' requires 'handled: taken-out'");
    if (c->row && !c->taken_out)
        ifd_note_add(r->note, IFD_UNSUPPORTED, &node->key_place,
                     "specimen '%s' is along a chord, and the rig carries mass in one direction only: expected "
                     "'handled: taken-out'",
                     c->name);
    if (c->from >= 0)
        ifd_note_add(r->note, IFD_UNSUPPORTED, &node->key_place,
                     "specimen '%s' with 'mass-on-rig' is between two dofs: expected the ground and a dof", c->name);
    if (c->taken_out && !input->given && !bench->accelerometer)
        bench->accelerometer = perfect(r);
    read_accelerometer(r, c->taken_out ? c->accelerometer : k, c, bench);
}

void ifd__check_mounted(ifd__reader *r, const ifd__lab *lab)
{
    for (const ifd__mount *m = lab->mounts; m; m = m->next)
        if (m->actuators < ifd__mount_channels(m)) {
            const ifd__node *support = m->support[m->actuators];
            ifd_note_add(r->note, IFD_MISSING_KEY, &support->key_place,
                         "support '%s' of specimen '%s' follows a dof, but no actuator moves it", support->key,
                         m->name);
            ifd_note_hint(r->note, "add an entry '{name: %s, of: %s, limits: ...}' to 'specimen'", support->key,
                          m->name);
        }
}

/* Whether it has no inertia: no dofs remain, and its supports have no mass. */
static bool without_mass(const ifd_model *m)
{
    size_t own = (size_t)m->nsupport * (size_t)m->nsupport;
    for (size_t i = 0; m->Mss && i < own; i++)
        if (m->Mss[i] != 0.0)
            return false;
    return m->n == 0 && !m->inertial;
}

/* On a wall the motion is relative to the followed dof: nothing else may hold the specimen. */
static void refuse_other_supports(ifd__reader *r, const ifd__mount *m, const ifd_dof_kind *kind)
{
    bool rigid = false;
    if (m->whole && ifd__model_rigid_motion(m->whole, m->drives, m->number, kind, kind[0], &rigid) == IFD_OK && rigid)
        return;
    ifd_note_add(r->note, IFD_UNSUPPORTED, &m->push.node->key_place,
                 "specimen '%s' is on a wall and attached to the ground or to another support: expected elements on "
                 "support%s '%s'%s%s%s only",
                 m->name, m->drives > 1 ? "s" : "", m->support[0]->key, m->drives > 1 ? " and '" : "",
                 m->drives > 1 ? m->support[1]->key : "", m->drives > 1 ? "'" : "");
}

/* The ground motion acts on the structure, while the laboratory floor is fixed and the actuators move the specimen. A
 * specimen with mass must therefore be attached only to the actuators. The actuators impose the motion relative to
 * the ground, so a specimen without mass may be attached to the floor. */
static const ifd_model *carry(ifd__reader *r, const ifd__structure *st, const ifd__mount *m,
                              ifd_interface_options *channel)
{
    const ifd_model *given = m->model.model;
    ifd_model *still = ifd_arena_take(r->arena, sizeof *still);
    ifd_dof_kind kind[IFD_RIG_ACTUATORS]; /* directions of the dofs of its drives */
    bool known = true, along = false;
    for (int i = 0; i < m->actuators; i++) {
        const ifd_specimen *s = &r->c->run.specimen[m->actuator[i]];
        known = known && s->name;
        kind[i] = ifd__ref_kind(ifd__model_of(st, s->part)->b, s->to);
        along = along || s->row;
    }
    if (!still || !given || m->actuators < ifd__mount_channels(m) || !known)
        return given;
    *still = *given;
    for (int i = 1; i < m->drives && m->push.law.walls; i++)
        kind[i] = kind[0];
    if (m->push.law.walls)
        refuse_other_supports(r, m, kind);
    if (along || without_mass(given) || m->push.node) { /* a force, or nothing, replaces the ground motion */
        for (int d = 0; d < 3; d++)
            still->ground[d].signal = NULL;
        return still;
    }
    for (int d = 0; d < 3; d++) {
        bool rigid = false;
        still->ground[d].signal = NULL;
        if (ifd__model_rigid_motion(given, m->drives, m->number, kind, (ifd_dof_kind)d, &rigid) != IFD_OK)
            rigid = false;
        for (int i = 0; i < m->actuators && rigid; i++)
            if ((int)kind[i] == d)
                channel[m->actuator[i]].carried = true;
        if (!given->ground[d].signal || rigid)
            continue;
        ifd_note_add(
            r->note, IFD_UNSUPPORTED, &m->place,
            "specimen '%s' has mass and is attached to the ground, which moves along %c: the laboratory floor does "
            "not move",
            m->name, "xyz"[d]);
        ifd_note_hint(r->note, "attach it only to supports that follow dofs along %c", "xyz"[d]);
    }
    for (int i = 0; i < m->actuators; i++)
        channel[m->actuator[i]].floor_motion = true;
    return still;
}

void ifd__place_mounted(ifd__reader *r, const ifd__structure *st, const ifd__lab *lab, ifd_laboratory *laboratory,
                        ifd_interface_options *channel)
{
    int count = 0;
    for (const ifd__mount *m = lab->mounts; m; m = m->next)
        count++;
    ifd_virtual_model *model = ifd_arena_array(r->arena, (size_t)count, sizeof *model);
    if (!model)
        return;
    laboratory->model = model;
    for (ifd__mount *m = lab->mounts; m; m = m->next) {
        m->model.drives = ifd__mount_channels(m);
        m->model.support = m->push.law.walls ? &m->push.support : m->number;
        for (int i = 0; i < m->push.law.walls && i < m->drives; i++)
            m->model.wall[i] = 1 + m->number[i];
        m->model.actuator = m->actuator;
        model[laboratory->models] = m->model;
        model[laboratory->models++].model = carry(r, st, m, channel);
        if (m->push.node)
            ifd__place_push(r, m, laboratory);
    }
}

/* The substructure that a specimen follows; of several the first. */
static int leader_of(const ifd__reader *r, const ifd__mount *m)
{
    return r->c->run.specimen[m->actuator[0]].part;
}

/* Number of links of a substructure, and of their specimens; -1: of all. */
static int links_of(const ifd__reader *r, const ifd__lab *lab, int leader, int *mounts)
{
    int links = 0;
    *mounts = 0;
    for (const ifd__mount *m = lab->mounts; m; m = m->next)
        if (leader < 0 || leader_of(r, m) == leader) {
            links += m->drives;
            (*mounts)++;
        }
    return links;
}

/* The specimen as substructure `number`, with the step of the first one that it follows; its links name the leaders
 * by `as`, -1: by their numbers. */
static bool follow(ifd__reader *r, const ifd__mount *m, int number, int as, ifd_part_options *part,
                   ifd_rts_link *link)
{
    part[number] = (ifd_part_options){.name = m->name,
                                      .model = m->whole ? m->whole : m->model.model,
                                      .step = part[as < 0 ? leader_of(r, m) : as].step,
                                      .subcycles = 1,
                                      .place = m->place};
    part[number].step.estimates = 0;
    for (int i = 0; i < m->drives; i++) {
        bool walls = m->push.law.walls > 0;
        const ifd_specimen *s = &r->c->run.specimen[m->actuator[walls ? 0 : i]];
        link[i] = (ifd_rts_link){.leader = as < 0 ? s->part : as,
                                 .dof = walls && i + 1 < m->drives ? s->from : s->to,
                                 .row = s->row,
                                 .follower = number,
                                 .support = m->number[i],
                                 .place = m->place};
        link[i].name = ifd_arena_print(r->arena, "%s.%s", m->name, m->support[i]->key);
        if (!link[i].name)
            return false;
    }
    return true;
}

/* Joins a model and the specimens at substructure p. The model is first, so that its dofs keep their numbers and
 * names. */
static ifd_status join(ifd__reader *r, const ifd__lab *lab, int p, const ifd_model **model)
{
    int mounts, links = links_of(r, lab, p, &mounts), n = 1, l = 0;
    ifd_part_options *part;
    ifd_rts_link *link;
    ifd_assembly whole;
    IFD_TRY(IFD__TAKE(r->arena, IFD__ARRAY(part, (size_t)mounts + 1), IFD__ARRAY(link, links)));
    if (!mounts)
        return IFD_OK;
    part[0] = (ifd_part_options){.name = "", .model = *model};
    for (const ifd__mount *m = lab->mounts; m; m = m->next)
        if (leader_of(r, m) == p) {
            IFD__HAVE(follow(r, m, n++, 0, part, link + l));
            l += m->drives;
        }
    const ifd_rts_options rts = {.links = links, .link = link};
    const ifd_couple_options couple = {.parts = mounts + 1, .part = part, .rts = &rts};
    IFD_TRY(ifd_couple_assemble(r->arena, &couple, &whole, r->note));
    *model = whole.model;
    return IFD_OK;
}

/* Estimates of the elements of a substructure; models need none, as they are part of it. */
static bool keep_estimates(ifd__reader *r, int p, ifd_step_options *step)
{
    const ifd_run_options *run = &r->c->run;
    ifd_estimate *e = ifd_arena_array(r->arena, (size_t)step->estimates, sizeof *e);
    int n = 0, from = 0;
    for (int k = 0; e && k < run->specimens; k++)
        if (run->specimen[k].part == p) {
            if (run->specimen[k].ops)
                e[n++] = step->estimate[from];
            from++;
        }
    step->estimates = n;
    step->estimate = e;
    return e != NULL;
}

/* In a run of coupled substructures, every specimen is part of the substructure that it follows. */
static ifd_status join_parts(ifd__reader *r, const ifd__lab *lab)
{
    const ifd_couple_options *old = r->c->run.couple;
    ifd_part_options *part;
    ifd_couple_options *couple;
    ifd_assembly whole;
    IFD_TRY(IFD__TAKE(r->arena, IFD__ARRAY(part, old->parts), IFD__ARRAY(couple, 1)));
    for (const ifd__mount *m = lab->mounts; m; m = m->next)
        for (int i = 1; i < m->actuators; i++)
            if (r->c->run.specimen[m->actuator[i]].part != leader_of(r, m)) {
                ifd_note_remark(
                    r->note, &m->place,
                    "specimen '%s' follows dofs of two substructures: only `interfield test` supports this", m->name);
                return IFD_UNSUPPORTED;
            }
    *couple = *old;
    couple->part = part;
    for (int p = 0; p < old->parts; p++) {
        part[p] = old->part[p];
        IFD_TRY(join(r, lab, p, &part[p].model));
        IFD__HAVE(keep_estimates(r, p, &part[p].step));
    }
    IFD_TRY(ifd_couple_assemble(r->arena, couple, &whole, r->note));
    r->c->run.couple = couple;
    r->c->run.model = whole.model;
    return IFD_OK;
}

/* In a run of coupling rts, the specimens are substructures that follow. */
static ifd_status append(ifd__reader *r, const ifd__lab *lab)
{
    const ifd_couple_options *old = r->c->run.couple;
    int mounts, links = links_of(r, lab, -1, &mounts), more = old->rts->links;
    ifd_part_options *part;
    ifd_rts_link *link;
    ifd_couple_options *couple;
    ifd_rts_options *rts;
    ifd_assembly whole;
    IFD_TRY(IFD__TAKE(r->arena, IFD__ARRAY(part, old->parts + mounts), IFD__ARRAY(link, more + links),
                      IFD__ARRAY(couple, 1), IFD__ARRAY(rts, 1)));
    memcpy(part, old->part, sizeof *part * (size_t)old->parts);
    memcpy(link, old->rts->link, sizeof *link * (size_t)more);
    int n = old->parts, l = more;
    for (const ifd__mount *m = lab->mounts; m; l += m->drives, m = m->next)
        IFD__HAVE(follow(r, m, n++, -1, part, link + l));
    *couple = *old;
    *rts = *old->rts;
    if (rts->rehearsed) { /* a run computes the specimens: its start has its own presets */
        rts->rehearsed = false;
        rts->iterations = 0;
        rts->tolerance = 0.0;
    }
    if (rts->exchange == IFD_RTS_EFFECTIVE) /* its restrictions are those of computed followers; motion agrees */
        rts->exchange = IFD_RTS_MOTION;
    rts->links = more + links;
    rts->link = link;
    couple->parts = old->parts + mounts;
    couple->part = part;
    couple->rts = rts;
    IFD_TRY(ifd_couple_assemble(r->arena, couple, &whole, r->note));
    r->c->run.couple = couple;
    r->c->run.model = whole.model;
    return IFD_OK;
}

/* Models are now part of the assembled structure; elements remain specimens. */
static void keep_elements(ifd__reader *r)
{
    ifd_run_options *run = &r->c->run;
    ifd_specimen *s = ifd_arena_array(r->arena, (size_t)run->specimens, sizeof *s);
    ifd_estimate *e = ifd_arena_array(r->arena, (size_t)run->specimens, sizeof *e);
    int n = 0;
    for (int k = 0; s && e && k < run->specimens; k++)
        if (run->specimen[k].ops) {
            s[n] = run->specimen[k];
            e[n++] = run->couple ? (ifd_estimate){0} : run->step.estimate[k];
        }
    run->specimens = n;
    run->step.estimates = run->couple ? 0 : n; /* else they belong to the substructures */
    run->specimen = s;
    run->step.estimate = e;
}

bool ifd__join_mounted(ifd__reader *r, const ifd__lab *lab)
{
    if (!lab->mounts)
        return true;
    if (r->c->test && r->c->test->rate_dependent && r->c->test->lambda != 1.0)
        ifd_note_remark(
            r->note, &lab->mounts->place,
            "specimen '%s' is a model: at lambda %g its inertia and damping differ from those in real time",
            lab->mounts->name, r->c->test->lambda);
    for (const ifd__mount *m = lab->mounts; m; m = m->next, r->c->specimen_models++)
        for (int i = 0; i < m->actuators; i++)
            if (r->c->run.specimen[m->actuator[i]].factor > 1.0)
                ifd_note_remark(r->note, &m->place,
                                "specimen '%s' has 'devices' other than 1: a run computes only one device", m->name);
    ifd_status status = !r->c->run.couple       ? join(r, lab, 0, &r->c->run.model)
                        : r->c->run.couple->rts ? append(r, lab)
                                                : join_parts(r, lab);
    if (status == IFD_OK)
        keep_elements(r);
    return status == IFD_OK;
}
