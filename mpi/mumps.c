/* SPDX-License-Identifier: MIT */
/* A factor by MUMPS over all processes of interfield-mpi. */
#include "mumps.h"

#include <dmumps_c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 8 };                                               /* factors at a time */
enum { BEGIN = -1, END = -2, FACTOR = 4, SOLVE = 3, CLOSE = 0 }; /* jobs of MUMPS, and the end of the service */
enum { ROOM_TRIES = 4 };

static DMUMPS_STRUC_C instance[MOST];
static bool taken[MOST];
static MPI_Comm everyone;

/* ICNTL(i) of the manual. */
static void control(int id, int i, int value)
{
    instance[id].icntl[i - 1] = value;
}

static void quiet(int id)
{
    for (int i = 1; i <= 3; i++)
        control(id, i, -1);
    control(id, 4, 0);
}

/* One job of all processes. */
static int together(int job, int id)
{
    int order[2] = {job, id};
    MPI_Bcast(order, 2, MPI_INT, 0, everyone);
    instance[id].job = job;
    dmumps_c(&instance[id]);
    return instance[id].infog[0];
}

static void prepare(int id)
{
    memset(&instance[id], 0, sizeof instance[id]);
    instance[id].comm_fortran = (MUMPS_INT)MPI_Comm_c2f(everyone);
    instance[id].par = 1;
    instance[id].sym = 2; /* general symmetric: the number of negative pivots is known then */
}

void mumps_open(MPI_Comm comm)
{
    everyone = comm;
}

void mumps_serve(void)
{
    int order[2];
    for (;;) {
        MPI_Bcast(order, 2, MPI_INT, 0, everyone);
        if (order[0] == CLOSE)
            return;
        if (order[0] == BEGIN)
            prepare(order[1]);
        instance[order[1]].job = order[0];
        dmumps_c(&instance[order[1]]);
        if (order[0] == BEGIN)
            quiet(order[1]);
    }
}

void mumps_close(void)
{
    int order[2] = {CLOSE, 0};
    MPI_Bcast(order, 2, MPI_INT, 0, everyone);
}

static void drop(void *self, int id)
{
    (void)self;
    together(END, id);
    taken[id] = false;
}

/* Factors with more room if MUMPS asks for it. */
static int factor_with_room(int id)
{
    int result = 0;
    for (int i = 0; i < ROOM_TRIES; i++) {
        control(id, 14, 30 << i); /* per cent above the estimate */
        result = together(FACTOR, id);
        if (result != -8 && result != -9)
            return result;
    }
    return result;
}

/* MUMPS reads what it is given, but its interface has plain pointers. */
static void *lent(const void *given)
{
    void *plain;
    memcpy(&plain, &given, sizeof plain);
    return plain;
}

static ifd_status factor(void *self, const ifd_entries *A, int *out)
{
    int id = 0;
    (void)self;
    while (id < MOST && taken[id])
        id++;
    if (id == MOST)
        return IFD_NO_MEMORY;
    prepare(id);
    if (together(BEGIN, id) < 0)
        return IFD_INTERNAL;
    quiet(id);
    taken[id] = true;
    instance[id].n = A->n;
    instance[id].nnz = (MUMPS_INT8)A->count;
    instance[id].irn = lent(A->row);
    instance[id].jcn = lent(A->column);
    instance[id].a = lent(A->value);
    int result = factor_with_room(id), negative = instance[id].infog[11];
    instance[id].irn = instance[id].jcn = NULL;
    instance[id].a = NULL;
    if (result >= 0 && negative == 0) {
        *out = id;
        return IFD_OK;
    }
    drop(NULL, id);
    return result >= 0 ? IFD_NOT_POSITIVE : result == -10 ? IFD_SINGULAR : IFD_NO_MEMORY;
}

static void solve(void *self, int id, int columns, double *X)
{
    (void)self;
    instance[id].rhs = X;
    instance[id].nrhs = columns;
    instance[id].lrhs = instance[id].n;
    if (together(SOLVE, id) >= 0)
        return;
    fprintf(stderr, "interfield-mpi: MUMPS cannot solve with its factor (INFOG(1) = %d)\n", instance[id].infog[0]);
    MPI_Abort(everyone, EXIT_FAILURE);
}

const ifd_factoriser mumps_factoriser = {.factor = factor, .solve = solve, .drop = drop};
