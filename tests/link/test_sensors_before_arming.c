/* SPDX-License-Identifier: MIT */
/* ctest: not with sanitizers, unless every test is asked for */
/* Commands to a rig with sensor errors before arming: in this process, with a rig server over datagrams, and over
 * shared memory. The rig shares nothing with the library: an actuator with a lag, sensors with errors from the first
 * tick of the session on, and a check of every command. In lockstep, so that a busy machine has no effect. */
#include "check.h"

#include "link/stand.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef enum error {
    NO_ERROR,
    FIRST_OFF,       /* the first sample, by 40 mm */
    FIRST_FAR,       /* by 1.5 m */
    NO_NUMBER_FIRST, /* the first five */
    FAR,             /* every one */
    NO_NUMBER,
    ALTERNATING, /* by 1 mm to either side */
    MOVING,      /* at 20 mm/s */
    ERRORS
} error;

typedef enum line { HERE, UDP, SHM, LINES } line;

static struct {
    _Atomic int e;
    _Atomic long samples;
    double x, target;
    bool powered;
    uint64_t heard;
    double p, w;
    bool commanded;
    _Atomic long commands;
    double first, speed, beyond, out, velocity, acceleration; /* largest values */
} rig;
static const double stroke = 0.05, lag = 0.002;

static ifd_status open_rig(ifd_rig *r, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    (void)values;
    (void)arena;
    (void)note;
    r->size = 0;
    return IFD_OK;
}

static double shown(long n)
{
    int kind = rig.e;
    switch (kind) {
    case FIRST_OFF:
        return rig.x + (n == 1 ? 0.04 : 0.0);
    case FIRST_FAR:
        return rig.x + (n == 1 ? 1.5 : 0.0);
    case NO_NUMBER_FIRST:
        return n <= 5 ? (double)NAN : rig.x;
    case FAR:
        return 1.5;
    case NO_NUMBER:
        return (double)NAN;
    case ALTERNATING:
        return rig.x + (n % 2 ? 1e-3 : -1e-3);
    case MOVING:
        return rig.x + 0.02 * tick_length * (double)(n % 500);
    default:
        return rig.x;
    }
}

static bool sense(ifd_rig *r, ifd_measure *out, double *x)
{
    (void)x;
    double before = rig.x;
    if (rig.powered)
        rig.x += (rig.target - rig.x) * -expm1(-r->tick / lag);
    rig.speed = fmax(rig.speed, fabs(rig.x - before) / r->tick);
    long n = atomic_fetch_add(&rig.samples, 1) + 1;
    *out = (ifd_measure){
        .tick = rig.heard, .time = (double)n, .inputs = IFD_INPUT_NO_STOP | IFD_INPUT_HYDRAULICS, .actuators = 1};
    out->position[0] = shown(n);
    out->force[0] = tested * rig.x;
    return true;
}

static void command(ifd_rig *r, const ifd_command *c, double *x)
{
    (void)x;
    rig.heard = c->tick;
    if (c->commanded) {
        double p = c->position[0], w = rig.commanded ? p - rig.p : 0.0, from = rig.commanded ? fabs(rig.p) : fabs(p);
        if (!rig.commanded && rig.commands == 0)
            rig.first = p;
        rig.w = rig.commanded ? rig.w : 0.0;
        rig.beyond = fmax(rig.beyond, fabs(p) - stroke);
        rig.out = fmax(rig.out, fmax(fabs(p), stroke) - fmax(from, stroke));
        rig.velocity = fmax(rig.velocity, fabs(w) / r->tick);
        rig.acceleration = fmax(rig.acceleration, fabs(w - rig.w) / (r->tick * r->tick));
        rig.w = w;
        rig.target = rig.p = p;
        rig.powered = true;
        rig.commands++;
    }
    rig.commanded = c->commanded;
}

static const ifd_param none[] = {{0}};
/* In lockstep a server moves simulated rigs only. */
static bool simulated(const ifd_rig *r)
{
    (void)r;
    return true;
}

static const ifd_rig_ops judge = {.abi = IFD_RIG_ABI,
                                  .name = "judge",
                                  .params = none,
                                  .open = open_rig,
                                  .sense = sense,
                                  .command = command,
                                  .simulated = simulated};

typedef struct scene {
    ifd_arena *arena;
    ifd_rig_server *server;
    stand *s;
} scene;

static void serve(scene *c, line way, lab *l, char *name)
{
    if (way == HERE)
        return;
    lab_prepare(l, NULL);
    l->o.rig = &judge;
    l->o.setup = NULL;
    l->o.shm = way == SHM ? name : NULL;
    l->o.priority = 0;
    l->limits.tracking = 0.02;
    ifd_note note;
    ifd_note_init(&note, c->arena);
    if (ifd_rig_server_open(c->arena, &l->o, &c->server, &note) != IFD_OK)
        fail_msg("%s", note.first ? note.first->text : "not served");
}

/* The rig at its position, and a test before its first tick. */
static void open_scene(scene *c, line way, error e, double at)
{
    static lab l;
    static char name[40];
    memset(&rig, 0, sizeof rig);
    memset(c, 0, sizeof *c);
    rig.x = at;
    snprintf(name, sizeof name, "interfield-found-%d", (int)getpid());
    c->arena = ifd_arena_open();
    serve(c, way, &l, name);
    c->s = stand_take();
    if (way == UDP)
        stand_udp(c->s, ifd_rig_server_port(c->server), true);
    if (way == SHM)
        stand_shm(c->s, name, true);
    if (way == HERE)
        c->s->opt.rig = &judge;
    c->s->opt.stale_limit = 10;
    c->s->opt.stale_time = 0.0;
    c->s->opt.arm_timeout = 1.0;
    assert_int_equal(stand_make(c->s), IFD_OK);
    rig.samples = 0; /* the server has found the rig; sensor errors restart here */
    rig.e = e;
}

static void close_scene(scene *c)
{
    stand_leave(c->s);
    if (c->server)
        ifd_rig_server_close(c->server);
    ifd_arena_close(c->arena);
}

static ifd_run_state tick(scene *c, ifd_order order)
{
    return c->s->t.tick(c->s->t.self, &(ifd_tick_in){.order = order});
}

static void assert_limits_held(line way, int e)
{
    const char *const words[] = {"in this process", "udp", "shm"};
    if (rig.out > 0.0 || rig.velocity > 1.0 + 1e-9 || rig.acceleration > 100.0 * (1.0 + 1e-6) || rig.speed > 1.0)
        fail_msg("error %d, %s: %g m outward, %g m/s, %g m/s2, the rig %g m/s", e, words[way], rig.out, rig.velocity,
                 rig.acceleration, rig.speed);
}

TEST(wrong_first_samples_are_not_followed)
{
    for (line way = HERE; way < LINES; way++)
        for (error e = NO_ERROR; e <= NO_NUMBER_FIRST; e++) {
            scene c;
            open_scene(&c, way, e, 0.003);
            for (int k = 0; k < 400 && rig.commands == 0; k++)
                assert_int_equal(tick(&c, IFD_ORDER_NONE), IFD_RUN_GOING);
            ifd_run_state r = IFD_RUN_GOING;
            for (int k = 0; k < 20000 && r == IFD_RUN_GOING; k++)
                r = tick(&c, IFD_ORDER_NONE);
            assert_string_equal(ifd_trip_name(ifd_hybrid_trip(c.s->h).trip), "NONE");
            assert_int_equal(r, IFD_RUN_DONE);
            close_scene(&c);
            assert_near(rig.first, 0.003, 1e-12, "error %d, line %d: the first command", (int)e, (int)way);
            assert_limits_held(way, (int)e);
            assert_true(rig.beyond <= 0.0);
        }
}

TEST(sensors_that_never_agree_command_nothing)
{
    static const ifd_wait waits[ERRORS] = {[FAR] = IFD_WAIT_OUTSIDE,
                                           [NO_NUMBER] = IFD_WAIT_NOT_FINITE,
                                           [ALTERNATING] = IFD_WAIT_NOT_AT_REST,
                                           [MOVING] = IFD_WAIT_NOT_AT_REST};
    for (line way = HERE; way < LINES; way++)
        for (error e = FAR; e < ERRORS; e++) {
            scene c;
            open_scene(&c, way, e, 0.003);
            ifd_run_state r = IFD_RUN_GOING;
            for (int k = 0; k < 20000 && r == IFD_RUN_GOING; k++)
                r = tick(&c, k % 100 == 99 ? IFD_ORDER_ARM : IFD_ORDER_NONE);
            assert_int_equal(r, IFD_RUN_FAULT);
            assert_string_equal(ifd_trip_name(ifd_hybrid_trip(c.s->h).trip), "NOT_ARMED");
            assert_string_equal(ifd_wait_name(ifd_hybrid_wait(c.s->h).wait), ifd_wait_name(waits[e]));
            close_scene(&c);
            assert_int_equal(rig.commands, 0);
            assert_near(rig.x, 0.003, 0.0, "moved");
        }
}

TEST(from_outside_the_stroke_return_leads_back)
{
    for (line way = HERE; way < LINES; way++)
        for (int side = -1; side <= 1; side += 2) {
            scene c;
            open_scene(&c, way, NO_ERROR, side * 0.06);
            for (int k = 0; k < 200; k++)
                assert_int_equal(tick(&c, IFD_ORDER_NONE), IFD_RUN_GOING);
            assert_string_equal(ifd_wait_name(ifd_hybrid_wait(c.s->h).wait), "OUTSIDE");
            assert_int_equal(rig.commands, 0);
            tick(&c, IFD_ORDER_RETURN);
            assert_int_equal(ifd_hybrid_state(c.s->h), IFD_MACHINE_RETURN);
            for (int k = 0; k < 20000 && ifd_hybrid_state(c.s->h) == IFD_MACHINE_RETURN; k++)
                assert_int_equal(tick(&c, IFD_ORDER_NONE), IFD_RUN_GOING);
            assert_string_equal(ifd_trip_name(ifd_hybrid_trip(c.s->h).trip), "NONE");
            assert_int_equal(ifd_hybrid_state(c.s->h), IFD_MACHINE_IDLE);
            for (int k = 0; k < 200; k++)
                tick(&c, IFD_ORDER_NONE);
            tick(&c, IFD_ORDER_ARM);
            assert_int_equal(ifd_hybrid_state(c.s->h), IFD_MACHINE_READY);
            for (int k = 0; k < 20; k++)
                tick(&c, IFD_ORDER_NONE);
            assert_string_equal(ifd_machine_name(ifd_hybrid_state(c.s->h)), "ready");
            close_scene(&c);
            assert_near(rig.first, side * 0.06, 1e-12, "the first command");
            assert_near(rig.x, side * 0.049, 1e-4, "inside by a hundredth of the stroke");
            assert_true(rig.velocity <= 0.1 * (1.0 + 1e-3)); /* creep speed */
            assert_limits_held(way, 0);
        }
}

TESTS()
