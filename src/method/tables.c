/* SPDX-License-Identifier: MIT */
#include "method/tables.h"

const ifd_method *const ifd_methods[] = {
#define METHOD(x) &ifd__method_##x,
#include "method/methods.def"
};

const int ifd_method_count = (int)(sizeof ifd_methods / sizeof *ifd_methods);
