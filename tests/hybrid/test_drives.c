/* SPDX-License-Identifier: MIT */
/* ctest: not with sanitizers, unless every test is asked for */
/* Tests with several actuators per specimen, or with prescribed forces. */
#include "check.h"

#include <string.h>

#include "hybrid/bare.h"
#include "hybrid/case_stand.h"
#include "hybrid/drives/drives.h"
#include "hybrid/hybrid.h"

#define BLOCK IFD_SOURCE_DIR "/cases/three-actuators/block.yaml"
#define COLUMN IFD_SOURCE_DIR "/cases/column-mixed/column.yaml"

/* Commands received by the rig, and changes of its measurements. */
static struct {
    long commands;
    double last[IFD_RIG_ACTUATORS][3]; /* newest first */
    const ifd_limits *limits;          /* per actuator; NULL: not checked */
    double tick, worst[3];             /* largest fraction of stroke, velocity, acceleration */
    uint32_t outputs[IFD_MACHINE_COUNT];
    int nan_from, jump; /* actuator with a position that is not finite, or that jumps; -1: none */
    double load;        /* N, added to the force of actuator 1 */
} spy;

static bool spy_sense(ifd_rig *r, ifd_measure *out, double *x)
{
    bool fresh = ifd_virtual_rig.sense(r, out, x);
    if (spy.nan_from >= 0)
        out->position[spy.nan_from] = (double)NAN;
    if (spy.jump >= 0)
        out->position[spy.jump] += 30.0;
    out->force[1] += spy.load;
    return fresh;
}

static void look_at(int k, double p)
{
    double *last = spy.last[k];
    const ifd_limits *l = &spy.limits[k];
    last[2] = last[1];
    last[1] = last[0];
    last[0] = p;
    spy.worst[0] = fmax(spy.worst[0], fmax(p / l->high, p / l->low));
    if (spy.commands > 1)
        spy.worst[1] = fmax(spy.worst[1], fabs(last[0] - last[1]) / (l->velocity * spy.tick));
    if (spy.commands > 2)
        spy.worst[2] =
            fmax(spy.worst[2], fabs(last[0] - 2.0 * last[1] + last[2]) / (l->acceleration * spy.tick * spy.tick));
}

static void spy_command(ifd_rig *r, const ifd_command *c, double *x)
{
    spy.commands++;
    spy.tick = r->tick;
    spy.outputs[c->state] |= c->outputs | 0x80u; /* seen */
    for (int k = 0; k < r->actuators && spy.limits; k++)
        look_at(k, c->position[k]);
    ifd_virtual_rig.command(r, c, x);
}

static void make(stand *s, const char *file, int count, const char *const *sets)
{
    const ifd_case_source source = {.path = file, .sets = count, .set = sets};
    memset(&spy, 0, sizeof spy);
    spy.nan_from = spy.jump = -1;
    stand_open(s, &source, spy_sense, spy_command);
}

static ifd_run_state tick(stand *s, ifd_order order)
{
    return s->t.tick(s->t.self, &(ifd_tick_in){.order = order});
}

static void run_until(stand *s, ifd_machine state)
{
    for (long k = 0; ifd_hybrid_state(s->h) != state && k < 50000; k++)
        tick(s, IFD_ORDER_NONE);
    assert_int_equal(ifd_hybrid_state(s->h), state);
}

static const char *const ideal_actuators[] = {
    "drives.0.actuators.0.actuator=ideal",
    "drives.0.actuators.1.actuator=ideal",
    "drives.0.actuators.2.actuator=ideal",
    "specimen.0.compensation=none",
    "specimen.1.compensation=none",
    "specimen.2.compensation=none",
    "time.end=2s",
};

/* The motion of the block is the same with three actuators and with an ideal actuator per dof. */
TEST(three_actuators_move_a_block_as_three_dofs_would)
{
    stand s;
    double together[3][600];
    static const char *const dof[] = {"x displacement", "y displacement", "tilt displacement"};
    for (int alone = 0; alone < 2; alone++) {
        make(&s, BLOCK, COUNT(ideal_actuators), ideal_actuators);
        if (alone) { /* the same channels, no drive */
            ifd_hybrid_options *o = s.c->test;
            ifd_virtual_actuator bench[3] = {{0}};
            ifd_laboratory lab = {.actuators = 3, .actuator = bench};
            for (int i = 0; i < 3; i++) {
                bench[i].specimen = s.c->laboratory->block->specimen[i];
                bench[i].specimen_values = s.c->laboratory->block->specimen_values[i];
            }
            o->drives = 0;
            o->rig_setup = &lab;
            stand_again(&s);
        }
        run_until(&s, IFD_MACHINE_RUN);
        double turned = 0.0, moved = 0.0;
        for (int k = 0; k < 600; k++) {
            tick(&s, IFD_ORDER_NONE);
            for (int i = 0; i < 3; i++) {
                double u = column(&s, dof[i]);
                if (!alone)
                    together[i][k] = u;
                else
                    assert_near(together[i][k], u, 1e-9, "%s at tick %d", dof[i], k);
            }
            turned = fmax(turned, fabs(column(&s, dof[2])));
            moved = fmax(moved, fabs(column(&s, dof[0])));
        }
        assert_true(turned > 0.5 && moved > 0.15); /* more than 30 degrees: not small */
        unmake(&s);
    }
}

/* Random actuators that are too weak and too short for the model: no command exceeds a limit. */
TEST(no_actuator_is_commanded_beyond_its_limits)
{
    uint64_t seed = 41;
    double governed = 0.0, reached = 0.0;
    for (int round = 0; round < 24; round++) {
        stand s;
        char text[4][160];
        double r[4];
        for (int i = 0; i < 4; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            r[i] = (double)(seed >> 11) / 9007199254740992.0;
        }
        snprintf(text[0], sizeof text[0], "initial.displacement.x=%.3f", 0.5 * r[0] - 0.25);
        snprintf(text[1], sizeof text[1], "initial.displacement.tilt=%.3f", 1.6 * r[1] - 0.8);
        const char *sets[] = {"time.end=1s",
                              "test.ramp-in=0.4s",
                              "specimen.0.limits.tracking=none",
                              "specimen.1.limits.tracking=none",
                              "specimen.2.limits.tracking=none",
                              text[0],
                              text[1]};
        make(&s, BLOCK, COUNT(sets), sets);
        ifd_limits tight[3];
        for (int j = 0; j < 3; j++) {
            ifd_limits_defaults(&tight[j]);
            tight[j].low = -0.1 - 0.6 * r[2];
            tight[j].high = 0.1 + 0.6 * r[3];
            tight[j].velocity = 0.1 + 2.0 * r[j];
            tight[j].acceleration = 3.0 + 100.0 * r[3 - j];
        }
        ifd_driven driven = s.c->test->drive[0];
        driven.limits = tight;
        s.c->test->drive = &driven;
        stand_again(&s);
        spy.limits = tight;
        for (int k = 0; k < 1500 && tick(&s, k == 900 ? IFD_ORDER_TRIP : IFD_ORDER_NONE) == IFD_RUN_GOING; k++) {
        }
        assert_true(spy.worst[0] <= 1.0);
        assert_true(spy.worst[1] <= 1.0 + 1e-9);
        assert_true(spy.worst[2] <= 1.0 + 1e-6);
        governed += (double)ifd_hybrid_count(s.h, IFD_TRIP_GOVERNED);
        reached = fmax(reached, spy.worst[0]);
        unmake(&s);
    }
    assert_true(governed > 1000.0); /* the limits were reached */
    assert_true(reached > 0.999);
}

/* Horizontal compared with the same test with ideal specimens; vertical compared with its target. */
TEST(a_column_keeps_its_axial_force_while_its_drift_is_computed)
{
    stand s;
    ifd_note note;
    make(&s, COLUMN, 0, NULL);
    ifd_case *ideal = NULL;
    ifd_run *run = NULL;
    ifd_note_init(&note, s.arena);
    assert_int_equal(ifd_case_read(s.arena, COLUMN, 0, NULL, &ideal, &note), IFD_OK);
    assert_int_equal(ifd_run_make(s.arena, &ideal->run, &run, &note), IFD_OK);
    run_until(&s, IFD_MACHINE_RUN);
    assert_near(column(&s, "gravity force"), -400e3, 4e3, "before the first step");
    double worst = 0.0, difference = 0.0, size = 0.0;
    for (double before = 0.0; ifd_hybrid_state(s.h) == IFD_MACHINE_RUN;) {
        tick(&s, IFD_ORDER_NONE);
        worst = fmax(worst, fabs(column(&s, "gravity force") + 400e3));
        if (column(&s, "simulated time") == before)
            continue;
        before = column(&s, "simulated time");
        while (ifd_run_time(run) < before - 1e-9 && ifd_run_tick(run) == IFD_RUN_GOING) {
        }
        int n;
        double u = column(&s, "drift displacement"), exact = *ifd_run_save_area(run, &n);
        difference += (u - exact) * (u - exact);
        size += exact * exact;
    }
    print_message("axial force within %.2f %%, drift within %.2f %% of the ideal one\n", 100.0 * worst / 400e3,
                  100.0 * sqrt(difference / size));
    assert_true(worst < 0.004 * 400e3);
    assert_true(sqrt(difference / size) < 0.02);
    assert_true(ifd_hybrid_force_error(s.h, 1) > 0.0 && ifd_hybrid_force_error(s.h, 1) <= worst * (1.0 + 1e-12));
    unmake(&s);
}

/* The same rig, commanded as if the jack remained vertical: pose and force have second-order errors. */
TEST(a_constant_matrix_does_not_know_that_a_jack_tilts)
{
    double off[2];
    for (int plain = 0; plain < 2; plain++) {
        stand s;
        /* a height that is not measured moves the jack without a change of force, and the force is off by 33 kN */
        const char *sets[] = {"ground.peak=0.5 g", "force-control.0.limits.tracking=none", "test.force-stuck=off"};
        make(&s, COLUMN, COUNT(sets), sets);
        const double matrix[4] = {1.0, 0.0, 0.0, -1.0};
        ifd_driven driven = s.c->test->drive[0];
        if (plain)
            driven.drive.matrix = matrix; /* the laboratory keeps its geometry */
        s.c->test->drive = &driven;
        stand_again(&s);
        run_until(&s, IFD_MACHINE_RUN);
        off[plain] = 0.0;
        while (ifd_hybrid_state(s.h) == IFD_MACHINE_RUN) {
            tick(&s, IFD_ORDER_NONE);
            off[plain] = fmax(off[plain], ifd_hybrid_force_error(s.h, 1));
        }
        assert_int_equal(ifd_hybrid_trip(s.h).trip, IFD_TRIP_NONE);
        unmake(&s);
    }
    print_message("axial force off by %.2f %% with geometry, %.2f %% with a matrix\n", off[0] / 4e3, off[1] / 4e3);
    assert_true(off[1] > 4.0 * off[0]);
}

/* Hold keeps the force; ramp-out brings the drift to rest before it releases the force. */
TEST(gravity_stays_in_hold_and_goes_last)
{
    stand s;
    const char *sets[] = {"test.leave=zero-force", "time.end=3s"};
    make(&s, COLUMN, COUNT(sets), sets);
    play(&s.p, "until run; 400; hold");
    for (int k = 0; k < 1000; k++) {
        tick(&s, IFD_ORDER_NONE);
        assert_near(column(&s, "gravity force"), -400e3, 4e3, "in hold");
    }
    play(&s.p, "is hold; ramp-out");
    bool lateral = true;
    while (ifd_hybrid_state(s.h) == IFD_MACHINE_RAMP_OUT) {
        tick(&s, IFD_ORDER_NONE);
        lateral = lateral && fabs(column(&s, "sway force")) > 500.0;
        if (lateral)
            assert_near(column(&s, "gravity force"), -400e3, 8e3, "while the column goes back");
    }
    assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_STOPPED);
    assert_true(fabs(column(&s, "gravity force")) < 0.01 * 400e3);
    unmake(&s);
}

TEST(an_axial_force_follows_a_signal_no_faster_than_its_rate)
{
    stand s;
    const char *sets[] = {"force-control.0.force=[-400 kN, {sine: {amplitude: 50 kN, frequency: 0.5 Hz}}]",
                          "force-control.0.rate=1e6", "time.end=2s"};
    make(&s, COLUMN, COUNT(sets), sets);
    run_until(&s, IFD_MACHINE_RUN);
    double period = ifd_hybrid_period(s.h), t = 0.0, worst = 0.0;
    while (ifd_hybrid_state(s.h) == IFD_MACHINE_RUN) {
        tick(&s, IFD_ORDER_NONE);
        t += period;
        worst = fmax(worst, fabs(column(&s, "gravity force") + 400e3 - 50e3 * sin(3.14159265358979 * t)));
    }
    assert_true(worst < 5e3); /* a delay of 20 ms at 157 kN/s is 3 kN */
    unmake(&s);
    const char *slow[] = {"force-control.0.rate=50e3", "force-control.0.error=30 kN"};
    make(&s, COLUMN, COUNT(slow), slow);
    long k = 0;
    for (; ifd_hybrid_state(s.h) != IFD_MACHINE_RUN && k < 20000; k++)
        tick(&s, IFD_ORDER_NONE);
    assert_near((double)k * ifd_hybrid_period(s.h), 8.0, 1.0, "400 kN at 50 kN/s");
    spy.load = 60e3; /* the cell shows 60 kN too much: immediately an error, which the loop would follow */
    play(&s.p, "until tripped; fault FORCE_ERROR; fault.channel = 1");
    unmake(&s);
}

/* p' = w (r - f)/k with a delay tau is stable for w (K/k) tau < pi/2. The delay of the jack is 100 ms, that of the
 * measurement one tick more; K/k = 200/150. */
TEST(the_loop_of_a_force_stands_the_delay_that_theory_says)
{
    const double tau = 0.1 + 0.002, critical = 0.25 / (200.0 / 150.0 * tau); /* Hz */
    for (int late = 0; late < 2; late++) {
        stand s;
        char bandwidth[80];
        snprintf(bandwidth, sizeof bandwidth, "force-control.0.bandwidth=%.4f", (late ? 1.1 : 0.9) * critical);
        const char *sets[] = {"ground={signal: 0}",
                              "specimen.0.compensation=none",
                              "drives.0.actuators.0.actuator={delay: {delay: 100 ms}}",
                              "drives.0.actuators.1.actuator={delay: {delay: 100 ms}}",
                              "drives.0.actuators.1.limits.tracking=none",
                              "force-control.0.limits.tracking=none",
                              "force-control.0.limits.force=none",
                              "force-control.0.error=10 MN",
                              "time.end=20s",
                              bandwidth};
        make(&s, COLUMN, COUNT(sets), sets);
        run_until(&s, IFD_MACHINE_RUN); /* within 1 % for a while: growth is slow near the limit */
        double early = 0.0, last = 0.0;
        for (int k = 0; k < 5000; k++) {
            tick(&s, IFD_ORDER_NONE);
            double off = fabs(column(&s, "gravity force") + 400e3);
            early = k < 500 ? fmax(early, off) : early;
            last = k >= 4500 ? fmax(last, off) : last;
        }
        print_message("bandwidth %.1f of the critical one: off by %.3g N at first, %.3g N 9 s later\n",
                      late ? 1.1 : 0.9, early, last);
        assert_true(late ? last > 10.0 * early : last < 0.1 * early);
        unmake(&s);
    }
}

TEST(what_belongs_to_no_pose_trips)
{
    const char *sets[] = {"drives.0.actuators.0.limits.stroke=100 m", "drives.0.actuators.0.limits.tracking=none",
                          "specimen.0.limits.tracking=none"};
    for (int bad = 0; bad < 2; bad++) {
        stand s;
        make(&s, BLOCK, COUNT(sets), sets);
        run_until(&s, IFD_MACHINE_RUN);
        *(bad ? &spy.nan_from : &spy.jump) = 0;
        play(&s.p, "1; is tripped");
        assert_int_equal(ifd_hybrid_trip(s.h).trip, bad ? IFD_TRIP_NOT_FINITE : IFD_TRIP_POSE);
        assert_true(ifd_hybrid_count(s.h, IFD_TRIP_POSE) > 0);
        assert_string_equal(ifd_hybrid_owner_name(s.h, ifd_hybrid_trip(s.h).owner), bad ? "side" : "sway");
        unmake(&s);
    }
}

/* Hardware in volts and counts gives the same test. */
TEST(channels_change_nothing_but_the_numbers_on_the_wire)
{
    static const char map[] = "channels={jack-stroke: {input: position 2, measures: position of jack, unit: mm, "
                              "sensitivity: 25, offset: 3, sign: -1, "
                              "range: [-60, 60]}, jack-cell: {input: aux 4, measures: force of jack, unit: kN, "
                              "sensitivity: 100}, head: {input: aux 1, "
                              "unit: g, sensitivity: 0.5, range: [-3, 3], twin: acceleration of side}}";
    double drift[2][800], head = 0.0;
    for (int mapped = 0; mapped < 2; mapped++) {
        stand s;
        const char *sets[] = {"time.end=1.6s", map};
        make(&s, COLUMN, 1 + mapped, sets);
        run_until(&s, IFD_MACHINE_RUN);
        for (int k = 0; k < 700; k++) {
            tick(&s, IFD_ORDER_NONE);
            drift[mapped][k] = column(&s, "drift displacement");
            if (!mapped)
                continue;
            assert_near(drift[1][k], drift[0][k], 1e-9, "tick %d", k);
            assert_near(column(&s, "jack-stroke value"), 1e3 * column(&s, "jack position"), 1e-9, "mm");
            assert_near(column(&s, "jack-stroke raw"), -(column(&s, "jack-stroke value") - 3.0) / 25.0, 1e-12, "V");
            assert_near(column(&s, "jack-cell value"), 1e-3 * column(&s, "jack force"), 1e-9, "kN");
            head = fmax(head, fabs(column(&s, "head value")));
        }
        unmake(&s);
    }
    assert_true(head > 0.05 && head < 1.0); /* g */
}

TEST(a_channel_outside_its_range_trips_by_its_name)
{
    stand s;
    const char *sets[] = {"channels={head: {input: aux 1, unit: g, sensitivity: 0.5, range: [-0.03, 0.03], twin: "
                          "acceleration of side}}"};
    make(&s, COLUMN, COUNT(sets), sets);
    run_until(&s, IFD_MACHINE_TRIPPED);
    ifd_trip_facts f = ifd_hybrid_trip(s.h);
    assert_int_equal(f.trip, IFD_TRIP_RANGE);
    assert_string_equal(ifd_hybrid_owner_name(s.h, f.owner), "head");
    assert_true(fabs(f.value) > 0.03 && fabs(f.limit) == 0.03);
    unmake(&s);
}

TEST(the_trigger_is_set_from_the_start_and_the_lamp_while_it_runs)
{
    stand s;
    const char *sets[] = {"time.end=1s"};
    make(&s, COLUMN, COUNT(sets), sets);
    play(&s.p, "until run; 100; hold; 300; resume; until stopped");
    const uint32_t idle = 0x80u | IFD_OUTPUT_BEAT, seen = idle | IFD_OUTPUT_ENABLE;
    assert_int_equal(spy.outputs[IFD_MACHINE_IDLE], idle);
    assert_int_equal(spy.outputs[IFD_MACHINE_RAMP_IN], seen);
    assert_int_equal(spy.outputs[IFD_MACHINE_RUN], seen | IFD_OUTPUT_TRIGGER | IFD_OUTPUT_RUNNING);
    assert_int_equal(spy.outputs[IFD_MACHINE_HOLD], seen | IFD_OUTPUT_TRIGGER);
    assert_int_equal(spy.outputs[IFD_MACHINE_RAMP_OUT], seen);
    unmake(&s);
}

/* The compensators of a drive see all its dofs, in its order; those of a channel without a drive only their own. */
TEST(compensators_of_a_drive_see_its_dofs)
{
    enum { DOFS = 5, ALONE = 3 };
    static const int first[] = {4, 1}, second[] = {0, 2};
    const ifd_driven o[] = {{.drive = {.dofs = 2}, .interface = first}, {.drive = {.dofs = 2}, .interface = second}};
    bare_make(DOFS, 1.0);
    bare_drives(2, o, 0.0);
    bare_drive[1].o = &o[1];
    ifd_compensator_in in[DOFS], coupled[3 * DOFS];
    memset(coupled, 0, sizeof coupled);
    for (int k = 0; k < DOFS; k++)
        in[k] = (ifd_compensator_in){.x = 1.0 + k};
    ifd__drives_couple(&bare, in, coupled + DOFS);
    for (int d = 0; d < 2; d++)
        for (int i = 0; i < 2; i++) {
            const ifd_compensator_in *one = &in[o[d].interface[i]];
            assert_int_equal(one->axes, 2);
            assert_non_null(one->axis);
            for (int j = 0; j < 2; j++)
                assert_near(one->axis[j].x, 1.0 + o[d].interface[j], 0, "dof %d of drive %d", j, d);
        }
    assert_null(in[ALONE].axis);
    assert_int_equal(in[ALONE].axes, 0);
    for (int k = 0; k < 3 * DOFS; k++)
        assert_true((coupled[k].x != 0.0) == (k >= DOFS && k < DOFS + 4)); /* inside its room */
}

TESTS()
