/* SPDX-License-Identifier: MIT */
/* TSROSW of PETSc, types 2m and 2p, fixed step: one direct solve per stage of the first-order system, with one
 * factorisation. */
#include "rivals.h"

#ifdef HAVE_PETSC
#include <petscts.h>
#include <stdlib.h>
#include <string.h>

typedef struct stepper {
    const problem *p;
    TS ts;
    Vec y;
    Mat A;
    double shift; /* of the present matrix; 0: none */
} stepper;

static void need(PetscErrorCode code)
{
    if (code)
        abort();
}

/* F = (u' - v, M v' + K u) */
static PetscErrorCode residual(TS ts, PetscReal t, Vec y, Vec rate, Vec F, void *data)
{
    const stepper *s = data;
    const int n = s->p->n;
    const double *x, *xd;
    double *f;
    (void)ts, (void)t;
    need(VecGetArrayRead(y, &x) || VecGetArrayRead(rate, &xd) || VecGetArray(F, &f));
    for (int i = 0; i < n; i++)
        f[i] = xd[i] - x[n + i];
    const ifd_sparse *K = &s->p->K, *M = &s->p->M;
    for (int i = 0; i < n; i++) {
        double dot = 0.0;
        for (int k = K->p[i]; k < K->p[i + 1]; k++)
            dot += K->x[k] * x[K->i[k]];
        for (int k = M->p[i]; k < M->p[i + 1]; k++)
            dot += M->x[k] * xd[n + M->i[k]];
        f[n + i] = dot;
    }
    need(VecRestoreArrayRead(y, &x) || VecRestoreArrayRead(rate, &xd) || VecRestoreArray(F, &f));
    return 0;
}

static void put(Mat A, int row, int column, double alpha, const ifd_sparse *B)
{
    for (int j = 0; j < B->n; j++)
        for (int k = B->p[j]; k < B->p[j + 1]; k++)
            need(MatSetValue(A, row + j, column + B->i[k], alpha * B->x[k], INSERT_VALUES));
}

/* shift dF/dy' + dF/dy. Called in every step; with an unchanged shift the matrix is unchanged, and PETSc keeps its
 * factor. */
static PetscErrorCode jacobian(TS ts, PetscReal t, Vec y, Vec rate, PetscReal shift, Mat A, Mat B, void *data)
{
    stepper *s = data;
    const int n = s->p->n;
    (void)ts, (void)t, (void)y, (void)rate, (void)A;
    if (shift == s->shift)
        return 0;
    s->shift = shift;
    for (int i = 0; i < n; i++)
        need(MatSetValue(B, i, i, shift, INSERT_VALUES) || MatSetValue(B, i, n + i, -1.0, INSERT_VALUES));
    put(B, n, 0, 1.0, &s->p->K);
    put(B, n, n, shift, &s->p->M);
    need(MatAssemblyBegin(B, MAT_FINAL_ASSEMBLY) || MatAssemblyEnd(B, MAT_FINAL_ASSEMBLY));
    return 0;
}

static void set_solver(TS ts)
{
    SNES snes;
    KSP ksp;
    PC pc;
    TSAdapt adapt;
    need(TSGetAdapt(ts, &adapt) || TSAdaptSetType(adapt, TSADAPTNONE));
    need(TSGetSNES(ts, &snes) || SNESSetType(snes, SNESKSPONLY) || SNESGetKSP(snes, &ksp));
    need(SNESSetLagPreconditioner(snes, -2) || SNESSetLagPreconditionerPersists(snes, PETSC_TRUE));
    need(KSPSetType(ksp, KSPPREONLY) || KSPGetPC(ksp, &pc) || PCSetType(pc, PCLU));
    /* The natural order, displacements first, eliminates them at no cost: faster here than nd, rcm, qmd. */
    need(PCFactorSetMatOrderingType(pc, MATORDERINGNATURAL));
}

static void *open(const rival *r, const problem *p)
{
    stepper *s = calloc(1, sizeof *s);
    double *x;
    if (!s)
        abort();
    s->p = p;
    setenv("OMPI_MCA_btl", "self", 0); /* one process: no network */
    need(PetscInitializeNoArguments());
    need(VecCreateSeq(PETSC_COMM_SELF, 2 * p->n, &s->y) || VecGetArray(s->y, &x));
    memcpy(x, p->u, (size_t)p->n * sizeof *x);
    memcpy(x + p->n, p->v, (size_t)p->n * sizeof *x);
    need(VecRestoreArray(s->y, &x));
    need(MatCreateSeqAIJ(PETSC_COMM_SELF, 2 * p->n, 2 * p->n, 60, NULL, &s->A));
    need(TSCreate(PETSC_COMM_SELF, &s->ts) || TSSetType(s->ts, TSROSW));
    need(TSRosWSetType(s->ts, r->plus ? TSROSW2P : TSROSW2M));
    need(TSSetIFunction(s->ts, NULL, residual, s) || TSSetIJacobian(s->ts, s->A, s->A, jacobian, s));
    need(TSSetSolution(s->ts, s->y) || TSSetTimeStep(s->ts, p->h) || TSSetMaxTime(s->ts, 1e9));
    need(TSSetMaxSteps(s->ts, 1000000000) || TSSetExactFinalTime(s->ts, TS_EXACTFINALTIME_STEPOVER));
    set_solver(s->ts);
    return s;
}

static void steps(void *self, int count)
{
    stepper *s = self;
    for (int k = 0; k < count; k++)
        need(TSStep(s->ts));
}

static void state(void *self, double *u)
{
    stepper *s = self;
    const double *x;
    need(VecGetArrayRead(s->y, &x));
    memcpy(u, x, (size_t)s->p->n * sizeof *u);
    need(VecRestoreArrayRead(s->y, &x));
}

/* PETSc remains initialised: it cannot be initialised twice, and the process ends soon. */
static void shut(void *self)
{
    stepper *s = self;
    need(TSDestroy(&s->ts) || MatDestroy(&s->A) || VecDestroy(&s->y));
    free(s);
}

const rival petsc_rivals[] = {
    {"PETSc TSROSW 2m", false, false, open, steps, state, shut},
    {"PETSc TSROSW 2p", true, false, open, steps, state, shut},
    {0},
};
#else
const rival petsc_rivals[] = {{0}};
#endif
