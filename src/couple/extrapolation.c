/* SPDX-License-Identifier: MIT */
/* Use of an extrapolation, and its properties. */
#include <interfield/extrapolate.h>

#include <assert.h>
#include <math.h>
#include <string.h>

#include <lapacke.h>

#include "algebra/dense.h"

enum { PAST = IFD_EXTRAPOLATE_PAST, AHEAD = IFD_EXTRAPOLATE_AHEAD };

void ifd_extrapolate_options_defaults(const ifd_extrapolator *extrapolator, int past, int ahead,
                                      ifd_extrapolate_options *opt)
{
    memset(opt, 0, sizeof *opt);
    opt->extrapolator = extrapolator;
    opt->past = past;
    opt->ahead = ahead;
    assert(ifd_param_count(extrapolator->params) <= IFD_EXTRAPOLATOR_PARAMS);
    ifd_param_preset(extrapolator->params, opt->value);
}

bool ifd_extrapolate_options_set(ifd_extrapolate_options *opt, const char *name, ifd_value value)
{
    int i = ifd_param_find(opt->extrapolator->params, name);
    if (i < 0)
        return false;
    opt->value[i] = value;
    return true;
}

void ifd_extrapolate(const ifd_extrapolation *e, int channels, const double *past, double *ahead)
{
    memset(ahead, 0, (size_t)e->ahead * (size_t)channels * sizeof *ahead);
    for (int j = 0; j < e->ahead; j++) /* rows of past are columns of the kernel */
        ifd__mul_add(channels, e->past, 1.0, past, e->C + j * e->past, ahead + (size_t)j * (size_t)channels);
}

double ifd_extrapolation_radius(const ifd_extrapolation *e, double mu)
{
    int p = e->past, q = e->ahead;
    double A[PAST * PAST] = {0.0}, real[PAST], imag[PAST], radius = 0.0;
    for (int i = 0; i < p; i++) {
        int ahead = i + q - p; /* row i of the new history: number of steps ahead; not positive for a row of the old
                                * history */
        for (int k = 0; k < p; k++)
            A[i + k * p] = ahead >= 0 ? -mu * e->C[ahead * p + k] : k == i + q ? 1.0 : 0.0;
    }
    if (LAPACKE_dgeev(LAPACK_COL_MAJOR, 'N', 'N', p, A, p, real, imag, NULL, 1, NULL, 1) != 0)
        return (double)NAN;
    for (int i = 0; i < p; i++)
        radius = fmax(radius, hypot(real[i], imag[i]));
    return radius;
}

/* Number of values used, counted from the newest. */
static int used(const ifd_extrapolation *e)
{
    int most = 1;
    for (int j = 0; j < e->ahead; j++)
        for (int i = 0; i < e->past; i++)
            if (e->C[j * e->past + i] != 0.0 && e->past - i > most)
                most = e->past - i;
    return most;
}

/* Smallest mu at which the spectral radius exceeds 1: steps of 1 %, then bisection. Below one over the largest sum of
 * |C| the history decreases in the maximum norm, so the search begins there. If every value used is new and lies on
 * the extrapolated polynomial, the map is -mu times a shift of polynomials with the single root 1. This case is
 * answered directly, because a multiple root has few correct digits. */
static double added_mass(const ifd_extrapolation *e)
{
    double low = 0.0, high = 0.99 / e->worst_gain;
    if (used(e) <= e->ahead && used(e) <= e->degree + 1)
        return 1.0;
    while (ifd_extrapolation_radius(e, high) < 1.0) {
        low = high;
        high *= 1.01;
        if (high > 10.0)
            return HUGE_VAL;
    }
    for (int k = 0; k < 60; k++) {
        double middle = 0.5 * (low + high);
        if (ifd_extrapolation_radius(e, middle) < 1.0)
            low = middle;
        else
            high = middle;
    }
    return high;
}

static void find_gains(ifd_extrapolation *e)
{
    for (int j = 0; j < e->ahead; j++) {
        double squares = 0.0, sum = 0.0;
        for (int i = 0; i < e->past; i++) {
            squares += e->C[j * e->past + i] * e->C[j * e->past + i];
            sum += fabs(e->C[j * e->past + i]);
        }
        e->noise_gain = fmax(e->noise_gain, sqrt(squares));
        e->worst_gain = fmax(e->worst_gain, sum);
    }
}

static double reproduction(const ifd_extrapolation *e)
{
    double worst = 0.0, scale = e->past > 1 ? e->past - 1 : 1;
    for (int k = 0; k <= e->degree; k++)
        for (int j = 0; j < e->ahead; j++) {
            double sum = 0.0;
            for (int i = 0; i < e->past; i++)
                sum += e->C[j * e->past + i] * pow((i - e->past + 1) / scale, k);
            worst = fmax(worst, fabs(sum - pow((j + 1) / scale, k)));
        }
    return worst;
}

static ifd_status check(const ifd_extrapolate_options *opt, ifd_note *note)
{
    if (opt->past < 1 || opt->past > PAST)
        return ifd_note_add(note, IFD_RANGE, NULL, "extrapolation uses %d past values; expected 1 to %d", opt->past,
                            PAST);
    if (opt->ahead < 1 || opt->ahead > AHEAD)
        return ifd_note_add(note, IFD_RANGE, NULL, "extrapolation supplies %d values ahead; expected 1 to %d",
                            opt->ahead, AHEAD);
    return IFD_OK;
}

ifd_status ifd_extrapolation_make(ifd_arena *arena, const ifd_extrapolate_options *opt, ifd_extrapolation **out,
                                  ifd_note *note)
{
    ifd_extrapolate_options checked = *opt;
    IFD_TRY(check(opt, note));
    IFD_TRY(ifd_param_check(opt->extrapolator->params, checked.value, opt->extrapolator->name, NULL, note));
    ifd_extrapolation *e = ifd_arena_take(arena, sizeof *e);
    double *C = ifd_arena_array(arena, (size_t)(opt->past * opt->ahead), sizeof *C);
    if (!e || !C)
        return IFD_NO_MEMORY;
    *e = (ifd_extrapolation){.extrapolator = opt->extrapolator, .past = opt->past, .ahead = opt->ahead, .C = C};
    IFD_TRY(opt->extrapolator->make(&checked, C, &e->degree, note));
    find_gains(e);
    e->reproduction = reproduction(e);
    e->added_mass = added_mass(e);
    *out = e;
    return IFD_OK;
}
