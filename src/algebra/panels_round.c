/* SPDX-License-Identifier: MIT */
/* Rounds the panels of a factor to single precision. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "algebra/solver_parts.h"

/* Numbers too small for single precision become zero: computing with subnormal numbers is slow. */
static bool round_all(size_t count, const double *from, float *to)
{
    bool fits = true;
    for (size_t k = 0; k < count; k++) {
        double size = fabs(from[k]);
        fits = fits && size <= (double)FLT_MAX;
        to[k] = size >= (double)FLT_MIN ? (float)from[k] : 0.0f;
    }
    return fits;
}

ifd_status ifd__panels_round(ifd_arena *arena, const size_t numbers[2], ifd__panels *P)
{
    const ifd__panels from = *P;
    size_t pieces = 0;
    for (int p = 0; p < P->count; p++)
        pieces += (size_t)P->panel[p].pieces;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(P->square_single, numbers[0] + IFD__MOST_LANES),
                      IFD__ARRAY(P->below_single, numbers[1] + IFD__MOST_LANES), IFD__ARRAY(P->piece, pieces),
                      IFD__ARRAY(P->panel, P->count)));
    memcpy(P->piece, from.piece, pieces * sizeof *P->piece);
    memcpy(P->panel, from.panel, (size_t)P->count * sizeof *P->panel);
    P->square = P->below = NULL;
    bool fits = round_all(numbers[0], from.square, P->square_single);
    return round_all(numbers[1], from.below, P->below_single) && fits ? IFD_OK : IFD_RANGE;
}
