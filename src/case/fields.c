/* SPDX-License-Identifier: MIT */
/* Mappings read by the table of their section, and name look-up. */
#include <assert.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "case/element.h"
#include "case/keys.h"
#include "case/reader.h"
#include "case/tie.h"
#include "model/build/builder.h"
#include "model/element.h"
#include "text/yaml.h"

/* Finds sections and keys of a case file in their tables. */

const ifd__section ifd__section_units = {
    "units", "Units", "",
    "A unit is a product or quotient of known units, which may have SI prefixes and exponents (`m2` or `m^2`). `g` "
    "is the acceleration of gravity, 9.80665 m/s2. A frequency is in Hz; a value in rad/s is divided by 2 pi. The "
    "magnitude of a number other than 0 must be in the range of its dimension; most keys have a narrower range.",
    NO_KEYS};

#define SECTION(name) &ifd__section_##name,
const ifd__section *const ifd__sections[] = {
#include "case/sections.def"
    NULL};
#undef SECTION

const ifd__section *ifd__section_find(const char *topic)
{
    for (int i = 0; ifd__sections[i]; i++)
        if (strcmp(ifd__sections[i]->topic, topic) == 0)
            return ifd__sections[i];
    return NULL;
}

const ifd__key *ifd__key_find(const ifd__key *keys, const char *name)
{
    for (; keys->param.name; keys++)
        if (strcmp(keys->param.name, name) == 0)
            return keys;
    return NULL;
}

bool ifd__param_hidden(const ifd_param *p)
{
    return p->doc && strncmp(p->doc, "set from ", 9) == 0;
}

const char *ifd__join(ifd_arena *arena, int count, const char *const *names)
{
    size_t length = 1;
    for (int i = 0; i < count; i++)
        length += names[i] ? strlen(names[i]) + 1 : 0;
    char *text = ifd_arena_take(arena, length), *end = text;
    if (!text)
        return "";
    for (int i = 0; i < count; i++) {
        if (!names[i])
            continue;
        if (end > text)
            *end++ = '|';
        end = stpcpy(end, names[i]);
    }
    *end = '\0';
    return text;
}

bool ifd__in_memory(ifd__reader *r, bool all)
{
    if (!all)
        ifd_note_add(r->note, IFD_NO_MEMORY, NULL, "out of memory");
    return all;
}

ifd__node *ifd__write_node(ifd__reader *r, ifd__node_kind kind, const char *key, const char *text,
                           const ifd__node *at)
{
    ifd__node *n = ifd__node_make(&r->doc, kind, &at->place);
    if (!ifd__in_memory(r, n))
        return NULL;
    n->key = key;
    n->key_place = at->key_place;
    n->text = text;
    return n;
}

void ifd__put_node(ifd__node *parent, ifd__node *child)
{
    if (parent && child)
        ifd__node_append(parent, child);
}

ifd__node *ifd__copy_node(ifd__reader *r, const ifd__node *from)
{
    ifd__node *n = ifd_arena_take(r->arena, sizeof *n);
    if (n)
        *n = *from;
    return n;
}

static void need_forms(ifd__reader *r, const ifd__fields *f, const char *what)
{
    for (const ifd__key *k = f->section->keys; k->param.name; k++)
        if (k->form && k->param.required && !ifd__yaml_get(f->map, k->param.name))
            ifd_note_add(r->note, IFD_MISSING_KEY, &f->map->place, "%s needs '%s' (%s)", what, k->param.name,
                         k->param.doc);
}

static void read_fields(ifd__reader *r, const ifd__node *map, const ifd__section *section, const char *what,
                        bool turns, ifd__fields *out)
{
    memset(out, 0, sizeof *out);
    out->section = section;
    out->map = map;
    ifd_param plain[IFD__FIELDS + 1] = {{0}};
    ifd_value value[IFD__FIELDS];
    const char *form[IFD__FIELDS];
    int plains = 0, forms = 0, order[IFD__FIELDS];
    for (int i = 0; out->section->keys[i].param.name; i++) {
        const ifd__key *k = &out->section->keys[i];
        assert(i < IFD__FIELDS);
        if (k->form)
            form[forms++] = k->param.name;
        else {
            order[plains] = i;
            plain[plains] = k->param;
            if (turns)
                plain[plains].dim = ifd__dimension_rotational(k->param.dim);
            plains++;
        }
    }
    ifd_param_preset(plain, value);
    for (int i = 0; i < plains; i++)
        out->value[order[i]] = value[i];
    if (!map || ifd__yaml_expect(map, IFD__MAPPING, r->note) != IFD_OK)
        return;
    const char *also = ifd__join(r->arena, forms, form);
    ifd__settings ask = {.map = map,
                         .params = plain,
                         .any = IFD_DIM_ANY,
                         .what = what,
                         .place = map->place,
                         .also = also[0] ? also : NULL};
    ifd__yaml_params(r->arena, &ask, value, r->note);
    for (int i = 0; i < plains; i++)
        out->value[order[i]] = value[i];
    need_forms(r, out, what);
}

void ifd__fields_read(ifd__reader *r, const ifd__node *map, const ifd__section *section, const char *what,
                      ifd__fields *out)
{
    read_fields(r, map, section, what ? what : section->topic, false, out);
}

void ifd__fields_read_at(ifd__reader *r, const ifd__node *map, const ifd__section *section, bool turns,
                         ifd__fields *out)
{
    read_fields(r, map, section, section->topic, turns, out);
}

const ifd_value *ifd__field(const ifd__fields *f, const char *name)
{
    const ifd__key *k = ifd__key_find(f->section->keys, name);
    assert(k && !k->form);
    return &f->value[k - f->section->keys];
}

const ifd__node *ifd__part(const ifd__fields *f, const char *name)
{
    const ifd__key *k = ifd__key_find(f->section->keys, name);
    assert(k && k->form);
    return ifd__yaml_get(f->map, k->param.name);
}

double ifd__field_limit(const ifd__fields *f, const char *name)
{
    const ifd_value *v = ifd__field(f, name);
    return v->word ? (double)INFINITY : v->number;
}

int ifd__field_whole(ifd__reader *r, const ifd__fields *f, const char *name, const char *whose)
{
    const ifd_value *v = ifd__field(f, name);
    if (v->number != floor(v->number))
        ifd_note_add(r->note, IFD_RANGE, &v->place, "%s'%s' is %g, expected a whole number", whose, name, v->number);
    return fabs(v->number) <= INT_MAX ? (int)v->number : 1;
}

int ifd__field_word(const ifd__fields *f, const char *name)
{
    const ifd_value *v = ifd__field(f, name);
    const char *words = ifd__key_find(f->section->keys, name)->param.words;
    int index = v->given && v->word ? ifd_choice_find(words, v->word) : 0;
    return index < 0 ? 0 : index;
}

void ifd__key_number(ifd__reader *r, const ifd__node *map, const ifd__section *section, const char *name, double *out)
{
    const ifd__node *node = ifd__yaml_get(map, name);
    const ifd__key *k = ifd__key_find(section->keys, name);
    assert(k && !k->form);
    const ifd_param one[] = {k->param, {0}};
    ifd_value v = {.given = true};
    if (!node || ifd__yaml_number_of(node, k->param.dim, &k->param, &v.number, r->note) != IFD_OK)
        return;
    v.place = node->place;
    if (ifd_param_check(one, &v, section->topic, &node->place, r->note) == IFD_OK)
        *out = v.number;
}

void ifd__place_findings(ifd__reader *r, const ifd_finding *before, const ifd_place *place)
{
    for (ifd_finding *f = before ? before->next : r->note->first; f; f = f->next)
        if (!f->place.file)
            f->place = *place;
}

bool ifd__unknown_choice(ifd__reader *r, const char *noun, const char *name, const ifd_place *place,
                         const char *known)
{
    ifd_note_add(r->note, IFD_UNKNOWN_CHOICE, place, "unknown %s '%s'", noun, name);
    ifd_choice_hint(r->note, known, name);
    return false;
}

bool ifd__row_settings(ifd__reader *r, const char *noun, const char *name, ifd__settings ask, ifd_value *values)
{
    const char *what = ifd_arena_print(r->arena, "%s '%s'", noun, name);
    ask.what = what ? what : name;
    return ifd__yaml_params(r->arena, &ask, values, r->note) == IFD_OK;
}

int ifd__read_word(ifd__reader *r, const ifd__node *node, const char *choices, const char *what)
{
    ifd__node renamed = *node;
    int index = 0;
    renamed.key = what;
    return ifd__yaml_word(&renamed, choices, &index, r->note) == IFD_OK ? index : -1;
}

bool ifd__model_begin(ifd__reader *r, const ifd_signal *const ground[3], const ifd__node *node, int index,
                      ifd__model_read *m)
{
    *m = (ifd__model_read){.r = r, .arena = r->arena, .note = r->note, .node = node, .index = index};
    m->b = ifd_builder_make(r->arena);
    for (int d = 0; d < 3 && m->b; d++)
        ifd_builder_ground(m->b, (ifd_dof_kind)d, ground[d]);
    return ifd__in_memory(r, m->b);
}

void ifd__add_piece(ifd__model_read *m, const ifd_case_piece *piece)
{
    ifd_case_piece *kept = ifd_arena_take(m->arena, sizeof *kept);
    if (!ifd__in_memory(m->r, kept))
        return;
    *kept = *piece;
    kept->next = m->piece;
    m->piece = kept;
}

void ifd__read_moving(ifd__model_read *m, const ifd__node *loads, const ifd__node *initial)
{
    m->errors = m->note->errors;
    ifd__read_model(m);
    m->sound = m->node && m->note->errors == m->errors;
    ifd__read_loads(m, loads);
    int errors = m->note->errors;
    ifd__read_initial(m, initial);
    m->sound = m->sound && m->note->errors == errors;
}

bool ifd__unknown_name(const ifd__model_read *m, const char *name)
{
    for (const ifd__unknown *u = m->r->unknown; u; u = u->next)
        if (u->in == m->b && strcmp(u->name, name) == 0)
            return false;
    ifd__unknown *u = ifd_arena_take(m->arena, sizeof *u);
    if (u) {
        *u = (ifd__unknown){m->r->unknown, m->b, name};
        m->r->unknown = u;
    }
    return !m->nameless;
}

const ifd__model_read *ifd__model_of(const ifd__structure *st, int part)
{
    return st->parts ? &st->part[part].m : &st->whole;
}

/* All names to which an element can be attached. */
static const char *known_names(const ifd__model_read *m)
{
    int dofs = m->b->dof.count, supports = m->b->support.count;
    const char **name = ifd_arena_array(m->arena, (size_t)(dofs + supports) + 1, sizeof *name);
    if (!name)
        return "";
    for (int i = 0; i < dofs; i++)
        name[i] = ifd_builder_dof_name(m->b, i);
    for (int i = 0; i < supports; i++)
        name[dofs + i] = IFD__AT(m->b->support, ifd__support, i).name;
    name[dofs + supports] = "ground";
    return ifd__join(m->arena, dofs + supports + 1, name);
}

bool ifd__find_ref(const ifd__model_read *m, const char *name, const ifd_place *place, unsigned allowed, int *ref)
{
    size_t own = m->part ? strlen(m->part) : 0;
    if (own && strncmp(name, m->part, own) == 0 && name[own] == '.')
        name += own + 1;
    if (!ifd_builder_find(m->b, name, ref)) {
        if (!ifd__unknown_name(m, name))
            return false;
        ifd_note_add(m->note, IFD_UNKNOWN_NAME, place, "no dof%s has the name '%s'%s",
                     allowed & IFD__REF_SUPPORT ? " or support" : "", name,
                     ifd__is_node(m, name) ? ", which is a node" : "");
        ifd_choice_hint(m->note, known_names(m), name);
        return false;
    }
    if (*ref >= 0 || (*ref == IFD_GROUND && (allowed & IFD__REF_GROUND)) ||
        (*ref < IFD_GROUND && (allowed & IFD__REF_SUPPORT)))
        return true;
    ifd_note_add(m->note, IFD_UNKNOWN_NAME, place, "'%s' is %s, expected a dof", name,
                 *ref == IFD_GROUND ? "the ground" : "a support");
    return false;
}

bool ifd__read_ref(const ifd__model_read *m, const ifd__node *node, unsigned allowed, int *ref)
{
    const char *name;
    if (!node || ifd__yaml_text(node, &name, m->note) != IFD_OK)
        return false;
    return ifd__find_ref(m, name, &node->place, allowed, ref);
}

bool ifd__kept(const ifd__model_read *m, int ref)
{
    if (!m->keep || ref < 0 || ifd__is_slave(m, ref))
        return true; /* the masters of a slave are examined when the model is made */
    const char *name = ifd_builder_dof_name(m->b, ref);
    for (const ifd__node *k = m->keep->first; k; k = k->next)
        if (k->kind == IFD__SCALAR && strcmp(k->text, name) == 0)
            return true;
    return m->keep->kind == IFD__SCALAR && strcmp(m->keep->text, name) == 0;
}

bool ifd__refuse_condensed(const ifd__model_read *m, int ref, const ifd_place *place, const char *what)
{
    if (ifd__kept(m, ref))
        return false;
    const char *name = ifd_builder_dof_name(m->b, ref);
    ifd_note_add(m->note, IFD_CONFLICT, place, "%s uses '%s', which is condensed", what, name);
    ifd_note_hint(m->note, "add '%s' to 'keep' of 'condense'", name);
    return true;
}

int ifd__new_dof(ifd__model_read *m, const char *name, ifd_dof_kind kind, const ifd_place *place)
{
    int ref;
    if (name[0] == '\0' || strpbrk(name, " ,|[]{}")) {
        ifd_note_add(m->note, IFD_SYNTAX, place, "'%s' is not a valid name of a dof: expected one word", name);
        m->nameless = true;
        return -1;
    }
    if (ifd_builder_find(m->b, name, &ref)) {
        ifd_note_add(m->note, IFD_DUPLICATE, place, "the name '%s' is already used by %s", name,
                     ref >= 0            ? "another dof"
                     : ref == IFD_GROUND ? "the ground"
                                         : "a support");
        ifd_note_hint(m->note, "rename one of them");
        return -1;
    }
    return ifd_builder_dof(m->b, name, kind);
}

int ifd__find_interface(ifd__reader *r, const char *name, const ifd_place *place, const char *prefix,
                        const char *what)
{
    const ifd_hybrid_options *o = r->c->test;
    const char *known[IFD_RIG_ACTUATORS];
    bool unread = false; /* a specimen with errors that are already reported */
    for (int k = 0; k < o->interfaces; k++) {
        known[k] = o->interface[k].name;
        if (known[k] && strcmp(known[k], name) == 0)
            return k;
        unread = unread || !known[k];
    }
    if (unread)
        return -1;
    ifd_note_add(r->note, IFD_UNKNOWN_NAME, place, "%sno %s has the name '%s'", prefix, what, name);
    ifd_choice_hint(r->note, ifd__join(r->arena, o->interfaces, known), name);
    return -1;
}

ifd_dof_kind ifd__ref_kind(const ifd_builder *b, int ref)
{
    return ref >= 0 && ref < b->dof.count ? IFD__AT(b->dof, ifd__dof, ref).kind : IFD_DOF_X;
}

bool ifd__rotation(ifd_dof_kind kind)
{
    return kind >= IFD_DOF_RX && kind <= IFD_DOF_ANGLE;
}
