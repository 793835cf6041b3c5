/* SPDX-License-Identifier: MIT */
/* The list of built-in rigs, and rigs of a laboratory. */
#ifndef IFD_CASE_RIGS_H
#define IFD_CASE_RIGS_H

#include <interfield/exchange.h>

#define RIG(x) IFD_API extern const ifd_rig_ops ifd_##x##_rig;
#include "case/rig/rigs.def"

extern const ifd_rig_ops *const ifd__rigs[]; /* NULL at its end */

/* As ifd_rig_plugin_open, of a file that ifd__object_examine opened; takes the descriptor. */
ifd_status ifd__rig_plugin_load(int fd, const char *path, const ifd_rig_ops **out, ifd_note *note,
                                const ifd_place *place);

#endif
