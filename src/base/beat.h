/* SPDX-License-Identifier: MIT */
/* The word that a tick stores for its supervisor (supervisor.h): number of the tick, place, rig. Every mark changes
 * it. One thread at a time marks. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include <interfield/supervisor.h>

struct ifd_beat {
    _Atomic uint64_t word;
    _Atomic int clock; /* of the processor time of the thread that ticks; 0: not known */
};

/* Bits: 0 place, 8 rig from 1 (0: not in a rig), 16 number of the mark, 24 tick. */
enum { IFD__BEAT_RIG = 8, IFD__BEAT_MARK = 16, IFD__BEAT_TICK = 24, IFD__BEAT_BYTE = 0xff };

/* The calling thread ticks from here on. NULL: no supervisor. */
static inline void ifd__beat_thread(ifd_beat *beat)
{
    clockid_t clock;
    if (beat && pthread_getcpuclockid(pthread_self(), &clock) == 0)
        atomic_store(&beat->clock, (int)clock);
}

/* rig: from 1; 0: not in a rig. tick: number of ticks since the last mark. NULL: no supervisor. */
IFD_RT static inline void ifd__beat_mark(ifd_beat *beat, ifd_tick_place place, int rig, unsigned ticks)
{
    if (!beat)
        return;
    uint64_t old = atomic_load_explicit(&beat->word, memory_order_relaxed);
    uint64_t mark = ((old >> IFD__BEAT_MARK) + 1) & IFD__BEAT_BYTE, tick = (old >> IFD__BEAT_TICK) + ticks;
    uint64_t word = (uint64_t)place | (uint64_t)(rig & IFD__BEAT_BYTE) << IFD__BEAT_RIG | mark << IFD__BEAT_MARK |
                    tick << IFD__BEAT_TICK;
    atomic_store_explicit(&beat->word, word, memory_order_relaxed);
}

IFD_RT static inline void ifd__beat_at(ifd_beat *beat, ifd_tick_place place)
{
    ifd__beat_mark(beat, place, 0, 0);
}
