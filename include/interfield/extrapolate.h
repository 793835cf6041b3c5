/* SPDX-License-Identifier: MIT */
/* Extrapolators: future values of a sampled signal from its last values.
 *
 *     f(t_k + j h) = sum_i C[j][i] f(t_k - (p - i) h),     j = 1..q ahead,  i = 1..p past, oldest to newest
 *
 * An extrapolator is a row of ifd_extrapolators[]. Set-up reduces every kind to one q x p matrix, so that its use is
 * one small product per column:
 *
 *     ifd_extrapolate_options opt;
 *     ifd_extrapolate_options_defaults(ifd_extrapolator_find("reproducing-kernel"), 10, 3, &opt);
 *     ifd_extrapolate_options_set(&opt, "degree", ifd_number(4));
 *     ifd_extrapolate_options_set(&opt, "dilation", ifd_number(16));                 // in steps
 *     ifd_extrapolation *e;
 *     IFD_TRY(ifd_extrapolation_make(arena, &opt, &e, note));
 *     ifd_extrapolate(e, columns, past, ahead);                                     // IFD_RT
 *
 * Its properties are computed too: noise gain, degree of exact polynomials, and the largest mass ratio of an inertial
 * specimen. */
#ifndef INTERFIELD_EXTRAPOLATE_H
#define INTERFIELD_EXTRAPOLATE_H

#include <interfield/arena.h>
#include <interfield/param.h>

IFD_BEGIN_DECLS

enum { IFD_EXTRAPOLATOR_PARAMS = 4, IFD_EXTRAPOLATE_PAST = 64, IFD_EXTRAPOLATE_AHEAD = 32 };

typedef struct ifd_extrapolator ifd_extrapolator;

typedef struct ifd_extrapolate_options {
    const ifd_extrapolator *extrapolator;
    int past, ahead;                          /* p, q */
    ifd_value value[IFD_EXTRAPOLATOR_PARAMS]; /* one per parameter of the row */
} ifd_extrapolate_options;

struct ifd_extrapolator {
    const char *name, *title, *citation;
    const char *summary; /* one or two sentences that help to choose */
    const ifd_param *params;
    bool shortest; /* uses no more past values than its degree needs */
    /* Sets C (ahead x past, by rows) and the degree up to which polynomials are exact. */
    ifd_status (*make)(const ifd_extrapolate_options *opt, double *C, int *degree, ifd_note *note);
};

IFD_API extern const ifd_extrapolator *const ifd_extrapolators[];
IFD_API extern const int ifd_extrapolator_count;
IFD_API const ifd_extrapolator *ifd_extrapolator_find(const char *name);

/* Sets every parameter of the extrapolator to its preset. past, ahead: p and q, in samples. */
IFD_API void ifd_extrapolate_options_defaults(const ifd_extrapolator *extrapolator, int past, int ahead,
                                              ifd_extrapolate_options *opt);
/* Sets a parameter by name; false: unknown name. */
IFD_API bool ifd_extrapolate_options_set(ifd_extrapolate_options *opt, const char *name, ifd_value value);

typedef struct ifd_extrapolation {
    const ifd_extrapolator *extrapolator;
    int past, ahead;
    int degree;          /* of the polynomials that are extrapolated exactly */
    const double *C;     /* ahead x past, by rows; row 0 is one step ahead, column 0 the oldest value */
    double noise_gain;   /* largest over the rows: output standard deviation per unit of independent input noise */
    double worst_gain;   /* largest over the rows: sum of |C| */
    double reproduction; /* largest error for t^0 .. t^degree, t from -1 at the oldest value to 0 at the newest */
    /* Added-mass limit mu*. A specimen with mu times the inertia of the interface returns -mu times the extrapolated
     * value. The history then shifts by q, with -mu C f appended; mu* is the smallest mu at which that map does not
     * contract. HUGE_VAL: none below 10. */
    double added_mass;
} ifd_extrapolation;

/* IFD_RANGE: past or ahead out of bounds, too few past values for the degree, or a dilation that covers too few of
 * them. */
IFD_API ifd_status ifd_extrapolation_make(ifd_arena *arena, const ifd_extrapolate_options *opt,
                                          ifd_extrapolation **out, ifd_note *note);

/* past: p rows of `columns` numbers, oldest row first; ahead: q such rows. */
IFD_API IFD_RT void ifd_extrapolate(const ifd_extrapolation *e, int columns, const double *past, double *ahead);

/* The spectral radius of the map of added_mass for one mu. */
IFD_API double ifd_extrapolation_radius(const ifd_extrapolation *e, double mu);

IFD_END_DECLS
#endif
