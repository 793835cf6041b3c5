/* SPDX-License-Identifier: MIT */
/* Specimens with their mass in the laboratory, which the computed part loads by a force. */
#include "case/rig/mounted.h"

#include <math.h>
#include <string.h>

#include "case/rig/channels.h"
#include "model/build/builder.h"
#include "model/model.h"

const ifd__section ifd__section_force_command = {
    "force-command", "force-command: specimen that the computed part loads by a force", "specimen.force-command",
    "The laboratory tests a specimen with its mass, written as a `model` with one support that follows a dof of the "
    "structure. With `connection`, this dof acts on the specimen through a computed connection, and no element is "
    "attached to the support. With `wall`, one or two such supports are walls at rest. An actuator applies the force "
    "through a spring. docs/guide/force-command.md has the equations, and explains how to choose the numbers below.",
    KEYS(TEXT("on", true, NULL, "dof of the model on which the actuator acts through its spring"),
         FORM("connection", false, "mapping (help connection)", "none, with `wall`",
              "computed connection between the followed dof and `on`; its force is commanded"),
         FORM("wall", false, "mapping, or list of two (help wall)", "none, with `connection`",
              "reaction walls, in the order of their supports"),
         WITHIN("mass", MASS, 0, 1e12, 0, NULL,
                "mass of the specimen, for the effective force -mass a_g of the ground motion. Required with `wall`"),
         NUMBER("spring", STIFFNESS, 1e-3, 1e15, "stiffness of the spring between actuator and specimen"),
         WITHIN("bandwidth", FREQUENCY, 1e-6, 1e5, 1, NULL,
                "bandwidth of the loop that removes the remaining force error"),
         WITHIN("delay", TIME, 0, 1, 0, NULL, "delay of the actuator, which is compensated"),
         WITHIN("follow", FREQUENCY, 0.1, 1e5, 60, NULL, "bandwidth of the estimated motion of the specimen"),
         NUMBER("error", FORCE, 1e-9, 1e12, "largest difference of measured and commanded force; trips"),
         WITHIN("rate", ANY, 1e-9, 1e15, 0, "30 times the limit of the force",
                "largest rate of the commanded force, in N/s"),
         WITHIN("tolerance", FORCE, 1e-9, 1e12, 0, "1 % of the limit of the force",
                "force error at which ramp-in is complete"),
         WITHIN("position", NONE, 1, 32, 1, "the number of the entry in `specimen`",
                "auxiliary input of the rig with the position of the specimen in m"),
         WITHIN("balance", FORCE, 1e-9, 1e12, 0, "`error`",
                "with `wall`: largest difference between the measured forces on the specimen and its inertia; trips"),
         FORM("sensor", false, "mapping (help sensor)", "ideal", "sensor of this position on the virtual rig"))};

const ifd__section ifd__section_connection = {
    "connection", "connection: computed connection of a structure with a specimen that it loads by a force",
    "specimen.force-command.connection", "",
    KEYS(NUMBER("stiffness", STIFFNESS, 0, 1e15, "stiffness between the followed dof and the specimen"),
         WITHIN("damping", DAMPING, 0, 1e15, 0, NULL, "damping coefficient of the same connection"))};

const ifd__section ifd__section_wall = {
    "wall", "wall: reaction wall that carries a specimen", "specimen.force-command.wall",
    "A support that follows a dof of the structure is a wall in the laboratory. The structure receives the measured "
    "force of each wall, and a computed force for the displacements that the walls do not follow. All mass of the "
    "specimen is at `on`, and its elements are attached only to these supports. docs/reference/reaction-walls.md has "
    "the equations.",
    KEYS(NUMBER("input", NONE, 1, 32,
                "auxiliary input with the force of the wall on the specimen in N, positive along the dof"),
         WITHIN("stiffness", STIFFNESS, 0, 1e15, 0, "not known",
                "stiffness of the specimen between wall and mass. Required for two walls and for `exchange: force`"),
         WITHIN("damping", DAMPING, 0, 1e15, 0, NULL,
                "damping coefficient between wall and mass; for two walls proportional to the stiffness"),
         FORM("sensor", false, "mapping (help sensor)", "ideal", "sensor of this force on the virtual rig"))};

/* The number of an input minus one; -1 if it is absent. */
static int input_of(ifd__reader *r, const ifd__fields *f, const char *name)
{
    return ifd__field(f, name)->given ? ifd__field_whole(r, f, name, "") - 1 : -1;
}

static void read_one_wall(ifd__reader *r, const ifd__node *node, ifd__push *out)
{
    ifd__fields f;
    ifd__fields_read(r, node, &ifd__section_wall, "wall", &f);
    const ifd__node *sensor = ifd__part(&f, "sensor");
    int i = out->law.walls++;
    out->law.wall[i] = (ifd_wall){.input = input_of(r, &f, "input"),
                                  .stiffness = ifd__field(&f, "stiffness")->number,
                                  .damping = ifd__field(&f, "damping")->number};
    if (sensor)
        out->wall[i] = ifd__read_sensor(r, sensor, "sensor");
}

/* Either the connection is computed, or it is in the laboratory, between specimen and wall. */
static void read_wall(ifd__reader *r, const ifd__fields *f, ifd__push *out)
{
    const ifd__node *wall = ifd__part(f, "wall"), *connection = ifd__part(f, "connection");
    if (!wall == !connection) {
        ifd_note_add(r->note, wall ? IFD_CONFLICT : IFD_MISSING_KEY, wall ? &wall->key_place : &out->node->key_place,
                     "'force-command' has %s: expected one of them",
                     wall ? "'connection' and 'wall'" : "neither 'connection' nor 'wall'");
        return;
    }
    if (!wall)
        return;
    bool list = wall->kind == IFD__SEQUENCE;
    for (const ifd__node *i = list ? wall->first : wall; i && out->law.walls < IFD_WALLS; i = list ? i->next : NULL)
        read_one_wall(r, i, out);
    if (list && wall->count != IFD_WALLS)
        ifd_note_add(r->note, IFD_RANGE, &wall->place, "'wall' is a list of %d, expected %d", wall->count, IFD_WALLS);
    if (out->law.mass == 0.0)
        ifd_note_add(r->note, IFD_MISSING_KEY, &out->node->key_place,
                     "'force-command' with 'wall' needs 'mass', for the effective force and for the balance of the "
                     "measured forces");
}

void ifd__read_push(ifd__reader *r, const ifd__node *node, ifd__push *out)
{
    ifd__fields f, c;
    *out = (ifd__push){.node = node};
    if (!node)
        return;
    ifd__fields_read(r, node, &ifd__section_force_command, "force-command", &f);
    ifd__fields_read(r, ifd__part(&f, "connection"), &ifd__section_connection, "connection", &c);
    const ifd__node *sensor = ifd__part(&f, "sensor");
    out->on = *ifd__field(&f, "on");
    out->law = (ifd_force_command){.stiffness = ifd__field(&c, "stiffness")->number,
                                   .damping = ifd__field(&c, "damping")->number,
                                   .mass = ifd__field(&f, "mass")->number,
                                   .position = input_of(r, &f, "position"),
                                   .follow = ifd__field(&f, "follow")->number,
                                   .delay = ifd__field(&f, "delay")->number,
                                   .effective = true,
                                   .balance = ifd__field(&f, "balance")->number};
    ifd_force_control_defaults(&out->control);
    out->control.stiffness = ifd__field(&f, "spring")->number;
    out->control.bandwidth = ifd__field(&f, "bandwidth")->number;
    out->control.rate = ifd__field(&f, "rate")->number;
    out->control.tolerance = ifd__field(&f, "tolerance")->number;
    out->control.error = ifd__field(&f, "error")->number;
    out->control.computed = &out->law;
    if (out->law.balance == 0.0)
        out->law.balance = out->control.error;
    read_wall(r, &f, out);
    if (sensor)
        out->sensor = ifd__read_sensor(r, sensor, "sensor");
}

void ifd__check_walls(ifd__reader *r, bool force, ifd__push *p)
{
    const ifd_wall *w = p->law.wall;
    p->law.effective = p->law.walls && !force;
    for (int i = 0; i < p->law.walls && (force || p->law.walls == 2); i++)
        if (w[i].stiffness == 0.0) {
            ifd_note_add(r->note, IFD_MISSING_KEY, &p->node->key_place,
                         "'wall' has no 'stiffness': %s needs that of the specimen at every wall",
                         force ? "'exchange: force'" : "a specimen between two walls");
            return;
        }
    double a = w[0].damping * w[1].stiffness, b = w[1].damping * w[0].stiffness;
    if (p->law.walls == 2 && fabs(a - b) > 1e-3 * fmax(a, b))
        ifd_note_add(
            r->note, IFD_UNSUPPORTED, &p->node->key_place,
            "the damping at the walls is %g s and %g s of the stiffness: expected the same proportion at both",
            w[0].damping / w[0].stiffness, w[1].damping / w[1].stiffness);
}

/* Adds the spring of the rig, or the connection of the structure, to the model in its builder; *dof: `on`. */
static bool attach(ifd__model_read *m, ifd__mount *mount, bool rig, int *dof)
{
    ifd__push *p = &mount->push;
    if (!p->on.word || !ifd__find_ref(m, p->on.word, &p->on.place, 0, dof) ||
        ifd__refuse_condensed(m, *dof, &p->on.place, "'on'"))
        return false;
    int support = IFD_SUPPORT(mount->number[0]);
    const ifd_signal *still = NULL;
    if (p->law.walls && !rig)
        return true;
    if (p->law.walls && ifd_signal_make_sum(m->arena, 0, NULL, NULL, NULL, &still) == IFD_OK) {
        p->support = m->b->support.count; /* added next */
        support = ifd_builder_support(m->b, "end of the actuator", still);
    }
    ifd_builder_spring(m->b, IFD_STIFFNESS, support, *dof, rig ? p->control.stiffness : p->law.stiffness);
    if (!rig && p->law.damping > 0.0)
        ifd_builder_spring(m->b, IFD_DAMPING, support, *dof, p->law.damping);
    return true;
}

static bool has_shape(ifd__reader *r, const ifd__mount *m)
{
    int walls = m->push.law.walls, expected = walls ? walls : 1;
    if (m->drives == expected)
        return true;
    ifd_note_add(r->note, IFD_UNSUPPORTED, &m->push.node->key_place,
                 "specimen '%s' has 'force-command' and %d support%s that follow%s a dof: expected %s", m->name,
                 m->drives, m->drives == 1 ? "" : "s", m->drives == 1 ? "s" : "",
                 expected == 2 ? "two, for its two walls"
                 : walls       ? "one, or a list of two in 'wall'"
                               : "one");
    return false;
}

/* The effective force acts on one dof, which must have all the mass. Mass of the support would rest with the wall. */
static void refuse_masses(ifd__reader *r, const ifd__mount *m, const ifd_model *model)
{
    size_t n = (size_t)model->n, ns = (size_t)model->nsupport;
    double *one = ifd_arena_array(r->arena, 2 * n + 1, sizeof *one), *row = one + n, worst = 0.0;
    if (!one)
        return;
    for (size_t i = 0; i < n; i++)
        one[i] = 1.0;
    ifd__sparse_mul_add(&model->M, 1.0, one, row);
    for (size_t i = 0; i < n; i++)
        worst = fmax(worst, fabs(row[i] - ((int)i == m->model.observed ? m->push.law.mass : 0.0)));
    for (size_t i = 0; model->Ms && i < n * ns; i++)
        worst = fmax(worst, fabs(model->Ms[i]));
    for (size_t i = 0; model->Mss && i < ns * ns; i++)
        worst = fmax(worst, fabs(model->Mss[i]));
    if (worst > 1e-6 * m->push.law.mass || model->inertial)
        ifd_note_add(
            r->note, IFD_CONFLICT, &m->push.node->key_place,
            "specimen '%s': the effective force acts on '%s' with the mass %g kg; expected this mass at this "
            "dof and none elsewhere",
            m->name, m->push.on.word, m->push.law.mass);
}

void ifd__push_models(ifd__model_read *own, ifd__model_read *again, ifd__mount *m)
{
    ifd__reader *r = own->r;
    int dof = 0, other = 0;
    if (!has_shape(r, m) || !attach(own, m, true, &dof) || !ifd__make_model(own))
        return;
    m->model.observed = ifd__number(own, dof);
    if (m->model.observed < 0) {
        ifd_note_add(r->note, IFD_MASSLESS, &m->push.on.place, "'on' is dof '%s', which has no mass and is condensed",
                     m->push.on.word);
        m->model.observed = 0;
    }
    if (m->push.law.walls && m->push.law.mass > 0.0)
        refuse_masses(r, m, own->model);
    if (again && attach(again, m, false, &other) && ifd__make_model(again))
        m->whole = again->model;
}

static void refuse_beside(ifd__reader *r, const ifd__node *item)
{
    for (const ifd__node *k = item->first; k; k = k->next) {
        int which = ifd_choice_find("compensation|mass-on-rig|devices|force-offset|of", k->key);
        if (which >= 0)
            ifd_note_add(r->note, IFD_CONFLICT, &k->key_place, "found '%s' beside 'force-command'%s", k->key,
                         which ? "" : ": the delay of the actuator is 'delay' of 'force-command'");
    }
}

void ifd__take_push(ifd__reader *r, const ifd__lab *lab, const ifd__node *item, int k, ifd_interface_options *c,
                    ifd_virtual_actuator *bench)
{
    const ifd__node *node = ifd__yaml_get(item, "force-command");
    ifd__mount *m = lab->mounts;
    if (!node)
        return;
    refuse_beside(r, item);
    while (m && m->push.node != node)
        m = m->next;
    if (!m) {
        ifd_note_add(r->note, IFD_UNSUPPORTED, &node->key_place,
                     "'force-command' needs a specimen with a 'model', which has one support that follows a dof");
        return;
    }
    ifd__push *p = &m->push;
    const ifd__node *initial = ifd__yaml_get(item, "initial");
    if (p->law.walls && initial)
        ifd_note_add(r->note, IFD_UNSUPPORTED, &initial->key_place,
                     "specimen '%s' is on a wall: it starts at rest, without 'initial'", m->name);
    if (!isfinite(c->limits.force)) {
        ifd_note_add(r->note, IFD_MISSING_KEY, &node->key_place,
                     "specimen '%s' is loaded by a force: 'limits' needs 'force'", m->name);
        return;
    }
    if (p->control.rate == 0.0)
        p->control.rate = 30.0 * c->limits.force;
    if (p->control.tolerance == 0.0)
        p->control.tolerance = 0.01 * c->limits.force;
    if (p->law.position < 0)
        p->law.position = k;
    c->force = &p->control;
    c->carried = true;
    bench->specimen_sensor = p->sensor;
    memcpy(bench->wall_sensor, p->wall, sizeof p->wall);
}

static void place_input(ifd__reader *r, const ifd__mount *m, int input, ifd_virtual_quantity what,
                        ifd_virtual_aux *aux)
{
    if (input < 0 || input >= IFD_RIG_AUX)
        return;
    if (aux[input].what != IFD_VIRTUAL_NOTHING)
        ifd_note_add(r->note, IFD_CONFLICT, &m->push.node->key_place,
                     "specimen '%s': auxiliary input %d has two quantities; expected a separate input for each "
                     "position and each wall",
                     m->name, input + 1);
    aux[input] = (ifd_virtual_aux){.what = what, .actuator = m->actuator[0]};
}

void ifd__place_push(ifd__reader *r, const ifd__mount *m, ifd_laboratory *laboratory)
{
    if (!laboratory->aux)
        laboratory->aux = ifd_arena_array(r->arena, IFD_RIG_AUX, sizeof *laboratory->aux);
    if (!laboratory->aux)
        return;
    place_input(r, m, m->push.law.position, IFD_VIRTUAL_SPECIMEN, laboratory->aux);
    for (int i = 0; i < m->push.law.walls; i++)
        place_input(r, m, m->push.law.wall[i].input, i ? IFD_VIRTUAL_WALL_2 : IFD_VIRTUAL_WALL, laboratory->aux);
}
