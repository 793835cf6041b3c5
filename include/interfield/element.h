/* SPDX-License-Identifier: MIT */
/* Elements: the small nonlinear, hysteretic or first-order pieces of a model.
 *
 * An element sees nq coordinates q (linear combinations of dofs, such as the stretch between two of them), their
 * rates qd, and ns states s of its own:
 *
 *     force on the structure   -r(q, qd, s, t)      (r resists; its work is r . qd)
 *     states                   s' = g(q, qd, s, t)
 *     mass, when it has one    m(q), so that r + m(q) q'' is the whole resisting force
 *
 * and gives the exact derivatives of r and g, because the Rosenbrock and generalized-alpha methods put them into
 * their Jacobian. Elements are rows of one table; a user's own one is the same struct in a shared object that exports
 *
 *     const ifd_element_ops ifd_user_element = {.abi = IFD_ELEMENT_ABI, .name = "my-damper", ...};
 *
 * An element never changes after make; its states live in the run's state vector. */
#ifndef INTERFIELD_ELEMENT_H
#define INTERFIELD_ELEMENT_H

#include <interfield/arena.h>
#include <interfield/param.h>

#ifdef __cplusplus
extern "C" {
#endif

#define IFD_ELEMENT_ABI 3

typedef struct ifd_element_ops ifd_element_ops;

/* Filled by make. Everything else about the element is in data. */
typedef struct ifd_element {
    const ifd_element_ops *ops;
    const char *name;
    int nq;           /* coordinates; given before make */
    int ns;           /* states; make sets it */
    int nroot;        /* event functions for the reference solution; make sets it */
    const double *s0; /* ns initial states, or NULL for zeros */
    const void *data;
} ifd_element;

typedef struct ifd_element_in {
    double t;          /* s */
    const double *q;   /* nq */
    const double *qd;  /* nq, rates */
    const double *qdd; /* nq, accelerations with the ground's included; read only for m_q */
    const double *s;   /* ns */
} ifd_element_in;

/* What eval fills. A NULL member is not wanted. Everything arrives zeroed. Matrices are column-major: the derivative
 * of row i with respect to column j stands at [i + j * rows]. */
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
    IFD_ELEMENT_INERTIAL = 2, /* has a mass that depends on q */
    IFD_ELEMENT_STOREY = 4    /* a structural spring: its deformation is recorded as a storey drift */
};

/* How an element is attached, so that a case file can be read without knowing the element. */
typedef enum ifd_attach {
    IFD_ATTACH_PAIR,  /* one coordinate: `between: [a, b]` gives q = u_b - u_a, `at: b` gives q = u_b */
    IFD_ATTACH_PIVOT, /* coordinate 0 is `at:` (optional: ground), the following ones are new dofs listed in own */
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

    /* values: one per parameter, checked. e->nq and e->name are set; fills e->ns, nroot, s0, data. */
    ifd_status (*make)(ifd_element *e, const ifd_value *values, ifd_arena *arena, ifd_note *note);
    IFD_RT void (*eval)(const ifd_element *e, const ifd_element_in *in, const ifd_element_out *out);
    /* Stored energy (J) and dissipated power (W). May be NULL: then all work counts as dissipated. */
    IFD_RT void (*energy)(const ifd_element *e, const ifd_element_in *in, double *stored, double *dissipated);
    /* After a step: bring s back into its admissible set; zero rate[i] and pseudo[i] (either may be NULL) where it
     * stopped. May be NULL. */
    IFD_RT void (*settle)(const ifd_element *e, double *s, double *rate, double *pseudo);
    /* Rate-independent elements: s := states after the coordinates moved by dq, exactly; s_q (ns x nq, may be NULL)
     * := their derivative. NULL for elements with a true time scale. */
    IFD_RT void (*advance)(const ifd_element *e, const double *dq, double *s, double *s_q);
    /* nroot functions whose sign changes mark a kink of r or g (reference solution only). May be NULL when nroot = 0.
     * A kink function must be smooth through its zero. */
    void (*events)(const ifd_element *e, const ifd_element_in *in, double *root);
    /* Specimens that step themselves, such as a model of another program: s := states after the coordinate went to q,
     * with the rate v, between two instants; begins there when they are one, outside of ticks. What else they
     * remember is not in s, so they cannot be probed or rolled back. NULL for all others. */
    IFD_RT void (*carry)(const ifd_element *e, double from, double to, double q, double v, double *s);
    /* Elements whose states change much faster than the motion: s := states after a move, in a fixed number of
     * operations. LSRT methods and the virtual rig then take the states from here instead of from g. NULL for all
     * others. */
    IFD_RT void (*follow)(const ifd_element *e, const ifd_element_move *move, double *s);
    /* The same elements: how often their fastest state relaxes in a step h (s), or, when it is followed, in a part of
     * it; above 20 the force is wrong by percents, and the reader of a case says so. NULL for all others. */
    double (*relaxations)(const ifd_element *e, double h, bool followed);
    /* Materials that remember reversals: the step ended with the coordinates in->q and was accepted; s (in->s) := all
     * that is remembered from there on. In between eval sees the states of the last accepted step, whatever stages
     * and iterations try: r is that of one monotone move from there to in->q, and g is zero. Accepting the same
     * coordinates again changes nothing. The reference solution accepts at the element's events too, which must mark
     * reversals. NULL for all others. */
    IFD_RT void (*accept)(const ifd_element *e, const ifd_element_in *in, double *s);
};

/* The built-in rows. */
IFD_API extern const ifd_element_ops *const ifd_elements[];
IFD_API extern const int ifd_element_count;
IFD_API const ifd_element_ops *ifd_element_find(const char *name);

#ifdef __cplusplus
}
#endif
#endif
