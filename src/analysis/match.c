/* SPDX-License-Identifier: MIT */
/* Assignment of roots of the amplification matrix to modes.
 *
 * The exact root of a mode s over a step is exp(s h). If a step is long relative to a period, its root differs much
 * from this value, so shapes are compared too: the cost of a match is |lambda - exp(s h)| + 2 (1 - MAC), MAC the
 * modal assurance criterion between the displacements (and element states) of both eigenvectors. Spurious roots of a
 * multi-step recurrence have the shapes of modes but are smaller, so a deficit in modulus counts too. Slow modes are
 * assigned first. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/stability.h"

static const double pi = 3.14159265358979323846, too_far = 1.5;

typedef struct shapes {
    int rows;
    double *re, *im; /* rows x count */
    double *norm;    /* squared */
} shapes;

static void free_shapes(shapes *s)
{
    free(s->re);
    free(s->im);
    free(s->norm);
}

static bool make_shapes(int rows, int count, shapes *s)
{
    size_t all = (size_t)rows * (size_t)count;
    s->rows = rows;
    s->re = malloc((all + 1) * sizeof *s->re);
    s->im = malloc((all + 1) * sizeof *s->im);
    s->norm = malloc(((size_t)count + 1) * sizeof *s->norm);
    return s->re && s->im && s->norm;
}

static void square(shapes *s, int count)
{
    for (int k = 0; k < count; k++) {
        s->norm[k] = 0.0;
        for (int i = 0; i < s->rows; i++) {
            size_t at = (size_t)k * (size_t)s->rows + (size_t)i;
            s->norm[k] += s->re[at] * s->re[at] + s->im[at] * s->im[at];
        }
    }
}

/* Exact eigenvectors on the dofs of the substructures. */
static void expand(const ifd__exact *e, const ifd__view *v, shapes *out)
{
    size_t from = (size_t)(e->n + e->ns), to = (size_t)(v->dofs + v->states);
    for (size_t k = 0; k < (size_t)e->count; k++)
        for (int side = 0; side < 2; side++) {
            const double *z = (side ? e->im : e->re) + k * from;
            double *u = (side ? out->im : out->re) + k * to;
            if (v->map)
                ifd_assembly_expand(v->map, z, u);
            else
                memcpy(u, z, sizeof *u * (size_t)v->dofs);
            memcpy(u + v->dofs, z + e->n, sizeof *u * (size_t)v->states);
        }
    square(out, e->count);
}

static void look(const ifd__roots *r, const ifd__view *v, shapes *out)
{
    size_t rows = (size_t)(v->dofs + v->states), n = (size_t)r->n;
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < rows; i++) {
            size_t at = (size_t)v->at[i];
            out->re[i + k * rows] = v->scale[at] * r->re[at + k * n];
            out->im[i + k * rows] = v->scale[at] * r->im[at + k * n];
        }
    square(out, r->n);
}

static double assurance(const shapes *a, int j, const shapes *b, int k)
{
    double re = 0.0, im = 0.0;
    const double *ar = a->re + (size_t)j * (size_t)a->rows, *ai = a->im + (size_t)j * (size_t)a->rows;
    const double *br = b->re + (size_t)k * (size_t)b->rows, *bi = b->im + (size_t)k * (size_t)b->rows;
    for (int i = 0; i < a->rows; i++) {
        re += ar[i] * br[i] + ai[i] * bi[i];
        im += ar[i] * bi[i] - ai[i] * br[i];
    }
    double both = a->norm[j] * b->norm[k];
    return both > 0.0 ? (re * re + im * im) / both : 0.0;
}

typedef struct matching {
    const ifd__exact *e;
    const ifd__roots *r;
    shapes exact, seen; /* of both; the second only if r has its eigenvectors */
    ifd_root *root;
} matching;

/* The free root with imag >= 0 of least cost for exact root j; -1 if none is acceptable. */
static int choose(const matching *x, int j, double h)
{
    const ifd__exact *e = x->e;
    const ifd__roots *r = x->r;
    double modulus = exp(e->real[j] * h), re = modulus * cos(e->imag[j] * h), im = modulus * sin(e->imag[j] * h);
    double least = HUGE_VAL;
    int best = -1;
    for (int k = 0; k < r->n; k++) {
        double far = hypot(r->real[k] - re, r->imag[k] - im);
        if (x->root[k].mode >= 0 || r->imag[k] < 0.0 || far >= fmin(least, too_far))
            continue;
        double cost = far + 2.0 * fmax(0.0, modulus - hypot(r->real[k], r->imag[k]));
        if (r->re && cost < least)
            cost += 2.0 * (1.0 - assurance(&x->exact, j, &x->seen, k));
        if (cost < least) {
            least = cost;
            best = k;
        }
    }
    return best;
}

/* Marks root k and the conjugate of a pair. */
static void mark(const ifd__roots *r, int k, int mode, ifd_root *root)
{
    root[k].mode = mode;
    for (int i = 0; i < r->n && r->imag[k] > 0.0; i++)
        if (root[i].mode < 0 && r->real[i] == r->real[k] && r->imag[i] == -r->imag[k]) {
            root[i].mode = mode;
            return;
        }
}

static void describe(const ifd__roots *r, int k, double exact_turn, ifd_stability_mode *m)
{
    double modulus = hypot(r->real[k], r->imag[k]), turn = atan2(r->imag[k], r->real[k]);
    m->real = r->real[k];
    m->imag = r->imag[k];
    m->damping = turn > 0.0 && modulus > 0.0 ? -log(modulus) / turn : 0.0;
    m->frequency_error = exact_turn > 0.0 ? (exact_turn - turn) / exact_turn : 0.0;
}

static void match_all(const matching *x, ifd_stability *out, ifd_stability_mode *mode)
{
    const ifd__exact *e = x->e;
    for (int j = 0; j < e->count; j++) {
        if (e->imag[j] <= 0.0)
            continue;
        int at = out->modes++;
        ifd_stability_mode *m = &mode[at];
        m->omega = e->imag[j] * out->step;
        m->frequency = e->imag[j] / (2.0 * pi);
        m->exact_damping = -e->real[j] / e->imag[j];
        int k = m->omega < pi ? choose(x, j, out->step) : -1;
        m->resolved = k >= 0;
        if (k < 0)
            continue;
        mark(x->r, k, at, x->root);
        describe(x->r, k, m->omega, m);
    }
}

static ifd_status list_relaxations(ifd_arena *arena, const ifd__exact *e, ifd_stability *out)
{
    double *rate = ifd_arena_array(arena, (size_t)e->count, sizeof *rate);
    out->relaxation = rate;
    for (int j = 0; rate && e->complete && j < e->count; j++)
        if (e->imag[j] == 0.0 && e->real[j] != 0.0)
            rate[out->relaxations++] = -e->real[j];
    return rate ? IFD_OK : IFD_NO_MEMORY;
}

ifd_status ifd__match_modes(ifd_arena *arena, const ifd__exact *exact, const ifd__roots *r, const ifd__view *view,
                            ifd_root *root, ifd_stability *out)
{
    ifd_stability_mode *mode = ifd_arena_array(arena, (size_t)exact->count, sizeof *mode);
    matching x = {.e = exact, .r = r, .root = root};
    int rows = view->dofs + view->states;
    bool ok = mode && make_shapes(rows, exact->count, &x.exact) && (!r->re || make_shapes(rows, r->n, &x.seen));
    if (ok) {
        expand(exact, view, &x.exact);
        if (r->re)
            look(r, view, &x.seen);
        out->rigid = exact->zeros < out->ones ? exact->zeros : out->ones;
        match_all(&x, out, mode);
        out->mode = mode;
        for (int j = 0; j < exact->count && out->omega == 0.0; j++)
            out->omega = hypot(exact->real[j], exact->imag[j]) * (exact->imag[j] > 0.0) * out->coarse;
    }
    free_shapes(&x.exact);
    free_shapes(&x.seen);
    return ok ? list_relaxations(arena, exact, out) : IFD_NO_MEMORY;
}
