/* SPDX-License-Identifier: MIT */
/* FMI 3.0: co-simulation; functions of the other kinds exist and return an error. */
#include "component.h"

typedef bool fmi_flag;

static void component_says(const component *c, const char *why)
{
    if (c->log)
        c->log(c->environment, FMI_ERROR, "logStatusError", why);
}

#define FMI(name) fmi3##name
#define fmi_get_fmu_state fmi3GetFMUState
#define fmi_set_fmu_state fmi3SetFMUState
#define fmi_free_fmu_state fmi3FreeFMUState
#define fmi_serialized_fmu_state_size fmi3SerializedFMUStateSize
#define fmi_serialize_fmu_state fmi3SerializeFMUState
#define fmi_deserialize_fmu_state fmi3DeserializeFMUState
#include "entries.h"

EXPORT const char *fmi3GetVersion(void)
{
    return "3.0";
}

EXPORT void *fmi3InstantiateCoSimulation(const char *name, const char *token, const char *resources, bool visible,
                                         bool logging, bool event_mode, bool early_return,
                                         const uint32_t *intermediate, size_t intermediates, void *environment,
                                         fmi3_log *log, void *update)
{
    component *c = calloc(1, sizeof *c);
    if (c)
        *c = (component){.environment = environment, .log = log};
    return with_fmu(c, !event_mode && intermediates == 0, resources, token, FMU_BETWEEN);
}

EXPORT void *fmi3InstantiateModelExchange(const char *name, const char *token, const char *resources, bool visible,
                                          bool logging, void *environment, fmi3_log *log)
{
    component_says(&(component){.environment = environment, .log = log}, fmu_refusal_text(FMU_KIND));
    return NULL;
}

EXPORT void *fmi3InstantiateScheduledExecution(const char *name, const char *token, const char *resources,
                                               bool visible, bool logging, void *environment, fmi3_log *log,
                                               void *update, void *lock, void *unlock)
{
    return fmi3InstantiateModelExchange(name, token, resources, visible, logging, environment, log);
}

EXPORT fmi_status fmi3EnterInitializationMode(component *c, bool tolerance_defined, double tolerance, double start,
                                              bool stop_defined, double stop)
{
    if (fmu_mode_of(c->f) != FMU_MADE)
        return refused(c, FMU_ENTER_OUT_OF_ORDER);
    return told(c, fmu_setup(c->f, start) && fmu_enter(c->f));
}

EXPORT fmi_status fmi3GetFloat64(component *c, const uint32_t *vr, size_t n, double *value, size_t values)
{
    return n == values ? told(c, fmu_get(c->f, vr, n, value)) : refused(c, FMU_COUNTS);
}

EXPORT fmi_status fmi3SetFloat64(component *c, const uint32_t *vr, size_t n, const double *value, size_t values)
{
    return n == values ? told(c, fmu_set(c->f, vr, n, value)) : refused(c, FMU_COUNTS);
}

/* There are no variables of other types; only empty requests succeed. */
#define ABSENT(name)                                                                                                 \
    EXPORT fmi_status name(component *c, const uint32_t *vr, size_t n)                                               \
    {                                                                                                                \
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

/* Functions of event mode, clocks, model exchange or scheduled execution. */
#define REFUSED(name)                                                                                                \
    EXPORT fmi_status name(component *c)                                                                             \
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

EXPORT fmi_status fmi3GetDirectionalDerivative(component *c, const uint32_t *unknown, size_t unknowns,
                                               const uint32_t *known, size_t knowns, const double *seed, size_t seeds,
                                               double *sensitivity, size_t sensitivities)
{
    if (seeds != knowns || sensitivities != unknowns)
        return refused(c, FMU_COUNTS);
    return told(c, fmu_derivative(c->f, &(fmu_direction){unknown, known, unknowns, knowns, seed}, sensitivity));
}

EXPORT fmi_status fmi3GetOutputDerivatives(component *c, const uint32_t *vr, size_t n, const int32_t *order,
                                           double *value, size_t values)
{
    if (n != values)
        return refused(c, FMU_COUNTS);
    return told(c, fmu_output_derivatives(c->f, vr, n, order, value));
}

EXPORT fmi_status fmi3DoStep(component *c, double now, double step, bool no_set_before, bool *event, bool *terminate,
                             bool *early, double *last)
{
    bool good = fmu_step(c->f, now, step);
    *event = *terminate = *early = false;
    *last = fmu_time(c->f);
    return told(c, good);
}
