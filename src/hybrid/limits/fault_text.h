/* SPDX-License-Identifier: MIT */
/* Numbers of the latched fault for its sentence. The tick keeps them, other threads print them, and no tick reads
 * them. */
#pragma once

#include "hybrid/hybrid.h"
#include "hybrid/rigs.h"

/* After a fault was noted; nothing happens unless it was latched in this tick. */
IFD_RT void ifd__fault_text_late(ifd_hybrid *h);
IFD_RT void ifd__fault_text_lost(ifd_hybrid *h, const ifd__rig_link *rig);
/* N/m: as measured now, and of the characterisation; 0: there is none. */
IFD_RT void ifd__fault_text_stiffness(ifd_hybrid *h, int k, double now, double characterised);
