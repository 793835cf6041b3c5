/* SPDX-License-Identifier: MIT */
#include "check.h"

#include <string.h>

#include "drivers/ethercat/cia402.h"
#include "fixture.h"
#include "line.h"

static bus_file file;

TEST_IN_ARENA(a_bus_file_is_read)
{
    assert_int_equal(line_read(arena, NULL, NULL, &file, &note), IFD_OK);
    const ec_expected *d = file.line.device;
    assert_int_equal(file.line.devices, 2);
    assert_string_equal(d[0].name, "drive");
    assert_int_equal(d[0].vendor, 0x1234);
    assert_int_equal(d[1].product, 0xa1);
    assert_int_equal(d[0].revision, 0x20000);
    assert_int_equal(d[0].startup[0].index, 0x2000);
    assert_int_equal(d[0].startup[0].sub, 1);
    assert_int_equal(d[0].startup[0].bytes, 2);
    assert_int_equal(d[0].startup[0].value, 9);
    assert_int_equal(d[0].pdos[0], 0);
    assert_int_equal(d[0].pdos[1], 2);
    assert_int_equal(d[0].pdo[1][0].entries, 0);
    assert_int_equal(d[0].pdo[1][1].entry[0], 0x603f0010);
    assert_int_equal(file.axes, 1);
    assert_int_equal(file.axis[0].mode, CIA402_POSITION);
    assert_near(file.axis[0].counts, 1e6, 0.0, "");
    assert_near(file.axis[0].low, -0.1, 1e-15, "");
    assert_near(file.axis[0].high, 0.1, 1e-15, "");
    assert_int_equal(file.force[0].device, 1);
    assert_int_equal(file.force[0].sub, 0x11);
    assert_near(file.force[0].counts, 2.0, 0.0, "");
    assert_int_equal(file.stop.index, 0x6010);
    assert_int_equal(file.auxes, 4);
    assert_int_equal(file.aux[1].kind, BUS_AUX_NEVER);
    assert_near(file.line.cycle, 1e-3, 0.0, "");
    assert_true(file.line.steer);
}

/* 0x60C2: count and power of ten of the tick. */
TEST_IN_ARENA(the_tick_becomes_a_count_and_a_power_of_ten)
{
    static const struct {
        double tick;
        unsigned count, exponent;
    } rows[] = {{1e-3, 1, 0xfd},      {2e-3, 2, 0xfd},   {2.5e-4, 25, 0xfb},
                {1.25e-4, 125, 0xfa}, {1.0001e-3, 0, 0}, {1.0 / 1024.0, 0, 1}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *path = line_file(arena, NULL, NULL);
        ifd_note_init(&note, arena);
        ifd_status status = bus_file_read(arena, path, rows[i].tick, &file, &note);
        remove(path);
        if (rows[i].count == 0) {
            assert_int_equal(status, IFD_UNSUPPORTED);
            assert_non_null(strstr(note.first->text, rows[i].exponent
                                                         ? "976562.5 ns is not a whole number: use `clock: bus`"
                                                         : "is not 1 to 255 times a power of ten"));
            continue;
        }
        assert_int_equal(status, IFD_OK);
        const ec_expected *d = file.line.device;
        int at = 0;
        while (d->startup[at].index != 0x60c2)
            at++;
        assert_int_equal(d->startup[at].value, rows[i].count);
        assert_int_equal(d->startup[at + 1].value & 0xff, rows[i].exponent);
    }
}

static const struct row {
    const char *from, *to;
    ifd_status code;
    int line, column;
    const char *text;
} rows[] = {
    {"devices:", "device:", IFD_UNKNOWN_KEY, 1, 1, "unknown key 'device' in the bus file"},
    {"vendor: 0x1234\n", "vendor: Beckhoff\n", IFD_NUMBER, 3, 13, "'Beckhoff' is not a whole number"},
    {"vendor: 0x1234\n", "vendor: 0x123456789\n", IFD_RANGE, 3, 13, "'0x123456789' is outside 0 to 4294967295"},
    {"vendor: 0x1234\n", "vendor: -1\n", IFD_RANGE, 3, 13, "'-1' is outside 0"},
    {"    product: 0xd1\n", "", IFD_MISSING_KEY, 2, 5, "product"},
    {"name: input", "name: drive", IFD_DUPLICATE, 11, 12, "two devices have the name 'drive'"},
    {"name: input", "nam: input", IFD_UNKNOWN_KEY, 11, 6, "unknown key 'nam' in a device"},
    {"0x2000:1,", "2000,", IFD_SYNTAX, 7, 18, "'2000' is not an object, as 0x6040:0"},
    {"0x2000:1,", "0x2000:256,", IFD_SYNTAX, 7, 18, "'0x2000:256' is not an object"},
    {"bytes: 2", "bytes: 3.5", IFD_NUMBER, 7, 35, "'3.5' is not a whole number"},
    {"bytes: 2", "bytes: 8", IFD_RANGE, 7, 35, "'8' is outside 1 to 4"},
    {"bytes: 2, value: 9", "bytes: 1, value: 256", IFD_RANGE, 7, 45, "'256' is outside 0 to 255"},
    {"pdo: 0x1A00", "pdo: 0x6040", IFD_RANGE, 9, 15, "'0x6040' is outside 5632 to 7167"},
    {"0x603F:0/16", "0x603F:0", IFD_SYNTAX, 10, 33, "'0x603F:0' is not an object with its bits, as 0x6040:0/16"},
    {"0x603F:0/16", "0x603F:0/0", IFD_SYNTAX, 10, 33, "'0x603F:0/0' is not an object with its bits"},
    {"{device: drive,", "{device: motor,", IFD_UNKNOWN_NAME, 13, 14, "no device 'motor' in the list 'devices'"},
    {"counts: 1e6, ", "", IFD_MISSING_KEY, 13, 5, "counts"},
    {", at-end: off", "", IFD_MISSING_KEY, 13, 5, "at-end"},
    {"at-end: off", "at-end: hold", IFD_UNKNOWN_CHOICE, 13, 98, "hold"},
    {"at-end: off", "at-end: off, quick-stop: 5", IFD_RANGE, 13, 115, "quick-stop is 5, expected 2, 6 or none"},
    {"at-end: off", "at-end: brake, brake-time: -1 s", IFD_RANGE, 13, 117, "brake-time"},
    {"tracking: 20 mm, ", "", IFD_MISSING_KEY, 13, 5, "needs 'tracking'"},
    {"tracking: 20 mm", "tracking: 20 kN", IFD_UNIT, 13, 44, "kN"},
    {"tracking: 20 mm", "tracking: 0.1 um", IFD_RANGE, 13, 44, "tracking is 0 increments, expected 1 to"},
    {"[-100 mm, 100 mm]", "[100 mm, -100 mm]", IFD_SHAPE, 13, 63, "the lower one first"},
    {"counts: 1e6", "mode: torque, counts: 1e6", IFD_MISSING_KEY, 13, 5, "needs a velocity limit"},
    {"counts: 1e6", "mode: torque, motor-speed: 0, counts: 1e6", IFD_RANGE, 13, 48, "motor-speed"},
    {"stop-input: {device: input, object: 0x6010:1}\n", "", IFD_MISSING_KEY, 1, 1, "the bus file needs 'stop-input'"},
    {"forces:\n  - {", "forces: {a: 1}\nthings:\n  - {", IFD_UNKNOWN_KEY, 15, 1, "things"},
    {"aux: [late,", "aux: [lost,", IFD_UNKNOWN_CHOICE, 18, 7, "lost"},
    {"aux: [late,", "aux: {late: 1}\nclock: [", IFD_SHAPE, 19, 1, "clock"},
    {"forces:\n", "clock: sun\nforces:\n", IFD_UNKNOWN_CHOICE, 14, 8, "sun"},
    {"forces:\n", "shift: 0.1 ms\nforces:\n", IFD_RANGE, 14, 8, "shift is 0.0001 s, expected 20 to 80 % of the tick"},
    {"forces:\n", "shift: 0.81 ms\nforces:\n", IFD_RANGE, 14, 8, "shift is 0.00081 s"},
    {"forces:\n", "outputs: {lamp: {device: drive, object: 0x7000:1}}\nforces:\n", IFD_UNKNOWN_CHOICE, 14, 11,
     "lamp"},
    {"forces:\n", "outputs: {beat: {object: 0x7000:1}}\nforces:\n", IFD_MISSING_KEY, 14, 11, "device"},
    {"axes:\n", "axes: []\nunused:\n", IFD_UNKNOWN_KEY, 13, 1, "unused"},
};

TEST_IN_ARENA(wrong_bus_files_are_refused_with_their_place)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct row *r = &rows[i];
        ifd_note_init(&note, arena);
        assert_true(line_read(arena, r->from, r->to, &file, &note) != IFD_OK);
        const ifd_finding *f = note.first;
        if (f->code != r->code || f->place.line != r->line || f->place.column != r->column ||
            !strstr(f->text, r->text))
            fail_msg("%s: found %s at %d:%d: %s", r->to, ifd_status_name(f->code), f->place.line, f->place.column,
                     f->text);
        assert_non_null(f->source); /* for the caret */
    }
}

TEST_IN_ARENA(a_missing_file_is_reported)
{
    assert_int_equal(bus_file_read(arena, "/nowhere/bus.yml", 1e-3, &file, &note), IFD_FILE);
}

TEST_IN_ARENA(memory_that_fails_is_reported)
{
    for (long n = 1; n < 400; n++) {
        const char *path = line_file(arena, NULL, NULL);
        ifd_arena *poor = ifd_arena_open();
        ifd_note own;
        ifd_note_init(&own, arena);
        ifd_arena_fail_at(poor, n);
        ifd_status status = bus_file_read(poor, path, 1e-3, &file, &own);
        remove(path);
        ifd_arena_close(poor);
        if (status == IFD_OK)
            return;
    }
    fail_msg("it never succeeds");
}

TESTS()
