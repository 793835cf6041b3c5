/* SPDX-License-Identifier: MIT */
/* A test on hold with a specimen that relaxes, for the tests of `hold_relaxation`. */
#pragma once

#include <interfield/case.h>
#include <interfield/hybrid.h>

typedef struct scene {
    ifd_arena *arena;
    ifd_hybrid *h;
    ifd_ticked t;
    double began; /* N, at rest */
} scene;

/* s: the force of a Maxwell branch decays by e^(-t/tau). */
static const double tau = 5.0;
/* Ticks of a mean on hold, and lags before it. */
static const double mean_ticks = 50.0, settling_lags = 4.0;
extern const char *const hold_damper_text;

const ifd_case *hold_read(ifd_arena *arena, const char *text, const char *set);
void hold_tick(scene *s, ifd_order order);
/* On hold at rest after 0.3 s of the test, and for `rest` more. */
void hold_of(scene *s, const char *text, const char *set, double rest);
void hold_damper(scene *s, const char *set, double rest);
/* The answer to the order. */
ifd_answer hold_resume(scene *s);
/* The next tick has no measurement. */
void hold_silence(scene *s);
void hold_end(scene *s);
