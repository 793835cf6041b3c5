/* SPDX-License-Identifier: MIT */
/* Constants and rows of the method table. */
#ifndef IFD_METHOD_TABLES_H
#define IFD_METHOD_TABLES_H

#include <interfield/method.h>

#define IFD__GAMMA_MINUS 0.29289321881345247560 /* 1 - sqrt(2)/2 */
#define IFD__GAMMA_PLUS 1.7071067811865475244   /* 1 + sqrt(2)/2 */

#define METHOD(x) extern const ifd_method ifd__method_##x;
#include "method/methods.def"

#endif
