/* SPDX-License-Identifier: MIT */
/* Power of the axes: a rig whose drives are off until they are requested, judged by the commands that it receives. */
#include "check.h"
#include "hybrid/hybrid_stand.h"
#include "hybrid/hybrid.h"
#include "hybrid/power.h"

#include <math.h>
#include <string.h>

static struct {
    int delay;       /* ticks from the request to power; -1: never */
    int since;       /* ticks with the request */
    double x, drift; /* m; m per tick while it receives power */
    uint32_t inputs;
    bool fails; /* loses its power when it moves */
    bool frees; /* its axis is free at the end */
    uint64_t heard;
    uint32_t requests, states; /* outputs and states of all commands */
    long positions, unpowered_positions;
} rig;

static ifd_status open_rig(ifd_rig *r, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    (void)values;
    (void)arena;
    (void)note;
    r->size = 0;
    r->free_at_end = rig.frees;
    return IFD_OK;
}

static bool powered(void)
{
    return rig.delay >= 0 && rig.since > rig.delay && !rig.fails;
}

static bool sense(ifd_rig *r, ifd_measure *out, double *x)
{
    (void)r;
    (void)x;
    *out = (ifd_measure){
        .tick = rig.heard, .inputs = rig.inputs | (powered() ? 0u : (uint32_t)IFD_INPUT_UNPOWERED), .actuators = 1};
    if (rig.since > 0 && !powered())
        rig.x += rig.drift;
    out->position[0] = rig.x;
    out->force[0] = 2e5 * rig.x;
    return true;
}

static void command(ifd_rig *r, const ifd_command *c, double *x)
{
    (void)r;
    (void)x;
    bool asked = c->outputs & IFD_OUTPUT_ENABLE;
    rig.since = asked ? rig.since + 1 : 0;
    rig.requests |= c->outputs;
    rig.states |= 1u << c->state;
    rig.positions += c->commanded;
    rig.unpowered_positions += c->commanded && !powered() && !rig.fails;
    if (c->commanded && powered())
        rig.x = c->position[0];
    rig.heard = c->tick;
}

static const ifd_param none[] = {{0}};
static const ifd_rig_ops ops = {
    .abi = IFD_RIG_ABI, .name = "drives", .params = none, .open = open_rig, .sense = sense, .command = command};

/* Whether power of the drives was ever requested. */
static double requested(const ifd_hybrid *h)
{
    (void)h;
    return rig.requests & IFD_OUTPUT_ENABLE;
}

static const quantity own[] = {QUANTITY(rig, delay),
                               QUANTITY(rig, since),
                               QUANTITY(rig, x),
                               QUANTITY(rig, drift),
                               QUANTITY(rig, inputs),
                               QUANTITY(rig, fails),
                               QUANTITY(rig, positions),
                               QUANTITY(rig, unpowered_positions),
                               {.name = "requested", .of = requested},
                               {0}};

static stand s;

static player *made(int delay, bool frees)
{
    stand_prepare(&s, 4e5, 2e5);
    memset(&rig, 0, sizeof rig);
    rig.delay = delay;
    rig.frees = frees;
    rig.inputs = IFD_INPUT_NO_STOP | IFD_INPUT_HYDRAULICS;
    s.channel.limits.force = 5e3;
    s.channel.limits.tracking = 0.02;
    s.opt.rig = &ops;
    s.opt.rig_setup = NULL;
    s.opt.automatic = false;
    s.opt.wait_tripped = true;
    s.opt.arm_samples = 10;
    s.own = own;
    stand_make(&s);
    rig.x = 0.003;
    return &s.p;
}

static player *open(const char *delay)
{
    return made(atoi(delay), false);
}

static void end(void)
{
    stand_close(&s);
}

#define ARMED "50 quiet; arm: NONE; "
#define RUNS "until ready within 100; waited > 0; run; until run within 10000; "

/* The set-up is the number of ticks from the request to power; -1: never. */
static const scenario rows[] = {
    {"without an order nothing is requested", "0",
     "30000 quiet; requested = 0; positions = 0; run: NOT_ARMED; requested = 0"},
    /* Power is there afterwards: nothing starts by itself, a new order acts. */
    {"without power after 5 s arm is refused and the request ends", "-1",
     ARMED "until answer within 5000; answer NO_POWER; waited in 2501..2503; since = 0; positions = 0; 100 quiet\n"
           "delay := 3; 1000 quiet; is idle; arm: NONE; until ready within 100; waited in 1..6"},
    /* 0.05 m to either side and arm-spread of 0.5 %: 0.5 mm. */
    {"a position that moves meanwhile ends the request", "1000",
     "50 quiet; drift := 1e-5; arm: NONE; until answer within 5000; answer POWER_MOVED; x = 0.0035 +- 3e-5\n"
     "since = 0; positions = 0"},
    {"the stop ends the request", "1000",
     ARMED "100 quiet; since > 0; inputs := HYDRAULICS; 1; since = 0; positions = 0"},
    {"power that fails in motion trips", "2",
     ARMED RUNS "fails := 1; 1; is tripped; fault HYDRAULICS; before := positions; 100 quiet; positions = before"},
};
SCENARIOS(rows, open, end)

TEST(arm_waits_for_power_on_every_axis)
{
    static const int delays[] = {0, 1, 40, 2400};
    for (size_t i = 0; i < COUNT(delays); i++) {
        play(made(delays[i], false), ARMED "is idle; until ready within 3000; waited in %d..%d", delays[i] + 1,
             delays[i] + 2);
        play(&s.p, "unpowered_positions = 0; x = 0.003; 100 quiet; run: NONE; until run within 10000; waited > 0");
        end();
    }
}

/* Such an order costs no time either: ready comes as without it. */
TEST(a_refused_order_leaves_the_request_as_it_is)
{
    static const struct {
        const char *order, *answer;
    } refused[] = {{"run", "NOT_ARMED"},
                   {"hold", "NOT_STARTED"},
                   {"ramp-out", "NOT_STARTED"},
                   {"reset", "NOT_TRIPPED"},
                   {"unload", "NOT_ARMED"},
                   {"slower", "SCALE_NOT_NOW"},
                   {"checkpoint", "NO_CHECKPOINT"},
                   {"update-off", "NO_UPDATES"},
                   {"arm", "POWER_AWAITED"},
                   {"return", "POWER_AWAITED"}};
    for (size_t i = 0; i < COUNT(refused); i++) {
        play(made(200, false), ARMED "100 quiet; %s: %s; answer.order %s; since = 102", refused[i].order,
             refused[i].answer, refused[i].order);
        assert_true(ifd_answer_refuses((ifd_answer)(int)play_value(&s.p, "answer")));
        play(&s.p, "until ready within 1000; waited in 100..101; unpowered_positions = 0");
        end();
    }
}

TEST(updates_are_switched_beside_the_request)
{
    play(made(200, false), ARMED "100 quiet");
    s.h->ordered = IFD_ORDER_UPDATE_ON;
    s.h->trace.answer = IFD_ANSWER_NONE;
    ifd__power_ordered(s.h);
    assert_int_equal(s.h->trace.answer, IFD_ANSWER_NONE);
    assert_int_equal(ifd__power_outputs(s.h), IFD_OUTPUT_ENABLE);
    end();
}

/* And stays in idle, also when power comes afterwards. */
TEST(an_executed_order_cancels_the_request_and_says_so)
{
    static const char *const orders[] = {"off", "low", "high", "stop", "quit", "trip"};
    for (size_t i = 0; i < COUNT(orders); i++) {
        bool trips = strcmp(orders[i], "trip") == 0;
        char text[100];
        play(made(1000, false), ARMED "100 quiet; %s: POWER_CANCELLED; answer.order %s; %s", orders[i], orders[i],
             trips ? "is tripped" : "since = 0");
        ifd_answer_print(s.t.trace(s.t.self), text, sizeof text);
        assert_string_equal(text, "the order that waited for power on every axis is cancelled");
        assert_false(ifd_answer_refuses(IFD_ANSWER_POWER_CANCELLED));
        play(&s.p, "delay := 3; 500 quiet; is %s; positions = 0", trips ? "tripped" : "idle");
        end();
    }
}

/* What ends the wait for power is named, and with it the order that waited. */
TEST(the_order_that_waited_and_its_reason_are_named)
{
    static const char *const order[] = {"arm", "return"},
                             *const reason[] = {"inputs := HYDRAULICS; none: STOP_PRESSED",
                                                "inputs := NO_STOP; none: PRESSURE_OFF",
                                                "inputs := NO_STOP + HYDRAULICS + NOT_ALLOWED; none: NOT_ALLOWED"};
    for (int outside = 0; outside < 2; outside++)
        for (size_t i = 0; i < COUNT(reason); i++) {
            play(made(1000, false), "x := %g; 600 quiet; %s: NONE; 100 quiet; since > 0", outside ? 0.06 : 0.003,
                 order[outside]);
            play(&s.p, "%s; answer.order %s; since = 0", reason[i], order[outside]);
            end();
        }
}

/* 10 mm of 0.2 MN/m are 2 kN on an axis that loses its power. */
TEST(a_loaded_specimen_is_not_left_on_a_free_axis)
{
    static const char *const park[] = {"park: PARKS; is hold", "park: PARK_FREES; is run"};
    for (int frees = 0; frees < 2; frees++) {
        play(made(0, frees), ARMED RUNS "%s; trip; 500; result GOING", park[frees]);
        assert_true(fabs(2e5 * rig.x) > 50.0);
        if (frees) {
            char text[100], expected[100];
            play(&s.p, "quit: QUIT_FREES; result GOING");
            ifd_answer_print(s.t.trace(s.t.self), text, sizeof text);
            snprintf(expected, sizeof expected, "switches axis 1 off: %.2g kN are released. Type quit again",
                     1e-3 * fabs(2e5 * rig.x));
            assert_string_equal(text, expected);
        }
        play(&s.p, "quit; result FAULT");
        end();
    }
}

TEST(a_signal_is_not_asked_twice)
{
    play(made(0, true), ARMED RUNS "trip; 500; quit by signal: QUIT_FREED; result FAULT");
    end();
}

TESTS()
