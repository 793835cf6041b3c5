/* SPDX-License-Identifier: MIT */
/* Names, groups and units of recorded columns, and their search. */
#include "base/column.h"

#include <stdlib.h>
#include <string.h>

enum { OWNED, LEVEL, EACH, WHOLE };

#define ROW(quantity, group, words, unit, angle, of) {group, words, {unit, angle}, of},
static const struct {
    const char *group, *words, *unit[2];
    int of;
} rows[IFD_COLUMN_OUTPUT] = {IFD_QUANTITIES(ROW)};

ifd_status ifd_column_make(ifd_arena *arena, const char *owner, ifd_quantity quantity, int number, bool rotates,
                           ifd_column *out)
{
    const char *words = rows[quantity].words, *name = words;
    owner = ifd_arena_text(arena, owner);
    if (owner && number > 0)
        name = ifd_arena_print(arena, "%s %s %d", owner, words, number);
    else if (owner && *owner)
        name = ifd_arena_print(arena, "%s %s", owner, words);
    *out = (ifd_column){.name = name,
                        .unit = rows[quantity].unit[rotates],
                        .group = rows[quantity].group,
                        .owner = owner,
                        .quantity = quantity,
                        .number = number};
    return name && owner ? IFD_OK : IFD_NO_MEMORY;
}

/* Length of the owner's name in `name` if the rest is the given words and the quantity fits; otherwise -1. */
static long owner_in(const char *name, const char *words, int of, int *number)
{
    const char *last = strrchr(name, ' ');
    size_t n = strlen(name), w = strlen(words);
    *number = 0;
    if (of == WHOLE)
        return strcmp(name, words) == 0 ? 0 : -1;
    if (of == EACH && last && strspn(last + 1, "0123456789") == strlen(last + 1) && last[1]) {
        *number = atoi(last + 1);
        n = (size_t)(last - name);
    }
    return n > w && name[n - w - 1] == ' ' && strncmp(name + n - w, words, w) == 0 ? (long)(n - w - 1) : -1;
}

ifd_status ifd_column_read(ifd_arena *arena, const char *name, const char *unit, const char *group, ifd_column *out)
{
    *out = (ifd_column){.name = name, .unit = unit, .group = group, .owner = name, .quantity = IFD_COLUMN_OUTPUT};
    long most = 0, length = 0;
    int number = 0;
    for (int q = 0; q < IFD_COLUMN_OUTPUT; q++) { /* "measured force" before "force": the shortest owner */
        if (strcmp(group, rows[q].group) != 0 || (length = owner_in(name, rows[q].words, rows[q].of, &number)) < 0 ||
            (out->quantity != IFD_COLUMN_OUTPUT && length >= most))
            continue;
        most = length;
        out->quantity = (ifd_quantity)q;
        out->number = number;
    }
    if (out->quantity != IFD_COLUMN_OUTPUT)
        out->owner = ifd_arena_text_n(arena, name, (size_t)most);
    return out->owner ? IFD_OK : IFD_NO_MEMORY;
}

int ifd_column_find(const ifd_column *column, int columns, const char *owner, ifd_quantity quantity)
{
    for (int i = 0; i < columns; i++)
        if (column[i].quantity == quantity && strcmp(column[i].owner, owner) == 0)
            return i;
    return -1;
}

/* Number of letters of a name that repeat its group, as "absolute acceleration" in group absolute-acceleration. 0:
 * none. */
static size_t group_in(const char *name, const char *group)
{
    size_t n = 0;
    while (group[n] && (name[n] == group[n] || (name[n] == ' ' && group[n] == '-')))
        n++;
    return group[n] ? 0 : n;
}

char *ifd__column_path(ifd_arena *arena, const ifd_column *c)
{
    bool known = c->quantity != IFD_COLUMN_OUTPUT;
    int of = known ? rows[c->quantity].of : WHOLE;
    size_t g = strlen(c->group);
    if (c->quantity == IFD_COLUMN_TIME || c->quantity == IFD_COLUMN_WALL_TIME) /* both are at the top level of the
                                                                                * file */
        return ifd_arena_text(arena, c->quantity == IFD_COLUMN_TIME ? "/time" : "/wall_time");
    const char *words = known ? rows[c->quantity].words : "";
    const char *place = known && of == OWNED && group_in(words, c->group) == strlen(words) ? c->owner : c->name;
    bool begins = place == c->name && group_in(place, c->group) && place[g] == ' '; /* the name begins with the name
                                                                                     * of its group */
    char *path = ifd_arena_print(arena, "/%s/%s", c->group, place + (begins ? g + 1 : 0));
    if (!path)
        return NULL;
    char *own = path + g + 2;
    for (char *p = own; *p; p++)
        if (*p == ' ' || *p == '/')
            *p = '_';
    if ((of == LEVEL || of == EACH) && !begins)
        own[strlen(c->owner)] = '/';
    if (*own == '.')
        *own = '_';
    return path;
}
