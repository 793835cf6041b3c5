/* SPDX-License-Identifier: MIT */
/* The single-dof split-mass system, b1 = m_A / m_B = k_B / k_A, for figures of two papers. */
#pragma once

#include "reproduce.h"

#include <interfield/analysis.h>

typedef struct split {
    const char *coupling; /* "staggered", "parallel", "midpoint" */
    double b1;
    int ss;
    const char *gamma; /* "minus", "plus"; unused by the midpoint rule */
    double step, end;  /* s; 0: value of the shipped case */
} split;

/* Result of a scan of the eigenvalues over Omega. */
typedef struct split_facts {
    const sheet *sheet;
    double radius;         /* largest spectral radius */
    double first_unstable; /* Omega; 0: stable everywhere */
    int states, most_nonzero, least_ones;
    int pairs, real; /* at the Omega nearest to 1: pairs of conjugates, nonzero real roots */
    int most_pairs, least_real;
    double most_at; /* Omega where there are most pairs */
} split_facts;

settings split_sets(scene *s, const split *p);
/* |root| over Omega from 0.01 to high, the largest `roots` of them as a sheet; name NULL: no sheet. */
split_facts split_roots(scene *s, const split *p, const char *name, int roots, double high);
void split_plot(scene *s, const split_facts *f, const char *title);
