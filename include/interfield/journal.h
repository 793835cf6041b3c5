/* SPDX-License-Identifier: MIT */
/* Journal: every tick of a test in a file during the test, readable after a failure of program or machine
 * (docs/reference/record.md defines the layout of the file).
 *
 *     ifd_journal *j;
 *     IFD_TRY(ifd_journal_open(arena, "runs/demo/result.journal", &facts, &options, &j, note));
 *     ... ifd_journal_add(j, &record) ...              // copies the record; a separate thread writes it
 *     IFD_TRY(ifd_journal_close(j, &ending, note));
 *
 *     ifd_journal_reader *r;
 *     IFD_TRY(ifd_journal_read(arena, "runs/demo/result.journal", &r, note));
 *     while (ifd_journal_next(r, &record)) ...
 *     ifd_journal_end how = ifd_journal_ended(r);       // closed, truncated, or damaged, and where
 *
 * Adding never waits for the disk. Records are dropped if the disk stalls longer than the queue lasts; the next
 * stored record contains their number. */
#ifndef INTERFIELD_JOURNAL_H
#define INTERFIELD_JOURNAL_H

#include <interfield/executor.h>

IFD_BEGIN_DECLS

enum { IFD_JOURNAL_SCHEMA = 1 }; /* a journal of another schema is refused */

/* File name in the folder of result.h5. */
#define IFD_JOURNAL_FILE "result.journal"

/* Header of a journal. */
typedef struct ifd_journal_facts {
    const char *version, *kernels, *cpu; /* of the program, its kernels and the processor */
    const char *started;                 /* UTC, ISO 8601 */
    uint64_t program;                    /* hash of the machine code of the writer; 0: unknown */
    double period;                       /* s of wall-clock time per tick */
    int sensed;                          /* actuators of a measurement, at most IFD_RIG_ACTUATORS */
    int aux;                             /* recorded auxiliary inputs of a measurement, at most IFD_RIG_AUX */
    ifd_remote_options remote;           /* of a test led by another program; dofs 0: none */
    int columns;                         /* values per tick */
    const ifd_column *column;
    const char *by, *notes;           /* operator and notes not in the case; NULL or "": none */
    bool rehearsal, characterisation; /* characterisation of the specimens instead of the test */
    const char *bundle;               /* the case (ifd_case_bundle) */
    size_t bundle_length;
} ifd_journal_facts;

typedef struct ifd_journal_options {
    double queue;  /* s of ticks buffered in memory for a stalled disk; 0 = 4, and at most 64 MB */
    double sync;   /* s between two synchronisations to disk; 0 = 0.1 */
    bool lossless; /* a full queue makes add wait; for free-running tests */
} ifd_journal_options;

/* Data at the end of a test: lateness and granted rights. */
typedef struct ifd_journal_ending {
    ifd_executor_report report;
    double wall, setup; /* s */
    bool interrupted;
    /* Set by the journal at close: ticks that reached the journal or were reported to it as lost; of these,
     * deliberately not recorded; records before the end. */
    uint64_t seen, thinned, recorded;
} ifd_journal_ending;

typedef struct ifd_journal ifd_journal;

/* The file must not exist. */
IFD_API ifd_status ifd_journal_open(ifd_arena *arena, const char *path, const ifd_journal_facts *facts,
                                    const ifd_journal_options *options, ifd_journal **out, ifd_note *note);
/* For one thread. Records without a trace are stored with zeros in its place. */
IFD_API void ifd_journal_add(ifd_journal *j, const ifd_tick_record *record);
/* Counts a tick that is deliberately not recorded, as while a tripped test waits; the next record contains the
 * count. */
IFD_API void ifd_journal_pass(ifd_journal *j, const ifd_tick_record *record);
/* Records passed to the operating system so far, and records not stored; from any thread. */
IFD_API uint64_t ifd_journal_written(const ifd_journal *j);
IFD_API uint64_t ifd_journal_dropped(const ifd_journal *j);
/* IFD_OK, or IFD_OUTPUT as soon as no space can be reserved: earlier records are written, and usually there is space
 * for some more seconds. */
IFD_API ifd_status ifd_journal_status(const ifd_journal *j);
/* Writes the remaining records, marks the end and synchronises. ending NULL: leaves the journal truncated. */
IFD_API ifd_status ifd_journal_close(ifd_journal *j, const ifd_journal_ending *ending, ifd_note *note);

typedef enum ifd_journal_state {
    IFD_JOURNAL_OPEN,       /* more records are possible */
    IFD_JOURNAL_CLOSED,     /* proper end */
    IFD_JOURNAL_CUT,        /* no end mark: program or machine failed, or is still writing */
    IFD_JOURNAL_DAMAGED,    /* as CUT or CLOSED, with unreadable records */
    IFD_JOURNAL_INCOMPLETE, /* closed, all records readable, but some executed ticks are missing */
} ifd_journal_state;

typedef struct ifd_journal_end {
    ifd_journal_state state;
    uint64_t records;          /* ticks read */
    uint64_t bad;              /* unreadable records before the last readable one */
    uint64_t bad_record;       /* the first of them, counted from 1, */
    uint64_t bad_offset;       /* its offset in the file, bytes, */
    uint64_t bad_tick;         /* and the tick expected there */
    uint64_t dropped;          /* executed ticks that are not recorded, including those after the last record */
    ifd_journal_ending ending; /* if closed */
    bool has_ending;
    uint64_t ticks;   /* executed in total, by the end record; without it, the last readable tick */
    uint64_t last;    /* the last readable tick; 0: none */
    uint64_t thinned; /* deliberately not recorded ticks */
} ifd_journal_end;

typedef struct ifd_journal_reader ifd_journal_reader;

/* IFD_FILE: not a journal, or its header is damaged. */
IFD_API ifd_status ifd_journal_read(ifd_arena *arena, const char *path, ifd_journal_reader **out, ifd_note *note);
IFD_API const ifd_journal_facts *ifd_journal_head(const ifd_journal_reader *r);
/* The next readable tick; unreadable data before it are counted as bad. False at the end; a journal that is still
 * being written can have more later. The record is valid until the next call. */
IFD_API bool ifd_journal_next(ifd_journal_reader *r, ifd_tick_record *out);
IFD_API ifd_journal_end ifd_journal_ended(const ifd_journal_reader *r);

IFD_END_DECLS
#endif
