/* SPDX-License-Identifier: MIT */
/* Force control: actuators that keep a force, and what they load on the virtual rig. */
#include <math.h>
#include <string.h>

#include "case/element.h"
#include "case/reader.h"
#include "case/rig/channels.h"

const ifd__section ifd__section_force_control = {
    "force-control", "force-control: actuators with prescribed force", "force-control",
    "An actuator under force control follows a prescribed force r. A control loop computes the position p of the "
    "actuator from the measured force f: p' = (r' + 2 pi bandwidth (r - f)) / stiffness, within the limits. The "
    "force is applied in the state ramp-in, maintained on hold, and released at the end of ramp-out. Such an "
    "actuator has no dof in the structure, but a drive may list its name in `dofs`. docs/guide/drives.md explains "
    "the bandwidth.",
    KEYS(TEXT("name", true, NULL, "name in results and messages"),
         FORM("force", true, "force, or a signal of simulated time (help signal)", NULL,
              "force that resists positive position; its value at t = 0 is reached in ramp-in"),
         NUMBER("stiffness", STIFFNESS, 1e-3, 1e15,
                "estimated stiffness against which the actuator acts; it sets the gain"),
         WITHIN("bandwidth", FREQUENCY, 1e-6, 1e5, 2, NULL,
                "bandwidth of the control loop; below 1 / (8 delay) if the stiffness is correct within a factor of "
                "2"),
         WITHIN("rate", ANY, 1e-9, 1e15, 0, "the force per second", "largest rate of the target force, in N/s"),
         WITHIN("tolerance", FORCE, 1e-9, 1e12, 0, "1 % of the force", "force error at which ramp-in is complete"),
         NUMBER("error", FORCE, 1e-9, 1e12,
                "largest difference of measured and target force; trips. Without this limit the loop would load the "
                "specimen without bound if the load cell were stuck"),
         FORM("twin", false, "{element: {parameters}} (help element)", "no resistance",
              "model of what the actuator loads, on the virtual rig"),
         TEXT("presses", false, "none",
              "name of a specimen, a friction-pendulum, that this actuator compresses on the virtual rig: its "
              "compression is then the force of `twin`; its `load` applies to `interfield run`"),
         FORM("limits", true, "mapping (help limits)", NULL, "limits of the actuator"),
         FORM("capacity", false, "mapping (help capacity)", "not stated",
              "what the specimen tolerates, for preflight"),
         FORM("actuator", false, "name, or {name: {parameters}} (help actuator)", "ideal",
              "actuator of the virtual rig"),
         FORM("position-sensor", false, "mapping (help sensor)", "ideal", "position sensor of the virtual rig"),
         FORM("force-sensor", false, "mapping (help sensor)", "ideal", "force sensor of the virtual rig"))};

static void read_twin(ifd__reader *r, const ifd__node *node, ifd_interface_options *c, ifd_virtual_actuator *bench)
{
    const char *name = NULL;
    const ifd__node *settings = NULL;
    ifd_place place;
    ifd_value *values = ifd_arena_array(r->arena, IFD__ELEMENT_PARAMS, sizeof *values);
    if (!node || !values || ifd__yaml_choice(node, &name, &place, &settings, r->note) != IFD_OK)
        return;
    const ifd_element_ops *ops = ifd_element_find(name);
    if (!ops || ops->attach != IFD_ATTACH_PAIR) {
        ifd_note_add(r->note, IFD_UNKNOWN_CHOICE, &place, "twin: '%s' is not an element between two points", name);
        ifd_note_hint(r->note, "spring, dashpot, gap, bilinear, sliders, bouc-wen");
        return;
    }
    ifd__settings ask = {.map = settings, .params = ops->params, .any = IFD_DIM_ANY, .what = "twin", .place = place};
    if (ifd__yaml_params(r->arena, &ask, values, r->note) != IFD_OK)
        return;
    bench->specimen = ops;
    bench->specimen_values = values;
    c->loose = strcmp(name, "gap") == 0;
}

static void read_force(ifd__reader *r, const ifd__node *item, ifd_interface_options *c, ifd_virtual_actuator *bench)
{
    ifd__fields f;
    ifd__fields_read(r, item, &ifd__section_force_control, "force-control", &f);
    ifd_force_control *force = ifd_arena_take(r->arena, sizeof *force);
    const ifd__node *target = ifd__part(&f, "force"), *limits = ifd__part(&f, "limits");
    const ifd_value *name = ifd__field(&f, "name"), *rate = ifd__field(&f, "rate"),
                    *near = ifd__field(&f, "tolerance");
    if (!force)
        return;
    ifd_force_control_defaults(force);
    if (target)
        force->target = ifd__read_signal(r, target, IFD_DIM_FORCE, true);
    double peak = force->target ? ifd_signal_peak(force->target, 1000.0, 0.1) : 1.0;
    peak = peak > 0.0 ? peak : 1.0;
    force->stiffness = ifd__field(&f, "stiffness")->number;
    force->bandwidth = ifd__field(&f, "bandwidth")->number;
    force->rate = rate->given ? rate->number : peak;
    force->tolerance = near->given ? near->number : 0.01 * peak;
    force->error = ifd__field(&f, "error")->number;
    ifd_interface_defaults(c);
    c->name = name->word ? name->word : "?";
    c->force = force;
    *bench = (ifd_virtual_actuator){0};
    if (limits)
        ifd__read_limits(r, limits, false, &c->limits);
    ifd__read_capacity(r, ifd__part(&f, "capacity"), false, &c->capacity);
    ifd__need_limits(r, ifd_arena_print(r->arena, "force-control '%s'", c->name), limits, &c->limits);
    ifd__read_bench(r, item, bench);
    read_twin(r, ifd__part(&f, "twin"), c, bench);
}

/* `presses` of an actuator in force control, channel k. */
static void read_pressed(ifd__reader *r, const ifd__node *node, int k, ifd_virtual_actuator *bench)
{
    const ifd_hybrid_options *o = r->c->test;
    const ifd_force_control *force = o->interface[k].force;
    const char *name = NULL, *known[IFD_RIG_ACTUATORS];
    double target[3] = {0.0};
    int n = 0;
    if (!node || !force || !force->target || ifd__yaml_text(node, &name, r->note) != IFD_OK)
        return;
    ifd_signal_eval(force->target, 0.0, target);
    for (int i = 0; i < o->interfaces; i++) {
        bool slides = bench[i].specimen && ifd_param_find(bench[i].specimen->params, "watched") >= 0;
        if (slides && o->interface[i].name && n < IFD_RIG_ACTUATORS)
            known[n++] = o->interface[i].name;
        if (!slides || strcmp(known[n - 1], name) != 0)
            continue;
        const ifd_value *load = ifd_param_get(bench[i].specimen->params, bench[i].specimen_values, "load");
        bench[i].pressed_by = target[0] < 0.0 ? -(k + 1) : k + 1;
        if (load->given && fabs(fabs(target[0]) - load->number) > 0.01 * fabs(load->number))
            ifd_note_remark(r->note, &node->place,
                            "force-control '%s' keeps %g N, but the 'load' of '%s', for 'interfield run', is %g N",
                            o->interface[k].name, fabs(target[0]), name, load->number);
        return;
    }
    ifd_note_add(r->note, IFD_UNKNOWN_NAME, &node->place,
                 "'presses' is '%s'; expected the name of a specimen of the kind friction-pendulum in one direction",
                 name);
    ifd_choice_hint(r->note, ifd__join(r->arena, n, known), name);
}

/* Appends the interfaces in force control to those of the specimens. */
void ifd__read_forces(ifd__reader *r, const ifd__node *list)
{
    ifd_hybrid_options *o = r->c->test;
    if (!list || ifd__yaml_expect(list, IFD__SEQUENCE, r->note) != IFD_OK)
        return;
    int count = o->interfaces + list->count, k = o->interfaces;
    ifd_virtual_actuator *bench = ifd_arena_array(r->arena, (size_t)count, sizeof *bench);
    if (count > IFD_RIG_ACTUATORS) {
        ifd_note_add(r->note, IFD_TOO_LARGE, &list->place,
                     "%d actuators including those in force control, at most %d", count, IFD_RIG_ACTUATORS);
        return;
    }
    if (!bench)
        return;
    memcpy(bench, r->c->laboratory->actuator, sizeof *bench * (size_t)o->interfaces);
    for (const ifd__node *item = list->first; item; item = item->next, k++)
        read_force(r, item, &r->interface[k], &bench[k]);
    o->interfaces = r->c->laboratory->actuators = count;
    r->c->laboratory->actuator = bench;
    k -= list->count;
    for (const ifd__node *item = list->first; item; item = item->next, k++)
        read_pressed(r, item->kind == IFD__MAPPING ? ifd__yaml_get(item, "presses") : NULL, k, bench);
}

/* `load-of` of a sliding bearing in the model that names an actuator in force control. */

typedef struct ifd__load_read {
    struct ifd__load_read *next;
    const char *element, *actuator;
    int part;
    ifd_place place;
} ifd__load_read;

bool ifd__force_named(const ifd__model_read *m, const char *name)
{
    const ifd__node *list = ifd__yaml_get(m->r->doc.root, "force-control");
    bool found = false;
    for (const ifd__node *i = list && list->kind == IFD__SEQUENCE ? list->first : NULL; i; i = i->next) {
        const ifd__node *its = i->kind == IFD__MAPPING ? ifd__yaml_get(i, "name") : NULL;
        found = found || (its && its->kind == IFD__SCALAR && strcmp(its->text, name) == 0);
    }
    return found && !m->mount;
}

bool ifd__load_of(ifd__model_read *m, const char *element, const char *actuator, const ifd_place *place)
{
    ifd__load_read *load = ifd_arena_take(m->arena, sizeof *load);
    if (!ifd__in_memory(m->r, load))
        return true;
    *load = (ifd__load_read){m->r->loads, element, actuator, m->index, *place};
    m->r->loads = load;
    return true;
}

static int interface_named(const ifd_hybrid_options *o, const char *name)
{
    for (int k = 0; k < o->interfaces; k++)
        if (o->interface[k].force && o->interface[k].name && strcmp(o->interface[k].name, name) == 0)
            return k;
    return -1;
}

static void read_one(ifd__reader *r, const ifd__load_read *load, ifd_measured_load *out)
{
    const ifd_hybrid_options *o = r->c->test;
    double y[3] = {0.0};
    *out = (ifd_measured_load){load->element, load->part, interface_named(o, load->actuator), 0.0};
    const ifd_force_control *force = out->interface < 0 ? NULL : o->interface[out->interface].force;
    if (!force || !force->target) /* reported with it */
        return;
    ifd_signal_eval(force->target, 0.0, y);
    out->reference = y[0];
    if (y[0] == 0.0)
        ifd_note_add(
            r->note, IFD_RANGE, &load->place,
            "element '%s': 'load-of' is '%s', whose force is 0 N at the start; expected another one, because "
            "the compression is 'load' times the measured force divided by it",
            load->element, load->actuator);
}

void ifd__read_loads_of(ifd__reader *r)
{
    ifd_hybrid_options *o = r->c->test;
    int count = 0;
    for (const ifd__load_read *i = r->loads; i; i = i->next)
        count++;
    if (!o || !count)
        return;
    ifd_measured_load *load = ifd_arena_array(r->arena, (size_t)count, sizeof *load);
    if (!ifd__in_memory(r, load))
        return;
    o->measured_load = load;
    o->measured_loads = count;
    for (const ifd__load_read *i = r->loads; i; i = i->next)
        read_one(r, i, &load[--count]);
}
