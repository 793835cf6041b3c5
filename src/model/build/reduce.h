/* SPDX-License-Identifier: MIT */
/* Reduction of a model while it is made: the system's dofs become the interface dofs and modal dofs "mode1", "mode2",
 * ... of a superelement. Everything after it sees an ordinary model. */
#pragma once

#include "model/build/making.h"

/* After condensation of what has no mass. Dofs that elements or dashpots act on stay as they are, as those that the
 * reduction names; watched and loaded dofs become condensed ones; the others have no row any more. */
ifd_status ifd__making_reduce(ifd__making *k);
