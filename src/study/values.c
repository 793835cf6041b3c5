/* SPDX-License-Identifier: MIT */
/* Values of `vary` that no case accepts are refused before anything is computed, with their place: a unit of another
 * dimension, a text where a number is expected, an unknown name. A number outside its range is not: such members are
 * refused, and the others are computed. */
#include <string.h>

#include "study/member.h"

enum { MOST_READINGS = 32 };

typedef struct checking {
    ifd__reader *r;
    ifd_study *s;
    const ifd__variable *v;
    int readings;
    ifd__unit seen; /* unit of the last value that a case accepted */
    bool any;
} checking;

static bool same_dimension(const ifd__unit *a, const ifd__unit *b)
{
    return a->m == b->m && a->kg == b->kg && a->s == b->s;
}

static bool is_type_error(ifd_status code)
{
    return code == IFD_UNIT || code == IFD_NUMBER || code == IFD_NOT_FINITE || code == IFD_UNKNOWN_CHOICE;
}

/* Reads the base case with one value. The files that it reads are forgotten: they are not part of the study. */
static bool accepted(checking *c, const ifd__node *value, const char *key)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_note own;
    ifd_case *out;
    const ifd_finding *f = NULL;
    ifd__source_file *last = c->s->bundle->last;
    const char *text = arena ? ifd__flow_text(arena, value) : NULL;
    const char *set = text ? ifd_arena_print(arena, "%s=%s", key, text) : NULL;
    if (ifd__in_memory(c->r, set != NULL)) {
        ifd_note_init(&own, arena);
        (void)ifd__member_read(arena, c->s, 1, &set, &out, &own);
        for (f = own.first; f && !(f->place.file && strcmp(f->place.file, "--set") == 0 && is_type_error(f->code));)
            f = f->next;
    }
    if (f) {
        ifd_note_add(c->r->note, f->code, &value->place, "variable '%s': %s", c->v->shown.name, f->text);
        if (f->hint)
            ifd_note_hint(c->r->note, "%s", f->hint);
    }
    c->s->bundle->last = last;
    last->next = NULL;
    ifd_arena_close(arena);
    return !f;
}

/* A number with a unit: compared with that of the base case, or with what the case expects. */
static void check_unit(checking *c, const ifd__node *value, const ifd__unit *unit, const char *key)
{
    ifd__unit base;
    const ifd__node *there = ifd__at_path(c->s->doc.root, key);
    bool known = there && ifd__unit_of(there, &base) == IFD__WITH_UNIT;
    if (known && !same_dimension(&base, unit))
        ifd_note_add(c->r->note, IFD_UNIT, &value->place,
                     "variable '%s': '%s' has another dimension than '%s', the value of '%s' in the base case",
                     c->v->shown.name, value->text, there->text, key);
    if (known || (c->any && same_dimension(&c->seen, unit)) || c->readings++ >= MOST_READINGS)
        return;
    if (accepted(c, value, key)) {
        c->seen = *unit;
        c->any = true;
    }
}

static void check_value(checking *c, const ifd__node *value, const char *key)
{
    ifd__unit unit;
    const ifd__unit none = {0};
    ifd__with_unit kind = ifd__unit_of(value, &unit);
    bool factor = c->v->applied == IFD__AS_FACTOR;
    if (factor && kind == IFD__WITH_UNIT && !same_dimension(&unit, &none))
        ifd_note_add(c->r->note, IFD_UNIT, &value->place,
                     "variable '%s': '%s' is a factor, expected a number without unit", c->v->shown.name,
                     value->text);
    else if (!factor && kind == IFD__WITH_UNIT)
        check_unit(c, value, &unit, key);
    else if (!factor && kind == IFD__NO_NUMBER && c->readings++ < MOST_READINGS)
        (void)accepted(c, value, key);
}

/* Two variables with one key: the second one would replace the first. */
static void check_keys(ifd__reader *r, const ifd_study *s, int i, const char *key)
{
    for (int j = 0; j < i; j++)
        for (int k = 0; k < s->variable[j].keys; k++)
            if (strcmp(s->variable[j].key[k], key) == 0)
                ifd_note_add(r->note, IFD_CONFLICT, &s->variable[i].place, "'%s' and '%s' both set '%s'",
                             s->variable[j].shown.name, s->variable[i].shown.name, key);
}

void ifd__values_check(ifd__reader *r, ifd_study *s)
{
    checking c = {.r = r, .s = s};
    for (int i = 0; i < s->variables; i++)
        for (int k = 0; k < s->variable[i].keys; k++) {
            c.v = &s->variable[i];
            c.any = false;
            check_keys(r, s, i, c.v->key[k]);
            const ifd__node *source = c.v->source;
            for (const ifd__node *n = c.v->file ? NULL : source->first; n; n = n->next)
                if (source->kind == IFD__SEQUENCE ||
                    ifd_choice_find("mean|median|deviation|low|high|from|to", n->key) >= 0)
                    check_value(&c, n, c.v->key[k]);
        }
}
