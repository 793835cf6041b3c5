/* SPDX-License-Identifier: MIT */
/* Couplings: how several parts move together.
 *
 *     M_p u_p'' + R_p = P_p + G_p^T Lam     for every part p,    sum_p G_p u_p = 0 (or its derivatives) at the joints
 *
 * A part is a model with its own method and step; a joint row is a linear constraint between dofs of parts. Lam are
 * the forces in the joints. A coupling is a row of ifd_couplings[]; it says how Lam is found without iteration:
 *
 *     staggered   acceleration continuity, one coarse part and finer ones, LSRT1 or LSRT2 in each
 *     parallel    the same with the coarse parts one job that runs beside the fine ones (PLSRT2)
 *     pg-alpha    velocity continuity at the coarse instants, MG-alpha in each (free and link solutions)
 *     midpoint, gc, ph    what the papers compare themselves with
 *
 * One coupling knows no joints: `rts` imposes the motion of a dof of one part on a support of another and
 * extrapolates the reaction that comes back (ifd_rts_options). */
#ifndef INTERFIELD_COUPLE_H
#define INTERFIELD_COUPLE_H

#include <interfield/extrapolate.h>
#include <interfield/method.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One row: sum of coefficient * (displacement of dof of part) = 0. */
typedef struct ifd_joint_term {
    int part, dof;
    double coefficient;
} ifd_joint_term;

typedef struct ifd_joint {
    const char *name;
    int terms;
    const ifd_joint_term *term;
    ifd_place place; /* where it was written, for messages */
} ifd_joint;

typedef struct ifd_part_options {
    const char *name;
    const ifd_model *model;
    ifd_step_options step; /* method and parameters; the coupling sets h */
    int subcycles;         /* steps of this part per step of the coupling, 0 = 1 */
    bool coarse;           /* `parallel`: belongs to the coarse side, whose step is 4 steps of the coupling */
    bool measured;         /* a specimen on a rig adds to its forces; a hybrid test sets it (hybrid.h) */
    ifd_place place;       /* where it was written, for messages */
} ifd_part_options;

/* What keeps joints closed; the default is none, since both others cost stability (docs/coupling.md). Couplings that
 * match velocities take none or project. */
typedef enum ifd_constraint_drift {
    IFD_DRIFT_DEFAULT,
    IFD_DRIFT_NONE,
    IFD_DRIFT_FEEDBACK,
    IFD_DRIFT_PROJECT
} ifd_constraint_drift;

typedef struct ifd_coupling ifd_coupling;

/* As follower: a specimen on a rig, whose force is measured at the end of every step. */
enum { IFD_RTS_SPECIMEN = -1 };

/* `rts`: support `support` of part `follower` moves as dof `dof` of part `leader` does, and its reaction loads that
 * dof. A part may follow only parts listed before it; it may follow several and lead several. What the follower's
 * support was given as motion is not used. */
typedef struct ifd_rts_link {
    const char *name;
    int leader, dof;
    int follower, support;
    /* Mass (kg, or kg m2 for a rotation) that the leader carries besides its own and that is taken out of the force
     * that comes back: (M + m) a = ... - (f - m a), and f - m a is what is extrapolated. Near the follower's own
     * inertia it widens the limit of added mass. */
    double ghost;
    ifd_place place; /* where it was written, for messages */
} ifd_rts_link;

/* How the leader's motion reaches the follower during a step. */
typedef enum ifd_rts_exchange {
    IFD_RTS_MOTION,   /* u, u', u'' as one smooth motion */
    IFD_RTS_FORCE,    /* the force on the follower, interpolated through the last p values (the newest included) */
    IFD_RTS_EFFECTIVE /* the follower stands on a strong floor under the effective force of the
                       * acceleration; linear ones only */
} ifd_rts_exchange;

typedef struct ifd_rts_options {
    int links;
    const ifd_rts_link *link;
    ifd_extrapolate_options extrapolate; /* of the forces: p past values, q steps ahead */
    ifd_rts_exchange exchange;
    int start_steps;    /* of the iterative start; 0: p - 1, which is also the least */
    int start_grid;     /* sub-intervals of each of them; 0: 4 */
    int iterations;     /* at most, in each of them; 0: 50 */
    double tolerance;   /* change of the forces, beside the largest, at which they end; 0: 1e-11 */
    double duration[3]; /* s: to compute, to actuate, to measure; zeros when unknown */
} ifd_rts_options;

/* One step ahead by the cubic through the last four values. */
IFD_API void ifd_rts_options_defaults(ifd_rts_options *opt);

/* What is known about a run with this coupling. */
typedef struct ifd_rts_facts {
    int start_steps, most_iterations; /* of the iterative start, so far */
    long iterations;                  /* all of them */
    double added_mass_limit;          /* mu* of the extrapolator */
    double added_mass;                /* largest |mu| of a link at the initial state */
    double radius;                    /* of the extrapolating block with that mu: above 1 it feeds itself */
    double spare, spare_ahead;        /* h, and q h, less the durations (s): negative ones cannot be met */
} ifd_rts_facts;

typedef struct ifd_couple_options {
    const ifd_coupling *coupling;
    double h; /* step between synchronisations, s */
    int parts;
    const ifd_part_options *part;
    int joints;
    const ifd_joint *joint;
    ifd_constraint_drift drift;
    double drift_factor; /* c of the feedback, a = c / (coarse step); 0 = the preset, 0.1, with gamma minus 0.02 */
    int threads; /* 1: everything on the calling thread; 2: coarse side on a worker where the coupling allows it */
    bool project_start;         /* make incompatible initial conditions compatible instead of refusing them */
    ifd_place place;            /* where the coupling was written, for messages */
    const ifd_rts_options *rts; /* `rts` only */
} ifd_couple_options;

struct ifd__coupled;

struct ifd_coupling {
    const char *name, *title, *citation, *summary;
    int order;
    const char *methods; /* those its parts may have, "lsrt1|lsrt2" */
    bool comparison;     /* only there to be compared with */
    ifd_status (*make)(struct ifd__coupled *c, ifd_arena *arena, const ifd_couple_options *opt, ifd_note *note);
    IFD_RT void (*begin)(struct ifd__coupled *c, double t, double *x);
    IFD_RT void (*tick)(struct ifd__coupled *c, int k, double t, double *x);
    /* u, v (n each) of a measured part at which tick k wants its force; NULL: the coupling works with no specimen */
    IFD_RT void (*aim)(struct ifd__coupled *c, int k, const double *x, int part, double *u, double *v);
};

IFD_API extern const ifd_coupling *const ifd_couplings[];
IFD_API extern const int ifd_coupling_count;
IFD_API const ifd_coupling *ifd_coupling_find(const char *name);

#ifdef __cplusplus
}
#endif
#endif
