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
    fmi2_boolean_status *ended2; /* NULL: the binary does not have it */
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

typedef enum ifd__fmu_order {
    IFD__FMU_LOAD,
    IFD__FMU_BEGIN,
    IFD__FMU_AGAIN,
    IFD__FMU_SET,
    IFD__FMU_GET,
    IFD__FMU_STEP,
    IFD__FMU_DERIVE,
    IFD__FMU_SAVE,
    IFD__FMU_RESTORE,
    IFD__FMU_END
} ifd__fmu_order;

/* Arguments and results of an order. With arrays (FMI 3) there are more numbers than references. */
typedef struct ifd__fmu_ask {
    int32_t order, references, values, single; /* single: variables of type Float32 */
    uint32_t reference[IFD__FMU_AT_ONCE];
    double value[IFD__FMU_AT_ONCE]; /* of IFD__FMU_DERIVE the first one: d reference[0] / d reference[1] */
    double now, h;
} ifd__fmu_ask;

/* Both return false on failure, with the reason in why. */
bool ifd__fmu_load(ifd__fmu_calls *c, const ifd__fmu_binary *b);
/* All orders but IFD__FMU_LOAD and IFD__FMU_END. */
bool ifd__fmu_obey(ifd__fmu_calls *c, ifd__fmu_ask *a);
void ifd__fmu_unload(ifd__fmu_calls *c);
