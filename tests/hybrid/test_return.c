/* SPDX-License-Identifier: MIT */
/* The order return with several actuators on a block. The rig has no common code with the library: actuators at their
 * last commanded position, and a check of every command. */
#include "check.h"

#include <math.h>
#include <string.h>

#include <interfield/case.h>

enum { MOST = 3 };

static struct {
    int actuators;
    double at[MOST], old[MOST], w[MOST]; /* m: position, last command, its step */
    double low[MOST], high[MOST], velocity[MOST], acceleration[MOST];
    double fastest, hardest, out; /* largest fraction of velocity and acceleration; m farther out than before */
    long commands;
    bool commanded;
    uint64_t heard;
    double period;    /* s */
    double door;      /* aux 1 */
    uint32_t missing; /* inputs */
    int every;        /* a new measurement in one of so many ticks; 0: in each */
    long samples;
} rig;

static ifd_status open_rig(ifd_rig *r, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    (void)values;
    (void)arena;
    (void)note;
    r->size = 0;
    rig.period = r->tick;
    return IFD_OK;
}

static bool sense(ifd_rig *r, ifd_measure *out, double *x)
{
    (void)x;
    if (rig.every && ++rig.samples % rig.every)
        return false;
    *out = (ifd_measure){.tick = rig.heard,
                         .inputs = (IFD_INPUT_NO_STOP | IFD_INPUT_HYDRAULICS) & ~rig.missing,
                         .channels = (uint32_t)r->channels};
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

static const ifd_param none[] = {{0}};
static const ifd_rig_ops ops = {
    .abi = IFD_RIG_ABI, .name = "judge", .params = none, .open = open_rig, .sense = sense, .command = command};

typedef struct scene {
    ifd_arena *arena;
    ifd_case *c;
    ifd_hybrid *h;
    ifd_ticked t;
} scene;

static ifd_run_state tick(scene *s, ifd_order order)
{
    return s->t.tick(s->t.self, &(ifd_tick_in){.order = order});
}

static void wait_for(scene *s, ifd_machine state)
{
    for (long k = 0; k < 200000 && ifd_hybrid_state(s->h) != state; k++)
        tick(s, IFD_ORDER_NONE);
    assert_string_equal(ifd_machine_name(ifd_hybrid_state(s->h)), ifd_machine_name(state));
}

/* The block with its point at q. */
static void read_block(scene *s, int count, const char *const *sets, const double *q)
{
    memset(&rig, 0, sizeof rig);
    s->arena = ifd_arena_open();
    assert_int_equal(
        ifd_case_read(s->arena, IFD_SOURCE_DIR "/cases/three-actuators/block.yaml", count, sets, &s->c, NULL),
        IFD_OK);
    const ifd_driven *d = s->c->test->drive;
    ifd_drive *drive;
    assert_int_equal(ifd_drive_make(s->arena, &d->drive, &drive, NULL), IFD_OK);
    rig.actuators = d->drive.actuators;
    ifd_drive_reach(drive, q, rig.at);
    for (int j = 0; j < rig.actuators; j++) {
        rig.low[j] = d->limits[j].low;
        rig.high[j] = d->limits[j].high;
        rig.velocity[j] = d->limits[j].velocity;
        rig.acceleration[j] = d->limits[j].acceleration;
    }
    s->c->test->rig = &ops;
    s->c->test->rig_setup = NULL;
    s->c->test->automatic = true;
}

static void open_block(scene *s, int count, const char *const *sets, const double *q)
{
    read_block(s, count, sets, q);
    assert_int_equal(ifd_hybrid_make(s->arena, s->c->test, &s->h, NULL), IFD_OK);
    s->t = ifd_hybrid_ticked(s->h);
}

static void close_block(scene *s)
{
    ifd_hybrid_close(s->h);
    ifd_arena_close(s->arena);
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
        scene s;
        open_block(&s, 2, rows[i].set, rows[i].q);
        for (int k = 0; k < 300; k++)
            tick(&s, IFD_ORDER_NONE);
        assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_IDLE);
        assert_int_equal(ifd_hybrid_wait(s.h).wait, IFD_WAIT_OUTSIDE);
        assert_int_equal(rig.commands, 0);
        tick(&s, IFD_ORDER_RETURN);
        assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_RETURN);
        wait_for(&s, IFD_MACHINE_IDLE);
        assert_string_equal(ifd_trip_name(ifd_hybrid_trip(s.h).trip), "NONE");
        assert_true(rig.commands > 100);
        for (int j = 0; j < 3; j++)
            assert_near(beyond(j, rig.at[j]), 0.0, 0.0, "row %zu, actuator %d: outside", i, j);
        assert_near(rig.out, 0.0, 1e-9, "row %zu: outward", i);
        assert_true(rig.fastest <= 0.1 * (1.0 + 1e-3)); /* creep speed; the path of an actuator is slightly curved */
        assert_true(rig.hardest <= 1.0 + 1e-9);
        for (int k = 0; k < 300; k++)
            tick(&s, IFD_ORDER_NONE);
        tick(&s, IFD_ORDER_ARM);
        assert_string_equal(ifd_machine_name(ifd_hybrid_state(s.h)), "ready");
        close_block(&s);
    }
}

TEST(a_trip_on_the_way_back_holds_the_block_outside)
{
    scene s;
    const char *const set[] = {"drives.0.actuators.0.limits.stroke=0.25 m"};
    open_block(&s, 1, set, (const double[]){0.30, 0.0, 0.0});
    for (int k = 0; k < 300; k++)
        tick(&s, IFD_ORDER_NONE);
    tick(&s, IFD_ORDER_RETURN);
    for (int k = 0; k < 100; k++)
        tick(&s, IFD_ORDER_NONE);
    tick(&s, IFD_ORDER_TRIP);
    assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_TRIPPED);
    for (int k = 0; k < 200; k++)
        tick(&s, IFD_ORDER_NONE);
    assert_true(beyond(0, rig.at[0]) > 0.0); /* it was still moving */
    assert_near(rig.w[0], 0.0, 0.0, "at rest");
    assert_near(rig.out, 0.0, 1e-9, "outward");
    assert_true(rig.hardest <= 1.0 + 1e-9);
    close_block(&s);
}

/* An actuator that is too short for every pose of the block. */
TEST(a_block_without_a_way_back_is_refused_with_the_reason)
{
    scene s;
    const char *const set[] = {"time.end=1s"};
    read_block(&s, 1, set, (const double[]){0.15, 0.0, 0.0});
    ifd_driven d = s.c->test->drive[0];
    ifd_limits limits[3];
    memcpy(limits, d.limits, sizeof limits);
    limits[1].low = 0.5;
    d.limits = limits;
    s.c->test->drive = &d;
    assert_int_equal(ifd_hybrid_make(s.arena, s.c->test, &s.h, NULL), IFD_OK);
    s.t = ifd_hybrid_ticked(s.h);
    for (int k = 0; k < 300; k++)
        tick(&s, IFD_ORDER_NONE);
    assert_int_equal(ifd_hybrid_wait(s.h).wait, IFD_WAIT_OUTSIDE);
    tick(&s, IFD_ORDER_RETURN);
    assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_IDLE);
    assert_int_equal(s.t.trace(s.t.self)->answer, IFD_ANSWER_NO_WAY_BACK);
    assert_int_equal(rig.commands, 0);
    close_block(&s);
}

static ifd_answer ask_return(scene *s)
{
    assert_int_equal(ifd_hybrid_wait(s->h).wait, IFD_WAIT_OUTSIDE);
    tick(s, IFD_ORDER_RETURN);
    return (ifd_answer)s->t.trace(s->t.self)->answer;
}

static void pass(scene *s, double seconds)
{
    for (double t = 0.0; t < seconds; t += rig.period)
        tick(s, IFD_ORDER_NONE);
}

static const char short_stroke[] = "drives.0.actuators.0.limits.stroke=0.25 m";
static const double out[3] = {0.30, 0.0, 0.0};

/* The arm-range of the position that is to come back does not count. */
TEST(an_interlock_prevents_the_return)
{
    scene s;
    const char *const set[] = {short_stroke,
                               "channels={first: {input: position 1, measures: position of side, unit: mm, "
                               "sensitivity: 1000, arm-range: [-10, 10]}, door: {input: aux 1, unit: V, "
                               "arm-range: [4, 6]}}"};
    open_block(&s, 2, set, out);
    pass(&s, 0.5);
    assert_int_equal(ask_return(&s), IFD_ANSWER_INTERLOCK);
    assert_int_equal(s.t.trace(s.t.self)->answer_channel, 1);
    assert_near(s.t.trace(s.t.self)->answer_value, 0.0, 0.0, "the door");
    pass(&s, 0.5);
    assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_IDLE);
    assert_int_equal(rig.commands, 0);
    rig.door = 5.0;
    pass(&s, 0.01);
    assert_int_equal(ask_return(&s), IFD_ANSWER_NONE);
    assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_RETURN);
    close_block(&s);
}

TEST(stale_measurements_prevent_the_return)
{
    scene s;
    const char *const set[] = {short_stroke, "test.stale-share=0.1"};
    open_block(&s, 2, set, out);
    rig.every = 2;
    pass(&s, 2.0);
    while (rig.samples % 2 == 0) /* the tick of the order has a measurement */
        tick(&s, IFD_ORDER_NONE);
    assert_int_equal(ask_return(&s), IFD_ANSWER_STALE);
    assert_int_equal(rig.commands, 0);
    rig.every = 0;
    pass(&s, 1.2);
    assert_int_equal(ask_return(&s), IFD_ANSWER_NONE);
    assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_RETURN);
    close_block(&s);
}

TEST(a_stop_is_released_for_a_second_before_the_return)
{
    scene s;
    read_block(&s, 1, (const char *const[]){short_stroke}, out);
    s.c->test->automatic = false;
    assert_int_equal(ifd_hybrid_make(s.arena, s.c->test, &s.h, NULL), IFD_OK);
    s.t = ifd_hybrid_ticked(s.h);
    rig.missing = IFD_INPUT_NO_STOP;
    pass(&s, 0.5);
    rig.missing = 0;
    pass(&s, 0.8);
    assert_int_equal(ask_return(&s), IFD_ANSWER_STOP_BACK);
    assert_int_equal(rig.commands, 0);
    pass(&s, 0.3);
    assert_int_equal(ask_return(&s), IFD_ANSWER_NONE);
    assert_int_equal(ifd_hybrid_state(s.h), IFD_MACHINE_RETURN);
    close_block(&s);
}

TESTS()
