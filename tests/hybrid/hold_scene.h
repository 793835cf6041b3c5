/* SPDX-License-Identifier: MIT */
/* A test on hold with a specimen that relaxes, for the tests of `hold_relaxation`. */
#pragma once

#include "hybrid/case_stand.h"
#include "hybrid/hybrid.h"
#include "hybrid/pace/scaled.h"

/* s: the force of a Maxwell branch decays by e^(-t/tau). */
static const double tau = 5.0;
/* Ticks of a mean on hold, and lags before it. */
static const double mean_ticks = 50.0, settling_lags = 4.0;

#define HOLD_MODEL                                                                                                   \
    "time: {step: 2 ms, end: 10 s}\n"                                                                                \
    "method: lsrt2\n"                                                                                                \
    "model: {dofs: [x], mass: [1000], damping: [400], stiffness: [4.0e+4]}\n"                                        \
    "initial: {displacement: {x: 10 mm}}\n"                                                                          \
    "specimen:\n"
#define HOLD_LIMITS                                                                                                  \
    "    limits: {stroke: 50 mm, velocity: 2 m/s, acceleration: 2000 m/s2, force: 50 kN, tracking: 40 mm}\n"
#define HOLD_TEST                                                                                                    \
    "test: {rig: virtual, ramp-in: 0.2 s, settle: 0.05 s, brake: 0.05 s, allow-resume: yes, frozen-for: 200 s}\n"

static const char hold_damper_text[] =
    HOLD_MODEL "  - name: damper\n"
               "    maxwell: {between: [ground, x], branches: [[60000, 300000]]}\n" HOLD_LIMITS HOLD_TEST;

static double began; /* N, at rest */

/* On hold at rest after 0.3 s of the test, and for `rest` more. */
static void hold_of(stand *s, const char *text, const char *set, double rest)
{
    *s = (stand){0};
    play(stand_case(s, text, set, NULL, NULL), "until time >= 0.3; hold; until rests = 1 within 10000");
    began = ifd__interface_of(s->h, 0)->measured_f;
    play(&s->p, "%d; is hold; result GOING", (int)ceil(rest / ifd_hybrid_period(s->h) - 1e-9));
}

static void hold_damper(stand *s, const char *set, double rest)
{
    hold_of(s, hold_damper_text, set, rest);
}

/* The next tick has no measurement. */
static void hold_silence(stand *s)
{
    s->h->listened = true;
    s->h->news = false;
}
