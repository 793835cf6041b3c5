/* SPDX-License-Identifier: MIT */
/* Force-based member with fibre sections, in basic coordinates: deformations v = (elongation, rotations of both ends
 * against the chord about z, in space also about y) and forces p = (N, moments of both ends about z, about y). */
#pragma once

#include "model/fibre/section.h"

enum { IFD__BASIC = 5, IFD__FIBRE_POINTS = 10 };

typedef struct ifd__fibre_member {
    const ifd__fibre_section *section;
    int points, passes;
    double L, limit;                  /* m; of v - v_r: rad, and relative to L */
    double shear[2];                  /* 1/(G As L) about z and y, 1/(N m); 0: rigid */
    bool hinge[IFD__BASIC];           /* no moment there */
    double joint[IFD__BASIC];         /* 1/(N m): flexibility of a spring at an end */
    double load[IFD__SECTION_FORCES]; /* N/m along x, y, z of the member, at the share 1 */
    bool
        halves; /* the load along x is half on either end, and N that in the middle; otherwise N is that at the end */
    double at[IFD__FIBRE_POINTS], weight[IFD__FIBRE_POINTS]; /* of the points, on [0, 1] */
    double elastic[IFD__BASIC * IFD__BASIC];                 /* flexibility at rest */
} ifd__fibre_member;

/* Places in the states: p, v_r, v, the share of the load, and that of the last accepted step; then for each point
 * d, f and the memory of its fibres. */
IFD_RT int ifd__fibre_basic(const ifd__fibre_member *m);
IFD_RT int ifd__fibre_member_share(const ifd__fibre_member *m);
IFD_RT int ifd__fibre_point(const ifd__fibre_member *m, int point);
int ifd__fibre_member_states(const ifd__fibre_member *m);

/* Number of states before those of the first point; force `a` of the section at a point is row . p plus the share of
 * the load times the result. */
IFD_RT int ifd__fibre_first(const ifd__fibre_member *m);
double ifd__fibre_row(const ifd__fibre_member *m, int point, int a, double row[IFD__BASIC]);

/* Sets points and elastic; s0: its initial states. section, L, shear and the number of points are set. */
void ifd__fibre_member_start(ifd__fibre_member *m, double *s0);

/* Forces p and tangent K for v from the accepted states s; keep: the states at v, or NULL; it may be s. At the
 * accepted v there is no pass: acceptance may be repeated. */
IFD_RT void ifd__fibre_member_respond(const ifd__fibre_member *m, const double *s, const double *v, double *keep,
                                      double *p, double *K);

/* v - v_r, which the passes left over, relative to the limit. */
IFD_RT double ifd__fibre_member_residual(const ifd__fibre_member *m, const double *s);

/* Stored energy (J), that of the elastic member under p, and power (W) that is dissipated with the tangent K at the
 * rates v'. */
IFD_RT void ifd__fibre_member_energy(const ifd__fibre_member *m, const double *p, const double *K, const double *rate,
                                     double *stored, double *dissipated);
