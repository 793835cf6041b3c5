/* SPDX-License-Identifier: MIT */
/* Soil springs. The parameter `soil` of p-y holds friction angle (rad), weight (N/m3) and modulus (N/m3) of sand, or
 * strength (Pa), weight, strain at half of it and J of clay. */
#pragma once

#include "model/element.h"

enum { IFD__SAND_NUMBERS = 3, IFD__CLAY_NUMBERS = 4 };

/* C1, C2, C3 for a friction angle (rad). */
void ifd__soil_sand(double angle, double C[3]);
