/* SPDX-License-Identifier: MIT */
/* FMI 2.0 for co-simulation: the 34 functions. */
#include <string.h>

#include "component.h"

typedef int fmi_flag;

static void component_says(const component *c, const char *why)
{
    if (c->call && c->call->logger)
        c->call->logger(c->call->environment, c->name, FMI_ERROR, "logStatusError", "%s", why);
}

#define FMI(name) fmi2##name
#define fmi_get_fmu_state fmi2GetFMUstate
#define fmi_set_fmu_state fmi2SetFMUstate
#define fmi_free_fmu_state fmi2FreeFMUstate
#define fmi_serialized_fmu_state_size fmi2SerializedFMUstateSize
#define fmi_serialize_fmu_state fmi2SerializeFMUstate
#define fmi_deserialize_fmu_state fmi2DeSerializeFMUstate
#include "entries.h"

EXPORT const char *fmi2GetTypesPlatform(void)
{
    return "default";
}

EXPORT const char *fmi2GetVersion(void)
{
    return "2.0";
}

EXPORT void *fmi2Instantiate(const char *name, int type, const char *guid, const char *resources,
                             const fmi2_callbacks *call, int visible, int logging)
{
    component *c = calloc(1, sizeof *c);
    if (c)
        *c = (component){.name = strdup(name ? name : ""), .call = call};
    return with_fmu(c, c && c->name && type == 1, resources, guid, FMU_KIND);
}

TELLS(fmi2SetupExperiment, fmu_setup(c->f, start), component *c, int tolerance_defined, double tolerance,
      double start, int stop_defined, double stop)
TELLS(fmi2EnterInitializationMode, fmu_enter(c->f), component *c)
TELLS(fmi2GetReal, fmu_get(c->f, vr, n, value), component *c, const uint32_t *vr, size_t n, double *value)
TELLS(fmi2SetReal, fmu_set(c->f, vr, n, value), component *c, const uint32_t *vr, size_t n, const double *value)
TELLS(fmi2GetRealOutputDerivatives, fmu_output_derivatives(c->f, vr, n, order, value), component *c,
      const uint32_t *vr, size_t n, const int *order, double *value)
TELLS(fmi2DoStep, fmu_step(c->f, now, step), component *c, double now, double step, int no_set_before)

/* There are no variables of other types. */
#define ABSENT(name)                                                                                                 \
    EXPORT fmi_status name(component *c, const uint32_t *vr, size_t n, void *value)                                  \
    {                                                                                                                \
        return n == 0 ? FMI_OK : refused(c, FMU_NO_TYPE);                                                            \
    }
ABSENT(fmi2GetInteger)
ABSENT(fmi2GetBoolean)
ABSENT(fmi2GetString)
ABSENT(fmi2SetInteger)
ABSENT(fmi2SetBoolean)
ABSENT(fmi2SetString)

EXPORT fmi_status fmi2GetDirectionalDerivative(component *c, const uint32_t *unknown, size_t unknowns,
                                               const uint32_t *known, size_t knowns, const double *seed,
                                               double *sensitivity)
{
    return told(c, fmu_derivative(c->f, &(fmu_direction){unknown, known, unknowns, knowns, seed}, sensitivity));
}

EXPORT fmi_status fmi2SetRealInputDerivatives(component *c, const uint32_t *vr, size_t n, const int *order,
                                              const double *value)
{
    return n == 0 ? FMI_OK : refused(c, FMU_INPUT_RATE);
}

EXPORT fmi_status fmi2CancelStep(component *c)
{
    return refused(c, FMU_NOT_PENDING);
}

/* Status: a step is never pending, so only the last successful time is available. */
#define STATUS(name, type)                                                                                           \
    EXPORT fmi_status name(component *c, int kind, type *value)                                                      \
    {                                                                                                                \
        return FMI_DISCARD;                                                                                          \
    }
STATUS(fmi2GetStatus, int)
STATUS(fmi2GetIntegerStatus, int)
STATUS(fmi2GetBooleanStatus, int)
STATUS(fmi2GetStringStatus, const char *)

EXPORT fmi_status fmi2GetRealStatus(component *c, int kind, double *value)
{
    const int last_successful_time = 2;
    if (kind != last_successful_time)
        return FMI_DISCARD;
    *value = fmu_time(c->f);
    return FMI_OK;
}
