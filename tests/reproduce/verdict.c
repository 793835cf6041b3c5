/* SPDX-License-Identifier: MIT */
/* The program's own files: tests link the library, which does not hold them. */
#include "reproduce/verdict.c"

#include "reproduce/sentences.c"
