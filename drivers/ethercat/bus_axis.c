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
    QUICK_STOP,
    FAULT_REACTION,
    CYCLE_OBJECT,
    PROFILE_VELOCITY,
    MOTOR_SPEED,
    OBJECT_OFFSET,
    AXIS_PARAMS
};

static const ifd_param params[] = {
    [DEVICE] = {.name = "device", .shape = IFD_SHAPE_TEXT, .required = true, .doc = "name of the drive"},
    [MODE] = {.name = "mode", .shape = IFD_SHAPE_WORD, .words = "position|torque", .doc = "CSP or CST"},
    [COUNTS] = {.name = "counts", .required = true, IFD_WITHIN(1e-9, 1e12), .doc = "increments per m"},
    [JUMP] = {.name = "jump",
              .dim = IFD_DIM_LENGTH,
              .preset = 1e-3,
              IFD_WITHIN(1e-9, 10),
              .doc = "largest distance of a first command from the measured position"},
    [STROKE] = {.name = "stroke",
                .dim = IFD_DIM_LENGTH,
                .shape = IFD_SHAPE_LIST,
                .doc = "lowest and highest set point"},
    [TRACKING] = {.name = "tracking",
                  .dim = IFD_DIM_LENGTH,
                  IFD_WITHIN(1e-9, 100),
                  .doc = "following error at which the drive faults (0x6065)"},
    [TRACKING_TIME] = {.name = "tracking-time",
                       .dim = IFD_DIM_TIME,
                       IFD_WITHIN(0, 65.535),
                       .doc = "duration of it (0x6066)"},
    [QUICK_STOP] = {.name = "quick-stop",
                    .preset = 2,
                    IFD_WITHIN(-32768, 32767),
                    .doc = "quick stop option (0x605A)"},
    [FAULT_REACTION] = {.name = "fault-reaction", .preset = 2, IFD_WITHIN(-32768, 32767), .doc = "0x605E"},
    [CYCLE_OBJECT] = {.name = "cycle-object",
                      .shape = IFD_SHAPE_FLAG,
                      .preset = 1,
                      .doc = "0x60C2 is set to the tick"},
    [PROFILE_VELOCITY] = {.name = "profile-velocity", IFD_WITHIN(1, 4294967295.0), .doc = "velocity limit, 0x607F"},
    [MOTOR_SPEED] = {.name = "motor-speed", IFD_WITHIN(1, 4294967295.0), .doc = "velocity limit, 0x6080 in 1/min"},
    [OBJECT_OFFSET] = {.name = "object-offset", .shape = IFD_SHAPE_TEXT, .doc = "of the objects of a further axis"},
    [AXIS_PARAMS] = {0}};

static void set(bus_reader *r, const bus_axis *a, int index, int sub, int bytes, double value)
{
    const ec_sdo s = {(uint16_t)(index + a->offset), (uint8_t)sub, (uint8_t)bytes, (uint32_t)(int64_t)value};
    bus_startup(r, a->device, &s, &a->place);
}

/* 0x60C2: tick = count 10^exponent s, with one byte each. */
static void set_cycle(bus_reader *r, const bus_axis *a)
{
    for (int exponent = 0; exponent >= -9; exponent--) {
        double count = r->tick / pow(10.0, exponent), nearest = round(count);
        if (nearest < 1.0 || nearest > 255.0 || fabs(count - nearest) > 1e-6 * nearest)
            continue;
        set(r, a, 0x60c2, 1, 1, nearest);
        set(r, a, 0x60c2, 2, 1, exponent);
        return;
    }
    ifd_note_add(
        r->note, IFD_UNSUPPORTED, &a->place,
        "a tick of %g s is not 1 to 255 times a power of ten (0x60C2): change the tick or use `cycle-object: no`",
        r->tick);
}

/* A torque axis without a velocity limit accelerates without bound when its specimen breaks. */
static void set_limits(bus_reader *r, const bus_axis *a, const ifd_value *v)
{
    if (v[PROFILE_VELOCITY].given)
        set(r, a, 0x607f, 0, 4, v[PROFILE_VELOCITY].number);
    if (v[MOTOR_SPEED].given)
        set(r, a, 0x6080, 0, 4, v[MOTOR_SPEED].number);
    if (a->mode == CIA402_TORQUE && !v[PROFILE_VELOCITY].given && !v[MOTOR_SPEED].given)
        ifd_note_add(
            r->note, IFD_MISSING_KEY, &a->place,
            "an axis with `mode: torque` needs a velocity limit: 'profile-velocity' (0x607F) or 'motor-speed' "
            "(0x6080)");
    if (a->mode == CIA402_POSITION && !v[TRACKING].given)
        ifd_note_add(r->note, IFD_MISSING_KEY, &a->place,
                     "an axis with `mode: position` needs 'tracking', the following error at which the drive faults");
    if (v[TRACKING].given) {
        double window = round(v[TRACKING].number * a->counts);
        if (window < 1.0 || window > 4294967294.0)
            ifd_note_add(r->note, IFD_RANGE, &v[TRACKING].place,
                         "tracking is %g increments, expected 1 to 4294967294", window);
        else
            set(r, a, 0x6065, 0, 4, window);
        set(r, a, 0x6066, 0, 2, round(1e3 * v[TRACKING_TIME].number));
    }
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
                    .place = ifd_setting_place(s)};
    read_stroke(r, a, &v[STROKE]);
    if (a->device < 0)
        return;
    set(r, a, 0x6060, 0, 1, a->mode);
    set(r, a, 0x605a, 0, 2, v[QUICK_STOP].number);
    set(r, a, 0x605e, 0, 2, v[FAULT_REACTION].number);
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
