/* SPDX-License-Identifier: MIT */
/* Shared objects of users: examination, loading, and search of their one exported symbol. They remain loaded until
 * the process ends.
 *
 * Native code runs with all rights of the user. The file and its folder must belong to the user or to root, and
 * nobody else may have write access. A folder above it must not be writable by everybody, unless it is sticky. The
 * file is opened once, so that the file that is examined and hashed is also the file that is loaded. */
#pragma once

#include <interfield/arena.h>

/* Opens a file of native code (a shared object, an FMU) after checking its owner and permissions. The caller closes
 * *fd. A path without a slash is a file of the working folder. IFD_PLUGIN, with a remedy, if the file is refused. */
ifd_status ifd__object_examine(const char *path, int *fd, ifd_note *note, const ifd_place *place);

/* Opens an open file again, with a separate file position where /proc exists. -1: not possible. */
int ifd__object_again(int fd);

/* The symbol that an object exports, and its type: {"ifd_user_rig", "ifd_rig_ops"}. */
typedef struct ifd__export {
    const char *symbol, *type;
} ifd__export;

/* Loads the examined file by its descriptor and finds the symbol. It takes over the descriptor. path is for
 * messages. IFD_PLUGIN if the file cannot be loaded or does not export the symbol. */
ifd_status ifd__object_load(int fd, const char *path, ifd__export what, const void **out, ifd_note *note,
                            const ifd_place *place);
