/* SPDX-License-Identifier: MIT */
/* End criteria of a loading protocol. */
#pragma once

#include <interfield/hybrid.h>

/* The reason of a test that was ended by a criterion at a simulated time (s); false: it was not. */
bool ifd__end_when_print(const ifd_hybrid_options *o, const ifd_trip_facts *trip, double time, char *out,
                         size_t size);
