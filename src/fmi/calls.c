/* SPDX-License-Identifier: MIT */
/* Loads the binary of an FMU and calls it, for both versions of FMI. */
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmi/calls.h"

static void hear2(void *environment, const char *instance, fmi_status status, const char *category,
                  const char *message, ...)
{
    ifd__fmu_calls *c = environment;
    (void)instance;
    (void)category;
    if (status < FMI_WARNING || !c || !message)
        return;
    va_list args;
    va_start(args, message);
    vsnprintf(c->message, sizeof c->message, message, args);
    va_end(args);
}

static void hear3(void *environment, fmi_status status, const char *category, const char *message)
{
    ifd__fmu_calls *c = environment;
    (void)category;
    if (status >= FMI_WARNING && c && message)
        snprintf(c->message, sizeof c->message, "%s", message);
}

static bool went_wrong(ifd__fmu_calls *c, const char *what)
{
    snprintf(c->why, sizeof c->why, "%s%s%s", what, *c->message ? ": " : "", c->message);
    return false;
}

/* Finds all functions that are used; missing ones are listed by name. */
static bool find_calls(ifd__fmu_calls *c, bool singles)
{
    bool two = c->version == 2, rolls = c->rolls_back, good = true;
    const struct {
        void *where;
        const char *name;
        bool wanted;
    } names[] = {
        {&c->make2, "Instantiate", two},
        {&c->make3, "InstantiateCoSimulation", !two},
        {&c->release, "FreeInstance", true},
        {&c->setup2, "SetupExperiment", two},
        {&c->enter2, "EnterInitializationMode", two},
        {&c->enter3, "EnterInitializationMode", !two},
        {&c->leave, "ExitInitializationMode", true},
        {&c->reset, "Reset", true},
        {&c->terminate, "Terminate", true},
        {&c->get2, "GetReal", two},
        {&c->set2, "SetReal", two},
        {&c->get3, "GetFloat64", !two},
        {&c->set3, "SetFloat64", !two},
        {&c->get3_single, "GetFloat32", !two && singles},
        {&c->set3_single, "SetFloat32", !two && singles},
        {&c->step2, "DoStep", two},
        {&c->step3, "DoStep", !two},
        {&c->get_state, two ? "GetFMUstate" : "GetFMUState", rolls},
        {&c->set_state, two ? "SetFMUstate" : "SetFMUState", rolls},
        {&c->derive2, "GetDirectionalDerivative", two && c->derives},
        {&c->derive3, "GetDirectionalDerivative", !two && c->derives},
        {&c->free_state, two ? "FreeFMUstate" : "FreeFMUState", rolls},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char full[80];
        snprintf(full, sizeof full, "fmi%d%s", c->version, names[i].name);
        void *found = names[i].wanted ? dlsym(c->library, full) : NULL;
        memcpy(names[i].where, &found, sizeof found);
        if (!names[i].wanted || found)
            continue;
        size_t used = good ? 0 : strlen(c->why);
        snprintf(c->why + used, sizeof c->why - used, "%s%s", good ? "its binary has no function " : ", ", full);
        good = false;
    }
    void *ended = two ? dlsym(c->library, "fmi2GetBooleanStatus") : NULL;
    memcpy(&c->ended2, &ended, sizeof ended);
    return good;
}

static bool instantiate(ifd__fmu_calls *c, const ifd__fmu_binary *b)
{
    char place[IFD__FMU_PATH + 10];
    if (c->version == 2) {
        snprintf(place, sizeof place, "file://%s", b->resources);
        c->callbacks = (fmi2_callbacks){.logger = hear2,
                                        .allocate = b->allocate ? b->allocate : calloc,
                                        .release = b->release ? b->release : free,
                                        .environment = c};
        c->instance = c->make2("interfield", 1, b->token, place, &c->callbacks, 0, 0);
    } else {
        snprintf(place, sizeof place, "%s/", b->resources);
        c->instance = c->make3("interfield", b->token, place, false, false, false, false, NULL, 0, c, hear3, NULL);
    }
    return c->instance || went_wrong(c, "it refuses to be instantiated");
}

bool ifd__fmu_load(ifd__fmu_calls *c, const ifd__fmu_binary *b)
{
    *c = (ifd__fmu_calls){.version = b->version, .rolls_back = b->rolls_back, .derives = b->derives};
    c->library = dlopen(b->file, RTLD_NOW | RTLD_LOCAL); /* a lazy binding causes a page fault in a test */
    if (!c->library) {
        const char *said = dlerror(), *slash = said ? strrchr(said, '/') : NULL;
        snprintf(c->why, sizeof c->why, "it has no binary for this machine: %s", slash ? slash + 1 : said);
        return false;
    }
    return find_calls(c, b->singles) && instantiate(c, b);
}

void ifd__fmu_unload(ifd__fmu_calls *c)
{
    if (c->instance && c->state && c->free_state)
        c->free_state(c->instance, &c->state);
    if (c->instance && c->begun) /* some FMUs write their results only then */
        (void)c->terminate(c->instance);
    if (c->instance)
        c->release(c->instance);
    if (c->library)
        dlclose(c->library);
    c->instance = c->library = NULL;
}

static bool begin(ifd__fmu_calls *c, double start)
{
    c->message[0] = '\0';
    bool good = c->version == 2 ? c->setup2(c->instance, 0, 0.0, start, 0, 0.0) <= FMI_WARNING &&
                                      c->enter2(c->instance) <= FMI_WARNING
                                : c->enter3(c->instance, false, 0.0, start, false, 0.0) <= FMI_WARNING;
    if (!good || c->leave(c->instance) > FMI_WARNING)
        return went_wrong(c, "it could not be initialised");
    c->begun = true; /* no state is stored: an FMU that never restores a state must not depend on get-state */
    return true;
}

static bool again(ifd__fmu_calls *c)
{
    c->begun = false;
    return c->reset(c->instance) <= FMI_WARNING || went_wrong(c, "it could not be reset");
}

static fmi_status set_singles(ifd__fmu_calls *c, ifd__fmu_ask *b)
{
    float value[IFD__FMU_AT_ONCE];
    for (int i = 0; i < b->values; i++)
        value[i] = (float)b->value[i];
    return c->set3_single(c->instance, b->reference, (size_t)b->references, value, (size_t)b->values);
}

static fmi_status get_singles(ifd__fmu_calls *c, ifd__fmu_ask *b)
{
    float value[IFD__FMU_AT_ONCE] = {0};
    fmi_status status = c->get3_single(c->instance, b->reference, (size_t)b->references, value, (size_t)b->values);
    for (int i = 0; i < b->values; i++)
        b->value[i] = (double)value[i];
    return status;
}

static bool set(ifd__fmu_calls *c, ifd__fmu_ask *b)
{
    size_t n = (size_t)b->references;
    fmi_status status = c->version == 2 ? c->set2(c->instance, b->reference, n, b->value)
                        : b->single     ? set_singles(c, b)
                                        : c->set3(c->instance, b->reference, n, b->value, (size_t)b->values);
    return status <= FMI_WARNING || went_wrong(c, "it refuses a value");
}

static bool get(ifd__fmu_calls *c, ifd__fmu_ask *b)
{
    size_t n = (size_t)b->references;
    fmi_status status = c->version == 2 ? c->get2(c->instance, b->reference, n, b->value)
                        : b->single     ? get_singles(c, b)
                                        : c->get3(c->instance, b->reference, n, b->value, (size_t)b->values);
    return status <= FMI_WARNING || went_wrong(c, "it does not return a value");
}

/* FMI 2 asks for the end by a discarded step and the status fmi2Terminated, FMI 3 by an argument of the step. */
static bool ended(const ifd__fmu_calls *c, fmi_status status)
{
    enum { TERMINATED = 3 };
    int yes = 0;
    return status == FMI_DISCARD && c->ended2 && c->ended2(c->instance, TERMINATED, &yes) <= FMI_WARNING && yes;
}

static bool step(ifd__fmu_calls *c, double now, double h)
{
    bool event = false, terminate = false, early = false;
    double last = 0.0;
    fmi_status status = c->version == 2 ? c->step2(c->instance, now, h, 0)
                                        : c->step3(c->instance, now, h, false, &event, &terminate, &early, &last);
    if (terminate || early || ended(c, status))
        return went_wrong(c, "it requests the end of the simulation");
    return status <= FMI_WARNING || went_wrong(c, "a step failed");
}

static bool derive(ifd__fmu_calls *c, ifd__fmu_ask *b)
{
    const uint32_t *reference = b->reference;
    const double one = 1.0;
    double *slope = b->value;
    if (!c->derives)
        return went_wrong(c, "it has no derivatives");
    fmi_status status = c->version == 2 ? c->derive2(c->instance, reference, 1, reference + 1, 1, &one, slope)
                                        : c->derive3(c->instance, reference, 1, reference + 1, 1, &one, 1, slope, 1);
    return status <= FMI_WARNING || went_wrong(c, "it does not return a derivative");
}

static bool save(ifd__fmu_calls *c)
{
    if (!c->rolls_back)
        return went_wrong(c, "its state cannot be stored");
    return c->get_state(c->instance, &c->state) <= FMI_WARNING || went_wrong(c, "its state could not be stored");
}

static bool restore(ifd__fmu_calls *c)
{
    if (!c->state)
        return went_wrong(c, "no state of it was stored");
    return c->set_state(c->instance, c->state) <= FMI_WARNING || went_wrong(c, "it could not restore its state");
}

static bool fits(int32_t count)
{
    return count >= 0 && count <= IFD__FMU_AT_ONCE;
}

bool ifd__fmu_obey(ifd__fmu_calls *c, ifd__fmu_ask *a)
{
    switch ((ifd__fmu_order)a->order) {
    case IFD__FMU_BEGIN:
        return begin(c, a->now);
    case IFD__FMU_AGAIN:
        return again(c);
    case IFD__FMU_SET:
        return fits(a->references) && fits(a->values) && set(c, a);
    case IFD__FMU_GET:
        return fits(a->references) && fits(a->values) && get(c, a);
    case IFD__FMU_STEP:
        return step(c, a->now, a->h);
    case IFD__FMU_DERIVE:
        return derive(c, a);
    case IFD__FMU_SAVE:
        return save(c);
    case IFD__FMU_RESTORE:
        return restore(c);
    case IFD__FMU_LOAD:
    case IFD__FMU_END:
        break;
    }
    return false;
}
