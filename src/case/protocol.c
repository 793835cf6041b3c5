/* SPDX-License-Identifier: MIT */
/* A loading protocol instead of a structure. Every specimen gets a dof with its name, on which it acts alone; the
 * reader writes this model, and `at` of each specimen. */
#include "case/reader.h"

#include <math.h>
#include <string.h>

#include "case/rig/channels.h"
#include "model/build/builder.h"
#include "model/signal/wave.h"

const ifd__section ifd__section_protocol = {
    "protocol", "protocol: loading protocol instead of a structure", "protocol",
    "A case has either a structure or `protocol`. Each entry prescribes the displacement of a specimen over "
    "simulated time; a specimen without an entry in `protocol` stays at its starting position. With `protocol`, "
    "elements of specimens have neither `between` nor `at`, and without `time: {end}` the test ends with the longest "
    "signal. An empty list is for a test that prescribes only forces (`force-control`). docs/guide/protocols.md "
    "shows tests with protocols.",
    KEYS(TEXT("specimen", true, NULL, "name of a specimen, which may be a dof of a drive"),
         FORM("displacement", true, "signal (help signal), such as cycles (help cycles)", NULL,
              "displacement in m, or angle of a rotation. A table needs `interpolation: spline`"),
         FORM("end-when", false, "mapping (help end-when)", "the whole signal",
              "criteria at which the test ramps out and is completed"))};

const ifd__section ifd__section_end_when = {
    "end-when", "end-when: end criteria of a protocol", "protocol.end-when",
    "A test evaluates the criteria in every tick, for each direction of motion, with the mean of the last five "
    "forces. `interfield run` ignores the criteria.",
    KEYS(WITHIN("force-drop", NONE, 1e-3, 0.999, 0, "none",
                "relative loss of force: the force is below (1 - `force-drop`) F at an outer turning point, or while "
                "the specimen moves beyond all earlier positions with at least half the peak velocity. F is the "
                "largest force so far under the same condition, and above a tenth of the force limit"),
         LIMIT("force", FORCE, 1e-9, 1e12, "none", "largest measured force"),
         LIMIT("displacement", LENGTH, 1e-9, 1e6, "none", "largest measured displacement"),
         LIMIT("energy", ENERGY, 1e-9, 1e15, "none", "absorbed energy"))};

static const char structural[] =
    "ground|model|substructures|cut|joints|coupling|loads|initial|method|master|identify|record";

/* Keys of a structure, in the case and in its test. */
static void refuse_structure(ifd__reader *r)
{
    static const char of_test[] = "preload|elastic|monitor|thresholds";
    const ifd__node *maps[] = {r->doc.root, ifd__yaml_get(r->doc.root, "test")};
    for (int i = 0; i < 2; i++)
        for (const ifd__node *k = maps[i] && maps[i]->kind == IFD__MAPPING ? maps[i]->first : NULL; k; k = k->next)
            if (ifd_choice_find(i ? of_test : structural, k->key) >= 0)
                ifd_note_add(r->note, IFD_CONFLICT, &k->key_place,
                             "'%s%s' belongs to a computed structure: this case has a 'protocol' instead",
                             i ? "test." : "", k->key);
}

/* The direction of a dof, from the axis of its drive: "x" without one. */
static const char *kind_of(const ifd__reader *r, const char *name)
{
    const ifd__node *drives = ifd__yaml_get(r->doc.root, "drives");
    for (const ifd__node *d = drives && drives->kind == IFD__SEQUENCE ? drives->first : NULL; d; d = d->next) {
        const ifd__node *dofs = ifd__yaml_get(d, "dofs");
        for (const ifd__node *k = dofs && dofs->kind == IFD__MAPPING ? dofs->first : NULL; k; k = k->next)
            if (k->kind == IFD__SCALAR && strcmp(k->text, name) == 0 &&
                ifd_choice_find("x|y|z|rx|ry|rz", k->key) >= 0)
                return k->key;
    }
    return "x";
}

/* {dofs: [a, b], kinds: {a: x, b: rz}, mass: [1, 1]}. */
const ifd__node *ifd__protocol_model(ifd__reader *r, const ifd__node *protocol)
{
    const ifd__node *list = ifd__yaml_get(r->doc.root, "specimen");
    ifd__node *model = ifd__write_node(r, IFD__MAPPING, "model", "", protocol),
              *dofs = ifd__write_node(r, IFD__SEQUENCE, "dofs", "", protocol),
              *kinds = ifd__write_node(r, IFD__MAPPING, "kinds", "", protocol),
              *mass = ifd__write_node(r, IFD__SEQUENCE, "mass", "", protocol);
    refuse_structure(r);
    for (const ifd__node *i = list && list->kind == IFD__SEQUENCE ? list->first : NULL; i; i = i->next) {
        const ifd__node *name = ifd__yaml_get(i, "name");
        if (!name || name->kind != IFD__SCALAR) {
            ifd_note_add(r->note, IFD_MISSING_KEY, &i->place, "a specimen of a protocol needs 'name'");
            continue;
        }
        ifd__put_node(dofs, ifd__write_node(r, IFD__SCALAR, NULL, name->text, name));
        ifd__put_node(kinds, ifd__write_node(r, IFD__SCALAR, name->text, kind_of(r, name->text), name));
        ifd__put_node(mass, ifd__write_node(r, IFD__SCALAR, NULL, "1", name));
    }
    if (dofs && !dofs->count) { /* forces alone */
        ifd__put_node(dofs, ifd__write_node(r, IFD__SCALAR, NULL, "none", protocol));
        ifd__put_node(mass, ifd__write_node(r, IFD__SCALAR, NULL, "1", protocol));
    }
    ifd__put_node(model, dofs);
    ifd__put_node(model, kinds);
    ifd__put_node(model, mass);
    return model;
}

/* A copy without children. */
static ifd__node *bare(ifd__reader *r, const ifd__node *from)
{
    ifd__node *n = ifd__copy_node(r, from);
    if (n) {
        n->first = n->last = NULL;
        n->count = 0;
    }
    return n;
}

/* A copy of the parameters of an element, with `at: NAME`. */
static ifd__node *attached(ifd__reader *r, const ifd__node *body, const ifd__node *name)
{
    ifd__node *own = bare(r, body);
    for (const ifd__node *k = body->first; k && own; k = k->next) {
        if (ifd_choice_find("at|between", k->key) >= 0)
            ifd_note_add(r->note, IFD_CONFLICT, &k->key_place,
                         "'%s' of a specimen needs a structure: with 'protocol' it is absent", k->key);
        else
            ifd__put_node(own, ifd__copy_node(r, k));
    }
    ifd__put_node(own, ifd__write_node(r, IFD__SCALAR, "at", name->text, name));
    return own;
}

/* The same of a specimen, which may consist of parallel elements. */
static ifd__node *attached_specimen(ifd__reader *r, const ifd__node *item)
{
    static const char maps[] = "estimate|limits|capacity|actuator|compensation|position-sensor|force-sensor"
                               "|mass-on-rig|force-command|twin|model|method|initial";
    const ifd__node *name = ifd__yaml_get(item, "name");
    ifd__node *own = name && item->kind == IFD__MAPPING ? bare(r, item) : ifd__copy_node(r, item);
    for (const ifd__node *k = own && !own->first ? item->first : NULL; k; k = k->next) {
        bool parallel = strcmp(k->key, "parallel") == 0 && k->kind == IFD__SEQUENCE;
        ifd__node *to = parallel                                                       ? bare(r, k)
                        : k->kind == IFD__MAPPING && ifd_choice_find(maps, k->key) < 0 ? attached(r, k, name)
                                                                                       : ifd__copy_node(r, k);
        for (const ifd__node *e = parallel && to ? k->first : NULL; e; e = e->next) {
            ifd__node *entry = e->kind == IFD__MAPPING ? bare(r, e) : ifd__copy_node(r, e);
            for (const ifd__node *b = entry && !entry->first ? e->first : NULL; b; b = b->next)
                ifd__put_node(entry, b->kind == IFD__MAPPING ? attached(r, b, name) : ifd__copy_node(r, b));
            ifd__put_node(to, entry);
        }
        ifd__put_node(own, to);
    }
    return own;
}

const ifd__node *ifd__protocol_specimens(ifd__reader *r, const ifd__node *list)
{
    ifd__node *own = !list                         ? ifd__write_node(r, IFD__SEQUENCE, "specimen", "", r->doc.root)
                     : list->kind == IFD__SEQUENCE ? bare(r, list)
                                                   : NULL;
    for (const ifd__node *i = own && list ? list->first : NULL; i; i = i->next)
        if (ifd__yaml_get(i, "name")) /* reported otherwise */
            ifd__put_node(own, attached_specimen(r, i));
    return own ? own : list;
}

/* A polygon has no acceleration between its samples, and an infinite one at them. */
static void check_motion(ifd__reader *r, const ifd__node *node, const ifd_signal *s)
{
    for (int i = 0; s && i < s->count; i++) {
        double t, range, over = ifd__wave_overshoot(&s->wave[i], &t, &range);
        if (ifd__wave_polygon(&s->wave[i])) {
            ifd_note_add(r->note, IFD_UNSUPPORTED, &node->place,
                         "'displacement' is a polygon, whose velocity jumps: expected 'interpolation: spline'");
            ifd_note_hint(r->note,
                          "turning points with a velocity and an acceleration are 'cycles: {points: [...]}'");
        } else if (over > 0.0)
            ifd_note_remark(r->note, &node->place,
                            "the spline leaves the range of neighbouring samples by %.3g mm at %.4g s", 1e3 * over,
                            t);
    }
}

/* m/s2: half the limit of a specimen; 0 without one. */
static double half_limit(ifd__reader *r, const char *name)
{
    const ifd__node *list = ifd__yaml_get(r->doc.root, "specimen");
    double limit = 0.0;
    for (const ifd__node *i = list->first; i; i = i->next) {
        const ifd__node *n = ifd__yaml_get(i, "name"), *l = ifd__yaml_get(i, "limits");
        if (n && l && n->kind == IFD__SCALAR && strcmp(n->text, name) == 0 && l->kind == IFD__MAPPING)
            ifd__key_number(r, l, &ifd__section_limits, "acceleration", &limit);
    }
    return 0.5 * limit;
}

static int specimen_of(ifd__reader *r, const ifd_value *v)
{
    const char *names[IFD_RIG_ACTUATORS];
    int n = 0;
    for (int k = 0; k < r->c->run.specimens; k++) {
        const char *name = r->c->run.specimen[k].name;
        if (name && strcmp(name, v->word) == 0)
            return k;
        if (name && n < IFD_RIG_ACTUATORS)
            names[n++] = name;
    }
    ifd_note_add(r->note, IFD_UNKNOWN_NAME, &v->place, "no specimen has the name '%s'", v->word);
    ifd_choice_hint(r->note, ifd__join(r->arena, n, names), v->word);
    return -1;
}

static void read_end(ifd__reader *r, const ifd__node *node, bool turns, int k)
{
    ifd_interface_options *c = r->c->test && k < r->c->test->interfaces ? &r->interface[k] : NULL;
    ifd_end_when *end = ifd_arena_take(r->arena, sizeof *end);
    ifd__fields f;
    if (!node || !ifd__in_memory(r, end))
        return;
    ifd__fields_read_at(r, node, &ifd__section_end_when, turns, &f);
    *end = (ifd_end_when){ifd__field(&f, "force-drop")->number, ifd__field_limit(&f, "force"),
                          ifd__field_limit(&f, "displacement"), ifd__field_limit(&f, "energy")};
    if (c && end->force_drop > 0.0 && !isfinite(c->limits.force))
        ifd_note_add(r->note, IFD_MISSING_KEY, &node->place,
                     "'force-drop' begins at a tenth of the force limit of '%s': expected 'limits: {force: ...}'",
                     c->name);
    if (c)
        c->end = end;
}

static void read_entry(ifd__reader *r, const ifd__structure *st, const ifd__node *item, const ifd_signal **signal)
{
    ifd__fields f;
    ifd__fields_read(r, item, &ifd__section_protocol, "protocol", &f);
    const ifd__node *motion = item->kind == IFD__MAPPING ? ifd__part(&f, "displacement") : NULL;
    const ifd_value *name = ifd__field(&f, "specimen");
    int k = name->given && name->word ? specimen_of(r, name) : -1;
    if (k < 0 || !motion)
        return;
    if (signal[k]) {
        ifd_note_add(r->note, IFD_DUPLICATE, &name->place, "two entries of the protocol move specimen '%s'",
                     name->word);
        return;
    }
    bool turns = ifd__specimen_turns(st, &r->c->run.specimen[k]);
    signal[k] = ifd__read_motion(r, motion, turns ? IFD_DIM_ANGLE : IFD_DIM_LENGTH, half_limit(r, name->word));
    check_motion(r, motion, signal[k]);
    signal[k] = ifd__scaled(r, signal[k]);
    read_end(r, ifd__part(&f, "end-when"), turns, k);
    double y[3] = {0.0};
    if (signal[k])
        ifd_signal_eval(signal[k], 0.0, y);
    ifd_builder_initial(st->whole.b, k, y[0], y[1]);
}

/* The end of the case, if `time` has none: a whole step after the longest signal. */
static double find_end(ifd__reader *r, const ifd_signal *const *signal, const ifd__node *node)
{
    const ifd_hybrid_options *o = r->c->test;
    double end = 0.0;
    for (int k = 0; k < r->c->run.specimens; k++)
        end = signal[k] ? fmax(end, ifd_signal_end(signal[k])) : end;
    for (int k = 0; o && k < o->interfaces; k++)
        if (o->interface[k].force && o->interface[k].force->target)
            end = fmax(end, ifd_signal_end(o->interface[k].force->target));
    if (isfinite(end) && end > 0.0)
        return ceil(end / r->step - 1e-9) * r->step;
    ifd_note_add(r->note, IFD_MISSING_KEY, &node->place, "the protocol has %s: expected 'time: {end: ...}'",
                 end > 0.0 ? "a signal without end" : "no signal");
    return 0.0;
}

void ifd__read_protocol(ifd__reader *r, const ifd__structure *st, const ifd__node *node)
{
    int n = r->c->run.specimens, errors = r->note->errors;
    const ifd_signal **signal = ifd_arena_array(r->arena, (size_t)n + 1, sizeof *signal);
    ifd_protocol *p = NULL;
    if (ifd__yaml_expect(node, IFD__SEQUENCE, r->note) != IFD_OK || !ifd__in_memory(r, signal))
        return;
    for (const ifd__node *i = node->first; i; i = i->next)
        read_entry(r, st, i, signal);
    if (r->note->errors != errors || !(r->step > 0.0))
        return;
    if (!(r->c->run.end > 0.0))
        r->c->run.end = find_end(r, signal, node);
    if (r->note->errors != errors ||
        !ifd__in_memory(r, ifd_protocol_prescribe(r->arena, n ? n : 1, signal, r->step, &p) == IFD_OK))
        return;
    r->c->run.protocol = p;
}
