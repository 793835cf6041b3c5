/* SPDX-License-Identifier: MIT */
/* Couplings: common motion of several substructures.
 *
 *     M_p u_p'' + R_p = P_p + G_p^T Lam     for every substructure p
 *     sum_p G_p u_p = 0 (or its derivatives) at the joints
 *
 * A substructure is a model with a method and a step; a joint row is a linear constraint between dofs of
 * substructures. Lam are the joint forces. A coupling is a row of ifd_couplings[]; it computes Lam without iteration:
 *
 *     staggered   acceleration continuity, one coarse substructure and finer ones, LSRT1 or LSRT2 in each
 *     parallel    the same, with the coarse substructures as one job in parallel to the fine ones (PLSRT2)
 *     pg-alpha    velocity continuity at the coarse instants, MG-alpha in each (free and link solutions)
 *     midpoint, gc, ph    published methods for comparison
 *
 * Coupling `rts` has no joints: it imposes the motion of a dof of one substructure on a support of another and
 * extrapolates the reaction (ifd_rts_options). */
#ifndef INTERFIELD_COUPLE_H
#define INTERFIELD_COUPLE_H

#include <interfield/extrapolate.h>
#include <interfield/method.h>

IFD_BEGIN_DECLS

/* One row: sum of coefficient * (displacement of dof of substructure) = 0. */
typedef struct ifd_joint_term {
    int part, dof;
    double coefficient;
} ifd_joint_term;

typedef struct ifd_joint {
    const char *name;
    int terms;
    const ifd_joint_term *term;
    ifd_place place; /* in the case file, for messages */
} ifd_joint;

typedef struct ifd_part_options {
    const char *name;
    const ifd_model *model;
    ifd_step_options step; /* method and parameters; the coupling sets h */
    int subcycles;         /* steps of this substructure per step of the coupling, 0 = 1 */
    bool coarse;           /* `parallel`: on the coarse side, with a step of 4 steps of the coupling */
    bool measured;         /* a specimen on a rig adds to its forces; set by a hybrid test (hybrid.h) */
    ifd_place place;       /* in the case file, for messages */
} ifd_part_options;

/* Stabilisation of joints; the default is none, as both others reduce stability (docs/guide/coupling.md). Couplings
 * with velocity continuity permit none or project. */
typedef enum ifd_constraint_drift {
    IFD_DRIFT_DEFAULT,
    IFD_DRIFT_NONE,
    IFD_DRIFT_FEEDBACK,
    IFD_DRIFT_PROJECT
} ifd_constraint_drift;

typedef struct ifd_coupling ifd_coupling;

/* As follower: a specimen on a rig; its force is measured at the end of every step. */
enum { IFD_RTS_SPECIMEN = -1 };

/* `rts`: support `support` of substructure `follower` moves with dof `dof` of substructure `leader`, and its reaction
 * loads that dof. A substructure may follow only substructures listed before it, and may follow and lead several. The
 * prescribed motion of that support in the model of the follower is not used. */
typedef struct ifd_rts_link {
    const char *name;
    int leader, dof;
    int follower, support;
    /* Additional mass of the leader (kg, or kg m2 for a rotation), subtracted from the returned force: (M + m) a =
     * ... - (f - m a), and f - m a is extrapolated. A value near the inertia of the follower increases the added-mass
     * limit. */
    double ghost;
    ifd_place place;           /* in the case file, for messages */
    const ifd_coordinate *row; /* over dofs of the leader instead of dof, where both are assembled; NULL: dof */
} ifd_rts_link;

/* Transfer of the motion of the leader to the follower during a step. */
typedef enum ifd_rts_exchange {
    IFD_RTS_MOTION,   /* u, u', u'' as one smooth motion */
    IFD_RTS_FORCE,    /* the force on the follower, interpolated through the last p values, including the newest */
    IFD_RTS_EFFECTIVE /* the follower has a fixed base and the effective force of the acceleration; linear followers
                       * only */
} ifd_rts_exchange;

enum { IFD_RTS_HALVINGS = 10, IFD_RTS_VARIABLE_DEGREE = 7 };

typedef struct ifd_rts_options {
    int links;
    const ifd_rts_link *link;
    ifd_extrapolate_options extrapolate; /* of the forces: p past values, q steps ahead */
    ifd_rts_exchange exchange;
    int start_steps;    /* of the iterative start; 0: p - 1, which is also the minimum */
    int start_grid;     /* sub-intervals of each of them; 0: 4 */
    int iterations;     /* maximum for each of them; 0: 50 */
    double tolerance;   /* change of the forces, relative to the largest, at which the iteration ends; 0: 1e-11 */
    double duration[3]; /* s: computation, actuation, measurement; zero if unknown */
    bool rehearsed;     /* with specimens: the iterative start moves them; otherwise a test has none */
    /* Variable step: after the start a step is solved in blocks of q steps, of the length of the step, or of that
     * length halved up to `halvings` times (1 to IFD_RTS_HALVINGS; 0: 6). A block is repeated with half the length
     * while the error of its extrapolated forces exceeds `variable` times the largest force of the link so far. It
     * needs lagrange with a degree up to IFD_RTS_VARIABLE_DEGREE, and no specimen. 0: uniform steps. */
    double variable;
    int halvings;
} ifd_rts_options;

/* One step ahead by the cubic polynomial through the last four values. */
IFD_API void ifd_rts_options_defaults(ifd_rts_options *opt);

/* Properties of a run with this coupling. */
typedef struct ifd_rts_facts {
    int start_steps, most_iterations; /* of the iterative start, so far */
    long iterations;                  /* total */
    double added_mass_limit;          /* mu* of the extrapolator */
    double added_mass;                /* largest |mu| of a link at the initial state */
    double radius;                    /* spectral radius of the extrapolation with that mu: unstable above 1 */
    double spare, spare_ahead;        /* h, and q h, minus the durations (s): negative values cannot be met */
    /* With a variable step: blocks so far, rejected attempts, blocks whose error exceeds the tolerance at the
     * shortest length, and the shortest step (s). */
    long blocks, rejected, exceeded;
    double shortest;
} ifd_rts_facts;

/* Several processes that make the same run at the same time, each of which steps its own substructures. Rank 0
 * records. The functions are collective; each returns false if a process does not answer. counts: numbers of each
 * rank, in the order of the ranks. */
typedef struct ifd_ranks {
    int rank, ranks;
    void *self;
    /* values holds the numbers of all ranks; on entry only the own ones are set, on return all. */
    bool (*share)(void *self, const int *counts, double *values);
    /* The same, but only rank 0 receives those of the others. */
    bool (*gather)(void *self, const int *counts, double *values);
    /* share among some ranks: only those with member[rank] call it. counts and values are those of all ranks. */
    bool (*among)(void *self, const bool *member, const int *counts, double *values);
    bool whole; /* rank 0 receives the complete state of every substructure at the end of a step; otherwise */
    int dofs;   /* displacement and velocity of these dofs, numbered through all substructures */
    const int *dof;
} ifd_ranks;

typedef struct ifd_couple_options {
    const ifd_coupling *coupling;
    double h; /* step between synchronisations, s */
    int parts;
    const ifd_part_options *part;
    int joints;
    const ifd_joint *joint;
    ifd_constraint_drift drift;
    double drift_factor; /* c of the feedback, a = c / (coarse step); 0 = preset 0.1, with gamma minus 0.02 */
    int threads;         /* 1: all on the calling thread; parallel: 2, coarse side on a worker; pg-alpha: up to 8 */
    bool project_start;  /* correct incompatible initial conditions instead of refusing them */
    ifd_place place;     /* of the coupling in the case file, for messages */
    const ifd_rts_options *rts; /* `rts` only */
    const ifd_ranks *ranks;     /* `pg-alpha`, `parallel`: substructures in several processes; NULL: all here */
} ifd_couple_options;

struct ifd__coupled;

struct ifd_coupling {
    const char *name, *title, *citation, *summary;
    int order;
    const char *methods; /* permitted methods of substructures, "lsrt1|lsrt2" */
    bool comparison;     /* for comparison only */
    ifd_status (*make)(struct ifd__coupled *c, ifd_arena *arena, const ifd_couple_options *opt, ifd_note *note);
    IFD_RT void (*begin)(struct ifd__coupled *c, double t, double *x);
    IFD_RT void (*tick)(struct ifd__coupled *c, int k, double t, double *x);
    /* u, v (n each) of a measured substructure at which tick k needs its force; NULL: the coupling does not support
     * specimens */
    IFD_RT void (*aim)(struct ifd__coupled *c, int k, const double *x, int part, double *u, double *v);
};

IFD_API extern const ifd_coupling *const ifd_couplings[];
IFD_API extern const int ifd_coupling_count;
IFD_API const ifd_coupling *ifd_coupling_find(const char *name);

IFD_END_DECLS
#endif
