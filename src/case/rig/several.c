/* SPDX-License-Identifier: MIT */
/* Several rigs in a test: their list, and the actuators, channels and laboratory of each. */
#include "analysis/variant.h"
#include "case/rig/channels.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include <interfield/link.h>

#include "case/rig/rigs.h"

const ifd__section ifd__section_rigs = {
    "rigs", "rigs: several rigs in one test", "test.rigs",
    "In addition to these keys, each entry has one key with the kind and the settings of the rig, as under `rig`, "
    "such as `virtual: {}` or `udp: {port: 4711}`. Every specimen belongs to exactly one rig. A fault of one rig "
    "stops all rigs in the same tick (docs/guide/several-rigs.md).",
    KEYS(TEXT("name", true, NULL, "name in results, messages and options; letters, digits, '-', '_' and '.'"),
         FORM("specimens", true, "list of names", NULL,
              "specimens and names of force-control on this rig, in the order of its actuators. All specimens of a "
              "drive are on one rig"),
         WITHIN("stale-for", TIME, 1e-6, 1e6, 0, "stale-for of the test",
                "time without a measurement or an acknowledged command after which the test trips"),
         WITHIN(
             "equalise", TIME, 1e-6, 10, 0, "measurements are used on arrival",
             "age at which a measurement is used, counted from the command that it answers; transmission times below "
             "this age have no effect"),
         WORD("pace", "own|rig", "rig: the clock of this rig sets the ticks; at most one rig"))};

/* The settings of an entry (kind: false), or its kind as a mapping of one key (kind: true). stale-limit is refused as
 * a setting. */
static ifd__node *part_of(ifd__reader *r, const ifd__node *item, bool kind)
{
    ifd__node *out = ifd__copy_node(r, item);
    if (!ifd__in_memory(r, out))
        return NULL;
    out->first = out->last = NULL;
    out->count = 0;
    for (const ifd__node *k = item->first; k; k = k->next)
        if ((ifd__key_find(ifd__section_rigs.keys, k->key) || strcmp(k->key, "stale-limit") == 0) != kind)
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

static const char *const input_words = "position|force|aux";

int ifd__interface_at(ifd__reader *r, const ifd__node *node, const char *prefix)
{
    const char *name = NULL;
    return ifd__yaml_text(node, &name, r->note) == IFD_OK
               ? ifd__find_interface(r, name, &node->place, prefix, "specimen or force-control")
               : -1;
}

typedef struct seats {
    int of[IFD_RIG_ACTUATORS];    /* rig of each interface; -1: none yet */
    int first[IFD_RIG_ACTUATORS]; /* number of its actuator */
} seats;

/* The actuators of interface k become channels of rig i. */
static void seat(ifd__reader *r, seats *s, int i, int k, const ifd__node *node)
{
    const ifd_hybrid_options *o = r->c->test;
    ifd_rig_part *part = &r->rigs->part[i];
    int dof, d = ifd__drive_of(o, k, &dof), actuators = d < 0 ? 1 : o->drive[d].drive.actuators;
    if (s->of[k] >= 0) {
        ifd_note_add(r->note, IFD_DUPLICATE, &node->place,
                     "'%s' is on rig '%s' and again on rig '%s', expected one rig", o->interface[k].name,
                     r->rigs->part[s->of[k]].name, part->name);
        return;
    }
    s->of[k] = i;
    for (int q = 0; d >= 0 && q < o->drive[d].drive.dofs; q++) {
        int other = o->drive[d].interface[q];
        if (other == k || s->of[other] < 0)
            continue;
        if (s->of[other] != i)
            ifd_note_add(r->note, IFD_CONFLICT, &node->place,
                         "drive '%s' moves '%s' on rig '%s' and '%s' on rig '%s': a drive cannot be divided",
                         o->drive[d].drive.name, o->interface[other].name, r->rigs->part[s->of[other]].name,
                         o->interface[k].name, part->name);
        return; /* its actuators are seated */
    }
    for (int j = 0; j < actuators && part->actuators < IFD_RIG_ACTUATORS; j++) {
        part->actuator[part->actuators++] = s->first[k] + j;
        if (s->first[k] + j < IFD_RIG_ACTUATORS)
            r->rigs->owner[s->first[k] + j] = i;
    }
}

static void check_names(ifd__reader *r, int i)
{
    const ifd_hybrid_options *o = r->c->test;
    for (int k = 0; k < o->interfaces; k++)
        if (strcmp(o->interface[k].name, r->rigs->part[i].name) == 0)
            ifd_note_add(r->note, IFD_DUPLICATE, &r->rigs->node[i]->place,
                         "a rig and a specimen have the name '%s', expected different names", o->interface[k].name);
}

/* "lab-b position 1": the rig, the kind of the input and its number; false: it has another form. */
static bool parse_input(const ifd__reader *r, const char *text, int *rig, int *which, int *number)
{
    char name[128] = "", kind[16] = "";
    int used = 0;
    if (!text || sscanf(text, "%127s %15s %d%n", name, kind, number, &used) != 3 || text[used] != '\0')
        return false;
    *which = ifd_choice_find(input_words, kind);
    for (*rig = 0; *rig < r->rigs->set.rigs; ++*rig)
        if (strcmp(r->rigs->part[*rig].name, name) == 0)
            return *which >= 0;
    return false;
}

static void need_aux(ifd_rig_part *part, int number)
{
    if (number > part->aux && number <= IFD_RIG_AUX)
        part->aux = number;
}

static bool accelerates(const ifd_interface_options *c)
{
    return c->taken_out || (c->compensator && c->compensator->accelerometer);
}

bool ifd__accelerometer_preset(const ifd__node *item, const ifd_interface_options *c)
{
    const ifd__node *mass = ifd__yaml_get(item, "mass-on-rig");
    bool own = c->compensator && c->compensator->accelerometer &&
               ifd_param_get(c->compensator->params, c->compensator_values, "input")->number >= 0.0;
    return accelerates(c) && !own && (!mass || !ifd__yaml_get(mass, "input"));
}

/* Auxiliary input i of a computed force, i from 0 on; -1: it has no more. */
static int input_of_force(const ifd_interface_options *c, int i)
{
    const ifd_force_command *f = c->force ? c->force->computed : NULL;
    return !f || i > f->walls ? -1 : i == 0 ? f->position : f->wall[i - 1].input;
}

void ifd__check_inputs(ifd__reader *r)
{
    const ifd_hybrid_options *o = r->c->test;
    const ifd__node *list = ifd__yaml_get(r->doc.root, "specimen");
    for (int k = 0; k < o->interfaces && list; k++)
        for (int q = 0; q < o->interfaces && accelerates(&o->interface[k]); q++)
            for (int i = 0, input = input_of_force(&o->interface[q], 0); input >= 0;
                 input = input_of_force(&o->interface[q], ++i))
                if (input == o->interface[k].accelerometer)
                    ifd_note_add(r->note, IFD_CONFLICT, &list->key_place,
                                 "auxiliary input %d is the accelerometer of '%s' and an input of 'force-command' of "
                                 "'%s': expected a separate input for each",
                                 input + 1, o->interface[k].name, o->interface[q].name);
}

/* Those with the number of an actuator of its rig are in use. */
static void count_forces(const ifd_interface_options *c, ifd_rig_part *part)
{
    for (int i = 0, input = input_of_force(c, 0); input >= 0; input = input_of_force(c, ++i))
        for (int j = 0; j < part->actuators; j++)
            if (part->actuator[j] == input)
                need_aux(part, j + 1);
}

static void check_forces(ifd__reader *r, const seats *s, int k)
{
    const ifd_interface_options *c = &r->c->test->interface[k];
    const ifd_rig_part *part = &r->rigs->part[s->of[k]];
    for (int i = 0, input = input_of_force(c, 0); input >= 0; input = input_of_force(c, ++i)) {
        bool here = false;
        for (int a = 0; a < part->aux; a++)
            here = here || part->input[a] == input;
        if (!here)
            ifd_note_add(r->note, IFD_CONFLICT, &r->rigs->node[s->of[k]]->place,
                         "'force-command' of '%s' reads auxiliary input %d, which is not on its rig '%s': expected "
                         "the number of one of the actuators of that rig, in the order of all specimens",
                         c->name, input + 1, part->name);
    }
}

/* Auxiliary inputs in use: those of channels and of computed forces, and those of accelerometers, which have the
 * number of their channel unless the case states another one. */
static void count_aux(ifd__reader *r, const seats *s, const ifd__node *channels)
{
    const ifd_hybrid_options *o = r->c->test;
    int rig, which, number, k = 0;
    for (const ifd__node *n = channels ? channels->first : NULL; n; n = n->next) {
        const ifd__node *input = n->kind == IFD__MAPPING ? ifd__yaml_get(n, "input") : NULL;
        if (input && parse_input(r, input->text, &rig, &which, &number) && which == IFD_SOURCE_AUX)
            need_aux(&r->rigs->part[rig], number);
    }
    ifd_interface_options *interface = r->interface;
    const ifd__node *specimens = ifd__yaml_get(r->doc.root, "specimen");
    for (const ifd__node *n = specimens ? specimens->first : NULL; n && k < o->interfaces; n = n->next, k++) {
        ifd_rig_part *part = &r->rigs->part[s->of[k]];
        count_forces(&interface[k], part);
        if (!accelerates(&interface[k]))
            continue;
        if (ifd__accelerometer_preset(n, &interface[k]))
            for (int j = 0; j < part->actuators; j++)
                interface[k].accelerometer = part->actuator[j] == s->first[k] ? j : interface[k].accelerometer;
        need_aux(part, interface[k].accelerometer + 1);
    }
}

/* The first ones have the numbers of their actuators, as those of the virtual rig; the others follow. */
static void number_aux(ifd__reader *r, const seats *s, int actuators)
{
    ifd_interface_options *interface = r->interface;
    int next = actuators;
    for (int i = 0; i < r->rigs->set.rigs; i++) {
        ifd_rig_part *part = &r->rigs->part[i];
        for (int a = 0; a < part->aux; a++)
            part->input[a] = a < part->actuators ? part->actuator[a] : next++;
    }
    if (next > IFD_RIG_AUX)
        ifd_note_add(r->note, IFD_TOO_LARGE, &r->rigs->node[0]->place,
                     "the rigs have %d auxiliary inputs and actuators together, at most %d", next, IFD_RIG_AUX);
    for (int k = 0; k < r->c->test->interfaces; k++)
        if (accelerates(&interface[k]) && interface[k].accelerometer < r->rigs->part[s->of[k]].aux)
            interface[k].accelerometer = r->rigs->part[s->of[k]].input[interface[k].accelerometer];
}

void ifd__assign_rigs(ifd__reader *r, bool known, const ifd__node *channels)
{
    const ifd_hybrid_options *o = r->c->test;
    seats s;
    if (!r->rigs || r->rigs->refused || !known)
        return;
    for (int k = 0; k < o->interfaces; k++)
        if (!o->interface[k].name)
            return;
    int errors = r->note->errors, actuators = ifd__seats_of(o, s.first);
    memset(s.of, -1, sizeof s.of);
    memset(r->rigs->owner, -1, sizeof r->rigs->owner);
    for (int i = 0; i < r->rigs->set.rigs; i++) {
        const ifd__node *list = r->rigs->specimens[i];
        check_names(r, i);
        if (!list || ifd__yaml_expect(list, IFD__SEQUENCE, r->note) != IFD_OK)
            continue;
        if (list->count == 0)
            ifd_note_add(r->note, IFD_RANGE, &list->place, "rig '%s' has no specimens, expected at least one",
                         r->rigs->part[i].name);
        for (const ifd__node *n = list->first; n; n = n->next) {
            int k = ifd__interface_at(r, n, "rigs: ");
            if (k >= 0)
                seat(r, &s, i, k, n);
        }
    }
    for (int k = 0; k < o->interfaces && r->note->errors == errors; k++)
        if (s.of[k] < 0)
            ifd_note_add(r->note, IFD_MISSING_KEY, &r->rigs->node[0]->parent->key_place,
                         "'%s' is on no rig: add it to 'specimens' of one of the rigs", o->interface[k].name);
    if (r->note->errors != errors)
        return;
    count_aux(r, &s, channels);
    number_aux(r, &s, actuators);
    for (int k = 0; k < o->interfaces; k++)
        check_forces(r, &s, k);
}

static const char *rig_names(const ifd__reader *r)
{
    const char *name[IFD__RIGS];
    for (int i = 0; i < r->rigs->set.rigs; i++)
        name[i] = r->rigs->part[i].name;
    return ifd__join(r->arena, r->rigs->set.rigs, name);
}

void ifd__read_rig_input(ifd__reader *r, const ifd_value *v, bool known, ifd_channel_row *row)
{
    int rig, which, number;
    if (!parse_input(r, v->word, &rig, &which, &number)) {
        ifd_note_add(r->note, IFD_SYNTAX, &v->place,
                     "input '%s': expected 'RIG position N', 'RIG force N' or 'RIG aux N', as there are several rigs",
                     v->word ? v->word : "");
        ifd_choice_hint(r->note, rig_names(r), "");
        return;
    }
    const ifd_rig_part *part = &r->rigs->part[rig];
    int most = which == IFD_SOURCE_AUX ? IFD_RIG_AUX : part->actuators;
    row->source = (ifd_source)which;
    if (number >= 1 && number <= most && known)
        row->input = which == IFD_SOURCE_AUX ? part->input[number - 1] : part->actuator[number - 1];
    else if (known || which == IFD_SOURCE_AUX)
        ifd_note_add(r->note, IFD_RANGE, &v->place, "input '%s': expected 1 to %d", v->word, most);
}

void ifd__check_rig_input(ifd__reader *r, const ifd_value *v, const ifd_channel_row *row)
{
    int rig = -1;
    for (int i = 0; i < r->rigs->set.rigs; i++) {
        const ifd_rig_part *part = &r->rigs->part[i];
        bool aux = row->source == IFD_SOURCE_AUX;
        for (int j = 0; j < (aux ? part->aux : part->actuators); j++)
            rig = (aux ? part->input : part->actuator)[j] == row->input ? i : rig;
    }
    int owner = row->actuator >= 0 && row->actuator < IFD_RIG_ACTUATORS ? r->rigs->owner[row->actuator] : rig;
    if (rig >= 0 && owner >= 0 && rig != owner)
        ifd_note_add(r->note, IFD_CONFLICT, &v->place,
                     "channel '%s' is an input of rig '%s', but the actuator that it measures is on rig '%s'",
                     row->name, r->rigs->part[rig].name, r->rigs->part[owner].name);
}

void ifd__make_laboratories(ifd__reader *r)
{
    ifd__rig_list *list = r->rigs;
    for (int i = 0; list && i < list->set.rigs; i++) {
        ifd_rig_part *part = &list->part[i];
        ifd_laboratory *lab = NULL;
        const ifd_finding *before = r->note->last;
        if (ifd_laboratory_part(r->arena, r->c->laboratory, part, &lab, r->note) != IFD_OK) {
            ifd__place_findings(r, before, &list->node[i]->place);
            return;
        }
        lab->ramps = list->ramps[i];
        part->twin = lab;
        part->map = lab->map;
        if (part->ops == &ifd_virtual_rig)
            part->setup = lab;
    }
}
