/* SPDX-License-Identifier: MIT */
/* Rows of parameter lists, written short. */
#ifndef IFD_RIG_PARAMS_H
#define IFD_RIG_PARAMS_H

#include <interfield/param.h>

#define IFD__NEEDED(n, d, r, text)                                                                                   \
    {                                                                                                                \
        .name = n, .dim = IFD_DIM_##d, .required = true, .range = IFD_RANGE_##r, .doc = text                         \
    }
#define IFD__OPTION(n, d, r, p, text)                                                                                \
    {                                                                                                                \
        .name = n, .dim = IFD_DIM_##d, .range = IFD_RANGE_##r, .preset = p, .doc = text                              \
    }
#define IFD__BETWEEN(n, d, a, b, p, text)                                                                            \
    {                                                                                                                \
        .name = n, .dim = IFD_DIM_##d, .range = IFD_RANGE_WITHIN, .min = a, .max = b, .preset = p, .doc = text       \
    }
#define IFD__WORD(n, w, text)                                                                                        \
    {                                                                                                                \
        .name = n, .shape = IFD_SHAPE_WORD, .words = w, .doc = text                                                  \
    }

#endif
