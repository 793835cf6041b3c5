/* SPDX-License-Identifier: MIT */
/* Checkpoints: the state of a test in a file, from which another process continues the test.
 *
 *     ifd_snapshot s;
 *     if (ifd_hybrid_snapshot(h, &s)) {                               // not on the tick thread
 *         IFD_TRY(ifd_checkpoint_write(arena, "runs/day1", c, &s, note));
 *         ifd_hybrid_give_back(h);
 *     }
 *     ...
 *     IFD_TRY(ifd_checkpoint_read(arena, "runs/day1", c, &s, note));  // in another process
 *     IFD_TRY(ifd_hybrid_continue(h, s, note));
 *
 * The file is written under a temporary name, synchronised and renamed: at any time the old or the new file is
 * complete. It identifies the case, with all source files and overrides, and the program; it is refused for
 * others. */
#ifndef INTERFIELD_CHECKPOINT_H
#define INTERFIELD_CHECKPOINT_H

#include <interfield/case.h>

IFD_BEGIN_DECLS

/* In the folder of a result: the newest checkpoint, and the one from which a test continued. */
#define IFD_CHECKPOINT_FILE "checkpoint.bin"
#define IFD_CHECKPOINT_START "start.checkpoint"

/* Writes IFD_CHECKPOINT_FILE into the folder. The previous file remains until the new one is on the disk. */
IFD_API ifd_status ifd_checkpoint_write(ifd_arena *arena, const char *folder, const ifd_case *c,
                                        const ifd_snapshot *s, ifd_note *note);
/* path: a file, or the folder of a result. IFD_FILE: missing or damaged; IFD_CONFLICT: of another case, another build
 * of the program, or a rehearsal. c NULL: no check. */
IFD_API ifd_status ifd_checkpoint_read(ifd_arena *arena, const char *path, const ifd_case *c, ifd_snapshot **out,
                                       ifd_note *note);
/* Copies it as the start of the test that continues, for its replay. */
IFD_API ifd_status ifd_checkpoint_keep(ifd_arena *arena, const char *path, const char *folder, ifd_note *note);

IFD_END_DECLS
#endif
