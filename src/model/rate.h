/* SPDX-License-Identifier: MIT */
/* Whether a force depends on the rate of the motion: a specimen of that kind has another force in a slow test, while
 * it is held, and where another program tries several displacements. */
#pragma once

#include "model/model.h"

/* Of an element. One that steps itself (carry) is taken to depend on it, and so is one with mass. */
bool ifd__element_rate_dependent(const ifd_element *e, ifd_arena *scratch);
/* Of the forces on the supports of a model: mass, damping, or such an element. */
bool ifd__model_rate_dependent(const ifd_model *m, ifd_arena *scratch);
