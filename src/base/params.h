/* SPDX-License-Identifier: MIT */
/* Short macros for rows of parameter lists. */
#ifndef IFD_BASE_PARAMS_H
#define IFD_BASE_PARAMS_H

#include <interfield/param.h>

#define IFD__NEEDED(n, d, low, high, text)                                                                           \
    {                                                                                                                \
        .name = n, .dim = IFD_DIM_##d, .required = true, IFD_WITHIN(low, high), .doc = text                          \
    }
#define IFD__OPTION(n, d, low, high, p, text)                                                                        \
    {                                                                                                                \
        .name = n, .dim = IFD_DIM_##d, IFD_WITHIN(low, high), .preset = p, .doc = text                               \
    }
#define IFD__WORD(n, w, text)                                                                                        \
    {                                                                                                                \
        .name = n, .shape = IFD_SHAPE_WORD, .words = w, .doc = text                                                  \
    }

#endif
