/* SPDX-License-Identifier: MIT */
/* A test on a bad rig, without a clock: made from a case, brought into a state, broken, repaired, led to its end, and
 * recorded all the while; then made once more from its record alone. */
#ifndef TESTS_FAULTS_SCENE_H
#define TESTS_FAULTS_SCENE_H

#include <interfield/case.h>
#include <interfield/journal.h>

#include "faults/bad_rig.h"

/* Which test. */
typedef enum scene_kind {
    SPRINGS, /* two specimens */
    RAW,     /* one, behind a channel map with ranges */
    COLUMN,  /* a controlled force, two actuators on one block */
    BLOCK,   /* three actuators on one block */
    PARTS,   /* two parts, one of them on a worker */
    LOADED,  /* preload */
    REMOTE   /* another program computes */
} scene_kind;

/* What the master does, in a trouble. */
enum {
    MASTER_FINE,
    MASTER_SILENT,
    MASTER_GOES,
    MASTER_TALKS_NONSENSE,
    MASTER_ASKS_TOO_MUCH,
    MASTER_ASKS_THE_EDGE,
    MASTER_DOES_NOT_FIT,
    MASTER_LEAVES_EARLY
};

typedef struct scene {
    scene_kind kind;
    ifd_arena *arena, *books; /* of the test; of its record */
    ifd_note note;
    ifd_case *c;
    ifd_hybrid_options opt;
    ifd_remote *remote;
    ifd_hybrid *h;
    ifd_ticked t;
    ifd_journal *journal;
    char path[256];
    uint64_t ticks;
    ifd_run_state last;   /* what the last tick returned */
    long left;            /* ticks of trouble that are still to come; -1: until repaired */
    uint64_t target;      /* of the master: number of the last one said */
    bool answered, quiet; /* its last target was; it has not begun */
} scene;

/* set: overrides of the case, NULL at the end. */
void scene_open(scene *s, scene_kind kind, const char *const *set);
void scene_close(scene *s);

void scene_tick(scene *s, ifd_order order);
void scene_ticks(scene *s, int count);
/* Ticks until the machine is in this state, which it must reach. */
void scene_until(scene *s, ifd_machine state);
/* From the beginning into a state: hold, ramp-out and tripped while everything still moves. */
void scene_bring(scene *s, ifd_machine state);
void scene_break(scene *s, const trouble *t);
void scene_repair(scene *s);

/* Ends the record, reads it back, checks its last tick against the test, and makes every tick of it once
 * more: the same state to the bit. */
void scene_replays(scene *s);

#endif
