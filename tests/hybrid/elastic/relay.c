/* SPDX-License-Identifier: MIT */
#include "hybrid/elastic/relay.h"

#include <math.h>
#include <string.h>

static double uniform(relay *r)
{
    r->random = r->random * 6364136223846793005u + 1442695040888963407u;
    return (double)(r->random >> 11) / 9007199254740992.0;
}

static bool cut(const relay *r)
{
    return r->now >= r->cut_from && r->now < r->cut_to;
}

/* The instant of arrival; negative: lost. */
static double sends(relay *r)
{
    double delay = 0.5 * r->round_trip * (1.0 + r->jitter * (2.0 * uniform(r) - 1.0));
    bool lost = uniform(r) < r->loss;
    return lost || cut(r) ? -1.0 : r->now + delay;
}

static ifd_status open_relay(ifd_rig *rig, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    relay *r = rig->data;
    (void)values;
    (void)arena;
    (void)note;
    r->tick = rig->tick;
    r->random += 12345;
    rig->size = 0;
    return IFD_OK;
}

static void site_moves(relay *r)
{
    for (int i = 0; i < r->theres;) {
        if (r->there[i].due > r->now) {
            i++;
            continue;
        }
        const ifd_command *c = &r->there[i].c;
        bool taken = !r->ignores_after || c->tick <= (uint64_t)r->ignores_after;
        if (c->tick > r->applied.tick && taken && c->commanded)
            r->applied = *c;
        else if (c->tick > r->applied.tick && taken) /* the site keeps its position */
            r->applied.tick = c->tick;
        r->there[i] = r->there[--r->theres];
    }
}

static void site_answers(relay *r)
{
    double due = sends(r), x = r->applied.commanded ? r->applied.position[0] : 0.0;
    if (due < 0.0 || r->backs == RELAY_FLIGHT)
        return;
    ifd_measure m = {.tick = r->applied.tick,
                     .time = (double)++r->answers,
                     .inputs = IFD_INPUT_NO_STOP | IFD_INPUT_HYDRAULICS,
                     .actuators = 1};
    m.position[0] = x;
    m.force[0] = r->stiffness * x + r->viscosity * r->applied.velocity[0];
    r->back[r->backs].due = due;
    r->back[r->backs++].m = m;
}

static bool sense(ifd_rig *rig, ifd_measure *out, double *x)
{
    relay *r = rig->data;
    (void)x;
    r->now += 1.0;
    site_moves(r);
    site_answers(r);
    for (int i = 0; i < r->backs;) {
        if (r->back[i].due > r->now) {
            i++;
            continue;
        }
        if (r->back[i].m.time > (double)r->newest_answer) {
            r->newest = r->back[i].m;
            r->newest_answer = (uint64_t)r->newest.time;
        }
        r->back[i] = r->back[--r->backs];
    }
    if (r->newest_answer == r->passed_on)
        return false;
    r->passed_on = r->newest_answer;
    *out = r->newest;
    return true;
}

static void watch(relay *r, const ifd_command *c)
{
    double p = c->position[0];
    if (!c->commanded) {
        r->sent = 0;
        return;
    }
    if (r->sent > 0)
        r->most_velocity = fmax(r->most_velocity, fabs(p - r->last[0]) / r->tick);
    if (r->sent > 1)
        r->most_acceleration =
            fmax(r->most_acceleration, fabs(p - 2.0 * r->last[0] + r->last[1]) / (r->tick * r->tick));
    r->last[1] = r->last[0];
    r->last[0] = p;
    r->sent++;
}

static void command(ifd_rig *rig, const ifd_command *c, double *x)
{
    relay *r = rig->data;
    (void)x;
    watch(r, c);
    r->most_age = fmax(r->most_age, (double)(c->tick - r->newest.tick));
    double due = sends(r);
    if (due < 0.0 || r->theres == RELAY_FLIGHT || (r->commands_cut_from > 0.0 && r->now >= r->commands_cut_from))
        return;
    r->there[r->theres].due = due;
    r->there[r->theres++].c = *c;
}

const ifd_rig_ops relay_rig = {
    .abi = IFD_RIG_ABI, .name = "relay", .open = open_relay, .sense = sense, .command = command};
