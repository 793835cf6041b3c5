/* SPDX-License-Identifier: MIT */
/* The elimination tree by Liu's algorithm with path compression; column counts by walking the row subtrees. This
 * costs one visit per nonzero of L, less than the factorisation that follows. */
#include <amd.h>
#include <errno.h>
#include <fcntl.h>
#include <metis.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "algebra/supernodes.h"

enum { SMALL = 1000 /* nodes; METIS then takes a few ms, about as long as the start of a child process */ };

_Static_assert(IDXTYPEWIDTH == 32, "METIS must be built with 32-bit indices");

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
        if (!(w[k] = ifd__ints(scratch, n)))
            return IFD_NO_MEMORY;
    o->n = n;
    o->perm = ifd__ints(scratch, n);
    o->parent = ifd__ints(scratch, n);
    o->count = ifd__ints(scratch, n);
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

/* Options of METIS: permitted difference of the two sides of a separator, in thousandths, and the seed of its random
 * numbers, which makes a factor reproducible. The fill of frames in space differs by a quarter between them, and none
 * of them is always the best. The first one is the default of METIS. */
typedef struct trial {
    int balance, seed;
} trial;
static const trial trials[] = {{200, 1}, {300, 1}, {300, 2}, {400, 1}, {400, 2}, {500, 1}, {500, 2}};
enum { TRIALS = sizeof trials / sizeof *trials };

static int dissect(const ifd__pattern *g, const trial *with, int *perm, int *place)
{
    idx_t n = g->n, options[METIS_NOPTIONS];
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_NUMBERING] = 0;
    options[METIS_OPTION_SEED] = with->seed;
    options[METIS_OPTION_UFACTOR] = with->balance;
    return METIS_NodeND(&n, g->p, g->i, NULL, options, perm, place);
}

/* Reads or writes all bytes through a pipe. */
static bool move_all(int fd, bool out, void *data, size_t bytes)
{
    for (char *at = data; bytes;) {
        ssize_t n = out ? write(fd, at, bytes) : read(fd, at, bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        at += n;
        bytes -= (size_t)n;
    }
    return true;
}

static void dissect_below(const ifd__pattern *g, const trial *with, int *perm, int *place, pid_t parent, int fd)
{
    sigset_t all;
    sigfillset(&all);
    (void)sigprocmask(SIG_SETMASK, &all, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    int status = dissect(g, with, perm, place);
    bool good = move_all(fd, true, &status, sizeof status) && move_all(fd, true, perm, (size_t)g->n * sizeof *perm);
    _exit(good ? 0 : 1);
}

/* In a child process, which receives no signals from outside and ends with this process. False if it cannot start. */
static bool dissect_apart(const ifd__pattern *g, const trial *with, int *perm, int *place, int *status)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    pid_t parent = getpid(), child = fork();
    if (child == 0)
        dissect_below(g, with, perm, place, parent, ends[1]);
    close(ends[1]);
    bool good = child > 0 && move_all(ends[0], false, status, sizeof *status) &&
                move_all(ends[0], false, perm, (size_t)g->n * sizeof *perm);
    close(ends[0]);
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR) {
    }
    return good;
}

/* In this thread, with SIGTERM blocked until the end. Not pthread_sigmask, which is equivalent on Linux: it has moved
 * between libraries, and exported FMUs must load with a C library of 2020. */
static int dissect_here(const ifd__pattern *g, const trial *with, int *perm, int *place)
{
    sigset_t term, before;
    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    (void)sigprocmask(SIG_BLOCK, &term, &before);
    int status = dissect(g, with, perm, place);
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    return status;
}

/* METIS uses SIGTERM for its own errors (SIGERR of its GKlib) and leaves by a long jump. A SIGTERM from outside would
 * be lost; during malloc it would leave the lock of the heap taken, and the process would hang. If METIS takes long,
 * it therefore runs in a child process. */
static ifd_status by_metis(ifd_arena *scratch, const ifd__pattern *g, const trial *with, int *perm)
{
    int *place = ifd__ints(scratch, g->n), status = METIS_OK;
    if (!place)
        return IFD_NO_MEMORY;
    if (g->n <= SMALL || !dissect_apart(g, with, perm, place, &status))
        status = dissect_here(g, with, perm, place);
    return status == METIS_ERROR_MEMORY ? IFD_NO_MEMORY : status != METIS_OK ? IFD_INTERNAL : IFD_OK;
}

ifd_status ifd__ordering_make(ifd_arena *scratch, const ifd__pattern *g, bool metis, ifd__ordering *out)
{
    int *perm = ifd__ints(scratch, g->n);
    if (!perm)
        return IFD_NO_MEMORY;
    if (g->p[g->n] == 0) /* METIS needs at least one edge */
        metis = false;
    IFD_TRY(metis ? by_metis(scratch, g, &trials[0], perm) : by_amd(g, perm));
    out->name = metis ? "metis" : "amd";
    return settle(scratch, g, perm, out);
}

/* The order with the least fill of all trials. */
static ifd_status by_trials(ifd_arena *scratch, const ifd__pattern *g, int *best)
{
    int *perm = ifd__ints(scratch, g->n);
    long fill, least = 0;
    if (!perm)
        return IFD_NO_MEMORY;
    for (int k = 0; k < TRIALS; k++) {
        IFD_TRY(by_metis(scratch, g, &trials[k], perm));
        IFD_TRY(ifd__fill_count(scratch, g, perm, &fill));
        if (k == 0 || fill < least) {
            least = fill;
            memcpy(best, perm, (size_t)g->n * sizeof *best);
        }
    }
    return IFD_OK;
}

ifd_status ifd__ordering_of_blocks(ifd_arena *scratch, const ifd__pattern *closed, const ifd__pattern *blocks,
                                   const int *start, ifd__ordering *out)
{
    int *order = ifd__ints(scratch, blocks->n), *perm = ifd__ints(scratch, closed->n), used = 0;
    if (!order || !perm)
        return IFD_NO_MEMORY;
    bool metis = blocks->p[blocks->n] > 0;
    IFD_TRY(metis ? by_trials(scratch, blocks, order) : by_amd(blocks, order));
    out->name = metis ? "metis" : "amd";
    for (int b = 0; b < blocks->n; b++)
        for (int i = start[order[b]]; i < start[order[b] + 1]; i++)
            perm[used++] = i;
    return settle(scratch, closed, perm, out);
}

ifd_status ifd__fill_count(ifd_arena *scratch, const ifd__pattern *g, const int *perm, long *nonzeros)
{
    ifd__ordering o;
    IFD_TRY(settle(scratch, g, perm, &o));
    *nonzeros = o.nonzeros;
    return IFD_OK;
}
