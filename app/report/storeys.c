/* SPDX-License-Identifier: MIT */
/* Buildings as stacked floors: shear buildings, and dofs connected in a chain by elements and specimens. */
#include "sketch.h"

#include <string.h>

enum { FLOORS = 200, SLAB = 130 /* px */, STOREY = 56 };

static bool put_floors(sketch *s, const char *const *name, int floors, const char *part)
{
    double storey = (double)SKETCH_HEIGHT / floors < STOREY ? (double)SKETCH_HEIGHT / floors : STOREY;
    s->room = floors + 2 * SKETCH_MARKS;
    s->spot = ifd_arena_array(s->arena, (size_t)s->room, sizeof *s->spot);
    s->member = ifd_arena_array(s->arena, (size_t)floors, sizeof *s->member);
    if (!s->spot || !s->member)
        return false;
    s->building = s->planar = true;
    s->left = 0.5 * (SKETCH_WIDTH - SLAB);
    s->right = s->left + SLAB;
    s->low = 24;
    s->high = s->low + storey * floors;
    for (int i = 0; i < floors; i++) {
        sketch_add(s, &(sketch_spot){.part = part,
                                     .name = name[i],
                                     .x = 0.5 * (s->left + s->right),
                                     .y = s->high - storey * (i + 1),
                                     .floor = true});
        s->member[s->members++] = (sketch_member){i ? i - 1 : 0, i, 0};
    }
    return true;
}

static bool take_building(sketch *s, const ifd_case_piece *p)
{
    const ifd_building *b = p->building;
    const char *name[FLOORS];
    for (int i = 0; i < b->storeys && i < FLOORS; i++) {
        const char *prefix = b->prefix ? b->prefix : "floor", *given = b->storey[i].name;
        name[i] = given ? given : ifd_arena_print(s->arena, "%s%d", prefix, i + 1);
        if (!name[i])
            return false;
    }
    return b->storeys > 0 && b->storeys <= FLOORS && put_floors(s, name, b->storeys, p->part);
}

static bool same(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool among(const char *const *name, int count, const char *one)
{
    for (int i = 0; i < count; i++)
        if (same(name[i], one))
            return true;
    return false;
}

static const char *name_of(const ifd_model *m, int dof)
{
    return dof >= 0 && dof < ifd_model_dofs(m) ? ifd_model_dof_name(m, dof) : NULL;
}

/* The only dof above `below` (NULL: the ground) that is not yet a floor; *several: there are more. */
static const char *next_above(const sketch *s, const char *below, const char *const *floor, int floors, bool *several)
{
    const ifd_model *m = sketch_model(s->c, 0);
    const char *found = NULL;
    int pieces = 0;
    for (const ifd_case_piece *p = s->c->piece; p; p = p->next)
        pieces++;
    const ifd_case_piece *p = s->c->piece;
    for (int k = 0; k < pieces + s->c->run.specimens; k++) {
        const ifd_specimen *sp = k < pieces ? NULL : &s->c->run.specimen[k - pieces];
        const char *from = sp ? name_of(m, sp->from) : p->from;
        const char *to = sp ? name_of(m, sp->to) : p->to;
        p = sp ? p : p->next;
        const char *other = same(from, below) ? to : same(to, below) ? from : NULL;
        if (!other || among(floor, floors, other))
            continue;
        *several = *several || (found && !same(found, other));
        found = other;
    }
    return found;
}

/* Number of translational dofs if all have one direction; 0: two directions. */
static int count_floors(const ifd_model *m)
{
    int count = 0;
    ifd_dof_kind direction = IFD_DOF_X;
    for (int k = 0; k < ifd_model_dofs(m); k++) {
        ifd_dof_kind kind = ifd_model_dof_kind(m, k);
        if (kind > IFD_DOF_Z)
            continue;
        if (count++ && kind != direction)
            return 0;
        direction = kind;
    }
    return count;
}

/* Dofs in one direction, each connected to the one below it; pendulums and other angles are attached to them. */
static bool take_chain(sketch *s)
{
    const char *floor[FLOORS], *below = NULL;
    int n = s->parts ? 0 : count_floors(sketch_model(s->c, 0)), floors = 0;
    bool several = false;
    if (n < 2 || n > FLOORS)
        return false;
    while (floors < n && (below = next_above(s, below, floor, floors, &several)) && !several)
        floor[floors++] = below;
    return floors == n && put_floors(s, floor, floors, NULL);
}

bool sketch_storeys(sketch *s)
{
    const ifd_case_piece *only = NULL;
    for (const ifd_case_piece *p = s->c->piece; p; p = p->next) {
        if (!p->building)
            continue;
        if (only)
            return false; /* their arrangement is unknown */
        only = p;
    }
    if (only && only->part && s->parts > 1)
        return false; /* as is the connection of the other substructures to it */
    return only ? take_building(s, only) : take_chain(s);
}
