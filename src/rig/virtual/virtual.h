/* SPDX-License-Identifier: MIT */
#ifndef IFD_RIG_VIRTUAL_VIRTUAL_H
#define IFD_RIG_VIRTUAL_VIRTUAL_H

#include <interfield/virtual.h>

/* Appends the offsets (from `at` on) of what the laboratory's next tick depends on, its clock and generators apart;
 * how many. state has room for rig->size of them. */
int ifd__virtual_states(const ifd_rig *rig, int at, int *state);

#endif
