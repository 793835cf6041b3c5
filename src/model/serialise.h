/* SPDX-License-Identifier: MIT */
/* A model as bytes: all data that a step needs, without pointers, and a model made from these bytes.
 *
 * Arrays are stored directly; elements and signals by their parameters, from which their code makes them again. Names
 * of condensed dofs are omitted. The factor of the mass matrix is expected among the factors of the arena
 * (algebra/factors.h); otherwise it is computed. */
#pragma once

#include "base/bytes.h"
#include "model/model.h"

/* IFD_UNSUPPORTED, with the name in the note, for data that cannot be reconstructed: elements from a shared object,
 * models derived from others. */
ifd_status ifd__model_serialise(const ifd_model *m, ifd__bytes *out, ifd_note *note);

/* IFD_FILE if the bytes do not come from ifd__model_serialise. `change` may change the values of elements before. */
typedef void ifd__change_values(void *who, int element, const ifd_element_ops *ops, ifd_value *values);
ifd_status ifd__model_deserialise(ifd_arena *arena, ifd__taking *in, ifd__change_values *change, void *who,
                                  ifd_model **out, ifd_note *note);
