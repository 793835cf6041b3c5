/* SPDX-License-Identifier: MIT */
/* Solutions for several right-hand sides: eight at a time, in the order of the factor, the eight numbers of a row
 * together. */
#include "algebra/low_rank.h"
#include "algebra/solver_parts.h"

enum { BLOCK = 8 };

size_t ifd__solver_block_work(const ifd_solver *s)
{
    size_t one = ifd__solver_work(s), eight = 2 * BLOCK * ((size_t)s->n + 1);
    return s->there.run && eight > one ? eight : one;
}

/* Between `columns` columns of n numbers and rows of eight, by the runs of a permutation. */
static void gather(const ifd__permutation *p, int n, int columns, const double *X, double *to)
{
    for (int k = 0, row = 0; k < p->runs; k++)
        for (uint32_t i = p->run[k] >> 4; i < (p->run[k] >> 4) + (p->run[k] & 15); i++, row++)
            for (int c = 0; c < BLOCK; c++)
                to[row * (ptrdiff_t)BLOCK + c] = c < columns ? X[i + (size_t)c * (size_t)n] : 0.0;
}

static void spread(const ifd__permutation *p, int n, int columns, const double *from, double *X)
{
    for (int k = 0, row = 0; k < p->runs; k++)
        for (uint32_t i = p->run[k] >> 4; i < (p->run[k] >> 4) + (p->run[k] & 15); i++, row++)
            for (int c = 0; c < columns; c++)
                X[i + (size_t)c * (size_t)n] = from[row * (ptrdiff_t)BLOCK + c];
}

void ifd__solver_solve_block(const ifd_solver *s, int count, double *X, double *w)
{
    size_t n = (size_t)s->n;
    const ifd__panels back = ifd__panels_back(&s->panels);
    for (int first = 0; first < count; first += BLOCK) {
        int columns = count - first < BLOCK ? count - first : BLOCK;
        double *at = X + (size_t)first * n, *z = w + BLOCK * n;
        if (!s->there.run || columns < 3 || s->facts.single) { /* few columns: one at a time is faster */
            for (int c = 0; c < columns; c++)
                ifd__solver_solve(s, at + (size_t)c * n, w);
            continue;
        }
        gather(&s->there, s->n, columns, at, w);
        s->kernels->forward_block(&s->panels, w, z);
        s->kernels->backward_block(&back, z);
        spread(&s->there, s->n, columns, z, at);
        for (int c = 0; s->low && c < columns; c++)
            ifd__low_rank_correct(s->low, at + (size_t)c * n, w);
    }
}
