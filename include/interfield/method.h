/* SPDX-License-Identifier: MIT */
/* Methods: time integration of one model.
 *
 *     M u'' + R(u, u', s) = P(t) + load,   s' = g(u, u', s)
 *
 * A method is a row of ifd_methods[]; a stepper is a method with one model and one step size. It advances by stages,
 * because a measured force can be needed within a step:
 *
 *     ifd_step_options opt;
 *     ifd_step_options_defaults(ifd_method_find("lsrt2"), 1e-3, &opt);
 *     ifd_stepper *s;
 *     IFD_TRY(ifd_stepper_make(arena, &opt, model, &s, note));
 *     double *x = ifd_arena_array(arena, ifd_stepper_size(s), sizeof *x);
 *     ifd_stepper_start(s, 0.0, NULL, x);
 *     for (long k = 0; k < steps; k++)
 *         for (int i = 0; i < ifd_stepper_stages(s); i++)
 *             ifd_stepper_stage(s, i, h * k, load[i], x);          // IFD_RT
 *
 * All state is in x (layout: ifd_stepper_states): u, v, s first, then the history of the method. The stepper holds
 * only constants and scratch memory; between complete steps x is the complete state. */
#ifndef INTERFIELD_METHOD_H
#define INTERFIELD_METHOD_H

#include <interfield/model.h>

IFD_BEGIN_DECLS

typedef struct ifd_stepper ifd_stepper;
typedef struct ifd_method ifd_method;

typedef enum ifd_state_kind {
    IFD_STATE_REAL,    /* probed and saved */
    IFD_STATE_HISTORY, /* past values: probed and saved */
    IFD_STATE_STAGE,   /* used within a step only: saved, not probed */
    IFD_STATE_INTEGER, /* counters and latches */
    IFD_STATE_RANDOM   /* generators */
} ifd_state_kind;

typedef struct ifd_state_row {
    const char *name;
    int offset, count;
    ifd_state_kind kind;
} ifd_state_row;

/* Estimate of a measured force: a spring and dashpot between two dofs (or a dof and IFD_GROUND). It enters only the
 * Jacobian, not the force. */
typedef struct ifd_estimate {
    int from, to;
    double stiffness, damping; /* N/m, N s/m */
    const ifd_coordinate *row; /* of a chord, as in ifd_specimen; supports do not count. NULL: from and to */
} ifd_estimate;

enum { IFD_METHOD_PARAMS = 8 };

typedef struct ifd_step_options {
    const ifd_method *method;
    double h;                           /* step, s */
    ifd_value value[IFD_METHOD_PARAMS]; /* one per parameter of the method */
    int estimates;
    const ifd_estimate *estimate;
} ifd_step_options;

enum { IFD_METHOD_STATES = 12, IFD_METHOD_STAGES = 2 };

struct ifd_method {
    const char *name, *title, *citation;
    const char *summary; /* one or two sentences that help to choose */
    int order;
    double at_infinity; /* spectral radius of an undamped mode of infinite frequency with preset parameters; HUGE_VAL:
                         * unbounded (explicit) */
    int stages;
    unsigned measures;            /* bit i: stage i uses a force measured at ifd_stepper_aim(i) */
    double at[IFD_METHOD_STAGES]; /* instant of that measurement, as a fraction of the step */
    bool offline;                 /* for comparison only: allocates, not for the tick path */
    bool explicit_step;           /* conditionally stable */
    bool follows;                 /* uses `follow` of elements for their states */
    bool initial;                 /* a stiffness of the start is in every step */
    bool constraints;             /* integrates dofs without mass under nonlinear elements */
    const ifd_param *params;      /* IFD_METHOD_PARAMS at most */
    ifd_status (*make)(ifd_stepper *s, ifd_arena *arena, const ifd_step_options *opt, ifd_note *note);
    IFD_RT void (*start)(const ifd_stepper *s, double t, const double *load, double *x);
    IFD_RT void (*stage)(const ifd_stepper *s, int i, double t, const double *load, double *x);
    IFD_RT void (*aim)(const ifd_stepper *s, int i, double t, const double *x, double *u, double *v);
    /* May be NULL. */
    IFD_RT void (*inside)(const ifd_stepper *s, double theta, const double *x, double *u, double *v);
    /* NULL for methods without memory of loads. */
    IFD_RT void (*jump)(const ifd_stepper *s, double t, const double *change, double *x);
};

IFD_API extern const ifd_method *const ifd_methods[];
IFD_API extern const int ifd_method_count;
IFD_API const ifd_method *ifd_method_find(const char *name);

/* Sets every parameter of the method to its preset. h: s. */
IFD_API void ifd_step_options_defaults(const ifd_method *method, double h, ifd_step_options *opt);
/* Sets a parameter by name; false: unknown name. */
IFD_API bool ifd_step_options_set(ifd_step_options *opt, const char *name, ifd_value value);

/* Computes coefficients and constant factorisations. The model must outlive the stepper. */
IFD_API ifd_status ifd_stepper_make(ifd_arena *arena, const ifd_step_options *opt, const ifd_model *model,
                                    ifd_stepper **out, ifd_note *note);
IFD_API int ifd_stepper_size(const ifd_stepper *s); /* doubles in x */
IFD_API const ifd_state_row *ifd_stepper_states(const ifd_stepper *s, int *count);
IFD_API int ifd_stepper_stages(const ifd_stepper *s);
IFD_API double ifd_stepper_step(const ifd_stepper *s);
IFD_API const ifd_model *ifd_stepper_model(const ifd_stepper *s);

/* Writes the initial state of the model (displacement, velocity, element states) into x. */
IFD_API void ifd_stepper_initial(const ifd_stepper *s, double *x);
/* Completes x for time t from its u, v, s: accelerations, pseudo-rates. load: n forces in addition to those of the
 * model, or NULL. */
IFD_API IFD_RT void ifd_stepper_start(const ifd_stepper *s, double t, const double *load, double *x);
/* Stage i of the step from t. load as above, measured at ifd_stepper_aim(s, i). Failures are latched in x:
 * ifd_stepper_fault. */
IFD_API IFD_RT void ifd_stepper_stage(const ifd_stepper *s, int i, double t, const double *load, double *x);
/* Displacement and velocity (n each) at which stage i needs its measured force. */
IFD_API IFD_RT void ifd_stepper_aim(const ifd_stepper *s, int i, double t, const double *x, double *u, double *v);

/* Displacement and velocity (n each) inside the last complete step at theta = 0 .. 1 of it; false: the method has no
 * continuous solution. */
IFD_API IFD_RT bool ifd_stepper_inside(const ifd_stepper *s, double theta, const double *x, double *u, double *v);

/* Between two steps: the load of all steps from t on changes by change (n forces). The stored accelerations of the
 * method are adapted to the new load, which acts from t on. Without this call a method with such a memory applies the
 * mean of both loads in its next step. */
IFD_API IFD_RT void ifd_stepper_jump(const ifd_stepper *s, double t, const double *change, double *x);

typedef enum ifd_step_fault {
    IFD_STEP_OK,
    IFD_STEP_SINGULAR,   /* the tangent cannot be factorised */
    IFD_STEP_ITERATIONS, /* Newton iterations do not converge within their limit (the step is kept) */
    IFD_STEP_SOLVER,     /* the integrator of the reference fails */
    IFD_STEP_LATE,       /* a job on a worker thread is not ready in time */
    IFD_STEP_TANGENT,    /* bounded Jacobian: elements that are not updated stiffen beyond the stability budget */
    IFD_STEP_PRECISION,  /* factor in single precision: the residual of a solution exceeds its limit */
    IFD_STEP_LENGTH,     /* a large chord or member is shorter than 0.05 of its length at rest */
    IFD_STEP_ROTATION,   /* a large member turns by 90 degrees in a step, or by 180 degrees in all */
    IFD_STEP_WORK        /* the reference needs more evaluations in one step than it may */
} ifd_step_fault;
/* The fault latched in x since start; IFD_STEP_OK: none. */
IFD_API IFD_RT ifd_step_fault ifd_stepper_fault(const ifd_stepper *s, const double *x);

IFD_END_DECLS
#endif
