/* SPDX-License-Identifier: MIT */
/* All columns at the newest samples, for browsers that ask for them. */
#include "samples.h"

#include <string.h>

bool samples_make(samples *s, ifd_arena *arena, int columns, uint64_t kept)
{
    const size_t one = (size_t)columns * sizeof(float);
    if (!kept)
        kept = SAMPLES_BYTES / one < SAMPLES_MOST ? SAMPLES_BYTES / one : SAMPLES_MOST;
    kept = kept > 0 ? kept : 1;
    *s = (samples){.columns = columns, .kept = kept, .value = ifd_arena_array(arena, kept, one)};
    return s->value != NULL;
}

void samples_put(samples *s, const float *value, int count)
{
    for (int i = 0; i < count; i++, s->count++)
        memcpy(s->value + s->count % s->kept * (uint64_t)s->columns, value + (size_t)i * (size_t)s->columns,
               (size_t)s->columns * sizeof *value);
}

int samples_take(const samples *s, uint64_t *place, const int *column, int columns, int most, float *out)
{
    uint64_t oldest = s->count > s->kept ? s->count - s->kept : 0;
    *place = *place < oldest ? oldest : *place;
    int count = s->count - *place < (uint64_t)most ? (int)(s->count - *place) : most;
    for (int i = 0; i < count; i++) {
        const float *row = s->value + (*place + (uint64_t)i) % s->kept * (uint64_t)s->columns;
        for (int k = 0; k < columns; k++)
            *out++ = row[column[k]];
    }
    return count;
}
