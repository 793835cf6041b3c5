/* SPDX-License-Identifier: MIT */
/* Columns of members with fibres: remainders of their passes; if asked for, sections and fibres. */
#pragma once

#include "substructure/response.h"

/* One column; the name of its owner, with that of the substructure. */
ifd_status ifd__response_column(ifd__response *r, ifd_arena *arena, const char *owner, ifd_quantity quantity,
                                bool rotates, ifd__column_place place);
const char *ifd__response_owner(ifd_arena *arena, const ifd__response_model *b, const char *what);

/* Whether a member of this frame is among those that are recorded by name; true without names. */
bool ifd__frame_names(const ifd_recorded_frame *f, const char *member);
/* Whether element e of model p is a member with fibres that has columns. */
bool ifd__fibres_recorded(const ifd__response *r, int p, int e);
/* Those of all members with fibres, and their number at most. */
ifd_status ifd__fibre_columns(ifd__response *r, ifd_arena *arena);
size_t ifd__fibre_columns_most(const ifd__response *r);

/* The element of the member of this name that turns with its nodes; -1: none. Then: deformations and end forces of
 * all such members, as gauges, from the coordinates and forces of their elements. */
int ifd__large_element(const ifd_model *m, const char *name);
IFD_RT void ifd__large_gauges(const ifd__response *r);

/* Whether an element has columns of its own: deformations and forces of members are columns of the member, states of
 * sections and fibres are asked for. */
bool ifd__has_column(const ifd__response *r, const ifd_element *e, ifd_quantity what);

/* Residuals of factors in single precision. */
ifd_status ifd__factor_columns(ifd__response *r, ifd_arena *arena);
