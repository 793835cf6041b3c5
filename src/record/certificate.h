/* SPDX-License-Identifier: MIT */
#pragma once

#include <interfield/certificate.h>

extern const char ifd__certificate_style[]; /* page/certificate.css */
extern const char *const ifd__mark_names[IFD_MARK_COUNT];

/* The number is a hash of all other compared data: after an edit it does not match. */
void ifd__certificate_number(const ifd_certificate *c, char number[IFD_MARK_SIZE]);
