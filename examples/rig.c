/* SPDX-License-Identifier: MIT */
/* A rig plug-in: the code with which a laboratory connects its actuator to a test. The functions hardware_...
 * represent the hardware, here an actuator with a lag and a spring. First remove `simulated`, then replace them; all
 * other code can stay.
 *
 *     cc -shared -fPIC -O2 rig.c -o rig.so $(pkg-config --cflags interfield) -lm
 *     interfield rig-check ./rig.so --tick 0.002
 *     interfield test rig.yaml --without-preflight
 *
 * sense and command run on the real-time thread: they must not wait, lock or allocate. The watchdog that brings
 * the actuator to rest when commands stop belongs in the hardware (docs/start/rigs.md). For a rig whose driver runs
 * on a separate thread see tests/link/plugin_rig_example.c. */
#include <math.h>

#include <interfield/exchange.h>

enum { STIFFNESS, LAG };

static const ifd_param params[] = {{.name = "stiffness",
                                    .dim = IFD_DIM_STIFFNESS,
                                    .preset = 2e5,
                                    .range = IFD_RANGE_POSITIVE,
                                    .doc = "stiffness of the specimen"},
                                   {.name = "lag",
                                    .dim = IFD_DIM_TIME,
                                    .preset = 5e-3,
                                    .range = IFD_RANGE_POSITIVE,
                                    .doc = "time constant of the actuator"},
                                   {0}};

typedef struct my_rig {
    double stiffness, lag, tick;
    double position, target; /* m */
    uint64_t heard, ticks;
} my_rig;

/* Here: open the interface card or the socket, and read the position of the piston. */
static bool hardware_open(my_rig *r)
{
    r->position = r->target = 0.0;
    return true;
}

/* Here: read the newest sample of displacement transducer and load cell; false if there is no new one. */
static bool hardware_read(my_rig *r, double *position, double *force)
{
    r->position += (r->target - r->position) * -expm1(-r->tick / r->lag);
    r->ticks++;
    *position = r->position;
    *force = r->stiffness * r->position;
    return true;
}

/* Here: write the set point. */
static void hardware_write(my_rig *r, double position)
{
    r->target = position;
}

/* Here: read the digital inputs. Current flows = released, on; an open wire = pressed, off. Until then they read
 * pressed and off on a rig that does not declare itself simulated. */
static uint32_t hardware_inputs(void)
{
    return 0;
}

static ifd_status open_rig(ifd_rig *rig, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    if (rig->actuators != 1)
        return ifd_note_add(note, IFD_CONFLICT, NULL, "this rig has one actuator, the test %d", rig->actuators);
    my_rig *r = ifd_arena_take(arena, sizeof *r);
    if (!r)
        return IFD_NO_MEMORY;
    r->stiffness = values[STIFFNESS].number;
    r->lag = values[LAG].number;
    r->tick = rig->tick;
    if (!hardware_open(r))
        return ifd_note_add(note, IFD_PEER, NULL, "the hardware does not respond");
    rig->data = r;
    return IFD_OK;
}

static bool sense(ifd_rig *rig, ifd_measure *out, double *x)
{
    my_rig *r = rig->data;
    double position, force;
    (void)x;
    if (!hardware_read(r, &position, &force))
        return false;
    *out = (ifd_measure){.tick = r->heard, .time = r->tick * (double)r->ticks, .actuators = 1};
    out->inputs = rig->ops->simulated ? IFD_INPUT_NO_STOP | IFD_INPUT_HYDRAULICS : hardware_inputs();
    out->position[0] = position;
    out->force[0] = force;
    return true;
}

static void command(ifd_rig *rig, const ifd_command *c, double *x)
{
    my_rig *r = rig->data;
    (void)x;
    if (c->commanded) /* otherwise keep the set point */
        hardware_write(r, c->position[0]);
    r->heard = c->tick;
}

/* It moves no iron. Remove this function and its row first: rules about people and machines then apply. */
static bool simulated(const ifd_rig *rig)
{
    (void)rig;
    return true;
}

IFD_API const ifd_rig_ops ifd_user_rig = {
    .abi = IFD_RIG_ABI,
    .name = "example",
    .summary = "an actuator with a lag and a spring",
    .params = params,
    .open = open_rig,
    .sense = sense,
    .command = command,
    .simulated = simulated,
};
