/* SPDX-License-Identifier: MIT */
/* Analyses of a method, found by probing the code that steps, not from formulas.
 *
 *     double omega[] = {0.1, 1, 10};
 *     ifd_spectrum_row row[3];
 *     ifd_step_options opt;
 *     ifd_step_options_defaults(ifd_method_find("lsrt2"), 1.0, &opt);
 *     IFD_TRY(ifd_spectrum(&opt, 0.0, 3, omega, row, note));
 *
 * A step of a linear model without loads is x := A x, x being every real and history row of the stepper's state.
 * The columns of A are the answers to unit states. For the oscillator u'' + 2 zeta w u' + w^2 u = 0, Omega = w h,
 * the principal pair of A's roots, lambda = |lambda| e^{+-i Omega_bar}, gives
 *
 *     algorithmic damping ratio   xi  = -ln|lambda| / Omega_bar          (exact: zeta / sqrt(1 - zeta^2))
 *     relative frequency error    (Omega_d - Omega_bar) / Omega_d,       Omega_d = Omega sqrt(1 - zeta^2)
 *
 * Stability does the same with a whole run, single or cut into parts: one cycle of its ticks from every unit
 * state.
 *
 *     ifd_stability v;
 *     IFD_TRY(ifd_stability_find(arena, &run_options, &v, note));
 *     printf("%s, radius %.9f\n", v.stable ? "stable" : "unstable", v.radius);
 *
 * Convergence runs a model at h, h/2, h/4 ... and compares with the method `reference` at the instants of the
 * coarsest grid; for a structure cut into parts the reference is that of the assembled whole. None of this is for
 * the tick path. */
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

/* The amplification matrix of a linear model (loads, if it has any, are subtracted). IFD_UNSUPPORTED for a
 * nonlinear one. */
IFD_API ifd_status ifd_amplification(ifd_arena *arena, const ifd_step_options *opt, const ifd_model *model,
                                     ifd_amplification_matrix *out, ifd_note *note);

/* Eigenvalues of an n x n column-major matrix, largest modulus first; real, imag: n. */
IFD_API ifd_status ifd_roots(int n, const double *A, double *real, double *imag, ifd_note *note);

typedef struct ifd_spectrum_row {
    double omega;           /* Omega = w h, as asked for */
    double radius;          /* spectral radius, over all roots */
    double real, imag;      /* principal root, imag >= 0 */
    bool oscillates;        /* the principal roots are a complex pair; otherwise the next two are 0 */
    double damping;         /* algorithmic damping ratio */
    double frequency_error; /* relative */
    double spurious;        /* largest modulus of the other roots, 0 when there are none */
} ifd_spectrum_row;

/* One row per omega > 0; 0 <= zeta < 1. The step of opt is not used: h = 1, w = omega. */
IFD_API ifd_status ifd_spectrum(const ifd_step_options *opt, double zeta, int count, const double *omega,
                                ifd_spectrum_row *rows, ifd_note *note);

/* The whole structure as one model, from its parts: dofs z are named "part.dof", elements "part.element"; of the
 * dofs that a joint ties together one per row is given by the others. Displacement i of the parts, counted through
 * part after part, is u_i = sum of value[k] z[dof[k]], k from start[i] to start[i + 1]. Element states stand part
 * after part. */
typedef struct ifd_assembly {
    ifd_model *model;
    int dofs; /* of all parts */
    const int *start, *dof;
    const double *value;
} ifd_assembly;

/* Joint rows that repeat others are left out. Elements and signals are shared with the parts, which must stay. */
IFD_API ifd_status ifd_couple_assemble(ifd_arena *arena, const ifd_couple_options *opt, ifd_assembly *out,
                                       ifd_note *note);
/* u := T z */
IFD_API void ifd_assembly_expand(const ifd_assembly *a, const double *z, double *u);

/* Roots of the state matrix of a model linearised at rest, y' = J y with y = (u, u', states): those with imag >= 0,
 * slowest first. A real root is a relaxation: motion that decays without oscillating. */
typedef struct ifd_state_roots {
    int count;
    const double *real, *imag; /* 1/s */
    bool complete;             /* all of them; otherwise the lowest modes of a large model */
} ifd_state_roots;
IFD_API ifd_status ifd_model_roots(ifd_arena *arena, const ifd_model *m, ifd_state_roots *out, ifd_note *note);

/* A natural mode of the linearised structure, and the root of the amplification matrix that stands for it. */
typedef struct ifd_stability_mode {
    double frequency;       /* Hz, damped */
    double exact_damping;   /* -Re s / |Im s| of the exact s; 0 for a mode that does not oscillate */
    double omega;           /* |Im s| times the step between synchronisations */
    bool resolved;          /* omega < pi, and a root was found; the rest means nothing otherwise */
    double real, imag;      /* the root, imag >= 0 */
    double damping;         /* algorithmic damping ratio, as in a spectrum: physical and numerical together */
    double frequency_error; /* relative, as in a spectrum */
} ifd_stability_mode;

typedef struct ifd_root {
    double real, imag;
    int mode; /* that it stands for, principal; -1: spurious, or of a mode that the step does not resolve */
} ifd_root;

/* Roots count as zero within 1e-6, and as one within what rounding can have moved them. A run is stable when no root
 * lies outside the unit circle by more than that: from 1e-9, where the conditions are good, to 1e-6. */
typedef struct ifd_stability {
    int states;           /* numbers in the recurrence */
    const ifd_root *root; /* states of them, largest modulus first */
    double radius;
    bool stable;
    int ones; /* roots equal to one: drift of the joints, and rigid-body motion */
    int zeros;
    int rigid; /* roots equal to one that rigid-body modes account for */
    /* Distinct roots of modulus above 1 - 1e-4 with fewer eigenvectors than their multiplicity: motion grows like
     * a power of time there. -1: too large to be checked. */
    int defective;
    double spurious; /* largest modulus of roots that stand for no mode and are not one; 0 without any */
    int modes;       /* lowest first */
    const ifd_stability_mode *mode;
    double step, coarse;      /* between synchronisations; the largest step of a part, s */
    double omega;             /* lowest nonzero natural frequency (rad/s) times coarse; 0 when there is none */
    bool linearised;          /* some element is nonlinear: everything holds for small motion about rest */
    int reduced;              /* dofs before parts were reduced to their joints and lowest modes; 0: not reduced */
    int relaxations;          /* real roots of the structure other than zero, slowest first */
    const double *relaxation; /* rates of decay, 1/s */
} ifd_stability;

/* The run as configured, without its loads, from rest. opt->end is not used. Specimens are part of the recurrence.
 * Above 4,000 state numbers the parts are reduced to the dofs in joints and elements and their lowest modes. */
IFD_API ifd_status ifd_stability_find(ifd_arena *arena, const ifd_run_options *opt, ifd_stability *out,
                                      ifd_note *note);

typedef struct ifd_stability_row {
    double value;       /* of what is swept */
    double step, omega; /* as in ifd_stability */
    double radius;
    bool stable;
    int ones, zeros;
    double spurious;
    double damping, frequency_error; /* of the lowest mode that oscillates; NAN when it is not resolved */
} ifd_stability_row;

/* what: "dt" the step between synchronisations (s); "omega" the lowest natural frequency times the coarse step;
 * "ss" the subcycles of the fine parts; otherwise a parameter of the methods ("gamma", "rho"), set in every part
 * whose method has it. */
IFD_API ifd_status ifd_stability_sweep(const ifd_run_options *opt, const char *what, int count, const double *value,
                                       ifd_stability_row *rows, ifd_note *note);

typedef struct ifd_critical_step {
    bool found; /* false: stable at every step tried */
    /* Between synchronisations, s: the largest stable one below the first instability; when not found, the largest
     * tried. */
    double step;
    double omega;      /* lowest natural frequency times the coarse step there */
    double radius;     /* largest spectral radius met in the window that begins there */
    double smallest;   /* s: where the search began; unstable there already when found and step = 0 */
    int evaluations;   /* steps probed, of the full model and of a reduced one */
    double largest;    /* s: where the search ended */
    double closes;     /* s: where the first window of instability ends; 0: unstable to the end of the search */
    double resolution; /* factor of the step: narrower windows are not excluded */
    bool uniform;      /* the scan was uniform with that factor, otherwise adaptive */
    int open;          /* intervals of that width with stable ends that the test could not clear */
    double current;    /* s: step of the case */
    double current_radius;
    bool current_stable;
    /* The widest interval of stable steps around the step of the case, s; *_found: instability lies beyond that
     * end, otherwise the search ended there. Zero when the step of the case is unstable. */
    double below, above;
    bool below_found, above_found;
    int states;  /* numbers in the recurrence */
    bool coarse; /* the full model was examined at every factor of 1.15 only */
    int reduced; /* numbers of the reduced model that the adaptive search used; 0: there is none */
    double kept; /* Hz: highest frequency of the reduced model */
    int arnoldi; /* steps at which the full model was examined by Arnoldi's method; 0 unless there are many states */
    int unsure;  /* of these, where its largest root did not converge and all are too many: not decided */
    int dense;   /* of these, where it did not converge and all roots were found: decided */
    /* Where unsure, at the most doubtful step: how many estimated roots are as large as the largest within its
     * residual, their sizes, and that residual. */
    int unsure_roots;
    double unsure_from, unsure_to, unsure_doubt;
} ifd_critical_step;

typedef struct ifd_critical_options {
    double resolution; /* factor above 1: uniform scan with it; 0: the adaptive search, windows of 0.2 % */
    double from, to;   /* s: range of steps; 0: 1/20 of the inverse of the highest frequency to 1000 times that of
                          the lowest, widened so that it holds the step of the case */
} ifd_critical_options;

/* The first unstable step. The adaptive search compares the roots at both ends of an interval and halves it unless
 * none of them can have left the unit circle between the ends. That is an estimate, not a theorem: docs/stability.md
 * says what it misses. Above 160 state numbers it is made on a model reduced to joints, elements and lowest modes,
 * and the full model is examined at every factor of 1.15, above 400 by Arnoldi's method and, where that does not
 * converge, by all roots up to 1500. options may be NULL. */
IFD_API ifd_status ifd_stability_critical(ifd_arena *arena, const ifd_run_options *opt,
                                          const ifd_critical_options *options, ifd_critical_step *out,
                                          ifd_note *note);

/* Errors are the largest over the common instants and over the dofs, relative to the largest reference value of
 * the same kind (angles and lengths apart where a model has both; element states each by its own largest value). */
typedef struct ifd_converge_row {
    double h;                         /* s */
    double error_u, error_v, error_s; /* relative; error_s is 0 for a model without element states */
    double order_u, order_v, order_s; /* log2 of the last error over this one; 0 in the first row */
    double error_l, order_l;          /* multipliers, over the second half of the run; 0 without joints */
} ifd_converge_row;

/* One part of a cut structure, or its joints: the dofs that stand in joints, and the multipliers. */
typedef struct ifd_converge_part {
    const char *name; /* of the part; "joints" */
    const ifd_converge_row *row;
    double order_u, order_v, order_s, order_l;
} ifd_converge_part;

typedef struct ifd_convergence {
    int levels;
    const ifd_converge_row *row;
    double order_u, order_v, order_s;             /* fitted over all levels by least squares; 0 with fewer than two */
    double tolerance[2];                          /* of the two reference solutions; both 0 when it is exact */
    double agreement_u, agreement_v, agreement_s; /* their relative difference: errors near it mean nothing */
    double order_l;                               /* multipliers, fitted; 0 without joints */
    int parts;                                    /* 0 for a structure in one piece; otherwise parts, then joints */
    const ifd_converge_part *part;
} ifd_convergence;

/* levels: 2 to 12. opt->step gives the method and the coarsest step; of a cut structure opt->couple does, and row
 * holds the worst of its parts. A case with a specimen is refused. */
IFD_API ifd_status ifd_converge(ifd_arena *arena, const ifd_run_options *opt, int levels, ifd_convergence *out,
                                ifd_note *note);

#ifdef __cplusplus
}
#endif
#endif
