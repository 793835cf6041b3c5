/* SPDX-License-Identifier: MIT */
/* The model inside an exported FMU: one instance of it, whatever version of FMI speaks to it.
 *
 * Everything is made when an instance is made and when its parameters are settled; a step takes no memory. All that
 * changes is one flat block, so that saving and going back are copies. */
#ifndef FMU_RUNTIME_H
#define FMU_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "link/fmi_types.h"

typedef struct fmu fmu;

typedef enum fmu_mode { FMU_MADE, FMU_INITIAL, FMU_STEPPING, FMU_TERMINATED, FMU_BROKEN } fmu_mode;

/* NULL, with a sentence in why, when the image cannot be read or belongs to another description. */
fmu *fmu_make(const char *resources, const char *token, const char **why);
void fmu_free(fmu *f);

fmu_mode fmu_mode_of(const fmu *f);
/* The sentence of the last refusal. */
const char *fmu_why(const fmu *f);

bool fmu_setup(fmu *f, double start);
bool fmu_enter(fmu *f);
bool fmu_exit(fmu *f); /* settles parameters, finds initial accelerations and the compliance */
bool fmu_terminate(fmu *f);
bool fmu_reset(fmu *f);

bool fmu_get(fmu *f, const uint32_t *vr, size_t n, double *value);
bool fmu_set(fmu *f, const uint32_t *vr, size_t n, const double *value);
bool fmu_step(fmu *f, double now, double step);
double fmu_time(const fmu *f);

/* sensitivity = d(unknown)/d(known) seed, of the continuous model at this point. */
bool fmu_derivative(fmu *f, const uint32_t *unknown, size_t unknowns, const uint32_t *known, size_t knowns,
                    const double *seed, double *sensitivity);
/* order-th derivative of an output over time. */
bool fmu_output_derivative(fmu *f, uint32_t vr, int order, double *value);

/* Into *state, which is taken from the system when it is NULL. */
bool fmu_state_get(fmu *f, void **state);
void fmu_state_free(void **state);
bool fmu_state_load(fmu *f, const void *block);
/* The same as bytes that may be kept: a version word, the token of the model, the numbers, each byte in its order. */
size_t fmu_serial_size(const fmu *f);
bool fmu_serialise(fmu *f, const void *block, unsigned char *bytes, size_t size);
bool fmu_state_take(fmu *f, const unsigned char *bytes, size_t size, void **state);

#endif
