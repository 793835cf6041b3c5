/* SPDX-License-Identifier: MIT */
/* Sections of fibres.
 *
 * A section has the deformations d = (eps, kz), in space (eps, kz, ky), and the forces s = (N, Mz, My) of its fibres
 * with the strains e = eps - y kz + z ky: s = sum A sigma (1, -y, z). Symmetric matrices K and f hold the entry
 * (i, j), i <= j, at j (j + 1)/2 + i. */
#pragma once

#include <interfield/arena.h>

#include "model/fibre/law.h"

enum { IFD__SECTION_FORCES = 3, IFD__SECTION_ENTRIES = 6, IFD__SECTION_FIBRES = 400 };

typedef struct ifd__fibre {
    double y, z, area; /* m, from the axis of the member; m2 */
    int law;
} ifd__fibre;

typedef struct ifd__fibre_section {
    int size, fibres, laws; /* 2 in the plane, 3 in space */
    int states;             /* of all fibres */
    const ifd__fibre *fibre;
    const ifd__fibre_law *law;
    double rest[IFD__SECTION_ENTRIES], least; /* stiffness at rest; determinants below `least` are singular */
} ifd__fibre_section;

/* A section of given fibres, which are copied: sets states, rest and least of a section that has the other members.
 * IFD_NOT_POSITIVE: its elastic and steel fibres alone do not resist all forces. */
ifd_status ifd__fibre_section_make(ifd_arena *arena, ifd__fibre_section *c);

/* Forces and stiffness after a move from the memory of the fibres to the deformations d; keep: the memory after it,
 * or NULL; it may be the same. */
IFD_RT void ifd__fibre_section_move(const ifd__fibre_section *c, const double *memory, const double *d, double *keep,
                                    double *s, double *K);
/* Forces in the memory. */
IFD_RT void ifd__fibre_section_forces(const ifd__fibre_section *c, const double *memory, double *s);
/* f := K^-1; false: singular, and f is left as it is. */
IFD_RT bool ifd__fibre_section_flexibility(const ifd__fibre_section *c, const double *K, double *f);
