/* SPDX-License-Identifier: MIT */
/* Run: time integration of a model with schedule, optional specimens and record.
 *
 *     ifd_run *r;
 *     IFD_TRY(ifd_run_make(arena, &options, &r, note));
 *     ifd_arena_seal(arena);
 *     while (ifd_run_tick(r) == IFD_RUN_GOING)                     // IFD_RT
 *         if (ifd_run_fresh(r))
 *             keep(ifd_run_values(r));                              // one number per column
 *
 * A tick is one exchange with the specimen, or one step without a specimen:
 *     wait > sense > load > solve > shape > command > publish.
 * All state is one flat array; saving, restoring and probing copy it at the end of a step. */
#ifndef INTERFIELD_RUN_H
#define INTERFIELD_RUN_H

#include <interfield/column.h>
#include <interfield/couple.h>

IFD_BEGIN_DECLS

typedef struct ifd_run ifd_run;

/* Recorded quantities. IFD_RECORD_AUTO (0): all but the states of fibres for models up to 50 dofs. */
enum {
    IFD_RECORD_AUTO = 0,
    IFD_RECORD_DISPLACEMENT = 1,
    IFD_RECORD_VELOCITY = 2,     /* also absolute, with ground motion */
    IFD_RECORD_ACCELERATION = 4, /* relative to the ground, from equilibrium; also absolute, with ground motion */
    IFD_RECORD_ELEMENTS = 8,     /* deformation, force and states of every element; without those of fibres */
    IFD_RECORD_ENERGY = 16,
    IFD_RECORD_GROUND = 32, /* also the motion of supports */
    IFD_RECORD_JOINTS = 64, /* multipliers and gaps of coupled substructures */
    IFD_RECORD_DRIFT = 128,
    IFD_RECORD_BASE_SHEAR = 256, /* sum of the support forces in each direction with dofs */
    IFD_RECORD_MEMBERS = 512,    /* deformations and end forces of frame members */
    IFD_RECORD_STATES = 1024,    /* with elements: states of fibres too, hundreds for each element */
    IFD_RECORD_EVERYTHING = 2047,
    IFD_RECORD_SECTIONS = 2048, /* of members with fibres; asked for by name only, as the next */
    IFD_RECORD_FIBRES = 4096
};

/* A relative displacement for display: a storey drift, or the deformation of a spring or dashpot that is part of the
 * matrices. */
typedef struct ifd_storey_drift {
    struct ifd_storey_drift *next;
    const char *name;
    const char *from, *to; /* dofs by column name, or supports; NULL: the ground */
    int terms;             /* of a chord: this many names with their coefficients, instead of from and to; 0: none */
    const char **term;
    const double *coefficient;
    bool storey;               /* of a storey or a spring */
    bool folded;               /* part of the matrices: its force is recorded with the element forces */
    double stiffness, damping; /* N/m, N s/m, or rotational; of a folded spring or dashpot */
} ifd_storey_drift;

/* A frame with recorded members. */
typedef struct ifd_recorded_frame {
    struct ifd_recorded_frame *next;
    const char *part; /* substructure that contains the frame; NULL: the whole structure, also before a cut */
    const struct ifd_frame *frame;
    /* Only these members are recorded, with sections and fibres; with IFD_RECORD_ELEMENTS other members too, without
     * sections and fibres. NULL: all members. */
    const char *const *name;
    int names;
} ifd_recorded_frame;

/* A linear or rate-independent element outside the model: the run commands the displacement between two dofs and
 * receives its force without delay and noise. The step options contain its estimates. */
typedef struct ifd_specimen {
    const char *name;
    const ifd_element_ops *ops;
    const ifd_value *values;
    int part;      /* index of the substructure in couple; 0 without couple */
    int from, to;  /* dofs or IFD_GROUND; from may be IFD_SUPPORT(k): the deformation is relative to that support */
    double factor; /* number of equal devices that the specimen represents; 0 = 1 */
    const ifd_coordinate *row; /* of a chord: the deformation is this sum over dofs and supports, and `to` one of its
                                * dofs, from the ground; NULL: from and to */
    const double *origin; /* m, of a chord erected under constant loads: the deformation counts from here; NULL: 0 */
} ifd_specimen;

/* A structure that advances itself, such as coupled FMUs (fmu.h). Its memory is not part of the state of the run: the
 * run cannot be set back in time, and its energy is unknown. */
typedef struct ifd_external {
    int columns;
    const ifd_column *column;
    void *self;
    IFD_RT bool (*step)(void *self);                /* by the step of the run; false: permanent failure */
    IFD_RT bool (*values)(void *self, double *out); /* one per column */
    IFD_RT double (*gap)(const void *self);         /* m, largest gap at a joint so far */
    const char *(*why)(const void *self);
    bool (*diverged)(const void *self); /* whether the step failed by divergence; may be NULL */
    const char *caution;                /* remark for the reader of the result; NULL: none */
} ifd_external;

typedef struct ifd_external_options {
    const char *summary; /* for example "2 parts, FMUs" */
    const void *spec;    /* argument of open */
    /* Sets the state at t = 0. */
    ifd_status (*open)(ifd_arena *arena, const void *spec, ifd_external *out, ifd_note *note);
} ifd_external_options;

typedef struct ifd_run_options {
    const ifd_model *model;
    ifd_step_options step;
    double end;    /* s */
    int every;     /* record every n-th step; 0 means 1 */
    unsigned what; /* IFD_RECORD_... */
    int dofs;      /* number of recorded dofs; 0: all */
    const int *dof;
    int specimens;
    const ifd_specimen *specimen;
    /* Coupled substructures; NULL: one model. With substructures, model is the assembled structure for comparison,
     * modes and statics (may be NULL). step.h is then the step between synchronisations, and dofs numbers the dofs of
     * all substructures in sequence. */
    const ifd_couple_options *couple;
    bool preload; /* starts at the static equilibrium under the constant loads, with slow motion of the specimens */
    bool tared;   /* preload: some force is subtracted that a run cannot determine */
    const struct ifd_protocol *protocol;  /* prescribed motions of the specimens (characterise.h), whose forces do not
                                            * act on the model; NULL: the model moves them */
    const ifd_external_options *external; /* structure that advances itself, without model and couple; step.h and end
                                           * apply. Else NULL */
    const ifd_storey_drift *drift;        /* first recorded storey drift; NULL: none */
    const ifd_recorded_frame *frame;      /* first frame with recorded members; NULL: none */
} ifd_run_options;

typedef enum ifd_run_state { IFD_RUN_GOING, IFD_RUN_DONE, IFD_RUN_FAULT } ifd_run_state;

/* Faults of a run: name, sentence. */
#define IFD_FAULT_LIST(X)                                                                                            \
    X(NONE, "no fault")                                                                                              \
    X(DIVERGED,                                                                                                      \
      "a displacement or velocity is not finite or beyond 1e12, or the method generates most of the energy")         \
    X(SINGULAR, "the tangent matrix cannot be factorised")                                                           \
    X(ITERATIONS, "iterations of the method or passes of an element do not converge within their permitted number")  \
    X(SOLVER, "the reference integrator fails")                                                                      \
    X(LATE, "a substructure on a worker thread is not ready in time")                                                \
    X(SPECIMEN, "the specimen returns a force that is not finite")                                                   \
    X(PART, "a substructure that advances itself fails")                                                             \
    X(TANGENT, "bounded Jacobian: elements stiffened beyond the stability budget; raise tangent-cap or use exact")   \
    X(PRECISION, "factor in single precision: the residual exceeds 1e-5 of the largest load; use 'factor: double'")  \
    X(LENGTH, "a large chord or member is shorter than 0.05 of its length at rest")                                  \
    X(ROTATION, "a large member turns by 90 degrees in a step, or by 180 degrees against its direction at rest")     \
    X(WORK, "the reference solution exceeds its 2,000,000 evaluations in one step: use a shorter step, a tolerance " \
            "above 1e-10, or a method without events such as newmark")

typedef enum ifd_fault {
#define IFD_FAULT_ENUM(name, text) IFD_FAULT_##name,
    IFD_FAULT_LIST(IFD_FAULT_ENUM)
#undef IFD_FAULT_ENUM
        IFD_FAULT_COUNT
} ifd_fault;

/* Name and sentence of a fault. */
IFD_API const char *ifd_fault_name(ifd_fault fault);
IFD_API const char *ifd_fault_text(ifd_fault fault);

typedef struct ifd_fault_facts {
    ifd_fault fault;
    long step;
    double time;          /* s */
    int dof;              /* with the largest value, -1: none; numbered through all substructures */
    const char *dof_name; /* "x1", "tower.x1"; NULL: none */
    double value;
    const char *why; /* message of a structure that advances itself; else NULL */
} ifd_fault_facts;

/* Builds the run in the arena, at t = 0 with its first row of values. Data of the options must outlive the run. */
IFD_API ifd_status ifd_run_make(ifd_arena *arena, const ifd_run_options *opt, ifd_run **out, ifd_note *note);

/* One tick. No effect after IFD_RUN_DONE or IFD_RUN_FAULT. After a fault ITERATIONS the run continues. */
IFD_API IFD_RT ifd_run_state ifd_run_tick(ifd_run *r);
/* Whether the last tick published a row of values (true after make, for t = 0). */
IFD_API IFD_RT bool ifd_run_fresh(const ifd_run *r);
IFD_API IFD_RT const double *ifd_run_values(const ifd_run *r);

/* Name and unit of each published value. */
IFD_API const ifd_column *ifd_run_columns(const ifd_run *r, int *count);
IFD_API double ifd_run_time(const ifd_run *r); /* s, of the last complete step */
IFD_API long ifd_run_step(const ifd_run *r);
IFD_API long ifd_run_steps(const ifd_run *r); /* total number */
IFD_API ifd_fault_facts ifd_run_fault(const ifd_run *r);
/* Remark of the set-up for the reader of the result: unknown stability of a structure that advances itself; NULL:
 * none. Findings of the run itself: ifd_result_cautions. */
IFD_API const char *ifd_run_caution(const ifd_run *r);
/* Largest gaps at the joints so far: displacement (m), velocity, acceleration. Zero without substructures. */
IFD_API void ifd_run_gaps(const ifd_run *r, double out[3]);
/* State of coupling `rts` so far; false: another coupling or none. */
IFD_API bool ifd_run_rts(const ifd_run *r, ifd_rts_facts *out);
/* Ends the worker threads of coupled substructures, if any. */
IFD_API void ifd_run_close(ifd_run *r);

/* Rows of the state on which the next step depends (real and history), for probing. */
IFD_API const ifd_state_row *ifd_run_states(const ifd_run *r, int *count);
/* The complete state: count doubles. Copy it at the end of a step to save it; copy it back to restore it. */
IFD_API double *ifd_run_save_area(ifd_run *r, int *count);

/* Energy balance so far (J): input, kinetic, stored, dissipated, and the remainder, which is numerical. */
typedef struct ifd_energy {
    double input, kinetic, stored, dissipated, numerical;
    double specimens; /* work done on specimens */
    double joints;    /* work generated at joints: multipliers times the velocity gaps */
    double scale;     /* the largest of input, kinetic + stored, dissipated so far, for comparison with numerical */
    double start;     /* kinetic + stored at the start */
    double updates;   /* added by changes of the parameters of copies of a specimen (hybrid.h) */
} ifd_energy;
IFD_API ifd_energy ifd_run_energy(const ifd_run *r);

IFD_END_DECLS
#endif
