/* SPDX-License-Identifier: MIT */
/* Run: a model stepped tick by tick, with a schedule, a specimen where there is one, and a record.
 *
 *     ifd_run *r;
 *     IFD_TRY(ifd_run_make(arena, &options, &r, note));
 *     ifd_arena_seal(arena);
 *     while (ifd_run_tick(r) == IFD_RUN_GOING)                     // IFD_RT
 *         if (ifd_run_fresh(r))
 *             keep(ifd_run_values(r));                              // one number per column
 *
 * A tick is one exchange with the specimen (or one step when there is none):
 *     wait > sense > load > solve > shape > command > publish.
 * All state is one flat array; saving, restoring and probing a run is a copy of it at the end of a step. */
#ifndef INTERFIELD_RUN_H
#define INTERFIELD_RUN_H

#include <interfield/column.h>
#include <interfield/couple.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ifd_run ifd_run;

/* What a run records. Everything is on for models up to 50 dofs when left zero (IFD_RECORD_AUTO). */
enum {
    IFD_RECORD_AUTO = 0,
    IFD_RECORD_DISPLACEMENT = 1,
    IFD_RECORD_VELOCITY = 2,     /* also absolute when the ground moves */
    IFD_RECORD_ACCELERATION = 4, /* relative to the ground, by the balance of forces; also absolute when it moves */
    IFD_RECORD_ELEMENTS = 8,     /* deformation, force and states of every element */
    IFD_RECORD_ENERGY = 16,
    IFD_RECORD_GROUND = 32,
    IFD_RECORD_JOINTS = 64, /* multipliers and gaps of a structure cut into parts */
    IFD_RECORD_DRIFT = 128,
    IFD_RECORD_BASE_SHEAR = 256, /* sum of the forces through the supports, in every direction in which dofs move */
    IFD_RECORD_EVERYTHING = 511
};

/* A relative displacement that people look at: storey drifts, and deformations of springs and dashpots that have gone
 * into the matrices. */
typedef struct ifd_storey_drift {
    struct ifd_storey_drift *next;
    const char *name;
    const char *from, *to;     /* dofs as columns name them; from is NULL for the ground */
    bool storey;               /* of a storey or a spring: a drift */
    bool folded;               /* in the matrices: its force is recorded with those of elements */
    double stiffness, damping; /* N/m, N s/m, or of a rotation, of what is folded */
} ifd_storey_drift;

/* A linear or rate-independent element that stands outside the model: the run commands the displacement between two
 * dofs and reads back its force, ideally (no delay, no noise). The estimates of the step options go with it. */
typedef struct ifd_specimen {
    const char *name;
    const ifd_element_ops *ops;
    const ifd_value *values;
    int part;      /* of couple; 0 without */
    int from, to;  /* dofs or IFD_GROUND; from may be IFD_SUPPORT(k): the stretch is relative to that support */
    double factor; /* how many devices the tested one stands for; 0 = 1 */
} ifd_specimen;

/* A structure that steps itself, such as FMUs that are joined (fmu.h). Its memory is its own: nothing that goes back
 * in time may be asked of such a run, and nobody knows its energy. */
typedef struct ifd_external {
    int columns;
    const ifd_column *column;
    void *self;
    IFD_RT bool (*step)(void *self);                /* by the step of the run; false: it failed, for good */
    IFD_RT bool (*values)(void *self, double *out); /* one per column */
    IFD_RT double (*gap)(const void *self);         /* m, the largest at a joint so far */
    const char *(*why)(const void *self);
    bool (*diverged)(const void *self); /* step was false because of it; may be NULL */
    const char *caution;                /* what a reader of the result has to know; NULL: nothing */
} ifd_external;

typedef struct ifd_external_options {
    const char *summary; /* "2 parts, FMUs" */
    const void *spec;    /* what open is given */
    /* To its state at t = 0. */
    ifd_status (*open)(ifd_arena *arena, const void *spec, ifd_external *out, ifd_note *note);
} ifd_external_options;

typedef struct ifd_run_options {
    const ifd_model *model;
    ifd_step_options step;
    double end;    /* s */
    int every;     /* record each every-th step; 0 means 1 */
    unsigned what; /* IFD_RECORD_... */
    int dofs;      /* number of dofs to record, 0 = all */
    const int *dof;
    int specimens;
    const ifd_specimen *specimen;
    /* A structure cut into parts; NULL: model is stepped as one. With parts, model is the assembled whole (for
     * comparison, modes and statics; may be NULL), step.h is the step between synchronisations, and dofs counts dofs
     * of all parts, part after part. */
    const ifd_couple_options *couple;
    bool preload; /* begins at the static equilibrium under the constant loads, the specimens brought there slowly */
    bool tared;   /* preload: some force is taken off, which a run cannot know */
    const ifd_external_options *external; /* steps itself: no model, no couple; step.h and end hold. Else NULL */
    const ifd_storey_drift *drift;        /* the first that is recorded, NULL when there is none */
} ifd_run_options;

typedef enum ifd_run_state { IFD_RUN_GOING, IFD_RUN_DONE, IFD_RUN_FAULT } ifd_run_state;

/* The one list of faults: name, sentence. */
#define IFD_FAULT_LIST(X)                                                                                            \
    X(NONE, "no fault")                                                                                              \
    X(DIVERGED, "a displacement or velocity is not finite or beyond 1e12, or the method made most of the energy")    \
    X(SINGULAR, "the tangent matrix could not be factored")                                                          \
    X(ITERATIONS, "Newton iterations did not converge within their cap")                                             \
    X(SOLVER, "the reference integrator gave up")                                                                    \
    X(LATE, "a job beside the tick was not ready when it was due")                                                   \
    X(SPECIMEN, "the specimen returned a force that is not finite")                                                  \
    X(PART, "a part that steps itself failed")

typedef enum ifd_fault {
#define IFD_FAULT_ENUM(name, text) IFD_FAULT_##name,
    IFD_FAULT_LIST(IFD_FAULT_ENUM)
#undef IFD_FAULT_ENUM
        IFD_FAULT_COUNT
} ifd_fault;

/* The row of a fault: its name and its sentence. */
IFD_API const char *ifd_fault_name(ifd_fault fault);
IFD_API const char *ifd_fault_text(ifd_fault fault);

typedef struct ifd_fault_facts {
    ifd_fault fault;
    long step;
    double time;          /* s */
    int dof;              /* the worst one, -1 when none; with parts, counted through them */
    const char *dof_name; /* "x1", "tower.x1"; NULL when none */
    double value;
    const char *why; /* of a structure that steps itself: what it said of it; else NULL */
} ifd_fault_facts;

/* Builds the run in the arena, at t = 0 with its first row of values. What opt points to must outlive the run. */
IFD_API ifd_status ifd_run_make(ifd_arena *arena, const ifd_run_options *opt, ifd_run **out, ifd_note *note);

/* One tick. After IFD_RUN_DONE or IFD_RUN_FAULT it does nothing more. A fault ITERATIONS
 * is noted and the run goes on. */
IFD_API IFD_RT ifd_run_state ifd_run_tick(ifd_run *r);
/* Whether the last tick published a new row of values (the row of t = 0 is fresh right after make). */
IFD_API IFD_RT bool ifd_run_fresh(const ifd_run *r);
IFD_API IFD_RT const double *ifd_run_values(const ifd_run *r);

/* Name and unit of each of the values that a tick publishes. */
IFD_API const ifd_column *ifd_run_columns(const ifd_run *r, int *count);
IFD_API double ifd_run_time(const ifd_run *r); /* s, of the last whole step */
IFD_API long ifd_run_step(const ifd_run *r);
IFD_API long ifd_run_steps(const ifd_run *r); /* in all */
IFD_API ifd_fault_facts ifd_run_fault(const ifd_run *r);
/* What a reader of the result has to know: no promise of stability where the structure steps itself, much energy made
 * by the method elsewhere; NULL: nothing. */
IFD_API const char *ifd_run_caution(const ifd_run *r);
/* Largest gaps at the joints so far: displacement (m), velocity, acceleration. Zeros without parts. */
IFD_API void ifd_run_gaps(const ifd_run *r, double out[3]);
/* What is known about coupling `rts` so far; false when the run has another one or none. */
IFD_API bool ifd_run_rts(const ifd_run *r, ifd_rts_facts *out);
/* Ends the workers of a run with parts on several threads; nothing to do otherwise. */
IFD_API void ifd_run_close(ifd_run *r);

/* Rows of the state that the next step depends on (real and history), for probing. */
IFD_API const ifd_state_row *ifd_run_states(const ifd_run *r, int *count);
/* The whole state: count doubles. Copy it out at the end of a step to save, copy it back to restore. */
IFD_API double *ifd_run_save_area(ifd_run *r, int *count);

/* Energy balance so far (J): work put in, kinetic, stored, dissipated, and the rest,
 * which the method made or took. */
typedef struct ifd_energy {
    double input, kinetic, stored, dissipated, numerical;
    double specimens; /* work done on specimens */
    double joints;    /* work created where parts are joined: multipliers times the gap of velocities */
    double scale;     /* the largest of input, kinetic + stored, dissipated so far: what numerical is compared with */
} ifd_energy;
IFD_API ifd_energy ifd_run_energy(const ifd_run *r);

#ifdef __cplusplus
}
#endif
#endif
