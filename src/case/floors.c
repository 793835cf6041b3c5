/* SPDX-License-Identifier: MIT */
/* Rigid floors of a grid. */
#include <string.h>

#include "base/arena.h"
#include "case/tie.h"

/* Nodes of one storey: a grid has them one storey after the other, those of the base first. */
static int per_storey(const ifd_frame *f)
{
    int count = 0;
    while (count < f->nodes && strncmp(f->node[count].name, "s0", 2) == 0)
        count++;
    return count;
}

/* One value for each floor, or one for all; false after an error. */
static bool check_count(const ifd__model_read *m, const char *key, const ifd_value *list, int floors)
{
    int count = list->rows * list->cols;
    if (!list->given || count == 1 || count == floors)
        return true;
    ifd_note_add(m->note, IFD_SHAPE, &list->place, "'%s' has %d numbers, expected %d, one per floor, or one for all",
                 key, count, floors);
    return false;
}

static double of_floor(const ifd_value *list, int floor)
{
    return list->given ? list->data[list->rows * list->cols == 1 ? 0 : floor] : 0.0;
}

/* Settings of rigid floors that have no effect. */
static bool check_keys(const ifd__model_read *m, const ifd__fields *grid, bool rigid, bool planar)
{
    static const char *const key[] = {"floor-mass", "floor-inertia", "floor-eccentricity"};
    for (int i = 0; i < 3; i++) {
        const ifd_value *value = ifd__field(grid, key[i]);
        if (!value->given || (rigid && (i == 0 || !planar)))
            continue;
        ifd_note_add(m->note, IFD_CONFLICT, &value->place, "'%s' has no effect %s", key[i],
                     rigid ? "in the plane, where a floor does not turn" : "without 'floors: rigid'");
        return false;
    }
    const ifd_value *off = ifd__field(grid, "floor-eccentricity");
    if (!off->given || off->rows * off->cols == 2)
        return true;
    ifd_note_add(m->note, IFD_SHAPE, &off->place, "'floor-eccentricity' has %d numbers, expected 2",
                 off->rows * off->cols);
    return false;
}

/* The nodes from `first` on, and the master at their centre. */
static void place_floor(const ifd_frame *f, int first, const ifd_value *off, ifd__rigid *out)
{
    for (int i = 0; i < out->count; i++) {
        const ifd_frame_node *node = &f->node[first + i];
        out->node[i] = first + i;
        out->at[0] += node->x / out->count;
        out->at[1] += node->y / out->count;
        out->at[2] += f->planar ? 0.0 : node->z / out->count;
    }
    for (int d = 0; d < 2 && off->given; d++)
        out->at[d] += off->data[d];
}

ifd__rigid *ifd__read_floors(ifd__model_read *m, const ifd__fields *grid, const ifd_frame *f)
{
    bool rigid = ifd__field_word(grid, "floors") == 1;
    int per = per_storey(f), floors = per ? f->nodes / per - 1 : 0;
    const ifd_value *mass = ifd__field(grid, "floor-mass"), *inertia = ifd__field(grid, "floor-inertia");
    if (!check_keys(m, grid, rigid, f->planar) || !rigid || !check_count(m, "floor-mass", mass, floors) ||
        !check_count(m, "floor-inertia", inertia, floors))
        return NULL;
    ifd__rigid *all = ifd_arena_array(m->arena, (size_t)floors, sizeof *all);
    for (int s = 0; all && s < floors; s++) {
        all[s] = (ifd__rigid){.next = s + 1 < floors ? &all[s + 1] : NULL,
                              .name = ifd_arena_print(m->arena, "floor%d", s + 1),
                              .own = true,
                              .level = true,
                              .placed = true,
                              .in = ifd__floor_directions(f),
                              .count = per,
                              .node = ifd_arena_array(m->arena, (size_t)per, sizeof(int)),
                              .mass = of_floor(mass, s),
                              .inertia = of_floor(inertia, s),
                              .place = ifd__yaml_get(grid->map, "floors")->place};
        if (!ifd__in_memory(m->r, all[s].name && all[s].node))
            return NULL;
        place_floor(f, (s + 1) * per, ifd__field(grid, "floor-eccentricity"), &all[s]);
    }
    return all;
}

void ifd__add_floors(ifd__model_read *m, ifd__rigid *floors)
{
    for (ifd__rigid *i = floors; i; i = i->next)
        ifd__add_rigid(m, i);
}
