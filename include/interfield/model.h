/* SPDX-License-Identifier: MIT */
/* Models: equations of motion.
 *
 *     M u'' + C u' + K u + sum_e B_e r_e(B_e^T u, B_e^T u', s_e) = P(t),     s_e' = g_e
 *
 * A builder collects degrees of freedom, matrix entries, elements, loads and support motions by name or index. make
 * condenses massless dofs, checks everything and returns a constant model:
 *
 *     ifd_builder *b = ifd_builder_make(arena);
 *     int x1 = ifd_builder_dof(b, "x1", IFD_DOF_X);
 *     ifd_builder_add(b, IFD_MASS, x1, x1, 1.5);
 *     ifd_builder_spring(b, IFD_STIFFNESS, IFD_GROUND, x1, 4000);
 *     ifd_model *m;
 *     IFD_TRY(ifd_model_make(arena, b, &m, note));
 *
 * With ground acceleration, displacements are relative to the ground. The state of a run is a separate flat vector.
 * If memory runs out in a builder, ifd_model_make returns IFD_NO_MEMORY. */
#ifndef INTERFIELD_MODEL_H
#define INTERFIELD_MODEL_H

#include <interfield/arena.h>
#include <interfield/element.h>
#include <interfield/signal.h>
#include <interfield/superelement.h>

IFD_BEGIN_DECLS

typedef struct ifd_builder ifd_builder;
typedef struct ifd_model ifd_model;

/* Direction of a dof: determines its unit and whether ground motion excites it. */
typedef enum ifd_dof_kind {
    IFD_DOF_X, /* m, as Y and Z; excited by ground acceleration in that direction */
    IFD_DOF_Y,
    IFD_DOF_Z,
    IFD_DOF_RX, /* rad, as RY and RZ */
    IFD_DOF_RY,
    IFD_DOF_RZ,
    IFD_DOF_ANGLE,      /* rad, of a pendulum */
    IFD_DOF_DEFORMATION /* m, along a body: not excited by the ground */
} ifd_dof_kind;

typedef enum ifd_matrix_kind { IFD_MASS, IFD_DAMPING, IFD_STIFFNESS } ifd_matrix_kind;

/* References: a dof is its index >= 0; the ground is IFD_GROUND; support k is IFD_SUPPORT(k). */
#define IFD_GROUND (-1)
#define IFD_SUPPORT(k) (-2 - (k))

/* One coordinate of an element: sum of coefficient[i] * (dof, ground or support ref[i]). */
typedef struct ifd_coordinate {
    int count;
    const int *ref;
    const double *coefficient;
} ifd_coordinate;

typedef struct ifd_coordinates {
    int count;
    const ifd_coordinate *q;
} ifd_coordinates;

/* NULL: out of memory. */
IFD_API ifd_builder *ifd_builder_make(ifd_arena *arena);

/* New dof; returns its index, or -1 for a duplicate name. */
IFD_API int ifd_builder_dof(ifd_builder *b, const char *name, ifd_dof_kind kind);
/* New support with prescribed displacement (m); returns its reference IFD_SUPPORT(k), or IFD_GROUND for a duplicate
 * name. The derivatives of the signal are used. */
IFD_API int ifd_builder_support(ifd_builder *b, const char *name, const ifd_signal *displacement);
/* Reference of a dof, a support or "ground" by name; false: unknown. */
IFD_API bool ifd_builder_find(const ifd_builder *b, const char *name, int *ref);
IFD_API int ifd_builder_dofs(const ifd_builder *b);
IFD_API const char *ifd_builder_dof_name(const ifd_builder *b, int dof);

/* Adds value at (i, j) only: add both triangles. Entries of the ground are dropped. The row of a dof with the column
 * of a support becomes a load of the support motion. An entry between supports affects only their reactions. */
IFD_API void ifd_builder_add(ifd_builder *b, ifd_matrix_kind which, int i, int j, double value);
/* Linear spring, dashpot or inerter of the given value between two references. */
IFD_API void ifd_builder_spring(ifd_builder *b, ifd_matrix_kind which, int from, int to, double value);
/* C += alpha M + beta K, of the linear matrices at make. */
IFD_API void ifd_builder_rayleigh(ifd_builder *b, double alpha, double beta);
/* C += damping ratios zeta[0..count) of the lowest modes (with rest, the last one for all higher modes). Above 1,000
 * dofs, and in a superelement, 100 modes have their ratios, or as many as ifd_builder_modal_count names; with rest
 * the damping of higher modes is proportional to the stiffness. */
IFD_API void ifd_builder_modal(ifd_builder *b, int count, const double *zeta, bool rest);
IFD_API void ifd_builder_modal_count(ifd_builder *b, int count);

/* Adds an element; values as checked by ifd_param_check. Linear elements are assembled into the matrices. */
IFD_API ifd_status ifd_builder_element(ifd_builder *b, const ifd_element_ops *ops, const char *name,
                                       const ifd_coordinates *of, const ifd_value *values, ifd_note *note);

/* Ground acceleration (m/s2) in direction IFD_DOF_X, _Y or _Z. At most one per direction; a later one replaces it. */
IFD_API void ifd_builder_ground(ifd_builder *b, ifd_dof_kind direction, const ifd_signal *acceleration);
/* Force (N or N m) on a dof. */
IFD_API void ifd_builder_force(ifd_builder *b, int dof, const ifd_signal *force);
IFD_API void ifd_builder_initial(ifd_builder *b, int dof, double displacement, double velocity);

/* A constraint: the displacement of the slave is the sum of coefficient[i] times that of dof ref[i] (which may
 * itself be a slave). Displacements are relative to the ground. The slave has no equation of motion; its name stays
 * valid for entries, elements and forces. Ties are eliminated before anything else: M := T^T M T with u = T z.
 * Errors of ifd_model_make: IFD_CONFLICT for a slave of two ties, a cycle, or a slave with an initial state. */
typedef struct ifd_tie {
    const char *name; /* for messages; NULL: that of the slave */
    int slave;
    ifd_coordinate of; /* dofs only */
    ifd_place place;   /* in the case file, for messages */
} ifd_tie;
IFD_API void ifd_builder_tie(ifd_builder *b, const ifd_tie *tie);

/* Guyan condensation: only these dofs remain. */
IFD_API void ifd_builder_keep(ifd_builder *b, int count, const int *dof);

/* Superelement: a large linear structure becomes a model of few dofs, the interface dofs as they are and modal dofs
 * "mode1", "mode2", ... Couplings attach to interface dofs. Dofs that elements or dashpots act on are interface dofs
 * too. Watched and loaded dofs have displacements, as condensed dofs have; the others are not available. */
typedef struct ifd_reduction {
    double frequency; /* Hz: the reduced model is accurate from 0 to this frequency; 50 */
    double tolerance; /* largest error bound, of the peak of a transfer function; 1e-3 */
    double shift;     /* Hz, of the Krylov space; 0: chosen */
    int order;        /* dofs of the reduced model; 0: as few as meet the tolerance */
    int most;         /* largest order; 2000 */
    int interfaces, watched;
    const int *interface, *watch;   /* dofs */
    const ifd_superelement *stored; /* used instead of a new one; must be of this structure; NULL: none */
} ifd_reduction;

/* Error bound of a reduced model: up to `frequency`, the error of every transfer function from an interface dof, the
 * ground or a load to an interface dof or a watched dof is at most `bound` times the peak of its row. */
typedef struct ifd_reduced {
    int full, order, interfaces; /* dofs of the full model, of the reduced one, interface dofs among them */
    double frequency, tolerance; /* as given */
    double bound, at;            /* Hz: frequency of the largest bound */
    double shift;                /* Hz */
    bool alone;                  /* from a file, without a full model */
    unsigned long long hash;     /* of the full mass, damping and stiffness matrices */
} ifd_reduced;

IFD_API void ifd_reduction_defaults(ifd_reduction *how);
/* The model is reduced when it is made. It needs supports that hold it and Rayleigh damping. */
IFD_API void ifd_builder_reduce(ifd_builder *b, const ifd_reduction *how);
/* NULL: not reduced. */
IFD_API const ifd_reduced *ifd_model_reduced(const ifd_model *m);

/* What a reduced model was made from (interfield/superelement.h). NULL: not reduced. */
IFD_API const ifd_superelement *ifd_model_superelement(const ifd_model *m);
/* The builder gets the interface dofs and the watched dofs of a superelement and no other structure. Springs, masses,
 * elements and couplings may be added at the interface dofs. */
IFD_API void ifd_builder_superelement(ifd_builder *b, const ifd_superelement *s);

/* Makes the model. Massless dofs without damping are condensed; those with dashpots become first-order states; those
 * without stiffness and damping are refused. Remarks of the note list them. Errors: IFD_NOT_SYMMETRIC (beyond 500
 * dofs), IFD_NOT_POSITIVE (mass), IFD_MASSLESS, IFD_SINGULAR, IFD_TOO_LARGE, IFD_RANGE. */
IFD_API ifd_status ifd_model_make(ifd_arena *arena, ifd_builder *b, ifd_model **out, ifd_note *note);

/* Counts. */
IFD_API int ifd_model_dofs(const ifd_model *m);
IFD_API int ifd_model_states(const ifd_model *m); /* element states, in total */
IFD_API int ifd_model_elements(const ifd_model *m);
IFD_API int ifd_model_first_order(const ifd_model *m); /* elements that represent first-order states of massless
                                                        * dofs */
IFD_API const ifd_element *ifd_model_element(const ifd_model *m, int e);
IFD_API const char *ifd_model_dof_name(const ifd_model *m, int dof);
IFD_API ifd_dof_kind ifd_model_dof_kind(const ifd_model *m, int dof);
IFD_API int ifd_model_find_dof(const ifd_model *m, const char *name); /* -1: unknown or condensed */
/* Whether a dof of that name is condensed or a first-order state, without a row in the equations of motion. */
IFD_API bool ifd_model_condensed(const ifd_model *m, const char *name);
/* Displacement of a dof by name, also of a condensed one or of the slave of a tie, from those of the dofs (u) with
 * supports and loads at rest. False: unknown. */
IFD_API bool ifd_model_displacement(const ifd_model *m, const char *name, const double *u, double *out);
IFD_API bool ifd_model_linear(const ifd_model *m);

/* Natural modes of the tangent stiffness at rest, lowest first: LAPACK; above 1,000 dofs ARPACK, with a proof
 * that none is missing. More than a quarter of the modes need full matrices (IFD_NO_MEMORY). frequency in Hz, shape:
 * count columns of n, mass-normalised; participation and effective mass for ground motion along direction. Any output
 * may be NULL. */
typedef struct ifd_modes {
    int count, n;
    const double *frequency, *shape, *participation, *effective_mass;
    double total_mass;
} ifd_modes; /* first-order states are at rest; for damped motion with them see ifd_model_roots in analysis.h */
IFD_API ifd_status ifd_model_modes(const ifd_model *m, ifd_dof_kind direction, int count, ifd_arena *arena,
                                   ifd_modes *out, ifd_note *note);

/* Members of frames with sections of fibres, and what their two responses in a step of LSRT2 cost: evaluations of
 * fibres, and the duration (s) on this machine, measured for 5 ms for each section in turn. False: there are none. */
typedef struct ifd_fibre_cost {
    int members, coordinates; /* coordinates: 3 of each in the plane, 5 in space */
    double evaluations, duration;
} ifd_fibre_cost;
IFD_API bool ifd_model_fibre_cost(const ifd_model *m, ifd_fibre_cost *out);

/* Static equilibrium under the loads at time t (Newton iteration; states relax to g = 0 if possible). u: n. */
IFD_API ifd_status ifd_model_static(const ifd_model *m, double t, ifd_arena *arena, double *u, ifd_note *note);

IFD_END_DECLS
#endif
