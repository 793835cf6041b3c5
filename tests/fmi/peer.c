/* SPDX-License-Identifier: MIT */
#include "peer.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>

#include "check.h"

void *peer_symbol(const peer *p, const char *name)
{
    char full[80];
    snprintf(full, sizeof full, "fmi%d%s", p->version, name);
    void *found = dlsym(p->library, full);
    if (!found)
        fail_msg("%s is missing", full);
    return found;
}

static char last_message[512];

static void tell2(void *environment, const char *instance, fmi_status status, const char *category,
                  const char *message, ...)
{
    va_list args;
    va_start(args, message);
    (void)environment;
    (void)instance;
    (void)status;
    (void)category;
    vsnprintf(last_message, sizeof last_message, message, args);
    va_end(args);
}

static void tell3(void *environment, fmi_status status, const char *category, const char *message)
{
    (void)environment;
    (void)status;
    (void)category;
    snprintf(last_message, sizeof last_message, "%s", message);
}

const char *peer_message(void)
{
    return last_message;
}

static const fmi2_callbacks callbacks = {.logger = tell2};

void *peer_instantiate(const peer *p, const char *token)
{
    char uri[500];
    snprintf(uri, sizeof uri, "file://%s", p->resources);
    if (p->version == 2) {
        fmi2_instantiate *make;
        *(void **)&make = peer_symbol(p, "Instantiate");
        return make("one", 1, token, uri, &callbacks, 0, 0);
    }
    fmi3_instantiate *make;
    *(void **)&make = peer_symbol(p, "InstantiateCoSimulation");
    return make("one", token, p->resources, false, false, false, false, NULL, 0, NULL, tell3, NULL);
}

void peer_initialise(peer *p, double start)
{
    fmi2_mode *leave;
    *(void **)&leave = peer_symbol(p, "ExitInitializationMode");
    if (p->version == 2) {
        fmi2_setup *setup;
        fmi2_mode *enter;
        *(void **)&setup = peer_symbol(p, "SetupExperiment");
        *(void **)&enter = peer_symbol(p, "EnterInitializationMode");
        assert_int_equal(setup(p->instance, 0, 0, start, 0, 0), FMI_OK);
        assert_int_equal(enter(p->instance), FMI_OK);
    } else {
        fmi3_enter *enter;
        *(void **)&enter = peer_symbol(p, "EnterInitializationMode");
        assert_int_equal(enter(p->instance, false, 0, start, false, 0), FMI_OK);
    }
    assert_int_equal(leave(p->instance), FMI_OK);
}

double peer_get(const peer *p, uint32_t vr)
{
    double value;
    assert_int_equal(p->version == 2 ? p->get2(p->instance, &vr, 1, &value) : p->get3(p->instance, &vr, 1, &value, 1),
                     FMI_OK);
    return value;
}

fmi_status peer_set(const peer *p, uint32_t vr, double value)
{
    return p->version == 2 ? p->set2(p->instance, &vr, 1, &value) : p->set3(p->instance, &vr, 1, &value, 1);
}

fmi_status peer_step(const peer *p, double now, double h)
{
    bool event, terminate, early;
    double last;
    if (p->version == 2)
        return p->step2(p->instance, now, h, 1);
    return p->step3(p->instance, now, h, true, &event, &terminate, &early, &last);
}

void peer_close(peer *p)
{
    void (*release)(void *);
    *(void **)&release = peer_symbol(p, "FreeInstance");
    release(p->instance);
    dlclose(p->library);
}
