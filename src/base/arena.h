/* SPDX-License-Identifier: MIT */
#ifndef IFD_BASE_ARENA_H
#define IFD_BASE_ARENA_H

#include <interfield/arena.h>

/* Factorisations that an arena carries for whoever factorises the same matrix (factors.h); NULL when nothing. */
struct ifd__factors *ifd__arena_factors(const ifd_arena *arena);
void ifd__arena_carry(ifd_arena *arena, struct ifd__factors *f);

#endif
