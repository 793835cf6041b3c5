/* SPDX-License-Identifier: MIT */
/* A model as bytes: everything a step needs of it, without pointers, and the same model made of them elsewhere.
 *
 * Arrays are kept as they are; elements and signals as what they were made of, so that their own code makes them
 * again. Names of condensed dofs are left out. The factor of the mass matrix is expected among the factors the arena
 * carries (algebra/factors.h); otherwise it is made anew. */
#ifndef IFD_MODEL_SERIALISE_H
#define IFD_MODEL_SERIALISE_H

#include "base/bytes.h"
#include "model/model.h"

/* IFD_UNSUPPORTED, named in the note, for what has no recipe: elements from a shared
 * object, models derived from others. */
ifd_status ifd__model_serialise(const ifd_model *m, ifd__bytes *out, ifd_note *note);

/* IFD_FILE when the bytes are not what freeze wrote. Values of elements may be changed before: see `change`. */
typedef void ifd__change_values(void *who, int element, const ifd_element_ops *ops, ifd_value *values);
ifd_status ifd__model_deserialise(ifd_arena *arena, ifd__taking *in, ifd__change_values *change, void *who,
                                  ifd_model **out, ifd_note *note);

#endif
