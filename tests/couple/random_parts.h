/* SPDX-License-Identifier: MIT */
/* Random linear parts, known twice: as models of the library and as plain matrices. */
#pragma once

#include "couple/fixtures.h"
#include "couple/plain.h"

/* Between -1 and 1, the same on every machine. */
UNUSED static double wild(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / 8388608.0 - 1.0;
}

/* size/4 I + noise, symmetric and positive definite; skew adds an unsymmetric part. */
UNUSED static void wild_matrix(unsigned *seed, int n, double size, double skew, double A[PLAIN_N][PLAIN_N])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double w = 0.2 * size * wild(seed) / n, z = i == j ? 0.0 : skew * size * wild(seed) / n;
            A[i][j] = (i == j ? size : 0.0) + w + z;
            A[j][i] = (i == j ? size : 0.0) + w - z;
        }
}

UNUSED static void wild_part(unsigned *seed, int n, double mass, double stiffness, double skew, plain_part *p)
{
    *p = (plain_part){.n = n, .omega = 3.0};
    wild_matrix(seed, n, mass, 0.0, p->M);
    wild_matrix(seed, n, 0.05 * stiffness, skew, p->C);
    wild_matrix(seed, n, stiffness, skew, p->K);
    for (int i = 0; i < n; i++)
        p->force[i] = wild(seed);
}

/* The model of p from y = (u, v). */
UNUSED static ifd_model *model_of(ifd_arena *arena, const plain_part *p, const double *y)
{
    ifd_builder *b = ifd_builder_make(arena);
    for (int i = 0; i < p->n; i++) {
        char name[16];
        snprintf(name, sizeof name, "x%d", i);
        ifd_builder_dof(b, name, IFD_DOF_X);
    }
    for (int i = 0; i < p->n; i++) {
        for (int j = 0; j < p->n; j++) {
            ifd_builder_add(b, IFD_MASS, i, j, p->M[i][j]);
            ifd_builder_add(b, IFD_DAMPING, i, j, p->C[i][j]);
            ifd_builder_add(b, IFD_STIFFNESS, i, j, p->K[i][j]);
        }
        ifd_builder_initial(b, i, y[i], y[p->n + i]);
        if (p->force[i] != 0.0)
            ifd_builder_force(b, i,
                              signal_of(arena, "sine", "amplitude", p->force[i], "frequency",
                                        p->omega / (2.0 * 3.14159265358979323846), (char *)NULL));
    }
    return made(arena, b);
}

/* Joint rows of the plain pair with dense coefficients: every row reaches every dof of both parts. */
UNUSED static void wild_joints(unsigned *seed, plain_pair *s)
{
    for (int r = 0; r < s->rows; r++) {
        for (int i = 0; i < s->A.n; i++)
            s->A.G[r][i] = (i == r) + 0.3 * wild(seed);
        for (int i = 0; i < s->B.n; i++)
            s->B.G[r][i] = -(double)(i == r) + 0.3 * wild(seed);
    }
}

/* The same rows for the library. term must have room for rows * (nA + nB). */
UNUSED static void joints_of(const plain_pair *s, cut *c, ifd_joint_term *term)
{
    c->opt.joints = s->rows;
    for (int r = 0; r < s->rows; r++) {
        c->joint[r] = (ifd_joint){.name = "row", .terms = s->A.n + s->B.n, .term = term};
        for (int i = 0; i < s->A.n; i++)
            *term++ = (ifd_joint_term){0, i, s->A.G[r][i]};
        for (int i = 0; i < s->B.n; i++)
            *term++ = (ifd_joint_term){1, i, s->B.G[r][i]};
    }
}

UNUSED static void wild_state(unsigned *seed, int n, double *y)
{
    for (int i = 0; i < 2 * n; i++)
        y[i] = wild(seed);
}
