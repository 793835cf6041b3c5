/* SPDX-License-Identifier: MIT */
/* One FMU, in this process or in a separate one: equal checks, different calls. */
#include <dirent.h>
#include <interfield/fmu.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fmi/archive.h"
#include "base/arena.h"
#include "fmi/arrays.h"
#include "fmi/calls.h"
#include "fmi/sandbox.h"

/* Derivative of an output with respect to an input: from the FMU, or by repeated steps. */

/* Central difference of two steps from the stored state: exact for linear FMUs, without the first-order error for
 * others. */
static bool by_differences(ifd_fmu *f, int output, int input, double now, double h, double *slope)
{
    double u, y[2];
    if (!ifd_fmu_save(f) || !ifd_fmu_get(f, 1, &input, &u))
        return false;
    const double reach = 1e-4 * fmax(fabs(u), 1e-2);
    bool good = true;
    for (int side = 1; side >= 0 && good; side--) {
        const double to = side ? u + reach : u - reach;
        good = ifd_fmu_restore(f) && ifd_fmu_set(f, 1, &input, &to) && ifd_fmu_step(f, now, h) &&
               ifd_fmu_get(f, 1, &output, &y[side]);
    }
    good = ifd_fmu_restore(f) && good;
    *slope = good ? (y[1] - y[0]) / (2.0 * reach) : 0.0;
    return good;
}

bool ifd_fmu_slope(ifd_fmu *f, int output, int input, double now, double h, double *slope)
{
    const ifd_fmu_variable *y = &ifd_fmu_facts_of(f)->variable[output], *u = &ifd_fmu_facts_of(f)->variable[input];
    bool plain = y->elements == 1 && u->elements == 1 && !y->single && !u->single;
    if (ifd_fmu_facts_of(f)->derivatives && plain)
        return ifd_fmu_derivative(f, output, input, slope);
    return by_differences(f, output, input, now, h, slope);
}

struct ifd_fmu {
    ifd_fmu_facts facts;
    ifd__fmu_calls here;
    ifd__fmu_ask ask;        /* of the next order, in this process */
    ifd__fmu_sandbox *apart; /* or NULL */
    double *kept;            /* per variable, the value set last, or its start value: arrays are set as a whole */
    const int *file;         /* &fd, or NULL */
    int fd;
    char why[IFD__FMU_WHY];
};

static bool went_wrong(ifd_fmu *f, const char *what)
{
    snprintf(f->why, sizeof f->why, "%s", what);
    return false;
}

/* Arguments of the next order, and results of the last one. */
static ifd__fmu_ask *ask_of(ifd_fmu *f)
{
    return f->apart ? &ifd__fmu_sandbox_page(f->apart)->ask : &f->ask;
}

/* One call, in this process or in the other. */
static bool obeyed(ifd_fmu *f, ifd__fmu_order order)
{
    bool good;
    f->ask.order = (int32_t)order;
    if (f->apart)
        good = ifd__fmu_sandbox_ask(f->apart, order, order == IFD__FMU_BEGIN || order == IFD__FMU_AGAIN);
    else
        good = ifd__fmu_obey(&f->here, &f->ask);
    return good || went_wrong(f, f->apart ? ifd__fmu_sandbox_why(f->apart) : f->here.why);
}

static void close_fmu(void *what)
{
    ifd__fmu_unload(&((ifd_fmu *)what)->here);
}

static void keep_starts(ifd_fmu *f)
{
    for (int i = 0; i < f->facts.variables; i++)
        f->kept[i] = f->facts.variable[i].start;
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
                            : ifd_note_add(note, IFD_FILE, NULL, "'%s' contains no modelDescription.xml", path);
    free(text);
    return status;
}

/* Lists binaries for other machines by the names of their folders. */
static void say_platforms(ifd_arena *arena, const char *folder, const char *wanted, ifd_note *note)
{
    char path[IFD__FMU_PATH];
    const char *list = NULL;
    snprintf(path, sizeof path, "%.900s/binaries", folder);
    DIR *d = opendir(path);
    for (const struct dirent *e; d && (e = readdir(d));)
        if (e->d_name[0] != '.')
            list = ifd_arena_print(arena, "%s%s%s", list ? list : "", list ? ", " : "", e->d_name);
    if (d)
        closedir(d);
    ifd_note_hint(note, "this machine needs '%s'; the FMU has %s", wanted,
                  list ? list : "no binaries: is it a source FMU?");
}

static ifd_status load(ifd_arena *arena, ifd_fmu *f, const char *path, const char *folder,
                       const ifd_fmu_open_options *o, ifd_note *note)
{
    int errors = note ? note->errors : 0;
    ifd__fmu_binary *b = ifd_arena_take(arena, sizeof *b);
    if (!b || !ifd_arena_on_close(arena, close_fmu, f))
        return IFD_NO_MEMORY;
    b->version = f->facts.version;
    b->rolls_back = f->facts.rolls_back;
    b->derives = f->facts.derivatives;
    for (int i = 0; i < f->facts.variables; i++)
        b->singles = b->singles || (f->facts.variable[i].real && f->facts.variable[i].single);
    int longest = snprintf(b->token, sizeof b->token, "%s", f->facts.token);
    int resources = snprintf(b->resources, sizeof b->resources, "%s/resources", folder);
    const char *platform = b->version == 2 ? "linux64" : "x86_64-linux";
    int file = snprintf(b->file, sizeof b->file, "%s/binaries/%s/%s.so", folder, platform, f->facts.identifier);
    longest = longest > resources ? longest : resources;
    if ((longest > file ? longest : file) >= (int)sizeof b->file)
        return ifd_note_add(note, IFD_TOO_LARGE, NULL, "'%s' has names of more than %zu bytes", path, sizeof b->file);
    ifd_status status = IFD_OK;
    if (o && !o->isolated) {
        b->allocate = o->allocate;
        b->release = o->release;
    }
    if (o && o->isolated)
        status = ifd__fmu_sandbox_open(arena, b, o, &f->apart, note);
    else if (!ifd__fmu_load(&f->here, b))
        status = IFD_PLUGIN;
    if (status == IFD_PLUGIN && (!note || note->errors == errors)) {
        ifd_note_add(note, IFD_PLUGIN, NULL, "'%s': %s", path,
                     f->apart ? ifd__fmu_sandbox_why(f->apart) : f->here.why);
        if (access(b->file, F_OK) != 0)
            say_platforms(arena, folder, platform, note);
    }
    return status;
}

ifd_status ifd_fmu_open_as(ifd_arena *arena, const char *path, const ifd_fmu_open_options *o, ifd_fmu **out,
                           ifd_note *note)
{
    const char *folder;
    ifd_fmu *f;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(f, 1)));
    if (o && o->file) {
        f->fd = *o->file;
        f->file = &f->fd;
    }
    IFD_TRY(ifd__fmu_unpack(arena, path, f->file, &folder, note));
    IFD_TRY(read_description(arena, path, folder, f, note));
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(f->kept, (size_t)f->facts.variables + 1)));
    keep_starts(f);
    *out = f;
    return load(arena, f, path, folder, o, note);
}

const ifd_fmu_facts *ifd_fmu_facts_of(const ifd_fmu *f)
{
    return &f->facts;
}

ifd_fmu_process ifd_fmu_process_of(const ifd_fmu *f)
{
    ifd_fmu_process p = {0};
    if (f->apart)
        ifd__fmu_sandbox_facts(f->apart, &p);
    return p;
}

int ifd_fmu_find(const ifd_fmu *f, const char *name)
{
    for (int i = 0; i < f->facts.variables; i++)
        if (strcmp(f->facts.variable[i].name, name) == 0)
            return i;
    return -1;
}

int ifd_fmu_find_as(const ifd_fmu *f, const char *name, ifd_fmu_role role)
{
    int at = ifd_fmu_find(f, name);
    return at >= 0 && f->facts.variable[at].real && f->facts.variable[at].role == role ? at : -1;
}

const int *ifd__fmu_file(const ifd_fmu *f)
{
    return f->file;
}

void ifd__fmu_renounce_back(ifd_fmu *f)
{
    f->facts.rolls_back = false;
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
    ask_of(f)->now = start;
    return told(f, obeyed(f, IFD__FMU_BEGIN), note);
}

ifd_status ifd_fmu_again(ifd_fmu *f, ifd_note *note)
{
    keep_starts(f);
    return told(f, obeyed(f, IFD__FMU_AGAIN), note);
}

static bool move(ifd_fmu *f, ifd__fmu_order order, bool single, ifd__fmu_pack *p)
{
    ifd__fmu_ask *a = ask_of(f);
    size_t bytes = sizeof *p->value * (size_t)p->values;
    a->references = p->references;
    a->values = p->values;
    a->single = single;
    memcpy(a->reference, p->reference, sizeof *p->reference * (size_t)p->references);
    memcpy(a->value, p->value, bytes);
    bool good = obeyed(f, order);
    memcpy(p->value, a->value, bytes);
    return good;
}

bool ifd_fmu_set(ifd_fmu *f, int count, const int *variable, const double *value)
{
    ifd__fmu_pack p;
    for (int i = 0; i < count; i++) {
        if (!isfinite(value[i]))
            return went_wrong(f, "a value for it is not a finite number");
        f->kept[variable[i]] = value[i];
    }
    for (int single = 0; single < 2; single++) {
        if (!ifd__fmu_pack_make(&f->facts, count, variable, single == 1, &p))
            return went_wrong(f, "too many variables in one call");
        for (int k = 0; k < p.references; k++)
            memcpy(p.value + p.first[k], f->kept + p.variable[k],
                   sizeof(double) * (size_t)f->facts.variable[p.variable[k]].elements);
        if (p.references > 0 && !move(f, IFD__FMU_SET, single == 1, &p))
            return false;
    }
    return true;
}

bool ifd_fmu_get(ifd_fmu *f, int count, const int *variable, double *value)
{
    ifd__fmu_pack p;
    for (int single = 0; single < 2; single++) {
        if (!ifd__fmu_pack_make(&f->facts, count, variable, single == 1, &p))
            return went_wrong(f, "too many variables in one call");
        if (p.references == 0)
            continue;
        memset(p.value, 0, sizeof(double) * (size_t)p.values);
        if (!move(f, IFD__FMU_GET, single == 1, &p))
            return false;
        for (int i = 0; i < count; i++)
            if (f->facts.variable[variable[i]].single == (single == 1))
                value[i] = *ifd__fmu_pack_at(&p, &f->facts.variable[variable[i]]);
    }
    for (int i = 0; i < count; i++)
        if (!isfinite(value[i]))
            return went_wrong(f, "one of its values is not a finite number");
    return true;
}

bool ifd_fmu_step(ifd_fmu *f, double now, double h)
{
    ask_of(f)->now = now;
    ask_of(f)->h = h;
    return obeyed(f, IFD__FMU_STEP);
}

bool ifd_fmu_derivative(ifd_fmu *f, int output, int input, double *slope)
{
    const ifd_fmu_variable *y = &f->facts.variable[output], *u = &f->facts.variable[input];
    const uint32_t reference[2] = {y->reference, u->reference};
    if (y->elements > 1 || u->elements > 1 || y->single || u->single)
        return went_wrong(f, "derivatives of arrays and of single precision are not supported");
    memcpy(ask_of(f)->reference, reference, sizeof reference);
    bool good = obeyed(f, IFD__FMU_DERIVE);
    *slope = ask_of(f)->value[0];
    return good && (isfinite(*slope) || went_wrong(f, "one of its derivatives is not a finite number"));
}

void ifd_fmu_allow(ifd_fmu *f, double seconds)
{
    if (f->apart)
        ifd__fmu_sandbox_allow(f->apart, seconds);
}

bool ifd_fmu_save(ifd_fmu *f)
{
    return obeyed(f, IFD__FMU_SAVE);
}

bool ifd_fmu_restore(ifd_fmu *f)
{
    return obeyed(f, IFD__FMU_RESTORE);
}
