/* SPDX-License-Identifier: MIT */
/* The table of methods and their constants. */
#include "method/tables.h"

const ifd_method *const ifd_methods[] = {
#define METHOD(x) &ifd__method_##x,
#include "method/methods.def"
};

const int ifd_method_count = (int)(sizeof ifd_methods / sizeof *ifd_methods);

/* Bursi, Gonzalez-Buelga, Vulcan, Wagg (2008), eq. (10) ff. */
const ifd__rosenbrock_table ifd__lsrt2_table = {.alpha21 = 0.5, .gamma21 = -1.0, .b1 = 0.0, .b2 = 1.0};
