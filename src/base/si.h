/* SPDX-License-Identifier: MIT */
/* The SI unit of a dimension, as it is printed behind a number: " N/m"; "" for a plain number and for any quantity.
 *
 *     printf("%g%.*s", x, IFD__SI(dim)); */
#ifndef IFD_BASE_SI_H
#define IFD_BASE_SI_H

#include <interfield/param.h>

#include <string.h>

/* Precision and text for "%.*s". The first of the units to suggest is the SI unit. */
#define IFD__SI(dim) ifd__si_length(dim), ifd__si_text(dim)

static inline const char *ifd__si_text(ifd_dimension dim)
{
    return dim == IFD_DIM_NONE || dim == IFD_DIM_ANY ? "" : ifd_dimension_units(dim);
}

static inline int ifd__si_length(ifd_dimension dim)
{
    return (int)strcspn(ifd__si_text(dim), ",");
}

#endif
