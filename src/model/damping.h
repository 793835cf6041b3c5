/* SPDX-License-Identifier: MIT */
#ifndef IFD_MODEL_DAMPING_H
#define IFD_MODEL_DAMPING_H

#include "model/build/builder.h"
#include "model/model.h"

/* C += M Phi diag(2 zeta omega) Phi^T M with the modes of a model that is otherwise complete. */
ifd_status ifd__modal_damping(ifd_arena *arena, ifd_arena *scratch, const ifd_builder *b, ifd_model *m,
                              ifd_note *note);

#endif
