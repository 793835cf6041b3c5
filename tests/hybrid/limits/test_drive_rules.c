/* SPDX-License-Identifier: MIT */
/* Rules of drives, called by themselves: the place of the states of the actuators, whom an arrival waits for, how
 * long a stuck position sensor is watched. And what the limits forget at a restart. */
#include "check.h"

#include "hybrid/bare.h"
#include "hybrid/drives/drives.h"
#include "rig/limits.h"
#include "hybrid/part.h"
#include "hybrid/position_search.h"

extern const ifd__part ifd__part_limits;

/* The block of a drive: whether its pose is lost, then its actuators. */
TEST(actuators_follow_the_number_of_the_pose)
{
    const ifd_driven pair = {.drive = {.actuators = 2, .dofs = 1}};
    bare_make(1, 1.0);
    bare_drives(2, &pair, 1.0);
    for (int d = 0; d < 2; d++)
        for (int j = 0; j < 2; j++)
            assert_ptr_equal(ifd__actuator_of(&bare, &bare_drive[d], j),
                             bare.pose[d] + 1 + j * IFD__DOUBLES(ifd__actuator_state));
}

/* Two drives of two dofs and two actuators. A block is awaited where it is if every dof is a force, unless all are
 * asked for. Of several actuators the first is named. */
TEST(blocks_that_are_moved_to_a_position_are_awaited)
{
    static const int dof[2][2] = {{0, 1}, {2, 3}};
    const ifd_driven o[2] = {{.drive = {.actuators = 2, .dofs = 2}, .interface = dof[0]},
                             {.drive = {.actuators = 2, .dofs = 2}, .interface = dof[1]}};
    const ifd_force_control force = {0};
    static const struct {
        unsigned forces, off; /* bits: dofs that are forces, actuators that have not arrived */
        int all, moved;       /* actuator of the drives; -1: none */
    } rows[] = {{0x0, 0x0, -1, -1}, {0x0, 0x1, 0, 0},  {0x0, 0x2, 1, 1},  {0x0, 0xc, 2, 2}, {0x0, 0xf, 0, 0},
                {0x1, 0x3, 0, 0},   {0x2, 0x3, 0, 0},  {0x3, 0x3, 0, -1}, {0x3, 0xf, 0, 2}, {0x7, 0xa, 1, 3},
                {0xb, 0xa, 1, 3},   {0xf, 0xf, 0, -1}, {0xc, 0xc, 2, -1}, {0xc, 0xe, 1, 1}};
    bare_make(4, 1.0);
    bare_drives(2, &o[0], 1.0);
    bare_drive[1].o = &o[1];
    bare_drive[1].first = 2;
    for (int d = 0; d < 2; d++)
        for (int j = 0; j < 2; j++)
            bare_drive[d].bounds[j] = (ifd__bounds){.low = -1.0, .high = 1.0};
    for (size_t i = 0; i < COUNT(rows); i++) {
        for (int k = 0; k < 4; k++) {
            bare_option[k].force = rows[i].forces >> k & 1u ? &force : NULL;
            *ifd__actuator_of(&bare, &bare_drive[k / 2], k % 2) =
                (ifd__actuator_state){.command = rows[i].off >> k & 1u ? 0.5 : 0.25, .requested = 0.25};
        }
        assert_int_equal(ifd__drives_awaited(&bare, true), rows[i].all < 0 ? -1 : 4 + rows[i].all);
        assert_int_equal(ifd__drives_awaited(&bare, false), rows[i].moved < 0 ? -1 : 4 + rows[i].moved);
    }
}

/* Ticks of 1 ms, the command moves by 1 mm in each. The sensor of the second actuator is stuck. It is found when
 * the range exceeds 0.1 % of the stroke (4 mm) and four times the largest lag of the dofs has passed, at least 0.2 s;
 * time counts from the tick in which the command has moved by a third of that range, the second. */
TEST(a_stuck_actuator_is_watched_for_the_lag_of_its_slowest_dof)
{
    static const double matrix[] = {1.0, 0.0, 0.0, 1.0};
    static const ifd_axis axis[] = {IFD_AXIS_X, IFD_AXIS_Y};
    static const int dof[] = {0, 1};
    static const struct {
        double lag[2]; /* s */
        int found;     /* tick */
    } rows[] = {{{0.0, 0.0}, 202}, {{0.1, 0.3}, 1202}, {{0.3, 0.1}, 1202}, {{0.3, 0.0}, 1202}, {{0.0, 0.075}, 302}};
    ifd_limits limits[2];
    ifd_arena *arena = ifd_arena_open();
    for (int j = 0; j < 2; j++) {
        ifd_limits_defaults(&limits[j]);
        limits[j].low = -2.0;
        limits[j].high = 2.0;
    }
    const ifd_driven o = {.drive = {.name = "block", .dofs = 2, .actuators = 2, .matrix = matrix, .axis = axis},
                          .interface = dof,
                          .limits = limits};
    for (size_t i = 0; i < COUNT(rows); i++) {
        const double ticks[] = {1.0};
        bare_make(2, 0.001);
        bare_drives(1, &o, 1.0);
        assert_int_equal(ifd_drive_make(arena, &o.drive, &bare_drive[0].drive, NULL), IFD_OK);
        bare.facts.stuck.limit = 200;
        bare.facts.stuck.force = IFD_STUCK_OFF;
        ifd__test_of(&bare)->state = IFD_MACHINE_RUN;
        int found = -1;
        for (int k = 0; k < 2; k++)
            bare_option[k].lag = rows[i].lag[k];
        for (int n = 0; n < 1500 && found < 0; n++) {
            ifd__actuator_state *a = ifd__actuator_of(&bare, &bare_drive[0], 0), *b = a + 1;
            a->last_x = a->measured_x;
            a->measured_x += 0.001;
            a->step = b->step = n > 0 ? 0.001 : 0.0;
            ifd__interface_of(&bare, 0)->target = a->measured_x;
            (void)ifd__drives_guard(&bare, ticks, IFD_ACTION_NOTE);
            found = ifd__test_of(&bare)->faults[IFD_TRIP_FROZEN] > 0.0 ? n : -1;
        }
        if (found != rows[i].found)
            fail_msg("row %zu: found in tick %d, expected %d", i, found, rows[i].found);
        assert_near(ifd__test_of(&bare)->fault_owner, 2 + 1, 0.0, "the second actuator");
    }
    ifd_arena_close(arena);
}

/* Memories of sensors begin anew; the other members stay. */
TEST(a_restart_forgets_the_sensors)
{
    enum { SIZE = IFD__DOUBLES(ifd__interface_state) };
    bare_make(2, 1.0);
    for (int k = 0; k < 2; k++) {
        double *x = (double *)ifd__interface_of(&bare, k);
        for (int i = 0; i < SIZE; i++)
            x[i] = 7.0;
    }
    ifd__part_limits.restart(&bare);
    for (int k = 0; k < 2; k++) {
        ifd__interface_state expected, *s = ifd__interface_of(&bare, k);
        double *x = (double *)&expected;
        for (int i = 0; i < SIZE; i++)
            x[i] = 7.0;
        expected.load_cell = (ifd__load_cell){0};
        expected.reading = (ifd__reading){0};
        expected.response = (ifd__responding){0};
        expected.cycles = (ifd__cycles){0};
        assert_memory_equal(s, &expected, sizeof expected);
    }
}

/* Interlocks: of a load cell (row 0), of the position of a jack (1) and of the actuator of a block with two dofs (2).
 * The own position does not lock a return from outside of the stroke, from -1 to 2. */
TEST(an_interlock_of_a_position_does_not_hinder_its_return)
{
    enum { FREE = 1, LOCKED = 5 };
    static const int dof[] = {1, 2};
    const ifd_driven o = {.drive = {.actuators = 1, .dofs = 2}, .interface = dof};
    const double below = nextafter(-1.0, -2.0), above = nextafter(2.0, 3.0);
    const double places[] = {0.0, -1.0, 2.0, below, above};
    ifd_channel_row row[3];
    for (int i = 0; i < 3; i++) {
        ifd_channel_row_defaults(&row[i]);
        row[i].meaning = i ? IFD_MEANS_POSITION : IFD_MEANS_FORCE;
        row[i].actuator = i == 2;
        row[i].arm_low = 0.0;
        row[i].arm_high = 2.0;
    }
    const ifd_channel_map map = {.rows = 3, .row = row};
    for (int locked = 0; locked < 3; locked++)
        for (int moved = 0; moved < 4; moved++) /* the jack, the actuator, its dofs */
            for (size_t i = 0; i < COUNT(places); i++) {
                double value[] = {FREE, FREE, FREE};
                bare_make(3, 1.0);
                bare_drives(1, &o, 1.0);
                for (int k = 0; k < 3; k++) {
                    bare_interface[k].actuator = k ? -1 : 0;
                    bare_interface[k].bounds = (ifd__bounds){.low = -1.0, .high = 2.0};
                }
                bare_drive[0].first = 1;
                bare_drive[0].bounds[0] = (ifd__bounds){.low = -1.0, .high = 2.0};
                bare.opt.map = &map;
                bare.value = value;
                value[locked] = LOCKED;
                if (moved < 2)
                    bare.measure.position[moved] = places[i];
                else
                    bare.each[moved - 1]->measured_x = places[i];
                bool own = i > 2 && ((locked == 1 && moved == 0) || (locked == 2 && moved > 0));
                assert_int_equal(ifd__find_locked(&bare, false), locked);
                assert_int_equal(ifd__find_locked(&bare, true), own ? -1 : locked);
                assert_int_equal(ifd__find_kept(&bare) == IFD_ANSWER_INTERLOCK, !own);
            }
}

/* Interfaces, then actuators; beyond them, and for nobody, there are none. */
TEST(limits_of_a_wait_are_those_of_its_channel)
{
    static const int dof[] = {0, 1};
    const ifd_driven o = {.drive = {.actuators = 2, .dofs = 2}, .interface = dof};
    static const double limits[][2] = {{0, 0}, {-1, 1}, {-2, 2}, {-3, 3}, {-4, 4}, {0, 0}}; /* from channel -1 on */
    bare_make(2, 1.0);
    bare_drives(1, &o, 1.0);
    bare.actuators = 2;
    for (int k = 0; k < 4; k++)
        *(k < 2 ? &bare_interface[k].bounds : &bare_drive[0].bounds[k - 2]) =
            (ifd__bounds){.low = limits[k + 1][0], .high = limits[k + 1][1]};
    bare_interface[4].bounds = (ifd__bounds){.low = -9.0, .high = 9.0};
    for (int channel = -1; channel <= 4; channel++) {
        double low, high;
        ifd_hybrid_wait_limits(&bare, channel, &low, &high);
        assert_near(low, limits[channel + 1][0], 0.0, "channel %d", channel);
        assert_near(high, limits[channel + 1][1], 0.0, "channel %d", channel);
    }
}

TEST(a_rig_is_ready_when_it_is_found_and_waits_for_an_order)
{
    for (int row = 0; row < 8; row++) {
        bare_make(1, 1.0);
        bare.test->found = row & 1;
        bare.test->wait = row & 2 ? IFD_WAIT_ORDER : IFD_WAIT_MEASURING;
        bare.test->rig.stale = row & 4 ? 1.0 : 0.0;
        assert_int_equal(ifd__find_unready(&bare), row == 3   ? IFD_ANSWER_NONE
                                                   : row == 7 ? IFD_ANSWER_NOT_FRESH /* but for a measurement */
                                                              : IFD_ANSWER_RIG_NOT_READY);
    }
}

TESTS()
