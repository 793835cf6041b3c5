/* SPDX-License-Identifier: MIT */
/* Ticks a rig without a test while it is checked. */
#include "link/rig_trial.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "base/os_linux.h"
#include "hybrid/quintic.h"
#include "rig/rig.h"

ifd_status ifd__trial_open(ifd__trial *t, const ifd_rig_check_options *o, ifd_purpose purpose, ifd_arena *arena,
                           ifd_note *note)
{
    t->o = o;
    t->rig = (ifd_rig){.ops = o->rig,
                       .channels = o->channels,
                       .tick = o->tick,
                       .data = o->setup,
                       .folder = o->folder,
                       .purpose = purpose};
    memcpy(t->rig.acceleration, o->acceleration, sizeof t->rig.acceleration);
    if (o->map)
        ifd__channel_map_rates(o->map, t->rig.acceleration);
    t->rig.beat = o->beat;
    t->rig.number = 1;
    IFD_TRY(ifd__rig_open(&t->rig, o->values, arena, note));
    if (t->rig.size > 0 && !(t->x = ifd_arena_array(arena, (size_t)t->rig.size, sizeof *t->x))) {
        ifd__trial_close(t);
        return IFD_NO_MEMORY;
    }
    if (o->rig->begin)
        o->rig->begin(&t->rig, t->x);
    return IFD_OK;
}

void ifd__trial_close(ifd__trial *t)
{
    ifd__rig_close(&t->rig);
}

int ifd__trial_warm(ifd__trial *t, double *took, ifd_note *note)
{
    int64_t start = ifd__clock_now(), tick = (int64_t)(1e9 * t->o->tick), due = start / tick * tick;
    int ready = 0;
    while ((ready = ifd__rig_warm(&t->rig, note)) == 0 && 1e-9 * (double)(ifd__clock_now() - start) < t->o->ready)
        ifd__clock_sleep(due += tick);
    *took = 1e-9 * (double)(ifd__clock_now() - start);
    return ready;
}

bool ifd__trial_hear(ifd__trial *t)
{
    for (int k = 0; k < 1000; k++) {
        if (ifd__trial_sense(t))
            return true;
        ifd__clock_sleep(ifd__clock_now() + 1000000);
    }
    return false;
}

void ifd__trial_wait(ifd__trial *t)
{
    int64_t tick = (int64_t)(1e9 * t->o->tick), due = (t->due / tick + 1) * tick, ready = ifd__clock_now();
    due = due > ready ? due : ready; /* calls longer than a tick are assessed separately */
    ifd__beat_mark(t->rig.beat, IFD_AT_WAIT, 0, 1);
    ifd__clock_sleep(due);
    int64_t now = ifd__clock_now();
    double behind = 1e-9 * (double)(now - due);
    t->waits++;
    t->due = due;
    if (behind > IFD_LATE_AFTER * t->o->tick) {
        t->late++;
        t->lateness = fmax(t->lateness, behind);
        t->lateness_now = fmax(t->lateness_now, behind);
        t->due = now;
    }
}

/* Number of preemptions of this thread. */
static long preemptions(void)
{
    struct rusage use;
    return getrusage(RUSAGE_THREAD, &use) == 0 ? use.ru_nivcsw : 0;
}

/* Duration of a call; a call with a preemption is not representative. */
static void count_call(ifd__trial *t, double took, long preempted, double *slowest)
{
    if (preempted) {
        t->preempted++;
        return;
    }
    *slowest = fmax(*slowest, took);
    t->sum += took;
    t->calls++;
}

bool ifd__trial_sense(ifd__trial *t)
{
    long taken_away = preemptions();
    int64_t before = ifd__clock_now();
    bool fresh = ifd__rig_sense(&t->rig, &t->raw, t->x);
    double took = 1e-9 * (double)(ifd__clock_now() - before);
    count_call(t, took, preemptions() - taken_away, &t->slowest_sense);
    t->ticks++;
    t->m.inputs = t->raw.inputs; /* it can stop without a measurement */
    if (!fresh)
        return false;
    ifd_measure m = t->raw;
    if (t->o->map)
        ifd_channel_map_sense(t->o->map, &t->raw, &m, NULL);
    t->news++;
    t->old_news += t->news > 1 && m.time <= t->m.time;
    t->untrue += m.tick > t->c.tick || (t->news > 1 && m.tick < t->m.tick);
    t->m = m;
    return true;
}

void ifd__trial_command(ifd__trial *t, ifd_machine state, double offset, double velocity)
{
    t->c.tick++;
    t->c.heartbeat++;
    t->c.time += t->o->tick;
    t->c.state = (uint32_t)state;
    t->c.commanded = state != IFD_MACHINE_IDLE;
    t->c.outputs = (t->enabled ? IFD_OUTPUT_ENABLE : 0u) | (t->c.tick & 1u ? IFD_OUTPUT_BEAT : 0u);
    t->c.channels = (uint32_t)t->o->channels;
    for (int k = 0; k < t->o->channels; k++) {
        t->c.position[k] = t->home[k] + offset;
        t->c.velocity[k] = velocity;
    }
    ifd_command raw = t->c;
    if (t->o->map)
        ifd_channel_map_command(t->o->map, &t->c, &raw);
    long taken_away = preemptions();
    int64_t before = ifd__clock_now();
    ifd__rig_command(&t->rig, &raw, t->x);
    double took = 1e-9 * (double)(ifd__clock_now() - before);
    count_call(t, took, preemptions() - taken_away, &t->slowest_command);
}

double ifd__trial_farthest(const ifd__trial *t, double offset)
{
    double most = 0.0;
    for (int k = 0; k < t->o->channels; k++)
        most = fmax(most, fabs(t->m.position[k] - t->home[k] - offset));
    return most;
}

double ifd__trial_tick(ifd__trial *t, ifd_machine state, double from, double offset, double velocity)
{
    ifd__trial_wait(t);
    double off = ifd__trial_sense(t) ? ifd__trial_farthest(t, from) : 0.0;
    ifd__trial_command(t, state, offset, velocity);
    return off;
}

void ifd__trial_request_power(ifd__trial *t)
{
    const double longest = 5.0, allows = 60.0; /* s, of the drives and of the operator of a rig server */
    t->due = ifd__clock_now();
    for (int64_t end = t->due + (int64_t)(1e9 * allows); /* a request would be without effect before */
         t->m.inputs & IFD_INPUT_NOT_ALLOWED && ifd__clock_now() < end;)
        (void)ifd__trial_tick(t, IFD_MACHINE_IDLE, 0.0, 0.0, 0.0);
    t->enabled = true;
    for (int64_t end = ifd__clock_now() + (int64_t)(1e9 * longest);
         t->m.inputs & IFD_INPUT_UNPOWERED && ifd__clock_now() < end;)
        (void)ifd__trial_tick(t, IFD_MACHINE_IDLE, 0.0, 0.0, 0.0);
}

bool ifd__trial_free(const ifd__trial *t)
{
    return (t->m.inputs & ~(uint32_t)(IFD_INPUT_START | IFD_INPUT_UNPOWERED)) ==
           (IFD_INPUT_NO_STOP | IFD_INPUT_HYDRAULICS);
}

double ifd__trial_ramp(double s, double *slope)
{
    *slope = 30.0 * s * s * (1.0 - s) * (1.0 - s);
    return ifd__rest_to_rest(0.0, 1.0, s);
}

void ifd__trial_judge(ifd__trial *t, int which, ifd_rig_verdict v, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    t->row[which].verdict = v;
    vsnprintf(t->row[which].text, sizeof t->row[which].text, format, args);
    va_end(args);
}
