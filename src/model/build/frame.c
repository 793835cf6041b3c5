/* SPDX-License-Identifier: MIT */
/* Adds the members of a frame (member.c) and its dofs to a builder. */
#include "model/build/frame.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "model/build/builder.h"
#include "model/build/fibres.h"

const char *const ifd__frame_suffix[6] = {"x", "y", "z", "rx", "ry", "rz"};

typedef ifd__matrix12 matrix12;

void ifd_frame_defaults(ifd_frame *frame)
{
    *frame = (ifd_frame){.planar = true};
}

void ifd_frame_member_defaults(ifd_frame_member *member)
{
    *member = (ifd_frame_member){.section = ifd_section_rectangle(0.3, 0.3)};
    member->material = (ifd_material){.E = 30e9, .nu = 0.2, .density = 2500.0};
}

ifd_section ifd_section_rectangle(double width, double depth)
{
    double a = fmax(width, depth), b = fmin(width, depth), r = b / a;
    return (ifd_section){.A = width * depth,
                         .Iz = width * depth * depth * depth / 12.0,
                         .Iy = depth * width * width * width / 12.0,
                         .J = a * b * b * b * (1.0 / 3.0 - 0.21 * r * (1.0 - r * r * r * r / 12.0))};
}

static void add_member(ifd_builder *b, ifd_matrix_kind which, const matrix12 *a, const int ref[12])
{
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 12; j++)
            ifd_builder_add(b, which, ref[i], ref[j], 0.5 * (a->at[i][j] + a->at[j][i]));
}

/* M_fs iota: the effect of a moving ground through the mass between free and fixed directions. The moving mass is r^T
 * M_ff r + 2 r^T M_fs iota + iota^T M_ss iota; the loads of the dofs contain the first term and half of the
 * second. */
static void add_ground(ifd_builder *b, const matrix12 *m, const int ref[12], int direction)
{
    double load[12] = {0.0}, mass = 0.0;
    int last = -1;
    for (int i = 0; i < 12; i++) {
        bool along = i % 6 == direction;
        for (int j = direction; j < 12; j += 6)
            if (ref[j] == IFD_GROUND && (ref[i] >= 0 || (along && ref[i] == IFD_GROUND))) {
                load[i] -= ref[i] >= 0 ? m->at[i][j] : 0.0;
                mass += along ? m->at[i][j] : 0.0;
            }
        last = load[i] != 0.0 ? i : last;
    }
    for (int i = 0; i <= last; i++)
        ifd__builder_grounded(b, ref[i], direction, load[i], i == last ? mass : 0.0);
}

static ifd_status check_member(const ifd_frame *f, int i, ifd_note *note)
{
    const ifd_frame_member *b = &f->member[i];
    const struct {
        const char *what;
        double value;
        bool zero; /* zero is valid */
    } field[] = {
        {"E", b->material.E, false},        {"A", b->section.A, false},     {"Iz", b->section.Iz, false},
        {"Iy", b->section.Iy, f->planar},   {"J", b->section.J, f->planar}, {"Asy", b->section.Asy, true},
        {"Asz", b->section.Asz, true},      {"G", b->material.G, true},     {"density", b->material.density, true},
        {"added mass", b->added_mass, true}};
    if (b->from < 0 || b->from >= f->nodes || b->to < 0 || b->to >= f->nodes)
        return ifd_note_add(note, IFD_UNKNOWN_NAME, NULL, "member %d refers to a node that does not exist", i + 1);
    for (size_t k = 0; k < sizeof field / sizeof *field; k++)
        if (!(field[k].zero ? field[k].value >= 0.0 : field[k].value > 0.0) || !isfinite(field[k].value))
            return ifd_note_add(note, IFD_RANGE, NULL, "member %d from '%s' to '%s': %s is %.9g; expected %s", i + 1,
                                f->node[b->from].name, f->node[b->to].name, field[k].what, field[k].value,
                                field[k].zero ? "zero or more" : "positive");
    if (!(b->material.nu > -1.0 && b->material.nu <= 0.5))
        return ifd_note_add(note, IFD_RANGE, NULL,
                            "member %d: Poisson's ratio is %.9g; expected a value in (-1, 0.5]", i + 1,
                            b->material.nu);
    if (b->released[0] & b->released[1] & IFD_FIX_RX)
        return ifd_note_add(note, IFD_CONFLICT, NULL, "member %d: rx is released at both ends", i + 1);
    for (int k = 0; k < 6; k++)
        if (!(b->spring[k / 3][k % 3] >= 0.0) || !isfinite(b->spring[k / 3][k % 3]))
            return ifd_note_add(note, IFD_RANGE, NULL,
                                "member %d: the spring of a released end is %.9g; expected zero or more", i + 1,
                                b->spring[k / 3][k % 3]);
    return IFD_OK;
}

static ifd_status put_member(ifd_builder *b, const ifd_frame *f, int i, const int *ref, ifd_note *note)
{
    const ifd_frame_member *member = &f->member[i];
    double R[3][3], length;
    matrix12 a;
    int refs[12];
    IFD_TRY(check_member(f, i, note));
    if (!ifd__frame_make_axes(f, i, R, &length))
        return ifd_note_add(note, IFD_RANGE, NULL, "member %d from '%s' to '%s' %s", i + 1,
                            f->node[member->from].name, f->node[member->to].name,
                            length > 0.0 ? "has its depth parallel to its axis" : "has no finite length above zero");
    memcpy(refs, ref + 6 * member->from, 6 * sizeof *refs);
    memcpy(refs + 6, ref + 6 * member->to, 6 * sizeof *refs);
    ifd__builder_group(b, true);
    if (member->section.fibres && !f->large)
        ifd__frame_torsion(f, i, &a);
    else if (!f->large)
        ifd__frame_stiffness(f, i, &a);
    if (!f->large)
        add_member(b, IFD_STIFFNESS, &a, refs);
    ifd__frame_mass(f, i, &a);
    add_member(b, IFD_MASS, &a, refs);
    for (int d = 0; d < 3; d++)
        add_ground(b, &a, refs, d);
    ifd__builder_group(b, false);
    double load[IFD__MEMBER_ENDS];
    ifd__frame_load(f, i, load);
    for (int d = 0; d < IFD__MEMBER_ENDS && ifd__frame_loaded(member); d++)
        ifd__builder_weight(b, refs[d], d % 6, load[d]);
    if (f->large)
        return ifd__frame_large(b, f, i, refs, note);
    return member->section.fibres ? ifd__frame_fibres(b, f, i, refs, note) : IFD_OK;
}

static ifd_status check_large(const ifd_frame *f, ifd_note *note)
{
    bool along = true; /* local z is that of the plane */
    for (int i = 0; i < f->members; i++)
        for (int d = 0; d < 3; d++)
            along = along && f->member[i].depth[d] == 0.0;
    if (!f->large || (f->planar && f->lumped && along))
        return IFD_OK;
    return ifd_note_add(
        note, IFD_UNSUPPORTED, NULL,
        "a frame with large displacements is in the plane, has lumped mass, and no 'depth' of members");
}

/* ref (6 per node) := references of the directions of the node; fixed ones are the ground or the support that moves
 * them. */
static ifd_status make_dofs(ifd_builder *b, const ifd_frame *f, const unsigned *fixed, int *ref, ifd_note *note)
{
    for (int i = 0; i < f->nodes; i++)
        for (int d = 0; d < 6; d++) {
            char name[160];
            ref[6 * i + d] = IFD_GROUND;
            if (fixed[i] & (1u << d))
                continue;
            snprintf(name, sizeof name, "%s.%s", f->node[i].name, ifd__frame_suffix[d]);
            ref[6 * i + d] = ifd_builder_dof(b, name, (ifd_dof_kind)((int)IFD_DOF_X + d));
            if (!ifd__builder_failed(b) && ref[6 * i + d] < 0)
                return ifd_note_add(note, IFD_DUPLICATE, NULL,
                                    "dof '%s' is defined twice: two nodes have the same name", name);
        }
    for (int i = 0; i < f->motions; i++) {
        const ifd_frame_motion *m = &f->motion[i];
        if (m->node < 0 || m->node >= f->nodes || m->direction > IFD_DOF_RZ ||
            !(fixed[m->node] & (1u << m->direction)))
            return ifd_note_add(note, IFD_CONFLICT, NULL,
                                "a support motion is given in a direction in which the frame is not fixed");
        ref[6 * m->node + (int)m->direction] = m->support;
    }
    return ifd__builder_failed(b) ? IFD_NO_MEMORY : IFD_OK;
}

static const unsigned plane = IFD_FIX_Z | IFD_FIX_RX | IFD_FIX_RY; /* held everywhere in a planar frame */

const int ifd__planar_deformation[IFD__PLANAR_DEFORMATIONS] = {0, 2, 3};

const char *ifd__frame_member_name(ifd_arena *arena, const ifd_frame *f, int member)
{
    const ifd_frame_member *m = &f->member[member];
    int again = 1;
    if (m->name)
        return ifd_arena_text(arena, m->name);
    for (int i = 0; i < member; i++)
        again += f->member[i].from == m->from && f->member[i].to == m->to && !f->member[i].name;
    const char *a = f->node[m->from].name, *b = f->node[m->to].name;
    return again > 1 ? ifd_arena_print(arena, "%s-%s-%d", a, b, again) : ifd_arena_print(arena, "%s-%s", a, b);
}

const char *ifd__member_row_name(ifd_arena *arena, const char *member, int d)
{
    return member ? ifd_arena_print(arena, "%s deformation %d", member, d + 1) : NULL;
}

bool ifd__frame_held(const ifd_frame *f, int node, int direction)
{
    unsigned fixed = f->planar ? plane : 0;
    for (int i = 0; i < f->supports; i++)
        fixed |= f->support[i].node == node ? f->support[i].fixed : 0;
    return fixed >> direction & 1;
}

/* held (6 per node) := the stiffness of all members at the rotations, relative to that of each member: zero where
 * releases leave none. */
static void find_held(const ifd_frame *f, double *held, bool *some)
{
    matrix12 k;
    for (int i = 0; i < f->members; i++) {
        const ifd_frame_member *m = &f->member[i];
        double most = 0.0;
        ifd__frame_stiffness(f, i, &k);
        for (int r = 0; r < IFD__MEMBER_ENDS; r++)
            most = fmax(most, r % 6 < 3 ? 0.0 : k.at[r][r]);
        for (int r = 0; r < IFD__MEMBER_ENDS; r++) {
            int node = r < 6 ? m->from : m->to;
            held[6 * node + r % 6] += most > 0.0 ? k.at[r][r] / most : 0.0;
            some[node] = some[node] || m->released[r / 6];
        }
    }
}

ifd_status ifd_frame_loosen(ifd_arena *arena, ifd_frame *f, ifd_note *note)
{
    double *held;
    bool *some, any = false;
    ifd_frame_support *support;
    for (int i = 0; i < f->members; i++)
        any = any || f->member[i].released[0] || f->member[i].released[1];
    if (!any)
        return IFD_OK;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(held, 6 * (size_t)f->nodes), IFD__ARRAY(some, f->nodes),
                      IFD__ARRAY(support, (size_t)f->supports + (size_t)f->nodes)));
    if (f->supports)
        memcpy(support, f->support, (size_t)f->supports * sizeof *support);
    find_held(f, held, some);
    for (int i = 0; i < f->nodes; i++) {
        unsigned loose = 0;
        for (int d = 3; d < 6 && some[i]; d++)
            if (held[6 * i + d] < 1e-12 && !ifd__frame_held(f, i, d)) {
                loose |= 1u << d;
                ifd_note_remark(note, NULL, "'%s.%s' is left out: no member holds this rotation of the node",
                                f->node[i].name, ifd__frame_suffix[d]);
            }
        if (loose)
            support[f->supports++] = (ifd_frame_support){i, loose | IFD_FIX_LOOSE};
        f->support = support;
    }
    return IFD_OK;
}

int ifd__frame_ref(const ifd_builder *b, const ifd_frame *f, int node, int direction)
{
    char name[160];
    int ref;
    if (!ifd__frame_held(f, node, direction)) {
        snprintf(name, sizeof name, "%s.%s", f->node[node].name, ifd__frame_suffix[direction]);
        return ifd_builder_find(b, name, &ref) && ref >= 0 ? ref : IFD__NOWHERE;
    }
    for (int i = 0; i < f->motions; i++)
        if (f->motion[i].node == node && (int)f->motion[i].direction == direction)
            return f->motion[i].support;
    return IFD__GROUND_ALONG(direction);
}

ifd_status ifd_builder_frame(ifd_builder *b, const ifd_frame *frame, ifd_note *note)
{
    if (ifd__builder_failed(b))
        return IFD_NO_MEMORY;
    IFD_TRY(check_large(frame, note));
    unsigned *fixed = ifd_arena_array(b->arena, (size_t)frame->nodes, sizeof *fixed);
    int *ref = ifd_arena_array(b->arena, 6 * (size_t)frame->nodes, sizeof *ref);
    b->failed = !fixed || !ref;
    if (b->failed)
        return IFD_NO_MEMORY;
    for (int i = 0; frame->planar && i < frame->nodes; i++)
        fixed[i] = plane;
    for (int i = 0; i < frame->supports; i++) {
        if (frame->support[i].node < 0 || frame->support[i].node >= frame->nodes)
            return ifd_note_add(note, IFD_UNKNOWN_NAME, NULL, "support %d refers to a node that does not exist",
                                i + 1);
        fixed[frame->support[i].node] |= frame->support[i].fixed;
    }
    IFD_TRY(make_dofs(b, frame, fixed, ref, note));
    for (int i = 0; i < frame->members; i++)
        IFD_TRY(put_member(b, frame, i, ref, note));
    return ifd__builder_failed(b) ? IFD_NO_MEMORY : IFD_OK;
}
