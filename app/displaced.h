/* SPDX-License-Identifier: MIT */
/* Projection and displacements of a structure, for its picture. */
#pragma once

#include "structure.h"

/* m; in space obliquely from the side and from above. */
void structure_project(const structure *s, const double at[3], double out[2]);
/* The translations of a node: IFD_FIX_X and others. */
unsigned structure_translations(const structure *s);
/* Displacements and rotations of a spot; a floor or mass moves along its own dof and does not turn. Returns the
 * directions that are known, as IFD_FIX_...; 0: none. */
unsigned displaced_at(const structure *s, const displaced *d, int at, double out[6]);
/* Whether the displacement of a spot is known, or it is held. */
bool displaced_follows(const structure *s, const displaced *d, int at);
/* Where a spot is, displaced if there is a shape. */
void displaced_place(const structure *s, const displaced *d, int at, double out[3]);
/* The projected points of the structure, and of its shape if there is one. */
void displaced_extent(const structure *s, const displaced *d, double low[2], double top[2]);
/* A point of a member at the fraction x, displaced: cubic across its axis with the rotations of its ends, linear
 * along it. A hinge turns by itself, as does an end without a known rotation. */
void displaced_member(const structure *s, const line *l, const double u[2][6], const unsigned known[2], double x,
                      double out[3]);
