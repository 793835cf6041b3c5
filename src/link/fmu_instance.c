/* SPDX-License-Identifier: MIT */
#include <dlfcn.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "link/fmi_types.h"
#include "link/fmu_archive.h"
#include "link/fmu_read.h"

enum { MOST_AT_ONCE = 64, MESSAGE = 400 };

/* What is called, of either version. */
typedef struct calls {
    fmi2_instantiate *make2;
    fmi3_instantiate *make3;
    void (*release)(void *instance);
    fmi2_setup *setup2;
    fmi2_mode *enter2, *leave, *reset;
    fmi3_enter *enter3;
    fmi2_get_real *get2;
    fmi2_set_real *set2;
    fmi3_get_float64 *get3;
    fmi3_set_float64 *set3;
    fmi2_do_step *step2;
    fmi3_do_step *step3;
    fmi_get_state *get_state;
    fmi_set_state *set_state;
    fmi_status (*free_state)(void *instance, void **state);
} calls;

struct ifd_fmu {
    ifd_fmu_facts facts;
    void *library, *instance, *state;
    calls call;
    fmi2_callbacks callbacks;
    char resources[600];
    char message
        [MESSAGE]; /* the last the FMU said; written by its logger, which may be on another thread of its own */
    char why[MESSAGE + 200];
    bool begun;
};

static void hear2(void *environment, const char *instance, fmi_status status, const char *category,
                  const char *message, ...)
{
    ifd_fmu *f = environment;
    (void)instance;
    (void)category;
    if (status < FMI_WARNING || !f || !message)
        return;
    va_list args;
    va_start(args, message);
    vsnprintf(f->message, sizeof f->message, message, args);
    va_end(args);
}

static void hear3(void *environment, fmi_status status, const char *category, const char *message)
{
    ifd_fmu *f = environment;
    (void)category;
    if (status >= FMI_WARNING && f && message)
        snprintf(f->message, sizeof f->message, "%s", message);
}

static bool went_wrong(ifd_fmu *f, const char *what)
{
    snprintf(f->why, sizeof f->why, "%s%s%s", what, *f->message ? ": " : "", f->message);
    return false;
}

static void close_fmu(void *what)
{
    ifd_fmu *f = what;
    if (f->instance && f->state && f->call.free_state)
        f->call.free_state(f->instance, &f->state);
    if (f->instance)
        f->call.release(f->instance);
    if (f->library)
        dlclose(f->library);
}

/* All of the functions that are used, each by its name when it is missing. */
static ifd_status find_calls(ifd_fmu *f, ifd_note *note)
{
    bool two = f->facts.version == 2, rolls = f->facts.rolls_back;
    calls *c = &f->call;
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
        {&c->get2, "GetReal", two},
        {&c->set2, "SetReal", two},
        {&c->get3, "GetFloat64", !two},
        {&c->set3, "SetFloat64", !two},
        {&c->step2, "DoStep", two},
        {&c->step3, "DoStep", !two},
        {&c->get_state, two ? "GetFMUstate" : "GetFMUState", rolls},
        {&c->set_state, two ? "SetFMUstate" : "SetFMUState", rolls},
        {&c->free_state, two ? "FreeFMUstate" : "FreeFMUState", rolls},
    };
    ifd_status status = IFD_OK;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char full[80];
        snprintf(full, sizeof full, "fmi%d%s", f->facts.version, names[i].name);
        void *found = names[i].wanted ? dlsym(f->library, full) : NULL;
        memcpy(names[i].where, &found, sizeof found);
        if (names[i].wanted && !found)
            status = ifd_note_add(note, IFD_PLUGIN, NULL, "the binary of the FMU lacks %s", full);
    }
    return status;
}

static bool instantiate(ifd_fmu *f)
{
    char uri[sizeof f->resources + 10];
    snprintf(uri, sizeof uri, "file://%s", f->resources);
    f->message[0] = '\0';
    if (f->facts.version == 2) {
        f->callbacks = (fmi2_callbacks){.logger = hear2, .allocate = calloc, .release = free, .environment = f};
        f->instance = f->call.make2("interfield", 1, f->facts.token, uri, &f->callbacks, 0, 0);
    } else {
        char folder[sizeof f->resources + 2];
        snprintf(folder, sizeof folder, "%s/", f->resources);
        f->instance =
            f->call.make3("interfield", f->facts.token, folder, false, false, false, false, NULL, 0, f, hear3, NULL);
    }
    return f->instance || went_wrong(f, "it refuses to be instantiated");
}

static ifd_status load(ifd_fmu *f, const char *path, const char *folder, ifd_note *note)
{
    char binary[1024];
    snprintf(f->resources, sizeof f->resources, "%.500s/resources", folder);
    snprintf(binary, sizeof binary, "%s/binaries/%s/%s.so", folder,
             f->facts.version == 2 ? "linux64" : "x86_64-linux", f->facts.identifier);
    f->library = dlopen(binary, RTLD_NOW | RTLD_LOCAL); /* now: a lazy binding would fault in the middle of a test */
    if (!f->library) {
        const char *said = dlerror(), *slash = said ? strrchr(said, '/') : NULL;
        return ifd_note_add(note, IFD_PLUGIN, NULL, "'%s' has no binary that runs here: %s", path,
                            slash ? slash + 1 : said);
    }
    IFD_TRY(find_calls(f, note));
    return instantiate(f) ? IFD_OK : ifd_note_add(note, IFD_PLUGIN, NULL, "'%s': %s", path, f->why);
}

static ifd_status read_description(ifd_arena *arena, const char *path, const char *folder, ifd_fmu *f, ifd_note *note)
{
    char name[1024], *text = NULL;
    size_t size = 0;
    snprintf(name, sizeof name, "%s/modelDescription.xml", folder);
    FILE *in = fopen(name, "r");
    ssize_t length = in ? getdelim(&text, &size, '\0', in) : -1;
    if (in)
        fclose(in);
    snprintf(name, sizeof name, "%s:modelDescription.xml", path);
    ifd_status status = length > 0
                            ? ifd__fmu_read(arena, ifd_arena_text(arena, name), text, (size_t)length, &f->facts, note)
                            : ifd_note_add(note, IFD_FILE, NULL, "'%s' holds no modelDescription.xml", path);
    free(text);
    return status;
}

ifd_status ifd_fmu_open(ifd_arena *arena, const char *path, ifd_fmu **out, ifd_note *note)
{
    const char *folder;
    ifd_fmu *f = ifd_arena_take(arena, sizeof *f);
    if (!f)
        return IFD_NO_MEMORY;
    IFD_TRY(ifd__fmu_unpack(arena, path, &folder, note));
    IFD_TRY(read_description(arena, path, folder, f, note));
    if (!ifd_arena_on_close(arena, close_fmu, f))
        return IFD_NO_MEMORY;
    *out = f;
    return load(f, path, folder, note);
}

const ifd_fmu_facts *ifd_fmu_facts_of(const ifd_fmu *f)
{
    return &f->facts;
}

int ifd_fmu_find(const ifd_fmu *f, const char *name)
{
    for (int i = 0; i < f->facts.variables; i++)
        if (strcmp(f->facts.variable[i].name, name) == 0)
            return i;
    return -1;
}

const char *ifd_fmu_why(const ifd_fmu *f)
{
    return f->why;
}

static ifd_status told(ifd_fmu *f, bool good, ifd_note *note)
{
    return good ? IFD_OK : ifd_note_add(note, IFD_PLUGIN, NULL, "the FMU '%s' failed: %s", f->facts.name, f->why);
}

ifd_status ifd_fmu_preset(ifd_fmu *f, int variable, double value, ifd_note *note)
{
    return told(f, ifd_fmu_set(f, 1, &variable, &value), note);
}

ifd_status ifd_fmu_begin(ifd_fmu *f, double start, ifd_note *note)
{
    const calls *c = &f->call;
    f->message[0] = '\0';
    bool good = f->facts.version == 2 ? c->setup2(f->instance, 0, 0.0, start, 0, 0.0) <= FMI_WARNING &&
                                            c->enter2(f->instance) <= FMI_WARNING
                                      : c->enter3(f->instance, false, 0.0, start, false, 0.0) <= FMI_WARNING;
    good = good && c->leave(f->instance) <= FMI_WARNING;
    if (!good)
        went_wrong(f, "it could not be initialised");
    f->begun = good;
    if (good && f->facts.rolls_back)
        good = ifd_fmu_save(f); /* the first takes its memory */
    return told(f, good, note);
}

ifd_status ifd_fmu_again(ifd_fmu *f, ifd_note *note)
{
    f->begun = false;
    return told(f, f->call.reset(f->instance) <= FMI_WARNING || went_wrong(f, "it could not be reset"), note);
}

bool ifd_fmu_set(ifd_fmu *f, int count, const int *variable, const double *value)
{
    uint32_t reference[MOST_AT_ONCE];
    if (count > MOST_AT_ONCE)
        return went_wrong(f, "too many variables at once");
    for (int i = 0; i < count; i++) {
        reference[i] = f->facts.variable[variable[i]].reference;
        if (!isfinite(value[i]))
            return went_wrong(f, "a value for it is not a finite number");
    }
    fmi_status status = f->facts.version == 2
                            ? f->call.set2(f->instance, reference, (size_t)count, value)
                            : f->call.set3(f->instance, reference, (size_t)count, value, (size_t)count);
    return status <= FMI_WARNING || went_wrong(f, "it refuses a value");
}

bool ifd_fmu_get(ifd_fmu *f, int count, const int *variable, double *value)
{
    uint32_t reference[MOST_AT_ONCE];
    if (count > MOST_AT_ONCE)
        return went_wrong(f, "too many variables at once");
    for (int i = 0; i < count; i++)
        reference[i] = f->facts.variable[variable[i]].reference;
    fmi_status status = f->facts.version == 2
                            ? f->call.get2(f->instance, reference, (size_t)count, value)
                            : f->call.get3(f->instance, reference, (size_t)count, value, (size_t)count);
    bool finite = true;
    for (int i = 0; i < count; i++)
        finite = finite && isfinite(value[i]);
    if (status > FMI_WARNING)
        return went_wrong(f, "it does not tell a value");
    return finite || went_wrong(f, "a value of it is not a finite number");
}

bool ifd_fmu_step(ifd_fmu *f, double now, double h)
{
    bool event = false, terminate = false, early = false;
    double last = 0.0;
    fmi_status status = f->facts.version == 2
                            ? f->call.step2(f->instance, now, h, 0)
                            : f->call.step3(f->instance, now, h, false, &event, &terminate, &early, &last);
    if (terminate || early)
        return went_wrong(f, "it wants to end");
    return status <= FMI_WARNING || went_wrong(f, "a step failed");
}

bool ifd_fmu_save(ifd_fmu *f)
{
    if (!f->facts.rolls_back)
        return went_wrong(f, "its state cannot be kept");
    return f->call.get_state(f->instance, &f->state) <= FMI_WARNING || went_wrong(f, "its state could not be kept");
}

bool ifd_fmu_restore(ifd_fmu *f)
{
    if (!f->state)
        return went_wrong(f, "no state of it was kept");
    return f->call.set_state(f->instance, f->state) <= FMI_WARNING || went_wrong(f, "it could not go back");
}
