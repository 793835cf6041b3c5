/* SPDX-License-Identifier: MIT */
/* The eigenvector of K for its smallest eigenvalue. Rows and columns are divided by the root of the diagonal, so that
 * units do not matter. */
#include "model/mechanism.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "model/equilibrium/at_rest.h"

enum { DENSE = 2000, NAMED = 4 };
static const double zero = 1e-11; /* of an eigenvalue; rounding leaves 1e-14 */

/* a (n x n) := the scaled stiffness, root: the roots of its diagonal. */
static ifd_status scaled_stiffness(ifd_arena *scratch, const ifd_model *m, int springs, const ifd__row_spring *spring,
                                   double *a, double *root)
{
    size_t n = (size_t)m->n;
    ifd_sparse K;
    ifd__rest rest;
    IFD_TRY(ifd__rest_make(scratch, m, &rest));
    ifd__rest_eval(&rest, 0.0);
    IFD_TRY(ifd__rest_stiffness(scratch, &rest, NULL, &K));
    ifd__sparse_fill(&K, a);
    ifd__row_springs_add(springs, spring, n, a);
    for (size_t i = 0; i < n; i++)
        root[i] = a[i + i * n] > 0.0 ? sqrt(a[i + i * n]) : 1.0;
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++)
            a[i + j * n] /= root[i] * root[j];
    return IFD_OK;
}

static const char *const along[] = {"move along x", "move along y", "move along z", "turn about x",
                                    "turn about y", "turn about z", "turn",         "stretch"};
static const char *const suffix[] = {".x", ".y", ".z", ".rx", ".ry", ".rz"};

/* "node 'b'" of "b.x"; the name of another dof. */
static const char *owner(ifd_arena *arena, const ifd_model *m, int dof, bool *node)
{
    const char *name = m->dof_name[dof], *dot = strrchr(name, '.');
    *node = m->dof_kind[dof] <= IFD_DOF_RZ && dot && strcmp(dot, suffix[m->dof_kind[dof]]) == 0;
    return *node ? ifd_arena_text_n(arena, name, (size_t)(dot - name)) : name;
}

/* The dofs of the kind that moves most, translations before rotations. */
static const char *sentence(ifd_arena *arena, const ifd_model *m, const double *v)
{
    int most = -1, count = 0;
    const char *text = NULL;
    bool node = false;
    for (int pass = 0; pass < 2 && (most < 0 || fabs(v[most]) < 1e-6); pass++)
        for (int i = 0; i < m->n; i++)
            if ((pass || m->dof_kind[i] <= IFD_DOF_Z) && (most < 0 || fabs(v[i]) > fabs(v[most])))
                most = i;
    for (int i = 0; i < m->n; i++)
        count += m->dof_kind[i] == m->dof_kind[most] && fabs(v[i]) >= 0.3 * fabs(v[most]);
    for (int i = 0, at = 0; i < m->n && at < NAMED; i++) {
        if (m->dof_kind[i] != m->dof_kind[most] || fabs(v[i]) < 0.3 * fabs(v[most]))
            continue;
        const char *name = owner(arena, m, i, &node);
        bool last = at == count - 1;
        text = text ? ifd_arena_print(arena, "%s%s%s", text, last ? " and " : ", ", name) : name;
        at++;
    }
    const char *more = count > NAMED ? ifd_arena_print(arena, " and %d more", count - NAMED) : "";
    return ifd_arena_print(arena, "%s%s %s%s can %s", node ? "node" : "dof", count > 1 ? "s" : "", text, more,
                           along[m->dof_kind[most]]);
}

const char *ifd__model_mechanism(ifd_arena *arena, const ifd_model *m, int springs, const ifd__row_spring *spring)
{
    size_t n = (size_t)m->n;
    double *a, *root, *lambda;
    if (!m->K.symmetric || m->n == 0 || m->n > DENSE ||
        IFD__TAKE(arena, IFD__ARRAY(a, n * n), IFD__ARRAY(root, n), IFD__ARRAY(lambda, n)) != IFD_OK ||
        scaled_stiffness(arena, m, springs, spring, a, root) != IFD_OK ||
        LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'L', m->n, a, m->n, lambda) != 0)
        return NULL;
    int least = 0;
    for (int i = 0; i < m->n; i++)
        least = fabs(lambda[i]) < fabs(lambda[least]) ? i : least;
    if (fabs(lambda[least]) > zero)
        return NULL;
    double *v = a + (size_t)least * n;
    for (size_t i = 0; i < n; i++)
        v[i] /= root[i];
    return sentence(arena, m, v);
}
