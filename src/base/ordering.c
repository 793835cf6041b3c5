/* SPDX-License-Identifier: MIT */
/* The elimination tree by Liu's algorithm with path compression; column counts by walking the row subtrees, which
 * costs one visit per nonzero of L: the factorisation that follows costs more. */
#include <amd.h>
#include <metis.h>

#include "base/supernodes.h"

_Static_assert(IDXTYPEWIDTH == 32, "METIS must be built with 32-bit indices");

static int *ints(ifd_arena *scratch, int count)
{
    return ifd_arena_array(scratch, (size_t)count + 1, sizeof(int));
}

static void tree_make(const ifd__pattern *g, const int *perm, const int *place, int *parent, int *ancestor)
{
    for (int j = 0; j < g->n; j++) {
        parent[j] = ancestor[j] = -1;
        for (int k = g->p[perm[j]]; k < g->p[perm[j] + 1]; k++) {
            for (int i = place[g->i[k]], up; i != -1 && i < j; i = up) {
                up = ancestor[i];
                ancestor[i] = j;
                if (up == -1)
                    parent[i] = j;
            }
        }
    }
}

/* order[k] = the k-th node of a postorder in which children keep their order. */
static void postorder(int n, const int *parent, int *order, int *child, int *sibling, int *stack)
{
    int used = 0;
    for (int j = 0; j < n; j++)
        child[j] = -1;
    for (int j = n - 1; j >= 0; j--)
        if (parent[j] >= 0) {
            sibling[j] = child[parent[j]];
            child[parent[j]] = j;
        }
    for (int root = 0; root < n; root++) {
        int top = 0;
        if (parent[root] >= 0)
            continue;
        stack[top++] = root;
        while (top) {
            int j = stack[top - 1];
            if (child[j] >= 0) {
                stack[top++] = child[j];
                child[j] = sibling[child[j]];
            } else {
                order[used++] = j;
                top--;
            }
        }
    }
}

/* Row i of L has an entry in each column on the tree paths from the entries of row i of A up to i. */
static void column_counts(const ifd__pattern *g, const int *place, int *mark, ifd__ordering *o)
{
    o->nonzeros = 0;
    for (int i = 0; i < g->n; i++) {
        mark[i] = i;
        o->count[i] = 1;
        for (int k = g->p[o->perm[i]]; k < g->p[o->perm[i] + 1]; k++)
            for (int j = place[g->i[k]]; j < i && mark[j] != i; j = o->parent[j]) {
                o->count[j]++;
                mark[j] = i;
            }
    }
    for (int i = 0; i < g->n; i++)
        o->nonzeros += o->count[i];
}

static void invert(int n, const int *perm, int *place)
{
    for (int k = 0; k < n; k++)
        place[perm[k]] = k;
}

/* From any permutation to a postordered one with its tree and counts. */
static ifd_status settle(ifd_arena *scratch, const ifd__pattern *g, const int *perm, ifd__ordering *o)
{
    int n = g->n, *w[5];
    for (int k = 0; k < 5; k++)
        if (!(w[k] = ints(scratch, n)))
            return IFD_NO_MEMORY;
    o->n = n;
    o->perm = ints(scratch, n);
    o->parent = ints(scratch, n);
    o->count = ints(scratch, n);
    if (!o->perm || !o->parent || !o->count)
        return IFD_NO_MEMORY;
    int *place = w[0], *tree = w[1], *order = w[4];
    invert(n, perm, place);
    tree_make(g, perm, place, tree, w[2]);
    postorder(n, tree, order, w[2], w[3], o->parent);
    int *where = w[2];
    invert(n, order, where);
    for (int k = 0; k < n; k++) {
        o->perm[k] = perm[order[k]];
        o->parent[k] = tree[order[k]] < 0 ? -1 : where[tree[order[k]]];
    }
    invert(n, o->perm, place);
    column_counts(g, place, w[3], o);
    return IFD_OK;
}

static ifd_status by_amd(const ifd__pattern *g, int *perm)
{
    int status = amd_order(g->n, g->p, g->i, perm, NULL, NULL);
    return status == AMD_OUT_OF_MEMORY ? IFD_NO_MEMORY : status < 0 ? IFD_INTERNAL : IFD_OK;
}

static ifd_status by_metis(ifd_arena *scratch, const ifd__pattern *g, int *perm)
{
    idx_t n = g->n, options[METIS_NOPTIONS];
    int *place = ints(scratch, n);
    if (!place)
        return IFD_NO_MEMORY;
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_NUMBERING] = 0;
    options[METIS_OPTION_SEED] = 1; /* the same factor every time */
    int status = METIS_NodeND(&n, g->p, g->i, NULL, options, perm, place);
    return status == METIS_ERROR_MEMORY ? IFD_NO_MEMORY : status != METIS_OK ? IFD_INTERNAL : IFD_OK;
}

ifd_status ifd__ordering_make(ifd_arena *scratch, const ifd__pattern *g, bool metis, ifd__ordering *out)
{
    int *perm = ints(scratch, g->n);
    if (!perm)
        return IFD_NO_MEMORY;
    if (g->p[g->n] == 0) /* METIS wants an edge */
        metis = false;
    IFD_TRY(metis ? by_metis(scratch, g, perm) : by_amd(g, perm));
    out->name = metis ? "metis" : "amd";
    return settle(scratch, g, perm, out);
}

ifd_status ifd__fill_count(ifd_arena *scratch, const ifd__pattern *g, const int *perm, long *nonzeros)
{
    ifd__ordering o;
    IFD_TRY(settle(scratch, g, perm, &o));
    *nonzeros = o.nonzeros;
    return IFD_OK;
}
