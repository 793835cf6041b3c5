/* SPDX-License-Identifier: MIT */
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

/* Length of the owner's name in `name` when it is of this quantity, -1 when it is not. */
static long owner_in(const char *name, int quantity, int *number)
{
    const char *words = rows[quantity].words, *last = strrchr(name, ' ');
    size_t n = strlen(name), w = strlen(words);
    *number = 0;
    if (rows[quantity].of == WHOLE)
        return strcmp(name, words) == 0 ? 0 : -1;
    if (rows[quantity].of == EACH && last && strspn(last + 1, "0123456789") == strlen(last + 1) && last[1]) {
        *number = atoi(last + 1);
        n = (size_t)(last - name);
    }
    return n > w && name[n - w - 1] == ' ' && strncmp(name + n - w, words, w) == 0 ? (long)(n - w - 1) : -1;
}

ifd_status ifd_column_read(ifd_arena *arena, const char *name, const char *unit, const char *group, ifd_column *out)
{
    *out = (ifd_column){.name = name, .unit = unit, .group = group, .owner = name, .quantity = IFD_COLUMN_OUTPUT};
    long most = 0, length = 0;
    for (int q = 0; q < IFD_COLUMN_OUTPUT; q++) { /* "measured force" before "force": the shortest owner */
        int number = 0;
        if (strcmp(group, rows[q].group) != 0 || (length = owner_in(name, q, &number)) < 0 ||
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

char *ifd__column_path(ifd_arena *arena, const ifd_column *c)
{
    bool known = c->quantity != IFD_COLUMN_OUTPUT;
    int of = known ? rows[c->quantity].of : WHOLE;
    size_t g = strlen(c->group);
    const char *place = known && of == OWNED && strcmp(rows[c->quantity].words, c->group) == 0 ? c->owner : c->name;
    bool begins =
        place == c->name && strncmp(place, c->group, g) == 0 && place[g] == ' '; /* as its group is called */
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
