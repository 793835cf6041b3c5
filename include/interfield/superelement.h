/* SPDX-License-Identifier: MIT */
/* Superelement: a reduced structure by itself, as a reduced model contains it (ifd_model_superelement), and its file.
 *
 *     M z'' + C z' + K z = T^T W f,    u = T z,    K = diag(stiffness, lambda),    M = [mass coupling; coupling^T I]
 *
 * The file (HDF5) has these matrices, the hash of the full ones, the error bound and the result of a comparison in
 * time. Read, it replaces the reduction of the same structure (stored of ifd_reduction), or is a structure by itself
 * (ifd_builder_superelement):
 *
 *     ifd_superelement_write(ifd_model_superelement(m), NULL, "tower.h5", &note);
 *     ...
 *     ifd_superelement_read(arena, &(ifd_superelement_bytes){"tower.h5", bytes, length, NULL}, &s, &note);
 *     ifd_builder_superelement(b, s); */
#ifndef INTERFIELD_SUPERELEMENT_H
#define INTERFIELD_SUPERELEMENT_H

#include <stddef.h>

#include <interfield/arena.h>
#include <interfield/status.h>

IFD_BEGIN_DECLS

typedef struct ifd_superelement ifd_superelement;

/* A comparison with the full model. */
typedef struct ifd_superelement_check {
    long steps;
    double step, difference; /* s; the largest difference of a displacement, of its peak */
} ifd_superelement_check;

typedef struct ifd_superelement_bytes {
    const char *name; /* for messages */
    const void *bytes;
    size_t length;
    const ifd_place *place; /* for messages; may be NULL */
} ifd_superelement_bytes;

/* check may be NULL. An existing file is not overwritten: IFD_FILE. */
IFD_API ifd_status ifd_superelement_write(const ifd_superelement *s, const ifd_superelement_check *check,
                                          const char *path, ifd_note *note);
/* Writes it as a script of OpenSees (docs/guide/superelement.md). check may be NULL. An existing file is not
 * overwritten: IFD_FILE. */
IFD_API ifd_status ifd_superelement_opensees(const ifd_superelement *s, const ifd_superelement_check *check,
                                             const char *path, ifd_note *note);
/* IFD_FILE: the bytes are not those of a superelement, or they are damaged. */
IFD_API ifd_status ifd_superelement_read(ifd_arena *arena, const ifd_superelement_bytes *from, ifd_superelement **out,
                                         ifd_note *note);

/* The transfer function to an interface dof from the ground, or from a force on the dof itself if no ground motion is
 * among the inputs: sizes of H at 200 frequencies up to the highest one. */
typedef struct ifd_superelement_curve {
    int count, output, input;             /* output, input: columns */
    const char *output_name, *input_name; /* dof; "ground x" or "dof NAME" */
    const double *frequency;              /* Hz */
    const double *reduced, *full;         /* |H|; full: NULL if the full structure is not kept */
    double bound;                         /* of |H - H_full| */
} ifd_superelement_curve;
IFD_API int ifd_superelement_interfaces(const ifd_superelement *s);
/* output: an interface dof from 0. The full structure is kept up to 2,000 dofs; its modes are computed here. */
IFD_API ifd_status ifd_superelement_transfer(ifd_arena *arena, const ifd_superelement *s, int output,
                                             ifd_superelement_curve *out);

IFD_END_DECLS

#endif
