/* SPDX-License-Identifier: MIT */
/* Arrays of FMI 3: each element is a separate variable, "u[1]", "A[1,2]", counted from one and by rows. FMI sets and
 * reads the whole array. */
#pragma once

#include <interfield/fmu.h>

#include "fmi/calls.h"

enum { IFD__FMU_DIMENSIONS = 4 };

/* The shape of a variable in the description. */
typedef struct ifd__fmu_shape {
    int dimensions; /* 0: one number; more than IFD__FMU_DIMENSIONS: not used */
    struct {
        bool fixed;    /* the size is a constant */
        uint64_t size; /* the size, or the value reference of the structural parameter that contains it */
    } of[IFD__FMU_DIMENSIONS];
    const char *start;   /* as written */
    bool structural;     /* a structural parameter: */
    uint64_t its_number; /* its start value */
} ifd__fmu_shape;

/* Replaces arrays of at most IFD__FMU_AT_ONCE numbers by their elements. Larger arrays and those of unknown size
 * remain in the list with 0 elements and are not real. */
ifd_status ifd__fmu_arrays_expand(ifd_arena *arena, const ifd__fmu_shape *shape, ifd_fmu_facts *facts);

/* One call of set or get: references without repetition, and their numbers. */
typedef struct ifd__fmu_pack {
    int references, values;
    uint32_t reference[IFD__FMU_AT_ONCE];
    int first[IFD__FMU_AT_ONCE], variable[IFD__FMU_AT_ONCE]; /* per reference: first value, first variable */
    double value[IFD__FMU_AT_ONCE];
} ifd__fmu_pack;

/* For the variables of single precision or, with false, of double precision; false if there are too many. */
IFD_RT bool ifd__fmu_pack_make(const ifd_fmu_facts *facts, int count, const int *variable, bool single,
                               ifd__fmu_pack *out);
/* The value of a variable in the pack. */
IFD_RT double *ifd__fmu_pack_at(ifd__fmu_pack *p, const ifd_fmu_variable *v);
