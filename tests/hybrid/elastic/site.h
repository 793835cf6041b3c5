/* SPDX-License-Identifier: MIT */
/* A test with elastic time on a rig whose answers the test writes: the tick that an answer acknowledges, its position
 * and its force. */
#pragma once

#include <math.h>

#include "hybrid/pace/elastic.h"
#include "hybrid/hybrid_stand.h"
#include "hybrid/own_rig.h"

static const double tick = 1e-3, tau = 12e-3;

/* Answers after a constant number of ticks, unless it is silent or an answer is written. */
typedef struct site {
    int late;     /* ticks */
    bool silent;  /* no answers */
    bool stuck;   /* shows its first position */
    double shown; /* that one */
    bool written;
    uint64_t answers; /* written: the tick that the next answer acknowledges, and its force */
    double force;
    ifd_command sent[4096];
    uint64_t newest;
} site;

static bool sense(ifd_rig *rig, ifd_measure *out, double *x)
{
    site *s = rig->data;
    (void)x;
    uint64_t n = s->written ? s->answers : s->newest > (uint64_t)s->late ? s->newest - (uint64_t)s->late : 0;
    const ifd_command *c = &s->sent[n % 4096];
    double p = n && c->commanded ? c->position[0] : s->shown;
    if (s->silent)
        return false;
    s->shown = s->stuck ? s->shown : p;
    *out = (ifd_measure){.tick = n, .inputs = IFD_INPUT_NO_STOP | IFD_INPUT_HYDRAULICS, .actuators = 1};
    out->position[0] = s->shown;
    out->force[0] = s->written ? s->force : 10e3 * s->shown;
    return true;
}

static void command(ifd_rig *rig, const ifd_command *c, double *x)
{
    site *s = rig->data;
    (void)x;
    s->sent[c->tick % 4096] = *c;
    s->newest = c->tick;
}

static const ifd_rig_ops site_rig = OWN_RIG("site", sense, command);

typedef struct scene {
    stand s;
    ifd_elastic elastic;
    site site;
} scene;

__attribute__((unused)) static void prepare(scene *c, int lambda, int late)
{
    memset(c, 0, sizeof *c);
    stand_prepare(&c->s, 20e3, 10e3);
    c->site.late = late;
    ifd_elastic_defaults(&c->elastic);
    c->elastic.delay = tau;
    c->s.opt.elastic = &c->elastic;
    c->s.opt.rig = &site_rig;
    c->s.opt.rig_setup = &c->site;
    c->s.opt.automatic = true;
    c->s.opt.lambda = lambda;
    c->s.opt.ticks_per_stage = 2 * lambda;
    c->s.opt.force_stuck = IFD_STUCK_OFF;
    c->s.opt.ramp_in = 0.4;
    c->s.channel.limits.acceleration = 100.0;
    c->s.channel.limits.tracking = 0.02;
    c->s.channel.limits.force = 1e3;
}

__attribute__((unused)) static void one(scene *c)
{
    (void)c->s.t.tick(c->s.t.self, &(ifd_tick_in){0});
}

__attribute__((unused)) static double rate(const scene *c)
{
    return ifd__test_of(c->s.h)->rate;
}
