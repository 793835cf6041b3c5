/* SPDX-License-Identifier: MIT */
/* A member of a plane frame that turns with its nodes, elastic or with fibres. Its coordinates are the displacement
 * of the second node against the first along x and y, and the rotations of both nodes. */
#pragma once

#include "model/fibre/member.h"

enum { IFD__LARGE_BASIC = 3, IFD__LARGE_COORDINATES = 4, IFD__LARGE_ENDS = 6 };

typedef struct ifd__large_member {
    double X[2], L0;                               /* m, from the first node to the second, at rest; length */
    double k[IFD__LARGE_BASIC * IFD__LARGE_BASIC]; /* of v, without fibres: N/m, N, N m */
    bool fibres;
    ifd__fibre_member fibre; /* with fibres */
    /* N, N m: of the load on the nodes, along X and across it: first node, second node. Its direction is constant. */
    double load[IFD__LARGE_ENDS];
} ifd__large_member;

/* The ops of this member, whose make copies it; NULL: no memory. */
const ifd_element_ops *ifd__large_member_ops(ifd_arena *arena, const ifd__large_member *member);
/* The member of such an element; NULL: it is another one. */
IFD_RT const ifd__large_member *ifd__large_member_of(const ifd_element *e);

/* Angle of the chord against that at rest, from -pi to pi; its length relative to that at rest. */
IFD_RT double ifd__large_member_angle(const ifd_element *e, const double *q);
IFD_RT double ifd__large_member_length(const ifd_element *e, const double *q);
/* Deformations v, and the end forces in the present axes: along, across and moment of the first end, then of the
 * second. r: the forces of the element. */
IFD_RT void ifd__large_member_ends(const ifd_element *e, const double *q, const double *r, double v[IFD__LARGE_BASIC],
                                   double force[IFD__LARGE_ENDS]);
