/* SPDX-License-Identifier: MIT */
/* Checkpoints: the state of a test on the disk, from which a fresh program goes on.
 *
 *     ifd_snapshot s;
 *     if (ifd_hybrid_snapshot(h, &s)) {                               // not on the tick's thread
 *         IFD_TRY(ifd_checkpoint_write(arena, "runs/day1", c, &s, note));
 *         ifd_hybrid_give_back(h);
 *     }
 *     ...
 *     IFD_TRY(ifd_checkpoint_read(arena, "runs/day1", c, &s, note));  // another process, another day
 *     IFD_TRY(ifd_hybrid_continue(h, s, note));
 *
 * The file is written beside its place, synced, and renamed: at any moment there is the old one or the new one,
 * whole. It knows the case, with every file it includes and every override, and the program that wrote it; it is
 * refused for any other. */
#ifndef INTERFIELD_CHECKPOINT_H
#define INTERFIELD_CHECKPOINT_H

#include <interfield/case.h>

#ifdef __cplusplus
extern "C" {
#endif

/* In the folder of a result: the newest one, and that from which a test went on. */
#define IFD_CHECKPOINT_FILE "checkpoint.bin"
#define IFD_CHECKPOINT_START "start.checkpoint"

/* Writes IFD_CHECKPOINT_FILE into the folder. The one before stays until the new one is safely on the disk. */
IFD_API ifd_status ifd_checkpoint_write(ifd_arena *arena, const char *folder, const ifd_case *c,
                                        const ifd_snapshot *s, ifd_note *note);
/* path: a file, or the folder of a result. IFD_FILE: there is none, or it is damaged; IFD_CONFLICT: it belongs to
 * another case, to another build of the program, or to a rehearsal. c NULL: whatever it belongs to. */
IFD_API ifd_status ifd_checkpoint_read(ifd_arena *arena, const char *path, const ifd_case *c, ifd_snapshot **out,
                                       ifd_note *note);
/* Keeps a copy as the start of the test that goes on from it, for its replay. */
IFD_API ifd_status ifd_checkpoint_keep(ifd_arena *arena, const char *path, const char *folder, ifd_note *note);

#ifdef __cplusplus
}
#endif
#endif
