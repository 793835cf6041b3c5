/* SPDX-License-Identifier: MIT */
/* Makes a regular frame of bays and storeys. */
#include <interfield/structures.h>

#include <limits.h>
#include <math.h>

#include "base/memory.h"

enum { ROW = 40 };                  /* entries of a row of a matrix: they are counted in an int */
static const double BYTES = 1000.0; /* of a dof, before any factor */

void ifd_grid_defaults(ifd_grid *grid)
{
    ifd_frame_member member;
    ifd_frame_member_defaults(&member);
    *grid =
        (ifd_grid){.planar = true, .bays_x = 1, .bays_y = 1, .storeys = 1, .bay_x = 6.0, .bay_y = 6.0, .storey = 3.0};
    grid->column = grid->beam = member.section;
    grid->material = member.material;
    grid->base = IFD_FIX_ALL;
}

/* Nodes of one storey; a plane frame has one row in y. */
typedef struct plan {
    int nx, ny, storeys;
} plan;

static int node_at(const plan *p, int storey, int i, int j)
{
    return (storey * p->ny + j) * p->nx + i;
}

static bool make_nodes(ifd_arena *arena, const ifd_grid *g, const plan *p, ifd_frame_node *node)
{
    for (int s = 0; s <= p->storeys; s++)
        for (int j = 0; j < p->ny; j++)
            for (int i = 0; i < p->nx; i++) {
                ifd_frame_node *at = &node[node_at(p, s, i, j)];
                at->name = g->planar ? ifd_arena_print(arena, "s%dc%d", s, i + 1)
                                     : ifd_arena_print(arena, "s%dx%dy%d", s, i + 1, j + 1);
                if (!at->name)
                    return false;
                at->x = i * g->bay_x;
                at->y = g->planar ? s * g->storey : j * g->bay_y;
                at->z = g->planar ? 0.0 : s * g->storey;
            }
    return true;
}

static int make_members(const ifd_grid *g, const plan *p, ifd_frame_member *member)
{
    int count = 0;
    for (int s = 1; s <= p->storeys; s++)
        for (int j = 0; j < p->ny; j++)
            for (int i = 0; i < p->nx; i++) {
                ifd_frame_member beam = {.from = node_at(p, s, i, j),
                                         .section = g->beam,
                                         .material = g->material,
                                         .added_mass = g->beam_mass};
                beam.load[g->planar ? IFD_DOF_Y : IFD_DOF_Z] = -g->beam_load;
                ifd_frame_member column = {.from = node_at(p, s - 1, i, j), .to = beam.from, .section = g->column};
                column.material = g->material;
                member[count++] = column;
                if (i + 1 < p->nx) {
                    member[count] = beam;
                    member[count++].to = node_at(p, s, i + 1, j);
                }
                if (j + 1 < p->ny) {
                    member[count] = beam;
                    member[count++].to = node_at(p, s, i, j + 1);
                }
            }
    return count;
}

static ifd_status check(const ifd_grid *g, ifd_note *note)
{
    if (g->bays_x < 1 || g->storeys < 1 || (!g->planar && g->bays_y < 1))
        return ifd_note_add(note, IFD_RANGE, NULL, "a frame needs at least one bay and one storey");
    if (!(g->bay_x > 0.0 && g->storey > 0.0 && (g->planar || g->bay_y > 0.0)) ||
        !isfinite(g->bay_x + g->bay_y + g->storey))
        return ifd_note_add(note, IFD_RANGE, NULL, "a bay or storey of a frame has no positive length");
    double dofs = (g->planar ? 3.0 : 6.0 * (g->bays_y + 1.0)) * (g->bays_x + 1.0) * (g->storeys + 1.0);
    if (dofs > INT_MAX / ROW)
        return ifd_note_add(note, IFD_TOO_LARGE, NULL, "the frame has %.3g dofs; the limit is %d", dofs,
                            INT_MAX / ROW);
    return ifd__memory_check(BYTES * dofs, "this frame", note);
}

ifd_status ifd_frame_grid(ifd_arena *arena, const ifd_grid *grid, ifd_frame *out, ifd_note *note)
{
    IFD_TRY(check(grid, note));
    plan p = {.nx = grid->bays_x + 1, .ny = grid->planar ? 1 : grid->bays_y + 1, .storeys = grid->storeys};
    int floor = p.nx * p.ny, nodes = floor * (p.storeys + 1);
    ifd_frame_node *node = ifd_arena_array(arena, (size_t)nodes, sizeof *node);
    ifd_frame_member *member = ifd_arena_array(arena, 3 * (size_t)nodes, sizeof *member);
    ifd_frame_support *support = ifd_arena_array(arena, (size_t)floor, sizeof *support);
    if (!node || !member || !support || !make_nodes(arena, grid, &p, node))
        return IFD_NO_MEMORY;
    for (int i = 0; i < floor; i++)
        support[i] = (ifd_frame_support){.node = i, .fixed = grid->base};
    *out = (ifd_frame){.planar = grid->planar, .lumped = grid->lumped, .nodes = nodes, .supports = floor};
    out->members = make_members(grid, &p, member);
    out->node = node;
    out->member = member;
    out->support = support;
    return IFD_OK;
}
