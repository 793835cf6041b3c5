/* SPDX-License-Identifier: MIT */
/* Studies: many variants of one case, computed on all cores, with one result (docs/guide/studies.md).
 *
 *     ifd_study *s;
 *     IFD_TRY(ifd_study_read(arena, "study.yaml", NULL, &s, note));      // base case, variables, kept scalars
 *     ifd_study_store *store;
 *     IFD_TRY(ifd_study_store_open(arena, s, "out", &shard, &store, note));    // also continues a stopped study
 *     IFD_TRY(ifd_study_run(store, &options, note));                     // processes on all cores, one writer
 *     IFD_TRY(ifd_study_store_finish(store, note));                      // study.h5 and study.csv
 *
 * A member is one variant. It is a number and one value for each variable; both are all that its case depends on.
 * A plan gives members in chains. A chain advances in steps of `width` members; a step may depend on all results
 * of the earlier steps of its chain, and on nothing else. The plan of a study file has one chain with one step for
 * every member. A plan that searches (incremental dynamic analysis) has one chain per motion; a plan in rounds has
 * one chain, and a round is a step. The number of a member is (step * chains + chain) * width + i, so that it does
 * not depend on order, machine or the number of processes.
 *
 * How members reach workers is behind two calls: ifd_study_next (the next member) and ifd_study_put (its result as
 * bytes). ifd_study_run uses them with forked processes. Any other distribution does the same:
 *
 *     ifd_study_runner *r = ...;                                         // in each worker
 *     while (ifd_study_next(store, value, &number) == IFD_STUDY_MEMBER)
 *         ifd_study_put(store, ifd_study_compute(r, number, value, &length), length, note);
 *
 * Every finished member is appended to out/study.journal, from which a study continues after any end of the
 * program. */
#ifndef INTERFIELD_STUDY_H
#define INTERFIELD_STUDY_H

#include <stdint.h>

#include <interfield/arena.h>

IFD_BEGIN_DECLS

enum { IFD_STUDY_VARIABLES = 64, IFD_STUDY_REASON = 240 };

typedef struct ifd_study ifd_study;

/* End of a member. CRASHED: the process that computed it ended. */
#define IFD_STUDY_OUTCOMES(ROW)                                                                                      \
    ROW(COMPLETED, "completed")                                                                                      \
    ROW(FAILED, "failed")                                                                                            \
    ROW(TRIPPED, "tripped")                                                                                          \
    ROW(REFUSED, "refused")                                                                                          \
    ROW(CRASHED, "crashed")
typedef enum ifd_study_outcome {
#define IFD_STUDY_ENUM(name, word) IFD_STUDY_##name,
    IFD_STUDY_OUTCOMES(IFD_STUDY_ENUM)
#undef IFD_STUDY_ENUM
        IFD_STUDY_OUTCOME_COUNT
} ifd_study_outcome;
IFD_API const char *ifd_study_outcome_name(ifd_study_outcome outcome);

/* A variable. value of a member: the number in SI units, or, for texts such as files, the index in choice. */
typedef struct ifd_study_variable {
    const char *name;
    int choices; /* 0: values are numbers */
    const char *const *choice;
} ifd_study_variable;

/* A kept scalar or history. */
typedef struct ifd_study_kept {
    const char *name;
    const char *reduction; /* "peak"; of a history NULL */
    const char *column;    /* name or pattern of columns */
    const char *unit;
} ifd_study_kept;

/* Result of one member. Scalars that could not be found are NAN. */
typedef struct ifd_study_result {
    long number;
    ifd_study_outcome outcome;
    uint64_t hash;        /* of its case: settings and the content of all its files */
    double reached;       /* s, simulated */
    double duration;      /* s, of the computation; not part of the result files */
    const double *value;  /* one per variable */
    const double *scalar; /* one per kept scalar */
    const char *reason;   /* why it did not complete; of a completed one its first caution; "" */
    long rows;            /* of its histories */
} ifd_study_result;

/* A plan. next writes the values of step `step` of a chain, width x variables by rows; earlier has the step * width
 * results before it, in order. It depends on its arguments only. False: the chain has ended. */
typedef struct ifd_study_plan {
    void *self;
    long chains;
    int width;
    int steps; /* largest number of steps of a chain */
    bool (*next)(void *self, long chain, int step, const ifd_study_result *const *earlier, double *value);
} ifd_study_plan;

/* Reads a study file. sets: overrides "key.sub=value" of the study file, ended by NULL; may be NULL. */
IFD_API ifd_status ifd_study_read(ifd_arena *arena, const char *path, const char *const *sets, ifd_study **out,
                                  ifd_note *note);
/* The same without loading native code of the base case, for results that exist. IFD_UNLOADED: the columns of a
 * member are not known without it. */
IFD_API ifd_status ifd_study_read_unloaded(ifd_arena *arena, const char *path, const char *const *sets,
                                           ifd_study **out, ifd_note *note);
IFD_API const char *ifd_study_title(const ifd_study *s);
IFD_API const char *ifd_study_base(const ifd_study *s); /* path of the base case */
IFD_API const ifd_study_variable *ifd_study_variables(const ifd_study *s, int *count);
/* The number of members of the plan of the file; with a replaced plan the largest possible number. */
IFD_API long ifd_study_members(const ifd_study *s);
/* The values of member `number` of a plan with one step; false: there is no such member. */
IFD_API bool ifd_study_values(const ifd_study *s, long number, double *value);
/* The overrides "key=value" of a member, which make its case from the base case; NULL: out of memory. */
IFD_API const char *const *ifd_study_settings(ifd_arena *arena, const ifd_study *s, const double *value, int *count);
/* The member as an ordinary case file for the folder of `path`: it includes the base case and sets its values. NULL:
 * out of memory. */
IFD_API const char *ifd_study_case(ifd_arena *arena, const ifd_study *s, long number, const double *value,
                                   const char *path);

/* Computes members one after the other; memory is reused. */
typedef struct ifd_study_runner ifd_study_runner;
IFD_API ifd_status ifd_study_runner_open(ifd_arena *arena, const ifd_study *s, ifd_study_runner **out);
/* The result of a member as bytes for ifd_study_put; valid until the next call. NULL: out of memory. */
IFD_API const void *ifd_study_compute(ifd_study_runner *r, long number, const double *value, size_t *length);
/* The bytes of a member whose worker ended. */
IFD_API const void *ifd_study_crashed(ifd_study_runner *r, long number, const double *value, const char *reason,
                                      size_t *length);

/* Part index of count, from 1: chains index - 1, index - 1 + count, ... of the plan. */
typedef struct ifd_study_shard {
    int index, count; /* 1 of 1: the whole study */
} ifd_study_shard;

/* The results so far and the queue of the remaining members. */
typedef struct ifd_study_store ifd_study_store;
/* Opens the journal in the folder, which is made if it is missing. An existing journal is continued if it belongs to
 * the same study, shard and version; otherwise IFD_CONFLICT. */
IFD_API ifd_status ifd_study_store_open(ifd_arena *arena, ifd_study *s, const char *folder,
                                        const ifd_study_shard *shard, ifd_study_store **out, ifd_note *note);
typedef enum ifd_study_queue {
    IFD_STUDY_MEMBER, /* value and number are set */
    IFD_STUDY_WAIT,   /* nothing before another result arrives */
    IFD_STUDY_END     /* all members are finished */
} ifd_study_queue;
IFD_API ifd_study_queue ifd_study_next(ifd_study_store *store, double *value, long *number);
/* Stores the result of a member. IFD_OUTPUT: it cannot be written (full disk); the journal keeps all earlier ones. */
IFD_API ifd_status ifd_study_put(ifd_study_store *store, const void *bytes, size_t length, ifd_note *note);
/* Results so far, in the order of arrival; of the journal in its order. */
IFD_API long ifd_study_count(const ifd_study_store *store);
IFD_API const ifd_study_result *ifd_study_at(const ifd_study_store *store, long index);
/* Members of this shard of a plan with one step; of another plan the members known so far. */
IFD_API long ifd_study_expected(const ifd_study_store *store);
/* Writes study.h5 and study.csv from all results, in the order of their numbers. Equal results give equal files. */
IFD_API ifd_status ifd_study_store_finish(ifd_study_store *store, ifd_note *note);
IFD_API void ifd_study_store_close(ifd_study_store *store);

typedef struct ifd_study_options {
    int jobs;   /* processes; 0: one per available core */
    bool unpin; /* processes are not bound to cores */
    void *self;
    /* Called after each result and about ten times per second; true: stop. May be NULL. */
    bool (*watch)(void *self, const ifd_study_store *store);
} ifd_study_options;
/* Computes all remaining members with processes of this machine. IFD_INTERRUPTED: stopped by watch. */
IFD_API ifd_status ifd_study_run(ifd_study_store *store, const ifd_study_options *o, ifd_note *note);

/* The answer of the study from `count` results in any order, as the JSON text of answer.json: sentences, values in SI
 * units, tables and charts (docs/guide/study-answers.md). An incomplete study has the answer of its members so far.
 */
IFD_API ifd_status ifd_study_answer(ifd_arena *arena, const ifd_study *s, long count,
                                    const ifd_study_result *const *result, const char **json, ifd_note *note);
/* Writes answer.json beside the result files; *json, if not NULL, is the text, in the arena of the store. */
IFD_API ifd_status ifd_study_store_answer(ifd_study_store *store, const char **json, ifd_note *note);

/* What a folder holds, without its study file. */
typedef struct ifd_study_state {
    const char *title, *version, *path; /* path: of the study file */
    ifd_study_shard shard;
    long expected, finished; /* of a plan with several steps both are the members so far */
    long outcome[IFD_STUDY_OUTCOME_COUNT];
    double duration; /* s, sum over the members */
} ifd_study_state;
IFD_API ifd_status ifd_study_status(ifd_arena *arena, const char *folder, ifd_study_state *out, ifd_note *note);

/* Joins the journals of the shards into a new folder, in the order of the members, and writes its result files. */
IFD_API ifd_status ifd_study_merge(ifd_arena *arena, int count, const char *const *folders, const char *into,
                                   ifd_note *note);

/* Documentation of the study file by topic ("study", "vary", "keep", ...); NULL: unknown topic. */
IFD_API const char *ifd_study_help(ifd_arena *arena, const char *topic);

IFD_END_DECLS
#endif
