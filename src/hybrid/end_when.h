/* SPDX-License-Identifier: MIT */
/* End criteria of a loading protocol. */
#pragma once

#include <interfield/hybrid.h>

/* The reason of a test that ended by a criterion of interface c; false: it did not. */
bool ifd__end_when_print(const ifd_interface_options *c, const ifd_trip_facts *trip, char *out, size_t size);
