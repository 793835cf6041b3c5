/* SPDX-License-Identifier: MIT */
/* Journal: every tick of a test on the disk while it goes, in a form that outlives the program and the machine
 * (docs/record-format.md has the layout of the file).
 *
 *     ifd_journal *j;
 *     IFD_TRY(ifd_journal_open(arena, "runs/demo/result.journal", &facts, &options, &j, note));
 *     ... ifd_journal_add(j, &record) ...              // copies the record; a thread of its own writes it
 *     IFD_TRY(ifd_journal_close(j, &ending, note));
 *
 *     ifd_journal_reader *r;
 *     IFD_TRY(ifd_journal_read(arena, "runs/demo/result.journal", &r, note));
 *     while (ifd_journal_next(r, &record)) ...
 *     ifd_journal_end how = ifd_journal_ended(r);       // closed, cut, or damaged, and where
 *
 * Adding never waits for the disk: what finds no room because the disk stalls longer than the queue lasts is dropped,
 * and the next record that gets in says how many were. */
#ifndef INTERFIELD_JOURNAL_H
#define INTERFIELD_JOURNAL_H

#include <interfield/executor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Journals of this schema are written; those of every schema from IFD_JOURNAL_OLDEST on are read. */
enum { IFD_JOURNAL_SCHEMA = 2, IFD_JOURNAL_OLDEST = 1 };

/* What the recorder calls it, beside result.h5. */
#define IFD_JOURNAL_FILE "result.journal"

/* What stands at the head of a journal. */
typedef struct ifd_journal_facts {
    const char *version, *kernels, *cpu; /* of the program, of its kernels, of the processor */
    const char *started;                 /* UTC, ISO 8601 */
    uint64_t program;                    /* hash of the machine code that wrote it; 0: not known */
    double period;                       /* s of wall clock per tick */
    int sensed;                          /* channels of a measurement, at most IFD_RIG_CHANNELS */
    int aux;                             /* auxiliary inputs of a measurement that are kept, at most IFD_RIG_AUX */
    ifd_remote_options remote;           /* of a test that another program leads; dofs 0: of none */
    int columns;                         /* values per tick */
    const ifd_column *column;
    const char *by, *notes;           /* operator and notes that were not in the case; NULL or "": none */
    bool rehearsal, characterisation; /* characterisation: of the case's specimens, not its test */
    const char *bundle;               /* the case (ifd_case_bundle) */
    size_t bundle_length;
    int schema; /* of a journal that was read */
} ifd_journal_facts;

typedef struct ifd_journal_options {
    double queue;  /* s of ticks kept in memory for a disk that stalls; 0 = 4, and at most 64 MB */
    double sync;   /* s between two syncs to the disk; 0 = 0.1 */
    bool lossless; /* a full queue makes add wait; for tests without a clock */
} ifd_journal_options;

/* Numbers that are known when a test has ended: how punctual it was, what it was granted. */
typedef struct ifd_journal_ending {
    ifd_executor_report report;
    double wall, setup; /* s */
    bool interrupted;
    /* Filled by the journal when it is closed. Ticks that reached the journal or were reported to it as lost; of
     * these left out on purpose; records before the end. Of schema 1 only the last is known. */
    uint64_t seen, thinned, recorded;
} ifd_journal_ending;

typedef struct ifd_journal ifd_journal;

/* The file must not exist. */
IFD_API ifd_status ifd_journal_open(ifd_arena *arena, const char *path, const ifd_journal_facts *facts,
                                    const ifd_journal_options *options, ifd_journal **out, ifd_note *note);
/* For one thread. Records without a trace are kept with zeros in its place. */
IFD_API void ifd_journal_add(ifd_journal *j, const ifd_tick_record *record);
/* A tick that is left out of the record on purpose, as while a tripped test waits: it is counted, and the next record
 * says so. */
IFD_API void ifd_journal_pass(ifd_journal *j, const ifd_tick_record *record);
/* Records handed to the system so far, and those that could not be kept; from any thread. */
IFD_API uint64_t ifd_journal_written(const ifd_journal *j);
IFD_API uint64_t ifd_journal_dropped(const ifd_journal *j);
/* IFD_OK, or IFD_OUTPUT as soon as the space for what comes is not to be had: what was added until then is written,
 * and as a rule there is room for some seconds more. */
IFD_API ifd_status ifd_journal_status(const ifd_journal *j);
/* Writes what is left, marks the end and syncs. ending NULL: leaves the journal as one that was cut. */
IFD_API ifd_status ifd_journal_close(ifd_journal *j, const ifd_journal_ending *ending, ifd_note *note);

typedef enum ifd_journal_state {
    IFD_JOURNAL_OPEN,       /* there may be more */
    IFD_JOURNAL_CLOSED,     /* ends as it should */
    IFD_JOURNAL_CUT,        /* ends without a mark: the program or the machine died, or is still writing */
    IFD_JOURNAL_DAMAGED,    /* as cut, or closed, but some record before was not readable */
    IFD_JOURNAL_INCOMPLETE, /* closed, every record is readable, but ticks were made that are not among them */
} ifd_journal_state;

typedef struct ifd_journal_end {
    ifd_journal_state state;
    uint64_t records;          /* ticks read */
    uint64_t bad;              /* records that could not be read before the last good one */
    uint64_t bad_record;       /* the first of them, counted from 1, */
    uint64_t bad_offset;       /* where it begins in the file, in bytes, */
    uint64_t bad_tick;         /* and the tick that would have followed */
    uint64_t dropped;          /* ticks that were made but not recorded, those after the last record included */
    ifd_journal_ending ending; /* when closed */
    bool has_ending;
    uint64_t ticks;   /* made in all, by the end record; without one, the last that can be read */
    uint64_t last;    /* the last tick that can be read; 0: none */
    uint64_t thinned; /* ticks that were left out on purpose */
} ifd_journal_end;

typedef struct ifd_journal_reader ifd_journal_reader;

/* IFD_FILE when it is no journal, or its head is damaged. */
IFD_API ifd_status ifd_journal_read(ifd_arena *arena, const char *path, ifd_journal_reader **out, ifd_note *note);
IFD_API const ifd_journal_facts *ifd_journal_head(const ifd_journal_reader *r);
/* The next tick that can be read; what stands between is counted as bad. False at the end; a journal that is still
 * being written may have more later. The record stays valid until the next call. */
IFD_API bool ifd_journal_next(ifd_journal_reader *r, ifd_tick_record *out);
IFD_API ifd_journal_end ifd_journal_ended(const ifd_journal_reader *r);

#ifdef __cplusplus
}
#endif
#endif
