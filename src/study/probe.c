/* SPDX-License-Identifier: MIT */
/* The columns of the first member: a kept column must exist, patterns of histories become names, and units are
 * known. */
#include <string.h>

#include <interfield/run.h>

#include "study/member.h"

/* Values of `vary` that no case accepts are refused before anything is computed, with their place: a unit of another
 * dimension, a text where a number is expected, an unknown name. A number outside its range is not: such members are
 * refused, and the others are computed. */

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
    ifd_arena *arena IFD__CLOSED = ifd_arena_open();
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

static bool find(const ifd_column *column, int columns, const char *pattern, int *at)
{
    for (*at = 0; *at < columns; (*at)++)
        if (ifd__matches(pattern, column[*at].name))
            return true;
    return false;
}

static void complain(ifd__reader *r, const ifd_place *place, const char *pattern, const ifd_column *column,
                     int columns)
{
    const char *names = "";
    for (int i = 0; i < columns && names; i++)
        names = ifd_arena_print(r->arena, "%s%s%s", names, *names ? "|" : "", column[i].name);
    ifd_note_add(r->note, IFD_UNKNOWN_NAME, place, "there is no column '%s'", pattern);
    if (names)
        ifd_choice_hint(r->note, names, pattern);
}

static const char *unit_of(ifd__reduction how, const ifd_column *c)
{
    if (how == IFD__REDUCE_TIME_OF_PEAK || how == IFD__REDUCE_TRACKING_DELAY)
        return "s";
    return ifd__reduces_ideal(how) || ifd__reduces_tracking(how) ? "1" : c->unit;
}

/* The deformation of a specimen that has a target, which only a test has. */
static bool is_tracked(const ifd_column *column, int columns, int at)
{
    return column[at].quantity == IFD_COLUMN_INTERFACE_DEFORMATION &&
           ifd_column_find(column, columns, column[at].owner, IFD_COLUMN_INTERFACE_TARGET) >= 0;
}

static void name_scalars(ifd__reader *r, ifd_study *s, const ifd_column *column, int columns)
{
    for (int k = 0; k < s->scalars; k++) {
        int at;
        ifd__reduction how = s->reduction[k];
        if (!find(column, columns, s->scalar[k].column, &at))
            complain(r, &s->place[k], s->scalar[k].column, column, columns);
        else if (ifd__reduces_tracking(how) && !is_tracked(column, columns, at))
            ifd_note_add(r->note, IFD_UNKNOWN_NAME, &s->place[k],
                         "'%s' of the column '%s': expected the deformation of a specimen in a test, as in 'bearing "
                         "deformation'",
                         ifd__reduction_words[how], column[at].name);
        else
            s->scalar[k].unit = ifd_arena_text(r->arena, unit_of(how, &column[at]));
    }
}

static void name_histories(ifd__reader *r, ifd_study *s, const ifd__node *node, const ifd_column *column, int columns)
{
    ifd_study_kept *all = ifd_arena_array(r->arena, (size_t)columns, sizeof *all);
    int count = 0, at;
    if (!ifd__in_memory(r, all))
        return;
    for (int h = 0; h < s->histories; h++)
        if (!find(column, columns, s->history[h].column, &at))
            complain(r, &node->place, s->history[h].column, column, columns);
    for (int i = 0; i < columns; i++)
        for (int h = 0; h < s->histories; h++)
            if (ifd__matches(s->history[h].column, column[i].name)) {
                const char *name = ifd_arena_text(r->arena, column[i].name);
                all[count++] = (ifd_study_kept){name, NULL, name, ifd_arena_text(r->arena, column[i].unit)};
                break;
            }
    if (count > IFD__STUDY_KEPT)
        ifd_note_add(r->note, IFD_TOO_LARGE, &node->place, "the patterns match %d columns, at most %d are possible",
                     count, IFD__STUDY_KEPT);
    s->history = all;
    s->histories = count;
}

static ifd_status columns_of_test(ifd_arena *arena, const ifd_case *c, const ifd_column **column, int *columns,
                                  ifd_note *note)
{
    ifd_hybrid *h;
    IFD_TRY(ifd__member_test(c, note));
    ifd_hybrid_options o = *c->test;
    o.what = IFD_RECORD_EVERYTHING;
    IFD_TRY(ifd_hybrid_make(arena, &o, &h, note));
    *column = ifd_hybrid_columns(h, columns);
    ifd_hybrid_close(h);
    return IFD_OK;
}

/* IFD_RECORD_... of all kept columns, by their patterns. */
static unsigned groups_of(const ifd_study *s, const ifd_column *column, int columns)
{
    unsigned groups = 0;
    for (int i = 0; i < columns; i++) {
        bool kept = false;
        for (int k = 0; k < s->scalars && !kept; k++)
            kept = ifd__matches(s->scalar[k].column, column[i].name);
        for (int h = 0; h < s->histories && !kept; h++)
            kept = ifd__matches(s->history[h].column, column[i].name);
        groups |= kept ? ifd__watch_group(column[i].quantity) : 0u;
    }
    return groups;
}

/* The variable whose key ends with this one. */
static const ifd_place *place_of(const ifd_study *s, const char *key)
{
    for (int i = 0; i < s->variables; i++)
        for (int k = 0; k < s->variable[i].keys; k++) {
            const char *path = s->variable[i].key[k], *dot = strrchr(path, '.');
            if (strcmp(dot ? dot + 1 : path, key) == 0)
                return &s->variable[i].place;
        }
    return NULL;
}

/* The first member is refused: a key that no case has is an error of the study. */
static void refuse(ifd__reader *r, const ifd_study *s, ifd_status status, const ifd_note *own)
{
    const char *text = own->first ? own->first->text : ifd_status_text(status);
    bool unknown = status == IFD_UNKNOWN_KEY && own->first && own->first->subject;
    const ifd_place *place = unknown ? place_of(s, own->first->subject) : NULL;
    if (status == IFD_UNLOADED)
        ifd_note_add(r->note, status, NULL, "the members need native code, which is not loaded here");
    else if (place)
        ifd_note_add(r->note, status, place, "%s", text);
    else
        ifd_note_remark(r->note, NULL, "member 0 is refused: %s", text);
}

void ifd__probe(ifd__reader *r, ifd_study *s, const ifd__node *histories)
{
    ifd_arena *scratch IFD__CLOSED = ifd_arena_open();
    ifd_note own;
    ifd_case *c;
    ifd_run *run = NULL;
    double value[IFD_STUDY_VARIABLES];
    int columns = 0;
    const ifd_column *column = NULL;
    if (!ifd__in_memory(r, scratch))
        return;
    ifd_note_init(&own, scratch);
    ifd_study_values(s, 0, value);
    ifd_status status = ifd__member_case(scratch, s, value, &c, &own);
    if (status == IFD_OK && s->test)
        status = columns_of_test(scratch, c, &column, &columns, &own);
    else if (status == IFD_OK) {
        c->run.what = IFD_RECORD_EVERYTHING;
        status = ifd_run_make(scratch, &c->run, &run, &own);
        if (status == IFD_OK)
            column = ifd_run_columns(run, &columns);
    }
    if (status == IFD_OK) {
        s->groups = groups_of(s, column, columns);
        name_scalars(r, s, column, columns);
        if (s->histories)
            name_histories(r, s, histories, column, columns);
    } else
        refuse(r, s, status, &own);
    if (run)
        ifd_run_close(run);
}
