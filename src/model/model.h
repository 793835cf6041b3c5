/* SPDX-License-Identifier: MIT */
/* Internal data of a model, arranged for the tick path, and its evaluations.
 *
 * The coordinates of all elements are concatenated to q[nq], their states to s[ns]. B is the n x nq matrix that maps
 * coordinates to dofs, stored by coordinate. The mass matrix M contains the linear mass plus, for inertial elements,
 * a constant base m0 that makes it positive definite; the methods correct for the rest, m(q) - m0
 * (method/tangent.h). */
#pragma once

#include <interfield/model.h>

#include "algebra/solver.h"
#include "algebra/sparse.h"

/* From this value on: condensed dofs, counted over the substructures, in a list of dofs to record. */
enum { IFD__RECORD_GONE = 1 << 24 };
enum { IFD__INERTIAL_COORDINATES = 8 }; /* limit for one inertial element: its mass is on the stack */

/* One force signal; a force on a condensed dof acts on several dofs. */
typedef struct ifd__load {
    const ifd_signal *signal;
    int count;
    const int *dof;
    const double *value;
    double past[3]; /* per unit, along x, y, z: its part of the support forces that no dof contains; 0 unless it acts
                     * on a condensed dof or a fixed direction */
    bool weight;    /* the model starts in equilibrium under it (model/equilibrium/gravity_state.h) */
} ifd__load;

typedef struct ifd__ground {
    const ifd_signal *signal; /* acceleration, NULL without ground motion */
    const double *p;          /* n: load per unit acceleration, -M_lin iota */
    const double *q;          /* nq: acceleration of the coordinates per unit acceleration, B^T iota */
    const double *ps;         /* nsupport: the same load on supports that move with the ground; NULL: none */
    const double *along;      /* n: iota in the coordinates of a reduced model; NULL: 1 on dofs of this direction */
    double mass;              /* iota^T M_lin iota, before condensation */
    bool held;                /* ties hold the structure along it: the base shear is no sum over dofs */
} ifd__ground;

struct ifd_model {
    int n, nq, ns, ne;
    const char *const *dof_name;
    const ifd_dof_kind *dof_kind;
    ifd_sparse M, C, K;  /* C without the Rayleigh part */
    double ray_m, ray_k; /* total damping: C + ray_m M + ray_k K; an inertial model has alpha M_lin in C, ray_m = 0 */
    bool damped;         /* C has entries */
    bool symmetric;      /* M, C, K all are */
    bool inertial;       /* some element has m(q) */
    const bool *massless;   /* n: dofs without mass that remain (model/equilibrium/massless.h); NULL: none */
    struct ifd__mass *mass; /* factor of M (ifd__model_mass) */
    const ifd_element *element;
    const ifd_value *const *values; /* parameters of each element; NULL if the model was derived from others */
    const int *q_of, *s_of;         /* ne + 1 offsets into q, s */
    const int *b_start;             /* nq + 1 */
    const int *b_dof;
    const double *b_value;
    int nsupport;
    const ifd_signal *const *support;
    const char *const *support_name; /* NULL when the model was derived from others */
    const double *Ms, *Cs, *Ks;      /* n x nsupport, columns: forces of unit support a, v, u */
    const double *Cr;                /* n x nsupport: contribution of model/relative.h to Cs; NULL: none */
    const double *Mss, *Css, *Kss;   /* nsupport x nsupport: block of the supports, for their reactions */
    const int *bs_start;             /* nq + 1: contribution of supports to the coordinates */
    const int *bs_support;
    const double *bs_value;
    ifd__ground ground[3];
    int nload;
    const ifd__load *load;
    const double *u0, *v0, *s0; /* initial state */
    bool settled;               /* it is a gravity state (equilibrium/gravity_state.h) */
    const double *origin;    /* nq: coordinates count from here; NULL: from 0. NAN: from a gravity state that is not
                                 * yet known, and the element exerts no force */
    const double *m0;        /* base mass of inertial elements, blocks nq_e x nq_e at mm_of[e] */
    const int *mm_of;        /* ne + 1 offsets of nq_e^2 blocks */
    const char *const *gone; /* names of condensed dofs */
    int ngone;
    /* Displacement of condensed dof i: sum of gone_value[k] u[gone_dof[k]], k from gone_start[i] to gone_start[i +
     * 1]. A gone_dof of n + j is support j, one of n + nsupport + j the first-order state j
     * (model/equilibrium/relax.h), one of n + nsupport + relaxing + l the deformation of the springs of condensed
     * dofs by load l. */
    const int *gone_start, *gone_dof;
    const double *gone_value;
    const ifd_dof_kind *gone_kind;
    const bool *gone_tied;      /* slaves of ties */
    const ifd_reduced *reduced; /* NULL if the model is not reduced */
    const ifd_superelement *superelement;
    const struct ifd__gravity *gravity; /* work of gravity (gravity.h); NULL: none */
    int first_state, relaxing;          /* first-order states among those of the elements, and their number */
};

/* ifd_model_make with a given arena for temporaries (so that a test can make it fail). */
ifd_status ifd__model_make(ifd_arena *arena, ifd_arena *scratch, ifd_builder *b, ifd_model **out, ifd_note *note);

/* P(t) of all loads, supports and the ground on the linear part; and with n additional forces, or NULL. */
IFD_RT void ifd__model_load(const ifd_model *m, double t, double *P);
IFD_RT void ifd__model_load_with(const ifd_model *m, double t, const double *load, double *P);

/* y += alpha (K u + C v), C with Rayleigh damping. */
IFD_RT void ifd__model_linear(const ifd_model *m, double alpha, const double *u, const double *v, double *w,
                              double *y);

/* q = B^T u - origin (+ supports at t), and B^T alone. */
IFD_RT void ifd__model_coordinates(const ifd_model *m, double t, const double *u, const double *v, double *q,
                                   double *qd);
/* Adds the contribution of supports at t, and the origin, to coordinates computed from dofs alone. */
IFD_RT void ifd__model_add_supports(const ifd_model *m, double t, double *q, double *qd);
IFD_RT void ifd__model_gather(const ifd_model *m, const double *x, double *q);
/* y += alpha B r */
IFD_RT void ifd__model_scatter(const ifd_model *m, double alpha, const double *r, double *y);

/* Accelerations of the coordinates due to the ground and the supports at t: out nq. */
IFD_RT void ifd__model_ground_q(const ifd_model *m, double t, double *out);

/* r (nq) and g (ns) of all elements at t, with q, qd, s of all; r includes m(q) times the acceleration above. */
IFD_RT void ifd__model_forces(const ifd_model *m, const ifd_element_in *in, double *r, double *g);

/* State of a model: u, v (n), s (ns). A tangent reads a (n) if the model is inertial. dq (nq, motion of the
 * coordinates since the start of the step, s being the states at that start) selects the exact update of
 * rate-independent elements; otherwise NULL. */
typedef struct ifd__point {
    double t;
    const double *u, *v, *s, *a, *dq;
} ifd__point;

/* F = P(t) - R(u, v, s) and g; w: ifd__model_work(m) doubles. */
IFD_RT void ifd__model_balance(const ifd_model *m, const ifd__point *p, double *F, double *g, double *w);
size_t ifd__model_work(const ifd_model *m);

/* Energies at a state: kinetic, stored (J), dissipated power and input power (W). */
typedef struct ifd__energy {
    double kinetic, stored, dissipated, input;
} ifd__energy;
/* Matrices of the quadratic forms v M v, v C v (C with Rayleigh damping) and u K u: one half of each pair of entries
 * doubled, the other left out. */
typedef struct ifd__forms {
    ifd_sparse M, C, K;
    bool damped; /* C is not zero */
} ifd__forms;
ifd_status ifd__forms_make(ifd_arena *arena, const ifd_model *m, ifd__forms *out);

/* w: ifd__model_work(m) doubles. */
IFD_RT void ifd__model_energy(const ifd_model *m, const ifd__forms *forms, const ifd__point *p, ifd__energy *out,
                              double *w);

/* Displacement of condensed dof i; true if it depends on a first-order state; true if it is recorded, for this reason
 * or as the slave of a tie. */
IFD_RT double ifd__model_gone(const ifd_model *m, int i, double t, const double *u, const double *s);
bool ifd__model_gone_moves(const ifd_model *m, int i);
bool ifd__model_gone_recorded(const ifd_model *m, int i);
/* True for the slave of a tie that depends on dofs only; then: its displacement, velocity or acceleration from x
 * (n) of the dofs. */
bool ifd__model_gone_follows(const ifd_model *m, int i);
IFD_RT double ifd__model_gone_sum(const ifd_model *m, int i, const double *x);

/* q := coordinates of the elements at the start, without supports. */
void ifd__model_start(const ifd_model *m, double *q);

/* y := u, v, s at the start. */
IFD_RT void ifd__model_initial(const ifd_model *m, double *y);

/* Materials that remember reversals (accept of ifd_element_ops): true if there are any; true if a state belongs to
 * one; acceptance of the step that ended at t with u and v (w: 2 nq doubles); s := their memory in `from`, as of the
 * last accepted step. */
bool ifd__model_accepts(const ifd_model *m);
bool ifd__model_remembers(const ifd_model *m, int state);
IFD_RT void ifd__model_accept(const ifd_model *m, double t, const double *u, const double *v, double *s, double *w);
IFD_RT void ifd__model_recall(const ifd_model *m, const double *from, double *s);

/* Limits the states of every element after a step; rate and pseudo may be NULL. */
IFD_RT void ifd__model_settle(const ifd_model *m, double *s, double *rate, double *pseudo);

/* The factor of M, made when it is first asked for and then kept with the model; with ones for dofs without mass.
 * arena: for a model without a place for it. Set-up only. */
ifd_status ifd__model_mass(ifd_arena *arena, const ifd_model *m, const ifd_solver **out, ifd_note *note);

/* Prepares the factor of M in arena, without making it. */
ifd_status ifd__model_mass_later(ifd_arena *arena, ifd_model *m);
