/* SPDX-License-Identifier: MIT */
/* The SI unit of a dimension for output after a number: " N/m"; "" for a number without unit and for arbitrary
 * quantities.
 *
 *     printf("%g%.*s", x, IFD__SI(dim)); */
#pragma once

#include <interfield/param.h>

#include <string.h>

/* Precision and text for "%.*s". The SI unit is the first unit of the list of suggestions. */
#define IFD__SI(dim) ifd__si_length(dim), ifd__si_text(dim)

static inline const char *ifd__si_text(ifd_dimension dim)
{
    return dim == IFD_DIM_NONE || dim == IFD_DIM_ANY ? "" : ifd_dimension_units(dim);
}

static inline int ifd__si_length(ifd_dimension dim)
{
    return (int)strcspn(ifd__si_text(dim), ",");
}
