/* SPDX-License-Identifier: MIT */
/* The order stop, who gives it, and the orders around it: park, unload, arm after a return of pressure, the start
 * button and the outputs. What is judged are states and commands as the rig receives them. */
#include "check.h"

#include <string.h>

#include "faults/scene.h"
#include "hybrid/checkpoint.h"
#include "hybrid/hybrid.h"

enum { VIEWER = IFD_SOURCE_VIEWER, ANOTHER = IFD_SOURCE_VIEWER + 1 };

static void say(scene *s, ifd_order order, uint32_t source)
{
    s->source = source;
    scene_tick(s, order);
    s->source = IFD_SOURCE_HOLDER;
}

static ifd_answer answer(const scene *s)
{
    return (ifd_answer)s->t.trace(s->t.self)->answer;
}

static void is(const scene *s, ifd_machine state)
{
    assert_string_equal(ifd_machine_name(ifd_hybrid_state(s->h)), ifd_machine_name(state));
}

static int ticks_of(const scene *s, double seconds)
{
    return (int)round(seconds / ifd_hybrid_period(s->h));
}

static void over(scene *s)
{
    assert_string_equal(bad.broke, "");
    scene_replays(s);
    scene_close(s);
}

static void rests_on_hold(scene *s)
{
    scene_bring(s, IFD_MACHINE_HOLD);
    scene_ticks(s, 200);
    is(s, IFD_MACHINE_HOLD);
    assert_true(bad.rest);
}

/* The states that the rig sees, after one order and without any further one. */
TEST(one_stop_of_anybody_ends_a_test_at_rest)
{
    static const uint32_t sources[] = {IFD_SOURCE_HOLDER, IFD_SOURCE_SIGNAL, IFD_SOURCE_AUTOMATIC, VIEWER};
    static const struct {
        ifd_machine in, first;
    } rows[] = {{IFD_MACHINE_READY, IFD_MACHINE_STOPPED},
                {IFD_MACHINE_RAMP_IN, IFD_MACHINE_RAMP_OUT},
                {IFD_MACHINE_RUN, IFD_MACHINE_HOLD}};
    /* With judged forces the test rests when they are known, at the beginning of a tick. */
    static const char *const judged[] = {"test.hold-relaxation=0.05", NULL};
    for (size_t i = 0; i < 2 * COUNT(sources) * COUNT(rows); i++) {
        scene s;
        scene_open(&s, SPRINGS, i % 2 ? judged : NULL);
        bad.ops.simulated = NULL;
        scene_bring(&s, rows[i / 2 % COUNT(rows)].in);
        say(&s, IFD_ORDER_STOP, sources[i / 2 / COUNT(rows)]);
        assert_int_equal(bad.state, rows[i / 2 % COUNT(rows)].first);
        bool held = false, out = false, backwards = false;
        for (int k = 0; k < 8000 && s.last == IFD_RUN_GOING; k++) {
            ifd_snapshot kept; /* for --continue */
            scene_tick(&s, IFD_ORDER_NONE);
            if (held && !out && bad.state == IFD_MACHINE_RAMP_OUT)
                assert_true(ifd_hybrid_snapshot(s.h, &kept) && kept.state == IFD_MACHINE_HOLD);
            held = held || bad.state == IFD_MACHINE_HOLD;
            backwards = backwards || (out && bad.state == IFD_MACHINE_HOLD);
            out = out || bad.state == IFD_MACHINE_RAMP_OUT;
        }
        assert_int_equal(s.last, IFD_RUN_DONE);
        is(&s, IFD_MACHINE_STOPPED);
        assert_false(backwards);
        assert_int_equal(out, rows[i / 2 % COUNT(rows)].in != IFD_MACHINE_READY);
        over(&s);
    }
}

TEST(a_stop_in_idle_ends_without_motion)
{
    scene s;
    scene_open(&s, SPRINGS, NULL);
    scene_bring(&s, IFD_MACHINE_IDLE);
    say(&s, IFD_ORDER_STOP, VIEWER);
    assert_int_equal(s.last, IFD_RUN_DONE);
    assert_int_equal(bad.commanded, 0);
    over(&s);
}

/* Ticks of 2 ms. */
TEST(a_second_stop_half_a_second_later_trips)
{
    static const struct {
        uint32_t first, second;
        double after;
        bool trips;
    } rows[] = {
        {IFD_SOURCE_HOLDER, IFD_SOURCE_HOLDER, 0.498, false},
        {IFD_SOURCE_HOLDER, IFD_SOURCE_HOLDER, 0.5, true},
        {IFD_SOURCE_HOLDER, IFD_SOURCE_SIGNAL, 0.5, true},
        {IFD_SOURCE_HOLDER, VIEWER, 0.6, false},
        {VIEWER, VIEWER, 0.498, false},
        {VIEWER, VIEWER, 0.5, true},
        {VIEWER, ANOTHER, 0.6, false},
        {VIEWER, IFD_SOURCE_HOLDER, 0.5, true},
        {VIEWER, IFD_SOURCE_AUTOMATIC, 0.6, false},
        {IFD_SOURCE_HOLDER, IFD_SOURCE_AUTOMATIC, 0.6, false},
        {IFD_SOURCE_AUTOMATIC, IFD_SOURCE_HOLDER, 0.5, true},
        {IFD_SOURCE_SIGNAL, IFD_SOURCE_SIGNAL, 0.002, false},
    };
    static const ifd_machine from[] = {IFD_MACHINE_RUN, IFD_MACHINE_RAMP_IN};
    for (size_t i = 0; i < 2 * COUNT(rows); i++) {
        scene s;
        scene_open(&s, SPRINGS, NULL);
        scene_bring(&s, from[i % 2]);
        say(&s, IFD_ORDER_STOP, rows[i / 2].first);
        scene_ticks(&s, ticks_of(&s, rows[i / 2].after) - 1);
        ifd_machine before = ifd_hybrid_state(s.h);
        say(&s, IFD_ORDER_STOP, rows[i / 2].second);
        if ((ifd_hybrid_state(s.h) == IFD_MACHINE_TRIPPED) != rows[i / 2].trips)
            fail_msg("row %d in %s: %s", (int)i / 2, ifd_machine_name(before),
                     ifd_machine_name(ifd_hybrid_state(s.h)));
        assert_int_equal(answer(&s) == IFD_ANSWER_STOP_TRIPS, rows[i / 2].trips);
        if (rows[i / 2].trips)
            assert_int_equal(ifd_hybrid_trip(s.h).trip, IFD_TRIP_ORDERED);
        scene_ticks(&s, 50);
        over(&s);
    }
}

/* hold and ramp-out in ramp-in are a stop: the next stop is the same one for half a second, then the second one. */
TEST(every_order_that_ends_a_ramp_in_is_the_first_stop)
{
    static const ifd_order orders[] = {IFD_ORDER_STOP, IFD_ORDER_HOLD, IFD_ORDER_RAMP_OUT};
    for (size_t i = 0; i < 2 * COUNT(orders); i++) {
        bool second = i % 2;
        scene s;
        scene_open(&s, SPRINGS, NULL);
        scene_bring(&s, IFD_MACHINE_RAMP_IN);
        scene_tick(&s, orders[i / 2]);
        is(&s, IFD_MACHINE_RAMP_OUT);
        scene_ticks(&s, ticks_of(&s, second ? 0.5 : 0.498) - 1);
        scene_tick(&s, IFD_ORDER_STOP);
        is(&s, second ? IFD_MACHINE_TRIPPED : IFD_MACHINE_RAMP_OUT);
        scene_ticks(&s, 50);
        over(&s);
    }
}

TEST(a_stop_in_a_ramp_out_trips_unless_it_is_automatic)
{
    static const uint32_t sources[] = {IFD_SOURCE_HOLDER, VIEWER, IFD_SOURCE_AUTOMATIC};
    for (size_t i = 0; i < COUNT(sources); i++) {
        scene s;
        scene_open(&s, SPRINGS, NULL);
        scene_bring(&s, IFD_MACHINE_RAMP_OUT);
        say(&s, IFD_ORDER_STOP, sources[i]);
        is(&s, sources[i] == IFD_SOURCE_AUTOMATIC ? IFD_MACHINE_RAMP_OUT : IFD_MACHINE_TRIPPED);
        scene_ticks(&s, 50);
        over(&s);
    }
}

/* On hold at rest: the holder moves it, a viewer does not, and his order is forgotten. */
TEST(on_hold_only_the_holder_ramps_out)
{
    for (int holder = 0; holder < 2; holder++) {
        scene s;
        scene_open(&s, SPRINGS, NULL);
        rests_on_hold(&s);
        say(&s, IFD_ORDER_STOP, VIEWER);
        assert_int_equal(answer(&s), IFD_ANSWER_STOP_REFUSED);
        scene_ticks(&s, ticks_of(&s, 1.0));
        is(&s, IFD_MACHINE_HOLD);
        assert_true(bad.rest);
        say(&s, holder ? IFD_ORDER_STOP : IFD_ORDER_RESUME, IFD_SOURCE_HOLDER);
        is(&s, holder ? IFD_MACHINE_RAMP_OUT : IFD_MACHINE_RUN);
        scene_ticks(&s, 50);
        over(&s);
    }
}

/* An automatic stop on a hold at rest: at once on a simulated rig, 10 s later on a real one, unless a person gives an
 * order. */
TEST(an_automatic_stop_on_hold_is_announced_for_ten_seconds)
{
    static const struct {
        bool simulated;
        ifd_order between;
        ifd_machine next;
    } rows[] = {{true, IFD_ORDER_NONE, IFD_MACHINE_RAMP_OUT}, {false, IFD_ORDER_NONE, IFD_MACHINE_RAMP_OUT},
                {false, IFD_ORDER_HOLD, IFD_MACHINE_HOLD},    {false, IFD_ORDER_RESUME, IFD_MACHINE_RUN},
                {false, IFD_ORDER_PARK, IFD_MACHINE_STOPPED}, {false, IFD_ORDER_STOP, IFD_MACHINE_RAMP_OUT}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        scene s;
        scene_open(&s, SPRINGS, NULL);
        if (!rows[i].simulated)
            bad.ops.simulated = NULL;
        rests_on_hold(&s);
        say(&s, IFD_ORDER_STOP, IFD_SOURCE_AUTOMATIC);
        is(&s, rows[i].simulated ? IFD_MACHINE_RAMP_OUT : IFD_MACHINE_HOLD);
        int waited = 0;
        for (; waited < 6000 && ifd_hybrid_state(s.h) == IFD_MACHINE_HOLD; waited++) {
            bool speaks = rows[i].between && waited == 2000;
            say(&s,
                speaks           ? rows[i].between
                : waited == 3000 ? IFD_ORDER_STOP
                : waited == 2500 ? IFD_ORDER_STOP
                                 : IFD_ORDER_NONE,
                speaks           ? IFD_SOURCE_HOLDER
                : waited == 2500 ? (rows[i].between ? VIEWER : IFD_SOURCE_AUTOMATIC) /* again: the same one */
                                 : VIEWER);                                          /* refused */
            assert_true(bad.rest);
            if (speaks)
                is(&s, rows[i].next);
        }
        if (!rows[i].simulated && !rows[i].between)
            assert_int_equal(waited, ticks_of(&s, 10.0));
        if (rows[i].between == IFD_ORDER_HOLD)
            assert_int_equal(waited, 6000);
        scene_ticks(&s, 20);
        over(&s);
    }
}

/* While the hold still brakes: the ten seconds begin at rest. */
TEST(ten_seconds_are_those_at_rest)
{
    scene s;
    scene_open(&s, SPRINGS, NULL);
    bad.ops.simulated = NULL;
    scene_bring(&s, IFD_MACHINE_RUN);
    scene_tick(&s, IFD_ORDER_HOLD);
    say(&s, IFD_ORDER_STOP, IFD_SOURCE_AUTOMATIC);
    assert_int_equal(answer(&s), IFD_ANSWER_STOP_LATER);
    int braked = 0, waited = 0;
    for (; !ifd__checkpoint_rests(s.h) && braked < 1000; braked++)
        scene_tick(&s, IFD_ORDER_NONE);
    for (; ifd_hybrid_state(s.h) == IFD_MACHINE_HOLD && waited < 6000; waited++)
        scene_tick(&s, IFD_ORDER_NONE);
    assert_true(braked > 10);
    assert_in_range(waited, ticks_of(&s, 10.0), ticks_of(&s, 10.0) + 1);
    over(&s);
}

/* After a trip nothing is left of a stop: the next hold stays, and the next stop is a first one. */
TEST(a_trip_forgets_a_stop)
{
    for (int stops = 0; stops < 2; stops++) {
        scene s;
        scene_open(&s, SPRINGS, NULL);
        scene_bring(&s, IFD_MACHINE_RUN);
        scene_tick(&s, IFD_ORDER_STOP);
        is(&s, IFD_MACHINE_HOLD);
        scene_tick(&s, IFD_ORDER_TRIP);
        scene_ticks(&s, ticks_of(&s, 0.6));
        scene_tick(&s, IFD_ORDER_RESET);
        scene_ticks(&s, 100);
        scene_tick(&s, IFD_ORDER_ARM);
        scene_tick(&s, IFD_ORDER_RUN);
        scene_until(&s, IFD_MACHINE_RUN);
        scene_tick(&s, stops ? IFD_ORDER_STOP : IFD_ORDER_HOLD);
        is(&s, IFD_MACHINE_HOLD);
        scene_ticks(&s, ticks_of(&s, 1.0));
        is(&s, stops ? IFD_MACHINE_RAMP_OUT : IFD_MACHINE_HOLD);
        over(&s);
    }
}

/* Pressure that was ordered stays on where specimens stay loaded, and only there. */
TEST(pressure_stays_where_specimens_stay_loaded)
{
    enum { POWER = IFD_OUTPUT_LOW | IFD_OUTPUT_HIGH };
    static const struct {
        const char *leave;
        ifd_order order;
        bool kept;
    } rows[] = {{"test.leave=start", IFD_ORDER_PARK, true},
                {"test.leave=start", IFD_ORDER_RAMP_OUT, false},
                {"test.leave=stay", IFD_ORDER_RAMP_OUT, true},
                {"test.leave=stay", IFD_ORDER_UNLOAD, false}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        scene s;
        scene_open(&s, SPRINGS, (const char *const[]){rows[i].leave, NULL});
        scene_ticks(&s, 10);
        scene_tick(&s, IFD_ORDER_LOW);
        scene_tick(&s, IFD_ORDER_HIGH);
        rests_on_hold(&s);
        assert_int_equal(bad.outputs & POWER, POWER);
        scene_tick(&s, rows[i].order);
        for (int k = 0; k < 30000 && s.last == IFD_RUN_GOING; k++)
            scene_tick(&s, IFD_ORDER_NONE);
        is(&s, IFD_MACHINE_STOPPED);
        if ((bad.outputs & POWER) != (rows[i].kept ? POWER : 0))
            fail_msg("%s, %s: outputs %x", rows[i].leave, ifd_order_name(rows[i].order), bad.outputs);
        over(&s);
    }
}

/* A hold by a fault in the tick of the stop: the test ends nevertheless. */
TEST(a_fault_in_the_same_tick_does_not_lose_a_stop)
{
    scene s;
    scene_open(&s, SPRINGS, (const char *const[]){"test.overrun=hold", NULL});
    scene_bring(&s, IFD_MACHINE_RUN);
    scene_break(&s, &(trouble){.late = 20.0, .ticks = 1, .order = IFD_ORDER_STOP});
    is(&s, IFD_MACHINE_HOLD);
    scene_until(&s, IFD_MACHINE_RAMP_OUT);
    scene_until(&s, IFD_MACHINE_STOPPED);
    over(&s);
}

static double force_of(const scene *s, int k)
{
    return bad.said.force[k] + 0.0 * (double)s->ticks;
}

/* To the beginning of run: the largest force. */
static void ramps_up(scene *s)
{
    scene_bring(s, IFD_MACHINE_RAMP_IN);
    scene_until(s, IFD_MACHINE_RUN);
}

/* From hold, and after a trip by reset and arm, from a small and a large force, with a case that leaves the specimens
 * where they are. */
TEST(unload_takes_the_force_off_whatever_the_case_leaves)
{
    for (int way = 0; way < 3; way++) {
        scene s;
        scene_open(&s, SPRINGS, (const char *const[]){"test.leave=stay", NULL});
        if (way < 2)
            rests_on_hold(&s);
        else
            ramps_up(&s);
        assert_true(fabs(force_of(&s, 0)) > (way < 2 ? 50.0 : 1900.0));
        if (way >= 1) {
            scene_tick(&s, IFD_ORDER_TRIP);
            scene_ticks(&s, 100);
            scene_tick(&s, IFD_ORDER_UNLOAD);
            assert_int_equal(answer(&s), IFD_ANSWER_TRIPPED);
            scene_tick(&s, IFD_ORDER_RESET);
            scene_ticks(&s, 100);
            scene_tick(&s, IFD_ORDER_UNLOAD);
            assert_int_equal(answer(&s), IFD_ANSWER_NOT_ARMED);
            scene_tick(&s, IFD_ORDER_ARM);
            is(&s, IFD_MACHINE_READY);
        }
        scene_tick(&s, IFD_ORDER_UNLOAD);
        is(&s, IFD_MACHINE_RAMP_OUT);
        for (int k = 0; k < 30000 && s.last == IFD_RUN_GOING; k++)
            scene_tick(&s, IFD_ORDER_NONE);
        is(&s, IFD_MACHINE_STOPPED);
        for (int k = 0; k < 2; k++)
            assert_near(force_of(&s, k), 0.0, 20.0, "specimen %d, way %d", k, way);
        over(&s);
    }
}

/* Pressure off, or a stop pressed, in idle: arm is refused with the reason, then for 1 s after its end, and nothing
 * happens by itself. */
TEST(arm_is_refused_until_pressure_is_back_for_a_second)
{
    static const struct {
        uint32_t set, clear;
        ifd_answer wrong, back;
    } rows[] = {{0, IFD_INPUT_HYDRAULICS, IFD_ANSWER_PRESSURE_OFF, IFD_ANSWER_PRESSURE_BACK},
                {0, IFD_INPUT_NO_STOP, IFD_ANSWER_STOP_PRESSED, IFD_ANSWER_STOP_BACK},
                {IFD_INPUT_RIG_STOPPED, 0, IFD_ANSWER_RIG_STOPPED, IFD_ANSWER_RIG_BACK}};
    for (size_t k = 0; k < 2 * COUNT(rows); k++) {
        size_t i = k / 2;
        scene s;
        scene_open(&s, SPRINGS, NULL);
        scene_ticks(&s, 10);
        scene_break(&s, &(trouble){.set = rows[i].set, .clear = rows[i].clear});
        scene_tick(&s, IFD_ORDER_ARM);
        assert_int_equal(answer(&s), rows[i].wrong);
        scene_repair(&s);
        scene_ticks(&s, ticks_of(&s, 0.4) - 1);
        scene_tick(&s, IFD_ORDER_ARM);
        assert_int_equal(answer(&s), rows[i].back);
        assert_near(s.t.trace(s.t.self)->answer_value, 0.4, 1e-9, "since");
        scene_ticks(&s, ticks_of(&s, 0.6) - 2);
        scene_tick(&s, IFD_ORDER_ARM);
        assert_int_equal(answer(&s), rows[i].back);
        scene_ticks(&s, k % 2 ? 500 : 0); /* forgotten; or in the tick in which the second has passed */
        is(&s, IFD_MACHINE_IDLE);
        assert_int_equal(bad.commanded, 0);
        scene_tick(&s, IFD_ORDER_ARM);
        is(&s, IFD_MACHINE_READY);
        scene_break(&s, &(trouble){.set = rows[i].set, .clear = rows[i].clear, .ticks = 3});
        scene_ticks(&s, 5);
        is(&s, IFD_MACHINE_TRIPPED);
        scene_ticks(&s, 1000); /* right again: no state changes */
        is(&s, IFD_MACHINE_TRIPPED);
        over(&s);
    }
}

/* A rig that has not measured yet has no input that was wrong: it is armed as soon as it is found. */
TEST(inputs_count_from_the_first_measurement)
{
    scene s;
    scene_open(&s, SPRINGS, NULL);
    scene_break(&s, &(trouble){.silent = true, .ticks = 10});
    scene_ticks(&s, 30);
    scene_tick(&s, IFD_ORDER_ARM);
    is(&s, IFD_MACHINE_READY);
    over(&s);
}

/* A rising edge in ready, half a second after it began. A button that is held since before does nothing. */
TEST(the_start_button_is_the_order_run_in_ready_only)
{
    static const struct {
        double pressed, released; /* s after arm */
        bool runs;
    } rows[] = {{0.496, 2.0, false},  {0.498, 2.0, false}, {0.5, 0.504, true},
                {0.502, 0.504, true}, {-0.1, 2.0, false},  {-0.1, -0.05, false}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        scene s;
        scene_open(&s, SPRINGS, NULL);
        scene_ticks(&s, 60);
        for (int k = -60; k < 1000; k++) {
            double t = k * ifd_hybrid_period(s.h);
            if (fabs(t - rows[i].pressed) < 1e-9)
                bad_rig_break(&(trouble){.set = IFD_INPUT_START}), s.left = -1;
            if (fabs(t - rows[i].released) < 1e-9)
                scene_repair(&s);
            scene_tick(&s, k == 0 ? IFD_ORDER_ARM : IFD_ORDER_NONE);
            if (k < 0)
                is(&s, IFD_MACHINE_IDLE);
            if (k == 900)
                is(&s, rows[i].runs ? IFD_MACHINE_RUN : IFD_MACHINE_READY);
        }
        over(&s);
    }
}

/* Requests to the power supply, in the commands of the rig. */
TEST(outputs_request_power_from_arm_to_the_end_of_motion)
{
    enum { POWER = IFD_OUTPUT_ENABLE | IFD_OUTPUT_LOW | IFD_OUTPUT_HIGH };
    scene s;
    scene_open(&s, SPRINGS, NULL);
    scene_ticks(&s, 10);
    assert_int_equal(bad.outputs & POWER, 0);
    scene_tick(&s, IFD_ORDER_LOW);
    assert_int_equal(bad.outputs & POWER, IFD_OUTPUT_LOW);
    scene_tick(&s, IFD_ORDER_HIGH);
    assert_int_equal(bad.outputs & POWER, IFD_OUTPUT_LOW | IFD_OUTPUT_HIGH);
    uint32_t beat = bad.outputs & IFD_OUTPUT_BEAT;
    for (int k = 0; k < 10; k++, beat = bad.outputs & IFD_OUTPUT_BEAT) {
        scene_tick(&s, IFD_ORDER_NONE);
        assert_int_not_equal(bad.outputs & IFD_OUTPUT_BEAT, beat);
    }
    scene_tick(&s, IFD_ORDER_ARM);
    assert_int_equal(bad.outputs & POWER, POWER);
    scene_tick(&s, IFD_ORDER_LOW);
    assert_int_equal(answer(&s), IFD_ANSWER_ONLY_IDLE);
    assert_int_equal(bad.outputs & POWER, POWER);
    scene_tick(&s, IFD_ORDER_RUN);
    scene_until(&s, IFD_MACHINE_RUN);
    assert_int_equal(bad.outputs & (POWER | 3), POWER);
    scene_tick(&s, IFD_ORDER_NONE);
    assert_int_equal(bad.outputs & (POWER | 3), POWER | IFD_OUTPUT_TRIGGER | IFD_OUTPUT_RUNNING);
    scene_ticks(&s, 50);
    scene_tick(&s, IFD_ORDER_OFF);
    is(&s, IFD_MACHINE_TRIPPED);
    assert_int_equal(bad.outputs & POWER, IFD_OUTPUT_ENABLE); /* while it brakes */
    scene_ticks(&s, 200);
    assert_int_equal(bad.outputs & POWER, 0);
    scene_tick(&s, IFD_ORDER_RESET);
    scene_ticks(&s, 100);
    assert_int_equal(bad.outputs & POWER, 0);
    scene_tick(&s, IFD_ORDER_ARM); /* a new order enables again */
    assert_int_equal(bad.outputs & POWER, IFD_OUTPUT_ENABLE);
    over(&s);
}

TEST(pressed_stop_and_end_clear_the_pressure)
{
    for (int ends = 0; ends < 2; ends++) {
        scene s;
        scene_open(&s, SPRINGS, NULL);
        scene_ticks(&s, 10);
        scene_tick(&s, IFD_ORDER_LOW);
        if (ends)
            scene_tick(&s, IFD_ORDER_QUIT);
        else
            scene_break(&s, &(trouble){.clear = IFD_INPUT_NO_STOP, .ticks = 1});
        assert_int_equal(bad.outputs & IFD_OUTPUT_LOW, 0);
        scene_ticks(&s, 10);
        assert_int_equal(bad.outputs & IFD_OUTPUT_LOW, 0);
        over(&s);
    }
}

/* In lockstep a tick of 2 ms can take 0.1 s: the wait of a test that starts by itself is bounded by the clock of
 * people, here 60 s. */
TEST(the_wait_for_a_rig_is_bounded_in_wall_clock_time)
{
    scene s;
    scene_open(&s, SPRINGS, NULL);
    s.h->opt.automatic = s.h->facts.real = true;
    bad_rig_break(&(trouble){.clear = IFD_INPUT_NO_STOP});
    ifd_run_state last = IFD_RUN_GOING;
    int ticks = 0;
    for (; last == IFD_RUN_GOING && ticks < 5000; ticks++)
        last = s.t.tick(s.t.self, &(ifd_tick_in){.wall = 0.1 * (ticks + 1)});
    assert_int_equal(last, IFD_RUN_FAULT);
    assert_int_equal(ifd_hybrid_trip(s.h).trip, IFD_TRIP_NOT_ARMED);
    assert_in_range(ticks, 599, 602);
    scene_close(&s);
}

TESTS()
