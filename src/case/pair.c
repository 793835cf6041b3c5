/* SPDX-License-Identifier: MIT */
/* Elements between two points: ends of one coordinate, or of several. */
#include "case/element.h"
#include "case/rig/mounted.h"
#include "case/tie.h"

#include <string.h>

#include "model/build/builder.h"
#include "model/element.h"
#include "model/element/control.h"

enum { MOST_PAIRS = 6 };

/* Ends of every coordinate. */
typedef struct ends {
    int count, from[MOST_PAIRS], to[MOST_PAIRS];
    bool at;    /* one end each */
    bool along; /* one chord instead */
    ifd__chord chord;
} ends;

static bool read_two(const ifd__model_read *m, const ifd__entry_of *e, const ifd__node *between, int *from, int *to)
{
    bool two = between->kind == IFD__SEQUENCE && between->count == 2;
    if (!two || between->first->kind == IFD__SEQUENCE) {
        ifd_note_add(m->note, IFD_SHAPE, &between->place,
                     two ? "%s has a list of pairs in 'between', but acts in one direction: expected [from, to]"
                         : "%s: 'between' is invalid: expected a list of two names such as [ground, x1]",
                     e->what);
        return false;
    }
    bool ok = ifd__read_ref(m, between->first, IFD__REF_ANY, from);
    ok = ifd__read_ref(m, between->last, IFD__REF_ANY, to) && ok;
    if (ok && *from == *to) {
        ifd_note_add(m->note, IFD_CONFLICT, &between->place, "%s connects '%s' with itself", e->what,
                     between->first->text);
        return false;
    }
    if (ok) {
        ifd__entry_kept(m, e, *from, &between->first->place);
        ifd__entry_kept(m, e, *to, &between->last->place);
    }
    return ok;
}

static bool read_pair(const ifd__model_read *m, const ifd__entry_of *e, int *from, int *to)
{
    const ifd__node *between = ifd__yaml_get(e->body, "between"), *at = ifd__yaml_get(e->body, "at");
    if (!between == !at) {
        ifd_note_add(m->note, between ? IFD_CONFLICT : IFD_MISSING_KEY, between ? &at->key_place : &e->place,
                     between ? "%s has both 'between' and 'at': expected one of them"
                             : "%s is not attached: expected 'between: [from, to]' or 'at: dof'",
                     e->what);
        return false;
    }
    return at ? ifd__read_ref(m, at, IFD__REF_SUPPORT, to) : read_two(m, e, between, from, to);
}

static bool pair_rotates(const ifd__model_read *m, const ifd__entry_of *e, int from, int to, bool *rotational)
{
    bool a = from >= 0 ? ifd__rotation(ifd__ref_kind(m->b, from)) : to >= 0 && ifd__rotation(ifd__ref_kind(m->b, to));
    bool b = to >= 0 ? ifd__rotation(ifd__ref_kind(m->b, to)) : a;
    *rotational = a;
    if (a == b)
        return true;
    ifd_note_add(m->note, IFD_CONFLICT, &e->place, "%s connects a displacement and a rotation", e->what);
    return false;
}

bool ifd__entry_pair(const ifd__model_read *m, const ifd__entry_of *e, int *from, int *to, bool *rotational)
{
    return read_pair(m, e, from, to) && pair_rotates(m, e, *from, *to, rotational);
}

void ifd__add_storey_drift(ifd__model_read *m, const ifd_storey_drift *of, int from, int to)
{
    ifd_storey_drift **end = &m->drift;
    while (*end)
        end = &(*end)->next;
    ifd_storey_drift *d = ifd_arena_take(m->arena, sizeof *d);
    if (!d)
        return;
    *d = *of;
    d->from = from == IFD_GROUND ? NULL : ifd__builder_name(m->b, from);
    d->to = to == IFD_GROUND ? NULL : ifd__builder_name(m->b, to);
    *end = d;
}

/* Springs are drifts, but not along a chord; linear ones are in the matrices and recorded by their drift. */
static void note_drift(ifd__model_read *m, const ifd__entry_of *e, const ifd_value *values, const ends *k)
{
    ifd_storey_drift d = {.name = e->name, .storey = !k->along && e->ops->flags & IFD_ELEMENT_STOREY};
    for (int i = 0; e->ops->flags & IFD_ELEMENT_LINEAR && e->ops->params[i].name; i++) {
        d.stiffness += e->ops->params[i].dim == IFD_DIM_STIFFNESS ? values[i].number : 0.0;
        d.damping += e->ops->params[i].dim == IFD_DIM_DAMPING ? values[i].number : 0.0;
    }
    d.folded = d.stiffness != 0.0 || d.damping != 0.0;
    if (k->chord.row.count)
        ifd__chord_drift(m, &k->chord, &d);
    if (d.storey || d.folded)
        ifd__add_storey_drift(m, &d, d.terms ? IFD_GROUND : k->from[0], d.terms ? IFD_GROUND : k->to[0]);
}

bool ifd__entry_several(const ifd__entry_of *e)
{
    const ifd__node *between = ifd__yaml_get(e->body, "between"), *at = ifd__yaml_get(e->body, "at");
    if (!(e->ops->flags & IFD_ELEMENT_SEVERAL) || !between == !at)
        return false;
    return at ? at->kind == IFD__SEQUENCE
              : between->kind == IFD__SEQUENCE && between->first && between->first->kind == IFD__SEQUENCE &&
                    between->last->kind == IFD__SEQUENCE;
}

/* Lists of pairs, or of ends. */
static bool read_several(const ifd__model_read *m, const ifd__entry_of *e, ends *out, bool *rotational)
{
    const ifd__node *at = ifd__yaml_get(e->body, "at"), *list = at ? at : ifd__yaml_get(e->body, "between");
    bool ok = true;
    if (list->count < 1 || list->count > MOST_PAIRS) {
        ifd_note_add(m->note, IFD_SHAPE, &list->place, "%s has %d entries in '%s'; expected 1 to %d", e->what,
                     list->count, list->key, MOST_PAIRS);
        return false;
    }
    out->at = at != NULL;
    for (const ifd__node *n = list->first; n; n = n->next) {
        int *from = &out->from[out->count], *to = &out->to[out->count];
        bool turns = false;
        *from = *to = IFD_GROUND;
        bool good = at ? ifd__read_ref(m, n, IFD__REF_ANY, to)
                       : read_two(m, e, n, from, to) && pair_rotates(m, e, *from, *to, &turns);
        if (good && at)
            ifd__entry_kept(m, e, *to, &n->place);
        *rotational = out->count == 0 ? turns : *rotational && turns;
        out->count++;
        ok = good && ok;
    }
    return ok;
}

bool ifd__entry_chord(const ifd__model_read *m, const ifd__entry_of *e, ifd__chord *out, const double **origin)
{
    const ifd__node *between = ifd__yaml_get(e->body, "between"), *from = ifd__yaml_get(e->body, "origin");
    int errors = m->note->errors;
    if (!ifd__read_chord(m, e->what, between, out))
        return false;
    if (from) {
        out->loaded = ifd__read_word(m->r, from, "unloaded|loaded", "origin") == 1;
        out->place = from->place;
    }
    for (int k = 0; k < out->row.count; k++)
        ifd__entry_kept(m, e, out->row.ref[k], &between->place);
    for (int i = 0; i < 2 && !out->row.count; i++)
        ifd__entry_kept(m, e, i ? out->to : out->from, &between->place);
    *origin = ifd__keep_chord(m, e->name, out);
    return m->note->errors == errors;
}

static bool read_ends(const ifd__model_read *m, const ifd__entry_of *e, ends *out, bool *rotational)
{
    const ifd__node *between = ifd__yaml_get(e->body, "between");
    const double *origin;
    if (ifd__entry_several(e))
        return read_several(m, e, out, rotational);
    if (ifd__is_chord(m, between) && !ifd__yaml_get(e->body, "at")) {
        out->count = 1;
        out->along = true;
        return ifd__entry_chord(m, e, &out->chord, &origin);
    }
    out->count = 1;
    out->from[0] = out->to[0] = IFD_GROUND;
    out->at = ifd__yaml_get(e->body, "at") != NULL;
    return ifd__entry_pair(m, e, &out->from[0], &out->to[0], rotational);
}

/* `load-of: NAME` of a friction pendulum: the ends of the spring with this name, and its stiffness; or an actuator in
 * force control. */
static bool read_watched(ifd__model_read *m, const ifd__entry_of *e, int ref[2], ifd_value *value, bool *measured)
{
    const ifd__node *name = ifd__yaml_get(e->body, "load-of"),
                    *list = e->body->parent ? e->body->parent->parent : NULL;
    const char *text = NULL;
    ifd__entry_of spring;
    ifd_value values[IFD__ELEMENT_PARAMS];
    bool turns;
    if (ifd__yaml_text(name, &text, m->note) != IFD_OK)
        return false;
    const ifd__node *item = list && list->kind == IFD__SEQUENCE ? list->first : NULL;
    for (; item; item = item->next) {
        const ifd__node *its = ifd__yaml_get(item, "name");
        if (its && its->kind == IFD__SCALAR && strcmp(its->text, text) == 0)
            break;
    }
    if (!item && ifd__force_named(m, text)) {
        *measured = ifd__load_of(m, e->name, text, &name->place);
        return true;
    }
    if (!item || !ifd__yaml_get(item, "spring") || !ifd__entry_take(m->r, item, "name|plugin", "element", &spring)) {
        ifd_note_add(
            m->note, IFD_UNKNOWN_NAME, &name->place,
            "%s: 'load-of' is '%s'; expected the name of a vertical 'spring' in the same list of elements, or "
            "of an actuator in 'force-control'",
            e->what, text);
        return false;
    }
    ref[1] = IFD_GROUND;
    bool ok = ifd__entry_pair(m, &spring, &ref[1], &ref[0], &turns) &&
              ifd__entry_params(m->r, &spring, "between|at", false, values);
    if (ok)
        *value = ifd_number(ifd_param_get(spring.ops->params, values, "stiffness")->number);
    for (int i = 0; ok && i < 2; i++)
        ifd__entry_kept(m, e, ref[i], &name->place);
    return ok;
}

/* Coordinates that an element only reads, after its own; returns their number, -1 after an error. */
static int read_inputs(ifd__model_read *m, const ifd__entry_of *e, int ref[2], ifd_coordinate *q, ifd_value *values)
{
    static const double elongation[2] = {1, -1};
    int law = ifd_param_find(e->ops->params, "law"), watched = ifd_param_find(e->ops->params, "watched");
    if (law >= 0 && ifd__yaml_get(e->body, "control"))
        return ifd__read_control(m, e, q, &values[law]);
    if (watched < 0 || !ifd__yaml_get(e->body, "load-of"))
        return 0;
    *q = (ifd_coordinate){2, ref, elongation};
    bool measured = false;
    if (!read_watched(m, e, ref, &values[watched], &measured))
        return -1;
    if (measured)
        values[ifd_param_find(e->ops->params, "measured")] = ifd_number(1.0);
    return measured ? 0 : 1;
}

static const char *other_keys(const ifd_element_ops *ops)
{
    return ifd_param_find(ops->params, "law") >= 0       ? "between|at|control"
           : ifd_param_find(ops->params, "watched") >= 0 ? "between|at|load-of"
           : ifd__soil_spring(ops)                       ? "between|at|far-field"
                                                         : "between|at";
}

/* An end in drawings: a node by its first dof, whether it is fixed or not. */
static const char *end_name(const ifd__model_read *m, const ends *k, int ref, int i)
{
    const char *node = k->along ? k->chord.end[i] : NULL;
    return node ? ifd_arena_print(m->arena, "%s.x", node) : ref < 0 ? NULL : ifd_builder_dof_name(m->b, ref);
}

static void refuse_word(const ifd__model_read *m, const ifd__entry_of *e, const ifd__node *key)
{
    ifd_note_add(
        m->note, IFD_UNSUPPORTED, &key->place,
        "%s has '%s: %s', which an inerter, an element that reads other dofs and one with a far field cannot have",
        e->what, key->key, key->text);
}

/* A key of chords with two words; whether it is the second one. *good := false after an error. */
static bool read_chord_word(const ifd__model_read *m, const ifd__entry_of *e, const ends *k, const char *key,
                            const char *words, bool *good)
{
    const ifd__node *node = ifd__yaml_get(e->body, key);
    int word = node ? ifd__read_word(m->r, node, words, key) : 0;
    bool reads = ifd__yaml_get(e->body, "control") || ifd__yaml_get(e->body, "load-of") || ifd__far_field(e);
    if (word == 1 && *good && !k->along)
        ifd_note_add(m->note, IFD_UNSUPPORTED, &node->place,
                     m->mount ? "%s has '%s: %s', which a specimen of several elements or with mass cannot have"
                              : "%s has '%s: %s', but is no chord: expected 'between' two nodes",
                     e->what, key, node->text);
    if (word == 1 && *good && k->along && reads)
        refuse_word(m, e, node);
    *good = *good && word >= 0 && (word == 0 || (k->along && !reads));
    return word == 1;
}

/* `geometry` and `origin`: large or not, loaded or not. */
static void read_words(const ifd__model_read *m, const ifd__entry_of *e, const ends *k, bool *large, bool *loaded,
                       bool *good)
{
    *large = read_chord_word(m, e, k, "geometry", "linear|large", good);
    *loaded = read_chord_word(m, e, k, "origin", "unloaded|loaded", good);
    const ifd__node *origin = ifd__yaml_get(e->body, "origin");
    if (*large && *loaded && *good)
        ifd_note_add(m->note, IFD_UNSUPPORTED, &origin->place,
                     "%s has 'geometry: large' and 'origin: loaded': expected one of them", e->what);
    *good = *good && !(*large && *loaded);
}

/* A chord that turns: it acts on the displacements of one end against the other. */
static void add_large(ifd__model_read *m, const ifd__entry_of *e, const ifd_value *values)
{
    const ifd__node *between = ifd__yaml_get(e->body, "between");
    ifd_coordinate q[3];
    ifd__chord chord;
    if (ifd__needs_model(e, values)) { /* it has mass */
        refuse_word(m, e, ifd__yaml_get(e->body, "geometry"));
        return;
    }
    if (!ifd__read_chord(m, e->what, between, &chord))
        return;
    int axes = ifd__chord_axes(m, between, q);
    const ifd_element_ops *ops = axes ? ifd__chord_ops(m->arena, e->ops, axes, chord.X) : NULL;
    for (int i = 0; i < axes; i++)
        for (int j = 0; j < 2; j++)
            ifd__refuse_condensed(m, q[i].ref[j], &between->place, e->what);
    if (ifd__in_memory(m->r, ops))
        ifd_builder_element(m->b, ops, e->name, &(ifd_coordinates){axes, q}, values, m->note);
    ifd__add_piece(m, &(ifd_case_piece){.name = e->name,
                                        .kind = e->ops->name,
                                        .from = chord.end[0] ? ifd_arena_print(m->arena, "%s.x", chord.end[0]) : NULL,
                                        .to = chord.end[1] ? ifd_arena_print(m->arena, "%s.x", chord.end[1]) : NULL});
}

/* A far field, whose dof becomes the first end. */
static bool read_far(ifd__model_read *m, const ifd__entry_of *e, ends *k)
{
    const ifd__node *far = ifd__far_field(e);
    if (!far)
        return true;
    k->at = false;
    if (!k->chord.row.count)
        return ifd__read_far_field(m, e, &k->from[0]);
    ifd_note_add(m->note, IFD_UNSUPPORTED, &far->key_place,
                 "%s: a chord that is not along an axis cannot have a far field", e->what);
    return false;
}

void ifd__read_pair_element(ifd__model_read *m, const ifd__entry_of *e)
{
    static const double one[2] = {1, -1};
    ends k = {0};
    int ref[2 * MOST_PAIRS + 2];
    ifd_coordinate q[MOST_PAIRS + IFD__CONTROL_INPUTS];
    bool rotational = false, placed = read_ends(m, e, &k, &rotational);
    ifd_value values[IFD__ELEMENT_PARAMS];
    const char *keys = ifd_arena_print(m->arena, "%s|geometry|origin", other_keys(e->ops));
    bool large, loaded;
    read_words(m, e, &k, &large, &loaded, &placed);
    if (!ifd__entry_params(m->r, e, keys, rotational, values) || !placed)
        return;
    if (large) {
        add_large(m, e, values);
        return;
    }
    if (k.along && !k.chord.row.count) {
        k.from[0] = k.chord.from;
        k.to[0] = k.chord.to;
    }
    int inputs = read_inputs(m, e, ref + 2 * MOST_PAIRS, q + k.count, values);
    if (inputs < 0 || !read_far(m, e, &k))
        return;
    for (int i = 0; i < k.count; i++) {
        ref[2 * i] = k.to[i];
        ref[2 * i + 1] = k.from[i];
        q[i] = k.chord.row.count ? k.chord.row : (ifd_coordinate){k.at ? 1 : 2, ref + 2 * i, one};
    }
    if (k.count == 1 && !ifd__ties_permit(m, &q[0], e->what, &e->place))
        return;
    if (loaded && ifd__needs_model(e, values)) { /* it has mass */
        refuse_word(m, e, ifd__yaml_get(e->body, "origin"));
        return;
    }
    m->b->later = loaded;
    ifd_builder_element(m->b, e->ops, e->name, &(ifd_coordinates){k.count + inputs, q}, values, m->note);
    m->b->later = false;
    ifd__keep_spring(m, e->ops, e->name, values);
    if (k.count == 1 && !loaded)
        note_drift(m, e, values, &k);
    ifd__add_piece(m, &(ifd_case_piece){.name = e->name,
                                        .kind = e->ops->name,
                                        .from = end_name(m, &k, k.from[0], 0),
                                        .to = end_name(m, &k, k.to[0], 1)});
}
