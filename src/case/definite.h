/* SPDX-License-Identifier: MIT */
#ifndef IFD_CASE_DEFINITE_H
#define IFD_CASE_DEFINITE_H

#include "case/reader.h"

/* Refuses a structure with a negative stiffness, or remarks it where the case wishes it. mounted: specimens are
 * models, which are not part of the examined structure; then nothing is known. */
void ifd__refuse_unstable(ifd__reader *r, const ifd__structure *st, bool mounted);

#endif
