/* SPDX-License-Identifier: MIT */
/* The order stop, who gives it, and the orders around it: park, unload, arm after a return of pressure, the start
 * button and the outputs. What is judged are states and commands as the rig receives them. */
#include "check.h"

#include <string.h>

#include "faults/scene.h"
#include "hybrid/checkpoint.h"
#include "hybrid/hybrid.h"

static scene s;

static int ticks_of(double seconds)
{
    return (int)round(seconds / ifd_hybrid_period(s.h));
}

/* Outputs: requests to the power supply, those for pressure; for recorders and lamps; how often the beat changed. */
static double power_of(const ifd_hybrid *h)
{
    (void)h;
    return bad.outputs & (IFD_OUTPUT_ENABLE | IFD_OUTPUT_LOW | IFD_OUTPUT_HIGH);
}

static double pressure_of(const ifd_hybrid *h)
{
    (void)h;
    return bad.outputs & (IFD_OUTPUT_LOW | IFD_OUTPUT_HIGH);
}

static double lamps_of(const ifd_hybrid *h)
{
    (void)h;
    return bad.outputs & (IFD_OUTPUT_TRIGGER | IFD_OUTPUT_RUNNING);
}

static uint32_t beat, beats;

static void count_beats(void *unused)
{
    (void)unused;
    beats += (bad.outputs & IFD_OUTPUT_BEAT) != beat;
    beat = bad.outputs & IFD_OUTPUT_BEAT;
}

static const quantity own[] = {QUANTITY(bad, rest),
                               QUANTITY(bad, commanded),
                               {.name = "force", .kind = 'd', .at = &bad.said.force[0]},
                               {.name = "second", .kind = 'd', .at = &bad.said.force[1]},
                               {.name = "power", .of = power_of},
                               {.name = "pressure", .of = pressure_of},
                               {.name = "lamps", .of = lamps_of},
                               {.name = "beats", .kind = 'w', .at = &beats},
                               {0}};

/* Two springs in idle; set: an override of the case. */
static player *open(const char *set)
{
    scene_open(&s, SPRINGS, (const char *const[2]){set, NULL});
    s.p.own = own;
    s.p.after = count_beats;
    return &s.p;
}

/* They are in a state, moved as it moves. */
static player *brought(const char *set, ifd_machine state)
{
    (void)open(set);
    scene_bring(&s, state);
    return &s.p;
}

static player *idle(const char *set)
{
    return brought(set, IFD_MACHINE_IDLE);
}

static player *runs(const char *set)
{
    return brought(set, IFD_MACHINE_RUN);
}

#define RESTS "200; is hold; rest = 1; " /* on hold */

static player *held(const char *set)
{
    play(brought(set, IFD_MACHINE_HOLD), RESTS);
    return &s.p;
}

/* On hold at rest, on a rig that moves iron. */
static player *real(const char *set)
{
    (void)open(set);
    bad.ops.simulated = NULL;
    scene_bring(&s, IFD_MACHINE_HOLD);
    play(&s.p, RESTS);
    return &s.p;
}

static void over(void)
{
    assert_string_equal(bad.broke, "");
    scene_replays(&s);
    scene_close(&s);
}

/* The states that the rig sees, after one order and without any further one. */
TEST(one_stop_of_anybody_ends_a_test_at_rest)
{
    static const char *const sources[] = {"holder", "signal", "automatic", "viewer"};
    static const struct {
        ifd_machine in;
        const char *passes;
    } rows[] = {{IFD_MACHINE_READY, "stopped"},
                {IFD_MACHINE_RAMP_IN, "ramp-out stopped"},
                {IFD_MACHINE_RUN, "hold ramp-out stopped"}};
    /* With judged forces the test rests when they are known, at the beginning of a tick. */
    static const char *const judged = "test.hold-relaxation=0.05";
    for (size_t i = 0; i < 2 * COUNT(sources) * COUNT(rows); i++) {
        ifd_snapshot kept; /* for --continue */
        bool holds = rows[i / 2 % COUNT(rows)].in == IFD_MACHINE_RUN;
        (void)open(i % 2 ? judged : NULL);
        bad.ops.simulated = NULL;
        scene_bring(&s, rows[i / 2 % COUNT(rows)].in);
        s.p.passes = 0;
        play(&s.p, "stop by %s; %s", sources[i / 2 / COUNT(rows)],
             holds ? "is hold; until ramp-out within 8000" : "0");
        if (holds)
            assert_true(ifd_hybrid_snapshot(s.h, &kept) && kept.state == IFD_MACHINE_HOLD);
        play(&s.p, "until the end within 8000; result DONE; passed %s", rows[i / 2 % COUNT(rows)].passes);
        over();
    }
}

static const scenario in_idle[] = {
    {"a stop in idle ends without motion", NULL, "stop by viewer; result DONE; commanded = 0"},
};
SCENARIOS(in_idle, idle, over)

/* Ticks of 2 ms. */
TEST(a_second_stop_half_a_second_later_trips)
{
    static const struct {
        const char *first, *second;
        double after;
        bool trips;
    } rows[] = {
        {"holder", "holder", 0.498, false},  {"holder", "holder", 0.5, true},    {"holder", "signal", 0.5, true},
        {"holder", "viewer", 0.6, false},    {"viewer", "viewer", 0.498, false}, {"viewer", "viewer", 0.5, true},
        {"viewer", "another", 0.6, false},   {"viewer", "holder", 0.5, true},    {"viewer", "automatic", 0.6, false},
        {"holder", "automatic", 0.6, false}, {"automatic", "holder", 0.5, true}, {"signal", "signal", 0.002, false},
    };
    static const ifd_machine from[] = {IFD_MACHINE_RUN, IFD_MACHINE_RAMP_IN};
    for (size_t i = 0; i < 2 * COUNT(rows); i++) {
        player *p = brought(NULL, from[i % 2]); /* before ticks_of */
        play(p, "stop by %s; %d; stop by %s; %s", rows[i / 2].first, ticks_of(rows[i / 2].after) - 1,
             rows[i / 2].second,
             rows[i / 2].trips ? "is tripped; answer STOP_TRIPS; fault ORDERED; 50"
                               : "is != tripped; answer != STOP_TRIPS; 50");
        over();
    }
}

/* hold and ramp-out in ramp-in are a stop: the next stop is the same one for half a second, then the second one. */
TEST(every_order_that_ends_a_ramp_in_is_the_first_stop)
{
    static const char *const orders[] = {"stop", "hold", "ramp-out"};
    for (size_t i = 0; i < 2 * COUNT(orders); i++) {
        bool second = i % 2;
        player *p = brought(NULL, IFD_MACHINE_RAMP_IN); /* before ticks_of */
        play(p, "%s; is ramp-out; %d; stop; is %s; 50", orders[i / 2], ticks_of(second ? 0.5 : 0.498) - 1,
             second ? "tripped" : "ramp-out");
        over();
    }
}

TEST(a_stop_in_a_ramp_out_trips_unless_it_is_automatic)
{
    static const char *const stops[] = {"stop; is tripped; 50", "stop by viewer; is tripped; 50",
                                        "stop by automatic; is ramp-out; 50"};
    for (size_t i = 0; i < COUNT(stops); i++) {
        play(brought(NULL, IFD_MACHINE_RAMP_OUT), "%s", stops[i]);
        over();
    }
}

/* The holder moves it, a viewer does not, and his order is forgotten. */
static const scenario on_hold[] = {
    {"on hold the holder ramps out after a viewer could not", NULL,
     "stop by viewer: STOP_REFUSED; 1 s; is hold; rest = 1; stop; is ramp-out; 50"},
    {"on hold the stop of a viewer is forgotten", NULL,
     "stop by viewer: STOP_REFUSED; 1 s; is hold; rest = 1; resume; is run; 50"},
    {"an automatic stop on a simulated rig acts at once", NULL, "stop by automatic; is ramp-out; 20"},
};
SCENARIOS(on_hold, held, over)

/* An automatic stop on a hold at rest is announced for 10 s on a real rig, unless a person gives an order; a second
 * one is the same. The stop of a viewer is refused meanwhile. */
#define WAITS "stop by automatic; is hold; "
#define STAYS "with rest = 1; "
#define CALLS "stop by viewer: STOP_REFUSED; rest = 1; "
static const scenario announced[] = {
    {"an automatic stop on hold acts after ten seconds", NULL,
     WAITS "2500 " STAYS "stop by automatic; 499 " STAYS CALLS "1998 " STAYS "is hold; 1 " STAYS "is ramp-out; 20"},
    {"hold cancels it", NULL,
     WAITS "2000 " STAYS "hold; is hold; 499 " STAYS CALLS "499 " STAYS CALLS "2999 " STAYS "is hold; 20"},
    {"resume cancels it", NULL, WAITS "2000 " STAYS "resume; is run; 20"},
    {"park overtakes it", NULL, WAITS "2000 " STAYS "park; is stopped; 20"},
    {"stop overtakes it", NULL, WAITS "2000 " STAYS "stop; is ramp-out; 20"},
};
SCENARIOS(announced, real, over)

/* While the hold still brakes: the ten seconds begin at rest. */
TEST(ten_seconds_are_those_at_rest)
{
    (void)open(NULL);
    bad.ops.simulated = NULL;
    scene_bring(&s, IFD_MACHINE_RUN);
    play(&s.p, "hold; stop by automatic: STOP_LATER");
    int braked = 0;
    for (; !ifd__checkpoint_rests(s.h) && braked < 1000; braked++)
        scene_tick(&s, IFD_ORDER_NONE);
    assert_true(braked > 10);
    play(&s.p, "until is != hold within 6000; waited in 5000..5001");
    over();
}

/* After a trip nothing is left of a stop: the next hold stays, and the next stop is a first one. */
#define BEGINS_AGAIN "stop; is hold; trip; 0.6 s; reset; 100; arm; run; until run within 8000; "
static const scenario tripped[] = {
    {"a trip forgets a stop: the next hold stays", NULL, BEGINS_AGAIN "hold; is hold; 1 s; is hold"},
    {"a trip forgets a stop: the next one is the first", NULL, BEGINS_AGAIN "stop; is hold; 1 s; is ramp-out"},
};
SCENARIOS(tripped, runs, over)

/* Pressure that was ordered stays on where specimens stay loaded, and only there. */
TEST(pressure_stays_where_specimens_stay_loaded)
{
    static const struct {
        const char *leave, *order, *outputs;
    } rows[] = {{"test.leave=start", "park", "LOW + HIGH"},
                {"test.leave=start", "ramp-out", "0"},
                {"test.leave=stay", "ramp-out", "LOW + HIGH"},
                {"test.leave=stay", "unload", "0"}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        play(open(rows[i].leave), "10; low; high");
        scene_bring(&s, IFD_MACHINE_HOLD);
        play(&s.p, RESTS "pressure = LOW + HIGH; %s; until the end within 30000; is stopped; pressure = %s",
             rows[i].order, rows[i].outputs);
        over();
    }
}

/* A hold by a fault in the tick of the stop: the test ends nevertheless. */
TEST(a_fault_in_the_same_tick_does_not_lose_a_stop)
{
    (void)brought("test.overrun=hold", IFD_MACHINE_RUN);
    scene_break(&s, &(trouble){.late = 20.0, .ticks = 1, .order = IFD_ORDER_STOP});
    play(&s.p, "is hold; until ramp-out within 8000; until stopped within 8000");
    over();
}

/* From hold, and after a trip by reset and arm, from a small and a large force (at the beginning of run), with a case
 * that leaves the specimens where they are. */
TEST(unload_takes_the_force_off_whatever_the_case_leaves)
{
    static const char *const large[] = {"force < -50", "force < -50", "force > 1900"},
                             *const arms =
                                 "trip; 100; unload: TRIPPED; reset; 100; unload: NOT_ARMED; arm; is ready; ";
    for (int way = 0; way < 3; way++) {
        if (way < 2)
            play(brought("test.leave=stay", IFD_MACHINE_HOLD), RESTS);
        else
            play(brought("test.leave=stay", IFD_MACHINE_RAMP_IN), "until run within 8000");
        play(&s.p, "%s; %s unload; is ramp-out; until the end within 30000; is stopped", large[way], way ? arms : "");
        play(&s.p, "force = 0 +- 20; second = 0 +- 20");
        over();
    }
}

/* Pressure off, or a stop pressed, in idle: arm is refused with the reason, then for 1 s after its end, and nothing
 * happens by itself. */
TEST(arm_is_refused_until_pressure_is_back_for_a_second)
{
    static const struct {
        uint32_t set, clear;
        const char *wrong, *back;
    } rows[] = {{0, IFD_INPUT_HYDRAULICS, "PRESSURE_OFF", "PRESSURE_BACK"},
                {0, IFD_INPUT_NO_STOP, "STOP_PRESSED", "STOP_BACK"},
                {IFD_INPUT_RIG_STOPPED, 0, "RIG_STOPPED", "RIG_BACK"}};
    for (size_t k = 0; k < 2 * COUNT(rows); k++) {
        size_t i = k / 2;
        const trouble wrong = {.set = rows[i].set, .clear = rows[i].clear, .ticks = 3};
        play(open(NULL), "10");
        scene_break(&s, &(trouble){.set = rows[i].set, .clear = rows[i].clear});
        play(&s.p, "arm: %s", rows[i].wrong);
        scene_repair(&s);
        play(&s.p, "%d; arm: %s; answer.value = 0.4 +- 1e-9", ticks_of(0.4) - 1, rows[i].back);
        play(&s.p, "%d; arm: %s", ticks_of(0.6) - 2, rows[i].back);
        /* forgotten; or in the tick in which the second has passed */
        play(&s.p, "%d; is idle; commanded = 0; arm; is ready", k % 2 ? 500 : 0);
        scene_break(&s, &wrong);
        play(&s.p, "5; is tripped; 1000; is tripped"); /* right again: no state changes */
        over();
    }
}

/* A rig that has not measured yet has no input that was wrong: it is armed as soon as it is found. */
TEST(inputs_count_from_the_first_measurement)
{
    (void)open(NULL);
    scene_break(&s, &(trouble){.silent = true, .ticks = 10});
    play(&s.p, "30; arm; is ready");
    over();
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
        play(open(NULL), "60");
        for (int k = -60; k < 1000; k++) {
            double t = k * ifd_hybrid_period(s.h);
            if (fabs(t - rows[i].pressed) < 1e-9)
                bad_rig_break(&(trouble){.set = IFD_INPUT_START}), s.left = -1;
            if (fabs(t - rows[i].released) < 1e-9)
                scene_repair(&s);
            play(&s.p, k < 0 ? "1; is idle" : k == 0 ? "arm" : "1");
            if (k == 900)
                play(&s.p, rows[i].runs ? "is run" : "is ready");
        }
        over();
    }
}

/* In the commands of the rig. The beat changes in every tick. While it brakes after off, drives keep their power. */
static const scenario power[] = {
    {"outputs request power from arm to the end of motion", NULL,
     "10; power = 0; low; power = LOW; high; power = LOW + HIGH; before := beats; 10; beats = before + 10\n"
     "arm; power = ENABLE + LOW + HIGH; low: ONLY_IDLE; power = ENABLE + LOW + HIGH; run; until run within 8000\n"
     "lamps = 0; power = ENABLE + LOW + HIGH; 1; lamps = 3; power = ENABLE + LOW + HIGH; 50; off; is tripped\n"
     "power = ENABLE; 200; power = 0; reset; 100; power = 0; arm; power = ENABLE"},
    {"the end clears the pressure", NULL, "10; low; quit; power = 0; 10; power = 0"},
};
SCENARIOS(power, open, over)

TEST(a_pressed_stop_clears_the_pressure)
{
    play(open(NULL), "10; low");
    scene_break(&s, &(trouble){.clear = IFD_INPUT_NO_STOP, .ticks = 1});
    play(&s.p, "power = 0; 10; power = 0");
    over();
}

/* In lockstep a tick of 2 ms can take 0.1 s: the wait of a test that starts by itself is bounded by the clock of
 * people, here 60 s. */
TEST(the_wait_for_a_rig_is_bounded_in_wall_clock_time)
{
    (void)open(NULL);
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
