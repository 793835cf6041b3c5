/* SPDX-License-Identifier: MIT */
#ifndef IFD_BASE_COLUMN_H
#define IFD_BASE_COLUMN_H

#include <interfield/column.h>

/* Where the values of a column stand in a result file: /displacement/floor1, /element/storey1/force_2. The group's
 * own word is left out; blanks become underlines, so that the path can be typed without quotes where that matters. */
char *ifd__column_path(ifd_arena *arena, const ifd_column *c);

#endif
