/* SPDX-License-Identifier: MIT */
/* Words of the field, of papers and of other programs, and where their subjects are in this one (terms.def).
 *
 *     const term *t = term_find("lead rubber");          the row of LRB
 *     const char *text = t ? term_text(arena, t) : NULL; */
#pragma once

#include <stdbool.h>

#include <interfield/arena.h>

typedef struct term {
    const char *words;   /* "LRB|lead-rubber": all mean the same */
    const char *text;    /* what it is here */
    const char *topic;   /* of `interfield help`; "": none */
    const char *pages;   /* of `interfield docs`, separated by blanks; "": none */
    const char *example; /* a shipped case; "": none */
} term;

/* The row of a word; capitals, blanks and dashes do not matter. NULL: none. */
const term *term_find(const char *word);
/* The row as a text of `interfield help`; NULL: out of memory. */
const char *term_text(ifd_arena *arena, const term *t);

/* The word of "a|b" or of the terms from which one slip has made `word`: a letter too many, too few or wrong, or two
 * swapped, in five letters or more. NULL: none. */
const char *term_near(ifd_arena *arena, const char *names, const char *word);
