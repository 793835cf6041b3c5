/* SPDX-License-Identifier: MIT */
/* The axes of a bus file: drives by CiA-402, and the objects that are set before the test. */
#include <math.h>

#include "bus_reader.h"
#include "cia402.h"

enum {
    DEVICE,
    MODE,
    COUNTS,
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

static const ifd_param params[] = {
    [DEVICE] = IFD_TEXT("device", "name of the drive", .required = true),
    [MODE] = IFD_WORD("mode", "position|torque", "CSP or CST"),
    [COUNTS] = IFD_NEEDED("counts", NONE, 1e-9, 1e12, "increments per m"),
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
    bus_startup(r, a->device, &s, &a->place);
}

static uint32_t whole(double value)
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
        set(r, a, (ec_sdo){.index = 0x60c2, .sub = 1, .bytes = 1, .value = whole(nearest)}, "cycle-object: no");
        set(r, a, (ec_sdo){.index = 0x60c2, .sub = 2, .bytes = 1, .value = whole(exponent)}, "cycle-object: no");
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
        set(r, a, (ec_sdo){.index = 0x6065, .bytes = 4, .value = whole(window)}, "tracking: none");
    if (!v[TRACKING_TIME].word)
        set(r, a, (ec_sdo){.index = 0x6066, .bytes = 2, .value = whole(time)}, "tracking-time: none");
}

/* A torque axis without a velocity limit accelerates without bound when its specimen breaks. */
static void set_limits(bus_reader *r, const bus_axis *a, const ifd_value *v)
{
    if (v[PROFILE_VELOCITY].given)
        set(r, a, (ec_sdo){.index = 0x607f, .bytes = 4, .value = whole(v[PROFILE_VELOCITY].number)}, NULL);
    if (v[MOTOR_SPEED].given)
        set(r, a, (ec_sdo){.index = 0x6080, .bytes = 4, .value = whole(v[MOTOR_SPEED].number)}, NULL);
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
        set(r, a, (ec_sdo){.index = 0x605a, .bytes = 2, .value = whole(quick)}, "quick-stop: none");
    if (a->brake)
        set(r, a, (ec_sdo){.index = 0x605c, .bytes = 2, .value = 1}, "");
    if (!v[FAULT_REACTION].word)
        set(r, a, (ec_sdo){.index = 0x605e, .bytes = 2, .value = whole(reaction)}, "fault-reaction: none");
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
    if (ifd_setting_params(r->arena, s, (ifd_setting_ask){params, NULL, "an axis"}, v, r->note) != IFD_OK)
        return;
    bus_read_whole(r, ifd_setting_get(s, "object-offset"), 0, 0x3800, &offset);
    *a = (bus_axis){.device = bus_device(r, &v[DEVICE]),
                    .mode = v[MODE].number > 0 ? CIA402_TORQUE : CIA402_POSITION,
                    .offset = (int)offset,
                    .counts = v[COUNTS].number,
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
    set(r, a, (ec_sdo){.index = 0x6060, .bytes = 1, .value = whole(a->mode)}, NULL);
    set_reactions(r, a, v);
    if (v[CYCLE_OBJECT].number > 0)
        set_cycle(r, a);
    set_limits(r, a, v);
}

void bus_read_axes(bus_reader *r, const ifd_setting *list)
{
    bus_file *b = r->out;
    if (bus_list(r, list, "axes", 1, IFD_RIG_CHANNELS))
        for (const ifd_setting *c = ifd_setting_first(list); c; c = ifd_setting_next(c))
            read_axis(r, &b->axis[b->axes++], c);
}
