/* SPDX-License-Identifier: MIT */
/* The way of a force from the load cell to the structure: links that change it, one after the other. The list in
 * chain.c is their order. Set-up takes those that the case asks for into the chain of each interface. */
#pragma once

#include "hybrid/hybrid.h"

typedef struct ifd__link {
    const char *name, *about;
    bool (*asked)(const ifd_hybrid *h, int k);
    IFD_RT double (*force)(const ifd_hybrid *h, int k, double f); /* N */
} ifd__link;

/* Set-up, after that of the units. */
void ifd__chain_make(ifd_hybrid *h);
/* The force of interface k on the structure (N). */
IFD_RT double ifd__chain_force(const ifd_hybrid *h, int k);
