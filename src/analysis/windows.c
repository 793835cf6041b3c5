/* SPDX-License-Identifier: MIT */
/* Searches a range for its first unstable value, windows included. */
#include "analysis/windows.h"
#include "analysis/verdict.h"

#include <math.h>
#include <stdlib.h>

/* The assignment problem by shortest augmenting paths with potentials: Kuhn (1955), Jonker and Volgenant (1987). */

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
    double *numbers IFD__FREED = calloc(3 * N, sizeof *numbers);
    int *whole IFD__FREED = calloc(2 * N, sizeof *whole);
    bool *used IFD__FREED = calloc(N, sizeof *used);
    if (!numbers || !whole || !used)
        return false;
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
    return true;
}

static const double counts = 0.1;     /* roots of smaller modulus are not followed */
static const double watched = 0.5;    /* modulus above which a root can make an interval suspicious */
static const double pairs = 0.8;      /* modulus above which a pair may meet on the real axis */
static const double on_circle = 1e-9; /* distance that counts as round-off of a root on the unit circle */

/* Among so many roots there is always one within 2 d: modes of neighbouring frequencies, which move in parallel. Then
 * only roots that move towards each other count as meeting. */
enum { MANY = 24 };

typedef struct node {
    double x, radius;
    bool unstable;
    int n;
    double *re, *im, *doubt; /* doubt: possible change of each by errors */
    struct node *before, *after;
} node;

typedef struct search {
    const ifd__window_search *s;
    ifd_arena *arena, *scratch;
    node *first;
    double kappa;
    ifd__window *out;
} search;

/* Copies the followed roots of r into a node. */
static bool keep_roots(ifd_arena *arena, const ifd__roots *r, node *p)
{
    p->re = ifd_arena_array(arena, (size_t)r->n, sizeof(double));
    p->im = ifd_arena_array(arena, (size_t)r->n, sizeof(double));
    p->doubt = ifd_arena_array(arena, (size_t)r->n, sizeof(double));
    if (!p->re || !p->im || !p->doubt)
        return false;
    for (int i = 0; i < r->n; i++) {
        double size = hypot(r->real[i], r->imag[i]);
        p->radius = size > p->radius || isnan(size) ? size : p->radius;
        if (size > counts) {
            p->doubt[p->n] = ifd__root_doubt(r, i);
            p->re[p->n] = r->real[i];
            p->im[p->n++] = r->imag[i];
        }
    }
    return true;
}

/* A new node at x after `before`, which may be NULL for the first. */
static ifd_status probe(search *w, double x, node *before, node **out)
{
    ifd__roots roots = {0};
    ifd_arena *own IFD__CLOSED = ifd_arena_open();
    node *p = ifd_arena_take(w->arena, sizeof *p);
    ifd_status status = own && p ? w->s->probe(w->s->what, x, own, &roots, w->s->note) : IFD_NO_MEMORY;
    w->out->probes++;
    if (status == IFD_OK && !keep_roots(w->arena, &roots, p))
        status = IFD_NO_MEMORY;
    p->unstable = status == IFD_DIVERGED || (status == IFD_OK && !ifd__roots_stable(&roots));

    if (status != IFD_OK && status != IFD_DIVERGED)
        return status;
    p->x = x;
    p->radius = status == IFD_DIVERGED ? (double)INFINITY : p->radius;
    p->before = before;
    p->after = before ? before->after : NULL;
    if (p->after)
        p->after->before = p;
    if (before)
        before->after = p;
    *out = p;
    return IFD_OK;
}

static double distance(const node *p, int i, const node *q, int j)
{
    return hypot(p->re[i] - q->re[j], p->im[i] - q->im[j]);
}

/* The root of q nearest to root i of p, if its distance is below half of the next one; otherwise -1. */
static int only_near(const node *p, int i, const node *q)
{
    double least = (double)INFINITY, next = (double)INFINITY;
    int best = -1;
    for (int j = 0; j < q->n; j++) {
        double d = distance(p, i, q, j);
        if (d < least) {
            next = least;
            least = d;
            best = j;
        } else {
            next = fmin(next, d);
        }
    }
    return least < 0.5 * next ? best : -1;
}

/* Roots with only each other nearby are matched directly: few of many roots are left for the assignment. */
static void match_near(const node *p, const node *q, int *to, int *from)
{
    enum { FEW = 24 };
    for (int i = 0; i < p->n; i++)
        to[i] = -1;
    for (int j = 0; j < q->n; j++)
        from[j] = -1;
    for (int i = 0; i < p->n && p->n > FEW; i++) {
        int j = only_near(p, i, q);
        if (j >= 0 && only_near(q, j, p) == i) {
            to[i] = j;
            from[j] = i;
        }
    }
}

static int left_over(int n, const int *to, int *list)
{
    int count = 0;
    for (int i = 0; i < n; i++)
        if (to[i] < 0)
            list[count++] = i;
    return count;
}

/* to[i]: root of q that root i of p becomes, -1 if it is no longer followed; from: the inverse. */
static bool match(const search *w, const node *p, const node *q, int **to, int **from)
{
    size_t most = (size_t)(p->n > q->n ? p->n : q->n) + 1;
    int *pool = ifd_arena_array(w->scratch, 5 * most, sizeof *pool);
    if (!pool)
        return false;
    int *forth = pool, *back = pool + most, *a = back + most, *b = a + most, *given = b + most;
    match_near(p, q, forth, back);
    int rows = left_over(p->n, forth, a), columns = left_over(q->n, back, b), n = rows > columns ? rows : columns;
    double *cost = ifd_arena_array(w->scratch, (size_t)n * (size_t)n + 1, sizeof *cost);
    if (!cost)
        return false;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            cost[i * n + j] = i < rows && j < columns ? distance(p, a[i], q, b[j])
                              : i < rows              ? hypot(p->re[a[i]], p->im[a[i]])
                              : j < columns           ? hypot(q->re[b[j]], q->im[b[j]])
                                                      : 0.0;
    if (!ifd__assign(n, cost, given))
        return false;
    for (int i = 0; i < rows; i++)
        if (given[i] < columns) {
            forth[a[i]] = b[given[i]];
            back[b[given[i]]] = a[i];
        }
    *to = forth;
    *from = back;
    return true;
}

/* True if another root of p is within r of root i. */
static bool crowded(const node *p, int i, double r)
{
    for (int j = 0; j < p->n; j++)
        if (j != i && distance(p, i, p, j) < r)
            return true;
    return false;
}

static bool neutral(const node *p, int i)
{
    return fabs(hypot(p->re[i], p->im[i]) - 1.0) <= on_circle;
}

/* True if root i of p, which becomes b of q, may meet another one in between: their distance falls below half of
 * their relative motion. */
static bool may_meet(const node *p, int i, const node *q, const int *to)
{
    int b = to[i];
    for (int j = 0; j < p->n; j++) {
        int c = to[j];
        if (j == i || c < 0)
            continue;
        double moved = hypot(p->re[i] - p->re[j] - q->re[b] + q->re[c], p->im[i] - p->im[j] - q->im[b] + q->im[c]);
        if (fmin(distance(p, i, p, j), distance(q, b, q, c)) < 2.0 * moved)
            return true;
    }
    return false;
}

/* True if root i of p may have left the circle on its path to root b of q. */
static bool may_leave(const search *w, const node *p, int i, const node *q, const int *to)
{
    int b = to[i];
    double one = hypot(p->re[i], p->im[i]), two = b < 0 ? 0.0 : hypot(q->re[b], q->im[b]), most = fmax(one, two);
    if (most <= watched)
        return false;
    double d = b < 0 ? one : distance(p, i, q, b);
    if (b >= 0 && neutral(p, i) && neutral(q, b) && !may_meet(p, i, q, to))
        return false;
    double bulge = fabs(one - two) / 2.0 + d * d / 8.0;
    bool meets =
        p->n > MANY && b >= 0 ? may_meet(p, i, q, to) : crowded(p, i, 2.0 * d) || (b >= 0 && crowded(q, b, 2.0 * d));
    if (meets)
        bulge = fmax(bulge, d / 2.0);
    return most + w->kappa * bulge > 1.0 + (w->s->crossing ? IFD__LEAST_DOUBT : IFD__WINDOW_RADIUS);
}

/* Root i and its conjugate. */
static int partner(const node *p, int i)
{
    int best = -1;
    double least = 1e-9;
    for (int j = 0; j < p->n; j++) {
        double off = hypot(p->re[i] - p->re[j], p->im[i] + p->im[j]);
        if (j != i && off <= least) {
            least = off;
            best = j;
        }
    }
    return best;
}

/* |sign - z|^2 of a pair: the product of both factors, negative while one of two real roots is outside. */
static double margin(const node *p, int i, int j, double sign)
{
    double a = sign - p->re[i], b = sign - p->re[j];
    return a * b - p->im[i] * p->im[j];
}

/* True if the parabola through three points reaches zero between x[1] and x[2]. */
static bool reaches_zero(const double x[3], const double m[3])
{
    double s = (m[2] - m[1]) / (x[2] - x[1]), t = (m[1] - m[0]) / (x[1] - x[0]), c = (s - t) / (x[2] - x[0]);
    double slope = s - c * (x[2] - x[1]); /* at x[1] */
    if (!(c > 0.0))
        return false;
    double at = -slope / (2.0 * c);
    return at > 0.0 && at < x[2] - x[1] && m[1] + at * (slope + c * at) <= 0.0;
}

typedef struct triple {
    const node *outer, *near, *far; /* the ends of the interval are near and far */
    const int *out, *to;            /* roots of near in outer and in far */
} triple;

/* The pair (i, j) of the near end, over the interval with its outer neighbour. */
static bool pair_crosses(const triple *t, int i, int j)
{
    int a = t->out[i], b = t->out[j], c = t->to[i], d = t->to[j];
    if (a < 0 || b < 0 || c < 0 || d < 0)
        return false;
    for (int side = 0; side < 2; side++) {
        double sign = side ? -1.0 : 1.0;
        const double x[3] = {t->outer->x, t->near->x, t->far->x};
        const double m[3] = {margin(t->outer, a, b, sign), margin(t->near, i, j, sign), margin(t->far, c, d, sign)};
        const double backwards[3] = {-x[0], -x[1], -x[2]};
        if (reaches_zero(x[0] < x[1] ? x : backwards, m))
            return true;
    }
    return false;
}

static bool margin_closes(const triple *t)
{
    for (int i = 0; i < t->near->n; i++) {
        if (!(t->near->im[i] > 0.0) || hypot(t->near->re[i], t->near->im[i]) <= pairs)
            continue;
        int j = partner(t->near, i);
        if (j >= 0 && pair_crosses(t, i, j))
            return true;
    }
    return false;
}

/* Margins of the pairs, with the outer neighbour on either side. */
static ifd_status look_at_pairs(const search *w, const node *p, const node *q, const int *to, const int *from,
                                bool *clear)
{
    int *out, *unused;
    if (p->before && !p->before->unstable) {
        IFD__HAVE(match(w, p, p->before, &out, &unused));
        *clear = !margin_closes(&(triple){p->before, p, q, out, to});
    }
    if (*clear && q->after && q->after->n) {
        IFD__HAVE(match(w, q, q->after, &out, &unused));
        *clear = !margin_closes(&(triple){q->after, q, p, out, from});
    }
    return IFD_OK;
}

static ifd_status clear_of(search *w, const node *p, const node *q, bool *clear)
{
    int *to = NULL, *from = NULL;
    ifd_arena *scratch IFD__CLOSED = w->scratch = ifd_arena_open();
    ifd_status status = scratch && match(w, p, q, &to, &from) ? IFD_OK : IFD_NO_MEMORY;
    *clear = status == IFD_OK;
    for (int i = 0; *clear && i < p->n; i++)
        *clear = !may_leave(w, p, i, q, to);
    for (int j = 0; *clear && j < q->n; j++) /* roots that were not followed before */
        *clear = from[j] >= 0 || hypot(q->re[j], q->im[j]) <= watched;
    if (*clear)
        status = look_at_pairs(w, p, q, to, from, clear);
    w->scratch = NULL;
    return status;
}

/* From p, which is stable, to `end`. *p becomes the last stable node; *bad the unstable one after it, or NULL. */
static ifd_status settle(search *w, node **p, const node *end, node **bad)
{
    const ifd__window_search *s = w->s;
    while (*p != end) {
        node *q = (*p)->after, *middle;
        bool narrow = q->x - (*p)->x <= s->width * (1.0 + 1e-9), clear = false;
        if (narrow && q->unstable) {
            *bad = q;
            return IFD_OK;
        }
        if (!q->unstable && !s->uniform)
            IFD_TRY(clear_of(w, *p, q, &clear));
        if (clear || narrow) {
            w->out->open += !clear;
            *p = q;
            continue;
        }
        IFD_TRY(probe(w, 0.5 * ((*p)->x + q->x), *p, &middle));
    }
    return IFD_OK;
}

/* The node at x, made if there is none. */
static ifd_status node_at(search *w, double x, node *from, node **out)
{
    node *p = from;
    while (p->after && p->after->x <= x * (1.0 + 1e-12 * (x > 0.0 ? 1.0 : -1.0)))
        p = p->after;
    if (fabs(p->x - x) <= 1e-9 * w->s->width) {
        *out = p;
        return IFD_OK;
    }
    return probe(w, x, p, out);
}

/* One pass: a grid of the base factor, one node ahead of the settled ones. */
static ifd_status pass(search *w, double base, double most, node **good, node **bad)
{
    double from = w->first->x;
    int count = (int)ceil((most - from) / base - 1e-9);
    node *p = w->first, *ahead = p, *next;
    count = count > 0 ? count : 1;
    IFD_TRY(node_at(w, count > 1 ? from + base : most, p, &ahead));
    for (int k = 1; k <= count && !*bad; k++) {
        node *end = ahead;
        if (k < count) {
            IFD_TRY(node_at(w, k + 1 == count ? most : from + (k + 1) * base, end, &next));
            ahead = next;
        }
        IFD_TRY(settle(w, &p, end, bad));
    }
    *good = p;
    return IFD_OK;
}

/* A root followed from node to node; its distance outside the circle, and the uncertainty of it. */
typedef struct followed {
    double re, im, outside, doubt;
} followed;

static followed root_of(const node *p, int i)
{
    return (followed){p->re[i], p->im[i], hypot(p->re[i], p->im[i]) - 1.0, p->doubt[i]};
}

static followed largest_of(const node *p)
{
    followed f = {.outside = -1.0};
    for (int i = 0; i < p->n; i++) {
        followed other = root_of(p, i);
        f = other.outside > f.outside ? other : f;
    }
    return f;
}

/* The successor of f in p: the nearest root. */
static followed follow(const node *p, followed f)
{
    int best = -1;
    double least = (double)INFINITY;
    for (int i = 0; i < p->n; i++) {
        double d = hypot(p->re[i] - f.re, p->im[i] - f.im);
        best = d < least ? i : best;
        least = fmin(least, d);
    }
    return best < 0 ? (followed){f.re, f.im, -1.0, 0.0} : root_of(p, best);
}

static bool is_inside(followed f)
{
    return f.outside < -f.doubt;
}

/* Back from an edge of the verdict to a value at which the root that grows after `bad` is inside the circle beyond
 * doubt, by doubling steps; from there to where it no longer is. A root that is not inside at `from` leaves the edge
 * unchanged: it may be on the circle everywhere, as with conserved energy. */
static ifd_status retreat(search *w, node *good, const node *bad)
{
    const ifd__window_search *s = w->s;
    followed f = follow(good, largest_of(bad));
    double low = good->x, high = low, step = s->edge;
    while (!is_inside(f)) {
        if (low <= s->from) {
            w->out->before = true;
            return IFD_OK;
        }
        node *p = w->first;
        high = low;
        low = fmax(low - step, s->from);
        step *= 2.0;
        if (low > s->from)
            IFD_TRY(probe(w, low, good, &p));
        f = follow(p, f);
    }
    while (high - low > s->edge) {
        node *p;
        double x = 0.5 * (low + high);
        IFD_TRY(probe(w, x, good, &p));
        *(is_inside(follow(p, f)) ? &low : &high) = x;
    }
    w->out->stable = low;
    return IFD_OK;
}

static ifd_status bisect(search *w, node *good, node *bad)
{
    while (bad->x - good->x > w->s->edge) {
        node *middle;
        double x = 0.5 * (good->x + bad->x);
        if (x <= good->x || x >= bad->x)
            break;
        IFD_TRY(probe(w, x, good, &middle));
        *(middle->unstable ? &bad : &good) = middle;
    }
    w->out->stable = good->x;
    w->out->unstable = bad->x;
    w->out->radius = bad->radius;
    return w->s->crossing && bad->n ? retreat(w, good, bad) : IFD_OK;
}

static ifd_status passes(search *w)
{
    static const struct {
        double base, kappa;
    } row[] = {{1.15, 2.0}, {1.08, 3.0}};
    const ifd__window_search *s = w->s;
    node *good = NULL, *bad = NULL;
    double most = s->to;
    int open = 0;
    for (int k = 0; k < (s->uniform || s->base > 0.0 ? 1 : 2); k++) {
        node *here, *found = NULL;
        w->kappa = row[k].kappa;
        w->out->open = 0;
        double base = s->base > 0.0 ? s->base : log(row[k].base);
        IFD_TRY(pass(w, s->uniform ? s->width : base, most, &here, &found));
        open = w->out->open;
        if (found || !k) {
            good = here;
            bad = found;
        }
        most = found ? here->x : most;
        if (most <= s->from)
            break;
    }
    w->out->open = open;
    w->out->found = bad != NULL;
    w->out->stable = s->to;
    w->out->unstable = (double)NAN;
    for (const node *p = w->first; p && !bad; p = p->after)
        w->out->radius = fmax(w->out->radius, p->radius);
    return bad ? bisect(w, good, bad) : IFD_OK;
}

ifd_status ifd__windows_first(const ifd__window_search *s, ifd__window *out)
{
    ifd_arena *arena IFD__CLOSED = ifd_arena_open();
    search w = {.s = s, .arena = arena, .out = out};
    *out = (ifd__window){0};
    IFD_TRY(arena ? probe(&w, s->from, NULL, &w.first) : IFD_NO_MEMORY);
    if (!w.first->unstable)
        return passes(&w);
    out->found = true;
    out->stable = (double)NAN;
    out->unstable = s->from;
    out->radius = w.first->radius;
    return IFD_OK;
}
