/* SPDX-License-Identifier: MIT */
/* Pressure by the orders low and high: a rig with a pump, judged by the outputs that it receives. Ticks of 2 ms. */
#include "check.h"
#include "hybrid/hybrid_stand.h"

#include <math.h>
#include <string.h>

static struct {
    int lag;   /* ticks from the request of low pressure to pressure; -1: never */
    int since; /* ticks with the request */
    bool mapped, lost, pressed, silent;
    bool kept;    /* by a rig server, of an earlier test */
    double x, f;  /* m, N: added to the rest position and force once there is pressure */
    int moves_at; /* ticks after pressure came at which they are added */
    uint64_t heard;
    uint32_t outputs;
    long requested; /* ticks with any request */
    double at;      /* m, as commanded */
} rig;

enum { LOW = IFD_OUTPUT_LOW, HIGH = IFD_OUTPUT_HIGH, TICKS_OF_2_S = 1000, TICKS_OF_10_S = 5000 };

static ifd_status open_rig(ifd_rig *r, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    (void)values;
    (void)arena;
    (void)note;
    r->size = 0;
    r->outputs = rig.mapped ? LOW | HIGH : 0;
    return IFD_OK;
}

static bool pressure(void)
{
    return !rig.lost && rig.lag >= 0 && rig.since > rig.lag;
}

static bool sense(ifd_rig *r, ifd_measure *out, double *x)
{
    (void)r;
    (void)x;
    if (rig.silent)
        return false;
    bool there = pressure() || (!rig.mapped && !rig.lost), moved = there && rig.since - rig.lag > rig.moves_at;
    *out = (ifd_measure){.tick = rig.heard,
                         .inputs = (rig.pressed ? 0u : (uint32_t)IFD_INPUT_NO_STOP) |
                                   (there || rig.kept ? (uint32_t)IFD_INPUT_HYDRAULICS : 0u) |
                                   (rig.kept ? (uint32_t)IFD_INPUT_KEPT : 0u),
                         .channels = 1};
    out->position[0] = rig.at + (moved ? rig.x : 0.0);
    out->force[0] = 64.0 + 2e5 * rig.at + (moved ? rig.f : 0.0);
    return true;
}

static void command(ifd_rig *r, const ifd_command *c, double *x)
{
    (void)r;
    (void)x;
    rig.outputs = c->outputs & (LOW | HIGH);
    rig.since = rig.outputs ? rig.since + 1 : 0;
    rig.requested += rig.outputs != 0;
    rig.heard = c->tick;
    rig.at = c->commanded ? c->position[0] : rig.at;
}

static const ifd_param none[] = {{0}};
static const ifd_rig_ops ops = {
    .abi = IFD_RIG_ABI, .name = "pump", .params = none, .open = open_rig, .sense = sense, .command = command};

/* Stroke of 200 mm: arm-spread is 0.005 of it, 1 mm. Force limit 5 kN: 2 % are 100 N. */
static void prepare(stand *s, bool mapped)
{
    stand_prepare(s, 4e5, 2e5);
    memset(&rig, 0, sizeof rig);
    rig.mapped = mapped;
    rig.lag = 20;
    s->channel.limits.low = -0.1;
    s->channel.limits.high = 0.1;
    s->channel.limits.force = 5e3;
    s->channel.limits.tracking = 0.02;
    s->opt.rig = &ops;
    s->opt.rig_setup = NULL;
    s->opt.automatic = false;
    s->opt.arm_samples = 10;
    s->opt.ramp_out_end = IFD_RAMP_OUT_START;
    stand_make(s);
}

static ifd_answer tick(stand *s, ifd_order order)
{
    (void)s->t.tick(s->t.self, &(ifd_tick_in){.order = order});
    return (ifd_answer)s->t.trace(s->t.self)->answer;
}

/* Ticks until an answer, or -1; *answer: it. */
static long until_answer(stand *s, long most, ifd_answer *answer)
{
    for (long k = 1; k <= most; k++)
        if ((*answer = tick(s, IFD_ORDER_NONE)) != IFD_ANSWER_NONE)
            return k;
    return -1;
}

static void rest(stand *s, long ticks)
{
    for (long k = 0; k < ticks; k++)
        assert_int_equal(tick(s, IFD_ORDER_NONE), IFD_ANSWER_NONE);
}

/* It is requested from the first measurement on, so that the specimen of the earlier test stays as it is; a test that
 * ends in idle leaves it on. */
TEST(pressure_that_a_rig_server_has_kept_stays_on)
{
    enum { QUIT, OFF, ARM, TRIP, STOP, NOT_KEPT, PRESSED, NOT_MAPPED, SILENT, LOST, CASES };
    for (int what = QUIT; what < CASES; what++) {
        stand s;
        prepare(&s, what != NOT_MAPPED);
        rig.kept = what != NOT_KEPT;
        rig.pressed = what == PRESSED;
        bool takes = what != NOT_KEPT && what != PRESSED && what != NOT_MAPPED;
        for (int k = 0; k < 600; k++) {
            (void)tick(&s, IFD_ORDER_NONE);
            assert_int_equal(rig.outputs, takes ? LOW | HIGH : 0);
        }
        static const ifd_order orders[CASES] = {IFD_ORDER_QUIT, IFD_ORDER_OFF, IFD_ORDER_ARM, IFD_ORDER_TRIP,
                                                IFD_ORDER_STOP};
        rig.silent = what == SILENT;
        rig.lost = what == LOST;
        rig.kept = rig.kept && what != LOST;
        ifd_answer said = tick(&s, orders[what]);
        uint32_t then = takes && what != OFF && what != LOST ? LOW | HIGH : 0;
        assert_int_equal(rig.outputs, then);
        assert_int_equal(said, what == LOST ? IFD_ANSWER_PRESSURE_LOST : IFD_ANSWER_NONE);
        rig.lost = false;
        for (int k = 0; k < 50; k++) { /* not again */
            (void)tick(&s, IFD_ORDER_NONE);
            assert_int_equal(rig.outputs, then);
        }
        if (what == TRIP || what == ARM) { /* its own pressure now: it ends with the test */
            (void)tick(&s, IFD_ORDER_QUIT);
            assert_int_equal(rig.outputs, 0);
        }
        ifd_arena_close(s.arena);
    }
}

TEST(arm_needs_low_two_seconds_and_high)
{
    stand s;
    ifd_answer answer = IFD_ANSWER_NONE;
    prepare(&s, true);
    rest(&s, 1000);
    assert_int_equal(rig.requested, 0);
    assert_int_equal(ifd_hybrid_wait(s.h).wait, IFD_WAIT_LOW);
    assert_int_equal(tick(&s, IFD_ORDER_ARM), IFD_ANSWER_NO_HIGH);
    assert_int_equal(tick(&s, IFD_ORDER_HIGH), IFD_ANSWER_NO_LOW);
    assert_int_equal(rig.requested, 0);
    assert_int_equal(tick(&s, IFD_ORDER_LOW), IFD_ANSWER_NONE);
    assert_int_equal(rig.outputs, LOW);
    rest(&s, 200); /* pressure is there, and watched */
    assert_int_equal(ifd_hybrid_wait(s.h).wait, IFD_WAIT_RISES);
    assert_int_equal(tick(&s, IFD_ORDER_HIGH), IFD_ANSWER_NO_LOW);
    assert_int_equal(tick(&s, IFD_ORDER_ARM), IFD_ANSWER_NO_HIGH);
    long more = until_answer(&s, 2000, &answer);
    assert_int_equal(answer, IFD_ANSWER_LOW_STEADY);
    assert_int_equal(202 + more, 20 + 1 + TICKS_OF_2_S);
    assert_int_equal(s.t.trace(s.t.self)->answer_channel, -1);
    rest(&s, 10);
    assert_int_equal(ifd_hybrid_wait(s.h).wait, IFD_WAIT_HIGH);
    assert_int_equal(tick(&s, IFD_ORDER_ARM), IFD_ANSWER_NO_HIGH);
    assert_int_equal(rig.outputs, LOW);
    assert_int_equal(tick(&s, IFD_ORDER_HIGH), IFD_ANSWER_NONE);
    assert_int_equal(rig.outputs, LOW | HIGH);
    rest(&s, 20);
    assert_int_equal(tick(&s, IFD_ORDER_ARM), IFD_ANSWER_NONE);
    assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_READY);
    assert_int_equal(tick(&s, IFD_ORDER_OFF), IFD_ANSWER_NONE);
    assert_int_equal(rig.outputs, 0);
    ifd_arena_close(s.arena);
}

/* Both sides of each bound; off in the tick of the measurement. */
TEST(what_moves_at_low_pressure_is_off_in_one_tick)
{
    const double spread = 0.005 * (0.1 - -0.1), load = 0.02 * 5e3; /* as the case states them */
    const struct {
        double x, f;
        int at;
        ifd_answer answer;
    } rows[] = {{spread, 0.0, 5, IFD_ANSWER_LOW_STEADY},
                {nextafter(spread, 1.0), 0.0, 5, IFD_ANSWER_LOW_MOVED},
                {-nextafter(spread, 1.0), 0.0, 5, IFD_ANSWER_LOW_MOVED},
                {0.0, load, 5, IFD_ANSWER_LOW_STEADY},
                {0.0, (nextafter(64.0 + load, 1e3) - 64.0), 5, IFD_ANSWER_LOW_LOADED},
                {0.0, -1.001 * load, 700, IFD_ANSWER_LOW_LOADED},
                {0.002, 0.0, 990, IFD_ANSWER_LOW_MOVED},
                {0.002, 0.0, 1100, IFD_ANSWER_LOW_STEADY},
                {0.0, 1.001 * load, TICKS_OF_2_S, IFD_ANSWER_LOW_LOADED}, /* in the tick that would end the watch */
                {0.0, 1.001 * load, TICKS_OF_2_S + 1, IFD_ANSWER_LOW_STEADY},
                {(double)NAN, 0.0, 5, IFD_ANSWER_LOW_MOVED},
                {0.0, (double)NAN, 5, IFD_ANSWER_LOW_LOADED}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        stand s;
        ifd_answer answer = IFD_ANSWER_NONE;
        prepare(&s, true);
        rest(&s, 50);
        rig.x = rows[i].x;
        rig.f = rows[i].f;
        rig.moves_at = rows[i].at;
        assert_int_equal(tick(&s, IFD_ORDER_LOW), IFD_ANSWER_NONE);
        long k = until_answer(&s, 2000, &answer);
        assert_int_equal(answer, rows[i].answer);
        bool steady = answer == IFD_ANSWER_LOW_STEADY;
        assert_int_equal(rig.outputs, steady ? LOW : 0);
        if (!steady)
            assert_in_range(k, 20 + rows[i].at, 20 + rows[i].at + 1);
        assert_int_equal(ifd_answer_refuses(answer), !steady);
        assert_int_equal(tick(&s, IFD_ORDER_HIGH), steady ? IFD_ANSWER_NONE : IFD_ANSWER_NO_LOW);
        ifd_arena_close(s.arena);
    }
}

/* The motion counts, not the position. */
TEST(low_pressure_is_steady_away_from_zero)
{
    for (int side = -1; side <= 1; side += 2) {
        stand s;
        ifd_answer answer = IFD_ANSWER_NONE;
        prepare(&s, true);
        rig.at = side * 0.01;
        rest(&s, 50);
        assert_int_equal(tick(&s, IFD_ORDER_LOW), IFD_ANSWER_NONE);
        (void)until_answer(&s, 2000, &answer);
        assert_int_equal(answer, IFD_ANSWER_LOW_STEADY);
        ifd_arena_close(s.arena);
    }
}

TEST(without_pressure_after_10_s_the_request_ends)
{
    stand s;
    ifd_answer answer = IFD_ANSWER_NONE;
    prepare(&s, true);
    rig.lag = -1;
    rest(&s, 50);
    assert_int_equal(tick(&s, IFD_ORDER_LOW), IFD_ANSWER_NONE);
    assert_int_equal(until_answer(&s, 6000, &answer), TICKS_OF_10_S + 1);
    assert_int_equal(answer, IFD_ANSWER_NO_PRESSURE);
    assert_int_equal(rig.outputs, 0);
    rig.lag = 0; /* the pump would answer now: nothing starts by itself */
    rest(&s, 3000);
    assert_int_equal(rig.outputs, 0);
    ifd_arena_close(s.arena);
}

/* Lost pressure and a pressed stop end the requests; their return starts nothing. */
TEST(lost_pressure_and_a_stop_end_the_requests)
{
    for (int stop = 0; stop < 2; stop++)
        for (int high = 0; high < 2; high++) {
            stand s;
            ifd_answer answer = IFD_ANSWER_NONE;
            prepare(&s, true);
            rest(&s, 50);
            assert_int_equal(tick(&s, IFD_ORDER_LOW), IFD_ANSWER_NONE);
            (void)until_answer(&s, 2000, &answer);
            assert_int_equal(answer, IFD_ANSWER_LOW_STEADY);
            if (high)
                assert_int_equal(tick(&s, IFD_ORDER_HIGH), IFD_ANSWER_NONE);
            rest(&s, 10);
            rig.lost = !stop;
            rig.pressed = stop;
            answer = tick(&s, IFD_ORDER_NONE);
            assert_int_equal(answer, stop ? IFD_ANSWER_NONE : IFD_ANSWER_PRESSURE_LOST);
            assert_int_equal(rig.outputs, 0);
            rig.lost = rig.pressed = false;
            rest(&s, 2000);
            assert_int_equal(rig.outputs, 0);
            assert_int_equal(tick(&s, IFD_ORDER_ARM), IFD_ANSWER_NO_HIGH);
            assert_int_equal(tick(&s, IFD_ORDER_HIGH), IFD_ANSWER_NO_LOW);
            ifd_arena_close(s.arena);
        }
}

/* The reason is not lost when an order of the same tick has an answer of its own. */
TEST(the_reason_is_given_after_the_answer_of_an_order)
{
    stand s;
    prepare(&s, true);
    rest(&s, 50);
    assert_int_equal(tick(&s, IFD_ORDER_LOW), IFD_ANSWER_NONE);
    rest(&s, 30);
    assert_int_equal(rig.outputs, LOW);
    assert_int_equal(tick(&s, IFD_ORDER_ARM), IFD_ANSWER_NO_HIGH);
    assert_int_equal(tick(&s, IFD_ORDER_ARM), IFD_ANSWER_NO_HIGH);
    rig.x = 0.004;
    assert_int_equal(tick(&s, IFD_ORDER_ARM), IFD_ANSWER_PRESSURE_BACK);
    assert_int_equal(rig.outputs, 0);
    assert_int_equal(tick(&s, IFD_ORDER_NONE), IFD_ANSWER_LOW_MOVED);
    rest(&s, 100);
    ifd_arena_close(s.arena);
}

/* It moves before its pressure switch closes: the reference is that of the order. */
TEST(motion_before_the_pressure_switch_counts)
{
    for (int loads = 0; loads < 2; loads++) {
        stand s;
        ifd_answer answer = IFD_ANSWER_NONE;
        prepare(&s, true);
        rest(&s, 50);
        rig.x = loads ? 0.0 : 0.002;
        rig.f = loads ? 200.0 : 0.0;
        rig.moves_at = 0;
        assert_int_equal(tick(&s, IFD_ORDER_LOW), IFD_ANSWER_NONE);
        assert_in_range(until_answer(&s, 2000, &answer), 20, 21);
        assert_int_equal(answer, loads ? IFD_ANSWER_LOW_LOADED : IFD_ANSWER_LOW_MOVED);
        assert_int_equal(rig.outputs, 0);
        ifd_arena_close(s.arena);
    }
}

/* Measurements end while pressure rises, is watched, or is steady: off after the stale limit, also if one comes back;
 * at high pressure they stay, as the fault LOST decides there. */
TEST(without_measurements_low_pressure_ends)
{
    static const long begins[] = {5, 200, 1500};
    for (size_t i = 0; i < COUNT(begins); i++) {
        stand s;
        ifd_answer answer = IFD_ANSWER_NONE;
        prepare(&s, true);
        rest(&s, 50);
        assert_int_equal(tick(&s, IFD_ORDER_LOW), IFD_ANSWER_NONE);
        for (long k = 0; k < begins[i]; k++)
            (void)tick(&s, IFD_ORDER_NONE);
        assert_int_equal(rig.outputs, LOW);
        rig.silent = true;
        assert_int_equal(until_answer(&s, 30000, &answer), s.opt.stale_limit + 1);
        assert_int_equal(answer, IFD_ANSWER_LOW_SILENT);
        assert_true(ifd_answer_refuses(answer));
        assert_int_equal(rig.outputs, 0);
        assert_int_equal(tick(&s, IFD_ORDER_HIGH), IFD_ANSWER_NO_LOW);
        assert_int_equal(tick(&s, IFD_ORDER_LOW), IFD_ANSWER_RIG_NOT_READY);
        rig.silent = false;
        rest(&s, 2000);
        assert_int_equal(rig.outputs, 0);
        ifd_arena_close(s.arena);
    }
}

/* The watch ends with a measurement of its last tick. */
TEST(steady_needs_a_measurement)
{
    stand s;
    prepare(&s, true);
    rest(&s, 50);
    assert_int_equal(tick(&s, IFD_ORDER_LOW), IFD_ANSWER_NONE);
    rest(&s, 20 + TICKS_OF_2_S);
    rig.silent = true;
    rest(&s, 1);
    rig.silent = false;
    assert_int_equal(tick(&s, IFD_ORDER_NONE), IFD_ANSWER_LOW_STEADY);
    ifd_arena_close(s.arena);
}

TEST(high_needs_a_measurement_of_its_tick)
{
    stand s;
    ifd_answer answer = IFD_ANSWER_NONE;
    prepare(&s, true);
    rest(&s, 50);
    assert_int_equal(tick(&s, IFD_ORDER_LOW), IFD_ANSWER_NONE);
    (void)until_answer(&s, 2000, &answer);
    assert_int_equal(answer, IFD_ANSWER_LOW_STEADY);
    rig.silent = true;
    assert_int_equal(tick(&s, IFD_ORDER_HIGH), IFD_ANSWER_RIG_NOT_READY);
    assert_int_equal(rig.outputs, LOW);
    rig.silent = false;
    assert_int_equal(tick(&s, IFD_ORDER_HIGH), IFD_ANSWER_NONE);
    assert_int_equal(rig.outputs, LOW | HIGH);
    rig.silent = true; /* a fault where something can move, no matter of pressure */
    rest(&s, 1000);
    assert_int_equal(rig.outputs, LOW | HIGH);
    ifd_arena_close(s.arena);
}

TEST(a_pressed_stop_refuses_pressure)
{
    for (int mapped = 0; mapped < 2; mapped++) {
        stand s;
        prepare(&s, mapped);
        rest(&s, 50);
        rig.pressed = true;
        assert_int_equal(tick(&s, IFD_ORDER_LOW), IFD_ANSWER_STOP_PRESSED);
        assert_int_equal(tick(&s, IFD_ORDER_HIGH), IFD_ANSWER_STOP_PRESSED);
        rest(&s, 50);
        assert_int_equal(rig.requested, 0);
        rig.pressed = false;
        assert_int_equal(tick(&s, IFD_ORDER_LOW), IFD_ANSWER_NONE);
        assert_int_equal(rig.outputs, LOW);
        ifd_arena_close(s.arena);
    }
}

/* An order that acts in the tick of lost pressure is not called refused. */
TEST(an_order_keeps_its_answer_when_pressure_is_lost)
{
    stand s;
    ifd_answer answer = IFD_ANSWER_NONE;
    prepare(&s, true);
    rest(&s, 50);
    assert_int_equal(tick(&s, IFD_ORDER_LOW), IFD_ANSWER_NONE);
    (void)until_answer(&s, 2000, &answer);
    assert_int_equal(tick(&s, IFD_ORDER_HIGH), IFD_ANSWER_NONE);
    rest(&s, 600);
    assert_int_equal(tick(&s, IFD_ORDER_ARM), IFD_ANSWER_NONE);
    rig.lost = true;
    assert_int_equal(tick(&s, IFD_ORDER_TRIP), IFD_ANSWER_NONE);
    assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_TRIPPED);
    assert_int_equal(rig.outputs, 0);
    assert_int_equal(tick(&s, IFD_ORDER_NONE), IFD_ANSWER_PRESSURE_LOST);
    ifd_arena_close(s.arena);
}

/* Ticks until a state; -1: not within `most`. */
static long until_state(stand *s, ifd_machine wished, long most)
{
    long k = 0;
    for (; k < most && ifd_hybrid_state(s->h) != wished; k++)
        (void)tick(s, IFD_ORDER_NONE);
    return ifd_hybrid_state(s->h) == wished ? k : -1;
}

/* The last command of a parked test requests the pressure that holds the specimen; that of a test that ramped out to
 * its start does not. */
TEST(a_parked_test_leaves_pressure_on)
{
    for (int parks = 0; parks < 2; parks++) {
        stand s;
        ifd_answer answer = IFD_ANSWER_NONE;
        prepare(&s, true);
        rest(&s, 50);
        assert_int_equal(tick(&s, IFD_ORDER_LOW), IFD_ANSWER_NONE);
        (void)until_answer(&s, 2000, &answer);
        assert_int_equal(tick(&s, IFD_ORDER_HIGH), IFD_ANSWER_NONE);
        rest(&s, 600);
        assert_int_equal(tick(&s, IFD_ORDER_ARM), IFD_ANSWER_NONE);
        assert_int_equal(tick(&s, IFD_ORDER_RUN), IFD_ANSWER_NONE);
        assert_true(until_state(&s, IFD_MACHINE_RUN, 20000) > 0);
        assert_int_equal(tick(&s, parks ? IFD_ORDER_PARK : IFD_ORDER_STOP),
                         parks ? IFD_ANSWER_PARKS : IFD_ANSWER_STOPS);
        assert_true(until_state(&s, IFD_MACHINE_STOPPED, 20000) > 0);
        assert_int_equal(rig.outputs, parks ? LOW | HIGH : 0);
        ifd_arena_close(s.arena);
    }
}

TEST(a_rig_without_these_outputs_is_armed_as_before)
{
    stand s;
    prepare(&s, false);
    rest(&s, 600); /* pressure is there from the start */
    assert_int_equal(tick(&s, IFD_ORDER_LOW), IFD_ANSWER_NONE);
    rest(&s, 2000); /* nothing is watched */
    rig.lost = true;
    rest(&s, 10);
    assert_int_equal(rig.outputs, LOW);
    rig.lost = false;
    rest(&s, 600);
    assert_int_equal(tick(&s, IFD_ORDER_HIGH), IFD_ANSWER_NONE);
    assert_int_equal(tick(&s, IFD_ORDER_ARM), IFD_ANSWER_NONE);
    assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_READY);
    ifd_arena_close(s.arena);
}

TESTS()
