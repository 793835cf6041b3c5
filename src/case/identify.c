/* SPDX-License-Identifier: MIT */
/* Specimens that are identified during the test, and their copies in the model. */
#include <string.h>

#include "case/element.h"
#include "case/reader.h"
#include "model/build/builder.h"
#include "model/element/law.h"

const ifd__section ifd__section_identify = {
    "identify", "identify: learning from a specimen during the test", "identify",
    "An unscented Kalman filter identifies the parameters of a specimen from its measured position and force. During "
    "the test, the copies of this specimen in the model receive these parameters. All copies are of one kind, "
    "`bouc-wen`, `lead-rubber`, `friction-pendulum`, `bilinear` or `spring`, with equal parameters. "
    "docs/guide/learning.md explains the updates.",
    KEYS(TEXT("specimen", true, NULL, "specimen whose measured position and force are used"),
         FORM("copies", true, "list of names of elements", NULL,
              "elements of the model that represent equal devices; the filter starts from their parameters"),
         NUMBER("force-noise", FORCE, 1e-9, 1e12,
                "standard deviation of the measured force about the law: sensor noise and errors of the law"),
         NUMBER("position-noise", LENGTH, 1e-12, 1, "standard deviation of the measured position"),
         WITHIN("uncertainty", NONE, 1e-4, 1, 0.3, NULL,
                "standard deviation of the start values, relative to each value"),
         WITHIN("drift", NONE, 1e-9, 1, 0.002, NULL,
                "expected relative change of a parameter in one second of the test"),
         WITHIN("range", NONE, 1.01, 10, 2, NULL,
                "parameters remain between start value / range and start value * range"),
         WITHIN("interval", TIME, 1e-4, 100, 0.05, NULL, "simulated time between two decisions to update the copies"),
         WITHIN("confidence", NONE, 1e-4, 1, 0.1, NULL,
                "relative standard deviation of a parameter above which the copies are not updated"),
         WITHIN("rate", NONE, 1e-6, 0.1, 0.005, NULL, "largest relative change of a parameter of a copy in one step"),
         FLAG("update", 1, "yes",
              "no: the specimen is identified and recorded, and the copies keep their start values"))};

/* One mapping or a list of them: the first entry, and the next one. */
static const ifd__node *first_of(const ifd__node *node)
{
    return node && node->kind == IFD__SEQUENCE ? node->first : node;
}

static const ifd__node *next_of(const ifd__node *top, const ifd__node *entry)
{
    return top->kind == IFD__SEQUENCE ? entry->next : NULL;
}

static const ifd__node *copies_of(const ifd__node *entry)
{
    const ifd__node *list = entry->kind == IFD__MAPPING ? ifd__yaml_get(entry, "copies") : NULL;
    return list && list->kind == IFD__SEQUENCE ? list->first : NULL;
}

void ifd__copy_ops(const ifd__model_read *m, ifd__entry_of *e)
{
    const ifd__node *top = ifd__yaml_get(m->r->doc.root, "identify");
    for (const ifd__node *entry = first_of(top); entry && m->index < 0 && !m->mount; entry = next_of(top, entry))
        for (const ifd__node *copy = copies_of(entry); copy; copy = copy->next) {
            const ifd__law *law = ifd__law_of(e->ops);
            if (copy->kind != IFD__SCALAR || strcmp(copy->text, e->name) != 0)
                continue;
            if (law)
                e->ops = law->updated;
            else
                ifd_note_add(m->note, IFD_UNSUPPORTED, &e->place, "%s is a copy of a specimen: expected %s", e->what,
                             ifd__law_kinds());
            return;
        }
}

static void read_copies(ifd__reader *r, const ifd__node *list, ifd_identify_options *out)
{
    if (!list || ifd__yaml_expect(list, IFD__SEQUENCE, r->note) != IFD_OK)
        return;
    const char **name = ifd_arena_array(r->arena, (size_t)list->count + 1, sizeof *name);
    if (list->count == 0)
        ifd_note_add(r->note, IFD_SHAPE, &list->place, "'copies' is empty, expected at least one element");
    for (const ifd__node *i = list->first; i && name; i = i->next)
        if (ifd__yaml_text(i, &name[out->copies], r->note) == IFD_OK)
            out->copies++;
    out->copy = name;
}

/* first: of the entries that are read already. */
static void read_entry(ifd__reader *r, const ifd__node *node, ifd_hybrid_options *o,
                       const ifd_identify_options *first, ifd_identify_options *out)
{
    ifd__fields f;
    int errors = r->note->errors;
    ifd__fields_read(r, node, &ifd__section_identify, "identify", &f);
    ifd_identify_defaults(out);
    out->interface = -1;
    if (r->note->errors != errors)
        return;
    const ifd_value *specimen = ifd__field(&f, "specimen");
    out->interface = ifd__find_interface(r, specimen->word, &specimen->place, "", "specimen");
    for (const ifd_identify_options *other = first; other < out; other++)
        if (other->interface == out->interface && out->interface >= 0)
            ifd_note_add(r->note, IFD_DUPLICATE, &specimen->place, "specimen '%s' is identified twice, expected once",
                         o->interface[out->interface].name);
    out->force_noise = ifd__field(&f, "force-noise")->number;
    out->position_noise = ifd__field(&f, "position-noise")->number;
    out->uncertainty = ifd__field(&f, "uncertainty")->number;
    out->drift = ifd__field(&f, "drift")->number;
    out->range = ifd__field(&f, "range")->number;
    out->interval = ifd__field(&f, "interval")->number;
    out->confidence = ifd__field(&f, "confidence")->number;
    out->rate = ifd__field(&f, "rate")->number;
    out->update = ifd__field(&f, "update")->number > 0.0;
    read_copies(r, ifd__part(&f, "copies"), out);
}

/* A copy is an element of the model, in which only those of some kinds can be updated. */
static void find_copy(const ifd__model_read *m, const ifd__node *copy)
{
    const char **names = ifd_arena_array(m->arena, (size_t)m->b->element.count + 1, sizeof *names);
    for (int i = 0; names && i < m->b->element.count; i++) {
        const ifd_element *e = &IFD__AT(m->b->element, ifd__attached, i).element;
        names[i] = ifd__law_of(e->ops) ? e->name : NULL;
        if (strcmp(e->name, copy->text) == 0)
            return;
    }
    if (!names)
        return;
    ifd_note_add(m->note, IFD_UNKNOWN_NAME, &copy->place, "no element of the model has the name '%s'", copy->text);
    ifd_choice_hint(m->note, ifd__join(m->arena, m->b->element.count, names), copy->text);
}

/* A copy that an earlier entry, or the same list, already has would be moved twice. */
static void refuse_twice(ifd__reader *r, const ifd__node *top, const ifd__node *copy)
{
    for (const ifd__node *entry = first_of(top); entry; entry = next_of(top, entry))
        for (const ifd__node *other = copies_of(entry); other; other = other->next) {
            if (other == copy)
                return;
            if (other->kind != IFD__SCALAR || strcmp(other->text, copy->text) != 0)
                continue;
            ifd_note_add(r->note, IFD_DUPLICATE, &copy->place,
                         "element '%s' is a copy twice, expected once and of one specimen", copy->text);
            return;
        }
}

/* Every copy is an element of the model and belongs to one specimen. */
static void check_copies(ifd__reader *r, const ifd__structure *st, const ifd__node *top)
{
    bool whole = !st->parts && st->whole.sound;
    for (const ifd__node *entry = first_of(top); entry && whole; entry = next_of(top, entry))
        for (const ifd__node *copy = copies_of(entry); copy; copy = copy->next)
            if (copy->kind == IFD__SCALAR) {
                refuse_twice(r, top, copy);
                find_copy(&st->whole, copy);
            }
}

void ifd__read_identify(ifd__reader *r, const ifd__structure *st, const ifd__node *node)
{
    ifd_hybrid_options *o = r->c->test;
    if (!node)
        return;
    if (!o) {
        if (!ifd__yaml_get(r->doc.root, "test"))
            ifd_note_remark(r->note, &node->key_place,
                            "'identify' has no effect without 'test': the copies keep their parameters");
        check_copies(r, st, node);
        return;
    }
    if (st->parts || st->master) {
        ifd_note_add(r->note, IFD_UNSUPPORTED, &node->key_place,
                     "'identify' updates elements of one 'model' that this program computes, not of substructures or "
                     "of another program");
        return;
    }
    int count = node->kind == IFD__SEQUENCE ? node->count : 1, n = 0;
    ifd_identify_options *identify = ifd_arena_array(r->arena, (size_t)count + 1, sizeof *identify);
    for (const ifd__node *entry = first_of(node); entry && identify; entry = next_of(node, entry))
        read_entry(r, entry, o, identify, &identify[n++]);
    o->identified = identify ? n : 0;
    o->identify = identify;
    check_copies(r, st, node);
}
