/* SPDX-License-Identifier: MIT */
/* Table of the papers and their figures. */
#include "reproduce.h"

#include <string.h>

const paper papers[] = {
#define PAPER(number, authors, note) {number, authors, note},
#include "papers.def"
#undef PAPER
    {NULL, NULL, NULL},
};

const entry entries[] = {
#define ENTRY(id, title, nearest, make) {id, title, make},
#include "entries.def"
#undef ENTRY
    {NULL, NULL, NULL},
};

const paper *paper_of(const entry *e)
{
    for (const paper *p = papers; p->number; p++)
        if (strncmp(p->number, e->id, 3) == 0)
            return p;
    return NULL;
}
