/* SPDX-License-Identifier: MIT */
/* A disk with a power failure. All file operations of the library below one folder are recorded on their way to the
 * system (the linker redirects open, write, rename, fsync and related functions here). The possible disk after a
 * failure at any of these events is made from that:
 *
 *     data covered by a completed sync are present;
 *     every 4 KiB block written later has any version, old, new or between, or a mixture of them by sectors of
 *     512 bytes; unwritten areas can also contain data of an earlier file;
 *     the length of a file is any that it had since;
 *     of the entries of a folder without a sync the later ones are missing.
 *
 * Files are synchronised for their contents, folders for their entries: the guarantees of POSIX, and no more. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Restarts: files below root (an absolute path) are recorded. wait: the longest fdatasync, ns of the simulated
 * clock. */
void disk_watch(const char *root, int64_t wait);
void disk_ignore(void);

/* Events so far, counted from 1; the time of event k. */
long disk_events(void);
int64_t disk_time(long event);

/* The disk after a failure just after that event, as a tree at `to`. random: the state of ticks_random. stale: data
 * of an earlier file. */
void disk_cut(long event, const char *to, uint64_t *random, const unsigned char *stale, size_t stale_bytes);
