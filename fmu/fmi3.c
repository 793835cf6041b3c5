/* SPDX-License-Identifier: MIT */
/* FMI 3.0: co-simulation over runtime.h; everything of the other kinds is there and says no. */
#include <stdlib.h>

#include "runtime.h"

#define EXPORT __attribute__((visibility("default")))

typedef struct instance {
    fmu *f;
    void *environment;
    fmi3_log *log;
} instance;

static fmi_status told(instance *c, bool good)
{
    if (good)
        return FMI_OK;
    if (c->log)
        c->log(c->environment, FMI_ERROR, "logStatusError", fmu_why(c->f));
    return FMI_ERROR;
}

static fmi_status refused(instance *c, fmu_refusal which)
{
    return told(c, fmu_refuse(c->f, which));
}

EXPORT const char *fmi3GetVersion(void);
EXPORT const char *fmi3GetVersion(void)
{
    return "3.0";
}

EXPORT fmi_status fmi3SetDebugLogging(instance *c, bool on, size_t n, const char *const *categories);
EXPORT fmi_status fmi3SetDebugLogging(instance *c, bool on, size_t n, const char *const *categories)
{
    (void)c;
    (void)on;
    (void)n;
    (void)categories;
    return FMI_OK;
}

EXPORT void *fmi3InstantiateCoSimulation(const char *name, const char *token, const char *resources, bool visible,
                                         bool logging, bool event_mode, bool early_return,
                                         const uint32_t *intermediate, size_t intermediates, void *environment,
                                         fmi3_log *log, void *update);
EXPORT void *fmi3InstantiateCoSimulation(const char *name, const char *token, const char *resources, bool visible,
                                         bool logging, bool event_mode, bool early_return,
                                         const uint32_t *intermediate, size_t intermediates, void *environment,
                                         fmi3_log *log, void *update)
{
    const char *why = fmu_refusal_text(FMU_BETWEEN);
    instance *c = calloc(1, sizeof *c);
    (void)name;
    (void)visible;
    (void)logging;
    (void)early_return;
    (void)intermediate;
    (void)update;
    if (c && !event_mode && intermediates == 0)
        c->f = fmu_make(resources, token, &why);
    if (c && c->f) {
        c->environment = environment;
        c->log = log;
        return c;
    }
    if (log)
        log(environment, FMI_ERROR, "logStatusError", why);
    free(c);
    return NULL;
}

EXPORT void *fmi3InstantiateModelExchange(const char *name, const char *token, const char *resources, bool visible,
                                          bool logging, void *environment, fmi3_log *log);
EXPORT void *fmi3InstantiateModelExchange(const char *name, const char *token, const char *resources, bool visible,
                                          bool logging, void *environment, fmi3_log *log)
{
    (void)name;
    (void)token;
    (void)resources;
    (void)visible;
    (void)logging;
    if (log)
        log(environment, FMI_ERROR, "logStatusError", fmu_refusal_text(FMU_KIND));
    return NULL;
}

EXPORT void *fmi3InstantiateScheduledExecution(const char *name, const char *token, const char *resources,
                                               bool visible, bool logging, void *environment, fmi3_log *log,
                                               void *update, void *lock, void *unlock);
EXPORT void *fmi3InstantiateScheduledExecution(const char *name, const char *token, const char *resources,
                                               bool visible, bool logging, void *environment, fmi3_log *log,
                                               void *update, void *lock, void *unlock)
{
    (void)update;
    (void)lock;
    (void)unlock;
    return fmi3InstantiateModelExchange(name, token, resources, visible, logging, environment, log);
}

EXPORT void fmi3FreeInstance(instance *c);
EXPORT void fmi3FreeInstance(instance *c)
{
    if (c)
        fmu_free(c->f);
    free(c);
}

EXPORT fmi_status fmi3EnterInitializationMode(instance *c, bool tolerance_defined, double tolerance, double start,
                                              bool stop_defined, double stop);
EXPORT fmi_status fmi3EnterInitializationMode(instance *c, bool tolerance_defined, double tolerance, double start,
                                              bool stop_defined, double stop)
{
    (void)tolerance_defined;
    (void)tolerance;
    (void)stop_defined;
    (void)stop;
    if (fmu_mode_of(c->f) != FMU_MADE)
        return refused(c, FMU_ENTER_OUT_OF_ORDER);
    return told(c, fmu_setup(c->f, start) && fmu_enter(c->f));
}

#define MODE(name, call)                                                                                             \
    EXPORT fmi_status name(instance *c);                                                                             \
    EXPORT fmi_status name(instance *c)                                                                              \
    {                                                                                                                \
        return told(c, call(c->f));                                                                                  \
    }
MODE(fmi3ExitInitializationMode, fmu_exit)
MODE(fmi3Terminate, fmu_terminate)
MODE(fmi3Reset, fmu_reset)

EXPORT fmi_status fmi3GetFloat64(instance *c, const uint32_t *vr, size_t n, double *value, size_t values);
EXPORT fmi_status fmi3GetFloat64(instance *c, const uint32_t *vr, size_t n, double *value, size_t values)
{
    return n == values ? told(c, fmu_get(c->f, vr, n, value)) : refused(c, FMU_COUNTS);
}

EXPORT fmi_status fmi3SetFloat64(instance *c, const uint32_t *vr, size_t n, const double *value, size_t values);
EXPORT fmi_status fmi3SetFloat64(instance *c, const uint32_t *vr, size_t n, const double *value, size_t values)
{
    return n == values ? told(c, fmu_set(c->f, vr, n, value)) : refused(c, FMU_COUNTS);
}

/* There are no variables of other types: nothing may be asked of them. */
#define ABSENT(name)                                                                                                 \
    EXPORT fmi_status name(instance *c, const uint32_t *vr, size_t n);                                               \
    EXPORT fmi_status name(instance *c, const uint32_t *vr, size_t n)                                                \
    {                                                                                                                \
        (void)vr;                                                                                                    \
        return n == 0 ? FMI_OK : refused(c, FMU_NO_TYPE);                                                            \
    }
#define ABSENT_TYPE(type) ABSENT(fmi3Get##type) ABSENT(fmi3Set##type)
ABSENT_TYPE(Float32)
ABSENT_TYPE(Int8)
ABSENT_TYPE(UInt8)
ABSENT_TYPE(Int16)
ABSENT_TYPE(UInt16)
ABSENT_TYPE(Int32)
ABSENT_TYPE(UInt32)
ABSENT_TYPE(Int64)
ABSENT_TYPE(UInt64)
ABSENT_TYPE(Boolean)
ABSENT_TYPE(String)
ABSENT_TYPE(Binary)
ABSENT_TYPE(Clock)

/* What belongs to event mode, clocks, model exchange or scheduled execution. */
#define REFUSED(name)                                                                                                \
    EXPORT fmi_status name(instance *c);                                                                             \
    EXPORT fmi_status name(instance *c)                                                                              \
    {                                                                                                                \
        return refused(c, FMU_NOT_OFFERED);                                                                          \
    }
REFUSED(fmi3EnterEventMode)
REFUSED(fmi3GetNumberOfVariableDependencies)
REFUSED(fmi3GetVariableDependencies)
REFUSED(fmi3GetAdjointDerivative)
REFUSED(fmi3EnterConfigurationMode)
REFUSED(fmi3ExitConfigurationMode)
REFUSED(fmi3GetIntervalDecimal)
REFUSED(fmi3GetIntervalFraction)
REFUSED(fmi3GetShiftDecimal)
REFUSED(fmi3GetShiftFraction)
REFUSED(fmi3SetIntervalDecimal)
REFUSED(fmi3SetIntervalFraction)
REFUSED(fmi3SetShiftDecimal)
REFUSED(fmi3SetShiftFraction)
REFUSED(fmi3EvaluateDiscreteStates)
REFUSED(fmi3UpdateDiscreteStates)
REFUSED(fmi3EnterContinuousTimeMode)
REFUSED(fmi3CompletedIntegratorStep)
REFUSED(fmi3SetTime)
REFUSED(fmi3SetContinuousStates)
REFUSED(fmi3GetContinuousStateDerivatives)
REFUSED(fmi3GetEventIndicators)
REFUSED(fmi3GetContinuousStates)
REFUSED(fmi3GetNominalsOfContinuousStates)
REFUSED(fmi3GetNumberOfEventIndicators)
REFUSED(fmi3GetNumberOfContinuousStates)
REFUSED(fmi3EnterStepMode)
REFUSED(fmi3ActivateModelPartition)

EXPORT fmi_status fmi3GetFMUState(instance *c, void **state);
EXPORT fmi_status fmi3GetFMUState(instance *c, void **state)
{
    return told(c, fmu_state_get(c->f, state));
}

EXPORT fmi_status fmi3SetFMUState(instance *c, void *state);
EXPORT fmi_status fmi3SetFMUState(instance *c, void *state)
{
    return told(c, fmu_state_load(c->f, state));
}

EXPORT fmi_status fmi3FreeFMUState(instance *c, void **state);
EXPORT fmi_status fmi3FreeFMUState(instance *c, void **state)
{
    (void)c;
    fmu_state_free(state);
    return FMI_OK;
}

EXPORT fmi_status fmi3SerializedFMUStateSize(instance *c, void *state, size_t *size);
EXPORT fmi_status fmi3SerializedFMUStateSize(instance *c, void *state, size_t *size)
{
    (void)state;
    *size = fmu_serial_size(c->f);
    return FMI_OK;
}

EXPORT fmi_status fmi3SerializeFMUState(instance *c, void *state, unsigned char *bytes, size_t size);
EXPORT fmi_status fmi3SerializeFMUState(instance *c, void *state, unsigned char *bytes, size_t size)
{
    return told(c, fmu_serialise(c->f, state, bytes, size));
}

EXPORT fmi_status fmi3DeserializeFMUState(instance *c, const unsigned char *bytes, size_t size, void **state);
EXPORT fmi_status fmi3DeserializeFMUState(instance *c, const unsigned char *bytes, size_t size, void **state)
{
    return told(c, fmu_state_take(c->f, bytes, size, state));
}

EXPORT fmi_status fmi3GetDirectionalDerivative(instance *c, const uint32_t *unknown, size_t unknowns,
                                               const uint32_t *known, size_t knowns, const double *seed, size_t seeds,
                                               double *sensitivity, size_t sensitivities);
EXPORT fmi_status fmi3GetDirectionalDerivative(instance *c, const uint32_t *unknown, size_t unknowns,
                                               const uint32_t *known, size_t knowns, const double *seed, size_t seeds,
                                               double *sensitivity, size_t sensitivities)
{
    if (seeds != knowns || sensitivities != unknowns)
        return refused(c, FMU_COUNTS);
    return told(c, fmu_derivative(c->f, unknown, unknowns, known, knowns, seed, sensitivity));
}

EXPORT fmi_status fmi3GetOutputDerivatives(instance *c, const uint32_t *vr, size_t n, const int32_t *order,
                                           double *value, size_t values);
EXPORT fmi_status fmi3GetOutputDerivatives(instance *c, const uint32_t *vr, size_t n, const int32_t *order,
                                           double *value, size_t values)
{
    if (n != values)
        return refused(c, FMU_COUNTS);
    bool good = true;
    for (size_t k = 0; k < n && good; k++)
        good = fmu_output_derivative(c->f, vr[k], order[k], &value[k]);
    return told(c, good);
}

EXPORT fmi_status fmi3DoStep(instance *c, double now, double step, bool no_set_before, bool *event, bool *terminate,
                             bool *early, double *last);
EXPORT fmi_status fmi3DoStep(instance *c, double now, double step, bool no_set_before, bool *event, bool *terminate,
                             bool *early, double *last)
{
    (void)no_set_before;
    bool good = fmu_step(c->f, now, step);
    *event = *terminate = *early = false;
    *last = fmu_time(c->f);
    return told(c, good);
}
