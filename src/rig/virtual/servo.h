/* SPDX-License-Identifier: MIT */
/* The servo-hydraulic plant of the community benchmark (Silva et al., MSSP 135, 2020), with its specimen. */
#pragma once

#include "rig/virtual/actuator.h"

/* Q'' + b1 Q' + b2 Q = a1b0 (g u - x),   F' + a3 F = Q - a2 x',   m x'' + c x' + k x = F - load */
typedef struct ifd__servo_plant {
    double g, a1b0, a2, a3, b1, b2;
    ifd__specimen e;
} ifd__servo_plant;

extern const ifd__servo_plant ifd__servo_benchmark;

/* u = sum a_i x^(i): the exact inverse of the plant, i = 0..5. */
void ifd__servo_inverse(const ifd__servo_plant *p, double a[6]);
