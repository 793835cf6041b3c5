/* SPDX-License-Identifier: MIT */
/* An element of another version of the interface, to be refused. */
#include <interfield/element.h>

IFD_API const ifd_element_ops ifd_user_element = {.abi = IFD_ELEMENT_ABI + 1, .name = "from-the-future"};
