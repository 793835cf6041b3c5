/* SPDX-License-Identifier: MIT */
/* Reaction of a test to unexpected behaviour of its rig or operator. */
#include <interfield/hybrid.h>
#include <interfield/virtual.h>

#include <string.h>

#include "check.h"
#include "hybrid/hybrid_stand.h"
#include "hybrid/hybrid.h"

/* Measurements and commands of the rig, with changes. */
static struct {
    long commands, nothing; /* with positions, and without */
    long silent_before;     /* no measurement before this call of sense */
    long senses;
    bool silent, deaf;
    uint32_t set, clear; /* inputs */
    double shift;        /* m, of the measured position */
    double last[3];      /* commands, newest first */
    double worst_step;   /* largest change of velocity between commands */
    uint64_t heard;
} rig;

static ifd_rig_ops ops;

static bool sense(ifd_rig *r, ifd_measure *out, double *x)
{
    bool fresh = ifd_virtual_rig.sense(r, out, x);
    out->inputs = (out->inputs | rig.set) & ~rig.clear;
    out->position[0] += rig.shift;
    if (rig.deaf)
        out->tick = rig.heard;
    fresh = fresh || rig.commands + rig.nothing == 0; /* hardware measures with and without commands */
    return fresh && !rig.silent && ++rig.senses > rig.silent_before;
}

static void command(ifd_rig *r, const ifd_command *c, double *x)
{
    if (c->commanded) {
        rig.last[2] = rig.last[1];
        rig.last[1] = rig.last[0];
        rig.last[0] = c->position[0];
        if (++rig.commands > 2)
            rig.worst_step = fmax(rig.worst_step, fabs(rig.last[0] - 2.0 * rig.last[1] + rig.last[2]));
    } else {
        rig.nothing++;
    }
    if (!rig.deaf)
        rig.heard = c->tick;
    ifd_virtual_rig.command(r, c, x);
}

static const quantity own[] = {QUANTITY(rig, silent),
                               QUANTITY(rig, deaf),
                               QUANTITY(rig, set),
                               QUANTITY(rig, clear),
                               QUANTITY(rig, shift),
                               QUANTITY(rig, commands),
                               QUANTITY(rig, nothing),
                               QUANTITY(rig, silent_before),
                               QUANTITY(rig, worst_step),
                               {.name = "last", .kind = 'd', .at = &rig.last[0]},
                               {0}};

static stand s;

static void prepare(const char *set)
{
    stand_prepare(&s, 4e5, 2e5);
    memset(&rig, 0, sizeof rig);
    ops = ifd_virtual_rig;
    ops.sense = sense;
    ops.command = command;
    s.bench.start = 0.005;
    s.opt.rig = &ops;
    s.own = own;
    stand_set(&s, set);
}

static player *open(const char *set)
{
    prepare(set);
    stand_make(&s);
    return &s.p;
}

static void end(void)
{
    stand_close(&s);
}

#define START "3; arm; is ready; run; "
#define RUNS START "until run; "

static const scenario rows[] = {
    /* Commands without a position reset its watchdog. */
    {"nothing is commanded before the rig was heard", NULL,
     "silent_before := 50; 21; 29 arm; commands = 0; is idle; 3; commands = 0; nothing > 50; arm; commands > 0\n"
     "last = 0.005; worst_step = 0"},
    /* A position sensor with an offset: a command that followed it in every tick would drift at 0.1 m/s. */
    {"an idle rig is commanded nothing", NULL, "shift := 2e-4; 2000; commands = 0; arm; 100; last = 0.0052 +- 1e-15"},
    /* An external push. */
    {"a rig moved by others is found again before it is armed", NULL,
     "5; shift := 0.02; arm; is idle; 600; commands = 0; arm; last = 0.025 +- 1e-12; is ready"},
    /* Ten ticks of 0.25 ms can be less than the latency of an ordinary kernel: the preset is ten milliseconds. */
    {"a fast rig may be silent for ten milliseconds", "h := 0.0005",
     "period = 0.00025 +- 1e-15; " RUNS "silent := 1; 40; is run; 1; is tripped; fault LOST"},
    {"a rig that does not hear is lost", NULL, RUNS "deaf := 1; 10; is run; 3; is tripped; fault LOST"},
    /* It is not armed while the cause is present. */
    {"a rig that stops by itself trips", NULL,
     RUNS "set := RIG_STOPPED; 1; is tripped; fault RIG_STOPPED; 200; reset; arm; is idle"},
    {"a pressed stop trips", NULL,
     RUNS "clear := NO_STOP; 1; is tripped; fault STOP_PRESSED; 200; reset; arm; is idle"},
    {"lost pressure trips", NULL,
     RUNS "clear := HYDRAULICS; 1; is tripped; fault HYDRAULICS; 200; reset; arm; is idle"},
    /* A reset during the brake would set the command to the measured position, at full speed. After a quarter of a
     * period, 30 ticks, it is near the largest velocity. */
    {"a reset waits for the brakes", "acceleration := 5",
     RUNS "30; trip; 400 reset; is idle; worst_step <= 5.000005 * 0.002 * 0.002"},
    {"a reset test starts over, and not by itself", "automatic := 1",
     "until run; 100; trip; 100; reset; 1000; is idle; time = 0; arm; 100; is ready; run; until run; 1\n"
     "last = 0.010 +- 1e-4; until stopped"},
    {"a rig that does not follow the ramp-in trips", "tracking := 0.001",
     START "3; shift := 0.002; 1; is tripped; fault TRACKING"},
    /* Five ticks without a measurement and then the complete change: this is not a fast change. The bound is 1.5 k v
     * with v about 0.25 m/s. */
    {"a gap in the news is no jump of the force", "force_rate := 75000",
     RUNS "20; silent := 1; 5; silent := 0; 20; is run; count.FORCE_RATE = 0"},
};
SCENARIOS(rows, open, end)

/* The governor holds for a command that is not finite; the structure must not continue. */
TEST(a_compensator_that_diverges_ends_the_run)
{
    ifd_value values[IFD_COMPENSATOR_PARAMS] = {0};
    prepare(NULL);
    s.channel.compensator = ifd_compensator_find("polynomial");
    ifd_param_preset(s.channel.compensator->params, values);
    values[ifd_param_find(s.channel.compensator->params, "delay")] = ifd_number(0.005);
    s.channel.compensator_values = values;
    stand_make(&s);
    play(&s.p, RUNS "100; is run");
    for (int i = 0; i < s.h->interface[0].compensator->size; i++)
        ifd__compensator_of(s.h, 0)[i] = (double)NAN;
    play(&s.p, "3; is ramp-out; fault SOLVER");
    assert_true(isfinite(rig.last[0]));
    end();
}

/* Faults of a step that the motion itself does not show. */
TEST(a_step_that_is_not_trusted_ends_the_run)
{
    static const ifd_step_fault untrusted[] = {IFD_STEP_SINGULAR, IFD_STEP_TANGENT, IFD_STEP_PRECISION};
    for (size_t k = 0; k < COUNT(untrusted); k++) {
        play(open(NULL), RUNS "10; is run");
        for (int r = 0; r < s.h->numerical.rows; r++)
            if (strcmp(s.h->numerical.row[r].name, "fault") == 0)
                s.h->x[s.h->numerical.row[r].offset] = (double)untrusted[k];
        play(&s.p, "3; is ramp-out; fault SOLVER");
        end();
    }
}

TEST(what_cannot_be_safe_is_refused)
{
    prepare("high := 0.009"); /* the model starts at 10 mm */
    assert_int_equal(ifd_hybrid_make(s.arena, &s.opt, &s.h, NULL), IFD_RANGE);
    ifd_arena_close(s.arena);
    prepare(NULL);
    ops.name = "laboratory"; /* limits that are only observed require a virtual rig */
    s.opt.observe = true;
    assert_int_equal(ifd_hybrid_make(s.arena, &s.opt, &s.h, NULL), IFD_CONFLICT);
    ifd_arena_close(s.arena);
}

TESTS()
