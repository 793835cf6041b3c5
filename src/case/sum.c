/* SPDX-License-Identifier: MIT */
/* Reads sums of dofs. */
#include "case/sum.h"

#include <ctype.h>
#include <string.h>

#include "text/units.h"

char *ifd__trimmed(ifd_arena *arena, const char *from, const char *end)
{
    while (from < end && isspace((unsigned char)*from))
        from++;
    while (end > from && isspace((unsigned char)end[-1]))
        end--;
    return ifd_arena_text_n(arena, from, (size_t)(end - from));
}

/* A number, or a length as factor of a rotation. */
static ifd_status read_coefficient(const ifd__sum *e, const char *text, bool turns, double *out)
{
    const char *at = text, *end = text + strlen(text);
    bool plain = ifd__number_read(&at, end, out) && at == end;
    return ifd__quantity_read(text, plain || !turns ? IFD_DIM_NONE : IFD_DIM_LENGTH, "coefficient", &e->node->place,
                              out, e->r->note);
}

/* One term: [coefficient *] part.dof */
static ifd_status read_term(ifd__sum *e, const char *from, const char *end, double sign)
{
    ifd__reader *r = e->r;
    const char *star = memrchr(from, '*', (size_t)(end - from));
    const char *name = ifd__trimmed(r->arena, star ? star + 1 : from, end);
    const char *factor = star ? ifd__trimmed(r->arena, from, star) : NULL;
    ifd_joint_term *t = &e->term[e->terms];
    bool turns;
    if (!name || (star && !factor))
        return IFD_NO_MEMORY;
    if (e->terms == IFD__SUM_TERMS)
        return ifd_note_add(r->note, IFD_TOO_LARGE, &e->node->place, "%s has more than %d terms", e->what,
                            IFD__SUM_TERMS);
    IFD_TRY(e->find(e, name, t, &turns));
    t->coefficient = 1.0;
    if (factor)
        IFD_TRY(read_coefficient(e, factor, turns, &t->coefficient));
    t->coefficient *= sign;
    e->terms++;
    return IFD_OK;
}

ifd_status ifd__read_sum(ifd__sum *e, const char *from, const char *end, double side)
{
    double sign = side;
    while (from < end && isspace((unsigned char)*from))
        from++;
    if (from < end && (*from == '-' || *from == '+'))
        sign = *from++ == '-' ? -side : side;
    for (const char *at = from;; at++) {
        bool between = at + 2 < end && (*at == ' ') && (at[1] == '+' || at[1] == '-') && at[2] == ' ';
        if (at < end && !between)
            continue;
        IFD_TRY(read_term(e, from, at, sign));
        if (at >= end)
            return IFD_OK;
        sign = at[1] == '-' ? -side : side;
        from = at + 2;
        at++;
    }
}
