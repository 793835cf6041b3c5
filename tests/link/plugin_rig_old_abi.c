/* SPDX-License-Identifier: MIT */
#include <interfield/exchange.h>

IFD_API const ifd_rig_ops ifd_user_rig = {.abi = IFD_RIG_ABI + 1, .name = "from-the-future"};
