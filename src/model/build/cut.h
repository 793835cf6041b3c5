/* SPDX-License-Identifier: MIT */
/* Cutting: one structure into pieces that together are the structure again.
 *
 * Every piece holds some of the dofs; a dof on the cut is held by several. What was added together (a member, a
 * spring, an element) goes whole to the piece that holds all its dofs. What lies on the cut alone, such as a floor's
 * mass, is shared. */
#ifndef IFD_MODEL_BUILD_CUT_H
#define IFD_MODEL_BUILD_CUT_H

#include <stdint.h>

#include <interfield/model.h>

enum { IFD__CUT_SUBSTRUCTURES = 64 };

typedef struct ifd__cut {
    int substructures;  /* at most IFD__CUT_SUBSTRUCTURES */
    const uint64_t *in; /* per dof of the builder: bit p when piece p holds it */
    double ratio;       /* share of the first piece of those that hold a dof; the others divide the rest equally */
} ifd__cut;

/* out: one builder per piece, with the names of the whole. A matrix that was given by its numbers is cut as
 * a net of springs: what a diagonal holds besides the springs to its neighbours is shared. Errors:
 * IFD_CONFLICT when a dof is in no piece or something joins dofs that no piece holds together,
 * IFD_UNSUPPORTED for modal damping and condensation. */
ifd_status ifd__builder_cut(ifd_arena *arena, const ifd_builder *b, const ifd__cut *how, ifd_builder **out,
                            ifd_note *note);

#endif
