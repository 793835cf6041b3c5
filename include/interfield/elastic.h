/* SPDX-License-Identifier: MIT */
/* Elastic simulated time of a test whose rig is far away (docs/guide/distant-sites.md): its options, and how much
 * longer it took. */
#ifndef INTERFIELD_ELASTIC_H
#define INTERFIELD_ELASTIC_H

#include <stdbool.h>

#include <interfield/exchange.h>

IFD_BEGIN_DECLS

/* Elastic simulated time, for a rig far away: it slows down, and stops, when answers of the rig are late. The
 * structure always uses the force at the command that was sent `delay` before in simulated time. Initialise with
 * ifd_elastic_defaults(). */
typedef struct ifd_elastic {
    double delay;              /* s, simulated; the caller sets it */
    double brake;              /* s, of wall-clock time, as the following ones: brings simulated time to rest (0.2) */
    double patience;           /* s without an answer after which it comes to rest (1) */
    double give_up;            /* s without an answer after which the test trips (30) */
    bool allow_rate_dependent; /* permitted with a rate-dependent specimen */
} ifd_elastic;

IFD_API void ifd_elastic_defaults(ifd_elastic *e);

/* How much longer simulated time took in the state run: by order, and waiting for a rig with elastic time. */
typedef struct ifd_slowdown {
    double run, at_full_rate;    /* s of wall-clock time; s that it would have taken at full rate */
    double below, rest;          /* s at a rate below 0.9; below 0.001, which is rest */
    long rests;                  /* number of rests */
    double longest, now, oldest; /* s, the longest rest and the present one; largest age of the answers */
    long orders;                 /* accepted orders slower and faster */
    double slower, slowest;      /* 1/pace - 1, now and largest: 0 at the pace of the case */
} ifd_slowdown;

/* Adds a tick in the state run: its rate, the age of the answers and its length (s). */
IFD_API IFD_RT void ifd_slowdown_add(ifd_slowdown *s, double rate, double age, double tick);
/* Adds an accepted order slower or faster; others have no effect. */
IFD_API IFD_RT void ifd_slowdown_order(ifd_slowdown *s, ifd_order order);

IFD_END_DECLS
#endif
