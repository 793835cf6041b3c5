/* SPDX-License-Identifier: MIT */
/* An element that lacks its eval function, to be refused. */
#include <interfield/element.h>

static const ifd_param params[] = {{0}};

static ifd_status make(ifd_element *e, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    (void)e, (void)values, (void)arena, (void)note;
    return IFD_OK;
}

IFD_API const ifd_element_ops ifd_user_element = {
    .abi = IFD_ELEMENT_ABI,
    .name = "half-done",
    .params = params,
    .attach = IFD_ATTACH_PAIR,
    .make = make,
};
