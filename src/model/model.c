/* SPDX-License-Identifier: MIT */
/* Makes a model from its builder and tells its dofs, states and elements. */
#include "model/model.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "model/build/making.h"
#include "model/damping.h"
#include "model/equilibrium/gravity_state.h"
#include "model/equilibrium/massless.h"
#include "model/gravity.h"
#include "model/relative.h"

enum { LARGEST_NAMED = 4000 };

static ifd_status check_given(const ifd_builder *b, ifd_note *note)
{
    if (b->dof.count == 0 && !(b->bare && b->support.count))
        return ifd_note_add(note, IFD_RANGE, NULL, "the model has no degrees of freedom");
    for (int i = 0; i < b->dof.count; i++) {
        const ifd__dof *dof = &IFD__AT(b->dof, ifd__dof, i);
        if (!isfinite(dof->u0) || !isfinite(dof->v0))
            return ifd_note_add(note, IFD_NOT_FINITE, NULL, "the initial state of dof '%s' is not finite", dof->name);
    }
    if (!isfinite(b->ray_m) || !isfinite(b->ray_k))
        return ifd_note_about(note, IFD_NOT_FINITE, "rayleigh",
                              "a coefficient of the Rayleigh damping is not finite");
    for (int i = 0; i < b->nkeep; i++)
        if (b->keep[i] < 0 || b->keep[i] >= b->dof.count)
            return ifd_note_about(note, IFD_RANGE, "condense", "condensation: a dof to keep does not exist");
    if (b->condense && b->nkeep == 0)
        return ifd_note_about(note, IFD_RANGE, "condense", "condensation must keep at least one dof");
    return IFD_OK;
}

static ifd_status condense_unkept(ifd__making *k)
{
    const ifd_builder *b = k->b;
    if (!b->condense)
        return IFD_OK;
    bool *slave, *kept;
    IFD_TRY(IFD__TAKE(k->scratch, IFD__ARRAY(slave, k->s.n), IFD__ARRAY(kept, b->dof.count)));
    for (int i = 0; i < b->nkeep; i++)
        kept[b->keep[i]] = true;
    for (int i = 0; i < k->s.n; i++)
        slave[i] = !kept[k->s.dof[i]];
    int count = ifd__count_marked(slave, k->s.n);
    IFD_TRY(ifd__refuse_slaves(b, &k->s, slave, IFD_CONFLICT, "is condensed", k->note));
    IFD_TRY(ifd__condense(k->scratch, b, slave, &k->s, k->note));
    ifd_note_remark(k->note, NULL, "Guyan condensation: %d dofs kept, %d condensed", k->s.n, count);
    return IFD_OK;
}

/* A copy of the builder with the first-order states as additional elements. */
static ifd_status add_states(ifd__making *k)
{
    int given = k->b->element.count, count = k->relaxed.count;
    if (!count)
        return IFD_OK;
    ifd_builder *copy;
    ifd__attached *all;
    IFD_TRY(IFD__TAKE(k->arena, IFD__ARRAY(copy, 1), IFD__ARRAY(all, given + count)));
    if (given)
        memcpy(all, k->b->element.data, (size_t)given * sizeof *all);
    IFD_TRY(ifd__relaxation_make(k->arena, k->b, &k->s, &k->relaxed, all + given));
    *copy = *k->b;
    copy->element = (ifd__list){.count = given + count, .room = given + count, .data = all};
    k->b = copy;
    return ifd__start_mass_make(k->scratch, copy, &k->mass);
}

/* The dof block of matrix which; lower triangle if symmetric. */
static ifd_status take_matrix(const ifd__making *k, int which, double factor_of_mass, ifd_sparse *out)
{
    const ifd_sparse *A = &k->s.A[which], *M = &k->s.A[IFD_MASS];
    ifd__triplets t = {.arena = k->scratch};
    ifd__triplet_columns(&t, 0, k->s.n, 1.0, A);
    if (factor_of_mass != 0.0)
        ifd__triplet_columns(&t, 0, k->s.n, factor_of_mass, M);
    return ifd__sparse_make(k->arena, k->s.n, &t, k->s.symmetric[which], out);
}

static ifd_status make_matrices(ifd__making *k)
{
    ifd_model *m = k->m;
    m->symmetric = k->s.symmetric[IFD_DAMPING] && k->s.symmetric[IFD_STIFFNESS];
    m->ray_m = m->inertial ? 0.0 : k->b->ray_m;
    m->ray_k = k->b->ray_k;
    IFD_TRY(take_matrix(k, IFD_STIFFNESS, 0.0, &m->K));
    IFD_TRY(take_matrix(k, IFD_DAMPING, m->inertial ? k->b->ray_m : 0.0, &m->C));
    return ifd__mass_with_elements(k->arena, k->scratch, &k->s, m, m->m0, &m->M);
}

/* The dof at which the Cholesky factorisation of A fails; -1 if it does not fail or the dof is unknown. */
static int bad_pivot(ifd_arena *scratch, const ifd_sparse *A)
{
    size_t n = (size_t)A->n;
    double *a = A->n <= LARGEST_NAMED ? ifd_arena_array(scratch, n * n, sizeof *a) : NULL;
    if (!a)
        return -1;
    for (size_t j = 0; j < n; j++)
        for (int k = A->p[j]; k < A->p[j + 1]; k++)
            a[(size_t)A->i[k] + j * n] = A->x[k];
    return (int)LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', A->n, a, A->n) - 1;
}

static ifd_status not_positive(const ifd__making *k, const ifd_sparse *A)
{
    int dof = bad_pivot(k->scratch, A);
    if (dof < 0)
        return ifd_note_about(k->note, IFD_NOT_POSITIVE, "mass", "the mass matrix is not positive definite");
    return ifd_note_about(k->note, IFD_NOT_POSITIVE, "mass", "the mass matrix is not positive definite at dof '%s'",
                          k->m->dof_name[dof]);
}

/* M must be positive definite. If its parts do not prove it, its factor decides. For an inertial model, the mass with
 * the actual contribution of elements at the initial state must also be positive definite. */
static ifd_status check_mass(ifd__making *k)
{
    ifd_model *m = k->m;
    const ifd_solver *factor;
    IFD_TRY(ifd__model_mass_later(k->arena, m));
    if (!m->inertial && m->n == k->b->dof.count && ifd__mass_proved(k->scratch, k->b))
        return IFD_OK;
    ifd_status made = ifd__model_mass(k->arena, m, &factor, NULL);
    if (made == IFD_NOT_POSITIVE)
        return not_positive(k, &m->M);
    IFD_TRY(made);
    if (!m->inertial)
        return IFD_OK;
    ifd_sparse whole;
    ifd_solver *solver;
    IFD_TRY(ifd__mass_with_elements(k->scratch, k->scratch, &k->s, m, k->mass.m, &whole));
    made = ifd__solver_make(k->scratch, &whole, IFD__SOLVER_AUTO, &solver, NULL);
    return made == IFD_NOT_POSITIVE ? not_positive(k, &whole) : made;
}

static bool has_entries(const ifd_sparse *A)
{
    for (int k = 0; k < A->p[A->n]; k++)
        if (A->x[k] != 0.0)
            return true;
    return false;
}

/* Dofs with equal names up to the last dot belong to one node: orderings keep them together. */
static const int *node_labels(ifd_arena *arena, const ifd_model *m)
{
    int *label = ifd_arena_array(arena, (size_t)m->n, sizeof *label);
    for (int i = 1; label && i < m->n; i++) {
        const char *dot = strrchr(m->dof_name[i], '.');
        size_t stem = dot ? (size_t)(dot - m->dof_name[i]) + 1 : 0;
        label[i] = label[i - 1] + (!dot || strncmp(m->dof_name[i], m->dof_name[i - 1], stem) != 0);
    }
    return label;
}

/* For the ticks; last, when the matrices no longer change. */
static ifd_status pack_matrices(ifd_arena *arena, ifd_model *m)
{
    m->K.block = m->C.block = m->M.block;
    IFD_TRY(ifd__sparse_pack(arena, &m->K));
    IFD_TRY(ifd__sparse_pack(arena, &m->C));
    return ifd__sparse_pack(arena, &m->M);
}

static ifd_status start_massless(ifd__making *k)
{
    if (ifd__model_weighs(k->m)) /* the gravity state contains them */
        return IFD_OK;
    double *u0 = ifd__arena_copy(k->arena, k->m->u0, k->m->n, sizeof *u0);
    if (!u0)
        return IFD_NO_MEMORY;
    k->m->u0 = u0;
    return ifd__massless_start(k->scratch, k->m, u0, k->note);
}

ifd_status ifd__model_make(ifd_arena *arena, ifd_arena *scratch, ifd_builder *b, ifd_model **out, ifd_note *note)
{
    if (ifd__builder_failed(b))
        return IFD_NO_MEMORY;
    ifd__making k = {.arena = arena, .scratch = scratch, .b = b, .note = note};
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(k.m, 1)));
    IFD_TRY(check_given(b, note));
    IFD_TRY(ifd__builder_weigh(b));
    IFD_TRY(ifd__system_make(scratch, b, &k.s, note));
    k.s.F = &k.flexibility;
    IFD_TRY(ifd__making_ground(&k));
    IFD_TRY(ifd__making_tie(&k));
    IFD_TRY(ifd__system_check(b, &k.s, note));
    IFD_TRY(ifd__start_mass_make(scratch, k.b, &k.mass));
    IFD_TRY(condense_unkept(&k));
    IFD_TRY(ifd__making_massless(&k));
    IFD_TRY(ifd__making_reduce(&k));
    IFD_TRY(add_states(&k));
    IFD_TRY(ifd__making_layout(&k));
    IFD_TRY(ifd__attach(arena, k.b, &k.s, &k.mass, k.m));
    k.m->relaxing = k.relaxed.count;
    k.m->first_state = k.m->ns - k.relaxed.count;
    IFD_TRY(make_matrices(&k));
    k.m->M.block = node_labels(arena, k.m);
    if (!k.m->M.block)
        return IFD_NO_MEMORY;
    if (k.b->stay)
        IFD_TRY(ifd__massless_find(arena, k.m));
    IFD_TRY(check_mass(&k));
    IFD_TRY(ifd__rayleigh_elements(arena, scratch, b, k.m, note));
    const ifd_sparse before = k.m->C;
    if (k.m->reduced) {
        k.m->C.rank = k.modal;
        k.m->C.Z = k.modal_Z;
        k.m->C.weight = 1.0;
    } else
        IFD_TRY(ifd__modal_damping(arena, scratch, b, k.m, note));
    IFD_TRY(ifd__relative_damping(&k, &before));
    k.m->damped = has_entries(&k.m->C) || k.m->C.rank;
    IFD_TRY(pack_matrices(arena, k.m));
    IFD_TRY(ifd__gravity_make(arena, b, k.m));
    *out = k.m;
    return k.m->massless ? start_massless(&k) : IFD_OK;
}

ifd_status ifd_model_make(ifd_arena *arena, ifd_builder *b, ifd_model **out, ifd_note *note)
{
    ifd_arena *scratch IFD__CLOSED = ifd_arena_open();
    return scratch ? ifd__model_make(arena, scratch, b, out, note) : IFD_NO_MEMORY;
}

int ifd_model_dofs(const ifd_model *m)
{
    return m->n;
}

int ifd_model_states(const ifd_model *m)
{
    return m->ns;
}

int ifd_model_elements(const ifd_model *m)
{
    return m->ne;
}

int ifd_model_first_order(const ifd_model *m)
{
    int count = 0;
    for (int e = 0; e < m->ne; e++)
        count += m->element[e].ops == &ifd__relaxation;
    return count;
}

const ifd_element *ifd_model_element(const ifd_model *m, int e)
{
    return &m->element[e];
}

const char *ifd_model_dof_name(const ifd_model *m, int dof)
{
    return m->dof_name[dof];
}

ifd_dof_kind ifd_model_dof_kind(const ifd_model *m, int dof)
{
    return m->dof_kind[dof];
}

int ifd_model_find_dof(const ifd_model *m, const char *name)
{
    for (int i = 0; i < m->n; i++)
        if (strcmp(m->dof_name[i], name) == 0)
            return i;
    return -1;
}

bool ifd_model_condensed(const ifd_model *m, const char *name)
{
    for (int i = 0; i < m->ngone; i++)
        if (strcmp(m->gone[i], name) == 0)
            return true;
    return false;
}

bool ifd_model_displacement(const ifd_model *m, const char *name, const double *u, double *out)
{
    int dof = ifd_model_find_dof(m, name), gone = 0;
    while (dof < 0 && gone < m->ngone && strcmp(m->gone[gone], name) != 0)
        gone++;
    if (dof < 0 && gone == m->ngone)
        return false;
    *out = dof >= 0 ? u[dof] : 0.0;
    for (int k = dof < 0 ? m->gone_start[gone] : 0; dof < 0 && k < m->gone_start[gone + 1]; k++)
        *out += m->gone_dof[k] < m->n ? m->gone_value[k] * u[m->gone_dof[k]] : 0.0;
    return true;
}

bool ifd_model_linear(const ifd_model *m)
{
    return ifd_model_first_order(m) == m->ne;
}

const ifd_reduced *ifd_model_reduced(const ifd_model *m)
{
    return m->reduced;
}

const ifd_superelement *ifd_model_superelement(const ifd_model *m)
{
    return m->superelement;
}

/* The factor of the mass matrix. Most methods never use it, and it is as large as that of the method, so it is made
 * when it is first asked for. */

struct ifd__mass {
    ifd_arena *arena;
    ifd_solver *solver;
};

ifd_status ifd__model_mass_later(ifd_arena *arena, ifd_model *m)
{
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(m->mass, 1)));
    m->mass->arena = arena;
    return IFD_OK;
}

ifd_status ifd__model_mass(ifd_arena *arena, const ifd_model *m, const ifd_solver **out, ifd_note *note)
{
    struct ifd__mass *own = m->mass;
    ifd_solver *solver = own ? own->solver : NULL;
    bool keep = own && !ifd_arena_sealed(own->arena);
    ifd_sparse M = m->M;
    if (!solver && m->massless)
        IFD_TRY(ifd__massless_filled(keep ? own->arena : arena, m, &m->M, &M));
    if (!solver)
        IFD_TRY(ifd__solver_make(keep ? own->arena : arena, &M, IFD__SOLVER_AUTO, &solver, note));
    if (keep)
        own->solver = solver;
    *out = solver;
    return IFD_OK;
}
