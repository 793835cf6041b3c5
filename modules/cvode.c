/* SPDX-License-Identifier: MIT */
/* Implements method/integrator.h with CVODE of SUNDIALS 6 or 7 (serial vector, dense matrix). If SUNDIALS 7 is built
 * with MPI, this module links MPI and never initialises it. */
#include <math.h>
#include <stdlib.h>

#include <cvode/cvode.h>
#include <lapacke.h>
#include <nvector/nvector_serial.h>
#include <sunmatrix/sunmatrix_dense.h>

#include "method/integrator.h"

#if SUNDIALS_VERSION_MAJOR < 7
#define SUN_COMM_NULL NULL
#endif

enum { STEPS = 2000000 }; /* largest number of internal steps between two returns */

typedef struct cvode {
    ifd__equations eq;
    SUNContext context;
    void *mem;
    N_Vector y;
    SUNMatrix A;
    SUNLinearSolver solver;
} cvode;

static int rate(sunrealtype t, N_Vector y, N_Vector yd, void *data)
{
    const cvode *c = data;
    return c->eq.rate(c->eq.data, t, N_VGetArrayPointer(y), N_VGetArrayPointer(yd)) ? 0 : -1;
}

static int weights(N_Vector y, N_Vector w, void *data)
{
    const cvode *c = data;
    c->eq.weights(c->eq.data, N_VGetArrayPointer(y), N_VGetArrayPointer(w));
    return 0;
}

static int root(sunrealtype t, N_Vector y, sunrealtype *out, void *data)
{
    const cvode *c = data;
    c->eq.root(c->eq.data, t, N_VGetArrayPointer(y), out);
    return 0;
}

/* LU by LAPACK: the solver of SUNDIALS is several times slower with a few hundred unknowns. content: the pivots. */
static SUNLinearSolver_Type solver_type(SUNLinearSolver S)
{
    (void)S;
    return SUNLINEARSOLVER_DIRECT;
}

static int solver_setup(SUNLinearSolver S, SUNMatrix A)
{
    int n = (int)SUNDenseMatrix_Rows(A);
    return LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n, n, SUNDenseMatrix_Data(A), n, S->content);
}

static int solver_solve(SUNLinearSolver S, SUNMatrix A, N_Vector x, N_Vector b, sunrealtype tolerance)
{
    int n = (int)SUNDenseMatrix_Rows(A);
    (void)tolerance;
    N_VScale(1.0, b, x);
    return LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'N', n, 1, SUNDenseMatrix_Data(A), n, S->content,
                               N_VGetArrayPointer(x), n);
}

#if SUNDIALS_VERSION_MAJOR < 7
static int solver_free(SUNLinearSolver S)
#else
static SUNErrCode solver_free(SUNLinearSolver S)
#endif
{
    free(S->content);
    S->content = NULL;
    SUNLinSolFreeEmpty(S);
    return 0;
}

static SUNLinearSolver solver_make(int n, SUNContext context)
{
    SUNLinearSolver S = SUNLinSolNewEmpty(context);
    lapack_int *pivot = malloc((size_t)n * sizeof *pivot);
    if (!S || !pivot) {
        free(pivot);
        if (S)
            SUNLinSolFreeEmpty(S);
        return NULL;
    }
    S->ops->gettype = solver_type;
    S->ops->setup = solver_setup;
    S->ops->solve = solver_solve;
    S->ops->free = solver_free;
    S->content = pivot;
    return S;
}

static void shut(void *one)
{
    cvode *c = one;
    if (c->mem)
        CVodeFree(&c->mem);
    if (c->solver)
        SUNLinSolFree(c->solver);
    if (c->A)
        SUNMatDestroy(c->A);
    if (c->y)
        N_VDestroy(c->y);
    if (c->context)
        SUNContext_Free(&c->context);
    free(c);
}

/* The return values of CVODE contain all that it would print. Two of its warnings would appear on standard output. */
static bool hush(cvode *c)
{
    bool hushed = CVodeSetMaxHnilWarns(c->mem, -1) == CV_SUCCESS && CVodeSetNoInactiveRootWarn(c->mem) == CV_SUCCESS;
#if SUNDIALS_VERSION_MAJOR < 7
    return hushed && CVodeSetErrFile(c->mem, NULL) == CV_SUCCESS;
#else
    return hushed && SUNContext_ClearErrHandlers(c->context) == SUN_SUCCESS;
#endif
}

static bool set_up(cvode *c)
{
    if (SUNContext_Create(SUN_COMM_NULL, &c->context) != 0)
        return false;
    c->y = N_VNew_Serial(c->eq.size, c->context);
    c->A = SUNDenseMatrix(c->eq.size, c->eq.size, c->context);
    c->mem = CVodeCreate(c->eq.stiff ? CV_BDF : CV_ADAMS, c->context);
    c->solver = solver_make(c->eq.size, c->context);
    if (!c->y || !c->A || !c->mem || !c->solver)
        return false;
    N_VConst(0.0, c->y);
    return hush(c) && CVodeInit(c->mem, rate, 0.0, c->y) == CV_SUCCESS &&
           CVodeWFtolerances(c->mem, weights) == CV_SUCCESS && CVodeSetUserData(c->mem, c) == CV_SUCCESS &&
           CVodeSetLinearSolver(c->mem, c->solver, c->A) == CV_SUCCESS &&
           CVodeSetMaxNumSteps(c->mem, STEPS) == CV_SUCCESS &&
           (c->eq.roots == 0 || CVodeRootInit(c->mem, c->eq.roots, root) == CV_SUCCESS);
}

static void *start(const ifd__equations *eq)
{
    cvode *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->eq = *eq;
    if (set_up(c))
        return c;
    shut(c);
    return NULL;
}

static double *state(void *one)
{
    return N_VGetArrayPointer(((cvode *)one)->y);
}

static bool restart(void *one, double t)
{
    cvode *c = one;
    return CVodeReInit(c->mem, t, c->y) == CV_SUCCESS;
}

static ifd__integrated run(void *one, double stop, double end, double *t)
{
    cvode *c = one;
    /* Always set: an event at the last stop leaves it in force. */
    if (CVodeSetStopTime(c->mem, isfinite(stop) ? stop : 1e300) != CV_SUCCESS)
        return IFD__GAVE_UP;
    int flag = CVode(c->mem, end, c->y, t, CV_NORMAL);
    return flag < 0 ? IFD__GAVE_UP : flag == CV_SUCCESS ? IFD__ARRIVED : IFD__INTERRUPTED;
}

__attribute__((visibility("default"))) extern const ifd__integrator ifd__cvode_integrator;
const ifd__integrator ifd__cvode_integrator = {
    .version = IFD__INTEGRATOR_VERSION,
    .open = start,
    .close = shut,
    .state = state,
    .restart = restart,
    .run = run,
};
