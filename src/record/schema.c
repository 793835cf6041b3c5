/* SPDX-License-Identifier: MIT */
/* Converts results of an earlier schema to the present one. Changes of schema 2:
 *
 *     outcome   done is completed, cut is incomplete
 *     time      in a test it was wall-clock time, and simulated time was a column; now it is simulated time, as in a
 *               run, and wall-clock time is a column
 *
 * and names of columns, which ifd_column_read converts. */
#include "record/result.h"

#include <string.h>

static const char *outcome_now(const char *then)
{
    return strcmp(then, "done") == 0 ? "completed" : strcmp(then, "cut") == 0 ? "incomplete" : then;
}

/* Exchanges wall-clock and simulated time; simulated time becomes the first column. */
static ifd_status exchange_times(ifd_arena *arena, ifd_table *t)
{
    int at = ifd_column_find(t->column, t->columns, "", IFD_COLUMN_TEST_TIME);
    if (at < 0)
        return IFD_OK; /* there is no other time */
    ifd_column *column = ifd_arena_array(arena, (size_t)t->columns, sizeof *column);
    double **value = ifd_arena_array(arena, (size_t)t->columns, sizeof *value);
    double *wall = ifd_arena_array(arena, (size_t)t->rows, sizeof *wall);
    if (!column || !value || (!wall && t->rows))
        return IFD_NO_MEMORY;
    IFD_TRY(ifd_column_make(arena, "", IFD_COLUMN_WALL_TIME, 0, false, &column[0]));
    memcpy(wall, t->time, (size_t)t->rows * sizeof *wall);
    value[0] = wall;
    for (int i = 0, k = 1; i < t->columns; i++)
        if (i != at) {
            column[k] = t->column[i];
            value[k++] = t->value[i];
        }
    t->time = t->value[at];
    t->column = column;
    t->value = value;
    return IFD_OK;
}

ifd_status ifd__table_upgrade(ifd_arena *arena, int schema, bool cut, ifd_table *t)
{
    t->schema = schema;
    if (schema < 2) {
        bool early = strcmp(t->outcome, "cut") == 0;
        t->outcome = outcome_now(t->outcome);
        t->reason = early ? (cut ? IFD__REASON_CUT : IFD__REASON_EARLY) : t->reason;
        if (t->test)
            IFD_TRY(exchange_times(arena, t));
    }
    int wall = ifd_column_find(t->column, t->columns, "", IFD_COLUMN_WALL_TIME);
    t->wall_time = wall >= 0 ? t->value[wall] : NULL;
    return IFD_OK;
}

static ifd_json_node *member(ifd_json_node *of, const char *key)
{
    ifd_json_node *n = of && of->kind == IFD_JSON_OBJECT ? of->first : NULL;
    while (n && strcmp(n->key, key) != 0)
        n = n->next;
    return n;
}

/* Wall-clock instants keep their values under a name with "wall". */
static void name_wall_times(ifd_json_node *peaks)
{
    for (ifd_json_node *n = peaks && peaks->kind == IFD_JSON_OBJECT ? peaks->first : NULL; n; n = n->next) {
        ifd_json_node *time = member(n, "time");
        if (time)
            time->key = "wall_time";
    }
}

void ifd__summary_upgrade(ifd_json_node *root)
{
    ifd_json_node *schema = member(root, "schema"), *outcome = member(root, "outcome");
    if (!schema || schema->kind != IFD_JSON_NUMBER || schema->number >= 2)
        return;
    if (outcome && outcome->kind == IFD_JSON_TEXT)
        outcome->text = outcome_now(outcome->text);
    if (!member(root, "clock"))
        return; /* a run has simulated time only */
    name_wall_times(member(root, "peaks"));
    name_wall_times(member(root, "drift"));
}
