/* SPDX-License-Identifier: MIT */
/* Analyses of a method, found by probing the code that steps, not from formulas.
 *
 *     double omega[] = {0.1, 1, 10};
 *     ifd_spectrum_row row[3];
 *     ifd_step_options opt;
 *     ifd_step_options_defaults(ifd_method_find("lsrt2"), 1.0, &opt);
 *     IFD_TRY(ifd_spectrum(arena, &opt, 0.0, 3, omega, row, note));
 *
 * A step of a linear model without loads is x := A x, x being every real and history row of the stepper's state. The
 * columns of A are the answers to unit states. For the oscillator u'' + 2 zeta w u' + w^2 u = 0, Omega = w h, the principal
 * pair of A's roots, lambda = |lambda| e^{+-i Omega_bar}, gives
 *
 *     algorithmic damping ratio   xi  = -ln|lambda| / Omega_bar          (exact: zeta / sqrt(1 - zeta^2))
 *     relative frequency error    (Omega_d - Omega_bar) / Omega_d,       Omega_d = Omega sqrt(1 - zeta^2)
 *
 * Convergence runs a model at h, h/2, h/4 ... and compares with the method `reference` at the instants of the coarsest
 * grid. None of this is for the tick path. */
#ifndef INTERFIELD_ANALYSIS_H
#define INTERFIELD_ANALYSIS_H

#include <interfield/run.h>

#ifdef __cplusplus
extern "C" {
#endif

/* n x n, column-major; state[i] is the index in the stepper's x of row and column i. */
typedef struct ifd_amplification_matrix {
    int n;
    const double *A;
    const int *state;
} ifd_amplification_matrix;

/* The amplification matrix of a linear model (loads, if it has any, are subtracted). IFD_UNSUPPORTED for a nonlinear one. */
IFD_API ifd_status ifd_amplification(ifd_arena *arena, const ifd_step_options *opt, const ifd_model *model,
                                     ifd_amplification_matrix *out, ifd_note *note);

/* Eigenvalues of an n x n column-major matrix, largest modulus first; real, imag: n. */
IFD_API ifd_status ifd_roots(int n, const double *A, double *real, double *imag, ifd_note *note);

typedef struct ifd_spectrum_row {
    double omega;           /* Omega = w h, as asked for */
    double radius;          /* spectral radius, over all roots */
    double real, imag;      /* principal root, imag >= 0 */
    bool oscillates;        /* the principal roots are a complex pair; otherwise the next two mean nothing and are 0 */
    double damping;         /* algorithmic damping ratio */
    double frequency_error; /* relative */
    double spurious;        /* largest modulus of the other roots, 0 when there are none */
} ifd_spectrum_row;

/* One row per omega > 0; 0 <= zeta < 1. The step of opt is not used: h = 1, w = omega. */
IFD_API ifd_status ifd_spectrum(ifd_arena *arena, const ifd_step_options *opt, double zeta, int count,
                                const double *omega, ifd_spectrum_row *rows, ifd_note *note);

/* Errors are the largest over the common instants and over the dofs, relative to the largest reference value of the same
 * kind (angles and lengths apart where a model has both; element states each by its own largest value). */
typedef struct ifd_converge_row {
    double h;                          /* s */
    double error_u, error_v, error_s;  /* relative; error_s is 0 for a model without element states */
    double order_u, order_v, order_s;  /* log2 of the last error over this one; 0 in the first row */
} ifd_converge_row;

typedef struct ifd_convergence {
    int levels;
    const ifd_converge_row *row;
    double order_u, order_v, order_s; /* fitted over all levels by least squares; 0 with fewer than two */
    double tolerance[2];              /* of the two reference solutions; both 0 when it is exact */
    double agreement_u, agreement_v, agreement_s; /* their relative difference: errors near it mean nothing */
} ifd_convergence;

/* levels: 2 to 12. opt->step gives the method and the coarsest step. A case with a specimen is refused. */
IFD_API ifd_status ifd_converge(ifd_arena *arena, const ifd_run_options *opt, int levels, ifd_convergence *out,
                                ifd_note *note);

#ifdef __cplusplus
}
#endif
#endif
