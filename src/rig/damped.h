/* SPDX-License-Identifier: MIT */
/* A critically damped follower, y'' = w^2 (goal - y) - 2 w y', in ticks and exact for a goal that is constant in each
 * tick. It never passes a goal that only increases. From 0 <= y <= 1 and goals between 0 and 1 it remains between
 * them: y' + w y and w (1 - y) - y' never become negative. */
#pragma once

#include <math.h>

#include <interfield/status.h>

typedef struct ifd__damped {
    double w, decay;     /* 1/tick; e^-w */
    double way, way_dot; /* of ifd__damped_way */
} ifd__damped;

/* w: 1/tick. */
static inline ifd__damped ifd__damped_of(double w)
{
    double E = exp(-w), left = -expm1(-w);
    return (ifd__damped){w, E, (left + E * w) / (left * left) - 1.0, E / (left * left)};
}

/* One tick. */
IFD_RT static inline void ifd__damped_step(const ifd__damped *f, double goal, double *y, double *dy)
{
    double e = *y - goal, v = *dy;
    *y = goal + f->decay * ((1.0 + f->w) * e + v);
    *dy = f->decay * ((1.0 - f->w) * v - f->w * f->w * e);
}

/* Sum of all following y with the goal zero: with the matrix A of a step it is the first row of A (1 - A)^-1. In
 * continuous time 2 y/w + y'/w^2. */
IFD_RT static inline double ifd__damped_way(const ifd__damped *f, double y, double dy)
{
    return f->way * y + f->way_dot * dy;
}
