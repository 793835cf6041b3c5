/* SPDX-License-Identifier: MIT */
/* A member with fibre sections as bytes, for exported models. */
#pragma once

#include "base/bytes.h"
#include "model/fibre/element.h"

/* All that its ops need; the states are those of the model. */
void ifd__fibre_member_put(const ifd__fibre_member *m, ifd__bytes *out);
/* The ops of the member of these bytes; NULL: in->bad, or no memory. */
const ifd_element_ops *ifd__fibre_member_take(ifd__taking *in);
