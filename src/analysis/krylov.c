/* SPDX-License-Identifier: MIT */
#include "analysis/krylov.h"

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "analysis/verdict.h"
#include "base/arena.h"

enum { RESTARTS = 6 };
static const double converged = 1e-10; /* residual of the largest roots */

/* Vectors of the space; steps before it; steps from one vector to the next; starts. seed: of the random state. */
typedef struct plan {
    int space, warm, stride, starts;
    unsigned seed;
} plan;

/* Seeds: of two independent attempts, and of the state whose growth is measured. */
enum { FIRST = 1, SECOND = 2, THIRD = 3 };

static const plan quick = {90, 100, 1, RESTARTS, FIRST},
                  /* Slow modes that hardly decay, hundreds of them, and many unit roots. Several steps to a vector
                   * separate the sizes of the roots as a space with as many times the vectors does. */
    thorough = {240, 3000, 8, 2, FIRST};

typedef struct krylov {
    const ifd__probe *p;
    plan how;
    double *x, *base; /* complete states: scratch, and the response to a zero state */
    double *scale;    /* n: scales of the state variables, so that metres and newtons are comparable */
    double *V;        /* n x (space + 1) */
    double *H;        /* space x space */
    double *sum;      /* space */
    double last;      /* H[space + 1, space] */
} krylov;

static ifd_status make(krylov *k, ifd_arena *arena)
{
    size_t n = (size_t)k->p->n, size = (size_t)k->p->size, space = (size_t)k->how.space;
    return IFD__TAKE(arena, IFD__ARRAY(k->x, size), IFD__ARRAY(k->base, size), IFD__ARRAY(k->scale, n),
                     IFD__ARRAY(k->V, n * (space + 1)), IFD__ARRAY(k->H, space * space), IFD__ARRAY(k->sum, space));
}

static bool answer(const krylov *k, double sign, const double *v, double *x)
{
    const ifd__probe *p = k->p;
    memcpy(x, p->rest, sizeof *x * (size_t)p->size);
    for (int i = 0; v && i < p->n; i++)
        x[p->state[i]] += sign * p->amplitude * k->scale[i] * v[i];
    bool ok = true;
    for (int s = 0; s < k->how.stride && ok; s++)
        ok = p->step(p->what, x);
    return ok;
}

/* w := A^stride v in scaled numbers. */
static bool apply(krylov *k, const double *v, double *w)
{
    const ifd__probe *p = k->p;
    double width = p->central ? 2.0 * p->amplitude : p->amplitude;
    if (p->central && !answer(k, -1.0, v, k->base))
        return false;
    if (!answer(k, 1.0, v, k->x))
        return false;
    for (int i = 0; i < p->n; i++)
        w[i] = (k->x[p->state[i]] - k->base[p->state[i]]) / (width * k->scale[i]);
    return true;
}

static double norm(int n, const double *v)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += v[i] * v[i];
    return sqrt(sum);
}

static bool normalise(int n, double *v)
{
    double size = norm(n, v);
    for (int i = 0; i < n; i++)
        v[i] /= size;
    return size > 0.0 && isfinite(size);
}

static void random_state(int n, unsigned seed, double *v)
{
    ifd__random random;
    ifd__random_seed(&random, seed);
    for (int i = 0; i < n; i++)
        v[i] = ifd__random_normal(&random);
}

/* A state without quickly decaying motion, and the scales of its numbers. */
static bool warm_up(krylov *k, int memory, double *v, double *w)
{
    int n = k->p->n, steps = (k->how.warm + memory) / k->how.stride;
    memory /= k->how.stride;
    random_state(n, k->how.seed, v);
    for (int i = 0; i < n; i++)
        k->scale[i] = k->p->unit ? k->p->unit[i] : 1.0;
    double *most = w + n;
    memset(most, 0, sizeof *most * (size_t)n);
    for (int s = 0; s < steps; s++) {
        if (!normalise(n, v) || !apply(k, v, w))
            return false;
        memcpy(v, w, sizeof *v * (size_t)n);
        for (int i = 0; i < n && s >= memory; i++)
            most[i] = fmax(most[i], fabs(v[i]));
    }
    double largest = 0.0;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, most[i]);
    for (int i = 0; i < n; i++) {
        double size = fmax(most[i], 1e-8 * largest);
        k->scale[i] *= size;
        v[i] /= size;
    }
    return normalise(n, v);
}

/* Modified Gram-Schmidt, twice. Returns the size of the space, smaller if it is invariant. */
static int expand(krylov *k)
{
    int n = k->p->n, space = k->how.space;
    memset(k->H, 0, sizeof *k->H * (size_t)space * (size_t)space);
    for (int j = 0; j < space; j++) {
        double *w = k->V + (size_t)(j + 1) * (size_t)n;
        if (!apply(k, k->V + (size_t)j * (size_t)n, w))
            return -1;
        double before = norm(n, w);
        for (int i = 0; i < 2 * (j + 1); i++) {
            const double *u = k->V + (size_t)(i % (j + 1)) * (size_t)n;
            double dot = 0.0;
            for (int r = 0; r < n; r++)
                dot += u[r] * w[r];
            k->H[i % (j + 1) + j * space] += dot;
            for (int r = 0; r < n; r++)
                w[r] -= dot * u[r];
        }
        k->last = norm(n, w);
        if (k->last <= 1e-13 * before)
            return j + 1;
        if (j + 1 < space)
            k->H[j + 1 + j * space] = k->last;
        normalise(n, w);
    }
    return space;
}

/* The next start: the sum of the eigenvectors of the largest roots. */
static void restart(krylov *k, int m, const ifd__roots *r)
{
    int n = k->p->n;
    double *v = k->V, *sum = k->V + (size_t)k->how.space * (size_t)n, *y = k->sum;
    memset(y, 0, sizeof *y * (size_t)k->how.space);
    for (int c = 0; c < m && c < 12; c++)
        for (int i = 0; i < m; i++)
            y[i] += r->re[i + c * m] + 0.5 * r->im[i + c * m];
    memset(sum, 0, sizeof *sum * (size_t)n);
    for (int i = 0; i < m; i++)
        for (int q = 0; q < n; q++)
            sum[q] += y[i] * k->V[(size_t)i * (size_t)n + (size_t)q];
    memcpy(v, sum, sizeof *v * (size_t)n);
    normalise(n, v);
}

static double residual(const krylov *k, int m, const ifd__roots *r, int c)
{
    return m < k->how.space ? 0.0 : k->last * hypot(r->re[m - 1 + c * m], r->im[m - 1 + c * m]);
}

/* Deviation of the step from linear, for two states of the space: the noise of its matrix. */
static bool noise_of(krylov *k, double *w, double *out)
{
    int n = k->p->n;
    const double *a = k->V, *b = k->V + n;
    double *sum = w + n;
    for (int i = 0; i < n; i++)
        sum[i] = 0.5 * (a[i] + b[i]);
    if (!apply(k, sum, w))
        return false;
    for (int i = 0; i < n; i++)
        sum[i] = 2.0 * w[i];
    for (int c = 0; c < 2; c++) {
        if (!apply(k, c ? b : a, w))
            return false;
        for (int i = 0; i < n; i++)
            sum[i] -= w[i];
    }
    *out = norm(n, sum) * sqrt((double)k->how.space);
    return true;
}

/* The converged ones of the m roots of the space, judged as those of its matrix with the accepted error. */
static ifd_status judge(krylov *k, int m, int good, ifd_arena *arena, ifd__roots *out)
{
    double *H = ifd_arena_array(arena, (size_t)m * (size_t)m, sizeof *H), noise = 0.0;
    double *w = ifd_arena_array(arena, 2 * (size_t)k->p->n, sizeof *w);
    if (!H || !w)
        return IFD_NO_MEMORY;
    if (m > 1 && !noise_of(k, w, &noise))
        return IFD_DIVERGED;
    for (int j = 0; j < m; j++)
        memcpy(H + (size_t)j * (size_t)m, k->H + (size_t)j * (size_t)k->how.space, sizeof *H * (size_t)m);
    IFD_TRY(ifd__roots_judge(m, H, noise + converged, out));
    out->n = good; /* vectors keep their length */
    return IFD_OK;
}

static ifd_status space_roots(krylov *k, int m, ifd_arena *arena, ifd__roots *out, ifd_note *note)
{
    double *H = ifd_arena_array(arena, (size_t)m * (size_t)m, sizeof *H);
    if (!H)
        return IFD_NO_MEMORY;
    for (int j = 0; j < m; j++)
        for (int i = 0; i < m; i++)
            H[i + j * m] = k->H[i + j * k->how.space];
    return ifd__roots_find(arena, m, H, true, out, note);
}

static ifd_status find_roots(ifd_arena *arena, const ifd__probe *p, const plan *how, int memory, ifd__roots *out,
                             ifd_note *note)
{
    krylov k = {.p = p, .how = *how};
    IFD_TRY(make(&k, arena));
    if (!answer(&k, 0.0, NULL, k.base))
        return IFD_DIVERGED;
    if (!warm_up(&k, memory, k.V, k.V + p->n))
        return IFD_DIVERGED;
    for (int turn = 0; turn < how->starts; turn++) {
        int m = expand(&k);
        if (m < 1)
            return IFD_DIVERGED;
        IFD_TRY(space_roots(&k, m, arena, out, note));
        int good = 0;
        while (good < m && residual(&k, m, out, good) <= converged)
            good++;
        if (good > 0)
            return judge(&k, m, good, arena, out);
        for (int i = 0; i < m; i++)
            out->blur[i] = residual(&k, m, out, i);
        restart(&k, m, out);
    }
    return IFD_UNSUPPORTED;
}

/* Growth that was found is certain. Without any, another random state must lead to roots without growth, too: the
 * first may lack the motion that grows. */
static ifd_status from_two_states(ifd_arena *arena, const ifd__probe *p, const plan *how, int memory,
                                  ifd__roots *out, ifd_note *note)
{
    plan other = *how;
    ifd__roots again = {0};
    IFD_TRY(find_roots(arena, p, how, memory, out, note));
    if (!ifd__roots_stable(out))
        return IFD_OK;
    other.seed = SECOND;
    ifd_status status = find_roots(arena, p, &other, memory, &again, note);
    if (status != IFD_OK || ifd__root_modulus(&again, 0) > ifd__root_modulus(out, 0))
        *out = again;
    return status;
}

ifd_status ifd__krylov_roots(ifd_arena *arena, const ifd__probe *p, int memory, ifd__roots *out, ifd_note *note)
{
    return from_two_states(arena, p, &quick, memory, out, note);
}

ifd_status ifd__krylov_radius(ifd_arena *arena, const ifd__probe *p, int memory, double near_one, ifd__roots *out,
                              ifd_note *note)
{
    IFD_TRY(from_two_states(arena, p, &thorough, memory, out, note));
    for (int i = 0; i < out->n; i++) {
        bool one = hypot(out->real[i] - 1.0, out->imag[i]) < thorough.stride * near_one;
        out->real[i] = one ? 1.0 : pow(hypot(out->real[i], out->imag[i]), 1.0 / thorough.stride);
        out->imag[i] = 0.0;
    }
    return IFD_OK;
}

/* |A^k| <= a sqrt(2/pi) |A^k w| for normal random w, except with the probability 1/a (Halko, Martinsson and Tropp
 * 2011, lemma 4.1), and no root is larger than |A^k|^(1/k). */
ifd_status ifd__krylov_growth(ifd_arena *arena, const ifd__probe *p, int steps, ifd__growth *out)
{
    krylov k = {.p = p, .how = quick};
    IFD_TRY(make(&k, arena));
    if (!answer(&k, 0.0, NULL, k.base) || !warm_up(&k, 0, k.V, k.V + p->n))
        return IFD_DIVERGED;
    double *v = k.V, *w = k.V + p->n, grown = 0.0, most[2] = {(double)-INFINITY, (double)-INFINITY};
    random_state(p->n, THIRD, v);
    grown = log(norm(p->n, v));
    for (int s = 0; s < steps; s++) {
        if (!normalise(p->n, v) || !apply(&k, v, w))
            return IFD_DIVERGED;
        grown += log(norm(p->n, w));
        if (s % (steps / 2) >= steps / 4)
            most[s >= steps / 2] = fmax(most[s >= steps / 2], grown);
        memcpy(v, w, sizeof *v * (size_t)p->n);
    }
    *out = (ifd__growth){.rate = (most[1] - most[0]) / (steps / 2),
                         .excluded = (grown + log(sqrt(2.0 / M_PI) / IFD__GROWTH_DOUBT)) / steps};
    return isfinite(grown) ? IFD_OK : IFD_DIVERGED;
}
