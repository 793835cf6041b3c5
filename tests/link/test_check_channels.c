/* SPDX-License-Identifier: MIT */
#include "check.h"

#include "fixture.h"
#include "hybrid/own_rig.h"

#include <math.h>

#include <interfield/link.h>
#include <interfield/rig_check.h>

/* A rig in volts, 2 mm per volt, that records the largest command in volts. */
static double most_volts, volts;

static bool sense_volts(ifd_rig *rig, ifd_measure *out, double *x)
{
    (void)x;
    double time = out->time + rig->tick;
    *out = (ifd_measure){.tick = out->tick, .time = time, .inputs = 3, .actuators = 1, .position = {volts}};
    return true;
}

static void command_volts(ifd_rig *rig, const ifd_command *c, double *x)
{
    (void)rig, (void)x;
    volts = c->commanded ? c->position[0] : volts;
    most_volts = fmax(most_volts, fabs(volts));
}

TEST_IN_ARENA(the_check_moves_by_the_channels_of_a_case)
{
    static const ifd_rig_ops in_volts = OWN_RIG("volts", sense_volts, command_volts);
    ifd_channel_row row;
    ifd_rig_check_row found[IFD_RIG_CHECKS];
    ifd_rig_check_options o;
    int failed;
    ifd_channel_row_defaults(&row);
    row.name = "jack";
    row.source = IFD_SOURCE_POSITION;
    row.meaning = IFD_MEANS_POSITION;
    row.actuator = 0;
    row.sensitivity = 2.0;
    row.si = 1e-3;
    row.loop = true;
    const ifd_channel_map map = {1, &row};
    ifd_rig_check_defaults(&o);
    o.rig = &in_volts;
    o.map = &map;
    o.tick = 1e-4;
    o.move = 0.010;
    o.duration = o.watchdog = 0.01;
    assert_int_equal(ifd_rig_check(arena, &o, found, &failed, &note), IFD_OK);
    assert_near(most_volts, 5.0, 1e-12, "10 mm are 5 V");
    assert_int_equal(found[IFD_RIG_CHECK_IGNORES].verdict, IFD_RIG_PASSED);
}

TESTS()
