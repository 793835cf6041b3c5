/* SPDX-License-Identifier: MIT */
/* Data of the writers of one result: rows are collected by columns in a buffer with one chunk of every dataset, and
 * written to the HDF5 file when it is full. */
#pragma once

#include <hdf5.h>
#include <stdio.h>

#include <interfield/journal.h>
#include <interfield/json.h>
#include <interfield/replay.h>
#include <interfield/result.h>

#include "base/arena.h"
#include "substructure/caution.h"
#include "text/child.h"

/* A drift: its column, or the difference of two recorded displacements; from is -1 for the ground and of a column. */
typedef struct ifd__storey_drift {
    const char *name, *unit;
    int from, to;
    ifd_peak peak;
} ifd__storey_drift;

/* Number of holds that are listed individually. */
enum { IFD__HOLDS = 32 };

/* A hold, from the first tick at rest to the last. */
typedef struct ifd__hold_facts {
    double time, wall, duration; /* s: simulated time, wall-clock time, wall-clock duration */
    double began[IFD_RIG_ACTUATORS], now[IFD_RIG_ACTUATORS]; /* N, measured forces */
    double relaxation[IFD_RIG_ACTUATORS];                    /* at the end of the hold */
    int refused;                                             /* orders to resume */
    int next;                                                /* ifd_machine after it; -1: the record ends on hold */
} ifd__hold_facts;

/* Differences of the command over a tick, as the governor bounds them: a missed tick does not count as time. */
typedef struct ifd__command_facts {
    double last, step;             /* m, of the last record; m per tick */
    int known;                     /* 0: nothing, 1: last, 2: also step */
    double velocity, acceleration; /* m/s, m/s2: the largest */
} ifd__command_facts;

/* Facts of a test, from the test or collected from its records. */
typedef struct ifd__test_facts {
    ifd_machine state;
    bool paused;               /* stopped on hold by the operator */
    int stop_in;               /* ifd_machine in which a stop was received; -1: none */
    int aborted_in;            /* ifd_machine that an order of the operator ended; -1: none */
    double time, wall, period; /* s, simulated; s of wall-clock time; s of it per tick */
    ifd_trip_facts trip;
    double trip_time, trip_wall; /* s: simulated and wall-clock time of the trip */
    ifd_trip_facts tripped;      /* the trip after which the test was reset, and has not moved to its start again */
    long seen[IFD_TRIP_COUNT];
    bool empty;                  /* a cycle without a force was found */
    double lambda;               /* of the case */
    double empty_from;           /* s, simulated: start of the first cycle without a force (NO_FORCE) */
    double run_ticks, run_stale; /* ticks of the state run; those without a new measurement */
    int interfaces;
    const char *name[IFD_RIG_ACTUATORS];
    double peak[IFD_RIG_ACTUATORS][3]; /* tracking, force, command */
    ifd__command_facts command[IFD_RIG_ACTUATORS];
    const ifd_journal_end *journal;    /* the end of the record; NULL: not recorded */
    double trigger_rose, trigger_fell; /* s of wall-clock time, last run: first tick with it, first without; NAN */
    int holds;                         /* at rest; `hold` contains the first of them */
    bool resting;                      /* on hold at the last record */
    ifd__hold_facts hold[IFD__HOLDS];
    bool balanced; /* energies are recorded */
    ifd_energy energy;
    ifd_slowdown slowdown;
} ifd__test_facts;

/* Indices of the facts in the values of a record; -1: absent. */
typedef struct ifd__test_columns {
    int time, state, rate, fault, commanded, age;
    int command[IFD_RIG_ACTUATORS], force[IFD_RIG_ACTUATORS], tracking[IFD_RIG_ACTUATORS];
    int relaxation[IFD_RIG_ACTUATORS];
    int energy[IFD_COLUMN_ENERGY_NUMERICAL - IFD_COLUMN_ENERGY_INPUT + 1];
} ifd__test_columns;

struct ifd_result {
    ifd_arena *arena;
    const char *folder;
    const ifd_case *c;
    const ifd_run *run;     /* NULL: the result of a test */
    const ifd_hybrid *test; /* NULL: the result of a run, or of a test from its records only */
    ifd__test_facts *facts; /* of a test */
    ifd__test_columns at;
    const ifd_executor_report *report; /* of a test after its end */
    const ifd_start_facts *start;      /* of a test with a start instant; else NULL */
    uint64_t skipped;                  /* instants of the grid without a tick so far */
    double *row;                       /* of a test: the row of one record */
    int *pick;                         /* of a test: indices of the stored values of a record */
    hid_t *set;                        /* open datasets of a file that is read during writing, time first */
    int64_t flushed;                   /* ns, time of the last flush */
    const ifd_column *column;
    int columns;
    long chunk;               /* rows of the buffer, and of a chunk in the file */
    long used, rows;          /* in the buffer; in total */
    long stride;              /* numbers from a column of the buffer to the next */
    double *buffer;           /* (1 + columns) columns of chunk numbers; the first is time */
    ifd_peak *peak;           /* per column */
    ifd__storey_drift *drift; /* those of the case with recorded dofs */
    int drifts;
    struct ifd__cycles *cycles; /* of a protocol; NULL: none */
    char **path;                /* per column, its dataset */
    hid_t file;                 /* -1: closed */
    const char *file_path;
    FILE *csv;                               /* NULL: not requested */
    bool broken;                             /* a write failed: no further writes */
    const char *reason;                      /* of the failure */
    char started[32];                        /* UTC, ISO 8601, to the microsecond */
    const char *outcome, *ended;             /* after close: the word, and the reason */
    const char *caution[IFD__CAUTION_COUNT]; /* after close: findings that limit the result */
    int cautions;
    const char *events_chain; /* last hash of events.log; NULL: none */
    const char *summary;
};

/* Facts about the machine, without names of machine or user. */
typedef struct ifd__host {
    char cpu[128], system[160];
    int cores;
    const char *kernels; /* the variant of the kernels in use */
    char blas[128];      /* ifd__blas_name */
} ifd__host;
void ifd__host_ask(ifd__host *out);
/* Now: UTC, ISO 8601, to the microsecond. */
void ifd__time_of_day(char out[32]);
/* ns since 1970 as UTC, ISO 8601 with all nine digits; false where that is not known (0). */
bool ifd__utc_text(int64_t ns, char out[64]);
/* Adds the bytes of a file to a hash; false if it is empty or cannot be read. */
bool ifd__file_hash(const char *path, uint64_t *hash);
/* Hash of the file that contains this code: equal for two records of the same program. 0: unknown. */
uint64_t ifd__program_hash(void);

/* The word of a parameter, given or preset; NULL if it is a number. */
const char *ifd__param_word(ifd_arena *arena, const ifd_param *param, const ifd_value *value);

const char *ifd__result_outcome(const ifd_result *res, const ifd_timing *timing);
/* The reason of the outcome; "" if completed without a caution. Texts for a record without an end, and for a record
 * that ended before the last step without a fault or an order. */
#define IFD__REASON_CUT "the program ended before it could close the record"
#define IFD__REASON_EARLY "it ended before its last step"
const char *ifd__result_reason(const ifd_result *res, const ifd_timing *timing);
/* Fills in the cautions; once, before the outcome is asked for. */
ifd_status ifd__result_judge(ifd_result *res);
double ifd__result_time(const ifd_result *res); /* s, simulated */
long ifd__result_steps(const ifd_result *res);
/* The energy balance at the end; false where there is none: FMUs, a test that does not record energies. */
bool ifd__result_energy(const ifd_result *res, ifd_energy *out);

/* The fault of a run or of a test. name NULL: none. */
typedef struct ifd__mishap {
    const char *name, *text, *where; /* where: a dof or an interface, or NULL */
    long step;                       /* of a test: the tick */
    double time, value, limit;       /* s of simulated time; limit only for a test */
    double wall;                     /* s of wall-clock time, for a test */
    const char *why;                 /* further reason: of a solver, or reported by the rig; NULL: none */
} ifd__mishap;
ifd__mishap ifd__result_mishap(const ifd_result *res);

/* A test from the head of its journal. */
ifd_status ifd__result_open_ticks(ifd_arena *arena, const char *folder, const ifd_case *c,
                                  const ifd_journal_facts *head, ifd_result **out, ifd_note *note);

/* The common part of open, and append, for run and test. */
ifd_status ifd__result_begin(ifd_result *res, const char *folder, ifd_note *note);
ifd_status ifd__result_keep(ifd_result *res, double time, const double *values);

/* s by which t = 0 came after the start instant. */
double ifd__start_error(const ifd_executor_report *r, const ifd_start_facts *s, double rose);
/* Outcome and timing of a test: for summary.json and the attributes of result.h5. */
ifd__mishap ifd__test_mishap(const ifd_result *res);
void ifd__test_summary(ifd_json *j, const ifd_result *res);

/* Finds the facts of a test in its columns; adds a record to them. */
void ifd__facts_find(ifd_result *res, const ifd_column *column, int columns);
void ifd__facts_add(ifd_result *res, const ifd_tick_record *record, double wall);
/* The share of the ticks of the state run without a new measurement: of the test, or of its records. */
double ifd__stale_fraction(const ifd_result *res);

ifd_status ifd__hdf5_open(ifd_result *res);
ifd_status ifd__hdf5_flush(ifd_result *res);
/* A file that is read during writing gets its rows when a chunk is full, once in a second, and every two seconds if
 * they arrive more slowly. Any other file gets its rows at least every ten seconds. */
bool ifd__hdf5_due(const ifd_result *res);
ifd_status ifd__hdf5_close(ifd_result *res, const ifd_timing *timing);

/* Claims space for that many more bytes of a file, which is made if it is missing; 0 or the error number. */
int ifd__file_claim(const char *path, size_t bytes);
/* Whether that many more bytes can be written to the file; otherwise sets res->reason. */
bool ifd__reserve(ifd_result *res, size_t bytes);

/* HDF5 prints its errors unless this is disabled; the library does not print. */
typedef struct ifd__hdf5_quiet {
    H5E_auto2_t function;
    void *data;
} ifd__hdf5_quiet;
void ifd__hdf5_quiet_begin(ifd__hdf5_quiet *q);
void ifd__hdf5_quiet_end(const ifd__hdf5_quiet *q);
/* The innermost reason on the error stack of HDF5. */
const char *ifd__hdf5_reason(ifd_arena *arena);

/* A running or killed test: its file is marked as being written. */
bool ifd__hdf5_unfinished(const char *path);
/* Findings about a file before HDF5 opens it, and from HDF5. */
typedef struct ifd__hdf5_found {
    ifd_status status; /* IFD_FILE or IFD_DAMAGED if it cannot be opened */
    const char *why;   /* the reason */
    bool sealed;       /* its checksum is correct */
    uint64_t bytes;    /* of the file; nothing in it is longer */
} ifd__hdf5_found;
/* Reads a finished file with a correct seal, or without one, in a child process (child.h), as all files of unknown
 * origin are read. */
typedef struct ifd__hdf5_reader {
    /* In the child: NULL, or the reason why it cannot be read, with its status in found. */
    const char *(*read)(void *self, hid_t file, ifd__hdf5_found *found);
    void (*send)(void *self, ifd__child_pipe *to);
    /* The data that were sent; nothing in it is longer than the file. */
    bool (*receive)(void *self, ifd__child *from, uint64_t bytes);
    unsigned times; /* time limit as a multiple of that of one reading */
} ifd__hdf5_reader;
/* False, with status and why in found. */
bool ifd__hdf5_read(ifd_arena *arena, const char *path, const ifd__hdf5_reader *by, void *self,
                    ifd__hdf5_found *found);
/* A remark that the numbers of a file without a seal are not protected. */
void ifd__hdf5_unsealed(const char *path, ifd_note *note);
/* A text attribute; "" if there is none. */
const char *ifd__hdf5_text(ifd_arena *arena, hid_t object, const char *name);
/* An integer attribute. */
long ifd__hdf5_integer(hid_t object, const char *name, long otherwise);
/* Whether a dataset has one dimension, and its length. */
bool ifd__hdf5_length(hid_t set, hsize_t *length);
/* The bytes of /bundle, the case; NULL if there is none of at most that size. */
char *ifd__hdf5_bundle(ifd_arena *arena, hid_t file, uint64_t most, uint64_t *length);
/* As ifd_result_case, with the native code that the caller permits. */
ifd_status ifd__result_case_as(ifd_arena *arena, const char *path, const ifd_case_code *code, ifd_case **out,
                               ifd_note *note);

/* Exists in the folder of a result until it is complete. */
#define IFD__UNFINISHED "unfinished.txt"
/* Whether it exists next to a file. */
bool ifd__unfinished_beside(ifd_arena *arena, const char *file);

/* ",name [unit]" of a header line, in quotes if it contains a comma or a quote; a number that reads back to the same
 * double. */
void ifd__csv_name(FILE *file, const char *name, const char *unit);
void ifd__csv_number(FILE *file, double value);

/* Fills res->summary. */
ifd_status ifd__summary_make(ifd_result *res, const ifd_timing *timing);

/* Meanings of the codes of a column: code k has the k-th word, without blanks, and the k-th sentence. */
typedef struct ifd__legend {
    int count; /* 0: the column has no codes */
    const char *const *word;
    const char *const *text;
} ifd__legend;
ifd__legend ifd__legend_of(ifd_quantity quantity);

/* Seal: 24 bytes after the end of a finished result.h5 with a checksum of the whole file. HDF5 ignores bytes after
 * its end of file, and removes the seal if another program changes the file. The checksum is CRC-32 as in zlib, so
 * that Python can verify it with its standard library.
 *
 *     8 bytes "ifdseal\n", u64 bytes before the seal, u32 CRC-32 of these, u32 CRC-32 of the 20 bytes before */

enum { IFD__SEAL_BYTES = 24 };

typedef enum ifd__seal {
    IFD__SEAL_NONE,   /* none, or removed */
    IFD__SEAL_HOLDS,  /* the whole file is as it was sealed */
    IFD__SEAL_BROKEN, /* it is not */
} ifd__seal;

/* False, with errno, if the file cannot be read or extended. */
bool ifd__seal_put(const char *path);
/* A file that cannot be read has no seal. */
ifd__seal ifd__seal_check(const char *path);

/* Compares a closed result.h5 next to a journal with the journal, if it exists; every: interval of its rows in
 * ticks. Differences go to out->result_wrong. */
ifd_status ifd__replay_result(ifd_arena *arena, const char *journal, uint64_t every, ifd_replay_report *out,
                              ifd_note *note);
