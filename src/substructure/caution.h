/* SPDX-License-Identifier: MIT */
/* Cautions: findings that limit the worth of a run or test that reached its end. One table has all of them; its order
 * is that of the outcomes. A note of the set-up is none. */
#pragma once

#include <stddef.h>

#include <interfield/run.h>

#include "substructure/substructure.h"

/* What the table judges. 0 or false: not the case, or not known. */
typedef struct ifd__doubts {
    double late, late_permitted;   /* ticks */
    double stale, stale_permitted; /* share of the ticks of the run */
    double fast;                   /* targets of a master that came later than their step, for specimens that depend
                                    * on the rate */
    bool empty;                    /* the force of a specimen no longer changed with its motion, */
    double empty_from;             /* s, simulated, from here on */
    bool unconverged;              /* iterations of the method, or passes of an element, in a step */
    double unconverged_at;         /* s; NAN: not known */
    long inner;                    /* steps whose error exceeds its tolerance at the shortest inner step */
    bool budget;                   /* of a bounded Jacobian, exceeded in a step that was continued */
    bool measured;                 /* forces come from a rig */
    double made;                   /* fraction of the energy that the method created */
} ifd__doubts;

/* Name, the function that judges and prints it. */
#define IFD__CAUTION_LIST(X)                                                                                         \
    X(LATE, late)                                                                                                    \
    X(STALE, stale)                                                                                                  \
    X(FAST, fast)                                                                                                    \
    X(EMPTY, empty)                                                                                                  \
    X(UNCONVERGED, unconverged)                                                                                      \
    X(INNER, inner)                                                                                                  \
    X(BUDGET, budget)                                                                                                \
    X(MADE, made)
typedef enum ifd__caution {
#define IFD__CAUTION_ENUM(name, judge) IFD__CAUTION_##name,
    IFD__CAUTION_LIST(IFD__CAUTION_ENUM)
#undef IFD__CAUTION_ENUM
        IFD__CAUTION_COUNT
} ifd__caution;

/* The sentence of a caution; false: it does not apply. */
bool ifd__caution_print(const ifd__doubts *d, ifd__caution k, char *out, size_t size);

/* Fills in what the state of the substructure and the balance contain. */
void ifd__substructure_doubts(const ifd__substructure *s, const double *x, ifd__doubts *d);
/* The fraction of the largest energy of the balance that the method created; 0 where it took energy. */
double ifd__energy_made(const ifd_energy *e);
