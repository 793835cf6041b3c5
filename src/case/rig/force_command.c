/* SPDX-License-Identifier: MIT */
/* Specimens with their mass in the laboratory, which the computed part loads by a force. */
#include "case/rig/mounted.h"

#include "case/rig/channels.h"
#include "model/build/builder.h"

static const ifd__key force_command_keys[] = {
    TEXT("on", true, NULL, "dof of the model on which the actuator acts through its spring"),
    FORM("connection", true, "mapping (help connection)", NULL,
         "computed connection of the followed dof with `on`; its force is commanded"),
    WITHIN("mass", MASS, 0, 1e12, 0, NULL,
           "mass of the specimen: the ground motion acts on it as the additional force -mass a_g"),
    NUMBER("spring", STIFFNESS, 1e-3, 1e15, "stiffness of the spring between actuator and specimen"),
    WITHIN("bandwidth", FREQUENCY, 1e-6, 1e5, 1, NULL,
           "bandwidth of the control loop that removes the remaining error of the force"),
    WITHIN("delay", TIME, 0, 1, 0, NULL, "delay of the actuator, which is compensated"),
    WITHIN("follow", FREQUENCY, 0.1, 1e5, 60, NULL,
           "bandwidth of the estimate of the motion of the specimen, from its measured position"),
    NUMBER("error", FORCE, 1e-9, 1e12, "largest difference of measured and commanded force; trips"),
    WITHIN("rate", ANY, 1e-9, 1e15, 0, "30 times the limit of the force",
           "largest rate of the commanded force, in N/s"),
    WITHIN("tolerance", FORCE, 1e-9, 1e12, 0, "1 % of the limit of the force",
           "force error at which ramp-in is complete"),
    WITHIN("position", NONE, 1, 32, 1, "the number of the entry in `specimen`",
           "auxiliary input of the rig with the position of the specimen in m"),
    FORM("sensor", false, "mapping (help sensor)", "ideal", "sensor of this position on the virtual rig"),
    END};
const ifd__section ifd__section_force_command = {
    "force-command",
    "force-command: specimen that the computed part loads by a force",
    "specimen.force-command",
    "The specimen is in the laboratory with its mass. It is a `model` with one support that follows a dof of the "
    "structure, and no element is attached to this support. The dof acts on the specimen through the computed "
    "`connection`: r = stiffness (u - x) + damping (u' - x') - mass a_g, where u is the motion of the dof and x "
    "the measured position of the specimen. An actuator applies r through a spring, and the structure receives the "
    "measured force. The command never exceeds the stroke, velocity and acceleration of `limits`, and r never "
    "exceeds its force and `rate`. docs/force-command.md explains the choice of these numbers.",
    force_command_keys,
    "specimen:\n"
    "  - name: storey\n"
    "    model:\n"
    "      dofs: [floor]\n"
    "      mass: [2 t]\n"
    "      supports: {above: {follows: x1}}\n"
    "      elements: [{spring: {between: [ground, floor], stiffness: 2 MN/m}}]\n"
    "    force-command:\n"
    "      on: floor\n"
    "      connection: {stiffness: 1 MN/m, damping: 2 kN s/m}\n"
    "      mass: 2 t\n"
    "      spring: 4 MN/m\n"
    "      bandwidth: 1 Hz\n"
    "      delay: 10 ms\n"
    "      follow: 60 Hz\n"
    "      error: 5 kN\n"
    "      rate: 1e6\n"
    "      tolerance: 500 N\n"
    "      position: 1\n"
    "      sensor: {noise: 2 um}\n"
    "    limits: {stroke: 100 mm, velocity: 1 m/s, acceleration: 100 m/s2, force: 50 kN, tracking: 20 mm}\n"
    "test: {rig: virtual}\n"};

static const ifd__key connection_keys[] = {
    NUMBER("stiffness", STIFFNESS, 0, 1e15, "stiffness between the followed dof and the specimen"),
    WITHIN("damping", DAMPING, 0, 1e15, 0, NULL, "damping coefficient between them"), END};
const ifd__section ifd__section_connection = {
    "connection",
    "connection: computed connection of a structure with a specimen that it loads by a force",
    "specimen.force-command.connection",
    "",
    connection_keys,
    "specimen:\n"
    "  - name: storey\n"
    "    model:\n"
    "      dofs: [floor]\n"
    "      mass: [2 t]\n"
    "      supports: {above: {follows: x1}}\n"
    "      elements: [{spring: {between: [ground, floor], stiffness: 2 MN/m}}]\n"
    "    force-command:\n"
    "      {on: floor, connection: {stiffness: 1 MN/m, damping: 2 kN s/m}, spring: 4 MN/m, error: 5 kN}\n"
    "    limits: {stroke: 100 mm, velocity: 1 m/s, acceleration: 100 m/s2, force: 50 kN, tracking: 20 mm}\n"
    "test: {rig: virtual}\n"};

void ifd__read_push(ifd__reader *r, const ifd__node *node, ifd__push *out)
{
    ifd__fields f, c;
    *out = (ifd__push){.node = node};
    if (!node)
        return;
    ifd__fields_read(r, node, &ifd__section_force_command, "force-command", &f);
    ifd__fields_read(r, ifd__part(&f, "connection"), &ifd__section_connection, "connection", &c);
    const ifd_value *input = ifd__field(&f, "position");
    const ifd__node *sensor = ifd__part(&f, "sensor");
    out->on = *ifd__field(&f, "on");
    out->law = (ifd_force_command){.stiffness = ifd__field(&c, "stiffness")->number,
                                   .damping = ifd__field(&c, "damping")->number,
                                   .mass = ifd__field(&f, "mass")->number,
                                   .position = input->given ? (int)input->number - 1 : -1,
                                   .follow = ifd__field(&f, "follow")->number,
                                   .delay = ifd__field(&f, "delay")->number};
    ifd_force_control_defaults(&out->control);
    out->control.stiffness = ifd__field(&f, "spring")->number;
    out->control.bandwidth = ifd__field(&f, "bandwidth")->number;
    out->control.rate = ifd__field(&f, "rate")->number;
    out->control.tolerance = ifd__field(&f, "tolerance")->number;
    out->control.error = ifd__field(&f, "error")->number;
    out->control.computed = &out->law;
    if (input->given && input->number != (double)(int)input->number)
        ifd_note_add(r->note, IFD_RANGE, &input->place, "'position' is %g, expected a whole number", input->number);
    if (sensor)
        out->sensor = ifd__read_sensor(r, sensor, "sensor");
}

/* Adds the spring of the rig, or the connection of the structure, to the model in its builder; *dof: `on`. */
static bool attach(ifd__model_read *m, const ifd__mount *mount, bool rig, int *dof)
{
    const ifd__push *p = &mount->push;
    if (!p->on.word || !ifd__find_ref(m, p->on.word, &p->on.place, 0, dof) ||
        ifd__refuse_condensed(m, *dof, &p->on.place, "'on'"))
        return false;
    int support = IFD_SUPPORT(mount->number[0]);
    ifd_builder_spring(m->b, IFD_STIFFNESS, support, *dof, rig ? p->control.stiffness : p->law.stiffness);
    if (!rig && p->law.damping > 0.0)
        ifd_builder_spring(m->b, IFD_DAMPING, support, *dof, p->law.damping);
    return true;
}

static void refuse_shape(ifd__reader *r, const ifd__mount *m)
{
    if (m->drives != 1)
        ifd_note_add(r->note, IFD_UNSUPPORTED, &m->push.node->key_place,
                     "specimen '%s' has 'force-command' and %d supports that follow a dof: expected one", m->name,
                     m->drives);
}

void ifd__push_models(ifd__model_read *own, ifd__model_read *again, ifd__mount *m)
{
    ifd__reader *r = own->r;
    int dof = 0, other = 0;
    refuse_shape(r, m);
    if (m->drives != 1 || !attach(own, m, true, &dof) || !ifd__make_model(own))
        return;
    m->model.observed = ifd__number(own, dof);
    if (m->model.observed < 0) {
        ifd_note_add(r->note, IFD_MASSLESS, &m->push.on.place, "'on' is dof '%s', which has no mass and is condensed",
                     m->push.on.word);
        m->model.observed = 0;
    }
    if (again && attach(again, m, false, &other) && ifd__make_model(again))
        m->whole = again->model;
}

static void refuse_beside(ifd__reader *r, const ifd__node *item)
{
    static const char *const keys[] = {"compensation", "mass-on-rig", "devices", "force-offset", "of"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const ifd__node *node = ifd__yaml_get(item, keys[i]);
        if (node)
            ifd_note_add(r->note, IFD_CONFLICT, &node->key_place, "found '%s' beside 'force-command'%s", keys[i],
                         i ? "" : ": the delay of the actuator is 'delay' of 'force-command'");
    }
}

void ifd__take_push(ifd__reader *r, const ifd__lab *lab, const ifd__node *item, int k, ifd_interface_options *c,
                    ifd_virtual_channel *bench)
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
}

void ifd__place_push(ifd__reader *r, const ifd__mount *m, ifd_laboratory *laboratory)
{
    if (!laboratory->aux)
        laboratory->aux = ifd_arena_array(r->arena, IFD_RIG_AUX, sizeof *laboratory->aux);
    if (laboratory->aux && m->push.law.position >= 0 && m->push.law.position < IFD_RIG_AUX)
        laboratory->aux[m->push.law.position] =
            (ifd_virtual_aux){.what = IFD_VIRTUAL_SPECIMEN, .actuator = m->channel[0]};
}
