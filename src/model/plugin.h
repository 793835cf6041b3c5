/* SPDX-License-Identifier: MIT */
/* A user-defined element from a shared object.
 *
 *     const ifd_element_ops *ops;
 *     IFD_TRY(ifd__object_examine("./my_damper.so", &fd, note, &place));
 *     IFD_TRY(ifd__plugin_load(fd, "./my_damper.so", &ops, note, &place));
 *     ... ifd_builder_element(b, ops, ...)
 *
 * The object exports `const ifd_element_ops ifd_user_element`. It remains loaded until the process ends, because
 * models, and the threads that step them, call it. Set-up only. */
#pragma once

#include <interfield/element.h>

/* Takes over the descriptor; path: for messages. IFD_PLUGIN, with a hint in the note, if the object cannot
 * be loaded, exports no ifd_user_element, was compiled for another IFD_ELEMENT_ABI, or lacks a required member. */
ifd_status ifd__plugin_load(int fd, const char *path, const ifd_element_ops **out, ifd_note *note,
                            const ifd_place *place);
