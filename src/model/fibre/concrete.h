/* SPDX-License-Identifier: MIT */
/* Law of concrete fibres (concrete.c): stress over strain, compression negative. */
#pragma once

#include <stdbool.h>

#include <interfield/status.h>

enum { IFD__CONCRETE_STATES = 6 };

typedef struct ifd__concrete {
    double f, ec, fu, eu; /* strength and its strain, residual stress and the strain where it begins: positive */
    double ft, et;        /* tensile strength, strain at which it is lost; 0: no tension */
} ifd__concrete;

/* Transverse steel: ratio of volumes, yield stress (Pa), width of the core (m), spacing (m). */
typedef struct ifd__confinement {
    double ratio, yield, core, spacing;
} ifd__confinement;

/* ec, fu and eu of concrete of the strength out->f, and out->f increased by confinement, after Scott, Park and
 * Priestley; ratio 0: unconfined. */
void ifd__concrete_confine(const ifd__confinement *by, ifd__concrete *out);

/* Stress after a move from the last accepted point in the memory s to the strain e; k := the tangent there. s1: the
 * memory after it, or NULL; it may be s. */
IFD_RT double ifd__concrete_move(const ifd__concrete *c, const double *s, double e, double *k, double *s1);
