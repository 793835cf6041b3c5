/* SPDX-License-Identifier: MIT */
/* One element for plane and space: in the plane its dofs z, rx and ry are fixed, which leaves the planar member.
 * Local dofs per end: u, v, w along and rotations about local x, y, z. Stiffness and consistent mass from the linear
 * and cubic shape functions of Euler-Bernoulli theory; rotary inertia of the section about its axis (torsion)
 * only. */
#include "model/build/frame.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/build/builder.h"

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

/* A two-node bar along dof i: c [d o; o d] */
static void add_bar(matrix12 *m, int i, double diagonal, double off)
{
    m->at[i][i] += diagonal;
    m->at[i + 6][i + 6] += diagonal;
    m->at[i][i + 6] += off;
    m->at[i + 6][i] += off;
}

/* A two-node beam with deflection dofs d, d + 6 and rotation dofs r, r + 6. length is negative where a positive
 * rotation is a negative slope (bending in the local x-z plane). form: the lower triangle for unit length, rows
 * (deflection, rotation) twice. */
static void add_beam(matrix12 *m, int d, int r, double length, double factor, const double form[10])
{
    int dof[4] = {d, r, d + 6, r + 6}, k = 0;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j <= i; j++) {
            double value = factor * form[k++];
            for (int turns = (i % 2) + (j % 2); turns > 0; turns--)
                value *= length;
            m->at[dof[i]][dof[j]] += value;
            if (i != j)
                m->at[dof[j]][dof[i]] += value;
        }
}

static double shear_modulus(const ifd_material *s)
{
    return s->G > 0.0 ? s->G : s->E / (2.0 * (1.0 + s->nu));
}

static void local_stiffness(const ifd_frame_member *b, double L, matrix12 *k)
{
    static const double form[10] = {12, 6, 4, -12, -6, 12, 6, 2, -6, 4};
    const ifd_material *s = &b->material;
    double G = shear_modulus(s);
    memset(k, 0, sizeof *k);
    add_bar(k, 0, s->E * b->section.A / L, -s->E * b->section.A / L);
    add_bar(k, 3, G * b->section.J / L, -G * b->section.J / L);
    add_beam(k, 1, 5, L, s->E * b->section.Iz / (L * L * L), form);
    add_beam(k, 2, 4, -L, s->E * b->section.Iy / (L * L * L), form);
}

static void local_mass(const ifd_frame_member *b, double L, bool lumped, matrix12 *m)
{
    static const double form[10] = {156, 22, 4, 54, 13, 156, -13, -3, -22, 4};
    double mass = (b->material.density * b->section.A + b->added_mass) * L;
    double spin = b->material.density * (b->section.Iy + b->section.Iz) * L;
    memset(m, 0, sizeof *m);
    if (lumped) {
        for (int i = 0; i < 3; i++)
            add_bar(m, i, mass / 2.0, 0.0);
        return;
    }
    add_bar(m, 0, mass / 3.0, mass / 6.0);
    add_bar(m, 3, spin / 3.0, spin / 6.0);
    add_beam(m, 1, 5, L, mass / 420.0, form);
    add_beam(m, 2, 4, -L, mass / 420.0, form);
}

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* R: rows are the local axes; false if the member has no length or its depth is parallel to its axis. */
static bool make_axes(const ifd_frame *f, const ifd_frame_member *b, double R[3][3], double *length)
{
    const ifd_frame_node *p = &f->node[b->from], *q = &f->node[b->to];
    double d[3] = {q->x - p->x, q->y - p->y, f->planar ? 0.0 : q->z - p->z};
    double up[3] = {b->depth[0], b->depth[1], b->depth[2]};
    *length = sqrt(dot(d, d));
    if (!(*length > 0.0) || !isfinite(*length))
        return false;
    for (int i = 0; i < 3; i++)
        R[0][i] = d[i] / *length;
    if (f->planar) {
        up[0] = -R[0][1];
        up[1] = R[0][0];
        up[2] = 0.0;
    } else if (dot(up, up) == 0.0) {
        bool vertical = R[0][0] * R[0][0] + R[0][1] * R[0][1] < 1e-12;
        up[vertical ? 0 : 2] = 1.0;
    }
    double along = dot(up, R[0]), across = 0.0;
    for (int i = 0; i < 3; i++) {
        R[1][i] = up[i] - along * R[0][i];
        across += R[1][i] * R[1][i];
    }
    if (!(across > 1e-12 * dot(up, up)))
        return false;
    for (int i = 0; i < 3; i++)
        R[1][i] /= sqrt(across);
    for (int i = 0; i < 3; i++)
        R[2][i] = R[0][(i + 1) % 3] * R[1][(i + 2) % 3] - R[0][(i + 2) % 3] * R[1][(i + 1) % 3];
    return true;
}

/* a := T^T a T with T = diag(R, R, R, R). */
static void to_global(double R[3][3], matrix12 *a)
{
    for (int p = 0; p < 12; p += 3)
        for (int q = 0; q < 12; q += 3) {
            double half[3][3];
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                    half[i][j] =
                        a->at[p + i][q] * R[0][j] + a->at[p + i][q + 1] * R[1][j] + a->at[p + i][q + 2] * R[2][j];
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                    a->at[p + i][q + j] = R[0][i] * half[0][j] + R[1][i] * half[1][j] + R[2][i] * half[2][j];
        }
}

/* N/(30 L) [36, 3L, -36, 3L; ...]: the beam of the consistent geometric stiffness, in both planes. */
static void local_geometric(double N, double L, matrix12 *k)
{
    static const double form[10] = {36, 3, 4, -36, -3, 36, 3, -1, -3, 4};
    memset(k, 0, sizeof *k);
    add_beam(k, 1, 5, L, N / (30.0 * L), form);
    add_beam(k, 2, 4, -L, N / (30.0 * L), form);
}

void ifd__frame_stiffness(const ifd_frame *f, int i, ifd__matrix12 *out)
{
    double R[3][3], L;
    memset(out, 0, sizeof *out);
    if (!make_axes(f, &f->member[i], R, &L))
        return;
    local_stiffness(&f->member[i], L, out);
    to_global(R, out);
}

void ifd__frame_mass(const ifd_frame *f, int i, ifd__matrix12 *out)
{
    double R[3][3], L;
    memset(out, 0, sizeof *out);
    if (!make_axes(f, &f->member[i], R, &L))
        return;
    local_mass(&f->member[i], L, f->lumped, out);
    to_global(R, out);
}

void ifd__frame_geometric(const ifd_frame *f, int i, double N, ifd__matrix12 *out)
{
    double R[3][3], L;
    memset(out, 0, sizeof *out);
    if (!make_axes(f, &f->member[i], R, &L))
        return;
    local_geometric(N, L, out);
    to_global(R, out);
}

double ifd__frame_axes(const ifd_frame *f, int i, double R[3][3])
{
    double L = 0.0;
    return make_axes(f, &f->member[i], R, &L) ? L : 0.0;
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

/* A: rows of the deformations over local directions. The slope of the chord is (v2 - v1)/L about z, -(w2 - w1)/L
 * about y. */
static void local_deformations(double L, double A[IFD__MEMBER_DEFORMATIONS][IFD__MEMBER_ENDS])
{
    memset(A, 0, IFD__MEMBER_DEFORMATIONS * sizeof *A);
    A[0][0] = A[1][3] = -1.0;
    A[0][6] = A[1][9] = 1.0;
    A[2][5] = A[3][11] = A[4][4] = A[5][10] = 1.0;
    for (int end = 0; end < 2; end++) {
        A[2 + end][1] = A[4 + end][8] = 1.0 / L;
        A[2 + end][7] = A[4 + end][2] = -1.0 / L;
    }
}

/* Forces A^T k d: from deformations, not from displacements, which a rigid motion makes large beside them. */
void ifd__frame_member(const ifd_frame *f, int i, ifd__member_rows *out)
{
    double R[3][3], L, A[IFD__MEMBER_DEFORMATIONS][IFD__MEMBER_ENDS];
    const ifd_frame_member *b = &f->member[i];
    memset(out, 0, sizeof *out);
    if (!make_axes(f, b, R, &L))
        return;
    local_deformations(L, A);
    const double E = b->material.E, k[2] = {E * b->section.A / L, shear_modulus(&b->material) * b->section.J / L};
    for (int d = 0; d < IFD__MEMBER_DEFORMATIONS; d++) {
        int other = d < 2 ? d : d ^ 1;
        double bend = E * (d < 4 ? b->section.Iz : b->section.Iy) / L;
        for (int r = 0; r < IFD__MEMBER_ENDS; r++)
            out->force[r][d] = d < 2 ? k[d] * A[d][r] : bend * (4.0 * A[d][r] + 2.0 * A[other][r]);
        for (int p = 0; p < IFD__MEMBER_ENDS; p += 3)
            for (int j = 0; j < 3; j++)
                out->deformation[d][p + j] = A[d][p] * R[0][j] + A[d][p + 1] * R[1][j] + A[d][p + 2] * R[2][j];
    }
}

static ifd_status check_member(const ifd_frame *f, int i, ifd_note *note)
{
    const ifd_frame_member *b = &f->member[i];
    const struct {
        const char *what;
        double value;
        bool zero; /* zero is valid */
    } field[] = {{"E", b->material.E, false},
                 {"A", b->section.A, false},
                 {"Iz", b->section.Iz, false},
                 {"Iy", b->section.Iy, f->planar},
                 {"J", b->section.J, f->planar},
                 {"G", b->material.G, true},
                 {"density", b->material.density, true},
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
    return IFD_OK;
}

static ifd_status put_member(ifd_builder *b, const ifd_frame *f, int i, const int *ref, ifd_note *note)
{
    const ifd_frame_member *member = &f->member[i];
    double R[3][3], length;
    matrix12 a;
    int refs[12];
    IFD_TRY(check_member(f, i, note));
    if (!make_axes(f, member, R, &length))
        return ifd_note_add(note, IFD_RANGE, NULL, "member %d from '%s' to '%s' %s", i + 1,
                            f->node[member->from].name, f->node[member->to].name,
                            length > 0.0 ? "has its depth parallel to its axis" : "has no finite length above zero");
    memcpy(refs, ref + 6 * member->from, 6 * sizeof *refs);
    memcpy(refs + 6, ref + 6 * member->to, 6 * sizeof *refs);
    ifd__builder_group(b, true);
    local_stiffness(member, length, &a);
    to_global(R, &a);
    add_member(b, IFD_STIFFNESS, &a, refs);
    local_mass(member, length, f->lumped, &a);
    to_global(R, &a);
    add_member(b, IFD_MASS, &a, refs);
    for (int d = 0; d < 3; d++)
        add_ground(b, &a, refs, d);
    ifd__builder_group(b, false);
    return IFD_OK;
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

ifd_status ifd_builder_frame(ifd_builder *b, const ifd_frame *frame, ifd_note *note)
{
    if (ifd__builder_failed(b))
        return IFD_NO_MEMORY;
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
