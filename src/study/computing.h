/* SPDX-License-Identifier: MIT */
/* A member while it is computed, shared by member.c (one at a time) and block.c (ensembles). */
#pragma once

#include <interfield/hybrid.h>
#include <interfield/run.h>

#include "study/member.h"

/* Set-ups of members whose structure has one dof, kept for other members (setups.c). */
typedef struct ifd__setups ifd__setups;

struct ifd_study_runner {
    const ifd_study *study;
    ifd__setups *setups; /* of an ensemble; NULL: none are kept */
    unsigned groups;     /* recorded for the kept columns; 0: not known yet */
    char *bytes;         /* allocated with malloc */
    size_t room;
};

typedef struct ifd__computing {
    ifd_study_runner *runner;
    ifd_arena *arena;
    ifd_note note;
    ifd_case *c;
    ifd__watch watch;
    ifd__ideal_run ideal; /* of a test whose `error` is kept */
    long ticks;           /* of a test so far */
    ifd_study_result out;
    double *scalar;
    char reason[IFD_STUDY_REASON + 1];
    int64_t began; /* ns */
} ifd__computing;

/* Begins a member in an arena; false: out of memory. */
bool ifd__computing_begin(ifd__computing *m, ifd_study_runner *r, ifd_arena *arena, long number, const double *value);
/* Reads its case. */
ifd_status ifd__computing_read(ifd__computing *m);
ifd_status ifd__computing_make_run(ifd__computing *m, ifd_run **run);
/* Keeps the present row of the run, if there is one; false: out of memory. */
bool ifd__computing_row(ifd__computing *m, const ifd_run *run);
void ifd__computing_finish_run(ifd__computing *m, ifd_run *run);
/* The test, and its ideal run if one is needed (m->watch.ideal). */
ifd_status ifd__computing_make_test(ifd__computing *m, ifd_hybrid **test);
/* Keeps the row of a tick, if it is one; false: out of memory. */
bool ifd__computing_test_row(ifd__computing *m, ifd_hybrid *h);
void ifd__computing_finish_test(ifd__computing *m, ifd_hybrid *h);
/* Scalars of a member with this status, and its bytes; NULL: out of memory. */
const void *ifd__computing_end(ifd__computing *m, ifd_status status, size_t *length);

struct ifd__run_motion;
ifd__setups *ifd__setups_make(ifd_arena *arena, const ifd_study *s);
void ifd__setups_close(ifd__setups *s);
/* Another block begins: set-ups that only earlier ones used may be replaced. */
void ifd__setups_turn(ifd__setups *s);
/* The run of a member from kept set-ups, as if it had been read, with its ground motion for a sweep; false: it has to
 * be read. */
bool ifd__setups_share(ifd__setups *s, ifd__computing *m, ifd_run **run, struct ifd__run_motion *ground);
