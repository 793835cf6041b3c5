/* SPDX-License-Identifier: MIT */
/* The rigs that are built in, one list. */
#ifndef IFD_LINK_RIGS_H
#define IFD_LINK_RIGS_H

#include <interfield/exchange.h>

extern const ifd_rig_ops *const ifd__rigs[]; /* NULL at its end */

#endif
