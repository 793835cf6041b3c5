/* SPDX-License-Identifier: MIT */
/* Pressure by the orders low and high: a rig with a pump, judged by the outputs that it receives. Ticks of 2 ms. */
#include "check.h"
#include "hybrid/hybrid_stand.h"
#include "hybrid/pressure.h"

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

static const quantity own[] = {QUANTITY(rig, lag),    QUANTITY(rig, lost),      QUANTITY(rig, pressed),
                               QUANTITY(rig, silent), QUANTITY(rig, kept),      QUANTITY(rig, x),
                               QUANTITY(rig, f),      QUANTITY(rig, moves_at),  QUANTITY(rig, outputs),
                               QUANTITY(rig, at),     QUANTITY(rig, requested), {0}};

enum { LOW = IFD_OUTPUT_LOW, HIGH = IFD_OUTPUT_HIGH, TICKS_OF_2_S = 1000 };

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
                         .actuators = 1};
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

static stand s;

/* Stroke of 200 mm: arm-spread is 0.005 of it, 1 mm. Force limit 5 kN: 2 % are 100 N. without: the outputs are not
 * mapped. */
static player *open(const char *without)
{
    stand_prepare(&s, 4e5, 2e5);
    memset(&rig, 0, sizeof rig);
    rig.mapped = !without;
    rig.lag = 20;
    s.channel.limits.low = -0.1;
    s.channel.limits.high = 0.1;
    s.channel.limits.force = 5e3;
    s.channel.limits.tracking = 0.02;
    s.opt.rig = &ops;
    s.opt.rig_setup = NULL;
    s.opt.automatic = false;
    s.opt.arm_samples = 10;
    s.opt.ramp_out_end = IFD_RAMP_OUT_START;
    s.own = own;
    stand_make(&s);
    return &s.p;
}

static void end(void)
{
    stand_close(&s);
}

#define UNMAPPED "unmapped"
#define KEPT "kept := 1; 600 with outputs = LOW + HIGH; "
#define STAYS_ON "outputs = LOW + HIGH; 50 with outputs = LOW + HIGH; "
#define STAYS_OFF "outputs = 0; 50 with outputs = 0; "

/* It is requested from the first measurement on, so that the specimen of the earlier test stays as it is; a test that
 * ends in idle leaves it on. With arm and trip it is the test's own pressure: it ends with the test. */
static const scenario kept[] = {
    {"pressure that a rig server has kept stays on after quit", NULL, KEPT "quit: NONE; " STAYS_ON},
    {"and after stop", NULL, KEPT "stop: NONE; " STAYS_ON},
    {"and without measurements", NULL, KEPT "silent := 1; none: NONE; " STAYS_ON},
    {"after arm it ends with the test", NULL, KEPT "arm: NONE; " STAYS_ON "quit; outputs = 0"},
    {"after trip it ends with the test", NULL, KEPT "trip: NONE; " STAYS_ON "quit; outputs = 0"},
    {"and after its return to idle", NULL,
     KEPT "trip: NONE; 50; reset: NONE; is idle; " STAYS_ON "quit; outputs = 0"},
    {"it may be found later than with the first tick", NULL,
     "silent := 1; 20 with outputs = 0; silent := 0; kept := 1; 2; " STAYS_ON},
    {"off ends it", NULL, KEPT "off: NONE; " STAYS_OFF},
    {"pressure that is lost is not requested again", NULL,
     KEPT "lost := 1; kept := 0; none: PRESSURE_LOST; outputs = 0; lost := 0; " STAYS_OFF},
    {"pressure that is not kept is not requested", NULL, "600 with outputs = 0; none: NONE; " STAYS_OFF},
    {"nor with a pressed stop", NULL, "kept := 1; pressed := 1; 600 with outputs = 0; none: NONE; " STAYS_OFF},
    {"nor without outputs", UNMAPPED, "kept := 1; 600 with outputs = 0; none: NONE; " STAYS_OFF},
};
SCENARIOS(kept, open, end)

#define STEADY "50 quiet; low: NONE; until answer within 2000; answer LOW_STEADY; "

static const scenario rows[] = {
    /* 202 ticks after low pressure is there, and watched. */
    {"arm needs low, two seconds, and high", NULL,
     "1000 quiet; requested = 0; wait LOW; wait.channel = -1; arm: NO_HIGH; high: NO_LOW; requested = 0\n"
     "low: NONE; outputs = LOW\n"
     "200 quiet; wait RISES; wait.channel = -1; high: NO_LOW; arm: NO_HIGH; until answer within 2000\n"
     "answer LOW_STEADY; waited = 20 + 1 + 1000 - 202; answer.channel = -1; 10 quiet; wait HIGH; arm: NO_HIGH\n"
     "outputs = LOW; high: NONE; outputs = LOW + HIGH; 20 quiet; arm: NONE; is ready; off: NONE; outputs = 0"},
    /* The motion counts, not the position. */
    {"low pressure is steady below zero", NULL, "at := -0.01; " STEADY},
    {"low pressure is steady above zero", NULL, "at := 0.01; " STEADY},
    /* The pump would answer then: nothing starts by itself. */
    {"without pressure after 10 s the request ends", NULL,
     "lag := -1; 50 quiet; low: NONE; until answer within 6000; waited = 5001; answer NO_PRESSURE; outputs = 0\n"
     "lag := 0; 3000 quiet; outputs = 0"},
    /* An order of the same tick has an answer of its own. */
    {"the reason is given after the answer of an order", NULL,
     "50 quiet; low: NONE; 30 quiet; outputs = LOW; 2 arm: NO_HIGH; x := 0.004; arm: PRESSURE_BACK; outputs = 0\n"
     "none: LOW_MOVED; 100 quiet"},
    /* The watch ends with a measurement of its last tick. */
    {"steady needs a measurement", NULL,
     "50 quiet; low: NONE; 1020 quiet; silent := 1; 1 quiet; silent := 0; none: LOW_STEADY"},
    /* Without measurements a fault where something can move, no matter of pressure. */
    {"high needs a measurement of its tick", NULL,
     STEADY "silent := 1; high: NOT_FRESH; outputs = LOW; silent := 0; high: NONE; outputs = LOW + HIGH\n"
            "silent := 1; 1000 quiet; outputs = LOW + HIGH"},
    {"a pressed stop refuses pressure", NULL,
     "50 quiet; pressed := 1; low: STOP_PRESSED; high: STOP_PRESSED; 50 quiet; requested = 0; pressed := 0\n"
     "low: NONE; outputs = LOW"},
    {"also without outputs", UNMAPPED,
     "50 quiet; pressed := 1; low: STOP_PRESSED; high: STOP_PRESSED; 50 quiet; requested = 0; pressed := 0\n"
     "low: NONE; outputs = LOW"},
    /* An order that acts in the tick of lost pressure is not called refused. */
    {"an order keeps its answer when pressure is lost", NULL,
     STEADY "high: NONE; 600 quiet; arm: NONE; lost := 1; trip: NONE; is tripped; outputs = 0; none: PRESSURE_LOST"},
    /* The last command of a parked test requests the pressure that holds the specimen; that of a test that ramped out
     * to its start does not. */
    {"a parked test leaves pressure on", NULL,
     STEADY "high: NONE; 600 quiet; arm: NONE; run: NONE; until run within 20000; park: PARKS\n"
            "until stopped within 20000; outputs = LOW + HIGH"},
    {"a test that stops leaves none", NULL,
     STEADY "high: NONE; 600 quiet; arm: NONE; run: NONE; until run within 20000; stop: STOPS\n"
            "until stopped within 20000; outputs = 0"},
    /* Pressure is there from the start, and nothing is watched. */
    {"a rig without these outputs is armed as before", UNMAPPED,
     "600 quiet; low: NONE; 2000 quiet; lost := 1; 10 quiet; outputs = LOW; lost := 0; 600 quiet; high: NONE\n"
     "arm: NONE; is ready"},
};
SCENARIOS(rows, open, end)

/* Both sides of each bound; off in the tick of the measurement. */
TEST(what_moves_at_low_pressure_is_off_in_one_tick)
{
    const double spread = 0.005 * (0.1 - -0.1), load = 0.02 * 5e3; /* as the case states them */
    const struct {
        double x, f;
        int at;
        const char *answer;
    } moves[] = {{spread, 0.0, 5, "LOW_STEADY"},
                 {nextafter(spread, 1.0), 0.0, 5, "LOW_MOVED"},
                 {-nextafter(spread, 1.0), 0.0, 5, "LOW_MOVED"},
                 {0.0, load, 5, "LOW_STEADY"},
                 {0.0, (nextafter(64.0 + load, 1e3) - 64.0), 5, "LOW_LOADED"},
                 {0.0, -1.001 * load, 700, "LOW_LOADED"},
                 {0.002, 0.0, 990, "LOW_MOVED"},
                 {0.002, 0.0, 1100, "LOW_STEADY"},
                 {0.0, 1.001 * load, TICKS_OF_2_S, "LOW_LOADED"}, /* in the tick that would end the watch */
                 {0.0, 1.001 * load, TICKS_OF_2_S + 1, "LOW_STEADY"},
                 {(double)NAN, 0.0, 5, "LOW_MOVED"},
                 {0.0, (double)NAN, 5, "LOW_LOADED"},
                 /* before its pressure switch closes: the reference is that of the order */
                 {0.002, 0.0, 0, "LOW_MOVED"},
                 {0.0, 200.0, 0, "LOW_LOADED"}};
    for (size_t i = 0; i < COUNT(moves); i++) {
        player *p = open(NULL);
        play(p, "50 quiet; x := %.17g; f := %.17g; moves_at := %d; low: NONE", moves[i].x, moves[i].f, moves[i].at);
        play(p, "until answer within 2000; answer %s", moves[i].answer);
        bool steady = strcmp(moves[i].answer, "LOW_STEADY") == 0;
        assert_int_equal(ifd_answer_refuses((ifd_answer)(int)play_value(p, "answer")), !steady);
        assert_near(s.h->orders->pressure_stage, steady ? IFD__PRESSURE_LOW : IFD__PRESSURE_OFF, 0.0, "stage");
        if (steady)
            play(p, "outputs = LOW; high: NONE");
        else
            play(p, "outputs = 0; waited in %d..%d; high: NO_LOW", 20 + moves[i].at, 21 + moves[i].at);
        end();
    }
}

/* Lost pressure and a pressed stop end the requests; their return starts nothing. */
TEST(lost_pressure_and_a_stop_end_the_requests)
{
    static const char *const high[] = {"", "high: NONE; "}, *const ends[] = {"lost := 1; none: PRESSURE_LOST",
                                                                             "pressed := 1; none: NONE"};
    for (int i = 0; i < 4; i++) {
        play(open(NULL), STEADY "%s 10 quiet; %s; outputs = 0; lost := 0; pressed := 0", high[i / 2], ends[i % 2]);
        play(&s.p, "2000 quiet; outputs = 0; arm: NO_HIGH; high: NO_LOW");
        end();
    }
}

TEST(pressure_has_stages_with_its_outputs_only)
{
    for (int mapped = 0; mapped < 2; mapped++) {
        play(open(mapped ? NULL : UNMAPPED), "50");
        assert_int_equal((int)s.h->test->wait, mapped ? IFD_WAIT_LOW : IFD_WAIT_ORDER);
        assert_near(s.h->test->wait_owner, -1.0, 0.0, "no channel");
        play(&s.p, "low");
        assert_near(s.h->orders->pressure_stage, mapped ? IFD__PRESSURE_RISES : IFD__PRESSURE_OFF, 0.0, "stage");
        end();
    }
}

/* In a tick without any order, also one of the test itself, and without another answer. */
TEST(what_was_found_is_said_in_a_tick_of_its_own)
{
    (void)open(NULL);
    for (int row = 0; row < 8; row++) {
        const ifd_order given = row & 1 ? IFD_ORDER_ARM : IFD_ORDER_NONE;
        ifd__orders *o = s.h->orders;
        o->pressure_said = IFD_ANSWER_LOW_STEADY;
        s.h->ordered = row & 2 ? IFD_ORDER_QUIT : IFD_ORDER_NONE;
        s.h->trace.answer = row & 4 ? (uint32_t)IFD_ANSWER_NO_HIGH : (uint32_t)IFD_ANSWER_NONE;
        ifd__pressure_answer(s.h, given);
        assert_near(o->pressure_said, row ? IFD_ANSWER_LOW_STEADY : 0.0, 0.0, "row %d: waits", row);
        assert_int_equal(s.h->trace.answer == (uint32_t)IFD_ANSWER_LOW_STEADY, row == 0);
    }
    end();
}

/* Measurements end while pressure rises, is watched, or is steady: off after the stale limit, also if one comes back;
 * at high pressure they stay, as the fault LOST decides there. */
TEST(without_measurements_low_pressure_ends)
{
    static const int begins[] = {5, 200, 1500};
    for (size_t i = 0; i < COUNT(begins); i++) {
        play(open(NULL), "50 quiet; low: NONE; %d; outputs = LOW; silent := 1; until answer within 30000", begins[i]);
        play(&s.p, "waited = %d; answer LOW_SILENT; outputs = 0; high: NO_LOW", s.opt.stale_limit + 1);
        play(&s.p, "low: NOT_FRESH; silent := 0; 2000 quiet; outputs = 0");
        assert_true(ifd_answer_refuses(IFD_ANSWER_LOW_SILENT));
        end();
    }
}

TESTS()
