/* SPDX-License-Identifier: MIT */
/* Age of the answers of a rig, measured with commands that contain no position. */
#include <interfield/link.h>

#include <math.h>

#include "base/arena.h"
#include "base/os_linux.h"
#include "rig/rig.h"
#include "statistics/statistics.h"

static const double longest = 1e6;      /* ticks of a measurement */
static const double first_answer = 5.0; /* s to wait for it */

typedef struct listening {
    ifd_rig rig;
    double *x; /* state of a rig in this process */
    ifd_measure m;
    ifd_command c;
    bool heard;
} listening;

/* One tick; ticks since the newest answered command: 1 for the last one. */
static double step(listening *l)
{
    bool fresh = ifd__rig_sense(&l->rig, &l->m, l->x);
    l->heard = l->heard || (fresh && l->m.tick > 0);
    l->c.tick++;
    double age = (double)(l->c.tick - l->m.tick);
    l->c.heartbeat++;
    l->c.actuators = (uint32_t)l->rig.actuators;
    l->c.state = IFD_MACHINE_IDLE;
    ifd__rig_command(&l->rig, &l->c, l->x);
    return age;
}

static ifd_status listen(listening *l, double *age, long count, ifd_note *note)
{
    int64_t period = (int64_t)(1e9 * l->rig.tick), due = ifd__clock_now() + period;
    int64_t end = due + (int64_t)(1e9 * first_answer);
    for (; !l->heard && due < end; due += period) {
        ifd__clock_sleep(due);
        (void)step(l);
    }
    if (!l->heard)
        return ifd_note_add(note, IFD_PEER, NULL, "rig '%s' answered no command within %g s", l->rig.ops->name,
                            first_answer);
    for (long i = 0; i < count; i++, due += period) {
        ifd__clock_sleep(due);
        age[i] = step(l) * l->rig.tick;
    }
    return IFD_OK;
}

static void judge(const listening *l, double *age, long count, ifd_echo *out)
{
    const ifd_link_counts n = ifd_link_counted(&l->rig);
    ifd__sort((int)count, age);
    *out = (ifd_echo){.ticks = count,
                      .median = age[count / 2],
                      .p99 = age[(long)(0.99 * (double)count)],
                      .most = age[count - 1],
                      .loss = n.heard + n.lost > 0 ? (double)n.lost / (double)(n.heard + n.lost) : 0.0};
}

ifd_status ifd_rig_echo(const ifd_rig *rig, const ifd_value *values, double seconds, ifd_echo *out, ifd_note *note)
{
    listening l = {.rig = *rig};
    long count = (long)fmin(fmax(1.0, seconds / rig->tick), longest);
    ifd_arena *arena IFD__CLOSED = ifd_arena_open();
    double *age;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(age, count)));
    IFD_TRY(ifd__rig_open(&l.rig, values, arena, note));
    l.x = l.rig.size > 0 ? ifd_arena_array(arena, (size_t)l.rig.size, sizeof *l.x) : NULL;
    if (l.rig.ops->begin)
        l.rig.ops->begin(&l.rig, l.x);
    ifd_status status = listen(&l, age, count, note);
    if (status == IFD_OK)
        judge(&l, age, count, out);
    ifd__rig_close(&l.rig);
    return status;
}
