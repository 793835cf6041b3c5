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

#include "fmi/fmi_types.h"

typedef struct fmu fmu;

typedef enum fmu_mode { FMU_MADE, FMU_INITIAL, FMU_STEPPING, FMU_TERMINATED, FMU_BROKEN } fmu_mode;

/* All that an instance refuses, whatever version of FMI it is asked through, and the sentence that goes to the
 * logger. */
#define FMU_REFUSALS(X)                                                                                              \
    X(MEMORY, "memory ran out")                                                                                      \
    X(KIND, "only co-simulation is offered")                                                                         \
    X(BETWEEN, "there is no event mode, and nothing to see between communication points")                            \
    X(IMAGE_ABSENT, "resources/model.bin cannot be read")                                                            \
    X(IMAGE_OTHER, "resources/model.bin is not that of this FMU")                                                    \
    X(IMAGE_DAMAGED, "resources/model.bin is damaged")                                                               \
    X(TOKEN, "the token is not that of this FMU")                                                                    \
    X(MODEL, "the model cannot be made: the image is damaged, or parameters do not go together")                     \
    X(START_TIME, "the start time comes before initialisation, and is a finite number")                              \
    X(ENTER_OUT_OF_ORDER, "initialisation begins once, right after instantiation")                                   \
    X(EXIT_OUT_OF_ORDER, "initialisation ends where it began")                                                       \
    X(TERMINATE_OUT_OF_ORDER, "only what runs can be terminated")                                                    \
    X(STEP_OUT_OF_ORDER, "a step comes between initialisation and termination")                                      \
    X(STEP_NOT_POSITIVE, "the communication step is not a positive, finite number")                                  \
    X(STEP_ELSEWHERE, "the communication point is not where the last step ended")                                    \
    X(STEP_TOO_LONG, "the communication step holds more than 1e9 steps of the method")                               \
    X(SINGULAR, "the tangent matrix could not be factored")                                                          \
    X(DIVERGED, "the model diverged")                                                                                \
    X(NO_VARIABLE, "there is no variable of this value reference")                                                   \
    X(NO_TYPE, "all variables are real numbers of 64 bits, there are none of this type")                             \
    X(COUNTS, "all variables are single numbers: there must be as many values as value references")                  \
    X(NOT_FINITE, "a value that was set is not a finite number")                                                     \
    X(RANGE, "a parameter is outside the range that the description gives for it")                                   \
    X(OVER, "it was terminated")                                                                                     \
    X(NOT_SETTABLE, "only inputs and parameters can be set")                                                         \
    X(FIXED, "parameters are fixed once initialisation has ended")                                                   \
    X(NOT_BY_INPUT, "derivatives are by inputs")                                                                     \
    X(NO_RATE, "derivatives over time are those of displacements (1, 2) and velocities (1)")                         \
    X(INPUT_RATE, "derivatives of inputs are not taken: forces are held, the ground is linear between steps")        \
    X(NOT_PENDING, "no step is ever pending")                                                                        \
    X(NOT_OFFERED, "this function belongs to what the description does not offer")                                   \
    X(NO_STATE, "there is no state, or no room for it")                                                              \
    X(STATE_WRONG, "this is no saved state")                                                                         \
    X(STATE_OTHER, "these bytes are not a state of this model")                                                      \
    X(STATE_DAMAGED, "these bytes are damaged: their checksum is another")

typedef enum fmu_refusal {
#define FMU_REFUSAL_ENUM(name, text) FMU_##name,
    FMU_REFUSALS(FMU_REFUSAL_ENUM)
#undef FMU_REFUSAL_ENUM
        FMU_REFUSAL_COUNT
} fmu_refusal;

const char *fmu_refusal_text(fmu_refusal which);
/* False; fmu_why is its sentence from now on. */
bool fmu_refuse(fmu *f, fmu_refusal which);

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
typedef struct fmu_direction {
    const uint32_t *unknown, *known;
    size_t unknowns, knowns;
    const double *seed; /* knowns */
} fmu_direction;
bool fmu_derivative(fmu *f, const fmu_direction *d, double *sensitivity);
/* Derivatives of outputs over time, each of its order. */
bool fmu_output_derivatives(fmu *f, const uint32_t *vr, size_t n, const int32_t *order, double *value);

/* Into *state, which is taken from the system when it is NULL. */
bool fmu_state_get(fmu *f, void **state);
void fmu_state_free(void **state);
bool fmu_state_load(fmu *f, const void *block);
/* The same as bytes that may be kept: a version word, the token of the model, the numbers, each byte in its order. */
size_t fmu_serial_size(const fmu *f);
bool fmu_serialise(fmu *f, const void *block, unsigned char *bytes, size_t size);
bool fmu_state_take(fmu *f, const unsigned char *bytes, size_t size, void **state);

#endif
