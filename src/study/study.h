/* SPDX-License-Identifier: MIT */
/* Internal data of a study: content of its file, and its plan. */
#pragma once

#include <stdio.h>

#include <interfield/study.h>

#include "base/arena.h"
#include "study/sampling.h"
#include "study/variable.h"
#include "text/bundle.h"

enum { IFD__STUDY_KEPT = 512 };
static const long IFD__STUDY_MEMBERS = 1000000000L;

/* Reductions of a column to one number. */
#define IFD__REDUCTIONS(ROW)                                                                                         \
    ROW(PEAK, "peak", "largest magnitude")                                                                           \
    ROW(MAXIMUM, "maximum", "largest value")                                                                         \
    ROW(MINIMUM, "minimum", "smallest value")                                                                        \
    ROW(FINAL, "final", "value at the end")                                                                          \
    ROW(RESIDUAL, "residual", "mean over the last tenth of the simulated time")                                      \
    ROW(MEAN, "mean", "mean of all rows")                                                                            \
    ROW(RMS, "rms", "root mean square of all rows")                                                                  \
    ROW(TIME_OF_PEAK, "time-of-peak", "simulated time of the largest magnitude, in s")                               \
    ROW(AMPLITUDE, "amplitude", "half the difference of largest and smallest value in the last tenth of the time")   \
    ROW(ERROR, "error",                                                                                              \
        "of a test: root mean square of the difference from the same case with an ideal rig, relative to its root "  \
        "mean square")                                                                                               \
    ROW(TRACKING_DELAY, "tracking-delay",                                                                            \
        "of the measured position of a specimen while the test runs: lag behind its target with the largest "        \
        "correlation, 0 to 49 rows, in s; J1 of the RTHS benchmark")                                                 \
    ROW(TRACKING_NRMS, "tracking-nrms",                                                                              \
        "of the same: standard deviation of the difference from the target, relative to that of the target; J2")     \
    ROW(TRACKING_PEAK, "tracking-peak", "of the same: largest difference, relative to the largest target; J3")       \
    ROW(ERROR_NRMS, "error-nrms",                                                                                    \
        "of a test: standard deviation of the difference from the same case with an ideal rig, relative to its "     \
        "standard deviation; J4 (measured position), J6 and J7 (displacements)")                                     \
    ROW(ERROR_PEAK, "error-peak",                                                                                    \
        "of a test: largest difference from the same case with an ideal rig, relative to its largest magnitude; J5 " \
        "(measured position), J8 and J9 (displacements)")
typedef enum ifd__reduction {
#define IFD__REDUCTION_ENUM(name, word, text) IFD__REDUCE_##name,
    IFD__REDUCTIONS(IFD__REDUCTION_ENUM)
#undef IFD__REDUCTION_ENUM
        IFD__REDUCTION_COUNT
} ifd__reduction;
extern const char *const ifd__reduction_words[IFD__REDUCTION_COUNT];
/* Whether a reduction compares with the ideal run, or the measured position with the target of the same specimen. */
bool ifd__reduces_ideal(ifd__reduction how);
bool ifd__reduces_tracking(ifd__reduction how);

struct ifd_study {
    ifd_arena *arena;
    const char *path, *title, *text; /* path and text of the study file */
    const char *kernels;             /* variants of the kernels that computed it; NULL: not computed */
    const char *version;             /* of the program that computed it */
    const char *base;                /* path of the base case */
    ifd__yaml doc;                   /* the base case, with includes, before any setting */
    ifd__bundle *bundle;             /* its files and those of all members so far */
    int sets;                        /* settings of all members */
    const char *const *set;
    unsigned groups; /* IFD_RECORD_... of the kept columns of the first member; 0: not known */
    bool unloaded;   /* code of the members is not loaded: they cannot be computed */
    bool ensemble;   /* members that share their matrices are stepped together */
    bool test;       /* a member is a test on its virtual rig, otherwise a run */
    int variables;
    ifd__variable *variable;
    ifd_study_variable *shown;
    int scalars, histories;
    ifd_study_kept *scalar, *history;
    ifd__reduction *reduction; /* of each scalar */
    ifd_place *place;          /* of each scalar in the file */
    int every;                 /* of the rows of histories */
    ifd__sample sample;
    long points;                          /* of the grid */
    const struct ifd__analysis *analysis; /* what `analysis` asks; NULL: a summary only */
    void *asked;                          /* its settings */
    const ifd_study_plan *plan;
    ifd_study_plan own; /* of the file */
    uint64_t hash;      /* of the study: its text and the content of the files of its base case */
};

/* Refuses values that no case accepts. */
void ifd__values_check(ifd__reader *r, ifd_study *s);
/* Finds the kept columns in the first member; the patterns of histories become names. */
void ifd__probe(ifd__reader *r, ifd_study *s, const ifd__node *histories);
/* Reads `analysis`, which may replace the plan. */
void ifd__analysis_read(ifd__reader *r, ifd_study *s, const ifd__node *node);
/* Numbers the grid and the random dimensions and makes the plan of the file. */
ifd_status ifd__plan_make(ifd__reader *r, ifd_study *s, const ifd__node *vary);

/* The bytes of a result: on the way from a worker, and as a record of the journal. Numbers are in the byte order
 * of the machine, which the head of the journal records. */

/* Followed by the values, the scalars, the histories (rows by rows) and the reason. */
typedef struct ifd__result_head {
    int64_t number;
    uint64_t hash;
    double reached, duration;
    int32_t outcome, reason; /* length of the reason */
    int64_t rows;
} ifd__result_head;

/* Length of the bytes of a result; 0: too large. */
size_t ifd__result_bytes(const ifd_study *s, const ifd__result_head *head);
/* Writes them. series: rows x (1 + histories). */
void ifd__result_pack(const ifd_study *s, const ifd_study_result *r, const double *series, char *to);
/* Reads them; value, scalar and reason of *out are copies in the arena, *series points into the bytes. False: the
 * bytes are damaged. */
bool ifd__result_unpack(ifd_arena *arena, const ifd_study *s, const void *bytes, size_t length, ifd_study_result *out,
                        const char **series);
