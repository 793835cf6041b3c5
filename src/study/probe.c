/* SPDX-License-Identifier: MIT */
/* The columns of the first member: a kept column must exist, patterns of histories become names, and units are
 * known. */
#include <string.h>

#include <interfield/run.h>

#include "study/member.h"

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

static void name_scalars(ifd__reader *r, ifd_study *s, const ifd_column *column, int columns)
{
    for (int k = 0; k < s->scalars; k++) {
        int at;
        ifd__reduction how = s->reduction[k];
        if (!find(column, columns, s->scalar[k].column, &at))
            complain(r, &s->place[k], s->scalar[k].column, column, columns);
        else if (ifd__reduces_tracking(how) && column[at].quantity != IFD_COLUMN_INTERFACE_MEASURED)
            ifd_note_add(r->note, IFD_UNKNOWN_NAME, &s->place[k],
                         "'%s' of the column '%s': expected the measured position of a specimen, as in 'bearing "
                         "measured'",
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
    ifd_arena *scratch = ifd_arena_open();
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
    ifd_arena_close(scratch);
}
