/* SPDX-License-Identifier: MIT */
/* One member: its case, its run or test, and the reduction of its columns. */
#pragma once

#include <interfield/column.h>
#include <interfield/case.h>
#include <interfield/hybrid.h>
#include <interfield/run.h>

#include "study/study.h"

/* The ideal run of a test: the same case with the same step, its specimens computed and without a rig. The reduction
 * `error` compares a column of a test with it. */

typedef struct ifd__ideal_run {
    ifd_run *run; /* while it is computed */
    int *pick;    /* column of value -> column of the run */
    long rows, room;
    double step; /* s */
    int columns;
    int *of;       /* column of the test -> column of value; -1: the run does not have it */
    double *value; /* rows x columns */
} ifd__ideal_run;

/* Prepares the run, which keeps the columns of the test that `needed` marks. */
typedef struct ifd__ideal_run_ask {
    int columns;
    const ifd_column *column; /* of the test */
    const bool *needed;
} ifd__ideal_run_ask;
ifd_status ifd__ideal_run_make(ifd_arena *arena, const ifd_case *c, const ifd__ideal_run_ask *ask,
                               ifd__ideal_run *out, ifd_note *note);
/* Keeps the present row, if it is new: before the first tick of the run and after every tick. */
void ifd__ideal_run_row(ifd__ideal_run *i);
/* All ticks, one run at a time. */
void ifd__ideal_run_compute(ifd__ideal_run *i);
/* After the last tick. IFD_DIVERGED: the run failed. */
ifd_status ifd__ideal_run_end(ifd__ideal_run *i, ifd_note *note);
/* Its value at a time, linear between steps; NAN: none. */
double ifd__ideal_run_at(const ifd__ideal_run *i, int column, double time);

/* Two series that a reduction compares, one after the other in memory of their own. */
typedef struct ifd__compared {
    double *x, *y;
    long rows, room;
    int other; /* column of y; -1: the ideal run */
} ifd__compared;

/* The columns of a run or test that a member keeps. */
typedef struct ifd__watch {
    const ifd_study *study;
    const ifd_column *column;
    int columns;
    int *first, *source;                /* columns of scalar k: source[first[k]] to source[first[k + 1] - 1] */
    double *state;                      /* two numbers for each source: what the reduction needs */
    ifd__compared *compared;            /* of each source */
    int *history;                       /* column of each history; -1: none */
    double end;                         /* s, planned end of the simulated time */
    int clock;                          /* column of the simulated time of a test; -1: a run */
    double last;                        /* s, simulated time of the last row */
    int state_of_test;                  /* column of the state of a test; -1: a run */
    double interval;                    /* s, between two rows of a test */
    const struct ifd__ideal_run *ideal; /* of `error`; NULL: none */
    long rows, late;                    /* so far: all, and in the last tenth */
    long kept;                          /* rows of histories */
    double *series;                     /* kept rows x (1 + histories): time, then the columns */
    long room;                          /* rows in series */
} ifd__watch;

/* Finds the columns. Memory is taken from the arena; histories grow with malloc, and ifd__watch_end frees them. */
ifd_status ifd__watch_make(ifd_arena *arena, const ifd_study *s, const ifd_column *column, int columns, double end,
                           ifd__watch *out);
/* A recorded row; false: no memory for the histories. A piece: many rows, without histories and comparisons. */
bool ifd__watch_row(ifd__watch *w, double time, const double *value);
struct ifd__swept;
void ifd__watch_piece(ifd__watch *w, const struct ifd__swept *p);
/* A watch of another member with the same columns. */
ifd_status ifd__watch_copy(ifd_arena *arena, const ifd__watch *from, ifd__watch *out);
void ifd__watch_reduce(const ifd__watch *w, double *scalar);
void ifd__watch_end(ifd__watch *w);
/* The columns that are kept, one by one, some perhaps twice; their number, -1 without memory. */
int ifd__watch_columns(const ifd__watch *w, ifd_arena *arena, const int **out);
/* IFD_RECORD_... of the columns found, and of one quantity. */
unsigned ifd__watch_groups(const ifd__watch *w);
unsigned ifd__watch_group(ifd_quantity q);
/* Whether a scalar or history has no column. */
bool ifd__watch_misses(const ifd__watch *w);
/* Whether a name matches a pattern with `*`. */
bool ifd__matches(const char *pattern, const char *name);

enum { IFD__STUDY_BLOCK = 32 };

/* Computes up to IFD__STUDY_BLOCK members of a study with `ensemble`, those that share their matrices together. put
 * takes the bytes of each result in the order of the members; NULL: out of memory. */
void ifd__study_compute_block(ifd_study_runner *r, int count, const long *number, const double *const *value,
                              void (*put)(void *self, const void *bytes, size_t length), void *self);

/* The base case with settings of its own. */
ifd_status ifd__member_read(ifd_arena *arena, const ifd_study *s, int sets, const char *const *set, ifd_case **out,
                            ifd_note *note);
/* The case of a member. bundle: its own copy of that of the study. */
ifd_status ifd__member_case(ifd_arena *arena, const ifd_study *s, const double *value, ifd_case **out,
                            ifd_note *note);
/* Whether the case has a test that a study may make: on a virtual rig. */
ifd_status ifd__member_test(const ifd_case *c, ifd_note *note);
/* Sum over all files that the case read last used, and the hash of a member: of it and of the settings. */
uint64_t ifd__member_files(const ifd_study *s);
uint64_t ifd__member_hash(ifd_arena *arena, const ifd_study *s, const double *value, uint64_t files);

/* A member while it is computed, shared by member.c (one at a time) and block.c (ensembles). */
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
