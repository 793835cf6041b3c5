/* SPDX-License-Identifier: MIT */
/* Axial forces N of the members (tension positive) under gravity, from a static solution of the frame with its ties,
 * and the geometric stiffness that they add:
 *
 *     K u = f,    N = (EA/L) elongation,    K := K + sum Kg(N).
 *
 * The frame must be stable, that is K + Kg positive definite; otherwise the critical factor of the gravity load is
 * found by bisection. */
#include "model/build/p_delta.h"

#include <stdio.h>
#include <string.h>

#include "algebra/solver.h"
#include "model/build/builder.h"
#include "model/build/frame.h"
#include "model/build/system.h"
#include "model/gravity.h"

enum { ENDS = IFD__MEMBER_ENDS, BISECTIONS = 24 };

typedef struct work {
    ifd_arena *scratch;
    const ifd_frame *f;
    int n;         /* unknowns: the free directions of the nodes, those of masters if ties connect nodes */
    int *number;   /* 6 per node: index of the direction, -1 if fixed */
    ifd__rows T;   /* of these directions, over the unknowns */
    int *ref;      /* 6 per node: dof or support of the builder, IFD_GROUND if fixed */
    double *axial; /* per member, N */
    ifd_sparse K, Kg;
} work;

/* Directions that move with a support are fixed in the static solution: the support carries the weight. In the model
 * they are the support, so that its motion acts on the geometric stiffness too. */
static ifd_status number_directions(work *w, const ifd_builder *b)
{
    size_t count = 6 * (size_t)w->f->nodes;
    IFD_TRY(IFD__TAKE(w->scratch, IFD__ARRAY(w->number, count), IFD__ARRAY(w->ref, count),
                      IFD__ARRAY(w->axial, w->f->members)));
    for (size_t i = 0; i < count; i++) {
        char name[160];
        snprintf(name, sizeof name, "%s.%s", w->f->node[i / 6].name, ifd__frame_suffix[i % 6]);
        bool held = ifd__frame_held(w->f, (int)(i / 6), (int)(i % 6)) || !ifd_builder_find(b, name, &w->ref[i]);
        if (held)
            w->ref[i] = IFD_GROUND;
        w->number[i] = held ? -1 : w->n++;
    }
    return IFD_OK;
}

/* The rows of all directions, in the order of their numbers: units, or those of ties. */
static ifd_status find_rows(work *w, const ifd_builder *b)
{
    ifd__rows all = {0};
    int at = 0, free = w->n, *master = NULL, *unknown;
    size_t room = (size_t)free;
    if (b->tie.count) {
        IFD_TRY(ifd__tied_rows(w->scratch, b, &all, &master));
        room = (size_t)all.start[all.count];
    }
    IFD_TRY(ifd__rows_take(w->scratch, free, room, &w->T));
    IFD_TRY(IFD__TAKE(w->scratch, IFD__ARRAY(unknown, b->dof.count)));
    w->n = 0;
    for (int i = 0; i < 6 * w->f->nodes; i++) {
        int own = w->number[i], ref = w->ref[i];
        if (own < 0)
            continue;
        for (int l = all.count ? all.start[ref] : 0; l < (all.count ? all.start[ref + 1] : 1); l++) {
            int *number = &unknown[all.count ? master[all.column[l]] : ref];
            *number = *number ? *number : ++w->n;
            w->T.column[at] = *number - 1;
            w->T.value[at++] = all.count ? all.value[l] : 1.0;
        }
        w->T.start[own + 1] = at;
    }
    for (int i = 0; i < w->f->motions; i++)
        w->ref[6 * w->f->motion[i].node + (int)w->f->motion[i].direction] = w->f->motion[i].support;
    return IFD_OK;
}

/* Adds a force on a direction to the unknowns; the displacement of a direction. */
static void put_force(const work *w, int direction, double value, double *f)
{
    for (int l = direction < 0 ? 0 : w->T.start[direction]; direction >= 0 && l < w->T.start[direction + 1]; l++)
        f[w->T.column[l]] += w->T.value[l] * value;
}

static double displacement(const work *w, int direction, const double *u)
{
    double sum = 0.0;
    for (int l = direction < 0 ? 0 : w->T.start[direction]; direction >= 0 && l < w->T.start[direction + 1]; l++)
        sum += w->T.value[l] * u[w->T.column[l]];
    return sum;
}

static void put_entry(const work *w, int i, int j, double value, ifd__triplets *t)
{
    for (int a = i < 0 || j < 0 ? 0 : w->T.start[i]; i >= 0 && j >= 0 && a < w->T.start[i + 1]; a++)
        for (int b = w->T.start[j]; b < w->T.start[j + 1]; b++)
            ifd__triplet(t, w->T.column[a], w->T.column[b], w->T.value[a] * value * w->T.value[b]);
}

static const int *ends_of(const work *w, int member, const int *list, int out[ENDS])
{
    const ifd_frame_member *m = &w->f->member[member];
    memcpy(out, list + 6 * m->from, 6 * sizeof *out);
    memcpy(out + 6, list + 6 * m->to, 6 * sizeof *out);
    return out;
}

/* The stiffness of all members, or with N their geometric stiffness. */
static ifd_status assemble(work *w, const double *N, ifd_sparse *out)
{
    ifd__triplets t = {.arena = w->scratch};
    int at[ENDS];
    ifd__matrix12 k;
    for (int i = 0; i < w->f->members; i++) {
        if (N && !ifd__frame_geometric(w->f, i, N[i], &k))
            return IFD_NOT_POSITIVE;
        if (!N)
            ifd__frame_stiffness(w->f, i, &k);
        ends_of(w, i, w->number, at);
        for (int r = 0; r < ENDS; r++)
            for (int c = 0; c < ENDS; c++)
                put_entry(w, at[r], at[c], 0.5 * (k.at[r][c] + k.at[c][r]), &t);
    }
    return ifd__sparse_make(w->scratch, w->n, &t, true, out);
}

/* Weight of the mass of the members, and given loads, downwards; loads of members. */
static void add_loads(const work *w, const ifd__frame_gravity *g, double *f)
{
    int down = w->f->planar ? 1 : 2, at[ENDS];
    ifd__matrix12 m;
    for (int i = 0; i < w->f->members; i++) {
        ifd__frame_mass(w->f, i, &m);
        ends_of(w, i, w->number, at);
        for (int r = 0; r < ENDS; r++)
            put_force(w, at[r], -g->gravity * (m.at[r][down] + m.at[r][down + 6]), f);
        double own[ENDS];
        ifd__frame_load(w->f, i, own);
        for (int r = 0; r < ENDS && g->members; r++)
            put_force(w, at[r], own[r], f);
    }
    for (int i = 0; i < w->f->nodes; i++)
        put_force(w, w->number[6 * i + down], -g->load[i], f);
}

static void axial_forces(work *w, const double *u)
{
    int at[ENDS];
    for (int i = 0; i < w->f->members; i++) {
        ifd__member_rows rows;
        double elongation = 0.0;
        ifd__frame_member(w->f, i, &rows);
        ends_of(w, i, w->number, at);
        for (int r = 0; r < ENDS; r++)
            elongation += rows.deformation[0][r] * displacement(w, at[r], u);
        w->axial[i] = rows.force[6][0] * elongation;
    }
}

static bool stable(const work *w, double factor)
{
    ifd_arena *arena IFD__CLOSED = ifd_arena_open();
    ifd_sparse sum;
    ifd_solver *solver = NULL;
    return arena && ifd__sparse_add(arena, 1.0, &w->K, factor, &w->Kg, &sum) == IFD_OK &&
           ifd__solver_make(arena, &sum, IFD__SOLVER_AUTO, &solver, NULL) == IFD_OK;
}

/* The member with the largest compression relative to its own buckling load. */
static const char *weakest(const work *w, ifd_arena *arena)
{
    double most = 0.0;
    int at = 0;
    for (int i = 0; i < w->f->members; i++) {
        const ifd_frame_member *m = &w->f->member[i];
        const ifd_frame_node *p = &w->f->node[m->from], *q = &w->f->node[m->to];
        double x = q->x - p->x, y = q->y - p->y, z = q->z - p->z;
        double ratio = -w->axial[i] * (x * x + y * y + z * z) / (m->material.E * m->section.Iz);
        if (ratio > most) {
            most = ratio;
            at = i;
        }
    }
    const ifd_frame_member *m = &w->f->member[at];
    return ifd_arena_print(arena, "%s-%s", w->f->node[m->from].name, w->f->node[m->to].name);
}

static ifd_status refuse(const work *w, ifd_note *note)
{
    double low = 0.0, high = 1.0;
    for (int i = 0; i < BISECTIONS; i++) {
        double middle = 0.5 * (low + high);
        *(stable(w, middle) ? &low : &high) = middle;
    }
    return ifd_note_add(note, IFD_NOT_POSITIVE, NULL,
                        "the frame is unstable under its gravity load: the critical factor of the load is %.8g, "
                        "expected more than 1; the member nearest to buckling is '%s'",
                        low, weakest(w, w->scratch));
}

static void add_to_model(const work *w, ifd_builder *b)
{
    int ref[ENDS];
    ifd__matrix12 k;
    for (int i = 0; i < w->f->members; i++) {
        (void)ifd__frame_geometric(w->f, i, w->axial[i], &k);
        ends_of(w, i, w->ref, ref);
        for (int r = 0; r < ENDS; r++)
            for (int c = 0; c < ENDS; c++) {
                ifd_builder_add(b, IFD_STIFFNESS, ref[r], ref[c], 0.5 * (k.at[r][c] + k.at[c][r]));
                ifd__builder_gravity(b, ref[r], ref[c], 0.5 * (k.at[r][c] + k.at[c][r]));
            }
    }
}

/* Coordinates of a member in a plane of bending, over the directions of its ends: displacement along its axis and
 * across it, and rotation, of the first end and then of the second. second: the plane of the other bending. */
static ifd_status add_element(const work *w, ifd_builder *b, int i, bool second, ifd_note *note)
{
    const ifd_element_ops *ops = ifd_element_find("p-delta-member");
    double R[3][3], L = ifd__frame_axes(w->f, i, R), coefficient[6][3];
    int ref[ENDS], at[6][3];
    ifd__member_rows rows;
    ifd_coordinate q[6];
    ifd_value values[8];
    ifd__frame_member(w->f, i, &rows);
    ends_of(w, i, w->ref, ref);
    for (int c = 0; c < 6; c++) {
        int what = c % 3, end = 6 * (c / 3) + (what == 2 ? 3 : 0);
        const double *axis = R[what == 0 ? 0 : (what == 1) == second ? 2 : 1];
        for (int d = 0; d < 3; d++) {
            coefficient[c][d] = what == 2 && second ? -axis[d] : axis[d];
            at[c][d] = ref[end + d];
        }
        q[c] = (ifd_coordinate){3, at[c], coefficient[c]};
    }
    ifd_param_preset(ops->params, values);
    values[ifd_param_find(ops->params, "length")] = ifd_number(L);
    values[ifd_param_find(ops->params, "axial-stiffness")] = ifd_number(rows.force[6][0]);
    const char *name = ifd__frame_member_name(w->scratch, w->f, i),
               *full = name ? ifd_arena_print(w->scratch, "%s.p-delta%s", name, second ? "-2" : "") : NULL;
    return full ? ifd_builder_element(b, ops, full, &(ifd_coordinates){6, q}, values, note) : IFD_NO_MEMORY;
}

static ifd_status add_elements(const work *w, ifd_builder *b, ifd_note *note)
{
    for (int i = 0; i < w->f->members; i++)
        for (int plane = 0; plane < (w->f->planar ? 1 : 2); plane++)
            IFD_TRY(add_element(w, b, i, plane == 1, note));
    return IFD_OK;
}

static ifd_status solve(work *w, const ifd__frame_gravity *g, ifd_note *note)
{
    ifd_solver *solver;
    double *u = ifd_arena_array(w->scratch, (size_t)w->n + 1, sizeof *u);
    IFD_TRY(assemble(w, NULL, &w->K));
    if (ifd__solver_make(w->scratch, &w->K, IFD__SOLVER_AUTO, &solver, NULL) != IFD_OK)
        return ifd_note_add(
            note, IFD_NOT_POSITIVE, NULL,
            "'geometry: p-delta' needs a frame that is stable by itself under gravity: its stiffness is "
            "singular without the other elements of the model");
    double *x = ifd_arena_array(w->scratch, ifd__solver_work(solver), sizeof *x);
    if (!u || !x)
        return IFD_NO_MEMORY;
    add_loads(w, g, u);
    ifd__solver_solve(solver, u, x);
    axial_forces(w, u);
    ifd_status status = assemble(w, w->axial, &w->Kg);
    if (status == IFD_NOT_POSITIVE)
        return ifd_note_add(note, status, NULL,
                            "a member buckles between its released ends under gravity; the one nearest to it is '%s'",
                            weakest(w, w->scratch));
    IFD_TRY(status);
    return stable(w, 1.0) ? IFD_OK : refuse(w, note);
}

ifd_status ifd__frame_p_delta(ifd_builder *b, const ifd_frame *f, const ifd__frame_gravity *g, ifd_note *note)
{
    ifd_arena *scratch IFD__CLOSED = ifd_arena_open();
    work w = {.scratch = scratch, .f = f};
    IFD_TRY(scratch ? number_directions(&w, b) : IFD_NO_MEMORY);
    IFD_TRY(find_rows(&w, b));
    if (!w.n)
        return IFD_OK;
    IFD_TRY(solve(&w, g, note));
    add_to_model(&w, b);
    return g->current ? add_elements(&w, b, note) : IFD_OK;
}
