/* SPDX-License-Identifier: MIT */
/* The model inside an exported FMU: one instance, for both versions of FMI.
 *
 * All memory is allocated when an instance is made and when its parameters are set; a step allocates nothing. All
 * state is in one flat block, so that storing and restoring are copies. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fmi/fmi_types.h"

typedef struct fmu fmu;

typedef enum fmu_mode { FMU_MADE, FMU_INITIAL, FMU_STEPPING, FMU_TERMINATED, FMU_BROKEN } fmu_mode;

/* All reasons of an instance to refuse a call, with the sentence for the logger. */
#define FMU_REFUSALS(X)                                                                                              \
    X(MEMORY, "no memory")                                                                                           \
    X(KIND, "only co-simulation is supported")                                                                       \
    X(BETWEEN, "event mode and intermediate updates between communication points are not supported")                 \
    X(IMAGE_ABSENT, "resources/model.bin cannot be read")                                                            \
    X(IMAGE_OTHER, "resources/model.bin does not belong to this FMU")                                                \
    X(IMAGE_DAMAGED, "resources/model.bin is damaged")                                                               \
    X(TOKEN, "the token does not belong to this FMU")                                                                \
    X(MODEL, "the model cannot be made: the image is damaged, or the parameters are inconsistent")                   \
    X(START_TIME, "the start time must be finite and must be set before initialisation")                             \
    X(ENTER_OUT_OF_ORDER, "initialisation mode must be entered once, directly after instantiation")                  \
    X(EXIT_OUT_OF_ORDER, "exit of initialisation mode without entry")                                                \
    X(TERMINATE_OUT_OF_ORDER, "only a running instance can be terminated")                                           \
    X(STEP_OUT_OF_ORDER, "steps are possible only between initialisation and termination")                           \
    X(STEP_NOT_POSITIVE, "the communication step is not a positive, finite number")                                  \
    X(STEP_ELSEWHERE, "the communication point is not the end of the last step")                                     \
    X(STEP_TOO_LONG, "the communication step contains more than 1e9 steps of the method")                            \
    X(SINGULAR, "the tangent matrix could not be factorised")                                                        \
    X(DIVERGED, "the model diverged")                                                                                \
    X(NO_VARIABLE, "there is no variable with this value reference")                                                 \
    X(NO_TYPE, "all variables are real numbers of 64 bits; there are none of this type")                             \
    X(COUNTS, "all variables are scalars: the number of values must equal the number of value references")           \
    X(NOT_FINITE, "a value that was set is not a finite number")                                                     \
    X(RANGE, "a parameter is outside its range in the description")                                                  \
    X(OVER, "the instance has been terminated")                                                                      \
    X(NOT_SETTABLE, "only inputs and parameters can be set")                                                         \
    X(FIXED, "parameters are fixed after initialisation")                                                            \
    X(NOT_BY_INPUT, "derivatives are possible only with respect to inputs")                                          \
    X(NO_RATE, "time derivatives are available for displacements (order 1, 2) and velocities (order 1)")             \
    X(INPUT_RATE, "derivatives of inputs are not supported: forces are held, the ground is linear between steps")    \
    X(NOT_PENDING, "a step is never pending")                                                                        \
    X(NOT_OFFERED, "this function belongs to a capability that the description does not declare")                    \
    X(NO_STATE, "there is no state, or no memory for it")                                                            \
    X(STATE_WRONG, "this is not a saved state")                                                                      \
    X(STATE_OTHER, "these bytes are not a state of this model")                                                      \
    X(STATE_DAMAGED, "these bytes are damaged: the checksum differs")

typedef enum fmu_refusal {
#define FMU_REFUSAL_ENUM(name, text) FMU_##name,
    FMU_REFUSALS(FMU_REFUSAL_ENUM)
#undef FMU_REFUSAL_ENUM
        FMU_REFUSAL_COUNT
} fmu_refusal;

const char *fmu_refusal_text(fmu_refusal which);
/* Returns false; fmu_why then returns the sentence. */
bool fmu_refuse(fmu *f, fmu_refusal which);

/* NULL, with a sentence in why, if the image cannot be read or belongs to another description. */
fmu *fmu_make(const char *resources, const char *token, const char **why);
void fmu_free(fmu *f);

fmu_mode fmu_mode_of(const fmu *f);
/* The sentence of the last refusal. */
const char *fmu_why(const fmu *f);

bool fmu_setup(fmu *f, double start);
bool fmu_enter(fmu *f);
bool fmu_exit(fmu *f); /* sets parameters, computes initial accelerations and the compliance */
bool fmu_terminate(fmu *f);
bool fmu_reset(fmu *f);

bool fmu_get(fmu *f, const uint32_t *vr, size_t n, double *value);
bool fmu_set(fmu *f, const uint32_t *vr, size_t n, const double *value);
bool fmu_step(fmu *f, double now, double step);
double fmu_time(const fmu *f);

/* sensitivity = d(unknown)/d(known) seed, of the continuous model at this point. */
typedef struct fmu_direction {
    const uint32_t *unknown, *known;
    size_t unknowns, knowns;
    const double *seed; /* knowns */
} fmu_direction;
bool fmu_derivative(fmu *f, const fmu_direction *d, double *sensitivity);
/* Time derivatives of outputs, each with its order. */
bool fmu_output_derivatives(fmu *f, const uint32_t *vr, size_t n, const int32_t *order, double *value);

/* Into *state, which is allocated if it is NULL. */
bool fmu_state_get(fmu *f, void **state);
void fmu_state_free(void **state);
bool fmu_state_load(fmu *f, const void *block);
/* The same as bytes for storage: a version word, the token of the model, the numbers, in a fixed byte order. */
size_t fmu_serial_size(const fmu *f);
bool fmu_serialise(fmu *f, const void *block, unsigned char *bytes, size_t size);
bool fmu_state_take(fmu *f, const unsigned char *bytes, size_t size, void **state);
