/* SPDX-License-Identifier: MIT */
/* The values of all columns at the newest samples of frames, for browsers that request some of them. Bounded: new
 * samples replace old ones. Without locks; a mutex of the owner protects it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <interfield/arena.h>

enum {
    SAMPLES_BYTES = 1 << 24, /* largest size of the samples of a running test, bytes */
    SAMPLES_MOST = 1 << 14   /* more than a minute of an ordinary test */
};

typedef struct samples {
    float *value; /* [kept][columns] */
    int columns;
    uint64_t kept, count; /* capacity; number of samples added so far */
} samples;

/* Space for `kept` samples; 0: as many as a running test stores. */
bool samples_make(samples *s, ifd_arena *arena, int columns, uint64_t kept);
/* value: [count][columns] */
void samples_put(samples *s, const float *value, int count);
/* Copies some columns of at most `most` samples from *place to out[sample][column]; returns their number. If the
 * sample at *place was replaced, copying starts at the oldest one; *place is set to the first sample copied. */
int samples_take(const samples *s, uint64_t *place, const int *column, int columns, int most, float *out);
