/* SPDX-License-Identifier: MIT */
/* What the clocks do not permit yet (IFD_GATE_...): arming, the ramp-in, the start. Judged on the commands. */
#include "find_scene.h"

static bench b;
static struct {
    uint32_t set;    /* inputs: the start button */
    double at;       /* m, last command */
    bool ran, moved; /* a command of the state run; any command of a position */
} seen;

static const quantity own[] = {
    QUANTITY(seen, set), QUANTITY(seen, at), QUANTITY(seen, ran), QUANTITY(seen, moved), {0}};

static uint32_t inputs(long i)
{
    (void)i;
    return GOOD | seen.set;
}

static void see(void *s)
{
    (void)s;
    seen.at = rig.at[rig.commands - 1][0];
    seen.ran = seen.ran || rig.state[rig.commands - 1] == IFD_MACHINE_RUN;
    seen.moved = rig.first != 0;
}

/* A rig is found in 52 ticks (SERIES), the ramp-in takes 20. orders: it is armed and runs by orders. */
static player *open(const char *orders)
{
    bench_prepare(&b, ONE);
    memset(&seen, 0, sizeof seen);
    rig.follows = true;
    rig.inputs = inputs;
    b.s.opt.ramp_in = 20.0 * period;
    b.s.opt.settle = 2.0 * period;
    b.s.own = own;
    b.s.p.after = see;
    stand_make(&b.s);
    if (orders)
        ifd_hybrid_conduct(b.s.h, false, true);
    return &b.s.p;
}

static void end(void)
{
    bench_close(&b);
}

#define BY_ORDERS "by orders"
/* Before the instant of the start. */
#define EARLY "gate := READY + START; 208; result GOING; is idle; arm; result GOING; is ready; "
#define CLEARED "gate := CHECKS + CHECKED; " /* people clear the run */
#define UNCLEARED "gate := CHECKS; "
#define ARMED UNCLEARED "208; result GOING; is idle; arm; result GOING; is ready; "
/* The button is pressed for two ticks: it is the order run, once. */
#define PRESS(answer_to_it)                                                                                          \
    "set := START; 1; answer " answer_to_it "; answer.order run; 1; answer NONE; answer.order none; set := 0; 1; "

static const scenario clocks[] = {
    {"a clock that is not compared prevents arming", NULL,
     "gate := COMPARE; 208; result GOING; is idle; wait COMPARE; wait.channel = -1; moved = 0\n"
     "gate := 0; 3; is != idle"},
    {"a clock with another period prevents arming", NULL,
     "gate := PERIOD; 208; is idle; wait PERIOD; wait.channel = -1; moved = 0; gate := 0; 3; is != idle"},
    {"the start waits for its instant", NULL,
     "gate := READY + START; 208; is ready; rest := at; run: START_AT; is ready; at = rest; gate := START; 100\n"
     "is ramp-in; gate := 0; 1; is run" /* at the end of the tick before the instant */},
    {"a test by orders does not start at its instant without an agreement", BY_ORDERS,
     EARLY "10; is ready; gate := START; 1; is ready"},
    {"a test by orders starts at its instant if run was given", BY_ORDERS,
     EARLY "run: START_AGREED; 10; is ready; gate := START; 1; is ramp-in"},
    {"a trip ends an agreement", BY_ORDERS,
     EARLY "run: START_AGREED; trip; 10; reset; 208; arm; 10; is ready; gate := START; 1; is ready"},
    {"a rig that is not ready when the ramp-in is due ends the test", NULL,
     "gate := READY + START; 5; is idle; gate := START; 1; result FAULT; fault NOT_ARMED; moved = 0"},
    {"a test does not start late", NULL,
     "gate := READY + START; 208; gate := START; 5; is ramp-in; gate := 0; 1; is ramp-out; 1000; ran = 0"},
    /* A rig that leads with another period moves at other velocities than the limits permit. */
    {"another period during the motion holds it", NULL,
     "268; is run; gate := PERIOD; 2; is hold; fault LATE; fault.channel = -1"},
};
SCENARIOS(clocks, open, end)

static const scenario people[] = {
    /* It is the order run: half a second after ready began it is answered as typed. */
    {"the start button has the answers of run", BY_ORDERS,
     ARMED "300; " PRESS("NOT_CHECKED") "is ready; " CLEARED PRESS("NONE") "is ramp-in"},
    {"the start button agrees to the start at its instant", BY_ORDERS,
     ARMED "gate := READY + START; 300; " PRESS("START_AGREED") "is ready; gate := START; 1; is ramp-in"},
    /* A refused order is forgotten; a clearance can be taken back. */
    {"run waits for the clearance of people", BY_ORDERS,
     ARMED "run: NOT_CHECKED; 50; is ready; " CLEARED "1; " UNCLEARED "1; run: NOT_CHECKED; " CLEARED
           "5; is ready; run: NONE; is ramp-in"},
    {"run is given in the tick of its clearance", BY_ORDERS, ARMED CLEARED "run: NONE; is ramp-in"},
    {"without people run needs no clearance", BY_ORDERS, ARMED "gate := 0; run: NONE; is ramp-in"},
    /* The thread that gives it may hang: a clearance that did not fall meanwhile is not that of the new arming. */
    {"a clearance belongs to one arming", BY_ORDERS,
     ARMED CLEARED "3; trip; is tripped; 20; reset; is idle; 208; arm; is ready; 5; run: NOT_CHECKED; " UNCLEARED
                   "1; " CLEARED "run: NONE; is ramp-in"},
    {"before the instant of the start an agreement needs the clearance", BY_ORDERS,
     ARMED "gate := READY + START + CHECKS; run: NOT_CHECKED; gate := READY + START + CHECKS + CHECKED\n"
           "run: START_AGREED; 3; gate := START + CHECKS + CHECKED; 2; is ramp-in"},
    /* The instant has passed; a clearance given again moves nothing without an order. */
    {"an agreement whose clearance is taken back does not count", BY_ORDERS,
     ARMED "gate := READY + START + CHECKS; run: NOT_CHECKED; gate := READY + START + CHECKS + CHECKED\n"
           "run: START_AGREED; gate := READY + START + CHECKS; 3; gate := START + CHECKS; 2; is ready; " CLEARED
           "5; is ready; run: NONE; is ramp-in"},
    {"run in idle is not armed", BY_ORDERS, UNCLEARED "208; run: NOT_ARMED"},
};
SCENARIOS(people, open, end)

TESTS()
