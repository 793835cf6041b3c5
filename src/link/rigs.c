/* SPDX-License-Identifier: MIT */
#include "link/rigs.h"

#include <interfield/link.h>
#include <interfield/virtual.h>

const ifd_rig_ops *const ifd__rigs[] = {
    &ifd_virtual_rig, &ifd_udp_rig, &ifd_shm_rig, &ifd_opensees_adapter_rig, &ifd_openfresco_rig, NULL,
};
