/* SPDX-License-Identifier: MIT */
/* Members that are an element each: with fibre sections in their basic deformations, torsion being linear and in the
 * stiffness of the frame; with large displacements in those of their nodes. */
#include "model/build/fibres.h"

#include "base/arena.h"
#include "model/build/builder.h"
#include "model/element/large_member.h"
#include "model/fibre/element.h"

/* Elongation, rotations about z and about y, among the deformations of a member. */
static const int basic[IFD__BASIC] = {0, 2, 3, 4, 5};

void ifd__frame_torsion(const ifd_frame *f, int i, ifd__matrix12 *out)
{
    ifd__member_rows rows;
    const double *twist = rows.deformation[1];
    ifd__frame_member(f, i, &rows);
    for (int a = 0; a < IFD__MEMBER_ENDS; a++)
        for (int b = 0; b < IFD__MEMBER_ENDS; b++)
            out->at[a][b] = rows.force[9][1] * twist[a] * twist[b];
}

/* Its fibres, and the releases, shear and loads that its elastic form has. */
static void take_member(const ifd_frame *f, int i, ifd__fibre_member *m)
{
    const ifd_fibres *of = f->member[i].section.fibres;
    *m = (ifd__fibre_member){.section = &of->section, .points = of->points, .passes = of->passes, .limit = of->limit};
    static const int end[IFD__BASIC] = {0, 0, 1, 0, 1}, about[IFD__BASIC] = {0, 2, 2, 1, 1};
    const ifd_frame_member *b = &f->member[i];
    const double area[2] = {b->section.Asy, b->section.Asz};
    double R[3][3], G = b->material.G > 0.0 ? b->material.G : b->material.E / (2.0 * (1.0 + b->material.nu));
    m->L = ifd__frame_axes(f, i, R);
    for (int k = 0; k < 2; k++)
        m->shear[k] = area[k] > 0.0 ? 1.0 / (G * area[k] * m->L) : 0.0;
    for (int k = 1; k < IFD__BASIC; k++)
        if (b->released[end[k]] >> (3 + about[k]) & 1) {
            double spring = b->spring[end[k]][about[k]];
            m->hinge[k] = !(spring > 0.0);
            m->joint[k] = spring > 0.0 ? 1.0 / spring : 0.0;
        }
    for (int k = 0; k < 3; k++)
        m->load[k] = R[k][0] * b->load[0] + R[k][1] * b->load[1] + R[k][2] * b->load[2];
}

ifd_status ifd__frame_fibres(ifd_builder *b, const ifd_frame *f, int i, const int refs[IFD__MEMBER_ENDS],
                             ifd_note *note)
{
    ifd__member_rows rows;
    ifd_coordinate q[IFD__BASIC];
    int ref[IFD__BASIC][IFD__MEMBER_ENDS];
    double coefficient[IFD__BASIC][IFD__MEMBER_ENDS];
    const ifd_value none[1] = {{0}};
    ifd__fibre_member m;
    take_member(f, i, &m);
    ifd__frame_member(f, i, &rows);
    for (int k = 0; k < ifd__fibre_basic(&m); k++) {
        q[k] = (ifd_coordinate){0, ref[k], coefficient[k]};
        for (int j = 0; j < IFD__MEMBER_ENDS; j++)
            if (rows.deformation[basic[k]][j] != 0.0) {
                ref[k][q[k].count] = refs[j];
                coefficient[k][q[k].count++] = rows.deformation[basic[k]][j];
            }
    }
    const ifd_element_ops *ops = ifd__fibre_member_ops(b->arena, &m);
    const char *name = ifd__frame_member_name(b->arena, f, i);
    if (!ops || !name)
        return IFD_NO_MEMORY;
    return ifd_builder_element(b, ops, name, &(ifd_coordinates){ifd__fibre_basic(&m), q}, none, note);
}

/* Stiffness, fibres and load of the member in its axes at rest, which are those of the plane. */
static void take_large(const ifd_frame *f, int i, ifd__large_member *m)
{
    static const int end[IFD__LARGE_BASIC] = {6, 5, 11}, deformation[IFD__LARGE_BASIC] = {0, 2, 3},
                     load[IFD__LARGE_ENDS] = {0, 1, 5, 6, 7, 11};
    double R[3][3];
    ifd__member_rows rows;
    *m = (ifd__large_member){.L0 = ifd__frame_axes(f, i, R), .fibres = f->member[i].section.fibres != NULL};
    ifd__frame_member(f, i, &rows);
    for (int d = 0; d < 2; d++)
        m->X[d] = m->L0 * R[0][d];
    for (int a = 0; a < IFD__LARGE_BASIC; a++)
        for (int b = 0; b < IFD__LARGE_BASIC; b++)
            m->k[a + b * IFD__LARGE_BASIC] = rows.force[end[a]][deformation[b]];
    for (int e = 0; e < IFD__LARGE_ENDS; e++)
        m->load[e] = rows.load[load[e]];
    if (m->fibres)
        take_member(f, i, &m->fibre);
    m->fibre.halves = true;
}

/* A fixed displacement moves with the ground; a difference of two does not. */
static int end_of(const int refs[IFD__MEMBER_ENDS], int end, int direction)
{
    int ref = refs[6 * end + direction];
    return ref == IFD_GROUND ? IFD__GROUND_ALONG(direction) : ref;
}

ifd_status ifd__frame_large(ifd_builder *b, const ifd_frame *f, int i, const int refs[IFD__MEMBER_ENDS],
                            ifd_note *note)
{
    static const double one[2] = {1.0, -1.0};
    const ifd_value none[1] = {{0}};
    int ref[IFD__LARGE_COORDINATES][2];
    ifd_coordinate q[IFD__LARGE_COORDINATES];
    ifd__large_member m;
    take_large(f, i, &m);
    for (int c = 0; c < IFD__LARGE_COORDINATES; c++) {
        ref[c][0] = c < 2 ? end_of(refs, 1, c) : refs[6 * (c - 2) + IFD_DOF_RZ];
        ref[c][1] = c < 2 ? end_of(refs, 0, c) : IFD_GROUND;
        q[c] = (ifd_coordinate){c < 2 ? 2 : 1, ref[c], one};
    }
    const ifd_element_ops *ops = ifd__large_member_ops(b->arena, &m);
    const char *name = ifd__frame_member_name(b->arena, f, i);
    if (!ops || !name)
        return IFD_NO_MEMORY;
    return ifd_builder_element(b, ops, name, &(ifd_coordinates){IFD__LARGE_COORDINATES, q}, none, note);
}
