/* SPDX-License-Identifier: MIT */
/* A component, and the functions that have the same form in both versions of FMI, on top of runtime.h. The including
 * file gives each function its standard name: the prefix by FMI(name), other spellings by #define. Before that it
 * defines component_says, which calls its logger, and fmi_flag, the type of its flags. */
#pragma once

#include <stdlib.h>

#include "component.h"

static fmi_status told(const component *c, bool good)
{
    if (good)
        return FMI_OK;
    component_says(c, fmu_why(c->f));
    return FMI_ERROR;
}

static fmi_status refused(const component *c, fmu_refusal which)
{
    return told(c, fmu_refuse(c->f, which));
}

/* There is one category, errors, which are always logged. */
EXPORT fmi_status FMI(SetDebugLogging)(component *c, fmi_flag on, size_t n, const char *const *categories)
{
    return FMI_OK;
}

EXPORT void FMI(FreeInstance)(component *c)
{
    if (!c)
        return;
    fmu_free(c->f);
    free(c->name);
    free(c);
}

/* Returns the component if its FMU could be made; otherwise logs the reason. */
static component *with_fmu(component *c, bool offered, const char *resources, const char *token,
                           fmu_refusal otherwise)
{
    const char *why = fmu_refusal_text(otherwise);
    if (c && offered)
        c->f = fmu_make(resources, token, &why);
    if (c && c->f)
        return c;
    if (c)
        component_says(c, why);
    FMI(FreeInstance)(c);
    return NULL;
}

/* A function that passes its arguments on. */
#define TELLS(name, call, ...)                                                                                       \
    EXPORT fmi_status name(__VA_ARGS__)                                                                              \
    {                                                                                                                \
        return told(c, call);                                                                                        \
    }
TELLS(FMI(ExitInitializationMode), fmu_exit(c->f), component *c)
TELLS(FMI(Terminate), fmu_terminate(c->f), component *c)
TELLS(FMI(Reset), fmu_reset(c->f), component *c)
TELLS(fmi_get_fmu_state, fmu_state_get(c->f, state), component *c, void **state)
TELLS(fmi_set_fmu_state, fmu_state_load(c->f, state), component *c, void *state)
TELLS(fmi_serialize_fmu_state, fmu_serialise(c->f, state, bytes, size), component *c, void *state,
      unsigned char *bytes, size_t size)
TELLS(fmi_deserialize_fmu_state, fmu_state_take(c->f, bytes, size, state), component *c, const unsigned char *bytes,
      size_t size, void **state)

EXPORT fmi_status fmi_free_fmu_state(component *c, void **state)
{
    fmu_state_free(state);
    return FMI_OK;
}

EXPORT fmi_status fmi_serialized_fmu_state_size(component *c, void *state, size_t *size)
{
    *size = fmu_serial_size(c->f);
    return FMI_OK;
}
