/* SPDX-License-Identifier: MIT */
/* How the members of a study reach the workers that compute them.
 *
 * A carrier has numbered workers and carries bytes to and from them: through sockets (processes of this machine),
 * through MPI (interfield-mpi), or through nothing (a simulation of the queue). ifd_study_deal hands out the members
 * and stores the results; it is the same for all carriers, and it is the only writer of the journal. A worker passes
 * each message to ifd_study_serve, which returns one result for each of its members, in their order.
 *
 *     ifd_study_carrier c;
 *     IFD_TRY(ifd_study_pool_open(arena, study, store, &options, &c, note));   // processes of this machine
 *     ifd_status status = ifd_study_deal(store, &c, &options, note);
 *     ifd_study_pool_close(&c);
 *
 * These lines are ifd_study_run. */
#ifndef INTERFIELD_STUDY_CARRIER_H
#define INTERFIELD_STUDY_CARRIER_H

#include <interfield/study.h>

IFD_BEGIN_DECLS

typedef enum ifd_study_heard {
    IFD_STUDY_NOTHING,
    IFD_STUDY_RESULT, /* bytes: of a member */
    IFD_STUDY_LOST, /* the process that computed has ended, by the member that it computed; another took its place */
    IFD_STUDY_GONE  /* the worker has ended, or does not answer; none took its place */
} ifd_study_heard;

typedef struct ifd_study_news {
    ifd_study_heard what;
    int worker;
    const void *bytes; /* of the result; valid until the next call */
    size_t length;
    const char *reason; /* of LOST: why */
} ifd_study_news;

typedef struct ifd_study_carrier {
    void *self;
    int workers;
    /* Hands bytes to a worker, without waiting for it. If it has ended, this appears in the news. */
    void (*send)(void *self, int worker, const void *bytes, size_t length);
    /* The next news of any worker; waits up to `wait` s. */
    ifd_status (*hear)(void *self, double wait, ifd_study_news *out, ifd_note *note);
} ifd_study_carrier;

/* Computes all remaining members with the workers of a carrier; of the options only watch is used. */
IFD_API ifd_status ifd_study_deal(ifd_study_store *store, const ifd_study_carrier *c, const ifd_study_options *o,
                                  ifd_note *note);
/* In a worker: computes the members of a message. put takes each result; bytes NULL: out of memory. False: the
 * message is none of this study. */
IFD_API bool ifd_study_serve(ifd_study_runner *r, const void *bytes, size_t length,
                             void (*put)(void *self, const void *bytes, size_t length), void *self);

/* Processes of this machine, forks of this one: jobs of the options. store: the one that this process writes, which
 * they must not hold; NULL: none. */
IFD_API ifd_status ifd_study_pool_open(ifd_arena *arena, const ifd_study *s, const ifd_study_store *store,
                                       const ifd_study_options *o, ifd_study_carrier *out, ifd_note *note);
IFD_API void ifd_study_pool_close(ifd_study_carrier *c);

/* Identity of a study: its text and the content of the files of its base case. */
IFD_API uint64_t ifd_study_hash(const ifd_study *s);
/* The variants of the kernels that compute it: of this processor, and of others that take part. */
IFD_API const char *ifd_study_kernels(const ifd_study *s);
IFD_API ifd_status ifd_study_kernels_add(ifd_study *s, const char *names);

IFD_END_DECLS
#endif
