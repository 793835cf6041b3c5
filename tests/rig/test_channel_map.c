/* SPDX-License-Identifier: MIT */
#include "check.h"

#include <interfield/channels.h>

#include <string.h>

/* Volts of a displacement, counts of a load cell with reversed sign at an auxiliary input, an accelerometer. */
static const ifd_channel_row rows[] = {
    {.name = "stroke",
     .unit = "mm",
     .source = IFD_SOURCE_POSITION,
     .input = 1,
     .meaning = IFD_MEANS_POSITION,
     .actuator = 1,
     .sensitivity = 25.0,
     .offset = 4.0,
     .zero = 1.5,
     .sign = 1.0,
     .si = 1e-3,
     .low = -100.0,
     .high = 100.0,
     .zero_limit = 2.0,
     .loop = true},
    {.name = "cell",
     .unit = "kN",
     .source = IFD_SOURCE_AUX,
     .input = 2,
     .meaning = IFD_MEANS_FORCE,
     .actuator = 1,
     .sensitivity = 0.5,
     .sign = -1.0,
     .si = 1e3,
     .low = -INFINITY,
     .high = INFINITY},
    {.name = "top",
     .unit = "g",
     .source = IFD_SOURCE_AUX,
     .input = 0,
     .actuator = -1,
     .sensitivity = 0.1,
     .sign = 1.0,
     .si = 9.80665,
     .low = -INFINITY,
     .high = INFINITY},
};
static const ifd_channel_map map = {.rows = 3, .row = rows};

TEST(raw_numbers_become_metres_and_newtons)
{
    ifd_measure raw = {.actuators = 2, .aux = 3, .inputs = 3}, out;
    double value[3];
    raw.position[0] = 0.007; /* without a row */
    raw.position[1] = 2.0;
    raw.force[0] = 12.0;
    raw.force[1] = 99.0;
    raw.auxiliary[0] = -3.0;
    raw.auxiliary[2] = 8.0;
    ifd_channel_map_sense(&map, &raw, &out, value);
    assert_near(value[0], 52.5, 1e-13, "25 * 2 + 4 - 1.5 mm");
    assert_near(value[1], -4.0, 1e-15, "kN");
    assert_near(value[2], -0.3, 1e-15, "g");
    assert_near(out.position[1], 0.0525, 1e-16, "m");
    assert_near(out.force[1], -4000.0, 1e-11, "N");
    assert_true(out.position[0] == 0.007 && out.force[0] == 12.0 && out.inputs == 3);
}

/* A command converted by the row of the position equals the measurement at that position. */
TEST(a_command_asks_for_the_raw_number_that_will_be_measured)
{
    ifd_command c = {.tick = 7, .actuators = 2}, raw;
    c.position[0] = 0.01;
    c.position[1] = 0.03;
    c.velocity[1] = 0.25;
    ifd_channel_map_command(&map, &c, &raw);
    assert_near(ifd_channel_value(&rows[0], raw.position[1]), 30.0, 1e-13, "mm");
    assert_near(raw.velocity[1], 10.0, 1e-14, "V/s");
    assert_true(raw.position[0] == 0.01 && raw.tick == 7);
    ifd_channel_row outside = rows[0];
    outside.loop = false; /* not the sensor of the controller: its tare does not affect commands */
    ifd_channel_map_command(&(ifd_channel_map){.rows = 1, .row = &outside}, &c, &raw);
    assert_near(25.0 * raw.position[1] + 4.0, 30.0, 1e-13, "mm");
}

/* Simulated hardware shows the values of real hardware, and they are converted back. */
TEST(what_is_shown_is_what_is_read)
{
    ifd_channel_row fresh[3];
    memcpy(fresh, rows, sizeof rows);
    fresh[0].zero = 0.0;
    const ifd_channel_map untared = {.rows = 3, .row = fresh};
    ifd_measure truth = {.actuators = 2, .aux = 1}, shown, back;
    truth.position[1] = -0.02;
    truth.force[1] = 7000.0;
    truth.auxiliary[0] = 1.9613300;
    shown = truth;
    ifd_channel_map_show(&untared, &shown);
    assert_int_equal(shown.aux, 3);
    assert_near(shown.auxiliary[2], -14.0, 1e-13, "counts");
    double value[3];
    ifd_channel_map_sense(&untared, &shown, &back, value);
    assert_near(back.position[1], -0.02, 1e-17, "m");
    assert_near(back.force[1], 7000.0, 1e-11, "N");
    assert_near(value[2], 0.2, 1e-15, "g");
    assert_near(ifd_channel_map_position(&untared, 1, shown.position[1], 0.0), -0.02, 1e-17, "as commanded");
    assert_near(ifd_channel_map_position(&untared, 1, shown.position[1], 0.001), -0.021, 1e-17,
                "less what it shows too much");
    assert_true(ifd_channel_map_position(&untared, 0, 0.5, 0.1) == 0.5);
}

TEST(an_input_that_the_rig_lacks_is_no_number)
{
    ifd_measure raw = {.actuators = 2, .aux = 1}, out;
    double value[3];
    ifd_channel_map_sense(&map, &raw, &out, value);
    assert_true(isnan(value[1]) && isnan(out.force[1]));
    assert_false(ifd_channel_outside(&rows[1], value[1])); /* it has no range */
    assert_true(ifd_channel_outside(&rows[0], (double)NAN));
    assert_true(ifd_channel_outside(&rows[0], 100.1) && ifd_channel_outside(&rows[0], -100.1));
    assert_false(ifd_channel_outside(&rows[0], 100.0) || ifd_channel_outside(&rows[0], -100.0));
    ifd_channel_row low = rows[1], high = rows[1]; /* with one bound only */
    low.low = -100.0;
    high.high = 100.0;
    assert_true(ifd_channel_outside(&low, -100.1) && ifd_channel_outside(&high, 100.1));
    assert_false(ifd_channel_outside(&low, 1e9) || ifd_channel_outside(&high, -1e9));
}

TEST(a_map_that_contradicts_itself_is_refused)
{
    assert_int_equal(ifd_channel_map_check(&map, 2, NULL), IFD_OK);
    assert_int_equal(ifd_channel_map_check(&map, 1, NULL), IFD_RANGE);
    struct {
        int row;
        ifd_channel_row as;
        ifd_status code;
    } bad[] = {{2, rows[2], IFD_DUPLICATE}, {2, rows[2], IFD_DUPLICATE}, {2, rows[2], IFD_DUPLICATE},
               {2, rows[2], IFD_RANGE},     {2, rows[2], IFD_RANGE},     {2, rows[2], IFD_OK},
               {2, rows[2], IFD_RANGE},     {0, rows[0], IFD_OK},        {0, rows[0], IFD_RANGE},
               {1, rows[1], IFD_OK},        {1, rows[1], IFD_RANGE},     {1, rows[1], IFD_RANGE},
               {0, rows[0], IFD_RANGE},     {0, rows[0], IFD_OK},        {0, rows[0], IFD_RANGE},
               {0, rows[0], IFD_RANGE},     {0, rows[0], IFD_RANGE}};
    bad[0].as.name = "stroke";
    bad[1].as.input = 2;
    bad[2].as.meaning = IFD_MEANS_FORCE;
    bad[2].as.actuator = 1;
    bad[3].as.sensitivity = 0.0;
    bad[4].as.input = IFD_RIG_AUX;
    bad[5].as.input = IFD_RIG_AUX - 1;
    bad[6].as.input = -1;
    bad[7].as.input = 0;
    bad[8].as.input = 2; /* of two actuators */
    bad[9].as.actuator = 0;
    bad[10].as.actuator = 2;
    bad[11].as.actuator = -1;
    bad[12].as.high = -100.0; /* as its low end */
    bad[13].as.high = nextafter(-100.0, 0.0);
    bad[14].as.sensitivity = (double)INFINITY;
    bad[15].as.offset = (double)INFINITY;
    bad[16].as.zero = (double)NAN;
    for (size_t i = 0; i < COUNT(bad); i++) {
        ifd_channel_row changed[3];
        memcpy(changed, rows, sizeof rows);
        changed[bad[i].row] = bad[i].as;
        if (ifd_channel_map_check(&(ifd_channel_map){.rows = 3, .row = changed}, 2, NULL) != bad[i].code)
            fail_msg("row %d", (int)i);
    }
    static ifd_channel_row many[IFD_CHANNEL_ROWS + 1];
    for (int i = 0; i <= IFD_CHANNEL_ROWS; i++)
        many[i] = rows[2];
    ifd_channel_map most = {.rows = IFD_CHANNEL_ROWS, .row = many};
    assert_int_equal(ifd_channel_map_check(&most, 2, NULL), IFD_DUPLICATE);
    most.rows++;
    assert_int_equal(ifd_channel_map_check(&most, 2, NULL), IFD_TOO_LARGE);
}

TESTS()
