/* SPDX-License-Identifier: MIT */
/* Elements and specimens: kind, parameters and attachment. */
#include "case/element.h"

#include <string.h>

#include <interfield/fmu.h>

#include "case/code.h"
#include "text/file.h"
#include "text/motion_file.h"
#include "model/build/builder.h"
#include "model/element.h"
#include "model/plugin.h"

const ifd__section ifd__section_element = {
    "element", "element: one element", "model.elements",
    "Each element is a mapping `KIND: {parameters}`. The braces contain the attachment and the parameters; `name` is "
    "beside the kind. An element is attached by `between: [from, to]` or `at: dof`, unless its example shows a "
    "different form.",
    KEYS(
        TEXT("name", false, "its kind and number", "name in results and messages"),
        FORM(
            "between", false, "[from, to], or [node, node]", NULL,
            "the two ends, each a dof, a support or 'ground'; the element acts on u(to) - u(from). A bearing in two "
            "directions has a list of two pairs. Two nodes of a frame, or a point of the ground and a node, [[0 m, 0 "
            "m], c], define a chord: the element acts on its elongation"),
        WORD("geometry", "linear|large",
             "large: a chord turns with its nodes; its coordinates are the displacements of the second end relative "
             "to the first"),
        WORD("origin", "unloaded|loaded",
             "loaded: a chord is erected under the loads of the gravity state, where its elongation is zero"),
        FORM("at", false, "name", "ground, for a pendulum",
             "the dof on which the element acts, or the pivot of a pendulum; a list for several directions"),
        FORM("angle", false, "name", "ELEMENT.angle", "name of the dof that a pendulum adds (also angle2, stretch)"),
        FORM("read", false, "list of '[displacement|velocity] dof' or '[displacement|velocity] to - from'", NULL,
             "inputs of a block; displacements unless `velocity` is stated. For two nodes of a frame, the input is "
             "the elongation between them"),
        FORM("apply", false, "list of dofs, or of pairs [from, to]", NULL,
             "dofs on which the force of a block acts; with a pair it acts on `to`, and reversed on `from`"),
        FORM("control", false, "{KIND: {read, parameters}}, KIND a block such as pid", "none",
             "for mr-damper and bingham: a block whose output is the voltage, limited to the range from 0 to "
             "`max-voltage`. It has `read` but no `apply`, and at most 8 inputs and 8 states"),
        TEXT("load-of", false, "none",
             "for friction-pendulum: a vertical spring in the same list; the compression is `load` minus the force "
             "of this spring (tension positive). Or an actuator in `force-control`; in a test the compression is "
             "`load` times its measured force, divided by its target at the start"),
        FORM("sand", false, "{friction-angle, weight, modulus}", NULL, "for p-y: the soil (help sand)"),
        FORM("clay", false, "{strength, weight, strain50, j}", NULL, "for p-y: the soil (help clay)"),
        FORM("far-field", false, "{stiffness, damping}", "none",
             "for p-y, t-z and q-z in a model: a spring and dashpot in series with the law (help far-field)"),
        TEXT("plugin", false, "none",
             "shared object with a user-defined element (include/interfield/element.h); its parameters are under "
             "`element`"))};

enum { MOST_OWN = 7 }; /* largest number of new dofs of one element */

static const ifd_element_ops *open_plugin(ifd__reader *r, const ifd__node *node)
{
    const char *text;
    const ifd_element_ops *ops = NULL;
    if (ifd__yaml_text(node, &text, r->note) != IFD_OK)
        return NULL;
    ifd__code_file file = ifd__code_admit(r, ifd__file_relative(r->arena, &node->place, text), &node->place, true);
    if (!file.path || ifd__plugin_load(file.fd, file.path, &ops, r->note, &node->place) != IFD_OK)
        return NULL;
    return ops;
}

/* A key that is not permitted next to the kind. */
static void refuse_key(ifd__reader *r, const ifd__node *k, const ifd__node *kind, const char *outer, const char *what)
{
    if (ifd_element_find(k->key)) {
        ifd_note_add(r->note, IFD_CONFLICT, &k->key_place, "%s has two kinds, '%s' and '%s': expected one", what,
                     kind->key, k->key);
        return;
    }
    ifd_note_add(r->note, IFD_UNKNOWN_KEY, &k->key_place, "%s: unknown key '%s' beside '%s'", what, k->key,
                 kind->key);
    ifd__yaml_about(k, r->note);
    if (ifd_choice_find("between|at|read|apply", k->key) >= 0)
        ifd_note_hint(r->note, "move it below the kind: '%s: {%s: ...}'", kind->key, k->key);
    else
        ifd_choice_hint(r->note, outer, k->key);
}

/* The key that names an element, otherwise the first key not in outer. */
static const ifd__node *kind_of(ifd__reader *r, const ifd__node *item, const char *outer, const char *what)
{
    const ifd__node *kind = NULL;
    for (const ifd__node *k = item->first; k; k = k->next)
        if (ifd_choice_find(outer, k->key) < 0 &&
            (!kind || (ifd_element_find(k->key) && !ifd_element_find(kind->key))))
            kind = k;
    for (const ifd__node *k = item->first; k; k = k->next)
        if (k != kind && ifd_choice_find(outer, k->key) < 0)
            refuse_key(r, k, kind, outer, what);
    if (!kind)
        ifd_note_advise(r->note, IFD_MISSING_KEY, &item->place,
                        "for example 'spring: {between: [ground, x1], stiffness: 4 kN/m}' (interfield help element)",
                        "%s has no kind", what);
    return kind;
}

static bool find_kind(ifd__reader *r, const ifd__node *item, ifd__entry_of *e)
{
    const ifd__node *plugin = ifd__yaml_get(item, "plugin");
    if (plugin && strcmp(e->body->key, "element") != 0) {
        ifd_note_add(r->note, IFD_UNKNOWN_KEY, &e->body->key_place, "found '%s' beside 'plugin', expected 'element'",
                     e->body->key);
        return false;
    }
    if (plugin) {
        e->ops = open_plugin(r, plugin);
        return e->ops != NULL;
    }
    e->ops = strcmp(e->body->key, ifd_fmu_element.name) == 0 ? &ifd_fmu_element : ifd_element_find(e->body->key);
    if (e->ops)
        return true;
    return ifd__unknown_choice(r, "element", e->body->key, &e->body->key_place, ifd__names_of(r->arena, "elements"));
}

bool ifd__entry_take(ifd__reader *r, const ifd__node *item, const char *outer, const char *noun, ifd__entry_of *e)
{
    *e = (ifd__entry_of){.place = item->place};
    if (ifd__yaml_expect(item, IFD__MAPPING, r->note) != IFD_OK)
        return false;
    const ifd__node *name = ifd__yaml_get(item, "name");
    if (name && ifd__yaml_text(name, &e->name, r->note) != IFD_OK)
        return false;
    e->what = e->name ? ifd_arena_print(r->arena, "%s '%s'", noun, e->name)
                      : ifd_arena_print(r->arena, "%s %d", noun, item->index + 1);
    e->body = e->what ? kind_of(r, item, outer, e->what) : NULL;
    if (!e->body || !find_kind(r, item, e))
        return false;
    e->place = e->body->key_place;
    e->what = ifd_arena_print(r->arena, "%s (%s)", e->what, e->ops->name);
    if (!e->name)
        e->name = ifd_arena_print(r->arena, "%s%d", e->ops->name, item->index + 1);
    return e->name && e->what && ifd__yaml_expect(e->body, IFD__MAPPING, r->note) == IFD_OK;
}

/* Between rotations the same numbers are moments and angles. Parameters set by the reader are last and omitted. */
static void params_for(const ifd_element_ops *ops, bool rotational, ifd_param *out)
{
    int n = 0;
    for (; ops->params[n].name && n < IFD__ELEMENT_PARAMS && !ifd__param_hidden(&ops->params[n]); n++) {
        out[n] = ops->params[n];
        if (rotational)
            out[n].dim = ifd__dimension_rotational(out[n].dim);
    }
    out[n] = (ifd_param){0};
}

/* A list of [time, value] that a file holds: `schedule: voltage.csv`. */
static bool read_schedule(ifd__reader *r, const ifd__node *node, ifd_value *out)
{
    const ifd__record_options opt = {.place = node->place, .dim = IFD_DIM_NONE, .bundle = r->doc.bundle};
    const char *path = ifd__file_relative(r->arena, &node->place, node->text);
    ifd__record rec;
    if (!path || ifd__record_read(r->arena, path, &opt, &rec, r->note) != IFD_OK)
        return false;
    const ifd_samples *s = &rec.samples;
    double *rows = ifd_arena_array(r->arena, 2 * (size_t)s->count, sizeof *rows);
    for (int i = 0; rows && i < s->count; i++) {
        rows[2 * i] = s->time ? s->time[i] : s->start + i * s->dt;
        rows[2 * i + 1] = s->value[i];
    }
    *out = ifd_matrix(rows, s->count, 2);
    out->place = node->place;
    return rows != NULL;
}

bool ifd__entry_params(ifd__reader *r, const ifd__entry_of *e, const char *also, bool rotational, ifd_value *values)
{
    ifd_param params[IFD__ELEMENT_PARAMS + 1];
    params_for(e->ops, rotational, params);
    ifd_param_preset(e->ops->params, values);
    bool soil = ifd__soil_element(e->ops);
    if (soil)
        also = also ? ifd_arena_print(r->arena, "%s|sand|clay", also) : "sand|clay";
    const ifd__node *file[IFD__ELEMENT_PARAMS] = {NULL}; /* of each parameter that is given by a file */
    for (int i = 0; params[i].name; i++) {
        file[i] = params[i].file ? ifd__yaml_get(e->body, params[i].name) : NULL;
        if (!file[i] || file[i]->kind != IFD__SCALAR) {
            file[i] = NULL;
            continue;
        }
        also = also ? ifd_arena_print(r->arena, "%s|%s", also, params[i].name) : params[i].name;
        params[i].name = "";
    }
    ifd__settings ask = {.map = e->body,
                         .params = params,
                         .any = IFD_DIM_ANY,
                         .also = also,
                         .what = e->what,
                         .place = e->place,
                         .rotational = rotational};
    bool ok = ifd__yaml_params(r->arena, &ask, values, r->note) == IFD_OK;
    for (int i = 0; i < IFD__ELEMENT_PARAMS; i++)
        ok = (!file[i] || read_schedule(r, file[i], &values[i])) && ok;
    if (soil)
        ok = ifd__soil_numbers(r, e->body, e->what, &e->place, &values[ifd_param_find(e->ops->params, "soil")]) && ok;
    return ok;
}

void ifd__entry_kept(const ifd__model_read *m, const ifd__entry_of *e, int ref, const ifd_place *place)
{
    if (!(e->ops->flags & IFD_ELEMENT_LINEAR))
        ifd__refuse_condensed(m, ref, place, e->what);
}

static int own_count(const ifd_element_ops *ops)
{
    int n = 0;
    while (ops->own && ops->own[n])
        n++;
    return n;
}

/* The name of dof i of a pendulum. */
static const char *own_name(ifd__reader *r, const ifd__entry_of *e, int i, ifd_place *place)
{
    const ifd__node *given = ifd__yaml_get(e->body, e->ops->own[i]);
    const char *name = NULL;
    *place = given ? given->place : e->place;
    if (given)
        return ifd__yaml_text(given, &name, r->note) == IFD_OK ? name : NULL;
    return ifd_arena_print(r->arena, "%s.%s", e->name, e->ops->own[i]);
}

static void read_pivot_element(ifd__model_read *m, const ifd__entry_of *e)
{
    int n = own_count(e->ops), ref[MOST_OWN + 1] = {IFD_GROUND};
    const double one[1] = {1};
    ifd_coordinate q[MOST_OWN + 1];
    ifd_value values[IFD__ELEMENT_PARAMS];
    const ifd__node *at = ifd__yaml_get(e->body, "at");
    const char *also[MOST_OWN + 1] = {"at"};
    bool ok = !at || ifd__read_ref(m, at, IFD__REF_ANY, &ref[0]);
    for (int i = 0; i < n; i++) {
        ifd_place place;
        const char *name = own_name(m->r, e, i, &place);
        also[i + 1] = e->ops->own[i];
        ok = name && ifd_builder_find(m->b, name, &ref[i + 1]) && ok;
    }
    ok = ifd__entry_params(m->r, e, ifd__join(m->arena, n + 1, also), false, values) && ok;
    if (!ok)
        return;
    if (at)
        ifd__entry_kept(m, e, ref[0], &at->place);
    for (int i = 0; i <= n; i++)
        q[i] = (ifd_coordinate){1, &ref[i], one};
    ifd_builder_element(m->b, e->ops, e->name, &(ifd_coordinates){n + 1, q}, values, m->note);
}

/* Findings of make without a place receive that of the element. */
static void read_element(ifd__model_read *m, const ifd__entry_of *e)
{
    const ifd_finding *before = m->note->last;
    if (ifd_param_count(e->ops->params) > IFD__ELEMENT_PARAMS || own_count(e->ops) > MOST_OWN) {
        ifd_note_add(m->note, IFD_PLUGIN, &e->place, "%s has more than %d parameters, or adds more than %d dofs",
                     e->what, IFD__ELEMENT_PARAMS, MOST_OWN);
        return;
    }
    switch (e->ops->attach) {
    case IFD_ATTACH_PAIR:
        ifd__read_pair_element(m, e);
        break;
    case IFD_ATTACH_PIVOT:
        read_pivot_element(m, e);
        break;
    case IFD_ATTACH_PORTS:
        ifd__read_block(m, e);
        break;
    }
    ifd__place_findings(m->r, before, &e->place);
}

/* Whether an unreadable body names dofs like this kind of element. */
static bool names_own(const ifd_element_ops *ops, const ifd__node *body)
{
    for (int i = 0; i < own_count(ops); i++)
        if (ifd__yaml_get(body, ops->own[i]))
            return true;
    return false;
}

void ifd__read_element_dofs(ifd__model_read *m, const ifd__node *list)
{
    if (!list || list->kind != IFD__SEQUENCE)
        return;
    /* Only the new names are read here; errors are reported later. */
    ifd_note quiet;
    ifd__reader silent = *m->r;
    silent.note = &quiet;
    for (const ifd__node *item = list->first; item; item = item->next) {
        ifd__entry_of e;
        ifd_note_init(&quiet, m->arena);
        bool ok = ifd__entry_take(&silent, item, "name|plugin", "element", &e);
        for (int i = 0; !ok && i < ifd_element_count; i++)
            m->nameless = m->nameless || names_own(ifd_elements[i], e.body);
        for (int i = 0; ok && e.ops->attach == IFD_ATTACH_PIVOT && i < own_count(e.ops); i++) {
            ifd_place place;
            const char *name = own_name(m->r, &e, i, &place);
            int ref;
            if (name && ifd_builder_find(m->b, name, &ref) && ref < IFD_GROUND)
                continue; /* moved by a support */
            if (name)
                ifd__new_dof(m, name, strncmp(e.ops->own[i], "angle", 5) == 0 ? IFD_DOF_ANGLE : IFD_DOF_DEFORMATION,
                             &place);
        }
        if (ok)
            ifd__far_field_dof(m, &e);
    }
}

static void refuse_twice(ifd__reader *r, const ifd__node *item)
{
    const ifd__node *name = ifd__yaml_get(item, "name");
    if (!name || name->kind != IFD__SCALAR)
        return;
    for (const ifd__node *other = item->parent->first; other != item; other = other->next) {
        const ifd__node *its = ifd__yaml_get(other, "name");
        if (its && its->kind == IFD__SCALAR && strcmp(its->text, name->text) == 0) {
            ifd_note_add(r->note, IFD_DUPLICATE, &name->place, "two elements have the name '%s'", name->text);
            return;
        }
    }
}

void ifd__read_elements(ifd__model_read *m, const ifd__node *list)
{
    for (const ifd__node *item = ifd__yaml_items(list, IFD__SEQUENCE, m->note); item; item = item->next) {
        ifd__entry_of e;
        refuse_twice(m->r, item);
        if (!ifd__entry_take(m->r, item, "name|plugin", "element", &e))
            continue;
        ifd__copy_ops(m, &e);
        if (e.ops->carry)
            ifd_note_add(m->note, IFD_UNSUPPORTED, &e.place,
                         "%s: '%s' integrates its own state: it can be a specimen, but not an element", e.what,
                         e.ops->name);
        else
            read_element(m, &e);
    }
}

void ifd__remark_fast(ifd__reader *r, const ifd_element *e, double h, bool followed, const ifd_place *place)
{
    const double most = 20.0; /* relaxations in a substep: above, the force error is several per cent */
    double load = e->ops->relaxations ? e->ops->relaxations(e, h, followed) : 0.0;
    if (load > most)
        ifd_note_remark(
            r->note, place,
            "'%s' (%s): its hysteresis relaxes %.0f times in %s at its stated velocity; above %g times the force is "
            "inaccurate: %s",
            e->name, e->ops->name, load, followed ? "a substep" : "a step", most,
            followed ? "increase 'substeps', or remove it" : "use lsrt2, which divides the step for this element");
}
