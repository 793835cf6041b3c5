/* SPDX-License-Identifier: MIT */
/* Members that are elements: with fibre sections, or with large displacements. */
#pragma once

#include "model/build/frame.h"

/* Stiffness of the torsion of member i, in global directions. */
void ifd__frame_torsion(const ifd_frame *f, int i, ifd__matrix12 *out);
/* The element of member i; refs: of its ends. */
ifd_status ifd__frame_fibres(ifd_builder *b, const ifd_frame *f, int i, const int refs[IFD__MEMBER_ENDS],
                             ifd_note *note);
/* The same of a member that turns with its nodes (model/element/large_member.h). */
ifd_status ifd__frame_large(ifd_builder *b, const ifd_frame *f, int i, const int refs[IFD__MEMBER_ENDS],
                            ifd_note *note);
