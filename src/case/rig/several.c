/* SPDX-License-Identifier: MIT */
/* Reads the list of several rigs in a test. */
#include "case/rig/several.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include <interfield/link.h>

#include "case/rig/rigs.h"

static const ifd__key rigs_keys[] = {
    TEXT("name", true, NULL, "name in results, messages and options; letters, digits, '-', '_' and '.'"),
    FORM("specimens", true, "list of names", NULL,
         "specimens and names of force-control on this rig; their order is that of its channels. The specimens of a "
         "drive are on one rig"),
    WITHIN("stale-for", TIME, 1e-6, 1e6, 0, "stale-for of the test",
           "time without a measurement or an acknowledged command before a trip"),
    WITHIN("equalise", TIME, 1e-6, 10, 0, "measurements are used on arrival",
           "age at which a measurement is used, counted in ticks from the command that it answers; differences of "
           "the transmission time below it have no effect"),
    WORD("pace", "own|rig", "rig: the clock of this rig paces the test; at most one of the rigs"),
    END};
const ifd__section ifd__section_rigs = {
    "rigs",
    "rigs: several rigs in one test",
    "test.rigs",
    "Each entry has one more key, the kind of the rig with its settings, as the key `rig` has: `virtual: {}`, `udp: "
    "{port: 4711}`, `plugin: {file: ./my_rig.so}` and so on. Every specimen belongs to exactly one rig. A fault of "
    "one rig stops all of them in the same tick (docs/several-rigs.md).",
    rigs_keys,
    "specimen:\n"
    "  - name: damper\n"
    "    spring: {between: [ground, x1], stiffness: 4 MN/m}\n"
    "    limits: {stroke: 250 mm, velocity: 1 m/s, acceleration: 20 m/s2, force: 1.5 MN, tracking: 5 mm}\n"
    "  - name: bearing\n"
    "    spring: {between: [x1, x2], stiffness: 4 MN/m}\n"
    "    limits: {stroke: 250 mm, velocity: 1 m/s, acceleration: 20 m/s2, force: 1.5 MN, tracking: 5 mm}\n"
    "test:\n"
    "  rigs:\n"
    "    - {name: lab-a, virtual: {}, specimens: [damper], pace: own}\n"
    "    - {name: lab-b, udp: {host: 10.0.0.7, port: 4711}, specimens: [bearing], stale-for: 400 ms, equalise: 12 "
    "ms}\n"};

/* stale-limit: refused as a key of this section. */
static bool is_key(const char *name)
{
    return ifd__key_find(rigs_keys, name) != NULL || strcmp(name, "stale-limit") == 0;
}

/* The settings of an entry (kind: false), or its kind as a mapping of one key (kind: true). */
static ifd__node *part_of(ifd__reader *r, const ifd__node *item, bool kind)
{
    ifd__node *out = ifd__copy_node(r, item);
    if (!ifd__in_memory(r, out))
        return NULL;
    out->first = out->last = NULL;
    out->count = 0;
    for (const ifd__node *k = item->first; k; k = k->next)
        if (is_key(k->key) != kind)
            ifd__put_node(out, ifd__copy_node(r, k));
    return out;
}

static void check_name(ifd__reader *r, const ifd_value *v, const ifd_place *place)
{
    const char *name = v->word ? v->word : "";
    bool good = *name != '\0';
    for (const char *c = name; *c; c++)
        good = good && (isalnum((unsigned char)*c) || strchr("-_.", *c));
    if (v->given && !good)
        ifd_note_add(r->note, IFD_SYNTAX, &v->place, "rig name '%s': expected letters, digits, '-', '_' and '.' only",
                     name);
    for (int i = 0; i < r->rigs->set.rigs; i++)
        if (v->given && strcmp(r->rigs->part[i].name, name) == 0)
            ifd_note_add(r->note, IFD_DUPLICATE, v->given ? &v->place : place, "two rigs have the name '%s'", name);
}

static void read_kind(ifd__reader *r, const ifd__node *item, const ifd_hybrid_options *o, ifd_rig_part *part)
{
    ifd__node *kind = part_of(r, item, true);
    ifd_hybrid_options one = *o;
    ifd_laboratory scratch = {0};
    part->ops = &ifd_virtual_rig;
    if (!kind)
        return;
    if (kind->count != 1) {
        ifd_note_add(r->note, kind->count ? IFD_CONFLICT : IFD_MISSING_KEY, &item->place,
                     "rig '%s' has %d kinds, expected one key such as 'virtual', 'udp' or 'plugin'", part->name,
                     kind->count);
        return;
    }
    ifd__read_rig(r, kind, &one, &scratch);
    part->ops = one.rig;
    part->values = one.rig_values;
    r->rigs->ramps[r->rigs->set.rigs] = scratch.ramps;
    if (part->ops == &ifd_opensees_adapter_rig || part->ops == &ifd_openfresco_rig)
        ifd_note_add(r->note, IFD_UNSUPPORTED, &kind->first->key_place,
                     "'%s' cannot be one of several rigs: expected it as the only one, in 'rig'", part->ops->name);
}

static void read_entry(ifd__reader *r, const ifd__node *item, const ifd_hybrid_options *o)
{
    ifd__rig_list *list = r->rigs;
    ifd__fields f;
    if (ifd__yaml_expect(item, IFD__MAPPING, r->note) != IFD_OK)
        return;
    ifd__node *settings = part_of(r, item, false);
    if (!settings)
        return;
    ifd__fields_read(r, settings, &ifd__section_rigs, "a rig", &f);
    ifd_rig_part *part = &list->part[list->set.rigs];
    const ifd_value *name = ifd__field(&f, "name"), *stale = ifd__field(&f, "stale-for");
    check_name(r, name, &item->place);
    *part = (ifd_rig_part){.name = name->word ? name->word : "?",
                           .stale_time = stale->given ? stale->number : 0.0,
                           .equalise = ifd__field(&f, "equalise")->number,
                           .leads = ifd__field_word(&f, "pace") == 1};
    read_kind(r, item, o, part);
    list->node[list->set.rigs] = item;
    list->specimens[list->set.rigs++] = ifd__part(&f, "specimens");
}

static void check_pace(ifd__reader *r, const ifd__fields *test)
{
    const ifd_value *pace = ifd__field(test, "pace");
    int first = -1;
    if (ifd__field_word(test, "pace") == 1) {
        ifd_note_add(r->note, IFD_CONFLICT, &pace->place, "'pace: rig' with several rigs does not name the rig");
        ifd_note_hint(r->note, "write 'pace: rig' in the entry of the rig that paces the test");
    }
    for (int i = 0; i < r->rigs->set.rigs; i++)
        if (r->rigs->part[i].leads && first >= 0)
            ifd_note_add(r->note, IFD_CONFLICT, &r->rigs->node[i]->place,
                         "rigs '%s' and '%s' both have 'pace: rig', expected at most one", r->rigs->part[first].name,
                         r->rigs->part[i].name);
        else if (r->rigs->part[i].leads)
            first = i;
}

void ifd__read_rigs(ifd__reader *r, const ifd__fields *test, ifd_hybrid_options *o, ifd_laboratory *laboratory)
{
    const ifd__node *node = ifd__part(test, "rigs"), *one = ifd__part(test, "rig");
    o->rig = &ifd_virtual_rig;
    o->rig_setup = laboratory;
    if (one || ifd__adapter(r))
        ifd_note_add(r->note, IFD_CONFLICT, &node->key_place, "'rigs' and %s exclude each other",
                     one ? "'rig'" : "a coupled model of another program");
    if (ifd__yaml_expect(node, IFD__SEQUENCE, r->note) != IFD_OK)
        return;
    if (node->count < 1 || node->count > IFD__RIGS) {
        ifd_note_add(r->note, IFD_RANGE, &node->place, "a test has 1 to %d rigs, found %d", IFD__RIGS, node->count);
        return;
    }
    r->rigs = ifd_arena_take(r->arena, sizeof *r->rigs);
    if (!ifd__in_memory(r, r->rigs))
        return;
    for (const ifd__node *item = node->first; item; item = item->next)
        read_entry(r, item, o);
    r->rigs->refused = r->rigs->set.rigs < node->count;
    check_pace(r, test);
    for (int i = 0; i < r->rigs->set.rigs; i++)
        laboratory->ramps = laboratory->ramps || r->rigs->ramps[i];
    r->rigs->set.rig = r->rigs->part;
    o->rig = &ifd_several_rig;
    o->rig_setup = &r->rigs->set;
    o->rig_leads = false; /* of the entries */
}

const char *ifd__real_rig(const ifd__reader *r)
{
    for (int i = 0; r->rigs && i < r->rigs->set.rigs; i++)
        if (!ifd_rig_is_virtual(r->rigs->part[i].ops))
            return r->rigs->part[i].name;
    return r->c->test->rig->name;
}
