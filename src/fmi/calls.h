/* SPDX-License-Identifier: MIT */
/* The binary of one FMU: loading, and calls by value references. It needs only libc, because the host process of an
 * isolated FMU contains little else. */
#pragma once

#include <stdbool.h>

#include "fmi/fmi_types.h"

enum { IFD__FMU_AT_ONCE = 64, IFD__FMU_MESSAGE = 400, IFD__FMU_WHY = 600, IFD__FMU_PATH = 1024 };

typedef struct ifd__fmu_binary {
    int version;                                  /* of FMI: 2 or 3 */
    bool rolls_back, derives, singles;            /* singles: it has variables of type Float32 */
    void *(*allocate)(size_t count, size_t size); /* NULL: calloc, free */
    void (*release)(void *memory);
    char file[IFD__FMU_PATH], resources[IFD__FMU_PATH], token[IFD__FMU_PATH];
} ifd__fmu_binary;

typedef struct ifd__fmu_calls {
    int version;
    bool rolls_back, derives;
    void *library, *instance, *state;
    fmi2_instantiate *make2;
    fmi3_instantiate *make3;
    void (*release)(void *instance);
    fmi2_setup *setup2;
    fmi2_mode *enter2, *leave, *reset, *terminate;
    bool begun;
    fmi3_enter *enter3;
    fmi2_get_real *get2;
    fmi2_set_real *set2;
    fmi3_get_float64 *get3;
    fmi3_set_float64 *set3;
    fmi3_get_float32 *get3_single;
    fmi3_set_float32 *set3_single;
    fmi2_do_step *step2;
    fmi3_do_step *step3;
    fmi_get_state *get_state;
    fmi_set_state *set_state;
    fmi2_derivative *derive2;
    fmi3_derivative *derive3;
    fmi_status (*free_state)(void *instance, void **state);
    fmi2_callbacks callbacks;
    char message[IFD__FMU_MESSAGE]; /* the last message of the FMU; its logger may run on another thread */
    char why[IFD__FMU_WHY];
} ifd__fmu_calls;

/* All functions return false on failure, with the reason in why. */
bool ifd__fmu_load(ifd__fmu_calls *c, const ifd__fmu_binary *b);
void ifd__fmu_unload(ifd__fmu_calls *c);
bool ifd__fmu_begin(ifd__fmu_calls *c, double start);
bool ifd__fmu_again(ifd__fmu_calls *c);
/* Data of one call of set or get. With arrays (FMI 3) there are more numbers than references. */
typedef struct ifd__fmu_batch {
    int references, values;
    bool single; /* variables of type Float32 */
    const uint32_t *reference;
    double *value;
} ifd__fmu_batch;

bool ifd__fmu_set(ifd__fmu_calls *c, const ifd__fmu_batch *b);
bool ifd__fmu_get(ifd__fmu_calls *c, const ifd__fmu_batch *b);
bool ifd__fmu_step(ifd__fmu_calls *c, double now, double h);
/* d reference[0] / d reference[1]. */
bool ifd__fmu_derive(ifd__fmu_calls *c, const uint32_t *reference, double *slope);
bool ifd__fmu_save(ifd__fmu_calls *c);
bool ifd__fmu_restore(ifd__fmu_calls *c);
