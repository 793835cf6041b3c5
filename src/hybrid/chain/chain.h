/* SPDX-License-Identifier: MIT */
/* The way of a force from the load cell to the structure: links that change it, one after the other. The list in
 * chain.c is their order. Set-up takes those that the case asks for into the chain of each interface. */
#pragma once

#include "hybrid/io.h"

typedef struct ifd__link {
    const char *name, *about;
    bool (*asked)(const ifd__facts *f, int k);
    IFD_RT void (*sense)(const ifd__io *io, int k); /* what the rigs reported; NULL: nothing to learn from it */
    IFD_RT double (*force)(const ifd__io *io, int k, double f); /* N */
} ifd__link;

extern const ifd__link ifd__link_effective_force, ifd__link_walls;

/* Set-up, after that of the units. */
void ifd__chain_make(ifd_hybrid *h);
IFD_RT void ifd__chain_sense(const ifd__io *io);
/* The force of interface k on the structure (N). */
IFD_RT static inline double ifd__chain_force(const ifd__io *io, int k)
{
    double f = io->interface[k]->measured_f + 0.0; /* not -0.0 */
    for (const ifd__link *const *l = io->f->interface[k].chain; *l; l++)
        f = (*l)->force(io, k, f);
    return f;
}
