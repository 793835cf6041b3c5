/* SPDX-License-Identifier: MIT */
/* The journal of a study, its results in memory and the queue of its members. */
#pragma once

#include <interfield/study_carrier.h>

#include "study/study.h"

#define IFD__STUDY_JOURNAL "study.journal"

/* First record of a journal. Followed by the shape of the study as text (ifd__shape_write). */
typedef struct ifd__journal_head {
    uint64_t order; /* 0x0102030405060708 in the byte order of the machine */
    uint64_t hash;  /* of the study */
    int64_t expected;
    int32_t shard, shards;
    int32_t bytes; /* of ifd__result_head */
    int32_t reserved;
} ifd__journal_head;

typedef struct ifd__chain {
    int step, left; /* present step, and its members without result */
} ifd__chain;

/* Members that wait to be handed out. */
typedef struct ifd__waiting {
    long *number;
    double *value; /* variables of each */
    long first, count, room;
} ifd__waiting;

struct ifd_study_store {
    ifd_arena *arena; /* of rows */
    ifd_study *study;
    const char *folder;
    ifd_study_shard shard;
    int fd;       /* of the journal */
    uint64_t end; /* of its complete records */
    ifd_study_result **row;
    uint64_t *series; /* place of the histories of each row in the journal */
    long rows, room;
    long loaded; /* rows that were in the journal before */
    long *slot;  /* hash table of rows by number: index + 1 */
    long slots;
    long cursor, handed; /* next chain; members handed out without result */
    ifd__chain *chain;   /* of plans with several steps; NULL: one step */
    ifd__waiting waiting;
    double *scratch; /* values of one step */
    double synced;   /* s, time of the last fdatasync */
};

/* Whether a member needs no computation. One that crashed in an earlier session is computed again. */
bool ifd__store_finished(const ifd_study_store *s, long number);
/* The row of a member; NULL: none. */
const ifd_study_result *ifd__store_find(const ifd_study_store *s, long number);
/* Adds a result that is in the journal already. */
ifd_status ifd__store_add(ifd_study_store *s, const void *bytes, size_t length, uint64_t at);

/* Whether a file has more than a part of the head, which a program that was killed may leave. Begins a journal, or
 * reads an existing one: its head, then each of its results. A last record that is not complete is removed. */
bool ifd__journal_begun(ifd_study_store *s);
ifd_status ifd__journal_begin(ifd_study_store *s, ifd_note *note);
ifd_status ifd__journal_load(ifd_study_store *s, ifd_note *note);
ifd_status ifd__journal_append(ifd_study_store *s, const void *bytes, size_t length, uint64_t *at, ifd_note *note);
/* Opens the journal of a folder with the study that it describes, for reading only. */
ifd_status ifd__journal_open(ifd_arena *arena, const char *folder, ifd_study_store **out, ifd__journal_head *head,
                             ifd_note *note);

/* Names, kept columns and text of a study as one text, and back. */
const char *ifd__shape_write(ifd_arena *arena, const ifd_study *s);
/* Names in both lists, separated by blanks, in alphabetical order; NULL: out of memory. */
const char *ifd__kernels_join(ifd_arena *arena, const char *a, const char *b);
bool ifd__shape_read(ifd_arena *arena, const char *text, ifd_study *out);

/* Rows in the order of their numbers; NULL: out of memory. */
long *ifd__store_order(ifd_arena *arena, const ifd_study_store *s);
ifd_status ifd__store_write_csv(const ifd_study_store *s, const long *order, const char *path, ifd_note *note);
ifd_status ifd__store_write_hdf5(ifd_study_store *s, const long *order, const char *path, ifd_note *note);
