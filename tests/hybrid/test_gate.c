/* SPDX-License-Identifier: MIT */
/* What the clocks do not permit yet (IFD_GATE_...): arming, the ramp-in, the start. Judged on the commands. */
#include "find_scene.h"

static void prepare(bench *b)
{
    bench_prepare(b, ONE);
    rig.follows = true;
    b->s.opt.ramp_in = 20.0 * period;
    b->s.opt.settle = 2.0 * period;
    assert_int_equal(ifd_hybrid_make(b->s.arena, &b->s.opt, &b->s.h, NULL), IFD_OK);
    b->s.t = ifd_hybrid_ticked(b->s.h);
}

static ifd_run_state ticks(bench *b, int count, uint32_t gate)
{
    ifd_run_state state = IFD_RUN_GOING;
    for (int k = 0; k < count && state == IFD_RUN_GOING; k++)
        state = b->s.t.tick(b->s.t.self, &(ifd_tick_in){.gate = gate});
    return state;
}

static void state_is(const bench *b, ifd_machine state)
{
    assert_string_equal(ifd_machine_name(ifd_hybrid_state(b->s.h)), ifd_machine_name(state));
}

TEST(a_clock_that_is_not_compared_or_wrong_prevents_arming)
{
    static const struct {
        uint32_t gate;
        ifd_wait wait;
    } rows[] = {{IFD_GATE_COMPARE, IFD_WAIT_COMPARE}, {IFD_GATE_PERIOD, IFD_WAIT_PERIOD}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        bench b;
        prepare(&b);
        (void)ticks(&b, 4 * SERIES, rows[i].gate);
        state_is(&b, IFD_MACHINE_IDLE);
        assert_int_equal(ifd_hybrid_wait(b.s.h).wait, rows[i].wait);
        assert_int_equal(ifd_hybrid_wait(b.s.h).channel, -1); /* of no channel */
        assert_int_equal(rig.first, 0);
        (void)ticks(&b, 3, 0);
        assert_true(ifd_hybrid_state(b.s.h) != IFD_MACHINE_IDLE);
        bench_close(&b);
    }
}

TEST(the_start_waits_for_its_instant)
{
    bench b;
    prepare(&b);
    (void)ticks(&b, 4 * SERIES, IFD_GATE_READY | IFD_GATE_START);
    state_is(&b, IFD_MACHINE_READY);
    double at = rig.at[rig.commands - 1][0];
    (void)b.s.t.tick(b.s.t.self, &(ifd_tick_in){.order = IFD_ORDER_RUN, .gate = IFD_GATE_READY | IFD_GATE_START});
    state_is(&b, IFD_MACHINE_READY);
    assert_int_equal(b.s.t.trace(b.s.t.self)->answer, IFD_ANSWER_START_AT);
    assert_near(rig.at[rig.commands - 1][0], at, 0, "no motion before the ramp-in is due");
    (void)ticks(&b, 100, IFD_GATE_START);
    state_is(&b, IFD_MACHINE_RAMP_IN);
    (void)ticks(&b, 1, 0);
    state_is(&b, IFD_MACHINE_RUN); /* at the end of the tick before the instant */
    bench_close(&b);
}

/* Without an agreement nothing starts at the instant; run in ready is the agreement, and the gate delays it. */
TEST(a_test_by_orders_starts_at_its_instant_if_run_was_given)
{
    const uint32_t before = IFD_GATE_READY | IFD_GATE_START;
    for (int agrees = 0; agrees < 3; agrees++) { /* 2: before a trip, which ends an agreement */
        bench b;
        prepare(&b);
        ifd_hybrid_conduct(b.s.h, false, true);
        (void)ticks(&b, 4 * SERIES, before);
        state_is(&b, IFD_MACHINE_IDLE);
        (void)b.s.t.tick(b.s.t.self, &(ifd_tick_in){.order = IFD_ORDER_ARM, .gate = before});
        state_is(&b, IFD_MACHINE_READY);
        if (agrees) {
            (void)b.s.t.tick(b.s.t.self, &(ifd_tick_in){.order = IFD_ORDER_RUN, .gate = before});
            assert_int_equal(b.s.t.trace(b.s.t.self)->answer, IFD_ANSWER_START_AGREED);
        }
        if (agrees == 2) {
            (void)b.s.t.tick(b.s.t.self, &(ifd_tick_in){.order = IFD_ORDER_TRIP, .gate = before});
            (void)ticks(&b, 10, before);
            (void)b.s.t.tick(b.s.t.self, &(ifd_tick_in){.order = IFD_ORDER_RESET, .gate = before});
            (void)ticks(&b, 4 * SERIES, before);
            (void)b.s.t.tick(b.s.t.self, &(ifd_tick_in){.order = IFD_ORDER_ARM, .gate = before});
        }
        (void)ticks(&b, 10, before);
        state_is(&b, IFD_MACHINE_READY);
        (void)ticks(&b, 1, IFD_GATE_START);
        state_is(&b, agrees == 1 ? IFD_MACHINE_RAMP_IN : IFD_MACHINE_READY);
        bench_close(&b);
    }
}

static ifd_answer run_with(bench *b, uint32_t gate)
{
    (void)b->s.t.tick(b->s.t.self, &(ifd_tick_in){.order = IFD_ORDER_RUN, .gate = gate});
    return (ifd_answer)b->s.t.trace(b->s.t.self)->answer;
}

/* In ready, by an order, with the gate of people. */
static void prepare_ready(bench *b)
{
    prepare(b);
    ifd_hybrid_conduct(b->s.h, false, true);
    (void)ticks(b, 4 * SERIES, IFD_GATE_CHECKS);
    state_is(b, IFD_MACHINE_IDLE);
    (void)b->s.t.tick(b->s.t.self, &(ifd_tick_in){.order = IFD_ORDER_ARM, .gate = IFD_GATE_CHECKS});
    state_is(b, IFD_MACHINE_READY);
}

static uint32_t pressed_inputs(long i)
{
    (void)i;
    return GOOD | IFD_INPUT_START;
}

static void press(bench *b, uint32_t gate, ifd_answer answer)
{
    rig.inputs = pressed_inputs;
    (void)ticks(b, 1, gate);
    assert_int_equal(b->s.t.trace(b->s.t.self)->answer, answer);
    assert_int_equal(b->s.t.trace(b->s.t.self)->answer_order, IFD_ORDER_RUN);
    (void)ticks(b, 1, gate); /* the same pressure of the button */
    assert_int_equal(b->s.t.trace(b->s.t.self)->answer, IFD_ANSWER_NONE);
    assert_int_equal(b->s.t.trace(b->s.t.self)->answer_order, IFD_ORDER_NONE);
    rig.inputs = NULL;
    (void)ticks(b, 1, gate);
}

/* It is the order run: half a second after ready began it is answered as typed. */
TEST(the_start_button_has_the_answers_of_run)
{
    const uint32_t checks = IFD_GATE_CHECKS, cleared = IFD_GATE_CHECKS | IFD_GATE_CHECKED;
    const uint32_t before = IFD_GATE_READY | IFD_GATE_START;
    bench b;
    prepare_ready(&b);
    (void)ticks(&b, 300, checks);
    press(&b, checks, IFD_ANSWER_NOT_CHECKED);
    state_is(&b, IFD_MACHINE_READY);
    press(&b, cleared, IFD_ANSWER_NONE);
    state_is(&b, IFD_MACHINE_RAMP_IN);
    bench_close(&b);
    prepare_ready(&b);
    (void)ticks(&b, 300, before);
    press(&b, before, IFD_ANSWER_START_AGREED);
    state_is(&b, IFD_MACHINE_READY);
    (void)ticks(&b, 1, IFD_GATE_START);
    state_is(&b, IFD_MACHINE_RAMP_IN);
    bench_close(&b);
}

TEST(run_waits_for_the_clearance_of_people)
{
    bench b;
    prepare_ready(&b);
    assert_int_equal(run_with(&b, IFD_GATE_CHECKS), IFD_ANSWER_NOT_CHECKED);
    (void)ticks(&b, 50, IFD_GATE_CHECKS);
    state_is(&b, IFD_MACHINE_READY); /* a refused order is forgotten */
    (void)ticks(&b, 1, IFD_GATE_CHECKS | IFD_GATE_CHECKED);
    (void)ticks(&b, 1, IFD_GATE_CHECKS); /* taken back */
    assert_int_equal(run_with(&b, IFD_GATE_CHECKS), IFD_ANSWER_NOT_CHECKED);
    (void)ticks(&b, 5, IFD_GATE_CHECKS | IFD_GATE_CHECKED);
    state_is(&b, IFD_MACHINE_READY);
    assert_int_equal(run_with(&b, IFD_GATE_CHECKS | IFD_GATE_CHECKED), IFD_ANSWER_NONE);
    state_is(&b, IFD_MACHINE_RAMP_IN);
    bench_close(&b);
}

/* With the order in the tick of its clearance, and without people. */
TEST(run_needs_no_tick_between)
{
    bench b;
    prepare_ready(&b);
    assert_int_equal(run_with(&b, IFD_GATE_CHECKS | IFD_GATE_CHECKED), IFD_ANSWER_NONE);
    state_is(&b, IFD_MACHINE_RAMP_IN);
    bench_close(&b);
    prepare_ready(&b);
    assert_int_equal(run_with(&b, 0), IFD_ANSWER_NONE);
    state_is(&b, IFD_MACHINE_RAMP_IN);
    bench_close(&b);
}

/* The thread that gives it may hang: a clearance that did not fall meanwhile is not that of the new arming. */
TEST(a_clearance_belongs_to_one_arming)
{
    const uint32_t cleared = IFD_GATE_CHECKS | IFD_GATE_CHECKED;
    bench b;
    prepare_ready(&b);
    (void)ticks(&b, 3, cleared);
    (void)b.s.t.tick(b.s.t.self, &(ifd_tick_in){.order = IFD_ORDER_TRIP, .gate = cleared});
    state_is(&b, IFD_MACHINE_TRIPPED);
    (void)ticks(&b, 20, cleared);
    (void)b.s.t.tick(b.s.t.self, &(ifd_tick_in){.order = IFD_ORDER_RESET, .gate = cleared});
    state_is(&b, IFD_MACHINE_IDLE);
    (void)ticks(&b, 4 * SERIES, cleared);
    (void)b.s.t.tick(b.s.t.self, &(ifd_tick_in){.order = IFD_ORDER_ARM, .gate = cleared});
    state_is(&b, IFD_MACHINE_READY);
    (void)ticks(&b, 5, cleared);
    assert_int_equal(run_with(&b, cleared), IFD_ANSWER_NOT_CHECKED);
    (void)ticks(&b, 1, IFD_GATE_CHECKS);
    assert_int_equal(run_with(&b, cleared), IFD_ANSWER_NONE);
    state_is(&b, IFD_MACHINE_RAMP_IN);
    bench_close(&b);
}

/* Before the start instant too: it is no agreement, and an agreement whose clearance is taken back does not count. */
TEST(an_agreement_needs_the_clearance)
{
    const uint32_t early = IFD_GATE_READY | IFD_GATE_START | IFD_GATE_CHECKS;
    for (int back = 0; back < 2; back++) {
        bench b;
        prepare_ready(&b);
        assert_int_equal(run_with(&b, early), IFD_ANSWER_NOT_CHECKED);
        assert_int_equal(run_with(&b, early | IFD_GATE_CHECKED), IFD_ANSWER_START_AGREED);
        (void)ticks(&b, 3, back ? early : early | IFD_GATE_CHECKED);
        (void)ticks(&b, 2, IFD_GATE_START | IFD_GATE_CHECKS | (back ? 0u : (uint32_t)IFD_GATE_CHECKED));
        state_is(&b, back ? IFD_MACHINE_READY : IFD_MACHINE_RAMP_IN);
        if (back) { /* the instant has passed; a clearance given again moves nothing without an order */
            (void)ticks(&b, 5, IFD_GATE_CHECKS | IFD_GATE_CHECKED);
            state_is(&b, IFD_MACHINE_READY);
            assert_int_equal(run_with(&b, IFD_GATE_CHECKS | IFD_GATE_CHECKED), IFD_ANSWER_NONE);
            state_is(&b, IFD_MACHINE_RAMP_IN);
        }
        bench_close(&b);
    }
}

/* In other states run has its usual answer. */
TEST(run_in_idle_is_not_armed)
{
    bench b;
    prepare(&b);
    ifd_hybrid_conduct(b.s.h, false, true);
    (void)ticks(&b, 4 * SERIES, IFD_GATE_CHECKS);
    assert_int_equal(run_with(&b, IFD_GATE_CHECKS), IFD_ANSWER_NOT_ARMED);
    bench_close(&b);
}

TEST(a_rig_that_is_not_ready_when_the_ramp_in_is_due_ends_the_test)
{
    bench b;
    prepare(&b);
    (void)ticks(&b, 5, IFD_GATE_READY | IFD_GATE_START);
    state_is(&b, IFD_MACHINE_IDLE);
    assert_int_equal(ticks(&b, 1, IFD_GATE_START), IFD_RUN_FAULT);
    assert_int_equal(ifd_hybrid_trip(b.s.h).trip, IFD_TRIP_NOT_ARMED);
    assert_int_equal(rig.first, 0); /* nothing was commanded */
    bench_close(&b);
}

TEST(a_test_does_not_start_late)
{
    bench b;
    prepare(&b);
    (void)ticks(&b, 4 * SERIES, IFD_GATE_READY | IFD_GATE_START);
    (void)ticks(&b, 5, IFD_GATE_START);
    state_is(&b, IFD_MACHINE_RAMP_IN);
    (void)ticks(&b, 1, 0);
    state_is(&b, IFD_MACHINE_RAMP_OUT);
    (void)ticks(&b, 1000, 0);
    for (long k = 0; k < rig.commands; k++)
        assert_int_not_equal(rig.state[k], IFD_MACHINE_RUN);
    bench_close(&b);
}

/* A rig that leads with another period moves at other velocities than the limits permit: the test holds. */
TEST(another_period_during_the_motion_holds_it)
{
    bench b;
    prepare(&b);
    (void)ticks(&b, 4 * SERIES + 60, 0);
    state_is(&b, IFD_MACHINE_RUN);
    (void)ticks(&b, 2, IFD_GATE_PERIOD);
    state_is(&b, IFD_MACHINE_HOLD);
    assert_int_equal(ifd_hybrid_trip(b.s.h).trip, IFD_TRIP_LATE);
    assert_int_equal(ifd_hybrid_trip(b.s.h).channel, -1); /* of no channel */
    bench_close(&b);
}

TESTS()
