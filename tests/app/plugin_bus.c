/* SPDX-License-Identifier: MIT */
/* A rig with a file of settings, and a second file in the folder of the case; stops after some ticks without a
 * measurement, as with a cut cable. */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include <interfield/exchange.h>
#include <interfield/settings.h>

enum { BUS, DIES };

static const ifd_param params[] = {
    {.name = "bus", .shape = IFD_SHAPE_TEXT, .required = true, .file = true, .doc = "devices"},
    {.name = "dies", .preset = 1e9, IFD_WITHIN(1, 1e9), .doc = "samples after which it is silent"},
    {0}};
static const ifd_param device_params[] = {
    {.name = "product", .shape = IFD_SHAPE_TEXT, .required = true, .doc = "product code"},
    {.name = "lag", .dim = IFD_DIM_TIME, .preset = 0.001, IFD_WITHIN(1e-6, 1), .doc = "delay"},
    {0}};

typedef struct bus {
    double position[IFD_RIG_ACTUATORS];
    uint64_t heard;
    long samples, dies;
    int devices, warmed;
    _Atomic(const char *) why;
} bus;

static ifd_status read_bus(bus *b, const char *path, ifd_arena *arena, ifd_note *note)
{
    ifd_settings *s;
    ifd_value v[2];
    long code = 0;
    IFD_TRY(ifd_settings_read(arena, path, &s, note));
    const ifd_setting *devices = ifd_setting_get(ifd_settings_root(s), "devices");
    for (const ifd_setting *d = ifd_setting_first(devices); d; d = ifd_setting_next(d), b->devices++) {
        ifd_setting_params(arena, d, (ifd_setting_ask){device_params, "startup", "a device"}, v, note);
        ifd_setting_integer(ifd_setting_get(d, "product"), 1, 0xffffffff, &code, note);
    }
    return ifd_settings_end(s, note);
}

static ifd_status open_rig(ifd_rig *rig, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    bus *b = ifd_arena_take(arena, sizeof *b);
    if (!b)
        return IFD_NO_MEMORY;
    const char *beside = ifd_arena_print(arena, "%s/beside.txt", rig->folder ? rig->folder : ".");
    FILE *f = fopen(beside, "r");
    if (!f)
        return ifd_note_add(note, IFD_FILE, NULL, "'%s' is not in the folder of the case", beside);
    fclose(f);
    IFD_TRY(read_bus(b, values[BUS].word, arena, note));
    b->dies = (long)values[DIES].number;
    atomic_store(&b->why, "the axes are not enabled");
    rig->data = b;
    rig->size = 0;
    return b->devices == 2 ? IFD_OK : ifd_note_add(note, IFD_RANGE, NULL, "%d devices, expected 2", b->devices);
}

static int warm(ifd_rig *rig, ifd_note *note)
{
    bus *b = rig->data;
    (void)note;
    if (++b->warmed < 20)
        return 0;
    atomic_store(&b->why, NULL);
    return 1;
}

/* The hydraulics are off until it is ready. */
static bool sense(ifd_rig *rig, ifd_measure *out, double *x)
{
    bus *b = rig->data;
    (void)x;
    if (++b->samples > b->dies) {
        atomic_store(&b->why, "the cable behind device 1 is cut");
        out->inputs |= IFD_INPUT_RIG_STOPPED;
        return false;
    }
    *out = (ifd_measure){.tick = b->heard,
                         .time = (double)b->samples,
                         .inputs = IFD_INPUT_NO_STOP | (b->warmed >= 20 ? IFD_INPUT_HYDRAULICS : 0),
                         .actuators = (uint32_t)rig->actuators,
                         .clock = IFD_CLOCK_OWN,
                         .taken = b->samples};
    memcpy(out->position, b->position, sizeof out->position);
    for (int k = 0; k < rig->actuators; k++)
        out->force[k] = 2e5 * b->position[k];
    return true;
}

static void command(ifd_rig *rig, const ifd_command *c, double *x)
{
    bus *b = rig->data;
    (void)x;
    b->heard = c->tick;
    if (c->commanded)
        memcpy(b->position, c->position, sizeof b->position);
}

static const char *why(const ifd_rig *rig)
{
    return atomic_load(&((bus *)rig->data)->why);
}

/* It moves no iron. */
static bool simulated(const ifd_rig *rig)
{
    (void)rig;
    return true;
}

IFD_API const ifd_rig_ops ifd_user_rig = {.abi = IFD_RIG_ABI,
                                          .name = "bus",
                                          .params = params,
                                          .open = open_rig,
                                          .sense = sense,
                                          .command = command,
                                          .warm = warm,
                                          .why = why,
                                          .simulated = simulated};
