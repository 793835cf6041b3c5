/* SPDX-License-Identifier: MIT */
#pragma once

/* An actuator and the way of a trip to it. */
typedef struct ifd__stopping {
    double lag;           /* s, tau */
    double w, damping;    /* rad/s, z; w 0: no second-order actuator */
    double acceleration;  /* m/s2, A, of the brake */
    double period, ticks; /* s, T; n, of transport */
} ifd__stopping;

/* m: from a limit to rest, at the velocity v (m/s) when it trips. */
double ifd__stopping_travel(const ifd__stopping *s, double v);
