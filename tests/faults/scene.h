/* SPDX-License-Identifier: MIT */
/* A free-running test on a faulty rig: made from a case, brought into a state, disturbed, repaired, and completed,
 * with a record; then replayed from its record alone. */
#pragma once

#include <interfield/case.h>
#include <interfield/journal.h>

#include "faults/bad_rig.h"
#include "hybrid/scenario.h"

/* Which test. */
typedef enum scene_kind {
    SPRINGS,    /* two specimens */
    RAW,        /* one, behind a channel map with ranges */
    COLUMN,     /* a controlled force, two actuators on one block */
    BLOCK,      /* three actuators on one block */
    PARTS,      /* two substructures, one of them on a worker */
    LOADED,     /* preload */
    REHEARSED,  /* iterative start of coupling rts */
    WALL,       /* a specimen on a reaction wall, loaded by a force */
    PRESCRIBED, /* two specimens under a loading protocol */
    REMOTE      /* another program computes the structure */
} scene_kind;

/* Behaviour of the master in a fault. */
enum {
    MASTER_FINE,
    MASTER_SILENT,
    MASTER_GOES,
    MASTER_TALKS_NONSENSE,
    MASTER_ASKS_TOO_MUCH,
    MASTER_ASKS_THE_EDGE,
    MASTER_DOES_NOT_FIT,
    MASTER_LEAVES_EARLY,
    MASTER_HURRIES
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
    player p; /* of scripts, whose ticks are those of the scene */
    ifd_journal *journal;
    char path[256];
    uint64_t ticks;
    uint32_t source;      /* of the orders: IFD_SOURCE_... */
    bool waits;           /* a stop or a park was ordered */
    ifd_run_state last;   /* result of the last tick */
    long left;            /* remaining ticks of the fault; -1: until repaired */
    uint64_t target;      /* of the master: number of the last one sent */
    bool answered, quiet; /* its last target is answered; it has not started */
} scene;

/* set: overrides of the case, NULL at the end. */
void scene_open(scene *s, scene_kind kind, const char *const *set);
void scene_close(scene *s);

void scene_tick(scene *s, ifd_order order);
void scene_ticks(scene *s, int count);
/* Ticks until the test is in this state, which it must reach. */
void scene_until(scene *s, ifd_machine state);
/* From the beginning into a state: hold, ramp-out and tripped still in motion. */
void scene_bring(scene *s, ifd_machine state);
void scene_break(scene *s, const trouble *t);
void scene_repair(scene *s);

/* Ends the record, reads it, compares its last tick with the test, and replays every tick: bit-identical states. */
void scene_replays(scene *s);
