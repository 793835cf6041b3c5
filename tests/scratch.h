/* SPDX-License-Identifier: MIT */
/* A folder of a test's own in TMPDIR, taken away with all that was written to it. */
#pragma once

#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { SCRATCH_PATH = 160 }; /* with its zero; room is left for names in it */

__attribute__((unused)) static bool scratch_make(char folder[SCRATCH_PATH])
{
    const char *base = getenv("TMPDIR");
    int length = snprintf(folder, SCRATCH_PATH, "%s/interfield-test-XXXXXX", base && *base ? base : "/tmp");
    return length < SCRATCH_PATH && mkdtemp(folder);
}

__attribute__((unused)) static int scratch_take_away(const char *name, const struct stat *facts, int kind,
                                                     struct FTW *where)
{
    (void)facts;
    (void)kind;
    (void)where;
    return remove(name);
}

/* 0 when nothing is left. */
__attribute__((unused)) static int scratch_remove(const char *folder)
{
    return nftw(folder, scratch_take_away, 8, FTW_DEPTH | FTW_PHYS);
}
