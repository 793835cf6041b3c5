/* SPDX-License-Identifier: MIT */
/* What the writers of one result share: rows are gathered column by column in a buffer that holds one chunk of every
 * dataset, and handed to the HDF5 file when it is full. */
#ifndef IFD_RECORD_RESULT_H
#define IFD_RECORD_RESULT_H

#include <hdf5.h>
#include <stdio.h>

#include <interfield/journal.h>
#include <interfield/json.h>
#include <interfield/result.h>

#include "text/child.h"

/* A drift as the difference of two recorded displacements; from is -1 for the ground. */
typedef struct ifd__storey_drift {
    const char *name, *unit;
    int from, to;
    ifd_peak peak;
} ifd__storey_drift;

/* Holds that are told one by one. */
enum { IFD__HOLDS = 32 };

/* A hold, from the first tick at rest to the last. */
typedef struct ifd__hold_facts {
    double time, wall, duration;                           /* s: simulated, wall-clock time, of wall-clock time */
    double began[IFD_RIG_CHANNELS], now[IFD_RIG_CHANNELS]; /* N, measured forces */
    double most[IFD_RIG_CHANNELS];                         /* N, the largest change from began */
    int refused;                                           /* orders to resume */
    int next;                                              /* ifd_machine after it; -1: the record ends on hold */
} ifd__hold_facts;

/* What a test has come to, asked of the test itself or gathered from its records. */
typedef struct ifd__test_facts {
    ifd_machine state;
    bool paused;               /* stopped on hold, by order */
    int aborted_in;            /* ifd_machine that an order of the operator ended; -1: none did */
    double time, wall, period; /* s, simulated; s of wall-clock time; s of it per tick */
    ifd_trip_facts trip;
    double trip_time, trip_wall; /* s, when it came: simulated, wall-clock time */
    long seen[IFD_TRIP_COUNT];
    int channels;
    const char *name[IFD_RIG_CHANNELS];
    double peak[IFD_RIG_CHANNELS][3];  /* tracking, force, command */
    const ifd_journal_end *journal;    /* how the record ended; NULL: nothing was written down */
    double trigger_rose, trigger_fell; /* s of wall-clock time, of the last run: first tick with it, without; NAN */
    int holds;                         /* at rest; `hold` has the first of them */
    bool resting;                      /* in one, at the last record */
    ifd__hold_facts hold[IFD__HOLDS];
} ifd__test_facts;

/* Where the facts stand among the values of a record; -1: not there. */
typedef struct ifd__test_columns {
    int time, state, rate, fault;
    int command[IFD_RIG_CHANNELS], force[IFD_RIG_CHANNELS], tracking[IFD_RIG_CHANNELS];
} ifd__test_columns;

struct ifd_result {
    ifd_arena *arena;
    const char *folder;
    const ifd_case *c;
    const ifd_run *run;     /* NULL: the result of a test */
    const ifd_hybrid *test; /* NULL: the result of a run, or of a test that is known by its records only */
    ifd__test_facts *facts; /* of a test */
    ifd__test_columns at;
    const ifd_executor_report *report; /* of a test, once it has ended */
    uint64_t skipped;                  /* instants of the grid so far that had no tick */
    double *row;                       /* of a test: what one record becomes */
    int *pick;                         /* of a test: which values of a record are kept */
    hid_t *set;                        /* open datasets of a file that is read while it is written, time first */
    int64_t flushed;                   /* ns, when that was last done */
    const ifd_column *channel;
    int channels;
    long chunk;               /* rows of the buffer, and of a chunk in the file */
    long used, rows;          /* in the buffer; in all */
    double *buffer;           /* (1 + channels) columns of chunk numbers; the first is time */
    ifd_peak *peak;           /* per channel */
    ifd__storey_drift *drift; /* those of the case whose dofs are recorded */
    int drifts;
    char **path; /* per channel, its dataset */
    hid_t file;  /* -1 when closed */
    const char *file_path;
    FILE *csv;                   /* NULL when not asked for */
    bool broken;                 /* a write failed: nothing more is tried */
    const char *reason;          /* why */
    char started[32];            /* UTC, ISO 8601, to the microsecond */
    const char *outcome, *ended; /* after close: the word, and why */
    const char *summary;
};

/* Facts about the machine; nothing that names it or its user. */
typedef struct ifd__host {
    char cpu[128], system[160];
    int cores;
    const char *kernels; /* the variant of the kernels in use */
} ifd__host;
void ifd__host_ask(ifd__host *out);
/* Now: UTC, ISO 8601, to the microsecond. */
void ifd__time_of_day(char out[32]);
/* ns since 1970 as UTC, ISO 8601 with all nine digits; false where that is not known (0). */
bool ifd__utc_text(int64_t ns, char out[64]);
/* Adds the bytes of a file to a hash; false when it is empty or cannot be read. */
bool ifd__file_hash(const char *path, uint64_t *hash);
/* Hash of the file that this code was loaded from: two records of the same program have the same. 0 when unknown. */
uint64_t ifd__program_hash(void);

/* The word a parameter stands at, given or preset; NULL when it is a number. */
const char *ifd__param_word(ifd_arena *arena, const ifd_param *param, const ifd_value *value);

const char *ifd__result_outcome(const ifd_result *res, const ifd_timing *timing);
/* Why it ended as that word says; "" of one that completed. The texts of a record without an end, and of one that
 * ended before the last step without a fault or an order. */
#define IFD__REASON_CUT "the program ended before it could close the record"
#define IFD__REASON_EARLY "it ended before its last step"
const char *ifd__result_reason(const ifd_result *res, const ifd_timing *timing);
double ifd__result_time(const ifd_result *res); /* s, simulated */
long ifd__result_steps(const ifd_result *res);

/* What went wrong, of a run or of a test. name NULL: nothing. */
typedef struct ifd__mishap {
    const char *name, *text, *where; /* where: a dof or a channel, or NULL */
    long step;                       /* of a test: the tick */
    double time, value, limit;       /* s of simulated time; limit only of a test */
    double wall;                     /* s of wall-clock time, of a test */
} ifd__mishap;
ifd__mishap ifd__result_mishap(const ifd_result *res);

/* A test that is known by what stands at the head of its journal. */
ifd_status ifd__result_open_ticks(ifd_arena *arena, const char *folder, const ifd_case *c,
                                  const ifd_journal_facts *head, ifd_result **out, ifd_note *note);

/* The rest of open and the whole of append, for run and test. */
ifd_status ifd__result_begin(ifd_result *res, const char *folder, ifd_note *note);
ifd_status ifd__result_keep(ifd_result *res, double time, const double *values);

/* How a test ended, and how punctual it was: into summary.json and beside the attributes of result.h5. */
ifd__mishap ifd__test_mishap(const ifd_result *res);
void ifd__test_summary(ifd_json *j, const ifd_result *res);

/* Where the facts of a test stand among its columns, and what a record adds to them. */
void ifd__facts_find(ifd_result *res, const ifd_column *column, int columns);
void ifd__facts_add(ifd_result *res, const ifd_tick_record *record, double wall);
/* Replaces what was gathered by what the test itself says. */
void ifd__facts_ask(ifd__test_facts *f, const ifd_hybrid *test);

ifd_status ifd__hdf5_open(ifd_result *res);
ifd_status ifd__hdf5_flush(ifd_result *res);
/* A file that is read while it is written gets its rows when a chunk is full, once in a second, and every two
 * seconds when they come more slowly. */
bool ifd__hdf5_due(const ifd_result *res);
ifd_status ifd__hdf5_close(ifd_result *res, const ifd_timing *timing);

/* Whether bytes more can be written to the file; says why not in res->reason. */
bool ifd__reserve(ifd_result *res, size_t bytes);

/* HDF5 prints its errors by itself unless told not to; the library does not print. */
typedef struct ifd__hdf5_quiet {
    H5E_auto2_t function;
    void *data;
} ifd__hdf5_quiet;
void ifd__hdf5_quiet_begin(ifd__hdf5_quiet *q);
void ifd__hdf5_quiet_end(const ifd__hdf5_quiet *q);
/* The innermost reason on HDF5's error stack. */
const char *ifd__hdf5_reason(ifd_arena *arena);

/* A table, or the tree of a summary, of an earlier schema as this one has it: names, words of outcomes, time. */
ifd_status ifd__table_upgrade(ifd_arena *arena, int schema, bool cut, ifd_table *t);
void ifd__summary_upgrade(ifd_json_node *root);

/* A test that goes, or was killed: its file is marked as being written. */
bool ifd__hdf5_unfinished(const char *path);
/* What is said of a file before HDF5 sees it, and by HDF5 when it is opened. */
typedef struct ifd__hdf5_found {
    ifd_status status; /* IFD_FILE or IFD_DAMAGED when it cannot be opened */
    const char *why;   /* the reason */
    bool sealed;       /* its checksum holds */
    uint64_t bytes;    /* of the file; nothing in it is longer */
} ifd__hdf5_found;
/* Reads a finished file whose seal holds, or that has none, in a child process (child.h), as everything that reads a
 * file of which nobody knows what it is. */
typedef struct ifd__hdf5_reader {
    /* In the child: NULL, or why it cannot be read, with its status in found. */
    const char *(*read)(void *self, hid_t file, ifd__hdf5_found *found);
    void (*send)(void *self, ifd__child_pipe *to);
    /* What was sent; nothing in it is longer than the file. */
    bool (*receive)(void *self, ifd__child *from, uint64_t bytes);
    unsigned times; /* the processor time that reading once may take */
} ifd__hdf5_reader;
/* False, with status and why in found. */
bool ifd__hdf5_read(ifd_arena *arena, const char *path, const ifd__hdf5_reader *by, void *self,
                    ifd__hdf5_found *found);
/* A remark that the numbers of a file without a seal are not protected. */
void ifd__hdf5_unsealed(const char *path, ifd_note *note);
/* An attribute that is a text; "" when there is none. */
const char *ifd__hdf5_text(ifd_arena *arena, hid_t object, const char *name);
/* An attribute that is an integer. */
long ifd__hdf5_integer(hid_t object, const char *name, long otherwise);
/* Whether a dataset has one dimension, and its length. */
bool ifd__hdf5_length(hid_t set, hsize_t *length);
/* The bytes of /bundle, the case; NULL when there is none of at most that many. */
char *ifd__hdf5_bundle(ifd_arena *arena, hid_t file, uint64_t most, uint64_t *length);
/* As ifd_result_case, with the native code that the caller allows. */
ifd_status ifd__result_case_as(ifd_arena *arena, const char *path, const ifd_case_code *code, ifd_case **out,
                               ifd_note *note);

/* Stands in the folder of a result until it is whole. */
#define IFD__UNFINISHED "unfinished.txt"
ifd_status ifd__unfinished_begin(ifd_result *res, ifd_note *note);
void ifd__unfinished_end(const ifd_result *res);
/* Whether it stands beside a file. */
bool ifd__unfinished_beside(ifd_arena *arena, const char *file);

/* ",name [unit]" of a header line, in quotes where a comma or a quote would end it; a number that reads back to the
 * same double. */
void ifd__csv_name(FILE *file, const char *name, const char *unit);
void ifd__csv_number(FILE *file, double value);
ifd_status ifd__csv_open(ifd_result *res);
ifd_status ifd__csv_append(ifd_result *res, double time, const double *values);
ifd_status ifd__csv_close(ifd_result *res);

/* The program that computed the structure; nothing when r is NULL. */
void ifd__summary_master(ifd_json *j, const struct ifd_opensees_report *r);
/* The text of a summary, an object, with the checksum as its last member; NULL when memory is out. */
const char *ifd__summary_sealed(ifd_arena *arena, const char *text);
/* Fills res->summary. */
ifd_status ifd__summary_make(ifd_result *res, const ifd_timing *timing);

#endif
