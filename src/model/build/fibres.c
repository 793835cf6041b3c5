/* SPDX-License-Identifier: MIT */
/* Members with fibre sections: an element each, in the basic deformations of the member. Torsion is linear and in the
 * stiffness of the frame. */
#include "model/build/fibres.h"

#include "base/arena.h"
#include "model/build/builder.h"
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

/* Releases, shear and loads of the member: what its elastic form has. */
static void take_member(const ifd_frame *f, int i, ifd__fibre_member *m)
{
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
    const ifd_fibres *of = f->member[i].section.fibres;
    ifd__member_rows rows;
    ifd_coordinate q[IFD__BASIC];
    int ref[IFD__BASIC][IFD__MEMBER_ENDS];
    double coefficient[IFD__BASIC][IFD__MEMBER_ENDS];
    const ifd_value none[1] = {{0}};
    ifd__fibre_member m = {.section = &of->section, .points = of->points, .passes = of->passes, .limit = of->limit};
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
