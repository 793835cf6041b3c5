/* SPDX-License-Identifier: MIT */
/* The element of a member with fibre sections, whose coordinates are its basic deformations. */
#pragma once

#include "model/fibre/member.h"

#define IFD__FIBRE_MEMBER "fibre-member" /* the name of its ops */

/* Fibres of a section of a frame (interfield/structures.h). */
typedef struct ifd_fibres {
    ifd__fibre_section section;
    int points, passes;
    double limit;
} ifd_fibres;

/* The member of such an element; NULL: it is another one. */
IFD_RT const ifd__fibre_member *ifd__fibre_member_of(const ifd_element *e);
/* A copy of its data with so many passes; NULL: no memory. */
const void *ifd__fibre_member_passes(ifd_arena *arena, const ifd_element *e, int passes);
/* The ops of this member, whose make copies it; NULL: no memory. Its parameters are in no list. */
const ifd_element_ops *ifd__fibre_member_ops(ifd_arena *arena, const ifd__fibre_member *member);
