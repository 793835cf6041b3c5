/* SPDX-License-Identifier: MIT */
/* The factorisation on several threads. Subtrees of the elimination tree with little work are computed by one thread
 * each, in any order. In the supernodes above them all threads share the rows of each panel. Every number is the same
 * sum in the same order, so the factor does not depend on the number of threads. */
#include "algebra/factor_inside.h"
#include "algebra/team.h"

enum { SHARES = 8 /* subtrees for each thread, about: the last ones fill the gaps */, GROUP = 16 };

typedef struct range {
    int first, last;
} range;

typedef struct plan {
    ifd__factor *F;
    ifd__factor_work *work; /* of every thread */
    int tasks, tops;
    range *task; /* supernodes of a subtree */
    int *top;    /* supernodes above them, rising */
    int *bad;    /* per task: bad row or -1; the last one is that of the supernodes above */
} plan;

double ifd__factor_operations(const ifd__supernodes *S, int s)
{
    double w = S->first[s + 1] - S->first[s], high = w + (double)(S->start[s + 1] - S->start[s]);
    return w * (high * high - w * (high - w / 3.0));
}

/* Divides the tree: a subtree with at most `limit` operations becomes a task. */
static ifd_status divide(ifd_arena *scratch, double share, plan *p)
{
    const ifd__supernodes *S = &p->F->S;
    size_t count = (size_t)S->count + 1;
    double *below, total = 0.0;
    int *low;
    IFD_TRY(IFD__TAKE(scratch, IFD__ARRAY(below, count), IFD__ARRAY(low, count), IFD__ARRAY(p->task, count),
                      IFD__ARRAY(p->top, count)));
    for (int s = 0; s < S->count; s++)
        low[s] = s;
    for (int s = 0; s < S->count; s++) {
        double own = ifd__factor_operations(S, s);
        int up = S->parent[s];
        total += own;
        below[s] += own;
        if (up < 0)
            continue;
        below[up] += below[s];
        low[up] = low[s] < low[up] ? low[s] : low[up];
    }
    for (int s = 0; s < S->count; s++) {
        int up = S->parent[s];
        if (below[s] > share * total)
            p->top[p->tops++] = s;
        else if (up < 0 || below[up] > share * total)
            p->task[p->tasks++] = (range){low[s], s};
    }
    p->bad = ifd_arena_array(scratch, (size_t)p->tasks + 1, sizeof *p->bad);
    return p->bad ? IFD_OK : IFD_NO_MEMORY;
}

static int subtree(const plan *p, const range *r, int me)
{
    for (int s = r->first; s <= r->last; s++) {
        int bad = ifd__factor_supernode(p->F, &p->work[me], s);
        if (bad >= 0)
            return bad;
    }
    return -1;
}

/* Rows of thread me of `size`, in whole tiles. */
static void own_rows(ifd__target *t, int me, int size)
{
    int rows = t->high - t->end, edge[2];
    for (int k = 0; k < 2; k++) {
        int i = t->end + (int)((int64_t)rows * (me + k) / size);
        i -= (i - t->width) & (IFD__TILE - 1);
        edge[k] = me + k == 0 || i < t->end ? t->end : me + k == size ? t->high : i;
    }
    t->from = edge[0];
    t->to = edge[1];
    t->square_too = me == 0;
}

/* One supernode by all threads. */
static void shared(const plan *p, int s, ifd__team *team, int me)
{
    const ifd__factor *F = p->F;
    int *bad = &p->bad[p->tasks];
    ifd__factor_enter(F, &p->work[me], s);
    for (int q = F->cut[s]; q < F->cut[s + 1] && *bad < 0; q++) {
        ifd__target t = ifd__target_of(F, &p->work[me], s, q);
        own_rows(&t, me, ifd__team_size(team));
        ifd__products_subtract(&t);
        ifd__team_meet(team);
        if (me == 0)
            *bad = ifd__factor_eliminate(&t);
        ifd__team_meet(team);
        if (*bad < 0)
            ifd__factor_scale(&t);
        ifd__team_meet(team);
    }
}

static int first_bad(const plan *p)
{
    for (int k = 0; k <= p->tasks; k++)
        if (p->bad[k] >= 0)
            return p->bad[k];
    return -1;
}

static void job(void *argument, ifd__team *team, int me)
{
    const plan *p = argument;
    const ifd__factor *F = p->F;
    for (int k; (k = ifd__team_next(team, 0)) < p->tasks;)
        p->bad[k] = subtree(p, &p->task[k], me);
    ifd__team_meet(team);
    bool good = first_bad(p) < 0;
    for (int k = 0; k < p->tops && good; k++) {
        shared(p, p->top[k], team, me);
        good = p->bad[p->tasks] < 0;
    }
    for (int k; good && (k = GROUP * ifd__team_next(team, 1)) < F->S.count;)
        for (int s = k; s < k + GROUP && s < F->S.count; s++)
            ifd__factor_pack(F, &p->work[me], s);
}

ifd_status ifd__factor_numbers_by(ifd_arena *scratch, int threads, ifd__factor *F, const double *x, int *bad)
{
    plan p = {.F = F};
    threads = threads > IFD__TEAM_MOST ? IFD__TEAM_MOST : threads;
    if (threads < 2) {
        *bad = ifd__factor_numbers(F, x);
        return IFD_OK;
    }
    IFD_TRY(divide(scratch, 1.0 / (SHARES * threads), &p));
    p.work = ifd_arena_array(scratch, (size_t)threads, sizeof *p.work);
    if (!p.work)
        return IFD_NO_MEMORY;
    p.work[0] = F->work;
    for (int k = 1; k < threads; k++)
        IFD_TRY(ifd__factor_work_make(scratch, F, &p.work[k]));
    for (int k = 0; k <= p.tasks; k++)
        p.bad[k] = -1;
    ifd__factor_fill(F, x);
    ifd__team_run(threads, job, &p);
    *bad = first_bad(&p);
    return IFD_OK;
}
