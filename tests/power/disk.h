/* SPDX-License-Identifier: MIT */
/* A disk that can lose its power. Everything that the library asks of files below one folder is written down on its
 * way to the system (the linker leads open, write, rename, fsync and their kin here), and the disk that a cut after
 * any of these events could leave is made from that:
 *
 *     what a sync that had returned covers is there;
 *     of every 4 KiB block written later there is any version, old, new or one between, or a mixture of them by
 *     sectors of 512 bytes; where nothing had been, there may also stand what an earlier file left on the disk;
 *     the length of a file is any it had since;
 *     of the entries of a folder that was not synced itself the later ones are missing.
 *
 * Files are synced for themselves, folders for their entries: what POSIX promises, and no more. */
#ifndef TESTS_POWER_DISK_H
#define TESTS_POWER_DISK_H

#include <stddef.h>
#include <stdint.h>

/* Begins anew: files below root (an absolute path) are watched. wait: the longest a fdatasync
 * takes, ns of the simulated clock. */
void disk_watch(const char *root, int64_t wait);
void disk_ignore(void);

/* Events so far, counted from 1; when event k happened. */
long disk_events(void);
int64_t disk_time(long event);

/* The disk after a cut right behind that event, as a tree at `to`. random: the state of ticks_random.
 * stale: what an earlier file left. */
void disk_cut(long event, const char *to, uint64_t *random, const unsigned char *stale, size_t stale_bytes);

#endif
