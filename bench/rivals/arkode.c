/* SPDX-License-Identifier: MIT */
/* The diagonally implicit stepper of ARKODE with the two-stage L-stable table, fixed step, for a linear model with
 * constant Jacobian: one solve per stage, by KLU with one factorisation. */
#include "rivals.h"

#ifdef HAVE_ARKODE
#include <arkode/arkode_arkstep.h>
#include <nvector/nvector_serial.h>
#include <stdlib.h>
#include <string.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_sparse.h>

#if SUNDIALS_VERSION_MAJOR < 7
#define SUN_COMM_NULL NULL
#endif

typedef struct stepper {
    const problem *p;
    SUNContext context;
    void *memory;
    N_Vector y;
    SUNMatrix A, M;
    SUNLinearSolver solver, mass_solver;
    double t;
} stepper;

static void need(bool good)
{
    if (!good)
        abort();
}

/* diag(I, M) y' = (v, -K u) */
static int rate(double t, N_Vector y, N_Vector f, void *data)
{
    const problem *p = data;
    const double *x = N_VGetArrayPointer(y);
    double *out = N_VGetArrayPointer(f);
    (void)t;
    memcpy(out, x + p->n, (size_t)p->n * sizeof *out);
    product_by_rows(&p->K, -1.0, x, out + p->n);
    return 0;
}

/* Columns 0 .. n - 1 contain alpha B, or 1 if B is NULL, from row `row` on. */
static int put(SUNMatrix A, int first, int row, double alpha, const ifd_sparse *B, int used)
{
    sunindextype *start = SUNSparseMatrix_IndexPointers(A), *at = SUNSparseMatrix_IndexValues(A);
    double *x = SUNSparseMatrix_Data(A);
    int n = (int)SUNSparseMatrix_Columns(A) / 2;
    for (int j = 0; j < n; j++) {
        start[first + j] = used;
        for (int k = B ? B->p[j] : 0; k < (B ? B->p[j + 1] : 1); k++) {
            at[used] = row + (B ? B->i[k] : j);
            x[used++] = B ? alpha * B->x[k] : 1.0;
        }
    }
    start[first + n] = used;
    return used;
}

static int jacobian(double t, N_Vector y, N_Vector f, SUNMatrix J, void *data, N_Vector a, N_Vector b, N_Vector c)
{
    const problem *p = data;
    (void)t, (void)y, (void)f, (void)a, (void)b, (void)c;
    put(J, p->n, 0, 1.0, NULL, put(J, 0, p->n, -1.0, &p->K, 0));
    return 0;
}

static int mass(double t, SUNMatrix M, void *data, N_Vector a, N_Vector b, N_Vector c)
{
    const problem *p = data;
    (void)t, (void)a, (void)b, (void)c;
    put(M, p->n, p->n, 1.0, &p->M, put(M, 0, 0, 1.0, NULL, 0));
    return 0;
}

static void set_method(stepper *s)
{
    double g = GAMMA_MINUS, c[2] = {g, 1.0}, A[4] = {g, 0.0, 1.0 - g, g}, b[2] = {1.0 - g, g};
    ARKodeButcherTable table = ARKodeButcherTable_Create(2, 2, 0, c, A, b, NULL);
    need(table && ARKStepSetTables(s->memory, 2, 0, table, NULL) == 0);
    ARKodeButcherTable_Free(table);
    need(ARKStepSetFixedStep(s->memory, s->p->h) == 0);
    need(ARKStepSetLinear(s->memory, 0) == 0);
    need(ARKStepSetDeduceImplicitRhs(s->memory, 1) == 0);
    need(ARKStepSetInterpolantType(s->memory, ARK_INTERP_LAGRANGE) == 0); /* no rate at the end of a step */
    need(ARKStepSetInterpolantDegree(s->memory, 0) == 0);
    need(ARKStepSetLSetupFrequency(s->memory, 1000000000) == 0);
    need(ARKStepSetJacEvalFrequency(s->memory, 1000000000) == 0);
}

static void *open(const rival *r, const problem *p)
{
    stepper *s = calloc(1, sizeof *s);
    (void)r;
    need(s && SUNContext_Create(SUN_COMM_NULL, &s->context) == 0);
    s->p = p;
    s->y = N_VNew_Serial(2 * p->n, s->context);
    need(s->y);
    memcpy(N_VGetArrayPointer(s->y), p->u, (size_t)p->n * sizeof(double));
    memcpy(N_VGetArrayPointer(s->y) + p->n, p->v, (size_t)p->n * sizeof(double));
    s->memory = ARKStepCreate(NULL, rate, 0.0, s->y, s->context);
    s->A = SUNSparseMatrix(2 * p->n, 2 * p->n, p->n + p->K.p[p->n], CSC_MAT, s->context);
    s->M = SUNSparseMatrix(2 * p->n, 2 * p->n, p->n + p->M.p[p->n], CSC_MAT, s->context);
    need(s->memory && s->A && s->M && ARKStepSetUserData(s->memory, (void *)(uintptr_t)p) == 0);
    s->solver = SUNLinSol_KLU(s->y, s->A, s->context);
    s->mass_solver = SUNLinSol_KLU(s->y, s->M, s->context);
    need(SUNLinSol_KLUSetOrdering(s->solver, 0) == 0 && SUNLinSol_KLUSetOrdering(s->mass_solver, 0) == 0); /* AMD */
    need(ARKStepSetLinearSolver(s->memory, s->solver, s->A) == 0 && ARKStepSetJacFn(s->memory, jacobian) == 0);
    need(ARKStepSetMassLinearSolver(s->memory, s->mass_solver, s->M, 0) == 0);
    need(ARKStepSetMassFn(s->memory, mass) == 0);
    set_method(s);
    return s;
}

static void steps(void *self, int count)
{
    stepper *s = self;
    for (int k = 0; k < count; k++)
        need(ARKStepEvolve(s->memory, 1e9, s->y, &s->t, ARK_ONE_STEP) >= 0);
}

static void state(void *self, double *u)
{
    stepper *s = self;
    memcpy(u, N_VGetArrayPointer(s->y), (size_t)s->p->n * sizeof *u);
}

static void shut(void *self)
{
    stepper *s = self;
    ARKStepFree(&s->memory);
    SUNLinSolFree(s->solver);
    SUNLinSolFree(s->mass_solver);
    SUNMatDestroy(s->A);
    SUNMatDestroy(s->M);
    N_VDestroy(s->y);
    SUNContext_Free(&s->context);
    free(s);
}

const rival arkode_rivals[] = {{"SUNDIALS ARKODE, SDIRK2", false, false, open, steps, state, shut}, {0}};
#else
const rival arkode_rivals[] = {{0}};
#endif
