/* SPDX-License-Identifier: MIT */
/* Elements: nonlinear, hysteretic or first-order components of a model.
 *
 * An element has nq coordinates q (linear combinations of dofs, such as the deformation between two of them), their
 * rates qd, and ns states s:
 *
 *     force on the structure   -r(q, qd, s, t)      (r resists; its work is r . qd)
 *     states                   s' = g(q, qd, s, t)
 *     mass, if it has one      m(q), so that r + m(q) q'' is the total resisting force
 *
 * It supplies the exact derivatives of r and g for the Jacobian of the Rosenbrock and generalized-alpha methods.
 * Elements are rows of one table; a user element is the same struct in a shared object that exports
 *
 *     const ifd_element_ops ifd_user_element = {.abi = IFD_ELEMENT_ABI, .name = "my-damper", ...};
 *
 * An element is constant after make; its states are in the state vector of the run.
 *
 * Six members advance states. Which of them an element has depends on its material:
 *
 *     material                                       g of eval  settle  advance  follow  accept  carry
 *     states as smooth as the motion (Bouc-Wen)      rates      -       if exact -       -       -
 *     states with a limit (sliders, bearings)        rates      limits  if exact if fast -       -
 *     states faster than the motion (Maxwell, MR)    rates      -       -        yes     -       -
 *     memory of reversals (steel, hinges, fibres)    zero       -       -        -       yes     -
 *     advances itself (model of another program)     zero       -       -        -       -       yes
 *     counts after a step (fatigue of a brace)       rates      counts  -        -       -       -
 *
 * A method uses accept where there is one, otherwise the rates, with settle after the step. Instead of the rates,
 * LSRT methods use follow, implicit methods advance, and specimens of the virtual rig either. */
#ifndef INTERFIELD_ELEMENT_H
#define INTERFIELD_ELEMENT_H

#include <interfield/arena.h>
#include <interfield/param.h>

IFD_BEGIN_DECLS

#define IFD_ELEMENT_ABI 4

typedef struct ifd_element_ops ifd_element_ops;

/* Set by make; data is private to the element. */
typedef struct ifd_element {
    const ifd_element_ops *ops;
    const char *name;
    int nq;           /* coordinates; set before make */
    int ns;           /* states; set by make */
    int nroot;        /* event functions for the reference solution; set by make */
    const double *s0; /* ns initial states, or NULL for zeros */
    const void *data;
    /* Where the tangent of the element is stiffest, for `jacobian: bounded`; make may set it. NULL: not known, or the
     * force depends on the velocity; the tangent is then evaluated at every step. */
    const struct ifd_element_in *stiffest;
} ifd_element;

typedef struct ifd_element_in {
    double t;          /* s */
    const double *q;   /* nq */
    const double *qd;  /* nq, rates */
    const double *qdd; /* nq, accelerations including that of the ground; used only for m_q */
    const double *s;   /* ns */
} ifd_element_in;

/* Outputs of eval. A NULL member is not computed. All members are zero before the call. Matrices are column-major:
 * the derivative of row i with respect to column j is at [i + j * rows]. */
typedef struct ifd_element_out {
    double *r;         /* nq */
    double *g;         /* ns */
    double *r_q, *r_v; /* nq x nq: dr/dq, dr/dqd */
    double *r_s;       /* nq x ns */
    double *g_q, *g_v; /* ns x nq */
    double *g_s;       /* ns x ns */
    double *m;         /* nq x nq, symmetric; inertial elements only */
    double *m_q;       /* nq x nq: d(m(q) qdd)/dq; inertial elements only */
} ifd_element_out;

/* A smooth motion between two instants: coordinates and their rates at both ends (nq each). */
typedef struct ifd_element_move {
    double from, to; /* s */
    const double *q0, *v0, *q1, *v1;
} ifd_element_move;

enum {
    IFD_ELEMENT_LINEAR = 1,   /* no states, constant r_q, r_v, m: assembled into the matrices at set-up */
    IFD_ELEMENT_INERTIAL = 2, /* mass depends on q */
    IFD_ELEMENT_STOREY = 4,   /* a structural spring: its deformation is recorded as a storey drift */
    IFD_ELEMENT_CONTACT = 8,  /* the tangent jumps where contact begins: a bounded Jacobian keeps the stiffest one */
    IFD_ELEMENT_SEVERAL =
        16, /* pair: `between` and `at` may be lists, one entry for each coordinate; make checks nq */
    IFD_ELEMENT_GRAVITY = 32, /* linear: its stiffness is that of gravity (P-Delta), whose work is recorded */
    IFD_ELEMENT_ITERATE = 64, /* several in a member may diverge with a method that solves each step once */
    IFD_ELEMENT_FIBRES = 128  /* its states, those of sections and fibres, are recorded only if asked for */
};

/* Attachment of an element, so that the case reader needs no other knowledge of the element. */
typedef enum ifd_attach {
    IFD_ATTACH_PAIR,  /* one coordinate, the default: `between: [a, b]` gives q = u_b - u_a, `at: b` gives q = u_b */
    IFD_ATTACH_PIVOT, /* coordinate 0 is `at:` (optional: ground), the others are new dofs listed in own */
    IFD_ATTACH_PORTS  /* coordinates from `read:` then `apply:` lists (first-order blocks) */
} ifd_attach;

struct ifd_element_ops {
    int abi;
    const char *name;
    const char *summary;  /* one line */
    const char *equation; /* plain text */
    const ifd_param *params;
    unsigned flags;
    ifd_attach attach;
    const char *const *own; /* pivot: new dofs "angle", "angle2", "stretch", ended by NULL; angle* in rad, others m */

    /* values: one per parameter, checked. e->nq and e->name are set; sets e->ns, nroot, s0, data. */
    ifd_status (*make)(ifd_element *e, const ifd_value *values, ifd_arena *arena, ifd_note *note);
    IFD_RT void (*eval)(const ifd_element *e, const ifd_element_in *in, const ifd_element_out *out);
    /* Stored energy (J) and dissipated power (W). May be NULL: all work is then dissipated. */
    IFD_RT void (*energy)(const ifd_element *e, const ifd_element_in *in, double *stored, double *dissipated);
    /* After a step: projects s to its admissible set; sets rate[i] and pseudo[i] (either may be NULL) of a projected
     * state to zero. May be NULL. */
    IFD_RT void (*settle)(const ifd_element *e, double *s, double *rate, double *pseudo);
    /* Rate-independent elements: s := states after an increment dq of the coordinates, exact; s_q (ns x nq, may be
     * NULL) := their derivative. NULL for elements with a time scale. */
    IFD_RT void (*advance)(const ifd_element *e, const double *dq, double *s, double *s_q);
    /* nroot functions that change sign at a kink of r or g (reference solution only). Each must be smooth through its
     * zero. May be NULL if nroot = 0. */
    void (*events)(const ifd_element *e, const ifd_element_in *in, double *root);
    /* Specimens that advance themselves, such as a model of another program: s := states after a motion to q with the
     * rate v between two instants. Equal instants: begin there, outside of ticks. Their other memory is not in s, so
     * they cannot be probed or restored. NULL for all others. */
    IFD_RT void (*carry)(const ifd_element *e, double from, double to, double q, double v, double *s);
    /* Elements with states much faster than the motion: s := states after a move, in a fixed number of operations.
     * LSRT methods and the virtual rig then use this function instead of g. NULL for all others. */
    IFD_RT void (*follow)(const ifd_element *e, const ifd_element_move *move, double *s);
    /* The same elements: number of relaxation times of the fastest state in a step h (s), or in a substep if
     * followed. Above 20 the force error is several percent and the case reader warns. NULL for all others. */
    double (*relaxations)(const ifd_element *e, double h, bool followed);
    /* Materials with memory of reversals: the step with the end coordinates in->q is accepted; s (in->s) := the new
     * memory. Between acceptances eval receives the states of the last accepted step: r is that of one monotonic move
     * from there to in->q, and g is zero. Repeated acceptance of the same coordinates has no effect. The reference
     * solution also accepts at the events of the element, which must mark reversals. NULL for all others. */
    IFD_RT void (*accept)(const ifd_element *e, const ifd_element_in *in, double *s);
    /* What an accepted step has left unsolved, relative to its limit: above 1 it has not converged. NULL: nothing. */
    IFD_RT double (*residual)(const ifd_element *e, const double *s);
    /* The first instant after t at which r or g jumps by a schedule; HUGE_VAL: none. NULL: there is no schedule. */
    double (*jump)(const ifd_element *e, double t);
    /* Index of the state that is the relative change of its load, which a measured force may set between steps; -1:
     * its load is not measured. NULL: it has no such state. */
    int (*load_factor)(const ifd_element *e);
    size_t bytes; /* of data, for ifd_element_make */
};

/* The make of an element without states whose data are its parameters (IFD_AT). */
IFD_API ifd_status ifd_element_make(ifd_element *e, const ifd_value *values, ifd_arena *arena, ifd_note *note);

/* The built-in elements. */
IFD_API extern const ifd_element_ops *const ifd_elements[];
IFD_API extern const int ifd_element_count;
IFD_API const ifd_element_ops *ifd_element_find(const char *name);

IFD_END_DECLS
#endif
