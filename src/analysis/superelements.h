/* SPDX-License-Identifier: MIT */
/* Large linear substructures of an analysis at rest, replaced by superelements: dofs of joints, specimens, elements,
 * estimates and dashpots stay, the others become the few modes that move them (superelement/superelement.h).
 *
 * The range of the error bound is 0 to the larger of 50 Hz and ten times the lowest frequency, halved while the
 * bound exceeds 1e-2. A substructure that only its joints hold gets springs on the kept dofs, which are subtracted
 * after the reduction: the space is the same, and the bound is that with the springs. For a substructure without
 * Rayleigh damping the bound is that with a damping ratio of about 2 %. */
#pragma once

#include <interfield/hybrid.h>
#include <interfield/run.h>

#include "model/model.h"

enum { IFD__SMALL_PART = 300 }; /* dofs: smaller substructures stay as they are */

typedef struct ifd__superelements {
    int before, after; /* dofs of all substructures */
    double frequency;  /* Hz: range of the bound */
    /* The largest error bound of a transfer function, of its peak; where, Hz. NAN: nothing is connected, and only the
     * lowest modes remain, without an error. */
    double bound, at;
    bool undamped, held;
    const char *why, *hint; /* with IFD_UNSUPPORTED: what prevents a reduction, and a remedy */
} ifd__superelements;

/* IFD_UNSUPPORTED: not possible, o is unchanged. most: largest number of dofs that remain in each substructure. */
ifd_status ifd__superelements_make(ifd_arena *arena, ifd_run_options *at_rest, int most, ifd__superelements *out);

/* The same for a test; its models are brought to rest, and nothing of the structure is recorded. */
ifd_status ifd__superelements_test(ifd_arena *arena, const ifd_hybrid_options *test, int most, ifd_hybrid_options *to,
                                   ifd__superelements *out);

/* "4992 dofs reduced to 88; error at most 1.2e-05 of the peak up to 50 Hz" */
const char *ifd__superelements_text(ifd_arena *arena, const ifd__superelements *s);

/* Dofs of substructures that joints, specimens, estimates and elements use, and their numbers after a reduction
 * of the substructures. */
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

/* *row, of a chord, := a copy with the numbers of its dofs in `number`; false without memory. NULL stays. */
bool ifd__renumber_row(ifd_arena *arena, const int *number, const ifd_coordinate **row);

/* Replaces the models of o by `small` (one for each substructure), whose kept dofs have the numbers above. */
ifd_status ifd__connected_replace(ifd_arena *arena, const ifd__connected *of, const ifd_model *const *small,
                                  ifd_run_options *o);
