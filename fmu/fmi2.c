/* SPDX-License-Identifier: MIT */
/* FMI 2.0 for co-simulation: the 34 functions, over runtime.h. */
#include <stdlib.h>
#include <string.h>

#include "runtime.h"

#define EXPORT __attribute__((visibility("default")))

typedef struct component {
    fmu *f;
    char *name;
    const fmi2_callbacks *call;
} component;

static fmi_status told(component *c, bool good)
{
    if (good)
        return FMI_OK;
    if (c->call && c->call->logger)
        c->call->logger(c->call->environment, c->name, FMI_ERROR, "logStatusError", "%s", fmu_why(c->f));
    return FMI_ERROR;
}

static fmi_status refused(component *c, fmu_refusal which)
{
    return told(c, fmu_refuse(c->f, which));
}

EXPORT const char *fmi2GetTypesPlatform(void);
EXPORT const char *fmi2GetTypesPlatform(void)
{
    return "default";
}

EXPORT const char *fmi2GetVersion(void);
EXPORT const char *fmi2GetVersion(void)
{
    return "2.0";
}

EXPORT fmi_status fmi2SetDebugLogging(component *c, int on, size_t n, const char *const *categories);
EXPORT fmi_status fmi2SetDebugLogging(component *c, int on, size_t n, const char *const *categories)
{
    (void)c;
    (void)on; /* there is one category, errors, which are always told */
    (void)n;
    (void)categories;
    return FMI_OK;
}

EXPORT void *fmi2Instantiate(const char *name, int type, const char *guid, const char *resources,
                             const fmi2_callbacks *call, int visible, int logging);
EXPORT void *fmi2Instantiate(const char *name, int type, const char *guid, const char *resources,
                             const fmi2_callbacks *call, int visible, int logging)
{
    const char *why = fmu_refusal_text(FMU_KIND);
    component *c = calloc(1, sizeof *c);
    (void)visible;
    (void)logging;
    if (c && type == 1)
        c->f = fmu_make(resources, guid, &why);
    if (c && c->f && (c->name = strdup(name ? name : ""))) {
        c->call = call;
        return c;
    }
    if (call && call->logger)
        call->logger(call->environment, name ? name : "", FMI_ERROR, "logStatusError", "%s", why);
    if (c)
        fmu_free(c->f);
    free(c);
    return NULL;
}

EXPORT void fmi2FreeInstance(component *c);
EXPORT void fmi2FreeInstance(component *c)
{
    if (!c)
        return;
    fmu_free(c->f);
    free(c->name);
    free(c);
}

EXPORT fmi_status fmi2SetupExperiment(component *c, int tolerance_defined, double tolerance, double start,
                                      int stop_defined, double stop);
EXPORT fmi_status fmi2SetupExperiment(component *c, int tolerance_defined, double tolerance, double start,
                                      int stop_defined, double stop)
{
    (void)tolerance_defined;
    (void)tolerance;
    (void)stop_defined;
    (void)stop;
    return told(c, fmu_setup(c->f, start));
}

#define MODE(name, call)                                                                                             \
    EXPORT fmi_status name(component *c);                                                                            \
    EXPORT fmi_status name(component *c)                                                                             \
    {                                                                                                                \
        return told(c, call(c->f));                                                                                  \
    }
MODE(fmi2EnterInitializationMode, fmu_enter)
MODE(fmi2ExitInitializationMode, fmu_exit)
MODE(fmi2Terminate, fmu_terminate)
MODE(fmi2Reset, fmu_reset)

EXPORT fmi_status fmi2GetReal(component *c, const uint32_t *vr, size_t n, double *value);
EXPORT fmi_status fmi2GetReal(component *c, const uint32_t *vr, size_t n, double *value)
{
    return told(c, fmu_get(c->f, vr, n, value));
}

EXPORT fmi_status fmi2SetReal(component *c, const uint32_t *vr, size_t n, const double *value);
EXPORT fmi_status fmi2SetReal(component *c, const uint32_t *vr, size_t n, const double *value)
{
    return told(c, fmu_set(c->f, vr, n, value));
}

/* There are no variables of other types. */
#define ABSENT(name)                                                                                                 \
    EXPORT fmi_status name(component *c, const uint32_t *vr, size_t n, void *value);                                 \
    EXPORT fmi_status name(component *c, const uint32_t *vr, size_t n, void *value)                                  \
    {                                                                                                                \
        (void)vr;                                                                                                    \
        (void)value;                                                                                                 \
        return n == 0 ? FMI_OK : refused(c, FMU_NO_TYPE);                                                            \
    }
ABSENT(fmi2GetInteger)
ABSENT(fmi2GetBoolean)
ABSENT(fmi2GetString)
ABSENT(fmi2SetInteger)
ABSENT(fmi2SetBoolean)
ABSENT(fmi2SetString)

EXPORT fmi_status fmi2GetFMUstate(component *c, void **state);
EXPORT fmi_status fmi2GetFMUstate(component *c, void **state)
{
    return told(c, fmu_state_get(c->f, state));
}

EXPORT fmi_status fmi2SetFMUstate(component *c, void *state);
EXPORT fmi_status fmi2SetFMUstate(component *c, void *state)
{
    return told(c, fmu_state_load(c->f, state));
}

EXPORT fmi_status fmi2FreeFMUstate(component *c, void **state);
EXPORT fmi_status fmi2FreeFMUstate(component *c, void **state)
{
    (void)c;
    fmu_state_free(state);
    return FMI_OK;
}

EXPORT fmi_status fmi2SerializedFMUstateSize(component *c, void *state, size_t *size);
EXPORT fmi_status fmi2SerializedFMUstateSize(component *c, void *state, size_t *size)
{
    (void)state;
    *size = fmu_serial_size(c->f);
    return FMI_OK;
}

EXPORT fmi_status fmi2SerializeFMUstate(component *c, void *state, unsigned char *bytes, size_t size);
EXPORT fmi_status fmi2SerializeFMUstate(component *c, void *state, unsigned char *bytes, size_t size)
{
    return told(c, fmu_serialise(c->f, state, bytes, size));
}

EXPORT fmi_status fmi2DeSerializeFMUstate(component *c, const unsigned char *bytes, size_t size, void **state);
EXPORT fmi_status fmi2DeSerializeFMUstate(component *c, const unsigned char *bytes, size_t size, void **state)
{
    return told(c, fmu_state_take(c->f, bytes, size, state));
}

EXPORT fmi_status fmi2GetDirectionalDerivative(component *c, const uint32_t *unknown, size_t unknowns,
                                               const uint32_t *known, size_t knowns, const double *seed,
                                               double *sensitivity);
EXPORT fmi_status fmi2GetDirectionalDerivative(component *c, const uint32_t *unknown, size_t unknowns,
                                               const uint32_t *known, size_t knowns, const double *seed,
                                               double *sensitivity)
{
    return told(c, fmu_derivative(c->f, unknown, unknowns, known, knowns, seed, sensitivity));
}

EXPORT fmi_status fmi2SetRealInputDerivatives(component *c, const uint32_t *vr, size_t n, const int *order,
                                              const double *value);
EXPORT fmi_status fmi2SetRealInputDerivatives(component *c, const uint32_t *vr, size_t n, const int *order,
                                              const double *value)
{
    (void)vr;
    (void)order;
    (void)value;
    return n == 0 ? FMI_OK : refused(c, FMU_INPUT_RATE);
}

EXPORT fmi_status fmi2GetRealOutputDerivatives(component *c, const uint32_t *vr, size_t n, const int *order,
                                               double *value);
EXPORT fmi_status fmi2GetRealOutputDerivatives(component *c, const uint32_t *vr, size_t n, const int *order,
                                               double *value)
{
    bool good = true;
    for (size_t k = 0; k < n && good; k++)
        good = fmu_output_derivative(c->f, vr[k], order[k], &value[k]);
    return told(c, good);
}

EXPORT fmi_status fmi2DoStep(component *c, double now, double step, int no_set_before);
EXPORT fmi_status fmi2DoStep(component *c, double now, double step, int no_set_before)
{
    (void)no_set_before;
    return told(c, fmu_step(c->f, now, step));
}

EXPORT fmi_status fmi2CancelStep(component *c);
EXPORT fmi_status fmi2CancelStep(component *c)
{
    return refused(c, FMU_NOT_PENDING);
}

/* Status: a step is never pending, so only the last time is ever known. */
#define STATUS(name, type)                                                                                           \
    EXPORT fmi_status name(component *c, int kind, type *value);                                                     \
    EXPORT fmi_status name(component *c, int kind, type *value)                                                      \
    {                                                                                                                \
        (void)c;                                                                                                     \
        (void)kind;                                                                                                  \
        (void)value;                                                                                                 \
        return FMI_DISCARD;                                                                                          \
    }
STATUS(fmi2GetStatus, int)
STATUS(fmi2GetIntegerStatus, int)
STATUS(fmi2GetBooleanStatus, int)
STATUS(fmi2GetStringStatus, const char *)

EXPORT fmi_status fmi2GetRealStatus(component *c, int kind, double *value);
EXPORT fmi_status fmi2GetRealStatus(component *c, int kind, double *value)
{
    const int last_successful_time = 2;
    if (kind != last_successful_time)
        return FMI_DISCARD;
    *value = fmu_time(c->f);
    return FMI_OK;
}
