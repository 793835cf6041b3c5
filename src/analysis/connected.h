/* SPDX-License-Identifier: MIT */
/* Dofs of substructures that joints, specimens, estimates and elements use, and their numbers after a reduction
 * of the substructures. */
#pragma once

#include <interfield/run.h>

#include "model/model.h"

/* Of one substructure. */
typedef struct ifd__connected {
    const ifd_model *m;
    bool *keep;  /* n */
    int *number; /* n: index of a kept dof among the kept ones; otherwise index among the others */
    int kept, inside;
} ifd__connected;

int ifd__parts_of(const ifd_run_options *o);
/* Substructure p, or the only model. */
const ifd_model *ifd__part_model(const ifd_run_options *o, int p);

/* Fills an array of ifd__parts_of(o). Its flags keep may be set already, or NULL. */
ifd_status ifd__connected_find(ifd_arena *arena, const ifd_run_options *o, ifd__connected *of);

/* Replaces the models of o by `small` (one for each substructure), whose kept dofs have the numbers above. */
ifd_status ifd__connected_replace(ifd_arena *arena, const ifd__connected *of, const ifd_model *const *small,
                                  ifd_run_options *o);
