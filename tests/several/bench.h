/* SPDX-License-Identifier: MIT */
/* A test with three rigs of this file instead of those of a case. Each has one spring, reaches every command at once,
 * can fail, can answer late, and stores every command that it receives. */
#pragma once

#include <interfield/case.h>

#include "hybrid/scenario.h"

enum { BENCHES = 3, MOST_TICKS = 4000, MOST_AWAY = 64 };

typedef struct bench_command {
    uint64_t tick;
    uint32_t state, commanded;
    double position;
} bench_command;

typedef struct bench_answer {
    uint64_t in, tick; /* given in this tick, to this command */
    uint32_t inputs;
} bench_answer;

typedef struct bench {
    double stiffness, position;
    uint64_t heard; /* newest command */
    /* the faults */
    bool silent, deaf, stops; /* no measurements; commands are not received; stops without a measurement */
    bool not_ready, never;    /* of warm */
    uint32_t set, clear;      /* digital inputs */
    double position_off, force_off;
    uint64_t tick_off;
    /* answers on their way: latest ticks, drawn with this seed; 0: at once */
    int latest;
    uint64_t dice;
    ifd_measure away[MOST_AWAY];
    uint64_t arrives[MOST_AWAY]; /* call of sense; 0: free */
    uint64_t senses;
    /* what it has seen */
    int commands, opened, closed, warmed, answers;
    bench_command seen[MOST_TICKS];
    bench_answer given[MOST_TICKS]; /* the first ones */
} bench;

typedef struct benches {
    ifd_arena *arena;
    ifd_note note;
    ifd_case *c;
    const ifd_snapshot *from; /* of a continued test, for the replay */
    ifd_hybrid_options opt;
    ifd_interface_options interface[BENCHES];
    ifd_rig_part part[BENCHES];
    ifd_several set;
    bench bench[BENCHES];
    ifd_hybrid *h;
    ifd_ticked t;
    player p; /* of scripts, whose ticks are recorded */
    /* the record: of each tick its order, trace and values */
    int ticks;
    ifd_order order[MOST_TICKS];
    ifd_tick_trace *trace;
    double *values;
} benches;

/* Reads the case and replaces its rigs; then, after changes of part and opt, makes the test. */
void benches_read(benches *b);
void benches_make(benches *b);
void benches_close(benches *b);
void benches_tick(benches *b, ifd_order order);
/* Ticks until the state, which must be reached. */
void benches_until(benches *b, ifd_machine state);
/* Into a state from the beginning, with orders as an operator gives them. */
void benches_bring(benches *b, ifd_machine state);
/* Faults of a rig by a script: silent, deaf, stops, set, clear, position_off, force_off, tick_off. */
void benches_strike(benches *b, int rig, const char *script);
/* Replays the record: every state and every value is bit-identical. */
void benches_replay(benches *b);
