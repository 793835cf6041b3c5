/* SPDX-License-Identifier: MIT */
/* A rig whose twin answers while the real one stays in idle. */
#include "rig/rehearse.h"

#include "rig/rig.h"
#include "rig/virtual/virtual.h"

typedef struct rehearsal {
    ifd_rig real, twin; /* the state of the rehearsal is that of both in sequence */
    ifd_measure heard;  /* of the real rig */
    uint64_t sent;      /* number of commands to the real rig. A test continued from a saved state continues with the
                         * saved ticks, as does the twin, but the rig does not */
} rehearsal;

static ifd_status open_both(ifd_rig *rig, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    rehearsal *r = rig->data;
    IFD_TRY(r->real.ops->open(&r->real, values, arena, note));
    ifd_status status = r->twin.ops->open(&r->twin, NULL, arena, note);
    if (status != IFD_OK && r->real.ops->close)
        r->real.ops->close(&r->real);
    rig->size = r->real.size + r->twin.size;
    return status;
}

static void begin(ifd_rig *rig, double *x)
{
    rehearsal *r = rig->data;
    if (r->real.ops->begin)
        r->real.ops->begin(&r->real, r->real.size ? x : NULL);
    r->twin.ops->begin(&r->twin, x + r->real.size);
}

/* The tick of the test that the rig acknowledges; a tick that was never sent is unchanged. last: of the last command
 * of the test. */
static uint64_t in_test(const rehearsal *r, uint64_t last)
{
    uint64_t behind = r->sent - r->heard.tick;
    if (r->heard.tick > r->sent)
        return UINT64_MAX;
    return r->heard.tick > 0 && behind < last ? last - behind : 0;
}

static bool sense(ifd_rig *rig, ifd_measure *out, double *x)
{
    rehearsal *r = rig->data;
    bool fresh = ifd__rig_sense(&r->real, &r->heard, r->real.size ? x : NULL);
    r->twin.ops->sense(&r->twin, out, x + r->real.size);
    out->tick = in_test(r, out->tick); /* the twin acknowledges the last command */
    out->inputs |= r->heard.inputs & IFD_INPUT_RIG_STOPPED;
    return fresh;
}

static void command(ifd_rig *rig, const ifd_command *c, double *x)
{
    rehearsal *r = rig->data;
    const ifd_command nothing = {.tick = ++r->sent,
                                 .time = c->time,
                                 .state = IFD_MACHINE_IDLE,
                                 .heartbeat = c->heartbeat,
                                 .actuators = c->actuators};
    r->real.ops->command(&r->real, &nothing, r->real.size ? x : NULL);
    r->twin.ops->command(&r->twin, c, x + r->real.size);
}

static void close_both(ifd_rig *rig)
{
    rehearsal *r = rig->data;
    if (r->real.ops->close)
        r->real.ops->close(&r->real);
    if (r->twin.ops->close)
        r->twin.ops->close(&r->twin);
}

static int64_t wait(ifd_rig *rig, int64_t latest)
{
    return ifd__rig_wait(&((rehearsal *)rig->data)->real, latest);
}

static int warm(ifd_rig *rig, ifd_note *note)
{
    rehearsal *r = rig->data;
    r->real.grid = rig->grid;
    return ifd__rig_warm(&r->real, note);
}

static const char *why(const ifd_rig *rig)
{
    return ifd__rig_why(&((const rehearsal *)rig->data)->real);
}

static const ifd_rig_ops rehearsal_rig = {
    .abi = IFD_RIG_ABI,
    .name = "rehearsal",
    .summary = "the rig holds its position and its twin supplies the response",
    .open = open_both,
    .begin = begin,
    .sense = sense,
    .command = command,
    .close = close_both,
    .wait = wait,
    .warm = warm,
    .why = why,
    .simulated = ifd__rig_always_simulated, /* the rig is opened for reading: nothing moves */
};

ifd_status ifd__rehearse(ifd_arena *arena, const ifd_laboratory *twin, ifd_rig *rig)
{
    rehearsal *r = ifd_arena_take(arena, sizeof *r);
    ifd_laboratory *laboratory = ifd_arena_take(arena, sizeof *laboratory);
    if (!r || !laboratory)
        return IFD_NO_MEMORY;
    *laboratory = *twin;
    r->real = *rig;
    r->real.purpose = IFD_PURPOSE_READ;
    r->real.each = IFD_EACH_NONE; /* its measurements are not used */
    r->twin = (ifd_rig){.ops = &ifd_virtual_rig, .actuators = rig->actuators, .tick = rig->tick, .data = laboratory};
    rig->ops = &rehearsal_rig;
    rig->data = r;
    return IFD_OK;
}
