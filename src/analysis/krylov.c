/* SPDX-License-Identifier: MIT */
/* Arnoldi's method with the restarts of Krylov and Schur (Stewart 2001): A V = V H + v b^T with orthonormal V. A
 * third of the Schur vectors of H, those of the largest roots, begin the next space, so that nothing that has
 * converged is lost. */
#include "analysis/krylov.h"
#include "analysis/verdict.h"
#include "base/random.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>
#include <stdbool.h>

#include <interfield/analysis.h>

/* The root of A that belongs to a root of A^stride.
 *
 * Several roots of A may have one power, such as a pair whose angle times the stride is a multiple of pi. The vector
 * v of that power is then a mixture of theirs, and v^H A v / v^H v is no root. v and A v span the vectors of two of
 * them; in that space A is a matrix of order four at most. */

/* Orthonormal vectors b of length n, and A b, which the caller computes. */
typedef struct ifd__basis {
    int n, count;
    double *b[4], *Ab[4];
} ifd__basis;

/* Finds which root of a matrix belongs to a root of its power. */

static const double spanned =
    1e-7; /* relative distance from the space of the others below which they span a vector */

/* room: 8 n. */
static void basis_begin(ifd__basis *s, int n, double *room)
{
    *s = (ifd__basis){.n = n};
    for (size_t i = 0; i < 4; i++) {
        s->b[i] = room + i * (size_t)n;
        s->Ab[i] = room + (4 + i) * (size_t)n;
    }
}

/* Appends v, which is overwritten, unless the others span it. At most four are appended. */
static void basis_append(ifd__basis *s, double *v)
{
    double before = cblas_dnrm2(s->n, v, 1);
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < s->count; i++)
            cblas_daxpy(s->n, -cblas_ddot(s->n, s->b[i], 1, v, 1), s->b[i], 1, v, 1);
    double size = cblas_dnrm2(s->n, v, 1);
    if (!(size > spanned * before) || s->count == 4)
        return;
    cblas_dscal(s->n, 1.0 / size, v, 1);
    memcpy(s->b[s->count++], v, sizeof *v * (size_t)s->n);
}

/* In: a root of A^stride. Out: that of A in the basis whose power is nearest, with the modulus of the root of the
 * power. False if there is none. */
static bool basis_root(const ifd__basis *s, int stride, double *real, double *imag)
{
    double H[16], re[4], im[4], least = (double)INFINITY, size = hypot(*real, *imag);
    double modulus = pow(size, 1.0 / stride), wanted[2] = {*real, *imag};
    for (int j = 0; j < s->count; j++)
        for (int i = 0; i < s->count; i++)
            H[i + j * s->count] = cblas_ddot(s->n, s->b[i], 1, s->Ab[j], 1);
    if (s->count == 0 || ifd_roots(s->count, H, re, im, NULL) != IFD_OK)
        return false;
    for (int i = 0; i < s->count; i++) {
        double turned = atan2(im[i], re[i]), power = pow(hypot(re[i], im[i]), stride);
        double off = hypot(power * cos(stride * turned) - wanted[0], power * sin(stride * turned) - wanted[1]);
        if (off < least) {
            least = off;
            *real = modulus * cos(turned);
            *imag = modulus * sin(turned);
        }
    }
    return isfinite(least);
}

enum { RESTARTS = 6, ROUNDS = 3 };
static const double converged = 1e-10; /* residual of the largest roots */
static const double alike = 0.98;      /* size of a root that hardly differs from one */
static const double apart = 1e-2;      /* least distance from one of other roots whose power is one */
static const double constant = 1e-4;   /* distance from one of the roots of constant states, split by rounding */

/* Vectors of the space; steps before each round. Rounds follow each other until one is a verdict. stride: steps from
 * one vector to the next; starts: spaces, each of which begins with a third of the one before. seed: of the random
 * state. */
typedef struct plan {
    int space, warm, rounds;
    struct {
        int stride, starts;
    } round[ROUNDS];
    int first; /* round that begins */
    unsigned seed;
} plan;

/* Seeds: of two independent attempts, and of the state whose growth is measured. */
enum { FIRST = 1, SECOND = 2, THIRD = 3 };

static const plan quick = {.space = 90, .warm = 100, .rounds = 1, .round = {{1, RESTARTS}}, .seed = FIRST};
/* Slow modes that hardly decay, hundreds of them, and many unit roots. Many steps to a vector separate the sizes of
 * the roots, |root|^stride, as a space with as many times the vectors does. The stride grows until they differ
 * enough: the smaller the step is against the periods of the slow modes, the more steps it takes. */
static const plan thorough = {
    .space = 240, .warm = 3000, .rounds = ROUNDS, .round = {{8, 3}, {32, 4}, {128, 4}}, .seed = FIRST};

typedef struct krylov {
    const ifd__probe *p;
    plan how;
    int stride;       /* of this round */
    double warmed;    /* steps before its space, from the beginning */
    double *start;    /* n: the state that they have led to */
    double *x, *base; /* complete states: scratch, and the response to a zero state */
    double *scale;    /* n: scales of the state variables, so that metres and newtons are comparable */
    double *V;        /* n x (space + 1) */
    double *H;        /* space x space */
    double *dot;      /* space */
    double *Q, *U;    /* space x space; n x (space / 3 + 1): of a restart */
    double decayed;   /* roots below it shrink to a hundredth in the steps up to the end of the first space */
    double last;      /* norm of what the space lacks: b is `last` times the last unit vector */
} krylov;

static ifd_status make(krylov *k, ifd_arena *arena)
{
    size_t n = (size_t)k->p->n, size = (size_t)k->p->size, space = (size_t)k->how.space;
    return IFD__TAKE(arena, IFD__ARRAY(k->x, size), IFD__ARRAY(k->base, size), IFD__ARRAY(k->scale, n),
                     IFD__ARRAY(k->start, n), IFD__ARRAY(k->V, n * (space + 1)), IFD__ARRAY(k->H, space * space),
                     IFD__ARRAY(k->dot, space), IFD__ARRAY(k->Q, space * space),
                     IFD__ARRAY(k->U, n * (space / 3 + 1)));
}

static bool answer(const krylov *k, double sign, const double *v, double *x)
{
    const ifd__probe *p = k->p;
    memcpy(x, p->rest, sizeof *x * (size_t)p->size);
    for (int i = 0; v && i < p->n; i++)
        x[p->state[i]] += sign * p->amplitude * k->scale[i] * v[i];
    bool ok = true;
    for (int s = 0; s < k->stride && ok; s++)
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

static bool normalise(int n, double *v)
{
    double size = ifd__norm(n, v);
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

/* The scales of the state variables: their largest values `most`, with which v is scaled, too. */
static bool set_scales(krylov *k, const double *most, double *v)
{
    double largest = 0.0;
    for (int i = 0; i < k->p->n; i++)
        largest = fmax(largest, most[i]);
    for (int i = 0; i < k->p->n; i++) {
        double size = fmax(most[i], 1e-8 * largest);
        k->scale[i] *= size;
        v[i] /= size;
    }
    return normalise(k->p->n, v);
}

/* v := a state without quickly decaying motion. The first round begins with a random state and sets the scales of its
 * numbers; the others continue. */
static bool warm_up(krylov *k, int memory, double *v, double *w)
{
    int n = k->p->n, steps = (k->how.warm + memory) / k->stride;
    bool first = k->warmed == 0.0;
    k->warmed += steps * (double)k->stride;
    k->decayed = pow(0.01, 1.0 / (k->warmed / k->stride + k->how.space));
    if (first)
        random_state(n, k->how.seed, v);
    else
        memcpy(v, k->start, sizeof *v * (size_t)n);
    for (int i = 0; first && i < n; i++)
        k->scale[i] = k->p->unit ? k->p->unit[i] : 1.0;
    double *most = w + n;
    memset(most, 0, sizeof *most * (size_t)n);
    for (int s = 0; s < steps; s++) {
        if (!normalise(n, v) || !apply(k, v, w))
            return false;
        memcpy(v, w, sizeof *v * (size_t)n);
        for (int i = 0; i < n && s >= memory / k->stride; i++)
            most[i] = fmax(most[i], fabs(v[i]));
    }
    bool ok = first ? set_scales(k, most, v) : normalise(n, v);
    memcpy(k->start, v, sizeof *v * (size_t)n);
    return ok;
}

/* w -= V V^T w, twice, over the first `count` vectors; to += V^T w. */
static void project(krylov *k, int count, double *w, double *to)
{
    int n = k->p->n;
    for (int pass = 0; pass < 2; pass++) {
        cblas_dgemv(CblasColMajor, CblasTrans, n, count, 1.0, k->V, n, w, 1, 0.0, k->dot, 1);
        cblas_dgemv(CblasColMajor, CblasNoTrans, n, count, -1.0, k->V, n, k->dot, 1, 1.0, w, 1);
        cblas_daxpy(count, 1.0, k->dot, 1, to, 1);
    }
}

/* Extends a space of `from` vectors and the one after them. Returns its size, smaller than planned if it is
 * invariant; -1: a step failed. */
static int expand(krylov *k, int from)
{
    size_t n = (size_t)k->p->n, space = (size_t)k->how.space;
    for (size_t j = (size_t)from; j < space; j++) {
        double *w = k->V + (j + 1) * n;
        if (!apply(k, k->V + j * n, w))
            return -1;
        double before = ifd__norm(k->p->n, w);
        project(k, (int)j + 1, w, k->H + j * space);
        k->last = ifd__norm(k->p->n, w);
        if (k->last <= 1e-13 * before)
            return (int)j + 1;
        if (j + 1 < space)
            k->H[j + 1 + j * space] = k->last;
        normalise(k->p->n, w);
    }
    return k->how.space;
}

/* selected: the `keep` largest roots, or one more, since pairs stay together. Returns their number. */
static int select_largest(int m, int keep, const double *re, const double *im, lapack_logical *selected)
{
    int count = 0;
    memset(selected, 0, sizeof *selected * (size_t)m);
    while (count < keep) {
        int best = -1;
        for (int i = 0; i < m; i++)
            if (!selected[i] && im[i] >= 0.0 && (best < 0 || hypot(re[i], im[i]) > hypot(re[best], im[best])))
                best = i;
        bool pair = im[best] > 0.0;
        selected[best] = selected[best + pair] = 1;
        count += 1 + pair;
    }
    return count;
}

/* H := the part of its Schur form that belongs to the largest roots, and the row b below it; V follows. Returns the
 * vectors that stay, without the last one; -1 on failure. */
static int restart(krylov *k, ifd_arena *arena)
{
    size_t n = (size_t)k->p->n, m = (size_t)k->how.space;
    double *Q = k->Q, *U = k->U, *re, *im;
    lapack_logical *selected;
    lapack_int found = 0, size = (lapack_int)m;
    if (IFD__TAKE(arena, IFD__ARRAY(re, m), IFD__ARRAY(im, m), IFD__ARRAY(selected, m)) != IFD_OK ||
        LAPACKE_dgees(LAPACK_COL_MAJOR, 'V', 'N', NULL, size, k->H, size, &found, re, im, Q, size) != 0)
        return -1;
    int keep = select_largest(size, size / 3, re, im, selected);
    double s, sep;
    lapack_int one;
    if (LAPACKE_dtrsen_work(LAPACK_COL_MAJOR, 'N', 'V', selected, size, k->H, size, Q, size, re, im, &found, &s, &sep,
                            k->dot, size, &one, 1) != 0)
        return -1;
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, (int)n, keep, size, 1.0, k->V, (int)n, Q, size, 0.0, U,
                (int)n);
    memcpy(k->V, U, sizeof *U * n * (size_t)keep);
    memcpy(k->V + (size_t)keep * n, k->V + m * n, sizeof *U * n);
    for (size_t j = 0; j < m; j++) {
        memset(k->H + (size_t)keep + j * m, 0, sizeof *k->H * (m - (size_t)keep));
        if (j < (size_t)keep)
            k->H[(size_t)keep + j * m] = k->last * Q[m - 1 + j * m];
        else
            memset(k->H + j * m, 0, sizeof *k->H * m);
    }
    return keep;
}

static double residual(const krylov *k, int m, const ifd__roots *r, int c)
{
    return m < k->how.space ? 0.0 : k->last * hypot(r->re[m - 1 + c * m], r->im[m - 1 + c * m]);
}

static bool resolved(const krylov *k, int m, const ifd__roots *r, int c)
{
    return residual(k, m, r, c) <= converged;
}

/* True if the converged roots are a verdict: one of them grows; or they are more than constant states, and each of
 * the others is inside the circle by its residual, or has decayed before the space. An isolated root, such as that of
 * a constant state, converges long before a crowd of slow modes, one of which may grow: the estimates of a crowd are
 * smaller than its roots, and may be the smallest of all. */
static bool settled(const krylov *k, int m, const ifd__roots *r)
{
    bool grows = false, inside = resolved(k, m, r, 0), moves = false, all = true;
    for (int c = 0; c < m; c++) {
        double size = hypot(r->real[c], r->imag[c]);
        bool low = size<k->decayed, motion = hypot(r->real[c] - 1.0, r->imag[c])> constant;
        bool known = resolved(k, m, r, c);
        grows = grows || (known && motion && size > 1.0 + k->stride * IFD__LEAST_GROWTH);
        inside = inside && (known || low || size + residual(k, m, r, c) <= 1.0);
        moves = moves || low || (known && motion);
        all = all && known;
    }
    return grows || (inside && (moves || all));
}

/* Leaves the converged ones of the m roots. */
static void keep_resolved(const krylov *k, int m, ifd__roots *r)
{
    int count = 0;
    for (int c = 0; c < m; c++) {
        if (!resolved(k, m, r, c))
            continue;
        r->real[count] = r->real[c];
        r->imag[count] = r->imag[c];
        r->blur[count] = r->blur[c];
        memmove(r->re + (size_t)count * (size_t)m, r->re + (size_t)c * (size_t)m, sizeof *r->re * (size_t)m);
        memmove(r->im + (size_t)count * (size_t)m, r->im + (size_t)c * (size_t)m, sizeof *r->im * (size_t)m);
        count++;
    }
    r->n = count; /* vectors keep their length */
}

/* The roots of A from those of A^stride, which have lost their angle: in the space of a vector v and A v. w: 9 n. */
static bool one_step(krylov *k, int m, double *w, ifd__roots *r)
{
    size_t n = (size_t)k->p->n;
    int stride = k->stride;
    bool ok;
    k->stride = 1;
    ok = answer(k, 0.0, NULL, k->base);
    for (int c = 0; ok && c < r->n; c++) {
        ifd__basis s;
        basis_begin(&s, (int)n, w + n);
        for (int part = 0; part < 1 + (r->imag[c] != 0.0); part++) {
            cblas_dgemv(CblasColMajor, CblasNoTrans, (int)n, m, 1.0, k->V, (int)n,
                        (part ? r->im : r->re) + (size_t)(c * m), 1, 0.0, w, 1);
            basis_append(&s, w);
        }
        for (int i = 0, own = s.count; ok && i < s.count; i++) {
            ok = apply(k, s.b[i], s.Ab[i]);
            memcpy(w, s.Ab[i], sizeof *w * n);
            if (ok && i < own)
                basis_append(&s, w);
        }
        ok = ok && basis_root(&s, stride, &r->real[c], &r->imag[c]);
        r->blur[c] /= stride;
        if (r->blur[c] < 0.0 && hypot(r->real[c] - 1.0, r->imag[c]) > apart)
            r->blur[c] = -r->blur[c]; /* its power is one: it turns, and is no constant state */
    }
    k->stride = stride;
    return ok;
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
    *out = ifd__norm(n, sum) * sqrt((double)k->how.space);
    return true;
}

/* The converged ones of the m roots of the space, judged as those of its matrix with the accepted error. */
static ifd_status judge(krylov *k, int m, ifd_arena *arena, ifd__roots *out)
{
    double *H, noise = 0.0, *w;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(H, (size_t)m * (size_t)m), IFD__ARRAY(w, 9 * (size_t)k->p->n)));
    if (m > 1 && !noise_of(k, w, &noise))
        return IFD_DIVERGED;
    for (int j = 0; j < m; j++)
        memcpy(H + (size_t)j * (size_t)m, k->H + (size_t)j * (size_t)k->how.space, sizeof *H * (size_t)m);
    IFD_TRY(ifd__roots_judge(m, H, noise + converged, out));
    keep_resolved(k, m, out);
    return k->stride == 1 || one_step(k, m, w, out) ? IFD_OK : IFD_DIVERGED;
}

static ifd_status space_roots(krylov *k, int m, ifd_arena *arena, ifd__roots *out, ifd_note *note)
{
    double *H;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(H, (size_t)m * (size_t)m)));
    for (int j = 0; j < m; j++)
        for (int i = 0; i < m; i++)
            H[i + j * m] = k->H[i + j * k->how.space];
    return ifd__roots_find(arena, m, H, true, out, note);
}

/* One round: IFD_UNSUPPORTED if it is no verdict. */
static ifd_status play(krylov *k, int starts, ifd_arena *arena, ifd__roots *out, ifd_note *note)
{
    memset(k->H, 0, sizeof *k->H * (size_t)k->how.space * (size_t)k->how.space);
    for (int turn = 0, from = 0; turn < starts && from >= 0; turn++) {
        int m = expand(k, from);
        if (m < 1)
            return IFD_DIVERGED;
        IFD_TRY(space_roots(k, m, arena, out, note));
        if (settled(k, m, out))
            return judge(k, m, arena, out);
        for (int i = 0; i < m; i++)
            out->blur[i] = residual(k, m, out, i);
        from = turn + 1 < starts ? restart(k, arena) : -1;
    }
    return IFD_UNSUPPORTED;
}

/* True if a power `times` as large makes the sizes of half of the estimates differ from one: not those of undamped
 * motion. */
static bool promising(const ifd__roots *r, double times)
{
    int middle = r->n / 2;
    return pow(hypot(r->real[middle], r->imag[middle]), times) < alike;
}

/* how->first := the last round, which may be a verdict. */
static ifd_status find_roots(ifd_arena *arena, const ifd__probe *p, plan *how, int memory, ifd__roots *out,
                             ifd_note *note)
{
    krylov k = {.p = p, .how = *how};
    ifd_status status = IFD_UNSUPPORTED;
    IFD_TRY(make(&k, arena));
    for (int i = how->first; i < how->rounds && status == IFD_UNSUPPORTED; i++) {
        k.stride = how->round[i].stride;
        how->first = i;
        if (!answer(&k, 0.0, NULL, k.base) || !warm_up(&k, memory, k.V, k.V + p->n))
            return IFD_DIVERGED;
        status = play(&k, how->round[i].starts, arena, out, note);
        if (i > 0 && i + 1 < how->rounds && status == IFD_UNSUPPORTED &&
            !promising(out, (double)how->round[i + 1].stride / k.stride))
            break;
    }
    return status;
}

/* Growth that was found is certain. Without any, another random state must lead to roots without growth, too: the
 * first may lack the motion that grows. */
static ifd_status from_two_states(ifd_arena *arena, const ifd__probe *p, const plan *how, int memory, ifd__roots *out,
                                  ifd_note *note)
{
    plan first = *how, other = *how;
    ifd__roots again = {0};
    IFD_TRY(find_roots(arena, p, &first, memory, out, note));
    if (!ifd__roots_stable(out))
        return IFD_OK;
    other.seed = SECOND;
    other.first = first.first;
    ifd_status status = find_roots(arena, p, &other, memory, &again, note);
    if (status != IFD_OK || ifd__root_modulus(&again, 0) > ifd__root_modulus(out, 0))
        *out = again;
    return status;
}

ifd_status ifd__krylov_roots(ifd_arena *arena, const ifd__probe *p, int memory, ifd__roots *out, ifd_note *note)
{
    return from_two_states(arena, p, &quick, memory, out, note);
}

/* The roots of a crowd of equal sizes do not converge. If a random state decays so fast that none of them can grow, a
 * bound of their sizes is the verdict. */
static ifd_status bound_roots(ifd_arena *arena, const ifd__probe *p, ifd__roots *out)
{
    ifd__growth g;
    IFD_TRY(ifd__krylov_growth(arena, p, IFD__GROWTH_STEPS, &g));
    if (!(g.excluded < -IFD__LEAST_GROWTH))
        return IFD_UNSUPPORTED;
    *out = (ifd__roots){.n = 1};
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(out->real, 1), IFD__ARRAY(out->imag, 1), IFD__ARRAY(out->blur, 1)));
    out->real[0] = exp(g.excluded);
    return IFD_OK;
}

ifd_status ifd__krylov_radius(ifd_arena *arena, const ifd__probe *p, int memory, double near_one, ifd__roots *out,
                              ifd_note *note)
{
    ifd_status status = from_two_states(arena, p, &thorough, memory, out, note);
    if (status == IFD_UNSUPPORTED)
        return bound_roots(arena, p, out);
    IFD_TRY(status);
    for (int i = 0; i < out->n; i++)
        if (hypot(out->real[i] - 1.0, out->imag[i]) < near_one) {
            out->real[i] = 1.0;
            out->imag[i] = 0.0;
        }
    return IFD_OK;
}

/* |A^k| <= a sqrt(2/pi) |A^k w| for normal random w, except with the probability 1/a (Halko, Martinsson and Tropp
 * 2011, lemma 4.1), and no root is larger than |A^k|^(1/k). */
ifd_status ifd__krylov_growth(ifd_arena *arena, const ifd__probe *p, int steps, ifd__growth *out)
{
    krylov k = {.p = p, .how = quick, .stride = 1};
    IFD_TRY(make(&k, arena));
    if (!answer(&k, 0.0, NULL, k.base) || !warm_up(&k, 0, k.V, k.V + p->n))
        return IFD_DIVERGED;
    double *v = k.V, *w = k.V + p->n, grown = 0.0, most[2] = {(double)-INFINITY, (double)-INFINITY};
    random_state(p->n, THIRD, v);
    grown = log(ifd__norm(p->n, v));
    for (int s = 0; s < steps; s++) {
        if (!normalise(p->n, v) || !apply(&k, v, w))
            return IFD_DIVERGED;
        grown += log(ifd__norm(p->n, w));
        if (s % (steps / 2) >= steps / 4)
            most[s >= steps / 2] = fmax(most[s >= steps / 2], grown);
        memcpy(v, w, sizeof *v * (size_t)p->n);
    }
    *out = (ifd__growth){.rate = (most[1] - most[0]) / (steps / 2),
                         .excluded = (grown + log(sqrt(2.0 / M_PI) / IFD__GROWTH_DOUBT)) / steps};
    return isfinite(grown) ? IFD_OK : IFD_DIVERGED;
}
