/* SPDX-License-Identifier: MIT */
/* Internal data of a study: content of its file, and its plan. */
#pragma once

#include <stdio.h>

#include <interfield/study.h>

#include "base/arena.h"
#include "case/reader.h"
#include "study/sampling.h"
#include "text/bundle.h"
#include "text/units.h"

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
    ROW(AMPLITUDE, "amplitude", "half the range of values in the last tenth of the time")                            \
    ROW(ERROR, "error",                                                                                              \
        "of a test: root mean square of the difference from the same case with an ideal rig, relative to that "      \
        "of the ideal run")                                                                                          \
    ROW(TRACKING_DELAY, "tracking-delay",                                                                            \
        "of the measured position of a specimen while the test runs: lag behind the target with the largest "        \
        "correlation, 0 to 49 rows, in s; J1 of the RTHS benchmark")                                                 \
    ROW(TRACKING_NRMS, "tracking-nrms",                                                                              \
        "likewise: standard deviation of the difference from the target, relative to that of the target; J2")        \
    ROW(TRACKING_PEAK, "tracking-peak", "likewise: largest difference, relative to the largest target; J3")          \
    ROW(ERROR_NRMS, "error-nrms",                                                                                    \
        "of a test: standard deviation of the difference from the same case with an ideal rig, relative to that "    \
        "of the ideal run; J4 (measured position), J6 and J7 (displacements)")                                       \
    ROW(ERROR_PEAK, "error-peak",                                                                                    \
        "of a test: largest difference from the same case with an ideal rig, relative to the largest magnitude "     \
        "of the ideal run; J5 (measured position), J8 and J9 (displacements)")
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

/* Variables of a study: what a member sets in its case. */
/* A distribution: a row of the table, found by its key in `vary`. */
typedef struct ifd__distribution {
    const ifd__section *section;
    /* Reads the mapping into p; findings go to the note. */
    void (*read)(ifd__reader *r, const ifd__fields *f, double p[4]);
    double (*quantile)(const double p[4], double u);
} ifd__distribution;
extern const ifd__distribution ifd__distributions[]; /* ended by a row without section */

/* A number of the base case as it is written there. */
typedef struct ifd__base_number {
    double number, si;         /* in the unit of the text; in SI units */
    const char *unit, *suffix; /* " kN", and as in ifd__variable */
} ifd__base_number;

#define IFD__APPLIED "value|factor|offset"
typedef enum ifd__applied { IFD__AS_VALUE, IFD__AS_FACTOR, IFD__AS_OFFSET } ifd__applied;

typedef struct ifd__variable {
    ifd_study_variable shown;
    ifd_place place;
    const ifd__node *source; /* of the values, while the study is read */
    int keys;
    const char *const *key; /* paths in the case */
    ifd__base_number *base; /* numbers there, for factor and offset; NULL: not needed */
    ifd__applied applied;
    bool by_plan;            /* a plan of its own gives the values */
    int items;               /* of a list; 0: a distribution */
    const double *number;    /* of a list of numbers; NULL: texts, in shown.choice */
    const char *const *file; /* of a list of files: their paths from here; NULL: texts as they are */
    bool drawn;              /* an item is drawn at random */
    int with;                /* index of the variable with which a list advances; -1: none */
    const ifd__distribution *distribution;
    double p[4];
    const char *suffix; /* unit of the numbers that is not the SI unit of every key: " rad/s" or " Hz"; else "" */
    int dimension;      /* among the random ones; -1: not random */
} ifd__variable;

/* Reads the variable of a key of `vary`. */
void ifd__variable_read(ifd__reader *r, const ifd__node *node, ifd__variable *out);
/* The value for a coordinate in (0, 1) of a random variable, or for an index of a list. */
double ifd__variable_draw(const ifd__variable *v, double u);
double ifd__variable_item(const ifd__variable *v, long index);
/* "key=value" for key k; NULL: out of memory. */
const char *ifd__variable_setting(ifd_arena *arena, const ifd__variable *v, int k, double value);

/* Numbers of any unit, and values as text of YAML. */

/* Whether a node is a number with or without unit; its value in SI units. */
bool ifd__quantity_of(const ifd__node *node, double *out);
/* The number of a node with its unit; false: it is none. */
bool ifd__base_read(ifd_arena *arena, const ifd__node *node, ifd__base_number *out);
/* " rad/s" or " Hz" if the first number below the node has such a unit, else "". */
const char *ifd__unit_suffix(const ifd__node *node);
/* Whether a node is no number, a number, or one with a unit. */
typedef enum ifd__with_unit { IFD__NO_NUMBER, IFD__NO_UNIT, IFD__WITH_UNIT } ifd__with_unit;
ifd__with_unit ifd__unit_of(const ifd__node *node, ifd__unit *out);
/* Refuses numbers of different dimensions among the keys "a|b" of a mapping. */
void ifd__same_units(ifd__reader *r, const ifd__node *map, const char *keys);
/* A value on one line; NULL: out of memory. */
const char *ifd__flow_text(ifd_arena *arena, const ifd__node *node);
/* A text in quotes. */
const char *ifd__quoted(ifd_arena *arena, const char *text);
/* The value at "a.b.2.c" of a document; NULL: none. */
const ifd__node *ifd__at_path(const ifd__node *root, const char *path);

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

/* A variable by its name; -1: none. */
int ifd__variable_named(const ifd_study *s, const char *name);
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
