/* SPDX-License-Identifier: MIT */
#ifndef IFD_CASE_BUILDING_H
#define IFD_CASE_BUILDING_H

#include "case/reader.h"

#include <interfield/structures.h>

/* The mapping `shear-building`. False: its floors do not exist, or it is unstable. */
bool ifd__read_building(ifd__model_read *m, const ifd__node *node);

/* `gravity` and `height` of a building that was added to the model. False after an error. */
bool ifd__read_storey_gravity(ifd__model_read *m, const ifd__node *body, const ifd_building *b);

#endif
