/* SPDX-License-Identifier: MIT */
/* Reads the bus file of a line of EtherCAT devices. */
#include "bus_file.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <interfield/settings.h>

#include "cia402.h"

typedef struct bus_reader {
    ifd_arena *arena;
    double tick; /* s */
    bus_file *out;
    ifd_note *note;
} bus_reader;

static const long most32 = 0xffffffff;

static const ifd_param root_params[] = {IFD_WORD("clock", "tick|bus|none", "the clock that leads"),
                                        IFD_OPTION("shift", TIME, 1e-6, 1, 0, "of SYNC0 after the tick; half a tick"),
                                        {0}};

enum { CLOCK, SHIFT };
enum { NAME };
static const ifd_param device_params[] = {IFD_TEXT("name", "for axes, inputs and messages", .required = true),
                                          IFD_TEXT("vendor", "vendor in its SII", .required = true),
                                          IFD_TEXT("product", "product code in its SII", .required = true),
                                          IFD_TEXT("revision", "smallest revision"),
                                          {0}};

static const ifd_param startup_params[] = {IFD_TEXT("object", "0x2000:1", .required = true),
                                           IFD_TEXT("bytes", "its size, 1 to 4", .required = true),
                                           IFD_TEXT("value", "written and read back", .required = true),
                                           {0}};

static const ifd_param pdo_params[] = {IFD_TEXT("pdo", "0x1600 to 0x1BFF", .required = true), {0}};

enum { DEVICE, OBJECT, COUNTS, VALUES, SIGNAL_PARAMS };
static const ifd_param signal_params[] = {IFD_TEXT("device", "name of the device", .required = true),
                                          IFD_TEXT("object", "an input in its process data", .required = true),
                                          IFD_OPTION("counts", NONE, 1e-12, 1e12, 1, "increments per unit"),
                                          IFD_WORD("values", "signed|unsigned", "data type of the object"),
                                          {0}};

enum { BIT = 2 };
static const ifd_param output_params[] = {IFD_TEXT("device", "name of the device", .required = true),
                                          IFD_TEXT("object", "an output in its process data", .required = true),
                                          IFD_OPTION("bit", NONE, 0, 31, 0, "of the object"),
                                          {0}};

/* A whole number from the start of a text; NULL: there is none up to `most`. */
static const char *whole(const char *text, unsigned long most, uint32_t *out)
{
    char *end = NULL;
    if (!isdigit((unsigned char)text[0]))
        return NULL;
    bool hexadecimal = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    unsigned long v = strtoul(text, &end, hexadecimal ? 16 : 10);
    *out = (uint32_t)v;
    return v <= most ? end : NULL;
}

/* "0x6040:0", or "0x6040:0/16" with bits: index << 16 | sub-index << 8 | bits. */
static bool read_object(bus_reader *r, const ifd_setting *s, bool with_bits, uint32_t *out)
{
    uint32_t index = 0, sub = 0, bits = 0;
    const char *p = whole(ifd_setting_text(s), 0xffff, &index);
    p = p && *p == ':' ? whole(p + 1, 0xff, &sub) : NULL;
    if (with_bits)
        p = p && *p == '/' ? whole(p + 1, 64, &bits) : NULL;
    *out = index << 16 | sub << 8 | bits;
    if (p && !*p && (bits > 0 || !with_bits))
        return true;
    ifd_place place = ifd_setting_place(s);
    ifd_note_add(r->note, IFD_SYNTAX, &place, "'%.40s' is not an object%s", ifd_setting_text(s),
                 with_bits ? " with its bits, as 0x6040:0/16" : ", as 0x6040:0");
    return false;
}

/* A whole number, also hexadecimal; NULL: none is given, *out stays. False: another text, with an error. */
static bool read_whole(bus_reader *r, const ifd_setting *s, long least, long most, uint32_t *out)
{
    long v = 0;
    bool good = ifd_setting_integer(s, least, most, &v, r->note) == IFD_OK;
    *out = good ? (uint32_t)v : *out;
    return good;
}

static const ifd_setting *need(bus_reader *r, const ifd_setting *map, const char *key)
{
    const ifd_setting *s = ifd_setting_get(map, key);
    ifd_place place = ifd_setting_place(map);
    if (!s)
        ifd_note_add(r->note, IFD_MISSING_KEY, &place, "the bus file needs '%s'", key);
    return s;
}

/* The first item of a list with a permitted number of them; NULL: none, or an error. */
static const ifd_setting *items(bus_reader *r, const ifd_setting *s, const char *what, int least, int most)
{
    if (!s)
        return NULL;
    ifd_place place = ifd_setting_place(s);
    int count = ifd_setting_count(s);
    if (ifd_setting_kind_of(s) != IFD_SETTING_LIST)
        ifd_note_add(r->note, IFD_SHAPE, &place, "expected a list [...] of %s", what);
    else if (count >= least && count <= most)
        return ifd_setting_first(s);
    else
        ifd_note_add(r->note, IFD_SHAPE, &place, "%d %s, expected %d to %d", count, what, least, most);
    return NULL;
}

/* The place in the line of the device with this name, or -1 with an error. */
static int device_of(bus_reader *r, const ifd_value *name)
{
    const ec_line *line = &r->out->line;
    for (int i = 0; i < line->devices; i++)
        if (strcmp(line->device[i].name, name->word) == 0)
            return i;
    ifd_note_add(r->note, IFD_UNKNOWN_NAME, &name->place, "no device '%.60s' in the list 'devices'", name->word);
    return -1;
}

/* Adds a startup SDO to a device. */
static void add_startup(bus_reader *r, int device, const ec_sdo *sdo, const ifd_place *place)
{
    ec_expected *e = &r->out->line.device[device];
    if (e->startups == EC_STARTUP)
        ifd_note_add(r->note, IFD_TOO_LARGE, place, "more than %d startup objects for device '%s'", EC_STARTUP,
                     e->name);
    else
        e->startup[e->startups++] = *sdo;
}

static void read_startup(bus_reader *r, int device, const ifd_setting *s)
{
    ifd_value v[3];
    uint32_t object, bytes = 4, value = 0;
    ifd_place place = ifd_setting_place(s);
    if (ifd_setting_params(r->arena, s, (ifd_setting_ask){startup_params, NULL, "startup"}, v, r->note) != IFD_OK)
        return;
    bool good = read_object(r, ifd_setting_get(s, "object"), false, &object);
    good = read_whole(r, ifd_setting_get(s, "bytes"), 1, 4, &bytes) && good;
    if (!read_whole(r, ifd_setting_get(s, "value"), 0, most32 >> 8 * (4 - bytes), &value) || !good)
        return;
    const ec_sdo sdo = {
        .index = (uint16_t)(object >> 16), .sub = (uint8_t)(object >> 8), .bytes = (uint8_t)bytes, .value = value};
    add_startup(r, device, &sdo, &place);
}

/* {pdo: 0x1600, entries: [0x6040:0/16, ...]} */
static void read_pdo(bus_reader *r, ec_pdo *p, const ifd_setting *s)
{
    ifd_value v[1];
    uint32_t index = 0;
    const ifd_setting *entries = ifd_setting_get(s, "entries");
    if (ifd_setting_params(r->arena, s, (ifd_setting_ask){pdo_params, "entries", "a PDO"}, v, r->note) != IFD_OK)
        return;
    if (read_whole(r, ifd_setting_get(s, "pdo"), 0x1600, 0x1bff, &index))
        p->index = (uint16_t)index;
    for (const ifd_setting *c = items(r, entries, "entries", 1, EC_ENTRIES); c; c = ifd_setting_next(c))
        if (read_object(r, c, true, &p->entry[p->entries]))
            p->entries++;
}

static void read_device(bus_reader *r, int i, const ifd_setting *s)
{
    static const char *const lists[2] = {"outputs", "inputs"};
    ec_expected *e = &r->out->line.device[i];
    ifd_value v[4];
    const ifd_setting_ask ask = {device_params, "startup|outputs|inputs", "a device"};
    e->name = "";
    if (ifd_setting_params(r->arena, s, ask, v, r->note) != IFD_OK)
        return;
    e->name = v[NAME].word;
    for (int k = 0; k < i; k++)
        if (strcmp(e->name, r->out->line.device[k].name) == 0)
            ifd_note_add(r->note, IFD_DUPLICATE, &v[NAME].place, "two devices have the name '%.60s'", e->name);
    read_whole(r, ifd_setting_get(s, "vendor"), 0, most32, &e->vendor);
    read_whole(r, ifd_setting_get(s, "product"), 0, most32, &e->product);
    read_whole(r, ifd_setting_get(s, "revision"), 0, most32, &e->revision);
    const ifd_setting *startup = ifd_setting_get(s, "startup");
    for (const ifd_setting *c = items(r, startup, "startup objects", 0, EC_STARTUP); c; c = ifd_setting_next(c))
        read_startup(r, i, c);
    for (int input = 0; input < 2; input++) {
        const ifd_setting *list = ifd_setting_get(s, lists[input]);
        for (const ifd_setting *c = items(r, list, "PDOs", 1, EC_PDOS); c; c = ifd_setting_next(c))
            read_pdo(r, &e->pdo[input][e->pdos[input]++], c);
    }
}

static void read_devices(bus_reader *r, const ifd_setting *list)
{
    ec_line *line = &r->out->line;
    const ifd_setting *first = items(r, list, "devices", 1, EC_DEVICES);
    if (!first)
        return;
    line->device = ifd_arena_array(r->arena, (size_t)ifd_setting_count(list), sizeof *line->device);
    if (!line->device)
        ifd_note_add(r->note, IFD_NO_MEMORY, NULL, "no memory for the devices");
    for (const ifd_setting *c = first; c && line->device; c = ifd_setting_next(c))
        read_device(r, line->devices++, c);
}

/* {device: input, object: 0x6000:0x11, counts: 100} */
static void read_signal(bus_reader *r, bus_signal *out, const ifd_setting *s)
{
    ifd_value v[SIGNAL_PARAMS];
    uint32_t object;
    if (!s ||
        ifd_setting_params(r->arena, s, (ifd_setting_ask){signal_params, NULL, "an input"}, v, r->note) != IFD_OK)
        return;
    *out = (bus_signal){.device = device_of(r, &v[DEVICE]),
                        .counts = v[COUNTS].number,
                        .without_sign = v[VALUES].number != 0.0,
                        .place = ifd_setting_place(s),
                        .given = true};
    if (read_object(r, ifd_setting_get(s, "object"), false, &object)) {
        out->index = (uint16_t)(object >> 16);
        out->sub = (uint8_t)(object >> 8);
    }
}

/* {device: lamps, object: 0x7000:1, bit: 0} */
static void read_output(bus_reader *r, const ifd_setting *s)
{
    ifd_value v[3];
    uint32_t object = 0;
    ifd_place place = ifd_setting_place(s);
    int word = ifd_choice_find(BUS_OUTPUTS, ifd_setting_key(s));
    if (word < 0) {
        ifd_choice_note(r->note, &place, "the bus file", "outputs", BUS_OUTPUTS, ifd_setting_key(s));
        return;
    }
    if (ifd_setting_params(r->arena, s, (ifd_setting_ask){output_params, NULL, "an output"}, v, r->note) != IFD_OK ||
        !read_object(r, ifd_setting_get(s, "object"), false, &object))
        return;
    r->out->output[word] = (bus_signal){.device = device_of(r, &v[DEVICE]),
                                        .index = (uint16_t)(object >> 16),
                                        .sub = (uint8_t)(object >> 8),
                                        .bit = (int)v[BIT].number,
                                        .place = place,
                                        .given = true};
}

/* An object, or a counter of frames. */
static void read_aux(bus_reader *r, bus_signal *out, const ifd_setting *s)
{
    static const char words[] = "late|never|side|limit";
    ifd_place place = ifd_setting_place(s);
    int word = ifd_choice_find(words, ifd_setting_text(s));
    if (ifd_setting_kind_of(s) == IFD_SETTING_MAP)
        read_signal(r, out, s);
    else if (word < 0)
        ifd_choice_note(r->note, &place, "the bus file", "aux", words, ifd_setting_text(s));
    else
        *out = (bus_signal){.kind = BUS_AUX_LATE + word, .given = true};
}

/* The ticks are whole periods of CLOCK_MONOTONIC, and SYNC0 is `shift` after each. */
static void read_shift(bus_reader *r, const ifd_setting *root, const ifd_value *shift)
{
    double ns = 1e9 * r->tick;
    ifd_place place = ifd_setting_place(root);
    r->out->line.shift = shift->given ? shift->number : 0.5 * r->tick;
    if (r->out->clock == BUS_CLOCK_TICK && fabs(ns - round(ns)) > 1e-6)
        ifd_note_add(r->note, IFD_UNSUPPORTED, &place, "a tick of %.9g ns is not a whole number: use `clock: bus`",
                     ns);
    if (shift->given && !(shift->number >= 0.2 * r->tick && shift->number <= 0.8 * r->tick))
        ifd_note_add(r->note, IFD_RANGE, &shift->place, "shift is %g s, expected 20 to 80 %% of the tick of %g s",
                     shift->number, r->tick);
}

/* Axes: drives by CiA-402, and the objects that are set before the test. */
enum {
    AXIS_DEVICE,
    MODE,
    AXIS_COUNTS,
    JUMP,
    STROKE,
    TRACKING,
    TRACKING_TIME,
    AT_END,
    BRAKE_TIME,
    QUICK_STOP,
    FAULT_REACTION,
    CYCLE_OBJECT,
    PROFILE_VELOCITY,
    MOTOR_SPEED,
    OBJECT_OFFSET,
    AXIS_PARAMS
};

static const ifd_param axis_params[] = {
    [AXIS_DEVICE] = IFD_TEXT("device", "name of the drive", .required = true),
    [MODE] = IFD_WORD("mode", "position|torque", "CSP or CST"),
    [AXIS_COUNTS] = IFD_NEEDED("counts", NONE, 1e-9, 1e12, "increments per m"),
    [JUMP] =
        IFD_OPTION("jump", LENGTH, 1e-9, 10, 1e-3, "largest distance of a first command from the measured position"),
    [STROKE] = {.name = "stroke",
                .dim = IFD_DIM_LENGTH,
                .shape = IFD_SHAPE_LIST,
                .doc = "lowest and highest set point"},
    [TRACKING] = {.name = "tracking",
                  .dim = IFD_DIM_LENGTH,
                  .shape = IFD_SHAPE_CHOICE,
                  IFD_WITHIN(1e-9, 100),
                  .words = "none",
                  .doc = "following error at which the drive faults (0x6065)"},
    [TRACKING_TIME] = {.name = "tracking-time",
                       .dim = IFD_DIM_TIME,
                       .shape = IFD_SHAPE_CHOICE,
                       IFD_WITHIN(0, 65.535),
                       .words = "none",
                       .doc = "duration of it (0x6066)"},
    [AT_END] = IFD_WORD("at-end", "off|brake",
                        "off: the axis is free after the end of a test; brake: a mechanical brake holds it",
                        .required = true),
    [BRAKE_TIME] = IFD_OPTION("brake-time", TIME, 0, 10, 0.2, "time that the brake needs to engage"),
    [QUICK_STOP] = {.name = "quick-stop",
                    .shape = IFD_SHAPE_CHOICE,
                    .preset = 2,
                    IFD_WITHIN(2, 6),
                    .words = "none",
                    .doc = "0x605A; 2: brakes and switches off, 6: brakes and holds, none: without quick stop"},
    [FAULT_REACTION] = {.name = "fault-reaction",
                        .shape = IFD_SHAPE_CHOICE,
                        .preset = 2,
                        IFD_WITHIN(-32768, 32767),
                        .words = "none",
                        .doc = "0x605E; none: the drive has no such object"},
    [CYCLE_OBJECT] = IFD_FLAG("cycle-object", "0x60C2 is set to the tick", .preset = 1),
    [PROFILE_VELOCITY] = IFD_OPTION("profile-velocity", NONE, 1, 4294967295.0, 0, "velocity limit, 0x607F"),
    [MOTOR_SPEED] = IFD_OPTION("motor-speed", NONE, 1, 4294967295.0, 0, "velocity limit, 0x6080 in 1/min"),
    [OBJECT_OFFSET] = IFD_TEXT("object-offset", "of the objects of a further axis"),
    [AXIS_PARAMS] = {0}};

/* absent: the key to write if the device has no such object. */
static void set(bus_reader *r, const bus_axis *a, ec_sdo s, const char *absent)
{
    s.index = (uint16_t)(s.index + a->offset);
    s.absent = absent;
    add_startup(r, a->device, &s, &a->place);
}

static uint32_t as_object(double value)
{
    return (uint32_t)(int64_t)value;
}

/* 0x60C2: tick = count 10^exponent s, with one byte each. */
static void set_cycle(bus_reader *r, const bus_axis *a)
{
    for (int exponent = 0; exponent >= -9; exponent--) {
        double count = r->tick / pow(10.0, exponent), nearest = round(count);
        if (nearest < 1.0 || nearest > 255.0 || fabs(count - nearest) > 1e-6 * nearest)
            continue;
        set(r, a, (ec_sdo){.index = 0x60c2, .sub = 1, .bytes = 1, .value = as_object(nearest)}, "cycle-object: no");
        set(r, a, (ec_sdo){.index = 0x60c2, .sub = 2, .bytes = 1, .value = as_object(exponent)}, "cycle-object: no");
        return;
    }
    ifd_note_add(
        r->note, IFD_UNSUPPORTED, &a->place,
        "a tick of %g s is not 1 to 255 times a power of ten (0x60C2): change the tick or use `cycle-object: no`",
        r->tick);
}

static void set_tracking(bus_reader *r, const bus_axis *a, const ifd_value *v)
{
    double window = round(v[TRACKING].number * a->counts), time = round(1e3 * v[TRACKING_TIME].number);
    if (a->mode == CIA402_POSITION && !v[TRACKING].given)
        ifd_note_add(r->note, IFD_MISSING_KEY, &a->place,
                     "an axis with `mode: position` needs 'tracking', the following error at which the drive faults");
    if (!v[TRACKING].given || v[TRACKING].word)
        return;
    if (window < 1.0 || window > 4294967294.0)
        ifd_note_add(r->note, IFD_RANGE, &v[TRACKING].place, "tracking is %g increments, expected 1 to 4294967294",
                     window);
    else
        set(r, a, (ec_sdo){.index = 0x6065, .bytes = 4, .value = as_object(window)}, "tracking: none");
    if (!v[TRACKING_TIME].word)
        set(r, a, (ec_sdo){.index = 0x6066, .bytes = 2, .value = as_object(time)}, "tracking-time: none");
}

/* A torque axis without a velocity limit accelerates without bound when its specimen breaks. */
static void set_limits(bus_reader *r, const bus_axis *a, const ifd_value *v)
{
    if (v[PROFILE_VELOCITY].given)
        set(r, a, (ec_sdo){.index = 0x607f, .bytes = 4, .value = as_object(v[PROFILE_VELOCITY].number)}, NULL);
    if (v[MOTOR_SPEED].given)
        set(r, a, (ec_sdo){.index = 0x6080, .bytes = 4, .value = as_object(v[MOTOR_SPEED].number)}, NULL);
    if (a->mode == CIA402_TORQUE && !v[PROFILE_VELOCITY].given && !v[MOTOR_SPEED].given)
        ifd_note_add(
            r->note, IFD_MISSING_KEY, &a->place,
            "an axis with `mode: torque` needs a velocity limit: 'profile-velocity' (0x607F) or 'motor-speed' "
            "(0x6080)");
    set_tracking(r, a, v);
}

/* What the drive does by itself: quick stop, disabled operation, fault. */
static void set_reactions(bus_reader *r, const bus_axis *a, const ifd_value *v)
{
    double quick = v[QUICK_STOP].number, reaction = v[FAULT_REACTION].number;
    if (!v[QUICK_STOP].word && quick != 2.0 && quick != 6.0)
        ifd_note_add(r->note, IFD_RANGE, &v[QUICK_STOP].place, "quick-stop is %g, expected 2, 6 or none", quick);
    if (!v[QUICK_STOP].word)
        set(r, a, (ec_sdo){.index = 0x605a, .bytes = 2, .value = as_object(quick)}, "quick-stop: none");
    if (a->brake)
        set(r, a, (ec_sdo){.index = 0x605c, .bytes = 2, .value = 1}, "");
    if (!v[FAULT_REACTION].word)
        set(r, a, (ec_sdo){.index = 0x605e, .bytes = 2, .value = as_object(reaction)}, "fault-reaction: none");
}

static void read_stroke(bus_reader *r, bus_axis *a, const ifd_value *v)
{
    a->low = -HUGE_VAL;
    a->high = HUGE_VAL;
    if (!v->given)
        return;
    if (v->cols != 2 || !(v->data[0] < v->data[1])) {
        ifd_note_add(r->note, IFD_SHAPE, &v->place, "'stroke' needs two lengths, the lower one first");
        return;
    }
    a->low = v->data[0];
    a->high = v->data[1];
}

static void read_axis(bus_reader *r, bus_axis *a, const ifd_setting *s)
{
    ifd_value v[AXIS_PARAMS];
    uint32_t offset = 0;
    if (ifd_setting_params(r->arena, s, (ifd_setting_ask){axis_params, NULL, "an axis"}, v, r->note) != IFD_OK)
        return;
    read_whole(r, ifd_setting_get(s, "object-offset"), 0, 0x3800, &offset);
    *a = (bus_axis){.device = device_of(r, &v[AXIS_DEVICE]),
                    .mode = v[MODE].number > 0 ? CIA402_TORQUE : CIA402_POSITION,
                    .offset = (int)offset,
                    .counts = v[AXIS_COUNTS].number,
                    .jump = v[JUMP].number,
                    .brake = v[AT_END].number > 0,
                    .brake_time = v[AT_END].number > 0 ? v[BRAKE_TIME].number : 0.0,
                    .quick_stop = v[QUICK_STOP].word           ? CIA402_QUICK_NONE
                                  : v[QUICK_STOP].number > 2.0 ? CIA402_QUICK_HOLD
                                                               : CIA402_QUICK_OFF,
                    .place = ifd_setting_place(s)};
    read_stroke(r, a, &v[STROKE]);
    if (a->device < 0)
        return;
    set(r, a, (ec_sdo){.index = 0x6060, .bytes = 1, .value = as_object(a->mode)}, NULL);
    set_reactions(r, a, v);
    if (v[CYCLE_OBJECT].number > 0)
        set_cycle(r, a);
    set_limits(r, a, v);
}

static void read_root(bus_reader *r, const ifd_setting *root)
{
    bus_file *b = r->out;
    ifd_value v[2];
    const ifd_setting_ask ask = {root_params, "devices|axes|forces|stop-input|power-input|aux|outputs",
                                 "the bus file"};
    if (ifd_setting_params(r->arena, root, ask, v, r->note) != IFD_OK)
        return;
    b->clock = (int)v[CLOCK].number;
    read_shift(r, root, &v[SHIFT]);
    int errors = r->note->errors;
    read_devices(r, need(r, root, "devices"));
    if (r->note->errors != errors) /* the other keys name devices */
        return;
    const ifd_setting *axes = need(r, root, "axes"), *forces = need(r, root, "forces"),
                      *aux = ifd_setting_get(root, "aux");
    for (const ifd_setting *c = items(r, axes, "axes", 1, IFD_RIG_ACTUATORS); c; c = ifd_setting_next(c))
        read_axis(r, &b->axis[b->axes++], c);
    for (const ifd_setting *c = items(r, forces, "forces", 1, IFD_RIG_ACTUATORS); c; c = ifd_setting_next(c))
        read_signal(r, &b->force[b->forces++], c);
    for (const ifd_setting *c = items(r, aux, "auxiliary inputs", 0, BUS_AUX); c; c = ifd_setting_next(c))
        read_aux(r, &b->aux[b->auxes++], c);
    for (const ifd_setting *c = ifd_setting_first(ifd_setting_get(root, "outputs")); c; c = ifd_setting_next(c))
        read_output(r, c);
    read_signal(r, &b->stop, need(r, root, "stop-input"));
    read_signal(r, &b->power, ifd_setting_get(root, "power-input"));
}

ifd_status bus_file_read(ifd_arena *arena, const char *path, double tick, bus_file *out, ifd_note *note)
{
    ifd_settings *s;
    bus_reader r = {arena, tick, out, note};
    memset(out, 0, sizeof *out);
    IFD_TRY(ifd_settings_read(arena, path, &s, note));
    read_root(&r, ifd_settings_root(s));
    out->line.cycle = out->clock == BUS_CLOCK_NONE ? 0.0 : tick;
    out->line.steer = out->clock == BUS_CLOCK_TICK;
    out->line.settle = 10.0;
    return ifd_settings_end(s, note);
}
