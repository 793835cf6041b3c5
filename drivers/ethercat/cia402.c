/* SPDX-License-Identifier: MIT */
/* The states of a CiA-402 drive and the words that lead through them. */
#include "cia402.h"

#include <math.h>

static const double brake_time = 0.02; /* s, of the velocity of a set point without commands */
static const double reset_every = 1.0; /* s */
static const double quick_stop = 0.5;  /* s, longest quick stop before the voltage is switched off */

static const struct row {
    uint16_t mask, value, up, down, run, stop;
} rows[] = {
#define ROW(name, text, mask, value, up, down, run, stop) {mask, value, up, down, run, stop},
    CIA402_STATE_LIST(ROW)
#undef ROW
};

cia402_state cia402_state_of(uint16_t status)
{
    int i = 0;
    while ((status & rows[i].mask) != rows[i].value)
        i++; /* the last row fits every word */
    return (cia402_state)i;
}

void cia402_start(cia402_axis *a, const cia402_settings *s)
{
    *a = (cia402_axis){.s = *s, .decay = exp(-s->tick / brake_time), .first = true};
}

/* The reset acts on a rising edge: the word is 0 in all other cycles. */
uint16_t cia402_reset(cia402_axis *a)
{
    if (a->resets > 0 && a->since++ * a->s.tick < reset_every)
        return 0;
    if (a->resets == CIA402_RESETS) {
        a->refused = true;
        return 0;
    }
    a->resets++;
    a->since = 1;
    return 0x80;
}

uint16_t cia402_up(cia402_axis *a, uint16_t status, double here)
{
    cia402_state state = cia402_state_of(status);
    if (!a->holds) /* an enabled drive holds: a set point that follows it would let it drift */
        a->set = here;
    a->holds = state == CIA402_ENABLED;
    a->velocity = 0.0;
    a->first = true;
    a->braked = 0;
    return rows[state].up;
}

/* "Switched on" lasts as long as the brake needs to engage. */
static bool engages(cia402_axis *a, cia402_state state)
{
    if (state == CIA402_ENABLED)
        a->braked = 0;
    return state == CIA402_SWITCHED_ON && a->braked++ * a->s.tick < a->s.brake_time;
}

uint16_t cia402_down(cia402_axis *a, uint16_t status, double here)
{
    cia402_state state = cia402_state_of(status);
    if (state != CIA402_ENABLED) /* the drive brakes to its last set point */
        a->set = here;
    a->holds = false;
    a->velocity = 0.0;
    a->first = true;
    return engages(a, state) ? 0x07 : rows[state].down;
}

/* A set point outside the stroke may move towards it, never farther out: an axis may be found outside. */
static bool outside(const cia402_axis *a, double target)
{
    return (target > a->s.high && target > a->set) || (target < a->s.low && target < a->set);
}

cia402_verdict cia402_command(cia402_axis *a, double target)
{
    if (!isfinite(target))
        return CIA402_NOT_FINITE;
    if (a->first && fabs(target - a->set) > a->s.jump)
        return CIA402_TOO_FAR;
    if (outside(a, target))
        return CIA402_OUTSIDE;
    a->velocity = (target - a->set) / a->s.tick;
    if (a->first) /* a distance, not a motion */
        a->velocity = 0.0;
    a->set = target;
    a->first = false;
    return CIA402_FOLLOWS;
}

/* The velocity of the next tick. */
static double slower(const cia402_axis *a)
{
    double change = a->s.brake * a->s.tick;
    if (!(change > 0.0))
        return fabs(a->velocity * a->decay) * brake_time < 0.5 * a->s.grain ? 0.0 : a->velocity * a->decay;
    return a->velocity > change ? a->velocity - change : a->velocity < -change ? a->velocity + change : 0.0;
}

void cia402_coast(cia402_axis *a, long missed)
{
    if (missed > CIA402_GRACE) {
        a->velocity = slower(a);
        a->first = true; /* the sender of commands does not know where the set point went */
    }
    double next = a->set + a->velocity * a->s.tick;
    if (outside(a, next))
        a->velocity = 0.0;
    else
        a->set = next;
}

uint16_t cia402_run(uint16_t status)
{
    return rows[cia402_state_of(status)].run;
}

/* To rest, then 0x02 for at most half a second. */
static uint16_t quick_word(cia402_axis *a, cia402_state state)
{
    bool over = state == CIA402_QUICK_STOP && a->braking++ * a->s.tick > quick_stop;
    return over ? 0 : rows[state].stop;
}

uint16_t cia402_stop(cia402_axis *a, uint16_t status)
{
    cia402_state state = cia402_state_of(status);
    if (a->s.quick_stop == CIA402_QUICK_NONE)
        return cia402_end(a, status);
    if (state == CIA402_ENABLED && a->velocity != 0.0)
        return rows[state].run;
    if (state == CIA402_QUICK_STOP && a->s.quick_stop == CIA402_QUICK_HOLD)
        return rows[state].stop; /* it holds as long as it is cycled */
    return quick_word(a, state);
}

uint16_t cia402_end(cia402_axis *a, uint16_t status)
{
    cia402_state state = cia402_state_of(status);
    if (state == CIA402_ENABLED && a->velocity != 0.0)
        return rows[state].run;
    if (state == CIA402_ENABLED || state == CIA402_SWITCHED_ON)
        return engages(a, state) ? 0x07 : rows[state].down;
    return quick_word(a, state);
}
