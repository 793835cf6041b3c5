/* SPDX-License-Identifier: MIT */
/* The program's own files: tests link the library, which does not hold them. */
#include "../../app/reproduce_verdict.c"

#include "../../app/reproduce_sentences.c"
