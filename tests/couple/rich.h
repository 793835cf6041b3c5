/* SPDX-License-Identifier: MIT */
/* Parts with every kind of element. */
#pragma once

#include "couple/fixtures.h"

/* Three parts that hold everything, the first one coarse; two joint rows. */
UNUSED static cut *rich_cut(ifd_arena *arena, const char *coupling, const char *method, int threads)
{
    cut *c = cut_make(arena, coupling, 0.004);
    const char *names[] = {"coarse", "fine", "finer"};
    const int ss[] = {1, 2, 4};
    for (int p = 0; p < 3; p++)
        cut_part(c, names[p], made(arena, everything_builder(arena, 5 + p)), options(method, 0.004, NULL), ss[p]);
    c->part[0].coarse = true;
    cut_joint(c, "first", 0, 4, 1, 1);
    cut_joint(c, "second", 1, 4, 2, 0);
    c->opt.project_start = true;
    c->opt.threads = threads;
    return c;
}
