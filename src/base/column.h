/* SPDX-License-Identifier: MIT */
#pragma once

#include <interfield/column.h>

/* Path of a column in a result file: /displacement/floor1, /element/storey1/force_2. The path does not repeat the
 * name of the group. Underscores replace blanks, so that the path needs no quotes. */
char *ifd__column_path(ifd_arena *arena, const ifd_column *c);
