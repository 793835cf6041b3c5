/* SPDX-License-Identifier: MIT */
/* What the writers of one result share: rows are gathered column by column in a buffer that holds one chunk of every
 * dataset, and handed to the HDF5 file when it is full. */
#ifndef IFD_IO_RESULT_H
#define IFD_IO_RESULT_H

#include <hdf5.h>
#include <stdio.h>

#include <interfield/json.h>
#include <interfield/result.h>

/* A drift as the difference of two recorded displacements; from is -1 for the ground. */
typedef struct ifd__drift {
    const char *name, *unit;
    int from, to;
    ifd_peak peak;
} ifd__drift;

struct ifd_result {
    ifd_arena *arena;
    const char *folder;
    const ifd_case *c;
    const ifd_run *run;                /* NULL: the result of a test */
    const ifd_hybrid *test;            /* NULL: the result of a run */
    const ifd_executor_report *report; /* of a test, once it has ended */
    uint64_t skipped;                  /* instants of the grid so far that had no tick */
    double *row;                       /* of a test: what one record becomes */
    const ifd_channel *channel;
    int channels;
    long chunk;        /* rows of the buffer, and of a chunk in the file */
    long used, rows;   /* in the buffer; in all */
    double *buffer;    /* (1 + channels) columns of chunk numbers; the first is time */
    ifd_peak *peak;    /* per channel */
    ifd__drift *drift; /* those of the case whose dofs are recorded */
    int drifts;
    char **path; /* per channel, its dataset */
    hid_t file;  /* -1 when closed */
    const char *file_path;
    FILE *csv;           /* NULL when not asked for */
    bool broken;         /* a write failed: nothing more is tried */
    const char *reason;  /* why */
    char started[32];    /* UTC, ISO 8601 */
    const char *outcome; /* after close */
    const char *summary;
};

/* Facts about the machine; nothing that names it or its user. */
typedef struct ifd__host {
    char cpu[128], system[160];
    int cores;
    const char *kernels; /* the variant of the kernels in use */
} ifd__host;
void ifd__host_ask(ifd__host *out);

/* The word a parameter stands at, given or preset; NULL when it is a number. */
const char *ifd__param_word(ifd_arena *arena, const ifd_param *param, const ifd_value *value);

const char *ifd__result_outcome(const ifd_result *res, const ifd_timing *timing);
double ifd__result_time(const ifd_result *res); /* s, simulated */
long ifd__result_steps(const ifd_result *res);

/* What went wrong, of a run or of a test. name NULL: nothing. */
typedef struct ifd__mishap {
    const char *name, *text, *where; /* where: a dof or a channel, or NULL */
    long step;                       /* of a test: the tick */
    double time, value, limit;       /* s of simulated time; limit only of a test */
} ifd__mishap;
ifd__mishap ifd__result_mishap(const ifd_result *res);

/* The rest of open and the whole of append, for run and test. */
ifd_status ifd__result_begin(ifd_result *res, const char *folder, ifd_note *note);
ifd_status ifd__result_keep(ifd_result *res, double time, const double *values);

/* How a test ended, and how punctual it was: into summary.json and beside the attributes of result.h5. */
const char *ifd__test_outcome(const ifd_result *res, const ifd_timing *timing);
ifd__mishap ifd__test_mishap(const ifd_result *res);
void ifd__test_summary(ifd_json *j, const ifd_result *res);

ifd_status ifd__hdf5_open(ifd_result *res);
ifd_status ifd__hdf5_flush(ifd_result *res);
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

ifd_status ifd__csv_open(ifd_result *res);
ifd_status ifd__csv_append(ifd_result *res, double time, const double *values);
ifd_status ifd__csv_close(ifd_result *res);

/* Fills res->summary. */
ifd_status ifd__summary_make(ifd_result *res, const ifd_timing *timing);

#endif
