/* SPDX-License-Identifier: MIT */
/* System calls that reach other processes are refused in this process and in those that it makes. */
#pragma once

#include <stdbool.h>

/* Signals, limits, priorities, memory and descriptors of others: EPERM. Needs PR_SET_NO_NEW_PRIVS. False: the kernel
 * has no filters. */
bool filter_install(void);
