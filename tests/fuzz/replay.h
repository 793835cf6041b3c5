/* SPDX-License-Identifier: MIT */
/* Inputs that once made a fuzzer fail, fuzz/found/<name>, given to it again. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Number of inputs; a failing one ends the process. */
int replay(const char *name, int (*try_one)(const uint8_t *data, size_t size));
