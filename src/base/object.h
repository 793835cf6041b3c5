/* SPDX-License-Identifier: MIT */
/* Shared objects that people bring along: examined, opened, and the one symbol they export found. They stay loaded
 * for the life of the process, because what they define is used to its end.
 *
 * Machine code of a file acts with all rights of the user. So the file must belong to the user or to root and be
 * writable by nobody else, and so must its folder; a folder further up must not be writable by everybody, unless it
 * is sticky. The file is opened once: what was examined, and hashed, is what is loaded, whatever its name stands for
 * later. */
#ifndef IFD_BASE_OBJECT_H
#define IFD_BASE_OBJECT_H

#include <interfield/arena.h>

/* Opens a file of native code (a shared object, an FMU) after examining its owner and modes; *fd is the caller's.
 * A path without a slash is a file of the working folder. IFD_PLUGIN, with what to do, when it is refused. */
ifd_status ifd__object_examine(const char *path, int *fd, ifd_note *note, const ifd_place *place);

/* A file that is open, opened once more: with a place of its own in it where there is /proc. -1: it cannot be. */
int ifd__object_again(int fd);

/* What an object exports: {"ifd_user_rig", "ifd_rig_ops"}. */
typedef struct ifd__export {
    const char *symbol, *type;
} ifd__export;

/* Loads what was examined, by its descriptor, which it takes over, and finds the symbol. path is for messages.
 * IFD_PLUGIN when it cannot be loaded or does not export the symbol. */
ifd_status ifd__object_load(int fd, const char *path, ifd__export what, const void **out, ifd_note *note,
                            const ifd_place *place);

#endif
