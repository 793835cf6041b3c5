/* SPDX-License-Identifier: MIT */
/* A complete rig plug-in as a template. The hardware is a model on a separate thread, an actuator with a lag and a
 * spring; a laboratory replaces `hardware_loop` by its controller, converter cards or fieldbus. Built by
 *
 *     cc -shared -fPIC -O2 -pthread plugin_rig_example.c -o my_rig.so
 *
 * Data shared with the thread of the hardware are atomic: sense and command neither wait nor lock nor allocate. */
#include <interfield/exchange.h>

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

enum { STIFFNESS, LAG, WATCHDOG, START };

static const ifd_param params[] = {
    {.name = "stiffness",
     .dim = IFD_DIM_STIFFNESS,
     .preset = 2e5,
     .range = IFD_RANGE_POSITIVE,
     .doc = "of the specimen"},
    {.name = "lag", .dim = IFD_DIM_TIME, .preset = 2e-3, .range = IFD_RANGE_POSITIVE, .doc = "of the actuator"},
    {.name = "watchdog",
     .dim = IFD_DIM_TIME,
     .preset = 0.1,
     .range = IFD_RANGE_POSITIVE,
     .doc = "time without a command after which the rig brakes by itself"},
    {.name = "start", .dim = IFD_DIM_LENGTH, .doc = "initial position of the piston"},
    {0}};

typedef struct my_rig {
    double stiffness, lag, watchdog;
    pthread_t thread;
    atomic_bool leave, stopped;
    _Atomic uint64_t heard;             /* tick of the newest command */
    _Atomic uint32_t measured;          /* counts measurements */
    _Atomic uint32_t outputs;           /* digital, of the newest command */
    uint32_t seen;                      /* last value passed on */
    _Atomic double target;              /* m */
    _Atomic double position, force, at; /* m, N, s */
} my_rig;

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The hardware, at 2 kHz: moves, measures, and stops by itself without commands. */
static void *hardware_loop(void *data)
{
    my_rig *r = data;
    const double glide = 0.02; /* s, duration of the motion to rest */
    double x = r->position, v = 0.0, fed = seconds(), before = fed;
    for (uint64_t last = 0; !atomic_load(&r->leave);) {
        double now = seconds(), dt = fmin(now - before, 0.01);
        uint64_t heard = atomic_load(&r->heard);
        if (heard != last)
            fed = now;
        last = heard;
        if (last > 0 && now - fed > r->watchdog)
            r->stopped = true;
        before = now;
        if (r->stopped) /* smoothly to rest, independent of the target */
            v *= exp(-dt / glide);
        else if (dt > 0.0)
            v = (r->target - x) * -expm1(-dt / r->lag) / dt;
        x += v * dt;
        r->position = x;
        r->force = r->stiffness * x;
        r->at = now;
        atomic_fetch_add(&r->measured, 1);
        nanosleep(&(struct timespec){.tv_nsec = 500000}, NULL);
    }
    return NULL;
}

static ifd_status open_rig(ifd_rig *rig, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    if (rig->actuators != 1)
        return ifd_note_add(note, IFD_CONFLICT, NULL, "this rig has one channel, the test %d", rig->actuators);
    my_rig *r = ifd_arena_take(arena, sizeof *r);
    if (!r)
        return IFD_NO_MEMORY;
    r->stiffness = values[STIFFNESS].number;
    r->lag = values[LAG].number;
    r->watchdog = values[WATCHDOG].number;
    r->target = r->position = values[START].number;
    r->force = r->stiffness * r->position;
    if (pthread_create(&r->thread, NULL, hardware_loop, r) != 0)
        return ifd_note_add(note, IFD_PEER, NULL, "the hardware does not start");
    rig->data = r;
    rig->size = 0;
    return IFD_OK;
}

/* Here: read the digital inputs. Current flows = released, on; an open wire = pressed, off. Until then they read
 * pressed and off on a rig that does not declare itself simulated. */
static uint32_t hardware_inputs(void)
{
    return 0;
}

static bool sense(ifd_rig *rig, ifd_measure *out, double *x)
{
    my_rig *r = rig->data;
    uint32_t count = atomic_load(&r->measured);
    (void)x;
    if (count == r->seen)
        return false;
    r->seen = count;
    *out = (ifd_measure){.tick = r->heard, .time = r->at, .actuators = 1, .aux = 1};
    out->inputs = rig->ops->simulated ? IFD_INPUT_NO_STOP | IFD_INPUT_HYDRAULICS : hardware_inputs();
    if (r->stopped)
        out->inputs |= IFD_INPUT_RIG_STOPPED;
    out->position[0] = r->position;
    out->force[0] = r->force;
    out->auxiliary[0] = r->outputs; /* here: other measurements; the output is connected by a wire */
    return true;
}

static void command(ifd_rig *rig, const ifd_command *c, double *x)
{
    my_rig *r = rig->data;
    (void)x;
    if (c->commanded) /* otherwise the target remains */
        r->target = c->position[0];
    r->outputs = c->outputs; /* here: set the digital outputs */
    r->heard = c->tick;
}

static void close_rig(ifd_rig *rig)
{
    my_rig *r = rig->data;
    atomic_store(&r->leave, true);
    pthread_join(r->thread, NULL);
}

/* It moves no iron. Remove this function and its row first: rules about people and machines then apply. */
static bool simulated(const ifd_rig *rig)
{
    (void)rig;
    return true;
}

IFD_API const ifd_rig_ops ifd_user_rig = {
    .abi = IFD_RIG_ABI,
    .name = "example-lab",
    .summary = "an actuator with a lag and a spring",
    .params = params,
    .open = open_rig,
    .sense = sense,
    .command = command,
    .close = close_rig,
    .simulated = simulated,
};
