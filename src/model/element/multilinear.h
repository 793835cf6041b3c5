/* SPDX-License-Identifier: MIT */
/* The law of multilinear.c, for elements and fibres: force over deformation, or stress over strain. */
#pragma once

#include "model/element.h"

enum { IFD__MULTILINEAR_POINTS = 16, IFD__MULTILINEAR_STATES = 4 + IFD__MULTILINEAR_POINTS };

typedef enum ifd__multilinear_rule {
    IFD__MULTILINEAR_MASING,
    IFD__MULTILINEAR_ELASTIC,
    IFD__MULTILINEAR_UPLIFT,
    IFD__MULTILINEAR_GAPPING
} ifd__multilinear_rule;

typedef struct ifd__multilinear {
    int rule, points;
    int below;                                                             /* of uplift: contact for q < 0 */
    double drag;                                                           /* of gapping */
    double q[IFD__MULTILINEAR_POINTS + 1], r[IFD__MULTILINEAR_POINTS + 1]; /* ascending; elastic: with the origin */
    double slider[IFD__MULTILINEAR_POINTS]; /* stiffness of slider i, whose slip is at most q_i */
    double k0;                              /* slope at rest */
} ifd__multilinear;

#define IFD__MULTILINEAR_RULES "masing|elastic|uplift|gapping"

/* Members of IFD_MATRIX(points) and the parameters rule, side, drag in the member `law` of a struct. */
#define IFD__MULTILINEAR_PARAMS(type, law, units)                                                                    \
    IFD_MATRIX("points", ANY, -1e18, 1e18,                                                                           \
               "at most 16 points [q, r], q ascending, in the first quadrant with decreasing slopes; with `rule: "   \
               "elastic` on both sides of the origin",                                                               \
               .required = true, .words = units),                                                                    \
        IFD_WORD("rule", IFD__MULTILINEAR_RULES,                                                                     \
                 "masing: hysteresis; elastic: none; uplift: no tension, unloading with the first slope; gapping: "  \
                 "uplift on both sides, with a fraction `drag` of masing",                                           \
                 IFD_AT(type, law.rule)),                                                                            \
        IFD_WORD("side", "above|below", "uplift: contact for q > 0 (above) or q < 0", IFD_AT(type, law.below)),      \
        IFD_OPTION("drag", NONE, 0, 1, 0.3, "gapping: fraction of the force without a gap", IFD_AT(type, law.drag))

/* The points of a law whose other members are set. what: its owner in messages ("element 'py'"). */
ifd_status ifd__multilinear_make(const ifd_value *points, const char *what, ifd__multilinear *law, ifd_note *note);

/* Data of an element with such a law and a dashpot in parallel. */
typedef struct ifd__multilinear_spring {
    ifd__multilinear law;
    double damping; /* N s/m */
} ifd__multilinear_spring;

/* Its row, with its own name, texts, parameters and make. */
#define IFD__MULTILINEAR_ROW                                                                                         \
    .abi = IFD_ELEMENT_ABI, .flags = IFD_ELEMENT_STOREY, .eval = ifd__multilinear_eval,                              \
    .energy = ifd__multilinear_energy, .accept = ifd__multilinear_accept, .events = ifd__multilinear_events
IFD_RT void ifd__multilinear_eval(const ifd_element *e, const ifd_element_in *in, const ifd_element_out *out);
IFD_RT void ifd__multilinear_energy(const ifd_element *e, const ifd_element_in *in, double *stored,
                                    double *dissipated);
IFD_RT void ifd__multilinear_accept(const ifd_element *e, const ifd_element_in *in, double *s);
void ifd__multilinear_events(const ifd_element *e, const ifd_element_in *in, double *root);
/* Makes the law from points and keeps `bytes` of data that begin with the spring. */
ifd_status ifd__multilinear_keep(ifd_element *e, const ifd_value *points, ifd__multilinear_spring *spring,
                                 size_t bytes, ifd_arena *arena, ifd_note *note);

int ifd__multilinear_states(const ifd__multilinear *law);
/* r after a move from the last accepted point in the memory s to q; k := the tangent there. s1: the memory after it,
 * or NULL; it may be s. */
IFD_RT double ifd__multilinear_move(const ifd__multilinear *law, const double *s, double q, double *k, double *s1);
