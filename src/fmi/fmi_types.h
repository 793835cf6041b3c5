/* SPDX-License-Identifier: MIT */
/* FMI 2.0 and 3.0 for co-simulation: the types at the boundary of a shared object, for the exported runtime (fmu/)
 * and the importer. Names and meanings are those of the standards. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* FMI 2: Boolean is int. FMI 3: bool. The status codes agree; FMI 3 has no pending. */
typedef enum fmi_status { FMI_OK, FMI_WARNING, FMI_DISCARD, FMI_ERROR, FMI_FATAL, FMI_PENDING } fmi_status;

typedef struct fmi2_callbacks {
    void (*logger)(void *environment, const char *instance, fmi_status status, const char *category,
                   const char *message, ...);
    void *(*allocate)(size_t count, size_t size);
    void (*release)(void *memory);
    void (*step_finished)(void *environment, fmi_status status);
    void *environment;
} fmi2_callbacks;

typedef struct fmi2_event_info fmi2_event_info; /* model exchange only */

typedef void fmi3_log(void *environment, fmi_status status, const char *category, const char *message);

typedef void *fmi2_instantiate(const char *name, int type, const char *guid, const char *resources,
                               const fmi2_callbacks *callbacks, int visible, int logging);
typedef fmi_status fmi2_setup(void *c, int tolerance_defined, double tolerance, double start, int stop_defined,
                              double stop);
typedef fmi_status fmi2_mode(void *c);
typedef fmi_status fmi2_get_real(void *c, const uint32_t *vr, size_t n, double *value);
typedef fmi_status fmi2_set_real(void *c, const uint32_t *vr, size_t n, const double *value);
typedef fmi_status fmi2_do_step(void *c, double now, double step, int no_set_before);
typedef fmi_status fmi2_boolean_status(void *c, int kind, int *value);
typedef fmi_status fmi2_derivative(void *c, const uint32_t *unknown, size_t unknowns, const uint32_t *known,
                                   size_t knowns, const double *seed, double *sensitivity);

typedef void *fmi3_instantiate(const char *name, const char *token, const char *resources, bool visible, bool logging,
                               bool event_mode, bool early_return, const uint32_t *intermediate, size_t intermediates,
                               void *environment, fmi3_log *log, void *update);
typedef fmi_status fmi3_enter(void *c, bool tolerance_defined, double tolerance, double start, bool stop_defined,
                              double stop);
typedef fmi_status fmi3_get_float64(void *c, const uint32_t *vr, size_t n, double *value, size_t values);
typedef fmi_status fmi3_set_float64(void *c, const uint32_t *vr, size_t n, const double *value, size_t values);
typedef fmi_status fmi3_get_float32(void *c, const uint32_t *vr, size_t n, float *value, size_t values);
typedef fmi_status fmi3_set_float32(void *c, const uint32_t *vr, size_t n, const float *value, size_t values);
typedef fmi_status fmi3_do_step(void *c, double now, double step, bool no_set_before, bool *event, bool *terminate,
                                bool *early, double *last);
typedef fmi_status fmi3_derivative(void *c, const uint32_t *unknown, size_t unknowns, const uint32_t *known,
                                   size_t knowns, const double *seed, size_t seeds, double *sensitivity,
                                   size_t sensitivities);

/* Functions for states: equal in both versions. */
typedef fmi_status fmi_get_state(void *c, void **state);
typedef fmi_status fmi_set_state(void *c, void *state);
typedef fmi_status fmi_state_size(void *c, void *state, size_t *size);
typedef fmi_status fmi_serialize(void *c, void *state, unsigned char *bytes, size_t size);
typedef fmi_status fmi_deserialize(void *c, const unsigned char *bytes, size_t size, void **state);
