/* SPDX-License-Identifier: MIT */
/* Search for a rig, and commands before, after and in between. The rig has no common code with the library: an
 * actuator with a lag, sensors with errors, and a check of every received command. */
#include "check.h"
#include "hybrid/hybrid_stand.h"
#include "hybrid/own_rig.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum error {
    NO_ERROR,
    FIRST_OFF,   /* the first sample, by 40 mm */
    FIRST_FAR,   /* by 1.5 m */
    FAR,         /* every one */
    ALTERNATING, /* by 1 mm to either side */
    DRIFTING,    /* at 20 mm/s */
    CREEPING,    /* at 0.2 mm/s */
    NO_NUMBER_FIRST,
    NO_NUMBER,
    OUTSIDE, /* actual position 10 mm outside */
    FIRST_ERROR_OF_TICKS,
    TICK_ZERO = FIRST_ERROR_OF_TICKS,
    TICK_MINUS_ONE,
    TICK_AHEAD,
    TICK_HUGE,
    TICK_RANDOM,
    TICK_CONSTANT,
    TICK_BACKWARDS,
    TICK_AHEAD_EACH_SECOND, /* correct ones in between */
    TICK_ZERO_EACH_SECOND,
    ERRORS
} error;

static struct {
    int e; /* an error */
    long samples;
    double x, target; /* m, actual */
    bool powered;     /* has a target */
    uint32_t inputs;
    uint64_t heard, stuck;
    double p, w; /* last command and its step */
    bool commanded;
    long commands, nothing;
    double first;                                 /* m, first command after commands without position */
    double speed;                                 /* m/s, largest of the actual position */
    double position, velocity, acceleration, out; /* largest: m beyond the stroke, m/s, m/s2; m outward */
} rig;
static const double stroke = 0.05, lag = 0.002, tick_length = 0.002;

static double shown(void)
{
    switch ((error)rig.e) {
    case FIRST_OFF:
        return rig.x + (rig.samples == 1 ? 0.04 : 0.0);
    case FIRST_FAR:
        return rig.x + (rig.samples == 1 ? 1.5 : 0.0);
    case FAR:
        return 1.5;
    case ALTERNATING:
        return rig.x + (rig.samples % 2 ? 1e-3 : -1e-3);
    case DRIFTING:
        return rig.x + 0.02 * tick_length * (double)(rig.samples % 500);
    case CREEPING:
        return rig.x + 2e-4 * tick_length * (double)rig.samples;
    case NO_NUMBER_FIRST:
        return rig.samples <= 5 ? (double)NAN : rig.x;
    case NO_NUMBER:
        return (double)NAN;
    default:
        return rig.x;
    }
}

static uint64_t acknowledged(void)
{
    switch ((error)rig.e) {
    case TICK_ZERO:
        return 0;
    case TICK_MINUS_ONE:
        return UINT64_MAX;
    case TICK_AHEAD:
        return rig.heard + 1000;
    case TICK_HUGE:
        return (uint64_t)1 << 62;
    case TICK_RANDOM:
        return (uint64_t)rand() * (uint64_t)rand();
    case TICK_CONSTANT:
        return rig.stuck ? rig.stuck : (rig.stuck = rig.heard);
    case TICK_BACKWARDS:
        return rig.stuck ? --rig.stuck : (rig.stuck = rig.heard);
    case TICK_AHEAD_EACH_SECOND:
        return rig.heard + (rig.samples % 2 ? 1000 : 0);
    case TICK_ZERO_EACH_SECOND:
        return rig.samples % 2 ? 0 : rig.heard;
    default:
        return rig.heard;
    }
}

static bool sense(ifd_rig *r, ifd_measure *out, double *x)
{
    (void)x;
    double before = rig.x;
    if (rig.powered)
        rig.x += (rig.target - rig.x) * -expm1(-r->tick / lag);
    rig.speed = fmax(rig.speed, fabs(rig.x - before) / r->tick);
    rig.samples++;
    *out = (ifd_measure){.tick = acknowledged(), .time = (double)rig.samples, .inputs = rig.inputs, .actuators = 1};
    out->position[0] = shown();
    out->force[0] = 2e5 * rig.x;
    return true;
}

/* By the output of the program only. */
static void judge(const ifd_command *c)
{
    double p = c->position[0], v = p - rig.p;
    if (!rig.commanded) {
        rig.first = p;
        v = rig.w = 0.0;
    }
    bool outside = rig.commanded && fabs(rig.p) > stroke;
    if (rig.commanded || c->state != IFD_MACHINE_RETURN)
        rig.position = fmax(rig.position, fabs(p) - fmax(stroke, rig.commanded ? fabs(rig.p) : stroke));
    rig.out = fmax(rig.out, outside ? fabs(p) - fabs(rig.p) : 0.0);
    rig.velocity = fmax(rig.velocity, fabs(v) / tick_length);
    rig.acceleration = fmax(rig.acceleration, fabs(v - rig.w) / (tick_length * tick_length));
    rig.w = v;
    rig.p = p;
    rig.commands++;
}

static void command(ifd_rig *r, const ifd_command *c, double *x)
{
    (void)r;
    (void)x;
    assert_true(isfinite(c->position[0]) && isfinite(c->velocity[0]));
    if (c->commanded) {
        judge(c);
        rig.target = c->position[0];
        rig.powered = true;
        assert_int_not_equal(c->state, IFD_MACHINE_IDLE);
        assert_true(rig.inputs & IFD_INPUT_HYDRAULICS);
    } else {
        rig.nothing++;
        assert_true(c->position[0] == rig.p && c->velocity[0] == 0.0); /* the last ones, and 0 before any */
    }
    rig.commanded = c->commanded;
    rig.heard = c->tick;
}

static const ifd_rig_ops ops = OWN_RIG("judge", sense, command);

static const quantity own[] = {QUANTITY(rig, e),         QUANTITY(rig, x),
                               QUANTITY(rig, powered),   QUANTITY(rig, inputs),
                               QUANTITY(rig, p),         QUANTITY(rig, w),
                               QUANTITY(rig, commanded), QUANTITY(rig, commands),
                               QUANTITY(rig, nothing),   QUANTITY(rig, first),
                               QUANTITY(rig, speed),     QUANTITY(rig, position),
                               QUANTITY(rig, velocity),  QUANTITY(rig, acceleration),
                               QUANTITY(rig, out),       {0}};

static stand s;

static player *prepare(error e, double start, int stale_limit)
{
    stand_prepare(&s, 4e5, 2e5);
    memset(&rig, 0, sizeof rig);
    rig.e = (int)e;
    rig.x = start;
    rig.inputs = IFD_INPUT_NO_STOP | IFD_INPUT_HYDRAULICS;
    s.channel.limits.force = 5e3;
    s.channel.limits.tracking = 0.02;
    s.opt.rig = &ops;
    s.opt.rig_setup = NULL;
    s.opt.automatic = true;
    s.opt.arm_samples = 10;
    s.opt.arm_time = 0.1;
    s.opt.arm_timeout = 3.0;
    s.opt.stale_limit = stale_limit;
    s.opt.stale_time = 0.0;
    s.own = own;
    stand_make(&s);
    return &s.p;
}

static void end(void)
{
    stand_close(&s);
}

#define LIMITS_KEPT "position <= 0; out <= 0; velocity <= 1.000000001; acceleration <= 100.0001; "
#define REFUSED "until the end; result FAULT; wait COMMUNICATION; commands = 0"

TEST(a_wrong_first_sample_is_not_followed)
{
    const error errors[] = {NO_ERROR, FIRST_OFF, FIRST_FAR, NO_NUMBER_FIRST, CREEPING};
    for (size_t i = 0; i < COUNT(errors); i++) {
        play(prepare(errors[i], 0.003, 10), "until ready; nothing >= 49; first = 0.003 +- %g; p = first", /* 0.1 s */
             errors[i] == CREEPING ? 2e-4 : 0.0);
        play(&s.p, "until the end; fault NONE; result DONE; " LIMITS_KEPT "speed < 1");
        end();
    }
}

TEST(without_a_position_nothing_is_commanded_and_the_test_ends)
{
    static const struct {
        error e;
        double start;
        const char *wait, *facts;
    } rows[] = {
        {FAR, 0.0, "OUTSIDE", "wait.value = 1.5 +- 1e-12; wait.low = -0.05; wait.high = 0.05"},
        {OUTSIDE, -0.06, "OUTSIDE", "wait.value = -0.06 +- 1e-12; wait.low = -0.05; wait.high = 0.05"},
        {ALTERNATING, 0.0, "NOT_AT_REST", "wait.value = 2e-3 +- 1e-12; wait.low = 0; wait.high = 5e-4 +- 1e-12"},
        {NO_NUMBER, 0.0, "NOT_FINITE", "wait.low = 0; wait.high = 0"},
        {DRIFTING, 0.0, "NOT_AT_REST", "wait.low = 0; wait.high = 5e-4 +- 1e-12"}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        play(prepare(rows[i].e, rows[i].start, 10), "until the end; result FAULT; is idle; fault NOT_ARMED; wait %s",
             rows[i].wait);
        play(&s.p, "wait.channel = 0; %s; wait.seconds = 3 +- 0.01; commands = 0", rows[i].facts);
        play(&s.p, "x = %g; arm; is idle; commands = 0", rows[i].start); /* nor on order */
        end();
    }
}

TEST(a_rig_that_acknowledges_nothing_is_never_armed)
{
    for (int e = FIRST_ERROR_OF_TICKS; e < ERRORS; e++) {
        play(prepare((error)e, 0.003, 10), REFUSED);
        end();
    }
}

/* A stale limit that is never reached must not replace an acknowledgement. */
TEST(a_large_stale_limit_needs_an_acknowledgement_too)
{
    for (int e = FIRST_ERROR_OF_TICKS; e < ERRORS; e++) {
        if (e == TICK_CONSTANT || e == TICK_BACKWARDS || e == TICK_ZERO_EACH_SECOND)
            continue; /* they have answered once, and within this limit no more is required */
        play(prepare((error)e, 0.003, 1000000), REFUSED);
        end();
    }
}

/* The limit is 10, and one command is always in transit. */
TEST(one_that_ceases_to_acknowledge_is_lost_within_the_stale_limit)
{
    static const char *const states[] = {"ready", "ramp-in", "run", "ramp-out"};
    for (int e = FIRST_ERROR_OF_TICKS; e < ERRORS; e++)
        for (size_t i = 0; i < COUNT(states); i++) {
            play(prepare(NO_ERROR, 0.003, 10), "until %s; e := %d; until tripped within 13; fault LOST", states[i],
                 e);
            play(&s.p, "200; " LIMITS_KEPT);
            end();
        }
}

TEST(a_rig_that_lags_a_few_ticks_is_heard)
{
    play(prepare(NO_ERROR, 0.003, 10), "until the end; result DONE; count.LOST = 0");
    end();
}

/* It is found again within the scatter. */
TEST(after_a_trip_no_sample_moves_anything)
{
    const error errors[] = {FAR, ALTERNATING, NO_NUMBER, DRIFTING};
    for (size_t i = 0; i < COUNT(errors); i++) {
        play(prepare(NO_ERROR, 0.003, 10), "until run; 60; trip; e := %d; 100; at := p; 100; p = at; commanded = %d",
             (int)errors[i], errors[i] != NO_NUMBER);
        play(&s.p, "reset; 100; is idle; commanded = 0; e := %d; 200; arm; is ready", (int)NO_ERROR);
        play(&s.p, "first = x +- 5e-4; " LIMITS_KEPT);
        end();
    }
}

/* Pressure returns, and the actuator has sagged meanwhile. */
TEST(without_pressure_nothing_is_commanded_until_armed_again)
{
    static const char *const states[] = {"ready", "ramp-in", "run", "ramp-out", "stopped"};
    for (size_t i = 0; i < COUNT(states); i++) {
        play(prepare(NO_ERROR, 0.003, 10), "until %s; 30; inputs := NO_STOP; 1; commanded = 0; 50", states[i]);
        play(&s.p, "inputs := NO_STOP + HYDRAULICS; x := x + 0.004; powered := 0; 200; commanded = 0");
        play(&s.p, "reset; 200; commanded = 0; arm; " LIMITS_KEPT);
        if (strcmp(states[i], "stopped") != 0)
            play(&s.p, "commanded = 1; first = x +- 1e-9");
        end();
    }
}

TEST(from_outside_the_stroke_it_moves_inward_on_order_only)
{
    for (int side = -1; side <= 1; side += 2) {
        (void)prepare(OUTSIDE, side * 0.06, 10);
        s.channel.limits.force = 2e4; /* it is loaded there */
        play(&s.p, "500; commands = 0; arm; is idle; wait OUTSIDE; return; is return; first = %g", side * 0.06);
        /* inside by a hundredth of the stroke, at creep speed */
        play(&s.p, "until idle; p = %g +- 1e-12; velocity <= 0.1000000001; acceleration <= 10.00001", side * 0.049);
        play(&s.p, LIMITS_KEPT "500; is idle; arm; is ready"); /* it does not arm automatically */
        end();
    }
}

TEST(limits_guard_the_way_back)
{
    for (int cause = 0; cause < 3; cause++) {
        (void)prepare(OUTSIDE, 0.06, 10);
        s.channel.limits.force = 2e4; /* read at every tick */
        play(&s.p, "200; return; 60; is return");
        if (cause == 0)
            s.channel.limits.force = 1e3;
        if (cause == 1)
            rig.e = FAR;
        play(&s.p, "%s; is tripped; 200; w = 0; " LIMITS_KEPT, cause == 2 ? "trip" : "1");
        end();
    }
}

TESTS()
