/* SPDX-License-Identifier: MIT */
/* Extrapolators and their order.
 *
 *   name                 exact for polynomials up to   source
 *   hold                 0
 *   lagrange             degree, r + 1 past values     Sajeeb, Roy, Manohar 2007, eq. 28
 *   least-squares        degree, all p past values
 *   reproducing-kernel   degree, all p past values     the same, section 5.2
 *
 * Times are in steps: past values are at 1 - p .. 0, extrapolated values at 1 .. q. */
#include <assert.h>
#include <interfield/extrapolate.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "algebra/dense.h"
#include "base/arena.h"

/* Use of an extrapolation, and its properties. */

enum { PAST = IFD_EXTRAPOLATE_PAST, AHEAD = IFD_EXTRAPOLATE_AHEAD, NODES = PAST + AHEAD };

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

void ifd_extrapolate(const ifd_extrapolation *e, int columns, const double *past, double *ahead)
{
    memset(ahead, 0, (size_t)e->ahead * (size_t)columns * sizeof *ahead);
    for (int j = 0; j < e->ahead; j++) /* rows of past are columns of the kernel */
        ifd__mul_add(columns, e->past, 1.0, past, e->C + j * e->past, ahead + (size_t)j * (size_t)columns);
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
    ifd_extrapolation *e;
    double *C;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(e, 1), IFD__ARRAY(C, opt->past * opt->ahead)));
    *e = (ifd_extrapolation){.extrapolator = opt->extrapolator, .past = opt->past, .ahead = opt->ahead, .C = C};
    IFD_TRY(opt->extrapolator->make(&checked, C, &e->degree, note));
    find_gains(e);
    e->reproduction = reproduction(e);
    e->added_mass = added_mass(e);
    *out = e;
    return IFD_OK;
}

static double number(const ifd_extrapolate_options *opt, const char *name)
{
    return ifd_param_get(opt->extrapolator->params, opt->value, name)->number;
}

/* The parameter `degree`, an integer for which `points` values are enough. */
static ifd_status degree_of(const ifd_extrapolate_options *opt, int points, int *out, ifd_note *note)
{
    double degree = number(opt, "degree");
    *out = (int)degree;
    if (degree != floor(degree) || *out < 0)
        return ifd_note_add(note, IFD_RANGE, NULL, "degree is %g; expected an integer", degree);
    if (*out >= points)
        return ifd_note_add(note, IFD_RANGE, NULL, "degree %d needs %d past values; there are %d", *out, *out + 1,
                            points);
    return IFD_OK;
}

static ifd_status make_hold(const ifd_extrapolate_options *opt, double *C, int *degree, ifd_note *note)
{
    (void)note;
    for (int j = 0; j < opt->ahead; j++)
        C[j * opt->past + opt->past - 1] = 1.0;
    *degree = 0;
    return IFD_OK;
}

static ifd_status make_lagrange(const ifd_extrapolate_options *opt, double *C, int *degree, ifd_note *note)
{
    int p = opt->past, r;
    IFD_TRY(degree_of(opt, p, &r, note));
    for (int j = 0; j < opt->ahead; j++)
        for (int i = p - 1 - r; i < p; i++) {
            double product = 1.0;
            for (int k = p - 1 - r; k < p; k++)
                product *= k == i ? 1.0 : (double)(p + j - k) / (double)(i - k);
            C[j * p + i] = product;
        }
    *degree = r;
    return IFD_OK;
}

/* The rows of a weighted polynomial fit: psi_i(t) = sqrt(w_i) (Q R^-T e1)_i with Q R = diag(sqrt w) V(t - t_i).
 * Powers are of the distance t - t_i in any unit: e1 selects the value at t itself. False if the fit does not have
 * full rank. */
static bool fit(int points, const double *distance, const double *root, int degree, double *psi)
{
    double V[NODES * PAST], tau[PAST], y[NODES] = {1.0};
    int columns = degree + 1;
    for (int i = 0; i < points; i++) {
        double power = root[i];
        for (int k = 0; k < columns; k++, power *= distance[i])
            V[i + k * points] = power;
    }
    if (LAPACKE_dgeqrf(LAPACK_COL_MAJOR, points, columns, V, points, tau) != 0)
        return false;
    for (int k = 0; k < columns; k++)
        if (!(fabs(V[k + k * points]) > 1e-13 * fabs(V[0])))
            return false;
    if (LAPACKE_dtrtrs(LAPACK_COL_MAJOR, 'U', 'T', 'N', columns, 1, V, points, y, points) != 0 ||
        LAPACKE_dormqr(LAPACK_COL_MAJOR, 'L', 'N', points, 1, columns, V, points, tau, y, points) != 0)
        return false;
    for (int i = 0; i < points; i++)
        psi[i] = root[i] * y[i];
    return true;
}

static ifd_status no_rank(ifd_note *note, int degree)
{
    return ifd_note_add(note, IFD_SINGULAR, NULL,
                        "a fit of degree %d is singular: use a lower degree or more past values", degree);
}

static ifd_status make_least_squares(const ifd_extrapolate_options *opt, double *C, int *degree, ifd_note *note)
{
    int p = opt->past;
    double distance[PAST], one[PAST];
    IFD_TRY(degree_of(opt, p, degree, note));
    for (int j = 0; j < opt->ahead; j++) {
        for (int i = 0; i < p; i++) {
            distance[i] = (double)(p + j - i) / (double)(p + opt->ahead);
            one[i] = 1.0;
        }
        if (!fit(p, distance, one, *degree, C + j * p))
            return no_rank(note, *degree);
    }
    return IFD_OK;
}

/* Cubic spline. The paper prints (s - 2)^3 for the outer range; the correct term is (2 - s)^3. */
static double kernel(double d)
{
    double s = fabs(d), outer = 2.0 - s;
    return s >= 2.0 ? 0.0 : s >= 1.0 ? outer * outer * outer / 6.0 : 2.0 / 3.0 - s * s * (1.0 - 0.5 * s);
}

/* Psi of all p + q nodes at node `at`. */
static ifd_status shape(const ifd_extrapolate_options *opt, int at, int degree, double *psi, ifd_note *note)
{
    int nodes = opt->past + opt->ahead, reached = 0;
    double distance[NODES], root[NODES], a = number(opt, "dilation");
    for (int i = 0; i < nodes; i++) {
        distance[i] = (double)(at - i) / (double)nodes;
        root[i] = sqrt(kernel((double)(at - i) / a));
        reached += root[i] > 0.0;
    }
    if (reached <= degree)
        return ifd_note_add(note, IFD_RANGE, NULL,
                            "a dilation of %g steps includes %d values; degree %d needs %d: use a larger dilation", a,
                            reached, degree, degree + 1);
    return fit(nodes, distance, root, degree, psi) ? IFD_OK : no_rank(note, degree);
}

/* The shape functions do not interpolate. The unknown values minimise the nodal errors: B C = A in the sense of least
 * squares, A = I - Psi[nodes, past], B = Psi[nodes, ahead] - I. The nodes are the past ones, as in eq. 69, or all
 * nodes, as in the sentence before it ("over Omega"). */
static ifd_status make_kernel(const ifd_extrapolate_options *opt, double *C, int *degree, ifd_note *note)
{
    int p = opt->past, q = opt->ahead, rows = number(opt, "errors") > 0.0 ? p + q : p;
    double psi[NODES], B[NODES * AHEAD], A[NODES * PAST];
    IFD_TRY(degree_of(opt, p, degree, note));
    if (q > p)
        return ifd_note_add(note, IFD_RANGE, NULL, "%d values ahead cannot be determined from %d past values", q, p);
    for (int i = 0; i < rows; i++) {
        IFD_TRY(shape(opt, i, *degree, psi, note));
        for (int j = 0; j < p; j++)
            A[i + j * rows] = (i == j ? 1.0 : 0.0) - psi[j];
        for (int j = 0; j < q; j++)
            B[i + j * rows] = psi[p + j] - (i == p + j ? 1.0 : 0.0);
    }
    if (LAPACKE_dgels(LAPACK_COL_MAJOR, 'N', rows, q, p, B, rows, A, rows) != 0)
        return ifd_note_add(note, IFD_SINGULAR, NULL,
                            "the kernels of the values ahead do not include the past values: use a larger dilation");
    for (int j = 0; j < q; j++)
        for (int i = 0; i < p; i++)
            C[j * p + i] = A[j + i * rows];
    return IFD_OK;
}

#define DEGREE(preset_value)                                                                                         \
    {                                                                                                                \
        .name = "degree", .preset = preset_value, IFD_WITHIN(0, IFD_EXTRAPOLATE_PAST - 1),                           \
        .doc = "degree of the polynomials that are extrapolated exactly"                                             \
    }

static const ifd_param none[] = {{0}};
static const ifd_param degree_only[] = {DEGREE(3), {0}};
static const ifd_param kernel_params[] = {
    DEGREE(4),
    IFD_OPTION("dilation", NONE, 1e-3, 1e6, 16, "a, half of the support of the kernel, in steps"),
    IFD_WORD("errors", "past|all", "values whose errors are minimised: past values, or also the extrapolated ones"),
    {0}};

static const ifd_extrapolator hold = {
    .name = "hold",
    .title = "hold of the last value",
    .citation = "",
    .summary = "The extrapolator is of first order and never amplifies noise.",
    .params = none,
    .make = make_hold,
};

static const ifd_extrapolator lagrange = {
    .name = "lagrange",
    .title = "interpolating Lagrange polynomial",
    .citation = "Sajeeb, Roy, Manohar (2007), Int. J. Numer. Meth. Engng, eq. 28",
    .summary = "The extrapolator uses the polynomial through the last degree + 1 values. The extrapolated values are "
               "accurate one step ahead; further ahead the extrapolator amplifies noise.",
    .params = degree_only,
    .shortest = true,
    .make = make_lagrange,
};

static const ifd_extrapolator least_squares = {
    .name = "least-squares",
    .title = "least-squares polynomial",
    .citation = "",
    .summary = "The extrapolator uses the polynomial nearest to all past values. More past values reduce the noise.",
    .params = degree_only,
    .make = make_least_squares,
};

static const ifd_extrapolator reproducing_kernel = {
    .name = "reproducing-kernel",
    .title = "reproducing-kernel approximation",
    .citation = "Sajeeb, Roy, Manohar (2007), Int. J. Numer. Meth. Engng, section 5.2",
    .summary = "The extrapolator finds the values ahead that best fit a weighted local polynomial through all past "
               "and extrapolated values. The `dilation` sets whether the extrapolator behaves more like lagrange or "
               "more like least-squares.",
    .params = kernel_params,
    .make = make_kernel,
};

const ifd_extrapolator *const ifd_extrapolators[] = {&hold, &lagrange, &least_squares, &reproducing_kernel};
const int ifd_extrapolator_count = (int)(sizeof ifd_extrapolators / sizeof *ifd_extrapolators);

const ifd_extrapolator *ifd_extrapolator_find(const char *name)
{
    for (int i = 0; i < ifd_extrapolator_count; i++)
        if (strcmp(ifd_extrapolators[i]->name, name) == 0)
            return ifd_extrapolators[i];
    return NULL;
}
