/* SPDX-License-Identifier: MIT */
/* The order return with several actuators on a block. The rig has no common code with the library: actuators at their
 * last commanded position, and a check of every command. */
#include "check.h"

#include <math.h>
#include <string.h>

#include <interfield/case.h>

#include "hybrid/scenario.h"
#include "hybrid/own_rig.h"

enum { MOST = 3 };

static struct {
    int actuators;
    double at[MOST], old[MOST], w[MOST]; /* m: position, last command, its step */
    double low[MOST], high[MOST], velocity[MOST], acceleration[MOST];
    double fastest, hardest, out; /* largest fraction of velocity and acceleration; m farther out than before */
    long commands;
    bool commanded;
    uint64_t heard;
    double door;    /* aux 1 */
    uint32_t clear; /* inputs */
    int every;      /* a new measurement in one of so many ticks; 0: in each */
    long samples;
} rig;

static bool sense(ifd_rig *r, ifd_measure *out, double *x)
{
    (void)x;
    if (rig.every && ++rig.samples % rig.every)
        return false;
    *out = (ifd_measure){.tick = rig.heard,
                         .inputs = (IFD_INPUT_NO_STOP | IFD_INPUT_HYDRAULICS) & ~rig.clear,
                         .actuators = (uint32_t)r->actuators};
    out->aux = 1;
    out->auxiliary[0] = rig.door;
    for (int j = 0; j < rig.actuators; j++) {
        out->position[j] = rig.at[j];
        out->force[j] = 1e4 * rig.at[j];
    }
    return true;
}

static double beyond(int j, double p)
{
    return fmax(fmax(p - rig.high[j], rig.low[j] - p), 0.0);
}

static void command(ifd_rig *r, const ifd_command *c, double *x)
{
    (void)x;
    rig.heard = c->tick;
    for (int j = 0; j < rig.actuators && c->commanded; j++) {
        double p = c->position[j], w = rig.commanded ? p - rig.old[j] : 0.0;
        if (!rig.commanded) {
            assert_near(p, rig.at[j], 1e-12, "actuator %d: the first command", j);
            rig.old[j] = rig.at[j];
        }
        rig.out = fmax(rig.out, beyond(j, p) - beyond(j, rig.old[j]));
        rig.fastest = fmax(rig.fastest, fabs(w) / (r->tick * rig.velocity[j]));
        rig.hardest = fmax(rig.hardest, fabs(w - rig.w[j]) / (r->tick * r->tick * rig.acceleration[j]));
        rig.w[j] = w;
        rig.old[j] = rig.at[j] = p;
    }
    rig.commanded = c->commanded;
    rig.commands += c->commanded != 0;
}

static const ifd_rig_ops ops = OWN_RIG("judge", sense, command);

/* m by which the farthest actuator is outside. */
static double outside(const ifd_hybrid *h)
{
    double most = 0.0;
    (void)h;
    for (int j = 0; j < rig.actuators; j++)
        most = fmax(most, beyond(j, rig.at[j]));
    return most;
}

/* Whether the next sample is a measurement, where it is one in two. */
static double odd(const ifd_hybrid *h)
{
    (void)h;
    return (double)(rig.samples % 2);
}

static const quantity own[] = {QUANTITY(rig, door),
                               QUANTITY(rig, clear),
                               QUANTITY(rig, every),
                               QUANTITY(rig, commands),
                               QUANTITY(rig, samples),
                               QUANTITY(rig, out),
                               QUANTITY(rig, fastest),
                               QUANTITY(rig, hardest),
                               {.name = "outside", .of = outside},
                               {.name = "odd", .of = odd},
                               {.name = "speed", .kind = 'd', .at = &rig.w[0]},
                               {0}};

static ifd_arena *arena;
static ifd_case *test;
static ifd_hybrid *h;
static player p;

/* The block with its point at q, with overrides. */
static void read_block(const char *const sets[2], const double *q)
{
    memset(&rig, 0, sizeof rig);
    arena = ifd_arena_open();
    assert_int_equal(
        ifd_case_read(arena, IFD_SOURCE_DIR "/cases/three-actuators/block.yaml", sets[1] ? 2 : 1, sets, &test, NULL),
        IFD_OK);
    const ifd_driven *d = test->test->drive;
    ifd_drive *drive;
    assert_int_equal(ifd_drive_make(arena, &d->drive, &drive, NULL), IFD_OK);
    rig.actuators = d->drive.actuators;
    ifd_drive_reach(drive, q, rig.at);
    for (int j = 0; j < rig.actuators; j++) {
        rig.low[j] = d->limits[j].low;
        rig.high[j] = d->limits[j].high;
        rig.velocity[j] = d->limits[j].velocity;
        rig.acceleration[j] = d->limits[j].acceleration;
    }
    test->test->rig = &ops;
    test->test->rig_setup = NULL;
    test->test->automatic = true;
}

static player *made(void)
{
    assert_int_equal(ifd_hybrid_make(arena, test->test, &h, NULL), IFD_OK);
    player_begin(&p, h, own);
    return &p;
}

static void end(void)
{
    ifd_hybrid_close(h);
    ifd_arena_close(arena);
}

#define SHORT_STROKE "drives.0.actuators.0.limits.stroke=0.25 m"
static const double out[3] = {0.30, 0.0, 0.0};

/* The block above the stroke of its first actuator; also: another override. */
static player *open(const char *also)
{
    read_block((const char *const[2]){SHORT_STROKE, also}, out);
    return made();
}

/* One actuator outside above, below, two of them, one in each direction; a dof outside with its actuators inside. */
TEST(a_block_is_moved_back_and_no_actuator_moves_outward)
{
    static const struct {
        double q[3];
        const char *set[2];
    } rows[] = {
        {{0.30, 0.0, 0.0}, {"drives.0.actuators.0.limits.stroke=0.25 m", "time.end=1s"}},
        {{-0.30, 0.0, 0.1}, {"drives.0.actuators.0.limits.stroke=0.25 m", "time.end=1s"}},
        {{0.05, 0.15, 0.0}, {"drives.0.actuators.1.limits.stroke=0.1 m", "drives.0.actuators.2.limits.stroke=0.1 m"}},
        {{0.0, 0.0, 0.3}, {"drives.0.actuators.1.limits.stroke=0.2 m", "drives.0.actuators.2.limits.stroke=0.2 m"}},
        {{0.45, 0.0, 0.0}, {"time.end=1s", "time.end=1s"}},
        {{0.1, -0.23, 0.2}, {"time.end=1s", "time.end=1s"}},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        read_block(rows[i].set, rows[i].q);
        play(made(), "300; is idle; wait OUTSIDE; commands = 0; return; is return; until idle; fault NONE");
        /* inside, and never farther out; at creep speed, with the slightly curved path of an actuator */
        play(&p, "commands > 100; outside = 0; out <= 1e-9; fastest <= 0.1001; hardest <= 1.000000001");
        play(&p, "300; arm; is ready");
        end();
    }
}

/* An actuator that is too short for every pose of the block. */
TEST(a_block_without_a_way_back_is_refused_with_the_reason)
{
    read_block((const char *const[2]){"time.end=1s", NULL}, (const double[]){0.15, 0.0, 0.0});
    ifd_driven d = test->test->drive[0];
    ifd_limits limits[3];
    memcpy(limits, d.limits, sizeof limits);
    limits[1].low = 0.5;
    d.limits = limits;
    test->test->drive = &d;
    play(made(), "300; wait OUTSIDE; return: NO_WAY_BACK; is idle; commands = 0");
    end();
}

#define DOOR                                                                                                         \
    "channels={first: {input: position 1, measures: position of side, unit: mm, sensitivity: 1000, arm-range: "      \
    "[-10, 10]}, door: {input: aux 1, unit: V, arm-range: [4, 6]}}"

static const scenario rows[] = {
    /* It was still moving when it was tripped. */
    {"a trip on the way back holds the block outside", NULL,
     "300; return; 100; trip; is tripped; 200; outside > 0; speed = 0; out <= 1e-9; hardest <= 1.000000001"},
    /* The arm-range of the position that is to come back does not count. */
    {"an interlock prevents the return", DOOR,
     "0.5 s; wait OUTSIDE; return: INTERLOCK; answer.channel = 1; answer.value = 0; 0.5 s; is idle; commands = 0\n"
     "door := 5; 0.01 s; wait OUTSIDE; return: NONE; is return"},
    {"stale measurements prevent the return", "test.stale-share=0.1",
     "every := 2; 2 s; until odd != 0; wait OUTSIDE; return: STALE; commands = 0; every := 0; 1.2 s; wait OUTSIDE\n"
     "return: NONE; is return"},
};
SCENARIOS(rows, open, end)

TEST(a_stop_is_released_for_a_second_before_the_return)
{
    read_block((const char *const[2]){SHORT_STROKE, NULL}, out);
    test->test->automatic = false;
    play(made(), "clear := NO_STOP; 0.5 s; clear := 0; 0.8 s; wait OUTSIDE; return: STOP_BACK; commands = 0; 0.3 s");
    play(&p, "wait OUTSIDE; return: NONE; is return");
    end();
}

TESTS()
