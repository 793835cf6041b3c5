/* SPDX-License-Identifier: MIT */
/* The one list of methods.
 *
 *   name                 order  stages  R(inf)        source
 *   lsrt1                1      1       0             Bursi, Gonzalez-Buelga, Vulcan, Wagg 2008
 *   lsrt2                2      2       0             the same; gamma 1 -+ sqrt2/2
 *   mg-alpha             2      2       rho           Abbiati, Lanese, Pavese, Bursi 2019
 *   newmark              2      1       by parameter  Newmark 1959
 *   hht                  2      1       by parameter  Hilber, Hughes, Taylor 1977
 *   generalized-alpha    2      1       rho           Chung, Hulbert 1993
 *   central-difference   2      2       -             explicit: stable for omega h < 2
 *   chang                2      2       1             Chang 2002
 *   exponential          6      1       exact         Sajeeb, Roy, Manohar 2007; order with the preset grid of 4
 *   taylor               p      1       -             the same, eq. 36: explicit
 *   exponential-alpha    p      1       by parameter  the same, eq. 45; p = 2: (1 - alpha)/alpha
 *   mtl                  s + 1  1       exact         the same, section 5; s + 2 when s is even
 *   reference            -      1       -             exact exponential, or CVODE */
#include "method/tables.h"

const ifd_method *const ifd_methods[] = {
    &ifd__lsrt1,
    &ifd__lsrt2,
    &ifd__mg_alpha,
    &ifd__newmark,
    &ifd__hht,
    &ifd__generalized_alpha,
    &ifd__central_difference,
    &ifd__chang,
    &ifd__exponential,
    &ifd__taylor,
    &ifd__exponential_alpha,
    &ifd__mtl,
    &ifd__reference,
};

const int ifd_method_count = (int)(sizeof ifd_methods / sizeof *ifd_methods);
