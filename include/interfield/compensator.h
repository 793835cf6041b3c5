/* SPDX-License-Identifier: MIT */
/* Compensators: commands for which the actuator reaches the target without delay.
 *
 *     u = command(x, x', x'', x''' of the target; measured values)
 *
 * A compensator is a row of ifd_compensators[] with a tick; its state is a slice of the array of the run:
 *
 *     const ifd_compensator_kind *kind = ifd_compensator_find("polynomial");
 *     ifd_value v[IFD_COMPENSATOR_PARAMS];
 *     ifd_param_preset(kind->params, v);
 *     v[ifd_param_find(kind->params, "delay")] = ifd_number(0.012);             // s
 *     ifd_compensator *c;
 *     IFD_TRY(ifd_compensator_make(arena, kind, v, h, &c, note));
 *     double *s = ifd_arena_array(arena, (size_t)c->size, sizeof *s);
 *     ifd_compensator_begin(c, x0, s);
 *     for (each tick)
 *         u = ifd_compensator_step(c, &in, s);                                  // IFD_RT
 *
 * Every row has a look-ahead T, an additional lead for the delay of the measured force. Third derivatives of the
 * target are backward differences of the second.
 *
 * Instants. At t_k a measurement arrives and a command leaves. Where a computed structure waits for the force, as in
 * a benchmark, the target is that of t_k. A test is one tick ahead (`next`): its target, and the command for it, are
 * those of t_k + D, because an ideal actuator is there at the next measurement. A compensator compares x_m with the
 * target and with the command of the same instant t_k, in a test those of the last tick. Otherwise it would identify
 * a delay of one tick that the target already contains, and lead by it. */
#ifndef INTERFIELD_COMPENSATOR_H
#define INTERFIELD_COMPENSATOR_H

#include <interfield/rig.h>

IFD_BEGIN_DECLS

enum { IFD_COMPENSATOR_PARAMS = 24 };

typedef struct ifd_compensator ifd_compensator;
typedef struct ifd_compensator_kind ifd_compensator_kind;

typedef struct ifd_compensator_in {
    double x, v, a;      /* target of the command: displacement, velocity, acceleration (m, s) */
    double xm, fm;       /* measured: displacement (m), force (N) */
    double now_x, now_u; /* with `next`: target and command sent for the instant of the measurement; otherwise they
                          * are those of this tick, and these are not read */
    bool frozen;         /* probing: no adaptation, no rounding */
    bool rests;          /* a held test: no adaptation, because noise alone would change the coefficients */
    bool next; /* the target is that of the next tick, as in a test; false: of the instant of the measurement */
    int axes;  /* dofs of the drive that moves the specimen; 0: none */
    const struct ifd_compensator_in *axis; /* all of them in the order of the drive, this one included; for
                                            * compensators that couple dofs */
    double am;                             /* measured acceleration (m/s2), for kinds with `accelerometer` */
    double lost; /* ticks since the last tick without a new measurement, itself included; 1: xm, fm and am are kept
                  * from before, and nothing is learnt from them; 0: none was lost */
} ifd_compensator_in;

/* The first doubles of the state. */
enum {
    IFD_COMPENSATOR_U, /* the command, m */
    IFD_COMPENSATOR_F, /* force for the solver, N: the measured force, or the corrected force of a kind with
                        * `correct` */
    IFD_COMPENSATOR_A, /* acceleration of the last target */
    IFD_COMPENSATOR_TICKS,
    IFD_COMPENSATOR_OWN
};

struct ifd_compensator_kind {
    const char *name;
    const char *summary;
    const char *equation;
    const ifd_param *params;
    /* NULL: no additional data. */
    ifd_status (*make)(ifd_compensator *c, const ifd_value *values, ifd_arena *arena, ifd_note *note);
    IFD_RT void (*begin)(const ifd_compensator *c, double x, double *s); /* NULL: no additional state */
    /* The command before the converter; target: x and three derivatives. */
    IFD_RT double (*step)(const ifd_compensator *c, const ifd_compensator_in *in, const double target[4], double *s);
    /* Adaptation after the command. NULL: none. */
    IFD_RT void (*learn)(const ifd_compensator *c, const ifd_compensator_in *in, double u, double *s);
    /* The force for the solver at the instant of the measurement; in: with the target of that instant. NULL: the
     * measured force. */
    IFD_RT double (*correct)(const ifd_compensator *c, const ifd_compensator_in *in, double *s);
    /* The present coefficients of x, x', x'', x'''; NULL: none. */
    void (*coefficients)(const ifd_compensator *c, const double *s, double out[4]);
    bool accelerometer; /* uses the measured acceleration; its parameter `input` is the auxiliary input */
    bool adapts;        /* changes with what is measured, except where `frozen` */
    bool fixed;         /* its lead is fixed at set-up: neither identified in a test nor a feedback */
    /* Settings that are invalid for every tick; c has only its kind. NULL: none. */
    ifd_status (*refuse)(const ifd_compensator *c, const ifd_value *values, ifd_note *note);
};

struct ifd_compensator {
    const ifd_compensator_kind *kind;
    double h;                /* tick, s */
    double look_ahead;       /* s */
    ifd_converter converter; /* of the command, and of internal signals of a controller */
    int size, rows;
    ifd_state_row row[IFD_RIG_ROWS];
    const void *data;
};

IFD_API extern const ifd_compensator_kind *const ifd_compensators[];
IFD_API extern const int ifd_compensator_count;
IFD_API const ifd_compensator_kind *ifd_compensator_find(const char *name);

/* values: one for each row of kind->params. h: s, the tick. The caller provides the state, size doubles. */
IFD_API ifd_status ifd_compensator_make(ifd_arena *arena, const ifd_compensator_kind *kind, ifd_value *values,
                                        double h, ifd_compensator **out, ifd_note *note);
/* Starts with the target at rest at x. */
IFD_API IFD_RT void ifd_compensator_begin(const ifd_compensator *c, double x, double *s);
/* Where the target is that of the next tick: with each measurement, before the solver uses the force; in: with the
 * target of the instant of the measurement. Otherwise the step does it. */
IFD_API IFD_RT void ifd_compensator_correct(const ifd_compensator *c, const ifd_compensator_in *in, double *s);
IFD_API IFD_RT double ifd_compensator_step(const ifd_compensator *c, const ifd_compensator_in *in, double *s);

IFD_END_DECLS
#endif
