/* SPDX-License-Identifier: MIT */
/* Couplings: how several parts move together.
 *
 *     M_p u_p'' + R_p = P_p + G_p^T Lam     for every part p,          sum_p G_p u_p = 0  (or its derivatives) at the joints
 *
 * A part is a model with its own method and step; a joint row is a linear constraint between dofs of parts. Lam are the
 * forces in the joints. A coupling is a row of ifd_couplings[]; it says how Lam is found without iteration:
 *
 *     staggered   acceleration continuity, one coarse part and finer ones, LSRT1 or LSRT2 in each
 *     parallel    the same with the coarse parts one job that runs beside the fine ones (PLSRT2)
 *     pg-alpha    velocity continuity at the coarse instants, MG-alpha in each (free and link solutions)
 *     midpoint, gc, ph    what the papers compare themselves with */
#ifndef INTERFIELD_COUPLE_H
#define INTERFIELD_COUPLE_H

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
    ifd_place place;       /* where it was written, for messages */
} ifd_part_options;

typedef enum ifd_drift { IFD_DRIFT_DEFAULT, IFD_DRIFT_NONE, IFD_DRIFT_BAUMGARTE, IFD_DRIFT_PROJECT } ifd_drift;

typedef struct ifd_coupling ifd_coupling;

typedef struct ifd_couple_options {
    const ifd_coupling *coupling;
    double h; /* step between synchronisations, s */
    int parts;
    const ifd_part_options *part;
    int joints;
    const ifd_joint *joint;
    ifd_drift drift;
    double drift_factor; /* Baumgarte's c, a = c / (coarse step); 0 = the preset */
    int threads;         /* 1: everything on the calling thread; 2: coarse side on a worker where the coupling allows it */
    bool project_start;  /* make incompatible initial conditions compatible instead of refusing them */
    ifd_place place;     /* where the coupling was written, for messages */
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
    void (*close)(struct ifd__coupled *c); /* ends workers; may be NULL */
};

IFD_API extern const ifd_coupling *const ifd_couplings[];
IFD_API extern const int ifd_coupling_count;
IFD_API const ifd_coupling *ifd_coupling_find(const char *name);

#ifdef __cplusplus
}
#endif
#endif
