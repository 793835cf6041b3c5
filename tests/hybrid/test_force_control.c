/* SPDX-License-Identifier: MIT */
/* The loop of a controlled force in every tick: commands, arrival, and faults of its error. Checked by closed forms,
 * at both sides of each number; complete tests are in test_preload.c. */
#include "check.h"

#include <string.h>

#include "hybrid/bare.h"
#include "hybrid/force_control.h"

static const double period = 1.0 / 512.0;
static const double stiffness = 4096.0, bandwidth = 2.0, rate = 512.0, tolerance = 0.25, most_off = 8.0;
static const double pi = 3.14159265358979323846;

static ifd_arena *arena;
static ifd_force_control force;

static const ifd_signal *signal(const char *kind, double amplitude)
{
    ifd_value v[IFD_SIGNAL_PARAMS];
    const ifd_signal *s = NULL;
    const ifd_signal_kind *k = ifd_signal_find(kind);
    ifd_param_preset(k->params, v);
    v[ifd_param_find(k->params, "amplitude")] = ifd_number(amplitude);
    if (strcmp(kind, "ramp") == 0)
        v[ifd_param_find(k->params, "rise")] = ifd_number(1.0);
    assert_int_equal(ifd_signal_make(arena, k, v, NULL, &s, NULL), IFD_OK);
    return s;
}

static void begin(void)
{
    ifd_force_control_defaults(&force);
    force.target = signal("step", 100.0);
    force.stiffness = stiffness;
    force.bandwidth = bandwidth;
    force.rate = rate;
    force.tolerance = tolerance;
    force.error = most_off;
    bare_make(2, period);
    for (int k = 0; k < 2; k++) {
        bare_option[k].name = "axial";
        bare_option[k].force = &force;
        bare_interface[k].bounds =
            (ifd__bounds){-1.0, 1.0, 10.0, 1e3, period}; /* 3.8 mm: a tick of full acceleration */
    }
    bare.opt.ramp_in = 2.0;
    ifd__test_of(&bare)->state = IFD_MACHINE_RUN;
}

static ifd__interface_state *interface(void)
{
    return ifd__interface_of(&bare, 1);
}

TEST(what_a_loop_needs_is_asked_for)
{
    static const struct {
        double error, stiffness, bandwidth, rate, tolerance;
        ifd_status status;
    } rows[] = {{8.0, 1.0, 1.0, 1.0, 1.0, IFD_OK},     {1e-300, 1e-300, 1e-300, 1e-300, 1e-300, IFD_OK},
                {0.0, 1.0, 1.0, 1.0, 1.0, IFD_RANGE},  {-1.0, 1.0, 1.0, 1.0, 1.0, IFD_RANGE},
                {8.0, 0.0, 1.0, 1.0, 1.0, IFD_RANGE},  {8.0, 1.0, 0.0, 1.0, 1.0, IFD_RANGE},
                {8.0, 1.0, 1.0, 0.0, 1.0, IFD_RANGE},  {8.0, 1.0, 1.0, 1.0, 0.0, IFD_RANGE},
                {8.0, 1.0, 1.0, 1.0, -1.0, IFD_RANGE}, {(double)INFINITY, 1.0, 1.0, 1.0, 1.0, IFD_RANGE}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        begin();
        force.error = rows[i].error;
        force.stiffness = rows[i].stiffness;
        force.bandwidth = rows[i].bandwidth;
        force.rate = rows[i].rate;
        force.tolerance = rows[i].tolerance;
        if (ifd__force_check(&bare_option[0], NULL) != rows[i].status)
            fail_msg("row %d", (int)i);
        force.target = NULL;
        assert_int_equal(ifd__force_check(&bare_option[0], NULL), IFD_MISSING_KEY);
    }
    ifd_force_control_defaults(&force);
    assert_true(isinf(force.error));
}

/* p' = (r' + w (r - f))/k, and r follows its target by at most 512 N/s, 1 N per tick. */
TEST(the_command_moves_by_rate_and_error_over_the_stiffness)
{
    static const struct {
        double aim, wanted, felt, after;
    } rows[] = {{0.0, 0.5, 0.5, 0.5},     {0.0, -0.5, -0.5, -0.5}, {0.0, 1.0, 0.0, 1.0},     {0.0, 1.5, 3.0, 1.0},
                {0.0, -1.5, -2.0, -1.0},  {5.0, 5.0, 4.0, 5.0},    {5.0, 4.25, 7.0, 4.25},   {5.0, -100.0, 5.0, 4.0},
                {-5.0, 100.0, 2.0, -4.0}, {-5.0, -6.0, 1.0, -6.0}, {-5.0, -6.5, -7.0, -6.0}, {3.0, 2.0, 2.0, 2.0}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        begin();
        const double p = 0.125, w = 0.0009765625;
        interface()->force_target = rows[i].aim;
        interface()->measured_f = rows[i].felt;
        interface()->command = p;
        interface()->step = w;
        bool there = ifd__force_step(&bare, 1, rows[i].wanted);
        double change = rows[i].after - rows[i].aim, error = rows[i].after - rows[i].felt;
        double step = (change + 2.0 * pi * bandwidth * period * error) / stiffness;
        assert_near(interface()->force_target, rows[i].after, 0.0, "aim of row %d", (int)i);
        assert_near(interface()->command, p + step, 1e-15, "command of row %d", (int)i);
        assert_near(interface()->next_target, interface()->command, 0.0, "aimed");
        assert_near(interface()->step, interface()->command - p, 0.0, "step");
        assert_int_equal(there, rows[i].after == rows[i].wanted && fabs(error) <= tolerance);
        assert_near(ifd__test_of(&bare)->faults[IFD_TRIP_GOVERNED], 0.0, 0.0, "row %d", (int)i);
    }
}

/* Beyond the stroke, or faster than the limits: as far as the governor permits, with a note. */
TEST(the_governor_has_the_last_word)
{
    for (int sign = -1; sign < 2; sign += 2) {
        begin();
        interface()->command = sign;
        interface()->measured_f = sign * -100.0;
        (void)ifd__force_step(&bare, 1, sign * 100.0);
        assert_near(interface()->command, sign, 0.0, "at its end");
        assert_near(ifd__test_of(&bare)->faults[IFD_TRIP_GOVERNED], 1.0, 0.0, "noted");
        begin();
        bare_interface[1].bounds.acceleration = 512.0 * 512.0 * 1e-4; /* 0.1 mm per tick */
        interface()->measured_f = sign * -100.0;
        (void)ifd__force_step(&bare, 1, sign * 1.0);
        assert_near(interface()->command, sign * 1e-4, 1e-18, "as fast as it may");
        assert_near(ifd__test_of(&bare)->faults[IFD_TRIP_GOVERNED], 1.0, 0.0, "noted");
    }
}

TEST(it_has_arrived_within_its_tolerance)
{
    static const struct {
        double wanted, off;
        bool there;
    } rows[] = {{2.0, 0.25, true},    {2.0, -0.25, true},   {2.0, 0.2500001, false}, {2.0, -0.2500001, false},
                {3.0625, 0.0, false}, {2.0625, 0.25, true}, {2.0625, -3.0, false}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        begin();
        interface()->force_target = 2.0;
        double after = fmin(rows[i].wanted, 3.0);
        interface()->measured_f = after + rows[i].off;
        if (ifd__force_step(&bare, 1, rows[i].wanted) != rows[i].there)
            fail_msg("row %d", (int)i);
    }
}

/* 10 s^3 - 15 s^4 + 6 s^5 of the difference between the force at the start of ramp-in and the target. */
TEST(ramp_in_leads_from_what_is_felt_to_the_target)
{
    begin();
    interface()->measured_f = 4.0;
    interface()->force_time = 3.0;
    ifd__force_begin(&bare, 1);
    assert_near(interface()->force_target, 4.0, 0.0, "aim");
    assert_near(interface()->force_time, 0.0, 0.0, "time");
    interface()->measured_f = 9.0;
    for (int i = 0; i <= 24; i++) {
        double s = i / 16.0, z = fmin(s, 1.0);
        double due = 4.0 + 96.0 * (10.0 * pow(z, 3.0) - 15.0 * pow(z, 4.0) + 6.0 * pow(z, 5.0));
        assert_near(ifd__force_ramp(&bare, 1, s), due, 1e-12, "s = %g", s);
    }
    assert_near(ifd__force_ramp(&bare, 1, 1.0), 100.0, 0.0, "end");
    assert_near(ifd__force_ramp(&bare, 1, 1.005), 100.0, 0.0, "past the end");
}

/* A ramp of 3 N in a second of simulated time: 0.375 N in 1/8 s. */
TEST(the_run_leads_along_the_target)
{
    begin();
    force.target = signal("ramp", 3.0);
    for (int i = 0; i <= 8; i++)
        assert_near(ifd__force_run(&bare, 1, i ? 0.125 : 0.0), 0.375 * i, 1e-15, "tick %d", i);
}

/* Kept from ramp-in, it continues with its last change, which decays with 0.15 of the time of ramp-in, 0.3 s: d' =
 * -d/0.3 s, implicit steps. The sum of all changes is the last change times 0.3 s over the period. The rounding of
 * a tick, 1e-14 of 70 N, remains for 154 ticks. */
TEST(what_is_kept_comes_to_rest_smoothly)
{
    for (int sign = -1; sign < 2; sign += 2) {
        begin();
        const double tau = 0.3, change = sign * 0.5;
        interface()->force_target = 7.0;
        interface()->force_step = change;
        double due = 7.0, step = change;
        for (int i = 0; i < 5000; i++) {
            step /= 1.0 + period / tau;
            due += step;
            double wanted = ifd__force_keep(&bare, 1);
            assert_near(wanted, due, 1e-9, "tick %d", i);
            interface()->measured_f = wanted;
            (void)ifd__force_step(&bare, 1, wanted);
        }
        assert_near(due, 7.0 + change * tau / period, 1e-9, "sum");
    }
}

/* Kept in the last part of ramp-in, 1 N before its target with a change of 0.5 N: the sum of all changes is that 1 N.
 * Then it rests: its remaining change, 0.3 s of the present one, is within the tolerance. */
TEST(a_kept_force_does_not_exceed_its_target)
{
    for (int sign = -1; sign < 2; sign += 2) {
        begin();
        force.target = signal("step", sign * 100.0);
        interface()->force_target = sign * 99.0;
        interface()->force_step = sign * 0.5;
        double last = 99.0;
        for (int i = 0; i < 400; i++) {
            double wanted = ifd__force_keep(&bare, 1);
            assert_true(sign * wanted > last - 1e-9 && sign * wanted < 100.0 + 1e-9);
            last = sign * wanted;
            interface()->measured_f = wanted;
            (void)ifd__force_step(&bare, 1, wanted);
        }
        assert_near(last, 100.0, 1e-9, "end");
        const double most = tolerance * period / 0.3;
        for (int side = 0; side < 2; side++) {
            interface()->force_step = sign * most * (side ? 1.0 + 1e-9 : 1.0 - 1e-9);
            assert_int_equal(ifd__force_rests(&bare), !side);
            force.computed = &(ifd_force_command){0};
            assert_true(ifd__force_rests(&bare));
            force.computed = NULL;
        }
    }
}

/* Kept from run, at half of the rate: simulated time slows down as exp(-t/0.3 s), and the force remains on its
 * signal, 3 N/s. */
TEST(a_kept_signal_comes_to_rest_on_itself)
{
    begin();
    const double tau = 0.3;
    force.target = signal("ramp", 3.0);
    interface()->force_time = 0.25;
    interface()->force_target = 0.75;
    interface()->force_step = 50.0; /* is not continued */
    bare.opt.lambda = 1.0;
    ifd__test_of(&bare)->rate = 0.5;
    double due = 0.25;
    for (int i = 0; i < 8000; i++) {
        ifd__test_of(&bare)->state_time = i * period;
        due += 0.5 * period * exp(-i * period / tau);
        assert_near(ifd__force_keep(&bare, 1), 3.0 * due, 1e-12, "tick %d", i);
    }
    assert_near(due, 0.25 + 0.5 * period / (1.0 - exp(-period / tau)), 1e-12, "sum");
}

/* In every state that moves. Its largest error in run and hold is stored, for either sign. */
TEST(an_error_beyond_its_limit_is_a_fault)
{
    const double beyond = nextafter(most_off, 9.0);
    for (int s = 0; s < IFD_MACHINE_COUNT; s++)
        for (int side = 0; side < 4; side++) {
            begin();
            ifd__test_of(&bare)->state = s;
            bool stored = s == IFD_MACHINE_RUN || s == IFD_MACHINE_HOLD;
            bool guards = stored || s == IFD_MACHINE_RAMP_IN || s == IFD_MACHINE_RAMP_OUT, over = side % 2;
            double off = (side < 2 ? 1.0 : -1.0) * (over ? beyond : most_off);
            interface()->measured_f = off; /* no digit is lost: its target is 0, and then the opposite */
            ifd_action action = ifd__force_guard(&bare, 1, IFD_ACTION_NOTE);
            assert_near(ifd__test_of(&bare)->faults[IFD_TRIP_FORCE_ERROR], guards && over, 0.0, "state %d, side %d",
                        s, side);
            assert_int_equal(action, guards && over ? ifd_trip_action(IFD_TRIP_FORCE_ERROR) : IFD_ACTION_NOTE);
            assert_near(interface()->peak_force_error, stored ? fabs(off) : 0.0, 0.0, "peak");
            if (guards && over) {
                assert_near(ifd__test_of(&bare)->fault_owner, 1.0, 0.0, "channel");
                assert_near(ifd__test_of(&bare)->fault_value, off, 0.0, "value");
                assert_near(ifd__test_of(&bare)->fault_limit, most_off, 0.0, "limit");
            }
            assert_int_equal(ifd__force_guard(&bare, 1, IFD_ACTION_TRIP), IFD_ACTION_TRIP);
            interface()->measured_f = interface()->force_target = 2.0 * off;
            double before = ifd__test_of(&bare)->faults[IFD_TRIP_FORCE_ERROR];
            (void)ifd__force_guard(&bare, 1, IFD_ACTION_NOTE);
            assert_near(ifd__test_of(&bare)->faults[IFD_TRIP_FORCE_ERROR], before, 0.0, "on its target");
            assert_near(interface()->peak_force_error, stored ? fabs(off) : 0.0, 0.0, "peak, kept");
        }
}

/* In ramp-out the position is commanded after the force has been kept: it has no target then. */
TEST(a_commanded_position_has_no_force_error)
{
    for (int moves = 0; moves < 2; moves++) {
        begin();
        ifd__test_of(&bare)->state = IFD_MACHINE_RAMP_OUT;
        interface()->out.time = moves ? period : 0.0;
        interface()->measured_f = nextafter(most_off, 9.0);
        ifd_action action = ifd__force_guard(&bare, 1, IFD_ACTION_NOTE);
        assert_int_equal(action, moves ? IFD_ACTION_NOTE : IFD_ACTION_TRIP);
        assert_near(ifd__test_of(&bare)->faults[IFD_TRIP_FORCE_ERROR], !moves, 0.0, "moves %d", moves);
    }
}

/* Interface 1 with a computed force: a spring of 1000 N/m and a dashpot of 50 N s/m, and a delay of 1/64 s. */
static ifd__pushed *push(ifd_force_command *computed)
{
    begin();
    *computed = (ifd_force_command){.stiffness = 1000.0, .damping = 50.0, .mass = 20.0, .delay = 1.0 / 64.0};
    force.computed = computed;
    bare.io.pushed[1] = (ifd__pushed *)(bare_x + BARE_PUSHED);
    return bare.io.pushed[1];
}

TEST(a_computed_force_beyond_the_limit_is_noted)
{
    static const double wanted[] = {64.0, 65.0, -64.0, -65.0};
    for (size_t i = 0; i < COUNT(wanted); i++) {
        ifd_force_command computed;
        (void)push(&computed);
        bare_option[1].limits.force = 64.0;
        interface()->force_target = interface()->measured_f = copysign(63.5, wanted[i]);
        (void)ifd__force_step(&bare, 1, wanted[i]);
        assert_near(ifd__test_of(&bare)->faults[IFD_TRIP_GOVERNED], (double)(i % 2), 0.0, "target %g N", wanted[i]);
        assert_near(interface()->force_target, copysign(64.0, wanted[i]), 0.0, "reference");
    }
}

/* The specimen swings at 0.25 m/s: within the delay the spring's force changes by 1000 N/m 0.25 m/s / 64 = 3.90625 N,
 * which the lead takes back, by its share and at most by rate times delay. */
TEST(a_ramp_leads_a_swinging_specimen_by_its_share)
{
    for (int i = 0; i <= 9; i++) {
        ifd_force_command computed;
        ifd__pushed *p = push(&computed);
        double s = 0.125 * i, x = fmin(s, 1.0), share = x * x * x * (10.0 - 15.0 * x + 6.0 * x * x);
        p->specimen = (ifd__tracked){.x = 0.01, .v = 0.25};
        interface()->to_u = 0.03;
        force.rate = 512.0;
        double target = 1000.0 * (0.03 - 0.01) - 50.0 * 0.25;
        assert_near(ifd__force_ramp(&bare, 1, s), target * share, 1e-12, "target at %g", s);
        assert_near(p->lead, -3.90625 * share, 1e-12, "lead at %g", s);
        assert_near(p->dof.x, 0.03, 0.0, "the dof");
        force.rate = 64.0; /* 1 N in the delay */
        (void)ifd__force_ramp(&bare, 1, s);
        assert_near(p->lead, fmax(-1.0, -3.90625 * share), 1e-12, "bounded lead at %g", s);
    }
}

TEST(a_specimen_on_a_wall_is_not_pushed_at_rest)
{
    ifd_force_command computed;
    ifd__pushed *p = push(&computed);
    computed.walls = 1;
    p->lead = 3.0;
    p->dof.x = 7.0;
    p->specimen = (ifd__tracked){.x = 0.01, .v = 0.25};
    assert_near(ifd__force_ramp(&bare, 1, 1.0), 0.0, 0.0, "target");
    assert_near(p->lead, 0.0, 0.0, "lead");
    assert_near(p->dof.x, 7.0, 0.0, "its dof is not used");
}

/* Without a change, or at its end, there is none left: (left, step) of 1 N. */
TEST(a_force_that_does_not_change_is_kept)
{
    static const double rows[][2] = {{1.0, 0.0}, {-1.0, 0.0}, {1.0, -0.0}, {-1.0, -0.0}, {0.0, 0.0}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        begin();
        interface()->force_target = 100.0 - rows[i][0];
        interface()->force_step = rows[i][1];
        assert_near(ifd__force_keep(&bare, 1), 100.0 - rows[i][0], 0.0, "row %d", (int)i);
    }
    begin(); /* 15 % of the ramp-in of 2 s */
    interface()->force_target = 100.0;
    interface()->force_step = 1.0;
    assert_near(ifd__force_keep(&bare, 1), 100.0 + 0.3 / (0.3 + period), 1e-12, "at its target");
}

TEST(all_forces_rest_within_their_tolerance)
{
    for (int k = 0; k < 2; k++)
        for (int sign = -1; sign <= 1; sign += 2) {
            begin();
            ifd__interface_of(&bare, k)->force_step = sign * 0.125;
            force.tolerance = 0.125 * 0.15 * bare.opt.ramp_in / period;
            assert_true(ifd__force_rests(&bare));
            force.tolerance = nextafter(force.tolerance, 0.0);
            assert_false(ifd__force_rests(&bare));
        }
}

static int open_arena(void **state)
{
    (void)state;
    arena = ifd_arena_open();
    return 0;
}

static int close_arena(void **state)
{
    (void)state;
    ifd_arena_close(arena);
    return 0;
}

TESTS_WITH(open_arena, close_arena)
