/* SPDX-License-Identifier: MIT */
/* Specimens in the form of elements that need a separate model: with mass, with new dofs, with several coordinates,
 * or several elements in parallel. The entry
 *
 *     pendulum: {at: x2, mass: 1 kg, length: 0.5 m}
 *
 * is equivalent to
 *
 *     model:
 *       supports: {x2: {follows: x2}}
 *       elements: [{pendulum: {at: x2, mass: 1 kg, length: 0.5 m}}]
 *
 * Every dof in it is a support of its model, of the same name; each needs an actuator. */
#include <string.h>

#include "base/arena.h"
#include "case/element.h"
#include "case/rig/mounted.h"
#include "model/build/builder.h"
#include "model/signal/sampled.h"

static void add_support(ifd__reader *r, ifd__node *supports, const char *name, const ifd__node *at)
{
    if (!supports || strcmp(name, "ground") == 0 || ifd__yaml_get(supports, name))
        return;
    ifd__node *support = ifd__write_node(r, IFD__MAPPING, name, "", at);
    ifd__put_node(support, ifd__write_node(r, IFD__SCALAR, "follows", name, at));
    ifd__put_node(supports, support);
}

/* "velocity x2 - x1": the names in it. */
static void add_words(ifd__reader *r, ifd__node *supports, const ifd__node *at)
{
    static const char apart[] = " ";
    char *rest = NULL, *copy = at->kind == IFD__SCALAR ? ifd_arena_text(r->arena, at->text) : NULL;
    for (char *w = copy ? strtok_r(copy, apart, &rest) : NULL; w; w = strtok_r(NULL, apart, &rest))
        if (ifd_choice_find("displacement|velocity|-", w) < 0)
            add_support(r, supports, w, at);
}

/* Whether the ends of a body are those of a chord of the structure. */
static bool is_chord(const ifd__structure *st, const ifd__node *between)
{
    bool chord = between && !st->parts && ifd__is_chord(&st->whole, between);
    for (int p = 0; p < st->parts && between; p++) {
        ifd__model_read m = st->part[p].m;
        m.part = st->part[p].name;
        chord = chord || ifd__is_chord(&m, between);
    }
    return chord;
}

/* The support that follows a chord: "a-c". */
static const char *chord_name(ifd__reader *r, const ifd__node *between)
{
    const ifd__node *a = between->first, *b = between->last;
    return ifd_arena_print(r->arena, "%s-%s", a->kind == IFD__SCALAR ? a->text : "ground",
                           b->kind == IFD__SCALAR ? b->text : "ground");
}

/* A body of an element between the ground and the support that follows its chord; others as they are. */
static ifd__node *own_body(ifd__reader *r, const ifd__structure *st, ifd__node *supports, const ifd__node *body)
{
    const ifd__node *between = ifd__yaml_get(body, "between");
    ifd__node *out = ifd__copy_node(r, body), *ends, *follows, *support;
    if (!out || !is_chord(st, between))
        return out;
    const char *name = chord_name(r, between);
    ends = ifd__write_node(r, IFD__SEQUENCE, "between", "", between);
    ifd__put_node(ends, ifd__write_node(r, IFD__SCALAR, NULL, "ground", between));
    ifd__put_node(ends, ifd__write_node(r, IFD__SCALAR, NULL, name, between));
    out->first = out->last = NULL;
    out->count = 0;
    for (const ifd__node *k = body->first; k; k = k->next)
        ifd__put_node(out, k == between ? ends : ifd__copy_node(r, k));
    if (!supports || !name || ifd__yaml_get(supports, name))
        return out;
    support = ifd__write_node(r, IFD__MAPPING, name, "", between);
    follows = ifd__copy_node(r, between);
    if (follows)
        follows->key = "follows";
    ifd__put_node(support, follows);
    ifd__put_node(supports, support);
    return out;
}

/* All dofs in the body of an element. */
static void add_supports(ifd__reader *r, const ifd__structure *st, ifd__node *supports, const ifd__node *body)
{
    static const char *const key[] = {"at", "between", "read", "apply"};
    for (size_t i = 0; i < sizeof key / sizeof *key; i++) {
        const ifd__node *node = ifd__yaml_get(body, key[i]);
        if (!node || is_chord(st, node))
            continue;
        if (node->kind == IFD__SCALAR)
            add_words(r, supports, node);
        for (const ifd__node *n = node->first; n; n = n->next) {
            add_words(r, supports, n);
            for (const ifd__node *inner = n->first; inner; inner = inner->next)
                add_words(r, supports, inner);
        }
    }
}

/* The entry with `model` instead of the given keys, which are dropped. */
static const ifd__node *rewritten(ifd__reader *r, const ifd__node *item, const char *dropped, ifd__node *supports,
                                  ifd__node *elements)
{
    ifd__node *out = ifd__copy_node(r, item), *model = ifd__write_node(r, IFD__MAPPING, "model", "", item);
    if (!out || !model)
        return NULL;
    out->first = out->last = NULL;
    out->count = 0;
    for (const ifd__node *k = item->first; k; k = k->next)
        if (ifd_choice_find(dropped, k->key) < 0)
            ifd__put_node(out, ifd__copy_node(r, k));
    ifd__put_node(model, supports);
    ifd__put_node(model, elements);
    ifd__put_node(out, model);
    out->index = item->index;
    out->parent = item->parent;
    out->next = item->next;
    return out;
}

const ifd__node *ifd__standing_element(ifd__reader *r, const ifd__structure *st, const ifd__node *item,
                                       const ifd__entry_of *e)
{
    ifd__node *supports = ifd__write_node(r, IFD__MAPPING, "supports", "", item),
              *elements = ifd__write_node(r, IFD__SEQUENCE, "elements", "", item),
              *element = ifd__write_node(r, IFD__MAPPING, NULL, "", item);
    const ifd__node *plugin = ifd__yaml_get(item, "plugin");
    const char *dropped = ifd_arena_print(r->arena, "plugin|%s", e->body->key);
    if (!supports || !elements || !element || !dropped)
        return NULL;
    add_supports(r, st, supports, e->body);
    ifd__put_node(element, ifd__write_node(r, IFD__SCALAR, "name", e->name, item));
    if (plugin)
        ifd__put_node(element, ifd__copy_node(r, plugin));
    ifd__put_node(element, own_body(r, st, supports, e->body));
    ifd__put_node(elements, element);
    return rewritten(r, item, dropped, supports, elements);
}

/* Whether a series ends at a rotation; unknown names are refused later. */
static bool turns(const ifd__structure *st, const ifd__node *body)
{
    const ifd__node *at = ifd__yaml_get(body, "at"), *between = ifd__yaml_get(body, "between");
    for (const ifd__node *n = at ? at : between ? between->first : NULL; n; n = at ? NULL : n->next) {
        int part = 0, ref = IFD_GROUND;
        bool found = n->kind == IFD__SCALAR && (st->parts ? ifd__find_in_parts(st, n->text, &part, &ref)
                                                          : ifd_builder_find(st->whole.b, n->text, &ref));
        if (found && ifd__rotation(ifd__ref_kind(ifd__model_of(st, part)->b, ref)))
            return true;
    }
    return false;
}

/* One element of a series. */
static bool read_part(ifd__reader *r, const ifd__node *item, bool rotational, ifd__series_part *out)
{
    ifd__entry_of e;
    ifd_value *values = ifd_arena_array(r->arena, IFD__ELEMENT_PARAMS, sizeof *values);
    if (!values || !ifd__entry_take(r, item, "plugin", "element", &e))
        return false;
    if (e.ops->attach != IFD_ATTACH_PAIR || e.ops->flags & IFD_ELEMENT_INERTIAL || e.ops->carry) {
        ifd_note_add(r->note, IFD_UNSUPPORTED, &e.place, "%s: '%s' cannot be an element of a series", e.what,
                     e.ops->name);
        ifd_note_hint(r->note, "elements in series act between two points and have no mass; use a `model` instead");
        return false;
    }
    *out = (ifd__series_part){.ops = e.ops, .values = values, .place = e.place};
    return ifd__entry_params(r, &e, NULL, rotational, values);
}

bool ifd__series_take(ifd__reader *r, const ifd__structure *st, const ifd__node *item, const char *keys,
                      ifd__entry_of *e)
{
    const ifd__node *body = ifd__yaml_get(item, "series"), *of, *name = ifd__yaml_get(item, "name");
    ifd__series_part part[IFD__SERIES_PARTS];
    int count = 0;
    *e = (ifd__entry_of){.place = body->key_place, .body = body};
    if (ifd__yaml_expect(body, IFD__MAPPING, r->note) != IFD_OK ||
        ifd__yaml_keys(item, ifd_arena_print(r->arena, "series|%s", keys), "specimen", r->note) != IFD_OK ||
        (name && ifd__yaml_text(name, &e->name, r->note) != IFD_OK) || !(of = ifd__yaml_need(body, "of", r->note)) ||
        ifd__yaml_expect(of, IFD__SEQUENCE, r->note) != IFD_OK)
        return false;
    e->name = e->name ? e->name : ifd_arena_print(r->arena, "series%d", item->index + 1);
    e->what = ifd_arena_print(r->arena, "specimen '%s' (series)", e->name);
    if (of->count < 1 || of->count > IFD__SERIES_PARTS) {
        ifd_note_add(r->note, IFD_SHAPE, &of->place, "%s has %d elements, expected 1 to %d", e->what, of->count,
                     IFD__SERIES_PARTS);
        return false;
    }
    int errors = r->note->errors;
    bool rotational = turns(st, body);
    for (const ifd__node *i = of->first; i; i = i->next)
        (void)read_part(r, i, rotational, &part[count++]);
    e->ops = r->note->errors == errors ? ifd__series_ops(r->arena, count, part) : NULL;
    if (!e->ops)
        return false;
    ifd_element trial = {.ops = e->ops, .name = e->name, .nq = 1};
    return e->ops->make(&trial, NULL, r->arena, r->note) == IFD_OK;
}

const ifd__node *ifd__standing_parallel(ifd__reader *r, const ifd__structure *st, const ifd__node *item)
{
    const ifd__node *list = ifd__yaml_get(item, "parallel");
    ifd__node *supports = ifd__write_node(r, IFD__MAPPING, "supports", "", item),
              *elements = ifd__write_node(r, IFD__SEQUENCE, "elements", "", list);
    if (ifd__yaml_expect(list, IFD__SEQUENCE, r->note) != IFD_OK || !supports || !elements)
        return NULL;
    for (const ifd__node *entry = list->first; entry; entry = entry->next) {
        ifd__node *own = ifd__copy_node(r, entry);
        if (own && entry->kind == IFD__MAPPING) {
            own->first = own->last = NULL;
            own->count = 0;
        }
        for (const ifd__node *body = entry->first; body && own && entry->kind == IFD__MAPPING; body = body->next) {
            add_supports(r, st, supports, body);
            ifd__put_node(own, own_body(r, st, supports, body));
        }
        ifd__put_node(elements, own);
    }
    return rewritten(r, item, "parallel", supports, elements);
}

bool ifd__needs_model(const ifd__entry_of *e, const ifd_value *values)
{
    double zero = 0.0, m = 0.0;
    if (e->ops->attach != IFD_ATTACH_PAIR || e->ops->flags & IFD_ELEMENT_INERTIAL || ifd__entry_several(e))
        return true;
    ifd_arena *scratch IFD__CLOSED = e->ops->carry || !(e->ops->flags & IFD_ELEMENT_LINEAR) ? NULL : ifd_arena_open();
    ifd_element made = {.ops = e->ops, .name = e->name, .nq = 1};
    ifd_note quiet;
    if (!scratch)
        return false;
    ifd_note_init(&quiet, scratch);
    if (e->ops->make(&made, values, scratch, &quiet) == IFD_OK && made.ns == 0) {
        const ifd_element_in in = {.q = &zero, .qd = &zero, .qdd = &zero, .s = &zero};
        e->ops->eval(&made, &in, &(ifd_element_out){.m = &m});
    }

    return m != 0.0;
}
