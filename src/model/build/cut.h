/* SPDX-License-Identifier: MIT */
/* Division of one structure into substructures that together equal the structure.
 *
 * Every substructure contains some of the dofs; a dof at an interface belongs to several. Entries that were added
 * together (a member, a spring, an element) belong to a substructure that contains all their dofs. Terms of interface
 * dofs alone, such as the mass of a floor, are shared. */
#pragma once

#include <stdint.h>

#include <interfield/model.h>

enum { IFD__CUT_SUBSTRUCTURES = 64 };

typedef struct ifd__cut {
    int substructures;  /* at most IFD__CUT_SUBSTRUCTURES */
    const uint64_t *in; /* per dof of the builder: bit p is set if substructure p contains it */
    double ratio;       /* fraction for the first substructure that contains a dof; the others divide the rest
                         * equally */
    uint64_t outlined;  /* bit p: only the outline of substructure p is made, where it can be */
} ifd__cut;

/* out: one builder per substructure, with the names of the whole. A matrix given by its numbers is divided as a net
 * of springs: the diagonal without the springs to neighbours is shared. Errors: IFD_CONFLICT if a dof is in no
 * substructure, or if an entry connects dofs that no substructure contains together; IFD_UNSUPPORTED for modal
 * damping and condensation. */
ifd_status ifd__builder_cut(ifd_arena *arena, const ifd_builder *b, const ifd__cut *how, ifd_builder **out,
                            ifd_note *note);

/* Reduces b to what other processes need of a substructure: dofs with the diagonal of the mass, initial state,
 * elements and loads, without damping and stiffness. False, without any change, if the model would have other dofs
 * without these: a dof without mass, a condensed or a reduced model. */
bool ifd__builder_outline(ifd_builder *b);

/* True if every dof has mass. */
bool ifd__builder_heavy(const ifd_builder *b);
