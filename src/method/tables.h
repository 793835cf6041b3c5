/* SPDX-License-Identifier: MIT */
/* Constants and rows of the method table. */
#ifndef IFD_METHOD_TABLES_H
#define IFD_METHOD_TABLES_H

#include <interfield/method.h>

#define IFD__GAMMA_MINUS 0.29289321881345247560 /* 1 - sqrt(2)/2 */
#define IFD__GAMMA_PLUS 1.7071067811865475244   /* 1 + sqrt(2)/2 */

extern const ifd_method ifd__lsrt1, ifd__lsrt2, ifd__mg_alpha, ifd__newmark, ifd__hht, ifd__generalized_alpha,
    ifd__central_difference, ifd__chang, ifd__exponential, ifd__taylor, ifd__exponential_alpha, ifd__mtl,
    ifd__reference;

#endif
