/* SPDX-License-Identifier: MIT */
/* How rows of the tables of keys are written, and the tables that stand in files of their own. */
#ifndef IFD_IO_KEYS_ROWS_H
#define IFD_IO_KEYS_ROWS_H

#include <math.h>

#include "io/keys.h"
#include "io/keys_fmu.h"

/* Every number has its own range, in SI units. It is wide: what a laboratory or a structure may have, not what is
 * usual. A range that begins at 0 permits 0, and nothing smaller than its dimension has (yaml_read.c). */
#define NUMBER(n, d, low, high, text)                                                                                \
    {                                                                                                                \
        .param = {                                                                                                   \
            .name = n,                                                                                               \
            .dim = IFD_DIM_##d,                                                                                      \
            .range = IFD_RANGE_WITHIN,                                                                               \
            .min = low,                                                                                              \
            .max = high,                                                                                             \
            .required = true,                                                                                        \
            .doc = text                                                                                              \
        }                                                                                                            \
    }
/* A limit, which nobody has unless it is given. */
#define LIMIT(n, d, low, high, said, text)                                                                           \
    {                                                                                                                \
        .param = {.name = n,                                                                                         \
                  .dim = IFD_DIM_##d,                                                                                \
                  .range = IFD_RANGE_WITHIN,                                                                         \
                  .min = low,                                                                                        \
                  .max = high,                                                                                       \
                  .shape = IFD_SHAPE_CHOICE,                                                                         \
                  .words = "none",                                                                                   \
                  .preset = (double)INFINITY,                                                                        \
                  .doc = text},                                                                                      \
        .preset = said                                                                                               \
    }
#define WITHIN(n, d, low, high, p, said, text)                                                                       \
    {                                                                                                                \
        .param = {.name = n,                                                                                         \
                  .dim = IFD_DIM_##d,                                                                                \
                  .range = IFD_RANGE_WITHIN,                                                                         \
                  .min = low,                                                                                        \
                  .max = high,                                                                                       \
                  .preset = p,                                                                                       \
                  .doc = text},                                                                                      \
        .preset = said                                                                                               \
    }
#define WORD(n, w, text)                                                                                             \
    {                                                                                                                \
        .param = {.name = n, .shape = IFD_SHAPE_WORD, .words = w, .doc = text }                                      \
    }
#define TEXT(n, need, said, text)                                                                                    \
    {                                                                                                                \
        .param = {.name = n, .shape = IFD_SHAPE_TEXT, .required = need, .doc = text}, .preset = said                 \
    }
#define FORM(n, need, f, said, text)                                                                                 \
    {                                                                                                                \
        .param = {.name = n, .required = need, .doc = text}, .form = f, .preset = said                               \
    }
#define END                                                                                                          \
    {                                                                                                                \
        .param = { 0 }                                                                                               \
    }

extern const ifd__key ifd__case_keys[], ifd__time_keys[], ifd__ground_keys[], ifd__load_keys[], ifd__initial_keys[],
    ifd__output_keys[];
extern const ifd__key ifd__model_keys[], ifd__building_keys[], ifd__storey_keys[], ifd__frame_keys[],
    ifd__frame_support_keys[], ifd__material_keys[], ifd__section_keys[], ifd__grid_keys[], ifd__rayleigh_keys[],
    ifd__element_keys[], ifd__condense_keys[];
extern const ifd__key ifd__specimen_keys[], ifd__estimate_keys[], ifd__test_keys[];
extern const ifd__key ifd__substructure_keys[], ifd__cut_keys[], ifd__cut_part_keys[], ifd__coupling_keys[];
extern const ifd__key ifd__opensees_keys[], ifd__opensees_element_keys[];
extern const ifd__key ifd__limit_keys[], ifd__twin_keys[];
extern const ifd__key ifd__support_keys[], ifd__rts_keys[], ifd__rts_start_keys[], ifd__rts_duration_keys[];

#endif
