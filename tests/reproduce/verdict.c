/* SPDX-License-Identifier: MIT */
/* The program's own file: tests link the library, which does not hold it. */
#include "../../app/reproduce_verdict.c"
