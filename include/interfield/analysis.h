/* SPDX-License-Identifier: MIT */
/* Analyses of a method by probing the code that steps, not from formulas.
 *
 *     double omega[] = {0.1, 1, 10};
 *     ifd_spectrum_row row[3];
 *     ifd_step_options opt;
 *     ifd_step_options_defaults(ifd_method_find("lsrt2"), 1.0, &opt);
 *     IFD_TRY(ifd_spectrum(&opt, 0.0, 3, omega, row, note));
 *
 * A step of a linear model without loads is x := A x, where x has every real and history row of the state of the
 * stepper. The columns of A are the results of steps from unit states. For the oscillator u'' + 2 zeta w u' + w^2 u =
 * 0, Omega = w h, the principal pair of roots of A, lambda = |lambda| e^{+-i Omega_bar}, gives
 *
 *     algorithmic damping ratio   xi  = -ln|lambda| / Omega_bar          (exact: zeta / sqrt(1 - zeta^2))
 *     relative frequency error    (Omega_d - Omega_bar) / Omega_d,       Omega_d = Omega sqrt(1 - zeta^2)
 *
 * The stability analysis probes a complete run, of one model or of coupled substructures: one cycle of its ticks from
 * every unit state.
 *
 *     ifd_stability v;
 *     IFD_TRY(ifd_stability_find(arena, &run_options, &v, note));
 *     printf("%s, radius %.9f\n", v.stable ? "stable" : "unstable", v.radius);
 *
 * The convergence analysis runs a model at h, h/2, h/4 ... and compares with the method `reference` at the instants
 * of the coarsest grid. For coupled substructures the reference is that of the assembled structure. None of this is
 * for the tick path. */
#ifndef INTERFIELD_ANALYSIS_H
#define INTERFIELD_ANALYSIS_H

#include <interfield/run.h>

IFD_BEGIN_DECLS

/* n x n, column-major; state[i] is the index of row and column i in the x of the stepper. */
typedef struct ifd_amplification_matrix {
    int n;
    const double *A;
    const int *state;
} ifd_amplification_matrix;

/* The amplification matrix of a linear model; loads are subtracted. IFD_UNSUPPORTED for a nonlinear model. */
IFD_API ifd_status ifd_amplification(ifd_arena *arena, const ifd_step_options *opt, const ifd_model *model,
                                     ifd_amplification_matrix *out, ifd_note *note);

/* Eigenvalues of an n x n column-major matrix, largest modulus first; real, imag: n. */
IFD_API ifd_status ifd_roots(int n, const double *A, double *real, double *imag, ifd_note *note);

typedef struct ifd_spectrum_row {
    double omega;           /* Omega = w h, as given */
    double radius;          /* spectral radius, over all roots */
    double real, imag;      /* principal root, imag >= 0 */
    bool oscillates;        /* the principal roots are a complex pair; otherwise the next two are 0 */
    double damping;         /* algorithmic damping ratio */
    double frequency_error; /* relative */
    double spurious;        /* largest modulus of the other roots; 0: none */
} ifd_spectrum_row;

/* One row per omega > 0; 0 <= zeta < 1. The step of opt is not used: h = 1, w = omega. */
IFD_API ifd_status ifd_spectrum(const ifd_step_options *opt, double zeta, int count, const double *omega,
                                ifd_spectrum_row *rows, ifd_note *note);

/* The assembled structure as one model: dofs z have names "part.dof", elements "part.element". Of the dofs of a
 * joint, one per row depends on the others. Displacement i, numbered through all substructures, is u_i = sum of
 * value[k] z[dof[k]], k from start[i] to start[i + 1]. Element states are in the order of the substructures. */
typedef struct ifd_assembly {
    ifd_model *model;
    int dofs; /* of all substructures */
    const int *start, *dof;
    const double *value;
} ifd_assembly;

/* Redundant joint rows are omitted. Elements and signals are shared with the substructures, which must outlive the
 * model. */
IFD_API ifd_status ifd_couple_assemble(ifd_arena *arena, const ifd_couple_options *opt, ifd_assembly *out,
                                       ifd_note *note);
/* u := T z */
IFD_API void ifd_assembly_expand(const ifd_assembly *a, const double *z, double *u);

/* Roots of the state matrix of a model linearised at rest, y' = J y with y = (u, u', states): those with imag >= 0,
 * slowest first. A real root is a relaxation: decay without oscillation. */
typedef struct ifd_state_roots {
    int count;
    const double *real, *imag; /* 1/s */
    bool complete;             /* false: only the lowest modes of a large model */
} ifd_state_roots;
IFD_API ifd_status ifd_model_roots(ifd_arena *arena, const ifd_model *m, ifd_state_roots *out, ifd_note *note);

/* A natural mode of the linearised structure and its root of the amplification matrix. */
typedef struct ifd_stability_mode {
    double frequency;       /* Hz, damped */
    double exact_damping;   /* -Re s / |Im s| of the exact s; 0 for a mode that does not oscillate */
    double omega;           /* |Im s| times the step between synchronisations */
    bool resolved;          /* omega < pi and a root is found; otherwise the other members are undefined */
    double real, imag;      /* the root, imag >= 0 */
    double damping;         /* algorithmic damping ratio, as in a spectrum: physical plus numerical */
    double frequency_error; /* relative, as in a spectrum */
} ifd_stability_mode;

typedef struct ifd_root {
    double real, imag;
    int mode; /* index of the mode of a principal root; -1: spurious, or of a mode that the step does not resolve */
} ifd_root;

/* Roots are zero within 1e-6, and one within the effect of rounding. A run is stable if no root exceeds the unit
 * circle by more than this: 1e-9 for well-conditioned roots, up to 1e-6. */
typedef struct ifd_stability {
    int states;           /* order of the amplification matrix; if it is too large for all roots, their number here */
    const ifd_root *root; /* one per state, largest modulus first */
    double radius;
    bool stable;
    int ones; /* roots equal to one: constraint drift and rigid-body motion */
    int zeros;
    int rigid; /* roots equal to one due to rigid-body modes */
    /* Distinct roots of modulus above 1 - 1e-4 with fewer eigenvectors than their multiplicity, which cause growth as
     * a power of time. -1: too large for the check. */
    int defective;
    double spurious; /* largest modulus of spurious roots other than one; 0: none */
    int modes;       /* lowest first */
    const ifd_stability_mode *mode;
    double step, coarse;      /* between synchronisations; the largest step of a substructure, s */
    double omega;             /* lowest nonzero natural frequency (rad/s) times coarse; 0: none */
    bool linearised;          /* an element is nonlinear: the results are valid for small motion about rest */
    int reduced;              /* dofs before the reduction of substructures to joints and lowest modes; 0: not
                               * reduced */
    int relaxations;          /* nonzero real roots of the structure, slowest first */
    const double *relaxation; /* rates of decay, 1/s */
    double reduced_bound; /* reduction by superelements: largest error of a transfer function between the dofs that
                               * stay, of its peak; NAN: reduced to joints and lowest modes, or not reduced */
    double reduced_range; /* Hz: up to this frequency */
    bool bounded;         /* the case has a bounded Jacobian; the results are those of the exact one */
} ifd_stability;

/* The configured run without its loads, from rest. opt->end is not used. Specimens are part of the recurrence. Above
 * 4,000 states, substructures are reduced by superelements or, where this is not possible, to the dofs in joints and
 * elements and their lowest modes. */
IFD_API ifd_status ifd_stability_find(ifd_arena *arena, const ifd_run_options *opt, ifd_stability *out,
                                      ifd_note *note);

typedef struct ifd_stability_row {
    double value;       /* of the varied quantity */
    double step, omega; /* as in ifd_stability */
    double radius;
    bool stable;
    int ones, zeros;
    double spurious;
    double damping, frequency_error; /* of the lowest mode that oscillates; NAN if not resolved */
} ifd_stability_row;

/* what: "dt" the step between synchronisations (s); "omega" the lowest natural frequency times the coarse step; "ss"
 * the subcycles of the fine substructures; otherwise a parameter of the methods ("gamma", "rho"), set in every
 * substructure with that parameter. */
IFD_API ifd_status ifd_stability_sweep(const ifd_run_options *opt, const char *what, int count, const double *value,
                                       ifd_stability_row *rows, ifd_note *note);

typedef struct ifd_critical_step {
    bool found; /* false: stable at every examined step */
    /* Between synchronisations, s: the largest stable step below the first instability; if not found, the largest
     * examined. */
    double step;
    double omega;      /* lowest natural frequency times the coarse step there */
    double radius;     /* largest spectral radius found in the window above step */
    double smallest;   /* s: start of the search; already unstable there if found and step = 0 */
    int evaluations;   /* number of examined steps, of the full and the reduced model */
    double largest;    /* s: end of the search */
    double closes;     /* s: end of the first window of instability; 0: unstable to the end of the search */
    double resolution; /* factor between steps: narrower windows are not excluded */
    bool uniform;      /* uniform scan with this factor; otherwise adaptive */
    int open;          /* intervals of that width with stable ends that the criterion does not exclude */
    double current;    /* s: step of the case */
    double current_radius;
    bool current_stable;
    /* The widest interval of stable steps around the step of the case, s. *_found: the end is due to instability;
     * otherwise the search ended there. Zero if the step of the case is unstable. */
    double below, above;
    bool below_found, above_found;
    int states;  /* order of the amplification matrix */
    bool coarse; /* the full model is examined only at every factor of 1.15 */
    int reduced; /* states of the reduced model in the adaptive search; 0: none */
    double kept; /* Hz: highest frequency of the reduced model */
    int arnoldi; /* steps at which the full model is examined by Arnoldi's method; 0 for few states */
    int unsure;  /* of these, undecided: no convergence, and too many states for all roots */
    int dense;   /* of these, decided by all roots without convergence */
    /* At the most uncertain undecided step: the number of estimated roots as large as the largest within its
     * residual, their moduli, and that residual. */
    int unsure_roots;
    double unsure_from, unsure_to, unsure_doubt;
} ifd_critical_step;

typedef struct ifd_critical_options {
    double resolution; /* factor above 1: uniform scan; 0: adaptive search, windows of 0.2 % */
    double from, to;   /* s: range of steps; 0: 1/20 of the inverse of the highest frequency to 1000 times that of the
                        * lowest, extended to contain the step of the case */
} ifd_critical_options;

/* The first unstable step. The adaptive search compares the roots at both ends of an interval. It halves the interval
 * unless no root can have left the unit circle inside. This criterion is an estimate; docs/reference/stability.md
 * describes its gaps. Above 160 states it uses a model reduced to joints, elements and lowest modes, and examines the
 * full model at every factor of 1.15. Above 400 states it uses Arnoldi's method and, without convergence, all roots
 * up to 1500 states. options may be NULL. */
IFD_API ifd_status ifd_stability_critical(ifd_arena *arena, const ifd_run_options *opt,
                                          const ifd_critical_options *options, ifd_critical_step *out,
                                          ifd_note *note);

/* Errors are the largest over the common instants and the dofs, relative to the largest reference value of the same
 * kind. Angles and lengths are separate kinds; each element state has its own largest value. */
typedef struct ifd_converge_row {
    double h;                         /* s */
    double error_u, error_v, error_s; /* relative; error_s is 0 for a model without element states */
    double order_u, order_v, order_s; /* log2 of the previous error over this one; 0 in the first row */
    double error_l, order_l;          /* multipliers, over the second half of the run; 0 without joints */
} ifd_converge_row;

/* One substructure, or the joints: dofs in joints, and multipliers. */
typedef struct ifd_converge_part {
    const char *name; /* of the substructure; "joints" */
    const ifd_converge_row *row;
    double order_u, order_v, order_s, order_l;
} ifd_converge_part;

typedef struct ifd_convergence {
    int levels;
    const ifd_converge_row *row;
    double order_u, order_v, order_s;             /* least-squares fit over the levels that are used; 0 with fewer
                                                   * than two */
    double tolerance[2];                          /* of the two reference solutions; both 0 if exact */
    double agreement_u, agreement_v, agreement_s; /* relative difference of these two; errors of this size are not
                                                   * significant */
    double order_l;                               /* multipliers, fitted; 0 without joints */
    int parts;                                    /* 0 for a single model; otherwise substructures, then joints */
    const ifd_converge_part *part;
    /* The second opinion on the reference of a nonlinear model: Newmark's method, which has no events, with the step
     * opinion_h and with twice that step, extrapolated. 0: none (a linear model, or the method fails; then
     * confirmed is false). A level is used if its error exceeds ten times the difference of both opinions. */
    double opinion_h;                       /* s */
    double opinion_u, opinion_v, opinion_s; /* relative difference of the reference and the second opinion */
    double change_u; /* of the displacements of Newmark's method between its two steps, relative */
    double gap_u;    /* difference of the reference and Newmark's method with the step opinion_h, relative */
    bool confirmed;  /* the reference is exact, or Newmark's method approaches it */
    bool kinks;      /* of an element, or of a load inside a step */
    int used_u, used_v, used_s; /* levels */
} ifd_convergence;

/* What the observed order of a method of order `expected` means: nothing, a remark, a caution. Kinks permit an
 * order down to 1.5 without a remark, and down to 0.8 without a caution. A reference that is not confirmed is a
 * caution. */
typedef enum ifd_order_verdict { IFD_ORDER_FINE, IFD_ORDER_REMARK, IFD_ORDER_CAUTION } ifd_order_verdict;
IFD_API ifd_order_verdict ifd_convergence_judge(const ifd_convergence *c, int expected);

/* levels: 2 to 12. opt->step supplies the method and the coarsest step; for coupled substructures opt->couple does,
 * and row is the worst of them. A case with a specimen is refused. */
IFD_API ifd_status ifd_converge(ifd_arena *arena, const ifd_run_options *opt, int levels, ifd_convergence *out,
                                ifd_note *note);

/* The same; progress is called at every common instant of every run: number of the run, of `runs`, and the share of
 * the run that is done. The first runs are those of the reference, then each step is half of the one before. */
typedef struct ifd_converge_watch {
    void (*progress)(void *self, int run, int runs, double share);
    void *self;
} ifd_converge_watch;

IFD_API ifd_status ifd_converge_watched(ifd_arena *arena, const ifd_run_options *opt, int levels,
                                        const ifd_converge_watch *watch, ifd_convergence *out, ifd_note *note);

IFD_END_DECLS
#endif
