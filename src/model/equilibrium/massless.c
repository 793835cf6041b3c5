/* SPDX-License-Identifier: MIT */
/* Dofs without mass are static (without damping: they follow from equilibrium), first-order (with dashpots: their
 * displacement is a state) or refused (free). D is their damping without Rayleigh's part, which is proportional to
 * stiffness and does not change an equilibrium:
 *
 *     D rows zero, or a multiple of the rows of K        static, exactly
 *     D v > 0                                            first-order
 *     D v = 0 in a group that has dashpots               static: v is eliminated before the others
 *     D v = 0 and K v = 0                                refused
 *
 * Groups are dofs that D connects. Only a group with both kinds is transformed to the eigenvectors v of D. D is
 * scaled to a unit diagonal, so that small dashpots are not lost beside large ones. */
#include "model/equilibrium/massless.h"

#include <lapacke.h>
#include <math.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/memory.h"
#include "model/build/blocks.h"

enum { NAMES_IN_REMARK = 10 };
static const double no_damping = 1e-10; /* eigenvalue of D scaled to a unit diagonal */
static const double no_coupling = 1e-8; /* largest entry of D outside the group, relative to its largest entry */

typedef struct sorting {
    ifd__making *k;
    bool *slave;        /* n: without mass */
    int *group;         /* n: first dof of its group */
    bool *fixed;        /* n: static */
    bool *given;        /* by dof of the builder: its initial displacement is given */
    double *q;          /* by dof of the builder: initial displacement, in transformed coordinates */
    const char **label; /* by dof of the builder: names of the dofs of a transformed coordinate */
    int *row, *length;  /* n: start of the row of V, -1: not transformed; its length */
    int turned, *entry; /* entries of V; their columns */
    double *V;
} sorting;

static const ifd_sparse *damping(const sorting *x)
{
    return &x->k->s.A[IFD_DAMPING];
}

static const ifd__dof *dof_of(const sorting *x, int i)
{
    return &IFD__AT(x->k->b->dof, ifd__dof, x->k->s.dof[i]);
}

static int root_of(int *parent, int i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

/* Groups by D; a dof without damping is alone. */
static void find_groups(sorting *x)
{
    const ifd_sparse *D = damping(x);
    int n = x->k->s.n;
    for (int i = 0; i < n; i++)
        x->group[i] = i;
    for (int j = 0; j < n; j++)
        for (int k = D->p[j]; x->slave[j] && k < D->p[j + 1]; k++)
            if (D->i[k] < n && x->slave[D->i[k]] && D->x[k] != 0.0) {
                int a = root_of(x->group, D->i[k]), b = root_of(x->group, j);
                x->group[a > b ? a : b] = a > b ? b : a;
            }
    for (int i = 0; i < n; i++)
        x->group[i] = root_of(x->group, i);
}

/* "a, b, c and 12 more", of the marked dofs. */
static const char *list_names(const sorting *x, const bool *marked, char *text, size_t size)
{
    int count = 0;
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < x->k->s.n; i++) {
        if (!marked[i] || count++ >= NAMES_IN_REMARK || used >= size)
            continue;
        int printed = snprintf(text + used, size - used, "%s%s", count > 1 ? ", " : "", dof_of(x, i)->name);
        used += printed > 0 ? (size_t)printed : 0;
    }
    if (count > NAMES_IN_REMARK && used < size)
        snprintf(text + used, size - used, " and %d more", count - NAMES_IN_REMARK);
    return text;
}

/* True if the rows of D of a block are a multiple of those of K: then condensation is exact. */
static bool proportional(const sorting *x, const ifd__block *c)
{
    const ifd_sparse *D = damping(x), *K = &x->k->s.A[IFD_STIFFNESS];
    int first = c->slave[0];
    double own = ifd__sparse_get(K, first, first), factor = own != 0.0 ? ifd__sparse_get(D, first, first) / own : 0.0;
    for (int l = 0; l < c->ns; l++) {
        int j = c->slave[l];
        for (int k = D->p[j]; k < D->p[j + 1]; k++)
            if (fabs(D->x[k] - factor * ifd__sparse_get(K, D->i[k], j)) > 1e-9 * fabs(D->x[k]))
                return false;
        for (int k = K->p[j]; k < K->p[j + 1]; k++)
            if (factor != 0.0 && K->x[k] != 0.0 && ifd__sparse_get(D, K->i[k], j) == 0.0)
                return false;
        for (int i = 0; i < c->nk; i++) /* supports have columns, no rows */
            if (c->kept[i] >= x->k->s.n &&
                fabs(ifd__sparse_get(D, j, c->kept[i]) - factor * ifd__sparse_get(K, j, c->kept[i])) >
                    1e-9 * fabs(factor * own))
                return false;
    }
    return true;
}

/* Marks static blocks: without damping, or with damping proportional to stiffness. */
static ifd_status mark_proportional(sorting *x)
{
    ifd__system *s = &x->k->s;
    ifd__blocks w = {.arena = x->k->scratch, .b = x->k->b, .slave = x->slave, .s = s, .size = s->n + s->nsupport};
    IFD_TRY(ifd__blocks_find(&w));
    for (int c = 0; c < w.nblock; c++)
        if (!w.block[c].used[IFD_DAMPING] || proportional(x, &w.block[c]))
            for (int l = 0; l < w.block[c].ns; l++)
                x->fixed[w.block[c].slave[l]] = true;
    return IFD_OK;
}

static bool damped(const sorting *x, int i)
{
    const ifd_sparse *D = damping(x);
    for (int k = D->p[i]; k < D->p[i + 1]; k++)
        if (D->x[k] != 0.0)
            return true;
    return false;
}

typedef struct group {
    int count;
    int *dof;
    double *W, *value, *scale; /* count x count eigenvectors, eigenvalues, root of the diagonal */
} group;

static ifd_status not_semidefinite(const sorting *x, int i)
{
    ifd_note_about(x->k->note, IFD_MASSLESS, "mass",
                   "the damping of dof '%s', which has no mass, is not positive semidefinite", dof_of(x, i)->name);
    ifd_note_hint(x->k->note, "give it mass, or use dashpots between two points");
    return IFD_MASSLESS;
}

/* Eigenvectors of the scaled D of the group. */
static ifd_status solve_group(const sorting *x, group *g)
{
    size_t n = (size_t)g->count;
    IFD_TRY(ifd__memory_check(8.0 * 6.0 * g->count * g->count, "a group of dofs without mass that dashpots connect",
                              x->k->note));
    IFD_TRY(IFD__TAKE(x->k->scratch, IFD__ARRAY(g->W, n * n), IFD__ARRAY(g->value, n), IFD__ARRAY(g->scale, n)));
    for (size_t i = 0; i < n; i++) {
        double own = ifd__sparse_get(damping(x), g->dof[i], g->dof[i]);
        if (!(own > 0.0))
            return not_semidefinite(x, g->dof[i]);
        g->scale[i] = sqrt(own);
    }
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++)
            g->W[i + j * n] = ifd__sparse_get(damping(x), g->dof[i], g->dof[j]) / (g->scale[i] * g->scale[j]);
    if (LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'L', g->count, g->W, g->count, g->value) != 0)
        return IFD_INTERNAL;
    return g->value[0] < -no_damping ? not_semidefinite(x, g->dof[0]) : IFD_OK;
}

/* A v of the undamped direction c of the group: largest entries outside and inside, relative to the largest term. */
static double strength(const sorting *x, const group *g, const ifd_sparse *A, int c, bool outside)
{
    size_t n = (size_t)g->count;
    double most = 0.0, sum = 0.0;
    for (int i = 0; i < x->k->s.n; i++) {
        bool inside = x->slave[i] && x->group[i] == x->group[g->dof[0]];
        double total = 0.0;
        for (size_t l = 0; l < n && (!outside || !inside); l++) {
            double term = ifd__sparse_get(A, i, g->dof[l]) * g->W[l + (size_t)c * n] / g->scale[l];
            total += term;
            most = fmax(most, fabs(term));
        }
        sum = fmax(sum, fabs(total));
    }
    return most > 0.0 ? sum / most : 0.0;
}

static ifd_status held_by_nothing(const sorting *x, const group *g, int c)
{
    char names[600];
    bool *marked;
    IFD_TRY(IFD__TAKE(x->k->scratch, IFD__ARRAY(marked, x->k->s.n)));
    for (int l = 0; l < g->count; l++)
        marked[g->dof[l]] = fabs(g->W[(size_t)l + (size_t)c * (size_t)g->count]) > 1e-6;
    ifd_note_about(x->k->note, IFD_MASSLESS, "mass",
                   "the dofs %s have no mass and no support: they can move together without resistance",
                   list_names(x, marked, names, sizeof names));
    ifd_note_hint(x->k->note, "connect them by a spring, give them mass, or remove them");
    return IFD_MASSLESS;
}

/* Transforms a group to its eigenvectors, undamped ones first: dof l becomes coordinate l. u = V q, V = scale^-1
 * W. */
static ifd_status turn(sorting *x, const group *g)
{
    int n = g->count;
    char names[600];
    bool *marked = ifd_arena_array(x->k->scratch, (size_t)x->k->s.n, sizeof *marked);
    for (int i = 0; marked && i < n; i++)
        marked[g->dof[i]] = true;
    const char *label = marked ? ifd_arena_text(x->k->scratch, list_names(x, marked, names, sizeof names)) : NULL;
    if (!label)
        return IFD_NO_MEMORY;
    for (int i = 0; i < n; i++) {
        double q = 0.0;
        x->row[g->dof[i]] = x->turned;
        x->length[g->dof[i]] = n;
        for (int c = 0; c < n; c++) {
            x->entry[x->turned] = g->dof[c];
            x->V[x->turned++] = g->W[i + c * n] / g->scale[i];
        }
        for (int l = 0; l < n; l++)
            q += g->W[l + i * n] * g->scale[l] * dof_of(x, g->dof[l])->u0;
        x->q[x->k->s.dof[g->dof[i]]] = q;
        x->label[x->k->s.dof[g->dof[i]]] = label;
    }
    return IFD_OK;
}

static ifd_status check_start(const sorting *x, const group *g)
{
    int given = 0;
    for (int i = 0; i < g->count; i++)
        given += dof_of(x, g->dof[i])->given;
    for (int i = 0; i < g->count; i++)
        x->given[x->k->s.dof[g->dof[i]]] = given > 0;
    for (int i = 0; i < g->count && given > 0 && given < g->count; i++)
        if (!dof_of(x, g->dof[i])->given) {
            ifd_note_about(x->k->note, IFD_MASSLESS, "mass",
                           "dof '%s' has no mass, and dashpots connect it to dofs with a given initial displacement",
                           dof_of(x, g->dof[i])->name);
            ifd_note_hint(x->k->note, "give the initial displacement of all of them, or of none");
            return IFD_MASSLESS;
        }
    return IFD_OK;
}

static ifd_status sort_group(sorting *x, group *g)
{
    int still = 0;
    IFD_TRY(check_start(x, g));
    IFD_TRY(solve_group(x, g));
    while (still < g->count && g->value[still] <= no_damping)
        still++;
    if (still == 0)
        return IFD_OK;
    for (int c = 0; c < still; c++) {
        if (strength(x, g, damping(x), c, true) > no_coupling)
            return not_semidefinite(x, g->dof[0]);
        if (strength(x, g, &x->k->s.A[IFD_STIFFNESS], c, false) < no_coupling)
            return held_by_nothing(x, g, c);
        x->fixed[g->dof[c]] = true;
    }
    return turn(x, g);
}

static ifd_status sort_groups(sorting *x)
{
    int n = x->k->s.n;
    group g[1] = {{0}};
    IFD_TRY(IFD__TAKE(x->k->scratch, IFD__ARRAY(g->dof, n)));
    for (int first = 0; first < n; first++) {
        if (!x->slave[first] || x->fixed[first] || x->group[first] != first)
            continue;
        if (!damped(x, first)) {
            x->fixed[first] = true;
            continue;
        }
        g->count = 0;
        for (int i = first; i < n; i++)
            if (x->slave[i] && x->group[i] == first)
                g->dof[g->count++] = i;
        IFD_TRY(sort_group(x, g));
    }
    return IFD_OK;
}

static int length_of(const sorting *x, int i)
{
    return i < x->k->s.n && x->row[i] >= 0 ? x->length[i] : 1;
}

/* Coordinate l of dof or support i, and its factor. */
static int coordinate(const sorting *x, int i, int l, double *factor)
{
    bool turned = i < x->k->s.n && x->row[i] >= 0;
    *factor = turned ? x->V[x->row[i] + l] : 1.0;
    return turned ? x->entry[x->row[i] + l] : i;
}

/* A := V^T A V. Static dofs have no damping: its round-off is dropped. */
static ifd_status turn_matrix(const sorting *x, int which, ifd_sparse *A)
{
    ifd__triplets t = {.arena = x->k->scratch};
    double left, right;
    for (int j = 0; j < A->n; j++)
        for (int k = A->p[j]; k < A->p[j + 1]; k++)
            for (int a = 0; a < length_of(x, A->i[k]); a++)
                for (int b = 0; b < length_of(x, j); b++) {
                    int row = coordinate(x, A->i[k], a, &left), column = coordinate(x, j, b, &right);
                    bool still = (row < x->k->s.n && x->fixed[row]) || (column < x->k->s.n && x->fixed[column]);
                    bool dropped = which == IFD_DAMPING && still && (left != 1.0 || right != 1.0);
                    ifd__triplet(&t, row, column, dropped ? 0.0 : left * A->x[k] * right);
                }
    ifd_sparse out;
    IFD_TRY(ifd__sparse_make(x->k->scratch, A->n, &t, false, &out));
    *A = out;
    return IFD_OK;
}

/* T := T V */
static ifd_status turn_rows(const sorting *x, ifd__rows *T)
{
    size_t room = 0;
    for (int k = 0; k < T->start[T->count]; k++)
        room += (size_t)length_of(x, T->column[k]);
    ifd__rows out;
    IFD_TRY(ifd__rows_take(x->k->scratch, T->count, room, &out));
    int at = 0;
    for (int i = 0; i < T->count; i++) {
        for (int k = T->start[i]; k < T->start[i + 1]; k++)
            for (int l = 0; l < length_of(x, T->column[k]); l++) {
                double factor;
                out.column[at] = coordinate(x, T->column[k], l, &factor);
                out.value[at++] = factor * T->value[k];
            }
        out.start[i + 1] = at;
    }
    *T = out;
    return IFD_OK;
}

static ifd_status turn_system(sorting *x)
{
    if (!x->turned)
        return IFD_OK;
    for (int a = 0; a < 3; a++)
        IFD_TRY(turn_matrix(x, a, &x->k->s.A[a]));
    return turn_rows(x, &x->k->s.T);
}

int ifd__count_marked(const bool *marked, int n)
{
    int count = 0;
    for (int i = 0; i < n; i++)
        count += marked[i];
    return count;
}

/* Condenses static dofs and reports them. */
static ifd_status condense(sorting *x)
{
    char names[600];
    int n = x->k->s.n, count = ifd__count_marked(x->fixed, n);
    if (count == 0)
        return IFD_OK;
    list_names(x, x->fixed, names, sizeof names);
    for (int i = 0; i < n; i++)
        if (x->fixed[i] && x->row[i] < 0 && dof_of(x, i)->u0 != 0.0)
            ifd_note_remark(x->k->note, NULL,
                            "dof '%s' has no mass: its initial displacement follows from the others",
                            dof_of(x, i)->name);
    IFD_TRY(ifd__condense(x->k->scratch, x->k->b, x->fixed, &x->k->s, x->k->note));
    ifd_note_remark(x->k->note, NULL, "%d dof%s without mass condensed: %s", count, count == 1 ? "" : "s", names);
    return IFD_OK;
}

/* The others become states; d marks them by their number in the builder. */
static ifd_status relax(sorting *x, const bool *d)
{
    ifd__making *k = x->k;
    bool *slave;
    IFD_TRY(IFD__TAKE(k->scratch, IFD__ARRAY(slave, k->s.n)));
    for (int i = 0; i < k->s.n; i++)
        slave[i] = d[k->s.dof[i]];
    if (!k->s.symmetric[IFD_DAMPING] || !k->s.symmetric[IFD_STIFFNESS])
        return ifd_note_about(
            k->note, IFD_MASSLESS, "mass",
            "dofs without mass that dashpots support need symmetric damping and stiffness matrices");
    ifd__relax_start start = {.q = x->q, .given = x->given, .label = x->label, .beta = k->b->ray_k};
    ifd_status status = ifd__relax(k->scratch, k->b, slave, &start, &k->s, &k->relaxed);
    if (status == IFD_NOT_POSITIVE)
        return ifd_note_about(k->note, IFD_MASSLESS, "mass",
                              "the damping of dofs without mass is not positive definite");
    IFD_TRY(status);
    for (int i = 0; i < k->relaxed.count && i < NAMES_IN_REMARK; i++)
        ifd_note_remark(k->note, NULL,
                        "dofs without mass supported by dashpots are first-order states: %s relaxes at %.6g "
                        "1/s with the structure at rest",
                        k->relaxed.group[i], k->relaxed.rate[i]);
    if (k->relaxed.count > NAMES_IN_REMARK)
        ifd_note_remark(k->note, NULL, "%d more first-order states", k->relaxed.count - NAMES_IN_REMARK);
    return IFD_OK;
}

/* Arrays by dof of the system, which are those of the builder before condensation. */
static ifd_status make_room(sorting *x)
{
    int n = x->k->s.n, all = x->k->b->dof.count;
    return IFD__TAKE(x->k->scratch, IFD__ARRAY(x->slave, n), IFD__ARRAY(x->group, n), IFD__ARRAY(x->fixed, n),
                     IFD__ARRAY(x->row, n), IFD__ARRAY(x->length, n), IFD__ARRAY(x->given, all),
                     IFD__ARRAY(x->q, all), IFD__ARRAY(x->label, all));
}

static ifd_status make_turning(sorting *x)
{
    size_t room = 0;
    for (int i = 0; i < x->k->s.n; i++)
        for (int j = 0; x->slave[i] && !x->fixed[i] && j < x->k->s.n; j++)
            room += x->slave[j] && x->group[j] == x->group[i];
    return IFD__TAKE(x->k->scratch, IFD__ARRAY(x->entry, room), IFD__ARRAY(x->V, room));
}

static ifd_status sort(sorting *x)
{
    ifd__making *k = x->k;
    for (int i = 0; i < k->s.n; i++) {
        x->row[i] = -1;
        x->q[k->s.dof[i]] = dof_of(x, i)->u0;
    }
    IFD_TRY(mark_proportional(x));
    find_groups(x);
    IFD_TRY(make_turning(x));
    IFD_TRY(sort_groups(x));
    bool *d;
    IFD_TRY(IFD__TAKE(k->scratch, IFD__ARRAY(d, k->b->dof.count)));
    int states = 0;
    for (int i = 0; i < k->s.n; i++) {
        d[k->s.dof[i]] = x->slave[i] && !x->fixed[i];
        states += x->slave[i] && !x->fixed[i];
    }
    IFD_TRY(turn_system(x));
    IFD_TRY(condense(x));
    return states ? relax(x, d) : IFD_OK;
}

ifd_status ifd__making_massless(ifd__making *k)
{
    const ifd_sparse *M = &k->s.A[IFD_MASS];
    sorting x = {.k = k};
    bool *has;
    IFD_TRY(IFD__TAKE(k->scratch, IFD__ARRAY(has, k->b->dof.count)));
    IFD_TRY(make_room(&x));
    ifd__start_mass_mark(k->b, &k->mass, has);
    for (int i = 0; i < k->s.n; i++)
        x.slave[i] = ifd__sparse_get(M, i, i) == 0.0 && !has[k->s.dof[i]];
    bool *stay;
    IFD_TRY(IFD__TAKE(k->scratch, IFD__ARRAY(stay, k->s.n)));
    IFD_TRY(ifd__massless_stay(k, x.slave, stay));
    int stays = ifd__count_marked(stay, k->s.n), count = ifd__count_marked(x.slave, k->s.n);
    if (stays) {
        char names[400];
        ifd_note_remark(k->note, NULL, "%d dof%s without mass under nonlinear elements remain%s: %s", stays,
                        stays == 1 ? "" : "s", stays == 1 ? "s" : "", list_names(&x, stay, names, sizeof names));
    }
    if (count < k->s.n || k->b->bare)
        for (int i = 0; i < k->s.n; i++)
            x.slave[i] = x.slave[i] && !stay[i];
    count -= count < k->s.n || k->b->bare ? stays : 0;
    if (count == 0)
        return IFD_OK;
    if (count == k->s.n && !k->b->bare)
        return ifd_note_about(k->note, IFD_MASSLESS, "mass", "no dof of the model has mass (the first is '%s')",
                              ifd_builder_dof_name(k->b, k->s.dof[0]));
    IFD_TRY(ifd__refuse_slaves(k->b, &k->s, x.slave, IFD_MASSLESS, "has no mass", k->note));
    return sort(&x);
}
