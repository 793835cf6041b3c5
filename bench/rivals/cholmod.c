/* SPDX-License-Identifier: MIT */
/* LSRT2 in a plain program: solve2 of CHOLMOD, which keeps its workspace, and a general product. */
#include "rivals.h"

#ifdef HAVE_CHOLMOD
#include <cholmod.h>
#include <stdlib.h>
#include <string.h>

typedef struct plain {
    const problem *p;
    cholmod_common c;
    cholmod_factor *L;
    cholmod_dense *b, *k, *Y, *E;
    double *u, *v, *um, *w, *k1;
} plain;

static double *copy(int n, const double *x)
{
    double *y = calloc((size_t)n, sizeof *y);
    if (!y)
        abort();
    if (x)
        memcpy(y, x, (size_t)n * sizeof *y);
    return y;
}

static void *open_as(const problem *p, int kind)
{
    plain *s = calloc(1, sizeof *s);
    const ifd_sparse *S = &p->S;
    if (!s)
        abort();
    s->p = p;
    cholmod_start(&s->c);
    s->c.supernodal = kind;
    cholmod_sparse view = {.nrow = (size_t)S->n,
                           .ncol = (size_t)S->n,
                           .nzmax = (size_t)S->p[S->n],
                           .p = S->p,
                           .i = S->i,
                           .x = S->x,
                           .stype = -1,
                           .itype = CHOLMOD_INT,
                           .xtype = CHOLMOD_REAL,
                           .sorted = 1,
                           .packed = 1};
    s->L = cholmod_analyze(&view, &s->c);
    s->b = cholmod_zeros((size_t)S->n, 1, CHOLMOD_REAL, &s->c);
    if (!s->L || !s->b || !cholmod_factorize(&view, s->L, &s->c))
        abort();
    s->u = copy(p->n, p->u);
    s->v = copy(p->n, p->v);
    s->um = copy(p->n, NULL);
    s->w = copy(p->n, NULL);
    s->k1 = copy(p->n, NULL);
    return s;
}

static void *open_simplicial(const rival *r, const problem *p)
{
    (void)r;
    return open_as(p, CHOLMOD_SIMPLICIAL);
}

static void *open_supernodal(const rival *r, const problem *p)
{
    (void)r;
    return open_as(p, CHOLMOD_SUPERNODAL);
}

/* S^-1 (-h K um) */
static const double *solve(plain *s)
{
    product_by_rows(&s->p->K, -s->p->h, s->um, s->b->x);
    cholmod_solve2(CHOLMOD_A, s->L, s->b, NULL, &s->k, NULL, &s->Y, &s->E, &s->c);
    return s->k->x;
}

static void step(plain *s)
{
    const int n = s->p->n;
    const double h = s->p->h, g = GAMMA_MINUS, c = g * h;
    double *restrict u = s->u, *restrict v = s->v, *restrict um = s->um, *restrict w = s->w, *restrict k1 = s->k1;
    for (int i = 0; i < n; i++)
        um[i] = u[i] + c * v[i];
    memcpy(k1, solve(s), (size_t)n * sizeof *k1);
    for (int i = 0; i < n; i++) {
        w[i] = v[i] + (0.5 - g) * k1[i];
        um[i] = u[i] + (0.5 - g) * (h * v[i] + c * k1[i]) + c * w[i];
    }
    const double *restrict k2 = solve(s);
    for (int i = 0; i < n; i++) {
        u[i] += h * w[i] + c * k2[i];
        v[i] += k2[i];
    }
}

static void steps(void *self, int count)
{
    for (int k = 0; k < count; k++)
        step(self);
}

static void state(void *self, double *u)
{
    const plain *s = self;
    memcpy(u, s->u, (size_t)s->p->n * sizeof *u);
}

static void shut(void *self)
{
    plain *s = self;
    double *vectors[] = {s->u, s->v, s->um, s->w, s->k1};
    cholmod_free_factor(&s->L, &s->c);
    cholmod_free_dense(&s->b, &s->c);
    cholmod_free_dense(&s->k, &s->c);
    cholmod_free_dense(&s->Y, &s->c);
    cholmod_free_dense(&s->E, &s->c);
    cholmod_finish(&s->c);
    for (int i = 0; i < 5; i++)
        free(vectors[i]);
    free(s);
}

const rival cholmod_rivals[] = {
    {"CHOLMOD, simplicial", false, true, open_simplicial, steps, state, shut},
    {"CHOLMOD, supernodal", false, true, open_supernodal, steps, state, shut},
    {0},
};
#else
const rival cholmod_rivals[] = {{0}};
#endif
