/* SPDX-License-Identifier: MIT */
/* Search in the pages of the documentation.
 *
 * Best first: pages in which all words occur, among them those whose title or headings have them; then pages with any
 * of the words. The words of a row of terms.def are one word, and its pages come before others. */
#pragma once

#include "manual/pages.h"

enum { SEARCH_PLACES = 3, SEARCH_PAGES = 12 };

typedef struct search_place {
    int line, score;
    bool is_heading;
    const char *heading; /* above the line, or the line itself */
    const char *text;    /* the line, without marks at its ends */
} search_place;

typedef struct search_page {
    const char *group, *name, *title;
    bool all; /* all words occur */
    int score, places;
    search_place place[SEARCH_PLACES]; /* best first */
} search_page;

typedef struct search_result {
    int found; /* pages with any of the words */
    int pages; /* the best of them, at most SEARCH_PAGES */
    search_page page[SEARCH_PAGES];
} search_result;

/* False: a folder cannot be read (errno), or out of memory. */
bool search_pages(ifd_arena *arena, const char *folder, int words, const char *const *word, search_result *out);

/* The part of a line, at most `most` bytes, in which the first of the words occurs. */
const char *search_excerpt(ifd_arena *arena, const char *text, int words, const char *const *word, int most);
