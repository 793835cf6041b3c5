/* SPDX-License-Identifier: MIT */
/* The assignment problem by shortest augmenting paths with potentials: Kuhn (1955), Jonker and Volgenant (1987). */
#include "analysis/assign.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct assigning {
    int n;
    const double *cost;
    double *row, *column; /* potentials; row and column 0 are the start of a path */
    double *least;        /* least reduced cost of a path to a column */
    int *owner, *way;     /* row of a column, 0: free; previous column on the path */
    bool *used;
} assigning;

/* Assigns a column to row i: the path of least reduced cost to a free one. */
static void augment(assigning *a, int i)
{
    int n = a->n, at = 0;
    a->owner[0] = i;
    for (int j = 0; j <= n; j++) {
        a->least[j] = (double)INFINITY;
        a->used[j] = false;
    }
    do {
        int from = a->owner[at], next = 0;
        double delta = (double)INFINITY;
        a->used[at] = true;
        for (int j = 1; j <= n; j++) {
            if (a->used[j])
                continue;
            double reduced = a->cost[(from - 1) * n + j - 1] - a->row[from] - a->column[j];
            if (reduced < a->least[j]) {
                a->least[j] = reduced;
                a->way[j] = at;
            }
            if (a->least[j] < delta || !next) {
                delta = a->least[j];
                next = j;
            }
        }
        for (int j = 0; j <= n; j++) {
            if (a->used[j]) {
                a->row[a->owner[j]] += delta;
                a->column[j] -= delta;
            } else {
                a->least[j] -= delta;
            }
        }
        at = next;
    } while (a->owner[at]);
    for (; at; at = a->way[at])
        a->owner[at] = a->owner[a->way[at]];
}

bool ifd__assign(int n, const double *cost, int *to)
{
    size_t N = (size_t)n + 1;
    double *numbers = calloc(3 * N, sizeof *numbers);
    int *whole = calloc(2 * N, sizeof *whole);
    bool *used = calloc(N, sizeof *used), good = numbers && whole && used;
    if (good) {
        assigning a = {.n = n,
                       .cost = cost,
                       .row = numbers,
                       .column = numbers + N,
                       .least = numbers + 2 * N,
                       .owner = whole,
                       .way = whole + N,
                       .used = used};
        for (int i = 1; i <= n; i++)
            augment(&a, i);
        for (int j = 1; j <= n; j++)
            to[a.owner[j] - 1] = j - 1;
    }
    free(numbers);
    free(whole);
    free(used);
    return good;
}
