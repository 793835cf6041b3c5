/* SPDX-License-Identifier: MIT */
/* Smooth motion of a served rig between commands of irregular times. */
#include "rig/follower.h"

#include <math.h>

static const double radians = 3.0; /* w times the brake time */
/* Ticks of progress: closer to the newest command, and slower, is at rest there. */
static const double there = 0.02;

double ifd__follower_lag(double brake)
{
    return 2.0 * brake / (IFD__FOLLOWER_SHARE * radians);
}

void ifd__follower_begin(ifd__follower *f, double brake)
{
    f->filter = ifd__damped_of(radians * IFD__FOLLOWER_SHARE * f->tick / brake);
    ifd__follower_forget(f);
}

void ifd__follower_forget(ifd__follower *f)
{
    f->first = f->count = 0;
    f->step = 0.0;
}

static ifd__followed *at(const ifd__follower *f, int i)
{
    return &f->command[(f->first + i) % IFD__FOLLOWED];
}

/* Progress that rests while positions change, as after a trip, changes the newest command. */
bool ifd__follower_take(ifd__follower *f, const ifd__followed *c)
{
    if (f->count > 0 && c->progress < at(f, f->count - 1)->progress)
        return false;
    if (f->count == 0)
        f->progress = c->progress;
    bool again = f->count > 0 && c->progress == at(f, f->count - 1)->progress;
    if (!again && f->count == IFD__FOLLOWED)
        f->first = (f->first + 1) % IFD__FOLLOWED;
    else if (!again)
        f->count++;
    *at(f, f->count - 1) = *c;
    return true;
}

/* Commands before the last one that is reached are no longer needed. */
static void forget(ifd__follower *f)
{
    while (f->count > 1 && at(f, 1)->progress <= f->progress) {
        f->first = (f->first + 1) % IFD__FOLLOWED;
        f->count--;
    }
}

uint64_t ifd__follower_move(ifd__follower *f, double position[IFD_RIG_ACTUATORS])
{
    if (f->count == 0)
        return 0;
    double goal = at(f, f->count - 1)->progress;
    ifd__damped_step(&f->filter, goal, &f->progress, &f->step);
    if (goal - f->progress < there * f->tick && f->step < there * f->tick) {
        f->progress = goal;
        f->step = 0.0;
    }
    forget(f);
    const ifd__followed *a = at(f, 0), *b = f->count > 1 ? at(f, 1) : a;
    double way = b->progress - a->progress;
    double share = way > 0.0 ? fmax(0.0, (f->progress - a->progress) / way) : 0.0;
    for (int k = 0; k < f->actuators; k++)
        position[k] = a->position[k] + share * (b->position[k] - a->position[k]);
    return a->tick + (uint64_t)(share * (double)(b->tick - a->tick) + 0.5);
}
